#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 kcsan
"""Reports go up the tree of their message, whichever parent came last."""

from hbtest import hbcnl, node, tap, wire
from hbtest.scene import EVIL, Scene

PORT = 8	# honest broadcasts go to another one
OTHER = 8	# another parent, who has the same root
DATA = b"a message of a tree"


def tree(epoch):
    """The victim and its child, the leaf."""
    return wire.tree(epoch, [wire.tree_node(2, children=1),
                             wire.tree_node(3, address="10.9.0.3")])


def parent(scene, number, epoch):
    """A parent of the victim in a tree of that epoch."""
    peer = scene.attack()
    peer.enter(2, number, EVIL)
    peer.send(tree(epoch))
    peer.wait(wire.TREE_ACK)
    return peer


def reported(peer, *numbers):
    """Whether both nodes have told this parent that they have the messages."""
    want = {(number, each, len(DATA), wire.DELIVERED, 0) for number in numbers for each in (2, 3)}
    found = set()
    try:
        for report in peer.reports():
            found.add(report)
            if found >= want:
                break
    except wire.Silent:
        pass
    return found == want


def main():
    hbcnl.load_module()
    scene = Scene(dead_ms=4000)
    near, far = scene.victim.receiver(PORT), scene.leaf.receiver(PORT)
    old, new = parent(scene, EVIL, 1), parent(scene, OTHER, 2)
    for peer, epoch, number, name in ((old, 1, 100, "the parent before"),
                                      (new, 2, 200, "the newest parent"),
                                      (old, 1, 101, "the parent before, again")):
        peer.send(wire.fragment(epoch, number, 0, len(DATA), DATA, port=PORT))
        tap.equal((node.take_all(near), node.take_all(far)), (DATA, DATA),
                  f"{name}: its message arrives")
        tap.check(reported(peer, number), f"{name}: it is told so")
    # What was read while its parent was away is nobody's concern any more.
    old.send(wire.fragment(1, 102, 0, len(DATA), DATA, port=PORT))
    tap.equal(node.take_all(far), DATA, "a message that only one node reads")
    old.close()
    tap.equal(node.take_all(near), DATA, "the other reads it when its parent has gone")
    new.send(wire.fragment(2, 201, 0, len(DATA), DATA, port=PORT))
    tap.equal((node.take_all(near), node.take_all(far)), (DATA, DATA),
              "and what the other parent sends")
    tap.check(reported(new, 201), "who hears of that alone")
    # Reports of two epochs wait on the same lane.
    new.send(tree(3))
    new.wait(wire.TREE_ACK)
    frames = {number: wire.fragment(2 + number % 2, number, 0, len(DATA), DATA, port=PORT)
              for number in range(300, 320)}
    new.send(b"".join(frames.values()))
    tap.check(all(node.take_all(each) == DATA for each in (near, far) for _ in frames),
              "twenty messages of two plans arrive")
    tap.check(reported(new, *frames), "and are reported")
    tap.equal({number: new.epochs[number] for number in frames},
              {number: 2 + number % 2 for number in frames}, "as of their plans")
    new.close()
    near.close()
    far.close()
    scene.well("two parents")
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
