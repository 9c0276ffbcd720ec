#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 kcsan
"""A child that has the key and reports on nodes that are not below it."""

import os
import socket
import struct
import time

from hbtest import hbcnl, node, tap, wire
from hbtest.node import until
from hbtest.scene import EVIL, Scene

NODE_DEAD = 6
DOWN = 1
BUSY = 5
ASKED = 32	# messages at once
PEERS = {9: "10.9.0.9"}


def listen():
    sock = node.tcp(EVIL)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.settimeout(20)
    sock.bind((PEERS[EVIL], 7310))
    sock.listen()
    return sock


def drops(scene):
    return [each.drops()["stale"] for each in (scene.root, scene.victim)]


def enter(scene, listener, parent, others=((1, 2), (2, 3))):
    """The evil child of @parent in a new plan; its epoch."""
    epoch = scene.root.apply(*others, (parent, EVIL), wait=False)
    while True:
        child = wire.Child(listener.accept()[0], node.GROUP, node.KEY)
        try:
            known = child.enter_as(EVIL)
            child.wait(wire.TREE)
            break
        except wire.Ended:
            # The parent of the plan before had not given up yet.
            child.close()
    tap.check(known, "a child that lies is connected")
    return child, epoch


def lies(scene, child, counted, name):
    """Says of a message that 2 and 3 have failed and have it, before they read it."""
    before = drops(scene)
    data = b"what the others say " * 100
    scene.sender.send(data)
    epoch, message = child.begun()
    for other in 2, 3, 77:
        child.send(wire.ack(epoch, message, (other, 0, wire.FAILED, wire.CHECKSUM)))
        child.send(wire.lost(epoch, NODE_DEAD, other, flags=DOWN))
        child.send(wire.nack(epoch + 99, message, (0, 1)))
    child.send(wire.ack(epoch, message, (2, len(data), wire.DELIVERED, 0),
                        (EVIL, len(data), wire.DELIVERED, 0)))
    tap.check(child.alive(), f"{name}: lies do not end the lane")
    # What it says of itself comes last, and takes its time to the root.
    until(20, lambda: node.completion(scene.sender)[EVIL] != "pending")
    tap.equal(node.completion(scene.sender), {2: "pending", 3: "pending", EVIL: "delivered"},
              f"{name}: they change nothing, what it says of itself counts")
    for reader in scene.readers:
        tap.check(node.take_all(reader) == data, f"{name}: the others read it")
    node.wait_complete(scene.sender, 20)
    tap.equal(set(node.completion(scene.sender).values()), {"delivered"},
              f"{name}: all have it")
    tap.equal([now - then for now, then in zip(drops(scene), before)], counted,
              f"{name}: the lies are counted where they arrive")


def asks(scene, child):
    """Lacks a message of which the root has not told yet."""
    data = b"what was not heard " * 100
    scene.sender.send(data)
    begun = child.begun()
    child.send(wire.nack(*begun, (0, 1)))
    tap.equal(child.begun(), begun, "what is asked for at once comes again")
    child.send(wire.ack(*begun, (EVIL, len(data), wire.DELIVERED, 0)))
    tap.equal([node.take_all(reader) for reader in scene.readers], [data] * 2,
              "the others have it once")
    node.wait_complete(scene.sender, 20)


def asked_about(child, sender, seconds, answer, more=200):
    """After more messages those that the child is asked about, at most for that time, or
    until they are 200."""
    for number in range(more):
        sender.send(b"is there anybody %d" % number)
    asked, end = set(), time.monotonic() + seconds
    while len(asked) < 200 and time.monotonic() < end:
        kind, _, body = child.read()
        if kind == wire.PING:
            child.send(wire.frame(wire.PONG, body))
        elif kind == wire.BLOCK_END:
            message, _, bytes_sent = struct.unpack_from(">QQQ", body, 8)
            asked.add(message)
            answer(message, bytes_sent)
    return asked


def says_nothing(scene, listener):
    """Reads all that comes, and answers nothing: it is asked about few of many messages,
    and after a while about others."""
    child, _ = enter(scene, listener, 1, others=())

    def lives(_message, _bytes):
        """Who is never heard of is taken for dead."""
        child.send(wire.frame(wire.PONG, bytes(8)))

    with scene.root.sender(12) as sender:
        asked = asked_about(child, sender, 6, lives)
        tap.check(0 < len(asked) <= ASKED, f"who says nothing is asked about {len(asked)} of 200")
        asked |= asked_about(child, sender, 12, lives, more=0)
        tap.check(ASKED < len(asked) < 200, f"and later about others, {len(asked)} in all")
        child.close()
        node.wait_complete(sender, 60 * tap.SLOWNESS)


def has_all(scene, listener):
    """Says that it has all of each message, not that somebody read it: it is asked about
    all of them, some as soon as it has answered about others."""
    child, epoch = enter(scene, listener, 1, others=())
    with scene.root.sender(13) as sender:
        asked = asked_about(child, sender, 20 * tap.SLOWNESS, lambda message, bytes_sent:
                            child.send(wire.block_ack(epoch, message, bytes_sent)))
        tap.equal(len(asked), 200, "who answers is asked about all")
        child.close()
        node.wait_complete(sender, 60 * tap.SLOWNESS)


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
    scene.root.apply((1, 2), (2, 3), (1, EVIL), wait=False)
    child = greeted(listener, 1)
    child.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # What the parent does on this processor waits until the reset is there, too.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    child.send(wire.frame(wire.REJECT, struct.pack(">HH", BUSY, 0)))
    child.close()
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    tap.equal(scene.root.listener.event(type="lane-refused", peer=EVIL)["reject"], "busy",
              "a child that refuses in haste: the parent learns why")


def main():
    hbcnl.load_module()
    scene = Scene(dead_ms=5000)
    scene.root.client.do("peer-new", id=EVIL, ipv4=PEERS[EVIL])
    tap.check(scene.honest(), "before: a broadcast arrives")
    listener = listen()
    child, _ = enter(scene, listener, 1)
    lies(scene, child, [10, 0], "below the root")
    asks(scene, child)
    child.close()
    says_nothing(scene, listener)
    has_all(scene, listener)
    child, _ = enter(scene, listener, 1)
    before = drops(scene)[0]
    child.send(wire.lost(99, NODE_DEAD, EVIL, flags=DOWN))
    child.send(wire.ack(99, 1, (EVIL, 0, wire.DELIVERED, 0)))
    child.send(wire.nack(99, 1, (0, 1)) + wire.block_ack(99, 1, 1))
    tap.check(child.alive(), "an epoch that is unknown, too")
    tap.equal(drops(scene)[0] - before, 4, "and is counted")
    child.close()
    child, _ = enter(scene, listener, 2)
    lies(scene, child, [0, 10], "below a relay")
    child.close()
    refuses(scene, listener)
    listener.close()
    scene.root.apply((1, 2), (2, 3))
    scene.well("a child that lies")
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
