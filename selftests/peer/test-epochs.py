#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=400 kcsan
"""Plans change while messages are on their way: nothing is lost, and nothing sent twice."""

import json
import os
import random
import subprocess
import tempfile
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until
from hbtest.trees import MIB, SECONDS

MEMBERS = (2, 3, 4, 5)
PORT = 9
SLOW = MIB // 4 // tap.SLOWNESS	# bytes/s
SIZE = 3 * MIB // tap.SLOWNESS + 4321
CHANGES = 12	# twice a second
CHAIN = ((1, 2), (2, 3), (3, 4), (4, 5))
BACK = ((1, 5), (5, 4), (4, 3), (3, 2))
FORK = ((1, 3), (1, 4), (3, 2), (4, 5))
# Each of them reaches all, and each member is a relay somewhere.
TWO = (CHAIN, BACK)
THREE = (FORK, CHAIN, BACK)
NESTED = (CHAIN, ((1, 3), (3, 2)), ((1, 2),))
CROSSED = (BACK, ((1, 4), (4, 2)), ((1, 2), (2, 3)))
# What a segment adds to its payload, and what goes up.
OVERHEAD = 1.12


class Scene:
    """Node 1 sends, the others receive."""

    def __init__(self):
        node.switch()
        self.nodes = [Node(number, dead_ms=1500 * tap.SLOWNESS, queue=1 << 17)
                      for number in range(1, 6)]
        self.root = self.nodes[0]
        for each in self.nodes:
            each.know(self.nodes)

    def plan(self, trees, rate=SLOW, wait=True):
        return self.root.apply_trees(*((rate, tree) for tree in trees), wait=wait)

    def received(self):
        """Bytes that have come to each member, over whatever lane."""
        found = {}
        for number in MEMBERS:
            shown = subprocess.run(["ip", "-n", f"n{number}", "-s", "-j", "link", "show", "eth0"],
                                   check=True, capture_output=True, text=True).stdout
            found[number] = json.loads(shown)[0]["stats64"]["rx"]["bytes"]
        return found

    def over(self, child):
        """Bytes that have left on the root's lanes to that child."""
        return sum(lane["tx-bytes"] for lane in self.root.client.dump("lane-get")
                   if (lane["direction"], lane["peer"]) == ("down", child))

    def unknown(self):
        """Fragments that came where nobody knew their tree."""
        return sum(each.drops()["no-tree"] for each in self.nodes)

    def epochs(self):
        return {plan["epoch"] for each in self.nodes for plan in each.client.dump("plan-get")}

    def tell(self):
        """For whoever looks for the reason."""
        for each in self.nodes:
            for what in "plan-get", "lane-get", "message-get":
                for found in each.client.dump(what):
                    print(f"# node {each.number} {what}: {found}")


class Pieces(threading.Thread):
    """Reads one file in whatever order it comes: how often each byte, too."""

    def __init__(self, sock):
        super().__init__(daemon=True)
        self.sock = sock
        self.count = 0
        self.got = bytearray(SIZE)
        self.start()

    def run(self):
        end = False
        while not end:
            data, end, (_, offset, _) = node.take_piece(self.sock)
            self.got[offset:offset + len(data)] = data
            self.count += len(data)


class Sending:
    """A file to all members while something happens."""

    def __init__(self, scene):
        self.scene = scene
        self.data = os.urandom(SIZE)
        self.sender = scene.root.sender(PORT)
        self.socks = [each.receiver(PORT, unordered=True) for each in scene.nodes[1:]]
        self.readers = [Pieces(sock) for sock in self.socks]
        self.before = scene.received()
        with tempfile.TemporaryFile() as file:
            file.write(self.data)
            file.flush()
            node.send_file(self.sender, file.fileno(), SIZE)

    def reaches(self, share):
        """Whether so much of it comes to one member at least."""
        return until(SECONDS, lambda: max(each.count for each in self.readers) > share * SIZE)

    def left(self):
        last = self.scene.root.client.dump("message-get")[-1]
        return last["sent"] == SIZE

    def open(self):
        return "pending" in node.completion(self.sender).values()

    def well(self):
        """Whether all have it as it was, and the root knows."""
        node.wait_complete(self.sender, SECONDS)
        known = node.completion(self.sender)
        good = set(known.values()) == {"delivered"} and set(known) == set(MEMBERS)
        for reader in self.readers:
            reader.join(SECONDS)
            good = good and reader.got == self.data and reader.count == SIZE
        for sock in [self.sender, *self.socks]:
            sock.close()
        if not good:
            print(f"# {known} {[each.count for each in self.readers]} of {SIZE}")
        return good

    def thrifty(self, times=1):
        """Whether no byte has come more than that often."""
        after = self.scene.received()
        often = {number: (after[number] - self.before[number]) / SIZE for number in MEMBERS}
        print(f"# bytes of each: {often}")
        return max(often.values()) < times * OVERHEAD


def test_move(scene):
    """A file goes on along the new plan's trees."""
    scene.plan([CHAIN])
    sending = Sending(scene)
    sending.reaches(0.2)
    before = scene.over(5)
    scene.plan([BACK], 0)
    tap.check(sending.well(), "a new plan in the middle of a file: all have it")
    tap.check(scene.over(5) - before > SIZE / 2, "most of it went along the new one's tree")
    tap.check(sending.thrifty(), "and nothing went twice")


