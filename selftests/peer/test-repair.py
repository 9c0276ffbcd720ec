#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Lanes that break and come back: nobody misses anything."""

import contextlib
import json
import os
import subprocess
import tempfile
import threading

from hbtest import hbcnl, node, tap
from hbtest.node import until
from hbtest.scene import Scene

MIB = 1 << 20


def connects(member):
    """How often the lanes from that node have come up."""
    return sum(lane["connects"] for lane in member.client.dump("lane-get"))


@contextlib.contextmanager
def slow_link():
    """Of the root: what it sends takes as long on any machine."""
    where = ["dev", "eth0", "root"]
    subprocess.run(["tc", "-n", "n1", "qdisc", "add", *where, "tbf", "rate", "80mbit",
                    "burst", "64kb", "latency", "50ms"], check=True)
    yield
    subprocess.run(["tc", "-n", "n1", "qdisc", "del", *where], check=True)


def broken(scene, parent, child, data, times):
    """Sends data while the lane between them breaks, and once more when it has come back:
    whether all have it, what is known of it, and how often the lane came back."""
    before = connects(parent)
    readers = [node.Reader(sock) for sock in scene.readers]
    sender = threading.Thread(target=scene.sender.send, args=(data,))
    with slow_link():
        sender.start()
        for k in range(times):
            until(20, lambda: len(readers[0].got) > (k + 1) * len(data) // (times + 2)
                  and connects(parent) - before == k)
            tap.check(len(readers[0].got) < len(data), f"break {k + 1} is in the middle")
            child.cut(parent)
        sender.join()
    results = [(reader.result(), bytes(reader.got) == data) for reader in readers]
    node.wait_complete(scene.sender, 60)
    until(20, lambda: connects(parent) - before == times)
    return results, set(node.completion(scene.sender).values()), connects(parent) - before


def many(scene, parent, child):
    """The same while messages of 64 KiB follow one another: whether all have them in order."""
    sent = [os.urandom(64 << 10) for _ in range(64)]
    got = [[], []]

    def read(sock, into):
        into.extend(node.take_all(sock) for _ in sent)

    threads = [threading.Thread(target=read, args=pair, daemon=True)
               for pair in zip(scene.readers, got)]
    for thread in threads:
        thread.start()
    for k, data in enumerate(sent):
        if k % 16 == 8:
            child.cut(parent)
        scene.sender.send(data)
    for thread in threads:
        thread.join(60 * tap.SLOWNESS)
    return got == [sent, sent]


def late(scene):
    """A member that comes in the middle of a message in memory holds up nobody."""
    port = 9
    sender, near = scene.root.sender(port), scene.victim.receiver(port)
    scene.leaf.client.do("group-del", id=node.GROUP)
    lost = scene.root.listener.event(type="member-lost", group=node.GROUP)
    gate = threading.Event()
    reader = node.Reader(near, gate)
    data = os.urandom(MIB) * max(24 // tap.SLOWNESS, 12)
    thread = threading.Thread(target=sender.send, args=(data,))
    thread.start()
    reader.begun.wait()
    scene.leaf.client.do("group-new", id=node.GROUP, key=node.KEY, **scene.leaf.group)
    far = scene.leaf.receiver(port)
    joiner = node.Reader(far)
    scene.root.listener.event(type="member-back", group=node.GROUP)
    gate.set()
    tap.equal((reader.result(), bytes(reader.got) == data), ("whole", True),
              "the others have all of it")
    thread.join()
    node.wait_complete(sender, 20)
    tap.equal(node.completion(sender)[2], "delivered", f"it is complete, without node 3: {lost}")
    end = joiner.result()
    tap.check(end in ("ECONNRESET", "whole"), f"who came late has an end of it: {end}")
    for sock in sender, near, far:
        sock.close()


def received(number):
    """Bytes that have come to that node, whatever for."""
    told = subprocess.run(["ip", "-j", "-s", "-n", f"n{number}", "link", "show", "eth0"],
                          check=True, stdout=subprocess.PIPE)
    return json.loads(told.stdout)[0]["stats64"]["rx"]["bytes"]


def slow(scene):
    """On a slow link the repair does not wait until all that is new has gone."""
    size = 12 * MIB
    readers = [node.Reader(sock) for sock in scene.readers]
    came = -received(2)
    with slow_link(), tempfile.TemporaryFile() as file:
        file.write(os.urandom(MIB) * 12)
        file.flush()
        node.send_file(scene.sender, file.fileno(), size)
        until(20, lambda: len(readers[0].got) > MIB)
        scene.victim.cut(scene.root)
        tap.equal([reader.result() for reader in readers], ["whole"] * 2,
                  "a slow link breaks: all is read")
        node.wait_complete(scene.sender, 20)
    # What was queued at the root may come twice, and what came too early for the reader.
    came += received(2)
    tap.check(came < 3 * size // 2, f"{came} bytes have come for {size}")


def away(scene):
    """Who comes back after a long time does not read once more what he has read."""
    port = 10
    sender, near, far = (scene.root.sender(port), scene.victim.receiver(port),
                         scene.leaf.receiver(port))
    sender.send(b"first")
    tap.equal(node.take_all(far), b"first", "one member reads, and one does not")
    node.ip("-n", "switch", "link", "set", "p3", "down")
    until(60, lambda: not scene.leaf.client.dump("plan-get"))
    scene.root.listener.event(type="member-lost", group=node.GROUP)
    node.ip("-n", "switch", "link", "set", "p3", "up")
    scene.root.listener.event(type="member-back", group=node.GROUP)
    # It is told of the first message now.
    until(60, lambda: scene.leaf.drops()["stale"])
    tap.equal(node.take_all(near), b"first", "the other one reads")
    node.wait_complete(sender, 20)
    sender.send(b"second")
    tap.equal((node.take_all(near), node.take_all(far)), (b"second", b"second"),
              "nobody reads it once more")
    for sock in sender, near, far:
        sock.close()


def main():
    hbcnl.load_module()
    scene = Scene(dead_ms=2000 * tap.SLOWNESS, stall_ms=60000)
    tap.check(scene.honest(), "before: a broadcast arrives")
    for parent, child, name in ((scene.root, scene.victim, "the first lane"),
                                (scene.victim, scene.leaf, "the second lane")):
        data = os.urandom(MIB) * 16
        got, states, times = broken(scene, parent, child, data, 3)
        tap.equal(got, [("whole", True)] * 2, f"{name} breaks three times: all is read")
        tap.equal((states, times), ({"delivered"}, 3), "and reported")
        tap.check(scene.honest(), "and the next broadcast arrives")
        tap.check(many(scene, parent, child), "and so does each of many while it breaks")
    slow(scene)
    late(scene)
    away(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
