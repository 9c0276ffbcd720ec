#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Nodes that are not reached, or cannot keep a file: others serve those below them."""

import contextlib
import os
import random
import select
import subprocess

from hbtest import hbcnl, node, tap, wire
from hbtest.node import GROUP, KEY, until
from hbtest.trees import (DEAD_MS, EVIL, MIB, RATE, SECONDS, Scene, carried, listen, parent,
                          rated)

PORT = 8	# honest broadcasts go to another one
LITTLE, ENOUGH = MIB, 64 * MIB
SIZE = 8 * MIB


def spool(scene, size, *numbers):
    for number in numbers:
        scene.nodes[number - 1].client.do("group-set", id=GROUP, spool=size)


def send(scene):
    content = os.urandom(MIB) * (SIZE // MIB)
    fd = os.memfd_create("content")
    os.write(fd, content)
    node.send_file(scene.sender, fd, len(content))
    os.close(fd)
    return content


def broadcast(scene, meanwhile=None):
    """Who has read all of a file, and what the root knows."""
    readers = {number: node.Reader(sock) for number, sock in zip((2, 3, 4), scene.receivers)}
    content = send(scene)
    if meanwhile:
        meanwhile()
    whole = [number for number, reader in readers.items()
             if reader.result() == "whole" and reader.got == content]
    scene.complete()
    return whole, node.completion(scene.sender)


def test_chain(scene):
    """Two in a row."""
    scene.root.apply((1, 2), (2, 3), (3, 4))
    spool(scene, LITTLE, 2, 3)
    tap.equal(broadcast(scene), ([4], {2: "spool", 3: "spool", 4: "delivered"}),
              "two in a chain have no room: who is below them gets all of a file")
    spool(scene, ENOUGH, 2, 3)
    tap.check(scene.broadcast(os.urandom(100000)), "short messages go on to all")
    tap.equal(broadcast(scene)[0], [2, 3, 4], "and so does the next file")


def test_slots(scene):
    """A relay of one tree of two."""
    trees = rated(1, 1, 1)[:2]
    scene.root.apply_trees(*trees)
    spool(scene, LITTLE, 2)
    tap.equal(broadcast(scene), ([3, 4], {2: "spool", 3: "delivered", 4: "delivered"}),
              "the relay of one tree of two has no room: the others get both trees' pieces")
    spool(scene, ENOUGH, 2)


def test_edge(scene):
    """An edge of one tree of two breaks, and both its ends live."""
    hole = "blackhole", "10.9.0.1"
    scene.root.apply_trees((RATE, ((1, 2), (2, 3), (3, 4))), (RATE, ((1, 3), (3, 4), (4, 2))))
    tap.equal(broadcast(scene, lambda: node.ip("-n", "n3", "route", "add", *hole)),
              ([2, 3, 4], {2: "delivered", 3: "delivered", 4: "delivered"}),
              "a node that one tree does not reach any more gets its part by the other one")
    tap.equal(broadcast(scene)[0], [2, 3, 4], "and of the next file, too")
    node.ip("-n", "n3", "route", "del", *hole)


def test_edge_at_root(scene):
    """The root is asked for what a tree brings no more: to others that tree brings it still."""
    hole = "blackhole", "10.9.0.2"
    scene.root.apply_trees((MIB, ((1, 2), (1, 3), (1, 4))), (MIB, ((1, 2), (2, 3), (3, 4))))
    node.ip("-n", "n3", "route", "add", *hole)
    tap.equal(broadcast(scene)[0], [2, 3, 4], "an edge breaks of which the root is the other parent")
    before = carried(scene.root)
    tap.equal(broadcast(scene)[0], [2, 3, 4], "the next file comes, too")
    share = (carried(scene.root) - before)[1] / SIZE
    tap.check(share > 0.4, f"a half of it along the tree that is broken, as planned: {share:.2f}")
    node.ip("-n", "n3", "route", "del", *hole)


def test_circle(scene):
    """A node has lost one tree, and who is asked has it from that node alone."""
    hole = "blackhole", "10.9.0.2"
    scene.root.apply_trees((RATE, ((1, 2), (1, 4), (4, 3))), (RATE, ((1, 2), (2, 3), (3, 4))))
    for away in "n3", "n4":
        node.ip("-n", away, "route", "add", *hole)
    tap.equal(broadcast(scene), ([2, 3, 4], {2: "delivered", 3: "delivered", 4: "delivered"}),
              "two nodes that ask each other get all of a file")
    for away in "n3", "n4":
        node.ip("-n", away, "route", "del", *hole)


def test_plan(scene):
    """A new plan gives children to one that has no room, in the middle of the file."""
    shape = ["tc", "-n", "switch", "qdisc", "add", "dev", "p4", "root", "tbf", "rate", "16mbit",
             "burst", "16kb", "latency", "50ms"]

    def change():
        event = scene.root.listener.event(type="plan-refused", epoch=epoch)
        tap.equal((event["node"], event["reject"]), ([2], "busy"), "the root is told who")
        scene.root.apply((1, 2), (2, 4), (1, 3))

    epoch = scene.root.apply((1, 2), (2, 3), (3, 4))
    spool(scene, LITTLE, 2)
    subprocess.run(shape, check=True)
    tap.equal(broadcast(scene, change),
              ([3, 4], {2: "spool", 3: "delivered", 4: "delivered"}),
              "one that has no room gets other children meanwhile: they have all of the file")
    subprocess.run([*shape[:4], "del", *shape[5:8]], check=True)
    spool(scene, ENOUGH, 2)


def greet(listener):
    child = wire.Child(listener.accept()[0], GROUP, KEY)
    child.enter_as(EVIL)
    return child


def adopted(listener, above):
    """The child, when those above it count as not reached; until then the parent is not silent."""
    if not until(SECONDS, lambda: above.alive() and select.select([listener], [], [], 0)[0]):
        raise TimeoutError
    return greet(listener)


def test_adopted(scene):
    """A node that has adopted the children of a dead one keeps them when its tree comes again."""
    nodes = [wire.tree_node(2, children=1), wire.tree_node(77, children=1),
             wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")]
    incarnation, content = random.getrandbits(63) + 1, bytes(range(200))
    with listen() as listener:
        above = parent(0, incarnation)
        above.tell(nodes)
        below = adopted(listener, above)
        below.settle()
        again = parent(0, incarnation, EVIL + 1)
        again.tell(nodes)
        above.until(lambda: above.stopped)
        above.send(wire.over())
        again.until(lambda: again.agreed)
        tap.check(below.alive() and below.alive() and below.over is None,
                  "a tree comes again by way of another parent: the adopted child stays")
        again.give(1, content, PORT)
        tap.equal(below.gets(1), content, "and gets what comes")
        again.leave()
        for each in above, below:
            each.close()


def test_row(scene):
    """Eight of a chain are away: the one behind them is reached before it loses patience. Of the
    first two each has a dead-interval, the next ones a half, a quarter, and an eighth each."""
    away = 8
    nodes = [wire.tree_node(2, children=1)]
    nodes += [wire.tree_node(70 + k, children=1) for k in range(away)]
    nodes += [wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")]
    with listen() as listener:
        above = parent(0, random.getrandbits(63) + 1)
        begin = node.time.monotonic()
        above.tell(nodes)
        below = adopted(listener, above)
        took = (node.time.monotonic() - begin) * 1000 / DEAD_MS
        tap.check(3.2 < took < 4, f"eight in a row take 3.25 dead-intervals: {took:.2f}")
        below.settle()
        above.leave()
        for each in above, below:
            each.close()


def test_asks(scene):
    """What such a node says: of itself alone that it fails, and who is to serve its child."""
    nodes = [wire.tree_node(2, children=1), wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")]
    spool(scene, 1 << 16, 2)
    above = parent(0, random.getrandbits(63) + 1)
    with listen() as listener, scene.members[0].receiver(PORT) as receiver:
        reader = node.Reader(receiver)
        above.tell(nodes)
        below = greet(listener)
        below.settle()
        above.until(lambda: above.agreed and 1 in above.connected)
        above.connected.clear()
        above.give(1, bytes(200000), PORT, kind=wire.FILE)
        above.until(lambda: 1 in above.connected)
        tap.equal(above.connected[1], (2, wire.BUSY), "a node without room does not take its part")
        tap.equal((above.outcome(1), reader.result()), (wire.SPOOL, "ECONNRESET"), "it fails")
        tap.check(above.alive() and above.alive() and (1, 1) not in above.outcomes,
                  "and says nothing of its child")
        tap.check(below.alive() and below.alive() and not below.lasts,
                  "to which it promises nothing, and which it keeps until it is told")
        above.tell([wire.tree_node(2)])
        below.send(wire.stop())
        below.until(lambda: below.over is not None)
        above.until(lambda: above.agreed and 1 in above.connected)
        tap.equal((above.connected[1], above.have.get(1)), ((0, 0), True),
                  "a leaf it can be, which wants no more of the file")
        above.tell(nodes)
        above.until(lambda: 1 in above.connected)
        tap.equal(above.connected[1], (2, wire.BUSY), "and no more than that")
        above.tell(nodes, 2)
        above.until(lambda: 2 in above.connected)
        tap.equal(above.connected[2], (2, wire.BUSY), "by another plan, too")
        above.send(wire.done(1, (1, 1)))
        above.tell(nodes, 3)
        below.close()
        below = greet(listener)
        below.until(lambda: below.epoch == 3)
        below.settle()
        above.until(lambda: 3 in above.connected)
        tap.equal(above.connected[3], (0, 0), "when the file is over it takes its part")
        above.leave()
        below.close()
    spool(scene, ENOUGH, 2)


def test_serves(scene):
    """What its parent makes of that."""
    with listen() as listener:
        epoch = scene.root.apply((1, 2), (1, EVIL), (EVIL, 3), (EVIL, 4), wait=False)
        child = greet(listener)
        tap.equal((child.until(lambda: child.epoch), len(child.nodes)), (epoch, 3),
                  "a relay is told whom it has below")
        child.send(wire.tree_ack(epoch, EVIL, wire.BUSY))
        child.until(lambda: not child.epoch)
        child.until(lambda: child.epoch)
        tap.equal((child.epoch, len(child.nodes)), (epoch, 1), "and when it refuses, nobody")
        child.settle()
        tap.check(until(SECONDS, lambda: scene.root.ready(epoch)), "all are connected")
        child.send(wire.tree_ack(epoch, EVIL, wire.BUSY))
        tap.check(child.alive() and scene.root.ready(epoch), "once more is no harm")
        content = os.urandom(100000)
        scene.sender.send(content)
        tap.equal([node.take_all(sock) for sock in scene.receivers], [content] * 3,
                  "those below it get what is sent")
        child.gets(child.begun())
        number = max(child.told)
        # As if these frames had been under way when the parent heard that it refuses.
        child.send(wire.lost(epoch, wire.NODE_DEAD, (1, 2)),
                   wire.report(epoch, (number, 1, 2, wire.SPOOL), (number, 0, 3, 0)),
                   wire.ack(epoch, number + 1))
        scene.complete()
        tap.equal((child.alive(), node.completion(scene.sender)),
                  (True, {2: "delivered", 3: "delivered", 4: "delivered", EVIL: "delivered"}),
                  "what it says of those who are not below it any more does not count")
    child.close()
    scene.root.apply((1, 2), (2, 3), (2, 4))
    scene.complete()


def try_always(scene, name, answer):
    """A relay that fails each time, after an answer or without one."""
    tries = 0
    with listen() as listener:
        epoch = scene.root.apply((1, 2), (1, EVIL), (EVIL, 3), (EVIL, 4), wait=False)
        content = os.urandom(100000)
        scene.sender.send(content)
        reader = node.Reader(scene.receivers[1])
        while reader.is_alive() and tries < 100:
            tries += 1
            with contextlib.closing(greet(listener)) as child:
                child.until(lambda: child.epoch)
                answer(child)
        tap.check(reader.result() == "whole" and reader.got == content,
                  f"{name}: those below it get what is sent")
        tap.check(tries < 20, f"{name}: before that it is tried a few times, not always: {tries}")
        for sock in scene.receivers[0], scene.receivers[2]:
            node.take_all(sock)
        tap.check(until(SECONDS, lambda: node.completion(scene.sender)[EVIL] == "node-dead"),
                  f"{name}: it counts as not reached")
        tap.check(not scene.root.ready(epoch), f"{name}: the root knows that one is missing")
        child = greet(listener)
        child.settle()
        tap.check(until(SECONDS, lambda: scene.root.ready(epoch)), f"{name}: it stays, and is back")
    child.close()
    scene.root.apply((1, 2), (2, 3), (2, 4))
    scene.complete()


def test_tries(scene):
    """One has no memory for its tree, and another one none for what comes then."""
    try_always(scene, "a relay without an answer", lambda child: None)
    try_always(scene, "a relay that answers", lambda child: child.settle())


def sessions(scene):
    """Members that have a part of the root's plan."""
    return [each.number for each in scene.members
            if any(part["root"] == 1 for part in each.client.dump("plan-get"))]


def test_without(scene):
    """Each is a parent of the others in one of the trees."""
    scene.root.apply_trees(*rated(1, 1, 1))
    tap.equal(sessions(scene), [2, 3, 4], "all members are in the plan")
    # More than one, and no member of the next plan: they have nobody but each other.
    scene.root.apply((1, 4))
    tap.check(until(SECONDS, lambda: sessions(scene) == [4]),
              f"members that the next plan leaves out forget the one before: {sessions(scene)}")
    scene.complete()


def test_root(scene):
    """So they are when the root goes."""
    scene.root.apply_trees(*rated(1, 1, 1))
    readers = [node.Reader(sock) for sock in scene.receivers]
    send(scene)
    tap.check(all(reader.begun.wait(SECONDS) for reader in readers), "all have some of a file")
    subprocess.run(["ip", "-n", "switch", "link", "set", "p1", "down"], check=True)
    tap.equal([reader.result() for reader in readers], ["ECONNRESET"] * 3,
              "the root goes for good: all receivers are told")
    tap.equal(sessions(scene), [], "and nothing is left of its plan")


def test_lost_first(scene):
    """That a node is lost is told before what it does not hold up any more: else its root takes
    it for one that is there and reports nothing."""
    nodes = [wire.tree_node(2, children=1), wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")]
    above = parent(0, random.getrandbits(63) + 1)
    above.tell(nodes)
    above.until(lambda: above.agreed)
    above.send(wire.message(1, 0, PORT))
    above.until(lambda: above.acked == (2, 0))
    tap.check((wire.DOWN, 1, 1) in above.lost, "who is lost is told, then what others have")
    above.leave()


def main():
    hbcnl.load_module()
    scene = Scene()
    node.plug(EVIL)
    scene.root.client.do("peer-new", id=EVIL, ipv4=f"10.9.0.{EVIL}")
    for test in test_adopted, test_row, test_chain, test_slots, test_edge, test_edge_at_root, \
            test_circle, test_plan, test_asks, test_serves, test_tries, test_lost_first, \
            test_without, test_root:
        test(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
