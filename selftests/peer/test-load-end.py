#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=500 kcsan
"""Ends of all kinds in the middle of a broadcast: what was accepted is accounted for.

A plan's rate lets a file take some seconds. Readers stop after their first piece until a
gate opens: the file is then in the middle on its way, and at every reader.
"""

import os
import signal
import subprocess
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.node import GROUP, Node, Reader, until

SIZE = 6 << 20
RATE = 3 << 20	# bytes/s
MEMBERS = (2, 3, 4)
CHAIN = ((1, 2), (2, 3), (3, 4))
FORK = ((1, 2), (2, 3), (2, 4))
SETTINGS = {"dead_ms": 5000, "stall_ms": 10000}
LOST = {"lane-lost", "node-dead"}

short = os.urandom(1 << 20)
data = short * (SIZE >> 20)


class Broadcast:
    """One file on its way from node 1, with a reader at each member."""

    def __init__(self, scene, members=MEMBERS):
        self.gate = threading.Event()
        self.sender = scene[1].sender()
        self.readers = {number: Reader(scene[number].receiver(), self.gate)
                        for number in members}
        node.send_file(self.sender, scene.file, SIZE)

    def begun(self):
        """All are in the middle of it."""
        return all(reader.begun.wait(60) for reader in self.readers.values())

    def finish(self):
        """Opens the gate: {member: how its reader ended}, {member: what the root knows}."""
        self.gate.set()
        node.wait_complete(self.sender, 60)
        known = node.completion(self.sender)
        read = {number: reader.result() for number, reader in self.readers.items()}
        self.close()
        return read, known

    def right(self, *members):
        """These have read all of it, as it was."""
        return all(self.readers[number].got == data for number in members)

    def close(self):
        self.sender.close()
        for reader in self.readers.values():
            reader.sock.close()


class Scene(dict):
    """Four nodes, of which the first sends."""

    def __init__(self):
        super().__init__()
        node.switch()
        for number in (1,) + MEMBERS:
            self[number] = Node(number, **SETTINGS)
        self[1].know(self.values())
        self.file = os.memfd_create("message")
        os.write(self.file, data)

    def apply(self, *edges, wait=True):
        """The plan; ready, with members back that were lost."""
        self[1].apply_trees((RATE, edges), wait=wait)

    def revive(self, number):
        """A node whose namespace was deleted."""
        self.wait_for_end(number)
        self[number] = Node(number, **SETTINGS)
        if number == 1:
            self[1].know(self.values())

    def delete(self, number):
        self[number].forget()
        subprocess.run(["ip", "netns", "del", f"n{number}"], check=True)

    @staticmethod
    def wait_for_end(number):
        """A namespace ends some time after it was deleted, and its link with it."""
        if not until(60, lambda: node.unplugged(number)):
            raise TimeoutError(f"the link of n{number} does not go")

    def tell(self):
        """Which lanes broke, for whoever looks for the reason."""
        for number, each in self.items():
            for event in each.waiting():
                if event["type"] == "lane-down":
                    print(f"# node {number}, {event['direction']} to {event['peer']}: "
                          f"errno {event['error']}")

    def well(self, what, edges=CHAIN):
        """The next message arrives everywhere."""
        self.apply(*edges)
        for each in self.values():
            each.waiting()
        cast = Broadcast(self)
        cast.gate.set()
        read, known = cast.finish()
        if not tap.equal((set(read.values()), set(known.values())), ({"whole"}, {"delivered"}),
                         f"{what}: the next message arrives"):
            self.tell()
        tap.check(cast.right(*MEMBERS), f"{what}: as it was sent")


def test_sender_killed(scene):
    """Messages of a sender that is killed while it waits for room: those that were accepted
    are whole, and of the others nothing comes."""
    receivers = {number: scene[number].receiver() for number in MEMBERS}
    sender = scene[1].sender()
    sender.send(b"the first")
    first = node.last_message(sender)
    child = os.fork()
    if not child:
        while True:
            sender.send(short)

    def waits():
        """It sleeps, and has accepted what the readers have no room for."""
        with open(f"/proc/{child}/stat", encoding="ascii") as file:
            return file.read().split()[2] == "S" and node.last_message(sender) > first + 1

    tap.check(until(60, waits), "a sender waits for room")
    os.kill(child, signal.SIGKILL)
    tap.equal(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), -signal.SIGKILL,
              "it is killed")
    count = node.last_message(sender) - first
    sender.close()
    expected = [b"the first"] + count * [short]
    tap.check(all([node.take_all(sock) for _ in expected] == expected
                  for sock in receivers.values()), f"{count} messages that were accepted are read")
    with scene[1].sender() as other:
        other.send(b"the last")
        tap.equal({node.take_all(sock) for sock in receivers.values()}, {b"the last"},
                  "and no more")
        node.wait_complete(other, 60)
    for sock in receivers.values():
        sock.close()
    scene.well("sender killed")


