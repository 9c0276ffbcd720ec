#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 kcsan
"""A child that has the key and says what it cannot know, or nothing."""

import os
import socket
import struct

from hbtest import hbcnl, node, tap, wire
from hbtest.node import until
from hbtest.scene import EVIL, Scene
from hbtest.trees import listen

MEMBER = 4
PORT = 8	# honest broadcasts go to another one
LATE = 20 * tap.SLOWNESS	# seconds
STALL_MS = 1000 * tap.SLOWNESS
WINDOW = 1 << 16	# bytes of short messages under way
UNREAD = 256	# messages on a receiver's queue
SO_RCVBUFFORCE = 33
PEERS = {9: "10.9.0.9"}
CONTENT = b"what the others say " * 100


def drops(scene):
    return [each.drops()["stale"] for each in (scene.root, scene.victim)]


def connected(listener):
    """The next connection that comes to the end of its handshake."""
    while True:
        child = wire.Child(listener.accept()[0], node.GROUP, node.KEY)
        try:
            tap.check(child.enter_as(EVIL), "the parent has proved itself")
            child.settle()
            return child
        except wire.Ended:
            # The parent of the plan before had not given up yet.
            child.close()


def enter(scene, listener, parent, others=((1, 2), (2, 3))):
    """The evil child of @parent in a new plan, when all are connected."""
    epoch = scene.root.apply(*others, (parent, EVIL), wait=False)
    child = connected(listener)
    while child.epoch != epoch:
        child.close()
        child = connected(listener)
    tap.check(until(20, lambda: scene.root.ready(epoch)), "a child that lies is connected")
    return child


def refused(scene, listener, parent):
    """What ends the lane, whatever it is about."""
    child = enter(scene, listener, parent)
    scene.sender.send(CONTENT)
    number = child.begun()
    about = {
        "a short message that was not sent": wire.ack(number + 2, epoch=child.epoch),
        "a file that was not sent": wire.arrived(number + 1, 1, child.epoch),
        "a file that is none": wire.arrived(number, 1, child.epoch),
        "an unknown reason": wire.report(child.epoch, (number, 0, 1, 13)),
        "PLAN": wire.plan(child.epoch + 1),
        "TREE": wire.tree(child.epoch, [wire.tree_node(1)]),
        "MESSAGE": wire.message(number + 1, 5),
        "DATA": wire.data(number, 0, b"what"),
        "LAST": wire.last(number),
        "DONE": wire.done(number + 1, (1, number)),
        "OVER": wire.over(wire.OVER_ALL),
        "HELLO": wire.hello(node.GROUP, EVIL, 2, EVIL),
    }
    for name, frame in about.items():
        child.send(frame)
        tap.equal(child.ended(), "end", f"of {parent}: refused: {name}")
        child.close()
        child = connected(listener)
    tap.equal(node.completion(scene.sender), {2: "pending", 3: "pending", EVIL: "pending"},
              "and nothing of it counts")
    return child, number


def stale(scene, child, parent, number, counted):
    """What may have been so once is dropped, and counted where it arrives."""
    child.until(lambda: number in child.told)
    before = drops(scene)
    child.send(wire.report(child.epoch + 99, (number, 0, 1, wire.CHECKSUM)),
               wire.report(child.epoch, (number + 5, 0, 1, 0), (1 << 40, 0, 1, 0)),
               # It may have had others below it.
               wire.report(child.epoch, (number, 1, 1, 0), (number, 4095, 1, 0)),
               wire.lost(child.epoch, wire.NODE_DEAD, (1, 4095)),
               wire.want(number + 5, (0, 1)), wire.tree_ack(child.epoch + 99))
    tap.check(child.alive(), f"of {parent}: what is not known does not end the lane")
    tap.equal([now - then for now, then in zip(drops(scene), before)], counted,
              "it is counted where it arrives")
    child.send(wire.have(number + 5, (0, 3)), wire.have(number, (77, 1 << 30)),
               wire.want(number, (77, 1 << 30)), wire.ack(0, 1 << 63, child.epoch))
    tap.check(child.alive(), "and pieces that there are not are no harm")


