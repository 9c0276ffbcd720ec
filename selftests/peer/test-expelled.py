#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Parents that have no part any more and hold on to their connections."""

import time

from hbtest import hbcnl, tap, wire
from hbtest.node import GROUP, until
from hbtest.scene import EVIL, Scene

DEAD_MS = 1000
PATIENCE = 4 * DEAD_MS / 1000


def enter(scene):
    peer = scene.attack()
    peer.enter(2, EVIL, EVIL)
    return peer


def planned(scene, incarnation=None, epoch=1, sender=EVIL):
    """A parent with a tree of the epoch."""
    peer = scene.attack()
    peer.incarnation = incarnation or peer.incarnation
    peer.enter(2, sender, EVIL)
    peer.tell([wire.tree_node(2)], epoch)
    peer.until(lambda: epoch in peer.connected)
    return peer


def held(peer, seconds, *others):
    """For how long a parent who says nothing but PING is borne; None if so long. Others say
    it, too."""
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        if not peer.alive():
            return time.monotonic() - begin
        for other in others:
            other.alive()
        time.sleep(0.2)
    return None


def ends(peer, name):
    time_held = held(peer, 6 * PATIENCE)
    print(f"# {name}: {time_held} s")
    tap.check(time_held is not None, f"{name}: its lane ends")
    tap.check(time_held is not None and time_held > PATIENCE / 2, f"{name}: but not at once")
    peer.close()


def test_treeless(scene):
    ends(enter(scene), "a parent without a tree")
    scene.well("a parent without a tree")
    peer = planned(scene)
    tap.equal(held(peer, 3 * PATIENCE), None, "a parent with a tree stays")
    other = planned(scene, peer.incarnation, 2, sender=EVIL + 1)
    tap.check(peer.until(lambda: peer.stopped), "until another one has a newer one")
    tap.check(held(peer, 6 * PATIENCE, other) is not None, "then its lane ends")
    peer.close()
    tap.check(other.alive(), "and the other one stays")
    other.leave()
    scene.well("a parent whose place another one has taken")


def lanes(of):
    return sorted((lane["peer"], lane["direction"], lane["state"])
                  for lane in of.client.dump("lane-get"))


def test_other_plan(scene):
    """The root's new plan gives the leaf another parent."""
    scene.root.apply((1, 2), (1, 3))
    tap.check(until(20, lambda: lanes(scene.leaf) == [(1, "up", "ready")] and
                    lanes(scene.victim) == [(1, "up", "ready")]),
              "a parent that the plan does not name any more has no lane")
    tap.check(scene.honest(), "and is not missed")
    scene.root.apply((1, 2), (2, 3))
    scene.well("another plan and back")


def test_no_member(scene):
    tap.equal(lanes(scene.leaf), [(2, "up", "ready")], "the leaf has a parent")
    scene.leaf.client.do("group-set", id=GROUP, member=[1, 3])
    tap.check(until(20, lambda: not lanes(scene.leaf)), "which is expelled: its lane ends")
    tap.equal(scene.victim.listener.event(type="lane-refused", peer=3)["reject"], "member",
              "it is refused when it comes again")
    scene.leaf.client.do("group-set", id=GROUP, any_member=True)
    tap.check(until(20, lambda: lanes(scene.leaf) == [(2, "up", "ready")]), "and let in later")
    tap.check(until(20, scene.honest), "and broadcasts arrive")


def main():
    hbcnl.load_module()
    scene = Scene(dead_ms=DEAD_MS)
    tap.check(scene.honest(), "before: a broadcast arrives")
    test_treeless(scene)
    test_other_plan(scene)
    test_no_member(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
