#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""A relay dies at any moment of its neighbours' looks: its children have another parent soon."""

import os
import time

from hbtest import hbcnl, node, tap
from hbtest.node import GROUP, KEY, until
from hbtest.trees import MIB, SECONDS, Scene

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


def away(scene):
    """Sends a file that node 3 reads; returns it when node 2 counts as not reached."""
    content = os.urandom(200000)
    fd = os.memfd_create("content")
    os.write(fd, content)
    node.send_file(scene.sender, fd, len(content))
    os.close(fd)
    tap.check(node.take_all(scene.receivers[1]) == content, "a member has the file")
    tap.check(until(SECONDS, lambda: node.completion(scene.sender)[2] == "node-dead"),
              "another one counts as not reached")
    return content


def has(scene, number):
    """Bytes of the last message that a node has, as the root tells."""
    client = scene.root.client
    last = max(message["id"] for message in client.dump("message-get"))
    members = client.do("message-get", group=GROUP, id=last)["member"]
    return next(member["bytes"] for member in members if member["node"] == number)


def test_leaf(scene, *plan):
    """A leaf is away: a file is over when all others have it, and not before. Who comes back in
    time gets it."""
    scene.root.apply(*plan)
    carrier(False)
    content = away(scene)
    tap.equal(node.completion(scene.sender)[4], "pending", "one has not read it yet")
    carrier(True)
    tap.check(node.take_all(scene.receivers[0]) == content, "one that is back in time gets it")
    node.take_all(scene.receivers[2])
    scene.complete()
    tap.equal(set(node.completion(scene.sender).values()), {"delivered"}, "as the root is told")
    carrier(False)
    for when in "before it is missed", "since":
        away(scene)
        node.take_all(scene.receivers[2])
        scene.complete()
        tap.equal(node.completion(scene.sender),
                  {2: "node-dead", 3: "delivered", 4: "delivered"}, f"what was sent {when} is over")
    tap.equal((has(scene, 2), has(scene, 3)), (0, 200000), "who is away has nothing of it")
    carrier(True)
    scene.root.listener.event(type="member-back")


def tells(scene, what, *nodes):
    """Whether the root's next such event is of these nodes."""
    return scene.root.listener.event(type=what)["node"] == list(nodes)


def who_is_lost(scene):
    return scene.root.client.dump("plan-get")[0].get("lost", [])


def test_anew(scene):
    """A relay has told who is lost below it, and begins anew: so does what it tells."""
    relay = scene.members[1]
    scene.root.apply((1, 3), (3, 2), (1, 4))
    carrier(False)
    tap.check(tells(scene, "member-lost", 2), "a relay tells who is lost")
    relay.client.do("group-del", id=GROUP)
    relay.client.do("group-new", id=GROUP, key=KEY, dead_ms=DEAD * 1000)
    carrier(True)
    tap.check(until(SECONDS, lambda: not who_is_lost(scene)), "one that begins anew, who is not")
    scene.receivers[1].close()
    scene.receivers[1] = relay.receiver()
    scene.root.listener.event(type="plan-ready")


def test_again(scene):
    """A plan comes while the first of a chain is away: it alone is lost, and is back."""
    scene.root.apply((1, 3), (1, 2), (1, 4))
    carrier(False)
    tap.check(tells(scene, "member-lost", 2), "one is lost")
    scene.root.apply((1, 2), (2, 3), (3, 4), wait=False)
    tap.check(tells(scene, "member-lost", 2), "by the next plan, too, and nobody else")
    scene.sender.send(b"to whom it may concern")
    for sock in scene.receivers[1:]:
        node.take_all(sock)
    scene.complete()
    tap.equal(node.completion(scene.sender), {2: "node-dead", 3: "delivered", 4: "delivered"},
              "those behind it are reached without it")
    carrier(True)
    tap.check(tells(scene, "member-back", 2), "it is back")
    tap.equal(who_is_lost(scene), [], "and nobody is lost then")


def test_same(scene):
    """The same plan again changes nothing, unless a relay has lost its children by now."""
    plan = (1, 3), (3, 2), (2, 4)
    epoch = scene.root.apply(*plan)
    tap.equal(scene.root.apply(*plan), epoch, "the same plan again is no other one")
    carrier(False)
    tap.check(tells(scene, "member-lost", 2), "a relay is lost")
    carrier(True)
    tap.check(tells(scene, "member-back", 2), "and is back")
    tap.equal(scene.root.apply(*plan), epoch + 1, "the same plan again makes it")
    part = [tree["nodes"] for tree in scene.members[0].client.dump("plan-get")]
    tap.equal(part, [2], "a relay")


def test_gone(scene):
    """A plan goes while a node is away: it does not become ready by that."""
    scene.root.apply((1, 2), (1, 3), (1, 4))
    carrier(False)
    tap.check(tells(scene, "member-lost", 2), "one is lost")
    with open(os.memfd_create("content"), "r+b", buffering=0) as file:
        file.truncate(MIB)
        node.send_file(scene.sender, file.fileno(), MIB)
    scene.root.client.do("plan-del", group=GROUP)
    carrier(True)
    epoch = scene.root.apply((1, 2), (1, 3), (1, 4), wait=False)
    tap.equal(scene.root.listener.event(type="plan-ready")["epoch"], epoch,
              "the next plan is ready, and the one that has gone was not")


def main():
    hbcnl.load_module()
    scene = Scene()
    scene.root.listener.sock.settimeout(SECONDS)
    for each in scene.nodes:
        # Who does not read meanwhile is not cut off.
        each.client.do("group-set", id=GROUP, dead_ms=DEAD * 1000, stall_ms=4 * DEAD * 1000)
    took = [death(scene, DEAD * (1 + phase / PHASES / 4)) for phase in range(PHASES)]
    print(f"# {took}")
    # What came last may be a look older than the death.
    tap.check(min(took) > DEAD * 3 / 4, "not before dead-interval is over")
    tap.check(max(took) < DEAD + 1, "a relay's children have another parent a second later")
    test_leaf(scene, (1, 2), (1, 3), (1, 4))
    test_leaf(scene, (1, 3), (3, 2), (3, 4))
    test_anew(scene)
    test_again(scene)
    test_same(scene)
    test_gone(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