def tells(scene, child, number):
    """What it says of itself counts; the first word does."""
    tap.equal(child.gets(number), CONTENT, "it gets the message all the same")
    child.send(wire.want(number, (0, 1)))
    got = len(child.told[number].order)
    child.until(lambda: len(child.told[number].order) > got)
    tap.equal(child.told[number].order[got], 0, "what it asks for once more comes again")
    child.send(wire.report(child.epoch, (number, 0, 1, wire.CLOSED)),
               wire.report(child.epoch, (number, 0, 1, wire.DELIVERED)), wire.ack(number + 1, epoch=child.epoch),
               wire.ack(number, epoch=child.epoch))
    tap.check(until(20, lambda: node.completion(scene.sender)[EVIL] != "pending"),
              "what it says of itself reaches the root")
    tap.equal(node.completion(scene.sender), {2: "pending", 3: "pending", EVIL: "closed"},
              "and the first word counts")
    for reader in scene.readers:
        tap.check(node.take_all(reader) == CONTENT, "the others read it")
    node.wait_complete(scene.sender, 20)
    tap.equal(node.completion(scene.sender), {2: "delivered", 3: "delivered", EVIL: "closed"},
              "all have it")
    child.until(lambda: child.done and child.done[0] == number + 1 and
                child.done[1] == [(1, number)])
    tap.check(child.alive(), "which is told to the child")
    child.close()


def says_nothing(scene, listener):
    """Reads all that comes, and acknowledges nothing: its parent cuts it off, for the
    others wait."""
    for each in scene.nodes:
        each.client.do("group-set", id=node.GROUP, stall_ms=STALL_MS)
    child = enter(scene, listener, 1)
    listener.close()
    count = 3 * WINDOW // len(CONTENT)
    for _ in range(count):
        scene.sender.send(CONTENT)
        for reader in scene.readers:
            assert node.take_all(reader) == CONTENT
    tap.equal(child.ended(), "end", "who acknowledges nothing is cut off")
    tap.check(0 < len(child.told) < count, "when the window is full of what it has not")
    node.wait_complete(scene.sender, 60 * tap.SLOWNESS)
    tap.equal(node.completion(scene.sender), {2: "delivered", 3: "delivered", EVIL: "node-dead"},
              "and the others have all")
    child.close()


def reports_nothing(scene, listener):
    """Acknowledges all messages and reports on none: those that no receiver can have on its
    queue any more fail there."""
    child = enter(scene, listener, 1)
    scene.sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", LATE, 0))
    for _ in range(3 * UNREAD):
        scene.sender.send(b"small")
        number = node.last_message(scene.sender)
        child.until(lambda: number in child.told)
        child.send(wire.ack(number + 1, epoch=child.epoch))
        for reader in scene.readers:
            assert node.take_all(reader) == b"small"
    late = {2: "delivered", 3: "delivered", EVIL: "stalled"}
    tap.check(until(LATE, lambda: node.completion(scene.sender, number - UNREAD) == late),
              "who reports nothing does not hold up the sender")
    tap.equal(node.completion(scene.sender, number - UNREAD + 1), late | {EVIL: "pending"},
              "and fails after as many messages as a receiver may have")
    child.close()


def reads_late(scene):
    """A reader that has all that it may on its queue has all the time it likes."""
    scene.root.apply((1, 2), (2, 3))
    early, late = scene.readers
    late.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    first = node.last_message(scene.sender) + 1
    for _ in range(UNREAD):
        scene.sender.send(b"small")
        assert node.take_all(early) == b"small"
    tap.check(until(LATE, lambda: not any(store["memory"] for store in
                                        scene.root.client.dump("store-get"))),
              "all messages are on the queue of one who does not read")
    tap.equal(node.completion(scene.sender, first), {2: "delivered", 3: "pending"},
              "which is awaited")
    assert node.take_all(late) == b"small"
    tap.check(until(20, lambda: node.completion(scene.sender, first)[3] == "delivered"),
              "and reads the first one")
    tap.check(all(node.take_all(late) == b"small" for _ in range(UNREAD - 1)), "and all others")
    node.wait_complete(scene.sender, 20)
    tap.equal([set(node.completion(scene.sender, first + i).values())
               for i in range(UNREAD - 64, UNREAD)], [{"delivered"}] * 64, "as the sender knows")


