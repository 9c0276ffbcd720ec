#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=2G timeout=600 slow
"""A group of 64 nodes: everything arrives everywhere, and little memory is needed."""

import hashlib
import os
import re
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.land import queues
from hbtest.node import Node, until

NODES = 64
CHILDREN = 3	# of a relay: four lanes lie between the root and the last
SIZES = (0, 1, 1391, 100000, 1 << 20)
LARGE = 2 << 20
SLOW = f"rate {2000 // tap.SLOWNESS}kbit limit 1000"	# 2 MiB take 8 s
VICTIMS = (2, 20)	# one has 21 nodes behind it first; later both are relays of some plans
PLANS = 8	# that follow one another while they die
DEAD_MS = 4000 * tap.SLOWNESS
STALL_MS = 30000 * tap.SLOWNESS	# 63 readers here take turns
SECONDS = 120 * tap.SLOWNESS
# What a node may need for its lanes while nothing is on its way, and what more while a
# message is: what it keeps for its children, what TCP keeps at both ends of each of its
# lanes, and its reader's buffer.
WINDOW, TCP, READER = LARGE, 2 << 18, 1 << 20
LANE_KIB = 64
OTHERS = re.compile("inode|dentry|radix|fuse|ovl|vm_area|anon_vma|task|maple|filp|pid|cred")


