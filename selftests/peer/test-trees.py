#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Several trees at once, and what happens when one of them breaks."""

import contextlib
import os
import random
import threading

from hbtest import hbcnl, node, tap, wire
from hbtest.node import GROUP, KEY, tcp, until
from hbtest.trees import EVIL, MIB, SECONDS, TREES, Scene, carried, rated


def test_order(scene):
    """Messages of all sizes over all trees come in their order."""
    scene.root.apply_trees(*((0, tree) for tree in TREES))
    rng = random.Random(7)
    sent = [rng.randbytes(rng.choice((0, 1, 100, 1400, 70000, 300000))) for _ in range(150)]
    got = [[] for _ in scene.receivers]

    def read(sock, into):
        into.extend(node.take_all(sock) for _ in sent)

    threads = [threading.Thread(target=read, args=pair, daemon=True)
               for pair in zip(scene.receivers, got)]
    for thread in threads:
        thread.start()
    for data in sent:
        scene.sender.send(data)
    for thread in threads:
        thread.join(SECONDS)
    tap.check(got == [sent] * len(got), "150 messages of all sizes come in their order")


def test_cut(scene):
    """Lanes of every slot break, and nothing is lost."""
    scene.root.apply_trees(*rated(1, 1, 1))
    data = os.urandom(MIB) * 8

    def cut(readers):
        for k, (parent, child, slot) in enumerate(((1, 3, 1), (4, 2, 2), (2, 4, 0), (3, 2, 1))):
            until(SECONDS, lambda k=k: len(readers[0].got) > (k + 1) * len(data) // 6)
            scene.nodes[child - 1].cut(scene.nodes[parent - 1], slot=slot)

    tap.check(scene.broadcast(data, cut), "lanes of every tree break: all have all of it")


def test_plans(scene):
    """Trees come and go while messages are sent."""
    plans = [(rated(1, 1, 1)[:n], n) for n in (1, 3, 2, 1, 2, 3)]
    good = True
    for trees, count in plans * 2:
        epoch = scene.root.apply_trees(*trees, wait=False)
        good = scene.broadcast(os.urandom(100000)) and good
        good = until(SECONDS, lambda epoch=epoch: scene.root.ready(epoch)) and good
        good = until(SECONDS, lambda count=count: len(carried(scene.root)) == count) and good
    tap.check(good, "plans of one to three trees follow each other")


def test_dead(scene):
    """A relay dies: the others have all, and the sender knows who has not."""
    scene.root.apply_trees(*rated(1, 1, 1))
    victim, data = scene.members[2], os.urandom(MIB) * 8
    readers = [node.Reader(sock) for sock in scene.receivers]
    thread = threading.Thread(target=scene.sender.send, args=(data,))
    thread.start()
    until(SECONDS, lambda: len(readers[0].got) > len(data) // 4)
    node.ip("-n", "switch", "link", "set", f"p{victim.number}", "down")
    thread.join()
    results = [(reader.result(), bytes(reader.got) == data) for reader in readers[:2]]
    scene.complete()
    tap.equal((results, node.completion(scene.sender)),
              ([("whole", True)] * 2, {2: "delivered", 3: "delivered", 4: "node-dead"}),
              "a relay dies: the others have all of it")
    before = carried(scene.root)
    readers = [node.Reader(sock) for sock in scene.receivers[:2]]
    scene.sender.send(data)
    results = [reader.result() for reader in readers]
    after = carried(scene.root)
    tap.equal((results, after[2] - before[2] > MIB), (["whole"] * 2, True),
              "and where it was the first, its children are reached without it")
    node.ip("-n", "switch", "link", "set", f"p{victim.number}", "up")


def planned(scene, slots, epoch=1):
    """Lanes to node 2, which is a leaf in so many trees of the attacker's."""
    peers = []
    for slot in range(slots):
        peers.append(scene.lane(2, slot))
        peers[-1].send(wire.tree(epoch, [wire.tree_node(2, slots=(1 << slots) - 1)], slot=slot))
        peers[-1].wait(wire.TREE_ACK)
    return peers


def test_ends(scene):
    """What is missing is asked for when the end of blocks has come in every slot."""
    receiver, total = scene.members[0].receiver(8), 100
    first, second, third = planned(scene, 3)
    end = {"epoch": 1, "message": 1000, "total": total, "port": 8}
    first.send(wire.block_end(**end))
    second.send(wire.block_end(**end, slot=1))
    part = wire.fragment(1, 1000, 50, total, bytes(50), port=8, slot=2)
    third.send(part)
    tap.check(first.alive() and second.alive(), "in two of three slots an end has come")
    third.send(wire.block_end(**end, slot=2))
    tap.equal(first.lacks(1000), [(0, 50)], "the third one brought something, and then its end")
    for peer, slot in ((first, 0), (second, 1)):
        for turn in 2, 3, 4:
            peer.send(wire.block_end(**end, slot=slot, turn=turn))
    third.send(wire.block_end(**end, slot=2, turn=2))
    tap.equal(first.lacks(1000), [(0, 50)], "one that lags behind ends the round all the same")
    turn, asked = 5, []

    def ask():
        with contextlib.suppress(OSError, wire.Ended, wire.Silent):
            while True:
                asked.append(first.lacks(1000))

    threading.Thread(target=ask, daemon=True).start()
    while not asked and turn < 1000:
        first.send(wire.block_end(**end, turn=turn))
        turn += 1
        threading.Event().wait(0.1)
    tap.equal(asked[:1], [[(0, 50)]], "one that is silent does, too, after the dead interval")
    first.send(wire.fragment(1, 1000, 0, total, bytes(50), port=8, flags=wire.REPAIR))
    tap.equal(node.take_all(receiver), bytes(total), "and all is read")
    receiver.close()
    for peer in (first, second, third):
        peer.close()


class Answerer(threading.Thread):
    """A child of node 2 in slot 1 who reports there, where nobody does."""

    def __init__(self, listener):
        super().__init__(daemon=True)
        self.listener = listener
        self.said = None
        self.start()

    def run(self):
        sock, _ = self.listener.accept()
        sock.settimeout(SECONDS)
        child = wire.Child(sock, GROUP, KEY)
        child.enter_as(EVIL)
        child.wait(wire.TREE)
        child.send(wire.frame(wire.ACK, wire.ack(1, 77, (EVIL, 5, wire.DELIVERED, 0))[8:], slot=1))
        self.said = child.ended()
        sock.close()


def test_reports(scene):
    """Reports that come up another tree than the first end their lane."""
    with tcp(EVIL) as listener:
        listener.bind((f"10.9.0.{EVIL}", 7310))
        listener.listen()
        child = Answerer(listener)
        peer = scene.lane(2, 1)
        peer.send(wire.tree(1, [wire.tree_node(2, children=1, slots=3),
                                wire.tree_node(EVIL, slots=3, address=f"10.9.0.{EVIL}")], slot=1))
        child.join(SECONDS)
        tap.equal(child.said, "end", "who reports in another slot than the first is cut off")
        peer.close()


def main():
    hbcnl.load_module()
    scene = Scene()
    node.plug(EVIL)
    for test in test_order, test_cut, test_plans, test_ends, test_reports, test_dead:
        test(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
