#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""A relay dies at any moment of its neighbours' looks: its children have another parent soon."""

import time

from hbtest import hbcnl, node, tap
from hbtest.node import GROUP, until
from hbtest.trees import SECONDS, Scene

DEAD = 8 * tap.SLOWNESS
PHASES = 5	# of a look, a quarter of DEAD


def carrier(up):
    node.ip("-n", "switch", "link", "set", "p2", "up" if up else "down")


def reached(root):
    """Whether node 2 is, again."""
    return [lane["state"] for lane in root.client.dump("lane-get") if lane["peer"] == 2] == ["ready"]


def death(scene, after):
    """Seconds from node 2's death until node 3 has what was sent then."""
    scene.root.apply((1, 2), (2, 3), (3, 4))
    time.sleep(after)
    carrier(False)
    died = time.monotonic()
    scene.sender.send(b"to whom it may concern")
    for sock in scene.receivers[1:]:
        node.take_all(sock)
    took = time.monotonic() - died
    scene.complete()
    carrier(True)
    tap.check(until(SECONDS, lambda: reached(scene.root)), "it is back")
    return took


def main():
    hbcnl.load_module()
    scene = Scene()
    for each in scene.nodes:
        each.client.do("group-set", id=GROUP, dead_ms=DEAD * 1000)
    took = [death(scene, DEAD * (1 + phase / PHASES / 4)) for phase in range(PHASES)]
    print(f"# {took}")
    # What came last may be a look older than the death.
    tap.check(min(took) > DEAD * 3 / 4, "not before dead-interval is over")
    tap.check(max(took) < DEAD + 1, "a relay's children have another parent a second later")
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