def heap(order):
    """A tree: each has CHILDREN of those that come after it."""
    return [(order[(at - 1) // CHILDREN], order[at]) for at in range(1, len(order))]


def turned(count):
    """Trees of the same root whose relays are others each time."""
    members = list(range(2, NODES + 1))
    step = len(members) // count
    return [heap([1] + members[at * step:] + members[:at * step]) for at in range(count)]


def memory():
    """KiB that the kernel has for itself: slabs, pages of TCP, and all else that is
    neither a file's nor a process's."""
    with open("/proc/meminfo", encoding="ascii") as file:
        found = {line.split(":")[0]: int(line.split()[1]) for line in file}
    return found["MemTotal"] - sum(found[name] for name in (
        "MemFree", "Buffers", "Cached", "SwapCached", "AnonPages"))


def lasting():
    """KiB in slabs, but for those of files and processes, and in TCP's buffers."""
    with open("/proc/slabinfo", encoding="ascii") as file:
        rows = [line.split() for line in file][2:]
    with open("/proc/net/sockstat", encoding="ascii") as file:
        words = next(line for line in file if line.startswith("TCP:")).split()
    slabs = sum(int(number) * int(size) for name, _, number, size, *_ in rows
                if not OTHERS.search(name))
    return (slabs >> 10) + 4 * int(words[words.index("mem") + 1])


class Gauge(threading.Thread):
    """The most memory that was used while it ran."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most = memory()
        self.over = threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.2):
            self.most = max(self.most, memory())

    def read(self):
        self.over.set()
        self.join()
        return self.most


class Crowd:
    """Node 1 sends, the others receive."""

    def __init__(self):
        node.switch()
        self.nodes = {number: Node(number, dead_ms=DEAD_MS, stall_ms=STALL_MS, window=WINDOW)
                      for number in range(1, NODES + 1)}
        self.root = self.nodes[1]
        self.root.know(self.nodes.values())
        self.sender = self.root.sender()
        self.receivers = {number: each.receiver() for number, each in self.nodes.items()
                          if number != 1}
        self.dead = {}
        self.before = memory()
        self.lasting = lasting()

    def apply(self, trees):
        """A plan that has to get ready; returns whether it does."""
        epoch = self.root.apply_trees(*((0, tree) for tree in trees), wait=False)
        return until(SECONDS, lambda: self.root.ready(epoch))

    def lanes(self):
        """How many ends of lanes there are."""
        return sum(each.info()["lanes"] for each in self.nodes.values())

    def broadcast(self, size, dying=(), meanwhile=None):
        """Whether all but those who die have it, by its SHA-256, and the root knows."""
        data = os.urandom(size)
        want = hashlib.sha256(data).digest()
        readers = {number: node.Reader(sock) for number, sock in self.receivers.items()}
        thread = threading.Thread(target=self.sender.send, args=(data,))
        thread.start()
        if meanwhile:
            meanwhile()
        thread.join()
        wrong = [number for number, reader in readers.items() if number not in dying and (
            reader.result(SECONDS) != "whole" or hashlib.sha256(reader.got).digest() != want)]
        node.wait_complete(self.sender, SECONDS)
        known = node.completion(self.sender)
        due = {number: "node-dead" if number in dying else "delivered" for number in readers}
        self.dead = {number: readers[number] for number in dying}
        if wrong or known != due:
            print(f"# {size} bytes: wrong at {wrong}; the root says otherwise of",
                  {number: known.get(number) for number in due
                   if known.get(number) != due[number]})
        return not wrong and known == due

    def test_plan(self, trees, what):
        """Messages of all sizes along these trees, and the memory that is used."""
        lanes = 2 * len(trees)	# of a node on average: each has two ends
        good = self.apply(trees) and until(
            SECONDS, lambda: self.lanes() == lanes * (NODES - 1))
        tap.check(good, f"{what}: the plan gets ready, and no other lanes are left")
        idle = (lasting() - self.lasting) / NODES
        gauge = Gauge()
        for size in SIZES:
            tap.check(self.broadcast(size), f"{what}: all have {size} bytes")
        most = (gauge.read() - self.before) / NODES
        print(f"# {what}: the kernel's memory of a node: {idle:.0f} KiB when idle, "
              f"{most:.0f} KiB at most, bounds {lanes * LANE_KIB} and {self.bound(lanes)}")
        # On kernels that watch themselves objects are larger, and what was freed is kept.
        if tap.SLOWNESS == 1:
            tap.check(idle < lanes * LANE_KIB, f"{what}: lanes need little memory")
            tap.check(most < self.bound(lanes), f"{what}: and messages what the settings allow")

    @staticmethod
    def bound(lanes):
        """KiB of a node when a message is on its way."""
        return (lanes // 2 * TCP + WINDOW + READER >> 10) + lanes * LANE_KIB

    def test_deaths(self, victims, what, trees=()):
        """Nodes die in the middle of a message, while plans follow one another, and come
        back."""
        def kill():
            # A reader sees nothing before all of it is there.
            tap.check(until(SECONDS, lambda: node.went(victims[0]) > before + LARGE // 8),
                      f"{what}: a message is on its way")
            for victim in victims:
                node.ip("-n", "switch", "link", "set", f"p{victim}", "down")
            for tree in trees:
                self.root.apply_trees((0, tree), wait=False)
                time.sleep(DEAD_MS / 4000)

        # Or they have all of it before they die.
        queues("switch", **{f"p{victim}": SLOW for victim in victims})
        before = node.went(victims[0])
        tap.check(self.broadcast(LARGE, victims, kill),
                  f"{what}: all others have it, and {victims} alone have not")
        queues("switch", **{f"p{victim}": None for victim in victims})
        for victim in victims:
            node.ip("-n", "switch", "link", "set", f"p{victim}", "up")
        for _ in victims:
            self.root.listener.event(type="member-back", group=node.GROUP)
        # They may have had all of it already, and could not say so.
        ends = [self.dead[victim].result(6 * STALL_MS // 1000) for victim in victims]
        tap.check("hangs" not in ends, f"{what}: what they were reading has ended: {ends}")
        tap.check(self.broadcast(100000), f"{what}: they come back, and all have everything")

    def test_end(self):
        """The memory comes back with the plan, and the module goes."""
        self.root.client.do("plan-del", group=node.GROUP)
        lanes = until(SECONDS, lambda: self.lanes() == 0)
        tap.check(lanes, "without a plan no lane is left")
        print(f"# {(lasting() - self.lasting) / NODES:.0f} KiB of a node are left")
        for sock in [self.sender, *self.receivers.values()]:
            sock.close()
        for each in self.nodes.values():
            each.forget()
        tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")


def main():
    hbcnl.load_module()
    crowd = Crowd()
    crowd.test_plan([heap(range(1, NODES + 1))], "one tree")
    crowd.test_deaths(VICTIMS[:1], "a relay dies")
    crowd.test_deaths(VICTIMS, "two die, and plans change", turned(PLANS))
    crowd.test_plan(turned(3), "three trees")
    crowd.test_end()
    tap.done()


if __name__ == "__main__":
    main()
