#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 kcsan
"""Relays die: their children are adopted by whoever is above, and get everything."""

import os
import socket
import threading

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until
from hbtest.trees import MIB, SECONDS, SO_SNDBUFFORCE

# 2 and 3 are relays, one below the other; 4 to 6 are leaves below them.
TREE = ((1, 2), (2, 3), (2, 5), (3, 4), (3, 6))
DEAD_MS = 1500 * tap.SLOWNESS


class Scene:
    """Node 1 sends, the others receive."""

    def __init__(self):
        node.switch()
        self.nodes = [Node(number, dead_ms=DEAD_MS) for number in range(1, 7)]
        self.root = self.nodes[0]
        self.root.know(self.nodes)
        self.root.apply(*TREE)
        self.sender = self.root.sender()
        self.sender.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 8 * MIB)
        self.receivers = {each.number: each.receiver() for each in self.nodes[1:]}
        self.dead = {}

    def broadcast(self, alive, size, meanwhile=None, dying=()):
        """Whether those that are alive have it, and the root knows of all."""
        data = os.urandom(size)
        readers = {number: node.Reader(self.receivers[number]) for number in alive}
        self.dead |= {number: node.Reader(self.receivers[number]) for number in dying}
        thread = threading.Thread(target=self.sender.send, args=(data,))
        thread.start()
        if meanwhile:
            meanwhile(readers, size)
        thread.join()
        results = {number: (reader.result(), bytes(reader.got) == data)
                   for number, reader in readers.items()}
        node.wait_complete(self.sender, SECONDS)
        known = node.completion(self.sender)
        due = {number: "delivered" if number in alive else "node-dead"
               for number in self.receivers}
        good = set(results.values()) == {("whole", True)} and known == due
        if not good:
            print(f"# {results} {known}")
        return good

    def parents(self):
        """Of each node over whose lanes the plan of node 1 may come."""
        return {each.number: sorted(lane["peer"] for lane in each.client.dump("lane-get")
                                    if lane["direction"] == "up" and lane["state"] == "ready")
                for each in self.nodes[1:]}


def link(number, state):
    node.ip("-n", "switch", "link", "set", f"p{number}", state)


def lost(scene, number):
    """The root's administrator hears of that one, and of nobody else."""
    event = scene.root.listener.event(type="member-lost", group=node.GROUP)
    return event["node"] == [number]


def back(scene, number):
    """It is there again; what it read when it died has ended there, too."""
    link(number, "up")
    scene.root.listener.event(type="member-back", group=node.GROUP)
    return scene.dead.pop(number).result() not in ("whole", "hangs")


def in_the_middle(number):
    """Its link breaks when a quarter has come to all."""
    def act(readers, size):
        until(SECONDS, lambda: all(len(reader.got) > size // 4 for reader in readers.values()))
        link(number, "down")
    return act


def test_one(scene):
    tap.check(scene.broadcast({2, 3, 4, 5, 6}, MIB), "all are well")
    tap.check(scene.broadcast({3, 4, 5, 6}, 8 * MIB, in_the_middle(2), {2}),
              "a relay dies in the middle: all below it have everything")
    tap.check(lost(scene, 2), "and he alone is lost")
    tap.equal([scene.parents()[number] for number in (3, 5)], [[1], [1]],
              "his children are the root's")
    tap.check(scene.broadcast({3, 4, 5, 6}, 100), "the next message goes to them at once")


def test_two(scene):
    tap.check(scene.broadcast({4, 5, 6}, 8 * MIB, in_the_middle(3), {3}),
              "one that was adopted dies: those below it have everything")
    tap.check(lost(scene, 3), "and he alone is lost")
    tap.equal(scene.root.client.dump("plan-get")[0]["epoch"], 1, "the plan is the same")


def test_back(scene):
    tap.check(back(scene, 2) and back(scene, 3), "what the dead were reading has ended")
    tap.check(scene.broadcast({2, 3, 4, 5, 6}, MIB), "they come back, and all have all")
    scene.root.apply(*TREE)
    tap.check(scene.broadcast({2, 3, 4, 5, 6}, MIB), "the same plan is made anew")
    tap.check(until(SECONDS, lambda: list(scene.parents().values()) ==
                    [[1], [2], [3], [2], [3]]), "and everybody has his old parent")


def test_chain(scene):
    """Both die at once: those above try one after the other."""
    def both(readers, size):
        in_the_middle(2)(readers, size)
        link(3, "down")

    tap.check(scene.broadcast({4, 5, 6}, 8 * MIB, both, {2, 3}),
              "two relays in a row die: those below have everything")
    tap.check(lost(scene, 2) and lost(scene, 3), "and they alone are lost")
    # One that dies before there is a plan.
    scene.root.apply((1, 3), (3, 2), (3, 4), (2, 5), (5, 6), wait=False)
    tap.check(scene.broadcast({4, 5, 6}, MIB), "a new plan with dead relays reaches all others")
    back(scene, 2)
    back(scene, 3)
    good = until(SECONDS, lambda: scene.broadcast({2, 3, 4, 5, 6}, 100))
    tap.check(good, "and then they are back")


def test_end(scene):
    """The frame that ends a plan gets lost between the root and a relay."""
    scene.root.apply(*TREE)
    link(1, "down")
    epoch = scene.root.apply(*((parent, child, MIB) for parent, child in TREE), wait=False)
    lost(scene, 2)
    link(1, "up")
    tap.check(until(SECONDS, lambda: {plan["epoch"] for each in scene.nodes
                                      for plan in each.client.dump("plan-get")} == {epoch}),
              "a plan whose end gets lost is forgotten by all below, too")


def main():
    hbcnl.load_module()
    scene = Scene()
    test_one(scene)
    test_two(scene)
    test_back(scene)
    test_chain(scene)
    test_end(scene)
    for sock in [*scene.receivers.values(), scene.sender]:
        sock.close()
    for each in scene.nodes:
        each.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


main()