def test_receiver_killed(scene):
    """A process that reads is killed: its node has failed, the others have it all."""
    sock = scene[3].receiver()
    ready, begun = os.pipe()
    child = os.fork()
    if not child:
        node.take(sock)
        os.write(begun, b"x")
        signal.pause()
    sock.close()
    cast = Broadcast(scene, (2, 4))
    os.read(ready, 1)
    tap.check(cast.begun(), "all are in the middle")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    read, known = cast.finish()
    tap.equal(known, {2: "delivered", 3: "closed", 4: "delivered"}, "a receiver is killed")
    tap.check(set(read.values()) == {"whole"} and cast.right(2, 4), "the others have it all")
    scene.well("receiver killed")


def test_stalled(scene):
    """One that never reads is cut off; both its node and the root are told."""
    idle = scene[3].receiver()
    cast = Broadcast(scene, (2, 4))
    tap.check(cast.begun(), "all are in the middle")
    read, known = cast.finish()
    tap.equal(known, {2: "delivered", 3: "stalled", 4: "delivered"}, "one does not read")
    tap.check(set(read.values()) == {"whole"} and cast.right(2, 4), "the others have it all")
    event = scene[3].listener.event(type="receiver-stalled")
    tap.equal((event["group"], event["port"]), (GROUP, node.PORT), "its node says so")
    idle.close()
    scene.well("receiver stalled")


def test_namespace(scene, number, what, served):
    """A node's namespace is deleted; no process of it is left to hold it."""
    members = tuple(m for m in MEMBERS if m != number)
    scene.apply(*FORK)
    cast = Broadcast(scene, members)
    tap.check(cast.begun(), "all are in the middle")
    scene.delete(number)
    read, known = cast.finish()
    lost = set(MEMBERS) - set(served)
    tap.check(all(known[m] == "delivered" and read[m] == "whole" for m in served)
              and cast.right(*served), f"{what} is deleted: {served} have it all")
    tap.check(all(known[m] in LOST | {"no-receiver"} for m in lost),
              f"the root knows why {lost} have not: {known}")
    tap.check(all(read[m] == "ECONNRESET" for m in lost if m in read), "they are told")
    scene.revive(number)
    scene.well(f"{what} deleted")


def test_root_deleted(scene):
    """The root's namespace goes while the kernel sends by itself."""
    cast = Broadcast(scene)
    tap.check(cast.begun(), "all are in the middle")
    cast.sender.close()
    # One without a plan goes after some of them, and each waits for the one above.
    for m in MEMBERS:
        scene[m].client.do("group-set", id=GROUP, dead_ms=1000)
    scene.delete(1)
    cast.gate.set()
    tap.equal({reader.result() for reader in cast.readers.values()}, {"ECONNRESET"},
              "the root is deleted: all are told")
    cast.close()
    tap.check(until(60, lambda: not any(scene[m].info()["lanes"] for m in MEMBERS)),
              "no lane is left")
    for m in MEMBERS:
        scene[m].client.do("group-set", id=GROUP, dead_ms=SETTINGS["dead_ms"])
    scene.revive(1)
    scene.well("root deleted")


def test_configuration(scene):
    """The administrator takes the group, or the node, away."""
    cast = Broadcast(scene)
    tap.check(cast.begun(), "all are in the middle")
    scene[3].client.do("group-del", id=GROUP)
    read, known = cast.finish()
    tap.equal(read, {2: "whole", 3: "ECONNRESET", 4: "whole"},
              "group removed: those above and below have it")
    tap.check(known[3] in LOST | {"plan-gone"} and known[2] == known[4] == "delivered",
              f"the root knows why: {known}")
    scene[3].client.do("group-new", id=GROUP, key=node.KEY, **SETTINGS)
    scene.well("group removed")
    cast = Broadcast(scene)
    tap.check(cast.begun(), "all are in the middle")
    scene[2].client.do("node-del")
    read, known = cast.finish()
    tap.equal(read, {2: "ECONNRESET", 3: "whole", 4: "whole"},
              "node removed: those below have it")
    tap.check(known[2] in LOST | {"plan-gone"} and known[3] == known[4] == "delivered",
              f"the root knows why: {known}")
    scene[2].join()
    scene.well("node removed")
    cast = Broadcast(scene)
    tap.check(cast.begun(), "all are in the middle")
    scene[1].client.do("group-del", id=GROUP)
    tap.equal({reader.result() for reader in cast.readers.values() if cast.gate.set() is None},
              {"ECONNRESET"}, "group removed at the root: all are told")
    cast.close()
    scene[1].client.do("group-new", id=GROUP, key=node.KEY, **SETTINGS)
    scene.well("group removed at the root")


