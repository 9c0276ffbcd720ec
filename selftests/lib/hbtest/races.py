# SPDX-License-Identifier: GPL-2.0-or-later
"""A storm: everything that may happen to hbcast, at once, for a while.

HBCAST_SECONDS is how long it lasts, HBCAST_SEED what it does.
"""

import contextlib
import ctypes
import mmap
import os
import random
import time

from hbtest import hbcnl, node, tap
from hbtest.actors import (GUESTS, NODES, PATIENCE, ROOTS, STEADY, Admin, Guests, Links,
                           Loader, Looker, Planner, client_at, random_tree, restore,
                           restore_all)
from hbtest.node import Node, Reader, until
from hbtest.talkers import Killer, Receiver, Sender
from hbtest.words import Words

ACTORS_MAX = 64


class Counters(ctypes.Structure):
    """Memory that all processes share."""

    _fields_ = [("begun", ctypes.c_uint64 * ACTORS_MAX),
                ("heard", ctypes.c_uint64 * ACTORS_MAX),
                ("rounds", ctypes.c_uint64 * ACTORS_MAX),
                ("away", ctypes.c_uint64)]


class Storm:
    """What the actors know of each other."""

    def __init__(self, seed, seconds):
        self.seed = seed
        self.memory = Counters.from_buffer(mmap.mmap(-1, ctypes.sizeof(Counters)))
        self.heard, self.rounds = self.memory.heard, self.memory.rounds
        self.words = Words(seed, self.memory.begun)
        self.end = time.monotonic() + seconds
        self.actors = 0

    def enlist(self):
        self.actors += 1
        return self.actors - 1

    def chance(self, *what):
        """Random numbers for this, the same for the same seed."""
        return random.Random("/".join(map(str, (self.seed,) + what)))

    def over(self):
        return time.monotonic() > self.end

    def pause(self, seconds):
        """Not beyond the end."""
        time.sleep(max(0, min(seconds, self.end - time.monotonic())))

    @contextlib.contextmanager
    def away(self):
        """Nobody is to have sockets."""
        self.memory.away = 1
        yield
        self.memory.away = 0

    def is_away(self):
        return bool(self.memory.away)

    def wait_home(self):
        """Until sockets may be had: whether they may, before the storm is over."""
        while self.is_away() and not self.over():
            time.sleep(0.02)
        return not self.over()


def cast(storm):
    """All who take part."""
    return [*(Admin(storm, f"admin {n}", n) for n in STEADY),
            *(Planner(storm, f"planner {i}", root) for i, root in enumerate(ROOTS + ROOTS[:1])),
            *(Guests(storm, f"guest {n}", n) for n in GUESTS),
            Links(storm, "links", *STEADY),
            Looker(storm, "looker", *NODES),
            Loader(storm, "loader"),
            *(Sender(storm, f"sender {i}", *ROOTS) for i in range(2)),
            *(Receiver(storm, f"receiver {i}", *STEADY) for i in range(2)),
            Receiver(storm, "receiver of guests", *NODES),
            Killer(storm, "killer of senders", Sender, *ROOTS),
            Killer(storm, "killer of receivers", Receiver, *STEADY)]