def test_often(scene):
    """Twice a second."""
    scene.plan([CHAIN])
    sending = Sending(scene)
    plans = ([CHAIN], [BACK], TWO, [FORK], THREE, TWO[::-1])
    done = 0
    # The last of them that finds it on its way lets it go.
    while sending.open() and done < CHANGES:
        time.sleep(0.5)
        scene.plan(plans[done % len(plans)], SLOW // 2, wait=False)
        done += 1
    scene.plan([CHAIN], 0)
    tap.check(done == CHANGES and sending.well(), f"{done} plans in one file: all have it")
    tap.check(sending.thrifty(), "and nothing went twice")


def test_stages(scene):
    """From trees that reach all to others and back, and between such."""
    for name, first, then in (("to stages", TWO, NESTED), ("from stages", NESTED, TWO),
                              ("from some to others", NESTED, CROSSED),
                              ("to the same", CROSSED, CROSSED)):
        for share in (0.2, 0.8):
            scene.plan(first)
            sending = Sending(scene)
            sending.reaches(share)
            # Other rates make another plan of it.
            scene.plan(then, 8 * SLOW)
            tap.check(sending.well(), f"{name}, with {share:.0%} at the first one: all have it")


def test_sent(scene):
    """All of a file has left when its plan becomes one in stages, and some of it gets lost."""
    scene.plan([CHAIN])
    sending = Sending(scene)
    sending.reaches(0.2)
    scene.plan([CHAIN], 4 * SLOW)
    tap.check(until(SECONDS, sending.left) and sending.open(), "all of a file has left")
    scene.nodes[1].cut(scene.root)
    scene.nodes[4].cut(scene.nodes[3])
    scene.plan(NESTED, 8 * SLOW)
    tap.check(sending.well(), "some of it gets lost, and stages begin: all have it")


def test_left_out(scene):
    """Whoever is not in the new plan keeps the old one, until he has it."""
    scene.plan([CHAIN], 4 * SLOW)
    sending = Sending(scene)
    sending.reaches(0.2)
    epoch = scene.root.apply(*CHAIN[:3])
    tap.check(sending.well(), "a plan without a member who still waits: he gets it")
    if not tap.check(until(SECONDS, lambda: scene.epochs() == {epoch}), "then the old one goes"):
        scene.tell()


def test_dead(scene):
    """One of the new plan's members is not there."""
    scene.root.apply(*CHAIN[:3])
    node.ip("-n", "switch", "link", "set", "p5", "down")
    scene.root.apply(*((parent, child, SLOW // 4 // tap.SLOWNESS) for parent, child in CHAIN[:3]))
    sender = scene.root.sender(PORT)
    socks = [each.receiver(PORT) for each in scene.nodes[1:4]]
    readers = [node.Reader(sock) for sock in socks]
    data = os.urandom(SIZE)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        node.send_file(sender, file.fileno(), SIZE)
    until(SECONDS, lambda: len(readers[0].got) > SIZE // 8)
    before = scene.over(3)
    scene.root.apply(*FORK, wait=False)
    node.wait_complete(sender, SECONDS)
    good = all((reader.result(), reader.got) == ("whole", data) for reader in readers)
    tap.check(good and set(node.completion(sender).values()) == {"delivered"},
              "a plan with a dead member in the middle: all others have it")
    tap.check(scene.over(3) - before > SIZE / 2, "and it went on along that plan")
    for sock in [sender, *socks]:
        sock.close()
    node.ip("-n", "switch", "link", "set", "p5", "up")
    scene.root.listener.event(type="member-back", group=node.GROUP)


class Ear(threading.Thread):
    """Reads messages in memory until the last."""

    def __init__(self, sock, count):
        super().__init__(daemon=True)
        self.sock = sock
        self.count = count
        self.got = []
        self.start()

    def run(self):
        while len(self.got) < self.count:
            self.got.append(node.take_all(self.sock))


def test_memory(scene):
    """Many messages of all sizes, in their order."""
    chance = random.Random(1)
    messages = [chance.randbytes(chance.choice((0, 10, 3000, 90000, 500000 // tap.SLOWNESS)))
                for _ in range(200)]
    scene.plan([CHAIN])
    sender = scene.root.sender()
    socks = [each.receiver() for each in scene.nodes[1:]]
    ears = [Ear(sock, len(messages)) for sock in socks]
    over = threading.Event()

    def change():
        plans = ([BACK], TWO, [FORK], THREE, [CHAIN])
        turn = 0
        while not over.wait(0.5):
            scene.plan(plans[turn % len(plans)], 8 * SLOW, wait=False)
            turn += 1
        return turn

    thread = threading.Thread(target=change)
    thread.start()
    good = True
    for data in messages:
        sender.send(data)
    node.wait_complete(sender, SECONDS)
    good = set(node.completion(sender).values()) == {"delivered"}
    over.set()
    thread.join()
    for ear in ears:
        ear.join(SECONDS)
        good = good and ear.got == messages
    for sock in [sender, *socks]:
        sock.close()
    tap.check(good, "200 messages in memory: all have them, once, in their order")


def main():
    hbcnl.load_module()
    scene = Scene()
    test_move(scene)
    test_often(scene)
    test_stages(scene)
    test_sent(scene)
    test_left_out(scene)
    test_memory(scene)
    tap.equal(scene.unknown(), 0, "nothing came along a tree that was not known")
    test_dead(scene)
    for each in scene.nodes:
        each.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


main()
