#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""What nodes report reaches the root, whatever becomes of the plan and of lanes.

Node 1 is the root. The others give a lane up much sooner than it does.
"""

import threading

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until

SOON = 1000 * tap.SLOWNESS	# milliseconds; a node waits four times as long for a parent
NEVER = 600000
SECONDS = 30 * tap.SLOWNESS
ESTABLISHED, TIME_WAIT = "01", "06"	# as /proc/net/tcp has them
DATA = bytes(range(256)) * 10


class Scene(dict):
    """Nodes 1 to 4, and a message at node 3 that is not read."""

    def __init__(self, dead):
        super().__init__()
        node.switch()
        for number in range(1, 5):
            self[number] = Node(number, dead_ms=dead.get(number, SOON), stall_ms=NEVER)
        self[1].know(self.values())

    def end(self):
        """Another scene may begin."""
        for number, each in self.items():
            each.forget()
            node.ip("netns", "del", f"n{number}")
            tap.check(until(SECONDS, lambda n=number: node.unplugged(n)), f"node {number} ends")
        node.ip("netns", "del", "switch")

    def say(self):
        """A message for node 3, which reads it or not; the sender, the receiver."""
        receiver, sender = self[3].receiver(), self[1].sender()
        sender.send(DATA)
        tap.check(until(SECONDS, lambda: node.readable(receiver)), "a message arrives")
        return sender, receiver

    def known(self, sender):
        """What becomes of the message in the end."""
        try:
            node.wait_complete(sender, SECONDS)
        except OSError as why:
            print(f"# {why}")
        return node.completion(sender)

    @staticmethod
    def fate(sender):
        """What becomes of a message soon."""
        sender.send(DATA)
        try:
            node.wait_complete(sender, tap.SLOWNESS)
        except TimeoutError:
            pass
        return node.completion(sender)

    @staticmethod
    def part(one, other):
        """Nothing goes from the one to the other."""
        node.ip("-n", f"n{one}", "route", "add", "blackhole", f"10.9.0.{other}/32")

    def lost(self, number, child):
        """Whether the child is lost, for a node in the root's plan."""
        return any(each["node"] == child and each.get("lost")
                   for plan in self[number].client.dump("plan-get")
                   for each in plan.get("child", []))

    def parents(self, number):
        return [lane["peer"] for lane in self[number].client.dump("lane-get")
                if lane["direction"] == "up" and lane["state"] == "ready"]


def test_newer_lane():
    """The parent of node 3 from whom the message came is not heard any more: its report
    goes to the new plan's."""
    scene = Scene({n: NEVER for n in range(1, 5)})
    scene[1].apply((1, 3))
    sender, receiver = scene.say()
    scene[1].apply((1, 2), (2, 3))
    scene.part(1, 3)
    tap.check(node.take_all(receiver) == DATA, "it is read after the plan has changed")
    tap.equal(scene.known(sender), {3: "delivered"},
              "the root learns it, though the older parent is cut off")
    scene.end()


def test_older_tree():
    """A lane of the plan before breaks, which has one member more: that is told in that
    plan."""
    scene = Scene({})
    scene[1].apply((1, 2), (2, 3))
    sender, receiver = scene.say()
    newest = scene[1].apply((1, 4), (4, 2))
    scene.part(2, 3)
    tap.equal(scene.known(sender), {2: "no-receiver", 3: "node-dead"},
              "the root learns that the older plan's lane is lost, not over the newer's")
    tap.check(scene[1].ready(newest), "the newer plan is as ready as it was")
    tap.check(node.take_all(receiver) == DATA, "it was whole when the lane broke")
    scene.end()


def test_shared_lane():
    """A lane of the plan before breaks below one that both plans have."""
    scene = Scene({})
    scene[1].apply((1, 2), (2, 3))
    sender, _ = scene.say()
    newest = scene[1].apply((1, 2))
    scene.part(2, 3)
    tap.equal(scene.known(sender), {2: "no-receiver", 3: "node-dead"},
              "the root learns that the older plan's lane is lost")
    tap.check(scene[1].ready(newest), "the newer plan is as ready as it was")
    scene.end()


def read_all(sock):
    """For as long as there is the process; what fails is seen at the root."""
    while True:
        try:
            node.take_all(sock)
        except OSError as why:
            print(f"# node 3: {why}", flush=True)


def cut_off(scene, child_too):
    """Node 2 has no parent, for which there is no reason to notice it."""
    for number in (1, 3) if child_too else (1,):
        node.ip("-n", "switch", "link", "set", f"p{number}", "down")
    tap.check(until(SECONDS, lambda: not scene.parents(2)), "node 2 has no parent")


def connect(scene, sender, *numbers, **known):
    """These links are back: that becomes of messages in the end."""
    for number in numbers:
        node.ip("-n", "switch", "link", "set", f"p{number}", "up")
    tap.check(until(SECONDS, lambda: scene.fate(sender) == {2: "no-receiver", 3: known["node3"]}),
              "the root knows it when node 2 has a parent again")


def test_silence():
    """While node 2 has no parent its child is lost, or comes back: the root learns it."""
    scene = Scene({1: NEVER})
    scene[1].apply((1, 2), (2, 3))
    sender, receiver = scene.say()
    threading.Thread(target=read_all, args=(receiver,), daemon=True).start()
    for forgets in False, True:
        cut_off(scene, True)
        tap.check(until(SECONDS, lambda: scene.lost(2, 3)), "its child is lost")
        connect(scene, sender, 1, node3="node-dead")
        cut_off(scene, False)
        if forgets:
            tap.check(until(SECONDS, lambda: not scene[2].client.dump("plan-get")),
                      "it forgets the plan")
        else:
            node.ip("-n", "switch", "link", "set", "p3", "up")
            tap.check(until(SECONDS, lambda: not scene.lost(2, 3)), "its child is back")
        connect(scene, sender, 1, 3, node3="delivered")
    scene.end()


def left(number, peer):
    """The states of a node's TCP connections with another, but for those that end by
    themselves."""
    def read():
        with open("/proc/thread-self/net/tcp", encoding="ascii") as file:
            return [line.split() for line in file][1:]
    address = f"{peer:02X}00090A"
    return [words[3] for words in hbcnl.in_netns(f"n{number}", read)
            if words[2].startswith(address) and words[3] != TIME_WAIT]


def test_goodbye():
    """What a lane says at its end is lost, and both sides give up: no socket is left."""
    scene = Scene({1: 4 * SOON})
    scene[1].apply((1, 2), (1, 3))
    tap.equal(left(1, 2), [ESTABLISHED], "a lane is up")
    node.ip("-n", "switch", "link", "set", "p2", "down")
    scene[1].apply((1, 3))
    tap.check(until(SECONDS, lambda: scene[1].info()["lanes"] == 1 and
                    scene[2].info()["lanes"] == 0), "it is given up at both ends")
    tap.equal(left(1, 2), [], "nothing waits for an answer that does not come")
    node.ip("-n", "switch", "link", "set", "p2", "up")
    scene.end()


def main():
    hbcnl.load_module()
    test_newer_lane()
    test_older_tree()
    test_shared_lane()
    test_silence()
    test_goodbye()
    tap.done()


main()