def show_stacks(pid):
    """Where a process hangs."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/stack", encoding="ascii") as file:
            print(f"# {pid}/{task}: " + file.read().rstrip().replace("\n", "\n#   "))


def ends_well(actor, end):
    """Whether an actor ends before that, and has met with nothing that must not be."""
    ended = []

    def wait():
        ended[:] = os.waitpid(actor.pid, os.WNOHANG)
        return ended[0]

    if not until(end - time.monotonic(), wait):
        print(f"# {actor.name} does not end")
        show_stacks(actor.pid)
        return False
    return ended[1] == 0


class Settled(Node):
    """A node after the storm, as it should have been all the time."""

    def __init__(self, number):  # pylint: disable=super-init-not-called
        self.number = number
        self.client = client_at(number)
        restore(self.client, number)

    def tell(self):
        """All that there is, for whoever looks for the reason."""
        print(f"# node {self.number}: {self.info()}")
        for name in "group-get", "peer-get", "plan-get", "lane-get":
            print(f"# node {self.number}: {name}: {self.client.dump(name)}")
        print(f"# node {self.number}: open messages: {self.messages()}")

    def messages(self):
        """Those of this root whose fate at some member is open."""
        return [message for message in self.client.dump("message-get")
                if message["members"] != message["delivered"] + message["failed"]]


def broadcast(storm, nodes, root):
    """A message from this root arrives at all others, as it was sent."""
    edges = random_tree(storm.chance("plan", root), root, NODES)
    epoch = nodes[root].apply(*((edge["parent"], edge["child"]) for edge in edges), wait=False)
    if not until(PATIENCE, lambda: nodes[root].ready(epoch)):
        print(f"# the plan of node {root} does not get ready: {edges}")
        return False
    readers = {n: Reader(nodes[n].receiver()) for n in NODES if n != root}
    sender = nodes[root].sender()
    data = storm.words.say(ACTORS_MAX - 1, root, 300000)
    sender.send(data)
    node.wait_complete(sender, PATIENCE)
    known = node.completion(sender)
    got = {n: (reader.result(PATIENCE), reader.got == data) for n, reader in readers.items()}
    for sock in [sender] + [reader.sock for reader in readers.values()]:
        sock.close()
    return (known, got) == (dict.fromkeys(readers, "delivered"),
                            dict.fromkeys(readers, ("whole", True)))


def calm(storm):
    """What is left is well."""
    nodes = {n: Settled(n) for n in NODES}
    good = [tap.check(until(PATIENCE, lambda: not any(each.messages() for each in nodes.values())),
                      "what became of each message is known")]
    for root in ROOTS:
        good.append(tap.check(broadcast(storm, nodes, root), f"node {root} is heard by all"))
    good.append(tap.check(until(PATIENCE, lambda: not any(each.info()["half-open"]
                                                          for each in nodes.values())),
                          "no handshake is left half open"))
    good.append(tap.check(not any(each.drops()["checksum"] for each in nodes.values()),
                          "no byte has changed on its way"))
    for each in nodes.values():
        if not all(good):
            each.tell()
        each.client.close()


def sockets():
    """How many TCP sockets the kernel has, orphans among them."""
    with open("/proc/net/sockstat", encoding="ascii") as file:
        words = next(line for line in file if line.startswith("TCP:")).split()
    return int(words[words.index("alloc") + 1])


def namespaces():
    """How many the kernel has. The last one that ended is kept until another does: it is
    one of them when this is asked next."""
    with open("/sys/kernel/slab/net_namespace/shrink", "w", encoding="ascii") as file:
        file.write("1")
    with open("/sys/kernel/slab/net_namespace/objects", encoding="ascii") as file:
        found = int(file.read().split()[0])
    node.ip("netns", "add", "last")
    node.ip("netns", "del", "last")
    return found


def now_and_then(what):
    """What it returns, a second later: time for what has ended to go."""
    time.sleep(1)
    return what()


def gone(what, before):
    """One result: there are as few of them as before."""
    if not tap.check(until(PATIENCE, lambda: now_and_then(what) <= before),
                     f"no {what.__name__} are left"):
        print(f"# {before} {what.__name__} before, {now_and_then(what)} now")


def main():
    seed = int(os.environ.get("HBCAST_SEED", int.from_bytes(os.urandom(4), "little")))
    seconds = int(os.environ.get("HBCAST_SECONDS", 8))
    print(f"# HBCAST_SEED={seed} HBCAST_SECONDS={seconds}", flush=True)
    namespaces()
    before = [(what, now_and_then(what)) for what in (sockets, namespaces)]
    hbcnl.load_module()
    node.switch()
    for number in NODES:
        node.plug(number)
    restore_all()
    storm = Storm(seed, seconds)
    actors = cast(storm)
    for actor in actors:
        actor.start()
    for actor in actors:
        tap.check(ends_well(actor, storm.end + PATIENCE), actor.name)
        print(f"# {actor.rounds} rounds, {storm.heard[actor.number]} times heard")
    calm(storm)
    for name in "switch", *(f"n{number}" for number in NODES):
        node.ip("netns", "del", name)
    tap.check(until(10 * tap.SLOWNESS, hbcnl.unload_module), "the module goes")
    with open("/proc/slabinfo", encoding="ascii") as file:
        tap.check("HBCAST" not in file.read(), "its slab is gone")
    for what, count in before:
        gone(what, count)
    tap.done()
