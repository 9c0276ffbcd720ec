# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes wrong in a soak: each is a generator, which begins, says how many seconds it
is to last, and makes good again what it has done."""

import heapq
import os
import random
import signal
import time

from hbtest import node
from hbtest.actors import random_tree
from hbtest.keeper import DISK, kept, slow_disk
from hbtest.land import BLACK_HOLE, DEAD_MS, NODES, STALL_MS, TALKS

SECONDS = 8	# that a fault may begin in, and that changes of the plan go on
ROOTS = sorted({talk.root for talk in TALKS})
DEAD, STALL = DEAD_MS / 1000, STALL_MS / 1000


def around(chance, interval):
    """Shorter than an interval or longer, so that it matters or not."""
    return interval * chance.uniform(0.1, 1) if chance.random() < 0.4 else \
        interval * chance.uniform(1, 2.5)


def remade(scene, victims, chance):
    """A machine ends, and another one with its name takes its place."""
    for number in victims:
        scene.kill_at(number)
        coming = scene.land.remake(number, chance)
        next(coming)
        yield around(chance, DEAD)
        for _ in coming:
            pass
        scene.start_at(number)


def down(scene, victims, chance):
    """Links that are down."""
    for number in victims:
        node.ip("-n", "switch", "link", "set", f"p{number}", "down")
    yield around(chance, DEAD)
    for number in victims:
        node.ip("-n", "switch", "link", "set", f"p{number}", "up")


def silent(scene, victims, chance):
    """Packets to a node, from it, or both, are lost, and nobody is told."""
    for number in victims:
        to, back = scene.land.links[number]
        which = chance.randrange(3)
        scene.land.weather(number, to if which == 0 else BLACK_HOLE,
                           back if which == 1 else BLACK_HOLE)
    yield around(chance, DEAD)
    for number in victims:
        scene.land.weather(number, *scene.land.links[number])


def slow(scene, victims, chance):
    """A tenth of the rate."""
    for number in victims:
        to, back = scene.land.links[number]
        scene.land.weather(number, to[:-len("0mbit")] + "mbit", back[:-len("0mbit")] + "mbit")
    yield SECONDS * chance.random()
    for number in victims:
        scene.land.weather(number, *scene.land.links[number])


def split(scene, victims, chance):
    """The network falls apart into two, and they find together again."""
    for number in victims:
        node.ip("-n", "switch", "link", "set", f"p{number}", "master", "split")
    yield around(chance, DEAD)
    for number in victims:
        node.ip("-n", "switch", "link", "set", f"p{number}", "master", "sw")


def killed(scene, victims, chance):
    """Processes die, and others are begun."""
    for number in victims:
        scene.kill_at(number)
    yield around(chance, DEAD)
    for number in victims:
        scene.start_at(number)


def stopped(scene, victims, chance):
    """Who listens does not read."""
    for number in victims:
        os.kill(scene.listeners[number].pid, signal.SIGSTOP)
    yield around(chance, STALL)
    for number in victims:
        os.kill(scene.listeners[number].pid, signal.SIGCONT)


def planned(scene, victims, chance):
    """Plans follow one another, two in a second."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for talk in TALKS:
            if talk.root in victims:
                scene.land.apply(talk, chance)
        yield 0.5


# How many nodes each takes, and which.
KINDS = {
    "remade": (remade, 1, "member"), "root dies": (remade, 1, "root"),
    "down": (down, 2, "any"), "silent": (silent, 2, "any"), "slow": (slow, 2, "any"),
    "split": (split, 4, "any"), "killed": (killed, 2, "any"),
    "stopped": (stopped, 2, "any"), "planned": (planned, 1, "root"), "kept": (kept, 2, "any"),
    "slow disk": (slow_disk, 2, "any"),
}
# Kernels that are built here have none.
if not os.path.ismount(DISK):
    del KINDS["slow disk"]


class Forecast:
    """What happens in each phase: every kind of fault as often as any other."""

    def __init__(self):
        self.deck = []

    def draw(self, chance):
        if not self.deck:
            self.deck = chance.sample(sorted(KINDS), len(KINDS))
        return self.deck.pop()

    @staticmethod
    def branch(chance):
        """All nodes, those first that lie one below the other in some tree."""
        root = chance.choice(ROOTS)
        tree = {edge["child"]: edge["parent"] for edge in random_tree(chance, root, NODES)}
        path = [chance.choice(sorted(tree))]
        while path[-1] in tree:
            path.append(tree[path[-1]])
        return path + chance.sample([n for n in NODES if n not in path], len(NODES) - len(path))

    def phase(self, chance, order):
        """Some different faults, which meet no node twice; order: whom they meet first."""
        found, free = [], list(order)
        for _ in range(chance.choice((1, 2, 2, 3))):
            name = self.draw(chance)
            fault, most, who = KINDS[name]
            fitting = [n for n in free if who == "any" or (n in ROOTS) == (who == "root")]
            count = most if name == "split" else chance.randrange(1, most + 1)
            victims = fitting[:count]
            if len(victims) < count or name in (before for before, _, _ in found):
                self.deck.insert(0, name)
                continue
            free = [n for n in free if n not in victims]
            found.append((name, fault, victims))
        return found


def happen(scene, faults, chance):
    """They begin at times of their own, and end when all of them have."""
    now = time.monotonic()
    due = [(now + (chance.random() * SECONDS / 2 if at else 0), at,
            fault(scene, victims, random.Random(chance.random())))
           for at, (_, fault, victims) in enumerate(faults)]
    heapq.heapify(due)
    while due:
        when, at, fault = heapq.heappop(due)
        time.sleep(max(0, when - time.monotonic()))
        seconds = next(fault, None)
        if seconds is not None:
            heapq.heappush(due, (time.monotonic() + seconds, at, fault))
