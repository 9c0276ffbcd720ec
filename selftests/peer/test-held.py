#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""What the sessions of a group may hold at a node, each and all: attackers have the key."""

import itertools

from hbtest import hbcnl, node, tap, wire
from hbtest.node import GROUP
from hbtest.scene import EVIL, Scene

PORT = 8	# honest broadcasts go to another one
PIECES_MAX = 1 << 23	# of a message: 32 MiB of the bound that a session has, which is 64
PAGES = 32 << 10	# that a sender's bytes lie in, together
# All sessions have 393216 bytes together, and four of them 98304 each.
HOW = {"spool": 1 << 18, "window": 1 << 16}
PAYLOAD = 32000	# of a piece, which counts as 32016

numbers = itertools.count(1000)


def planned(scene, root, incarnation=None):
    """A lane with a tree in which the victim is alone."""
    peer = scene.attack()
    peer.incarnation = incarnation or peer.incarnation
    peer.enter(2, EVIL, root)
    peer.adopt([wire.tree_node(2)])
    return peer


def large():
    """Pieces take memory before they come, or more than what is in them."""
    return wire.message(next(numbers), 1000 * PIECES_MAX, PORT + 1, 1000, 1, wire.FILE,
                        name=b"large")


def test_one(scene):
    """The pieces of a session."""
    peer = planned(scene, EVIL)
    peer.send(large(), large())
    tap.check(peer.alive(), "as many pieces as may be")
    peer.send(large())
    tap.equal(peer.ended(), "end", "but no more of them")
    peer.close()
    planned(scene, EVIL, peer.incarnation).leave()
    scene.well("very many pieces")


class Fill:
    """A session whose file is not read, and of which pieces come."""

    def __init__(self, scene, root):
        self.scene = scene
        self.root = root
        self.number = next(numbers)
        self.sent = 0
        self.peer = planned(scene, root)
        self.peer.send(wire.message(self.number, 100 * PAYLOAD, PORT, PAYLOAD, 1, wire.FILE,
                                    name=b"fill"))

    def sends(self, pieces):
        """So many more: why they are not kept."""
        for _ in range(pieces):
            self.peer.send(wire.data(self.number, self.sent, bytes(PAYLOAD)))
            self.sent += 1
        tap.check(self.peer.alive(), f"{self.sent} pieces of root {self.root} have come")
        return self.scene.victim.client.do("store-get", group=GROUP, root=self.root,
                                           id=self.number)["reason"]

    def end(self):
        self.peer.leave()
        return node.Reader(self.scene.near).result()


def test_all(scene, when):
    """Pieces of three sessions, beside the honest one."""
    first, second, third = (Fill(scene, root) for root in (101, 102, 103))
    tap.equal([first.sends(5), second.sends(5)], ["none"] * 2, f"{when}: 320160 bytes are kept")
    tap.equal(third.sends(3), "none", f"{when}: a third session may have its share, 96048 more")
    tap.check(scene.honest(), f"{when}: an honest one goes on")
    tap.equal(third.sends(1), "spool", f"{when}: but the third has no more")
    tap.equal(third.peer.outcome(third.number), wire.SPOOL, f"{when}: and reports it")
    tap.equal(first.sends(2), "none", f"{when}: what it had goes: 384192 are kept")
    tap.equal(first.sends(1), "spool", f"{when}: that is all that there is")
    tap.check(scene.honest(), f"{when}: the honest one goes on")
    for fill in (first, second, third):
        tap.equal(fill.end(), "ECONNRESET", f"{when}: its reader is told")
    scene.well(f"{when}: what sessions hold")


def test_waste(scene):
    """Of each page that comes one fragment is of use: the bytes that it keeps count, too."""
    read, fragments = next(numbers), 16
    junk = wire.data(0, 0, bytes(1000)) * 40
    peer = planned(scene, EVIL)
    peer.send(wire.message(read, 1000 * (fragments + 1), PORT, 1000, fragments + 1, wire.FILE,
                           name=b"wasteful"),
              *(part + junk for part in wire.cut(read, bytes(1000 * fragments), 1000, 32)))
    tap.check(peer.alive(), "fragments that come one by one")
    memory = scene.victim.client.do("store-get", group=GROUP, root=EVIL, id=read)["memory"]
    tap.check(memory >= fragments * PAGES / 8, f"count as an eighth of what they keep: {memory}")
    peer.leave()
    tap.equal(node.Reader(scene.near).result(), "ECONNRESET", "and then the session ends")
    scene.well("fragments that come one by one")


def test_kinds(scene):
    """Short messages have the two windows for themselves."""
    reader = scene.victim.receiver(PORT + 2)
    fill = Fill(scene, EVIL)
    for _ in range(6):
        number = next(numbers)
        fill.peer.send(wire.message(number, PAYLOAD // 2, PORT + 2, PAYLOAD // 2, 1),
                       *wire.cut(number, bytes(PAYLOAD // 2), PAYLOAD // 2, 1))
    tap.equal(fill.sends(6), "none", "192096 bytes of a file beside 96096 of short messages")
    tap.equal(fill.sends(3), "spool", "but not 288144")
    tap.equal(fill.end(), "ECONNRESET", "and then the session ends")
    reader.close()
    scene.well("messages of both kinds")


def test_most(scene):
    """The largest number that there is."""
    scene.victim.client.do("group-set", id=GROUP, spool=(1 << 64) - 1)
    fill = Fill(scene, EVIL)
    tap.equal(fill.sends(20), "none", "a spool of nearly 2^64 holds 640320 bytes")
    tap.equal(fill.end(), "ECONNRESET", "and then the session ends")
    scene.well("a large spool")


def main():
    hbcnl.load_module()
    scene = Scene(dead_ms=2000 * tap.SLOWNESS, **HOW)
    scene.hear(PORT)
    tap.check(scene.honest(), "before: a broadcast arrives")
    test_one(scene)
    test_waste(scene)
    test_kinds(scene)
    # What was held is not counted any more.
    test_all(scene, "first")
    test_all(scene, "again")
    test_most(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
