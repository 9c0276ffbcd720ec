# SPDX-License-Identifier: GPL-2.0-or-later
"""A root and members that several trees reach."""

import collections
import socket
import threading

from hbtest import hbcnl, node, tap, wire
from hbtest.node import GROUP, KEY, Node, tcp, until

MIB = 1 << 20
SECONDS = 60 * tap.SLOWNESS
EVIL = 9
ROOT = 8	# for whom it speaks
DEAD_MS = 2000 * tap.SLOWNESS
SO_SNDBUFFORCE = 32	# what is sent is kept until all have it, and one tree may be slow
# Each member is a relay in one of them.
TREES = (((1, 2), (2, 3), (2, 4)), ((1, 3), (3, 4), (3, 2)), ((1, 4), (4, 2), (4, 3)))
RATE = 4 * MIB // tap.SLOWNESS	# bytes/s, all trees together


def rated(*shares):
    """The trees, with these shares of the rate."""
    return [(RATE * share // sum(shares), tree) for share, tree in zip(shares, TREES)]


def carried(root):
    """Bytes that have left the root along each slot's lanes."""
    found = collections.Counter()
    for lane in root.client.dump("lane-get"):
        if lane["root"] == root.number and lane["direction"] == "down":
            found[lane["slot"]] += lane["tx-bytes"]
    return found


def listen():
    sock = tcp(EVIL)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.settimeout(SECONDS)
    sock.bind((f"10.9.0.{EVIL}", 7310))
    sock.listen()
    return sock


def children(listener, count):
    """That many lanes to the attacker, by slot, which have heard their trees."""
    found = {}
    while len(found) < count:
        child = wire.Child(listener.accept()[0], GROUP, KEY)
        try:
            child.enter_as(EVIL)
            child.settle()
            found[child.slot] = child
        except wire.Ended:
            child.close()
    return found


def parent(slot, incarnation, sender=EVIL, root=ROOT):
    """A connection to node 2, as from a parent of the slot."""
    peer = node.knock(EVIL, 2, incarnation, SECONDS)
    if not peer.enter(2, sender, root, slot):
        raise ConnectionRefusedError
    return peer


class Scene:
    """Node 1 sends, nodes 2 to 4 receive."""

    def __init__(self):
        node.switch()
        # Short queues, so that little more than its share lies in each tree.
        self.nodes = [Node(number, dead_ms=DEAD_MS, window=1 << 17)
                      for number in range(1, 5)]
        self.root, *self.members = self.nodes
        for each in self.nodes:
            each.know(self.nodes)
        self.sender = self.root.sender()
        self.sender.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 8 * MIB)
        self.receivers = [each.receiver() for each in self.members]

    def lane(self, number, slot):
        """A connection to that node, as from a parent in the group."""
        peer = node.knock(EVIL, number, timeout=SECONDS)
        if not peer.enter(number, EVIL, EVIL, slot):
            raise ConnectionRefusedError
        return peer

    def complete(self):
        """Waits for the last message; says what there is if that does not end."""
        try:
            node.wait_complete(self.sender, SECONDS)
        except TimeoutError:
            print(f"# {node.completion(self.sender)}")
            for each in self.nodes:
                for what in "message-get", "plan-get", "lane-get":
                    print(f"# node {each.number}: {what}: {each.client.dump(what)}")
                print(f"# node {each.number}: {each.info()} {each.drops()}")
            raise

    def broadcast(self, data, meanwhile=None):
        """Whether all members have it, and the sender knows."""
        readers = [node.Reader(sock) for sock in self.receivers]
        thread = threading.Thread(target=self.sender.send, args=(data,))
        thread.start()
        if meanwhile:
            meanwhile(readers)
        thread.join()
        results = [(reader.result(), bytes(reader.got) == data) for reader in readers]
        self.complete()
        known = set(node.completion(self.sender).values())
        good = results == [("whole", True)] * len(readers) and known == {"delivered"}
        if not good:
            print(f"# {results} {known}")
        return good

    def end(self):
        """The module goes when nobody uses it any more."""
        for sock in self.receivers + [self.sender]:
            sock.close()
        for each in self.nodes:
            each.forget()
        tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