def tells_in_time(scene):
    """What became of a message is told before more behind it than a receiver may have."""
    count, good = 3 * UNREAD, True
    peer = scene.attack()
    tap.check(peer.enter(2, EVIL, EVIL), "a parent")
    peer.adopt([wire.tree_node(2)])
    peer.send(*(wire.message(number, 0, PORT) for number in range(1, count + 1)))
    while (peer.acked or (0,))[0] <= count:
        peer.hear()
        told = next(n for n in range(1, count + 2) if (n, 0) not in peer.outcomes)
        good = good and (peer.acked or (0,))[0] <= told + UNREAD
    tap.check(good, "what became of a message is told before too many are acknowledged")
    peer.leave()


def greeted(listener, parent):
    """The next connection that greets as the @parent; that of an older plan may come, too."""
    while True:
        child = wire.Child(listener.accept()[0], node.GROUP, node.KEY)
        try:
            if int.from_bytes(child.wait(wire.HELLO)[4:8], "big") == parent:
                return child
        except wire.Ended:
            pass
        child.close()


def refuses(scene, listener):
    """A child that says why it refuses, and is gone before anybody can have read it."""
    epoch = scene.root.apply((1, 2), (2, 3), (1, EVIL), wait=False)
    child = greeted(listener, 1)
    child.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # What the parent does on this processor waits until the reset is there, too.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    child.send(wire.frame(wire.REJECT, struct.pack(">HH", wire.BUSY, 0)))
    child.close()
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    tap.equal(scene.root.listener.event(type="lane-refused", peer=EVIL)["reject"], "busy",
              "a child that refuses in haste: the parent learns why")
    event = scene.root.listener.event(type="plan-refused", epoch=epoch)
    tap.equal((event["node"], event["reject"]), ([EVIL], "busy"), "and the plan is refused")


def greeted_child(listener, epoch):
    """A child that has heard its tree of that epoch, and has said nothing."""
    while True:
        child = wire.Child(listener.accept()[0], node.GROUP, node.KEY)
        try:
            child.enter_as(EVIL)
            if child.until(lambda child=child: child.epoch) == epoch:
                return child
        except wire.Ended:
            pass
        child.close()


def refuses_below(scene, listener):
    """A child that tells why somebody below it is not connected."""
    epoch = scene.root.apply((1, 2), (2, 3), (2, EVIL), wait=False)
    child = greeted_child(listener, epoch)
    child.send(wire.tree_ack(epoch, 77, MEMBER))
    event = scene.root.listener.event(type="plan-refused", epoch=epoch)
    tap.equal((event["node"], event["reject"]), ([77], "member"),
              "a relay hands on who refused")
    tap.check(not scene.root.ready(epoch), "and the plan is not ready")
    child.send(wire.tree_ack(epoch))
    tap.check(until(20, lambda: scene.root.ready(epoch)), "until all are connected")
    child.close()


def main():
    hbcnl.load_module()
    # Longer than all that is refused takes: connections that are soon over count as none.
    scene = Scene(dead_ms=60000 * tap.SLOWNESS, window=WINDOW)
    scene.root.client.do("peer-new", id=EVIL, ipv4=PEERS[EVIL])
    tap.check(scene.honest(), "before: a broadcast arrives")
    listener = listen()
    for parent, counted in (1, [7, 0]), (2, [0, 7]):
        child, number = refused(scene, listener, parent)
        stale(scene, child, parent, number, counted)
        tells(scene, child, number)
    tells_in_time(scene)
    reports_nothing(scene, listener)
    reads_late(scene)
    refuses(scene, listener)
    refuses_below(scene, listener)
    says_nothing(scene, listener)
    scene.root.apply((1, 2), (2, 3))
    scene.well("a child that lies")
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