def test_new_plan(scene):
    """Plans change in the middle: nothing of the message is lost."""
    scene.apply(*CHAIN)
    cast = Broadcast(scene)
    tap.check(cast.begun(), "all are in the middle")
    for edges in FORK, ((1, 4), (4, 3), (3, 2)), ((1, 2), (1, 3), (1, 4)):
        scene.apply(*edges, wait=False)
    read, known = cast.finish()
    tap.equal((set(read.values()), set(known.values())), ({"whole"}, {"delivered"}),
              "three new plans in the middle: all have it")
    tap.check(cast.right(*MEMBERS), "as it was sent")
    tap.check(until(20, lambda: len(scene[1].client.dump("plan-get")) == 1 and
                    scene[1].info()["lanes"] == 3), "old plans and their lanes are gone")
    scene.well("new plans")


def test_link(scene):
    """A link is down for longer than the dead interval, and comes back."""
    scene.apply(*CHAIN)
    cast = Broadcast(scene)
    tap.check(cast.begun(), "all are in the middle")
    begin = time.monotonic()
    node.ip("-n", "switch", "link", "set", "p3", "down")
    cast.gate.set()
    tap.check(until(60, lambda: node.completion(cast.sender)[3] != "pending"),
              "link down: the root is told")
    took = time.monotonic() - begin
    tap.check(4 < took < 15, f"after the dead interval, not later: {took:.1f} s")
    read, known = cast.finish()
    tap.equal(read, {2: "whole", 3: "ECONNRESET", 4: "whole"},
              "link down: those before and behind have it")
    tap.check(cast.right(2, 4) and known[3] in LOST, f"the root knows why: {known}")
    node.ip("-n", "switch", "link", "set", "p3", "up")
    tap.check(until(60, lambda: [lane["state"] for lane in scene[3].client.dump("lane-get")
                                 if lane["direction"] == "up"] == ["ready"]), "it is back")
    scene.well("link down and up")


def test_unload(scene):
    """The module goes in the middle of what the kernel sends by itself."""
    scene.apply(*CHAIN)
    cast = Broadcast(scene, (2, 3))
    tap.check(cast.begun(), "all are in the middle")
    busy = subprocess.run(["rmmod", "hbcast"], capture_output=True, text=True, check=False)
    tap.check(busy.returncode and "in use" in busy.stderr, "with a socket open: in use")
    read, known = cast.finish()
    tap.equal((set(read.values()), known[4]), ({"whole"}, "no-receiver"), "nothing is lost by it")
    # Nobody reads and no process is left: the kernel goes on sending to node 4's group.
    for _ in range(4):
        sender = scene[1].sender(node.PORT + 1)
        node.send_file(sender, scene.file, SIZE)
        sender.close()
    tap.check(until(20 * tap.SLOWNESS, hbcnl.unload_module), "with data in flight: it goes")
    with open("/proc/slabinfo", encoding="ascii") as file:
        tap.check("HBCAST" not in file.read(), "its slab is gone")
    with open("/proc/net/sockstat", encoding="ascii") as file:
        print("# " + file.read().replace("\n", "; "))
    hbcnl.load_module()
    tap.equal(subprocess.run(["rmmod", "hbcast"], check=False).returncode, 0, "and comes again")


def main():
    hbcnl.load_module()
    scene = Scene()
    scene.apply(*CHAIN)
    test_sender_killed(scene)
    test_receiver_killed(scene)
    test_stalled(scene)
    test_namespace(scene, 4, "a leaf", (2, 3))
    test_namespace(scene, 2, "a relay", (3, 4))
    test_root_deleted(scene)
    test_configuration(scene)
    test_new_plan(scene)
    test_link(scene)
    test_unload(scene)
    tap.done()


if __name__ == "__main__":
    main()
