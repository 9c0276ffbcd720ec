#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""Plans that hand on whole messages, to one child after the other, in virtual time."""

import tempfile
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.node import GROUP, Node, ip, until
from hbtest.trees import MIB, SECONDS

LINK = MIB // tap.SLOWNESS	# bytes/s out of each node
HEADERS = 1514 / 1432	# bytes on the link, by those of a fragment's payload
DATA = bytes(range(256)) * (MIB // 256)
TIME = len(DATA) * HEADERS / LINK	# seconds that it takes over one link
PORT = 9
CHAIN, STAR = [(1, 2), (2, 3)], [(1, 2), (1, 3)]


class Arrival(threading.Thread):
    """A message that a node reads: seconds to its first byte and its last."""

    def __init__(self, reader, begun, port):
        super().__init__(daemon=True)
        self.sock = reader.receiver(port)
        self.begun = begun
        self.data = b""
        self.first = self.last = self.error = None
        self.start()

    def run(self):
        end = False
        while not end:
            try:
                data, end = node.take(self.sock)
            except OSError as why:
                self.error = why.errno
                return
            self.first = self.first or time.monotonic() - self.begun
            self.data += data
        self.last = time.monotonic() - self.begun


class Broadcast:
    """One message from the first node to all others."""

    def __init__(self, nodes, data=DATA, port=PORT, file=False):
        self.data = data
        self.sender = nodes[0].sender(port)
        begun = time.monotonic()
        self.arrivals = [Arrival(each, begun, port) for each in nodes[1:]]
        if file:
            with tempfile.TemporaryFile() as content:
                content.write(data)
                content.flush()
                node.send_file(self.sender, content.fileno(), len(data))
        else:
            self.sender.send(data)

    def wait(self, name, **ends):
        """Those that do not end well are named, with their reason."""
        want = {2 + i: ends.get(f"n{2 + i}", "delivered") for i in range(len(self.arrivals))}
        node.wait_complete(self.sender, SECONDS)
        tap.equal(node.completion(self.sender), want, f"{name}: what becomes of it")
        for number, arrival in enumerate(self.arrivals, 2):
            if want[number] == "delivered":
                arrival.join(SECONDS)
                tap.check(arrival.data == self.data, f"{name}: {number} has what was sent")
                arrival.sock.close()
        self.sender.close()
        return self.arrivals


def near(arrival, at_least, at_most, name):
    """In times of a link."""
    took = arrival.last / TIME
    tap.check(at_least <= took <= at_most, f"{name}: after {took:.2f} of a link's time")


def test_chain(nodes):
    nodes[0].apply_trees((0, CHAIN), forward="packet")
    near(Broadcast(nodes).wait("packets")[1], 0.9, 1.2, "packets, the second of a chain")
    nodes[0].apply_trees((0, CHAIN), forward="message")
    second, third = Broadcast(nodes).wait("messages")
    near(second, 0.9, 1.1, "messages, the first of a chain")
    near(third, 1.9, 2.2, "messages, the second")
    tap.check(third.first > 0.95 * second.last, "which gets nothing before the first has all")


def test_star(nodes):
    nodes[0].apply_trees((0, STAR), forward="packet")
    for arrival in Broadcast(nodes).wait("packets to both"):
        near(arrival, 1.4, 2.1, "packets, of two children that share a link")
    nodes[0].apply_trees((0, STAR), forward="message")
    second, third = Broadcast(nodes).wait("one after the other")
    # TCP's buffer for the first one may hold the rest of it.
    near(second, 0.9, 1.3, "messages, the first child")
    near(third, 1.8, 2.1, "messages, the second child")
    tap.check(third.first > 0.7 * TIME, "which gets nothing before the first's was sent")


def test_several(nodes):
    """Short and long ones of two senders at once, with nothing in between."""
    nodes[0].apply_trees((0, CHAIN), forward="message")
    both = [Broadcast(nodes, DATA, PORT), Broadcast(nodes, DATA[:70000], PORT + 1)]
    both[0].wait("two at once, the long one")
    both[1].wait("two at once, the short one")
    for data in b"", b"x", DATA[:1432], DATA[:100000]:
        Broadcast(nodes, data).wait(f"{len(data)} bytes")


def test_file(nodes):
    """A file is handed on when all of it is there, too."""
    second, third = Broadcast(nodes, file=True).wait("a file")
    near(second, 0.9, 1.1, "a file, the first of a chain")
    near(third, 1.9, 2.2, "a file, the second")
    tap.check(second.first < 0.5 * TIME and third.first > 0.95 * second.last,
              "which gets nothing before the first has all")


def test_long(nodes):
    """What takes longer than a dead interval to come waits all the same, and no lane is
    taken for a dead one's."""
    for each in nodes:
        each.client.do("group-set", id=GROUP, dead_ms=int(TIME * 500))
    before = [lane["id"] for each in nodes for lane in each.client.dump("lane-get")]
    third = Broadcast(nodes).wait("two dead intervals long")[1]
    near(third, 1.9, 2.2, "which is waited for")
    tap.equal([lane["id"] for each in nodes for lane in each.client.dump("lane-get")], before,
              "the lanes are those before")
    for each in nodes:
        each.client.do("group-set", id=GROUP, dead_ms=60000)


def test_lost(nodes):
    """The first child goes: the second one has its turn, and all of it."""
    nodes[0].apply_trees((0, STAR), forward="message")
    for each in nodes[:2]:
        each.client.do("group-set", id=GROUP, dead_ms=1000)
    gone = Broadcast(nodes, file=True)
    tap.check(until(SECONDS, lambda: gone.arrivals[0].first), "the first child has some")
    tap.equal(gone.arrivals[1].first, None, "the second has none yet")
    ip("-n", "switch", "link", "set", "p2", "down")
    lost = gone.wait("a child that goes", n2="node-dead")[0]
    lost.join(SECONDS)
    tap.check(lost.error, f"who has gone is told so: {lost.error}")
    lost.sock.close()


def main():
    hbcnl.load_module()
    node.switch()
    nodes = [Node(number, dead_ms=60000, stall_ms=60000) for number in (1, 2, 3)]
    for each in nodes:
        each.know(nodes)
        ip("netns", "exec", f"n{each.number}", "tc", "qdisc", "add", "dev", "eth0", "root",
           "netem", "rate", f"{LINK * 8}bit", "limit", 200)
    test_chain(nodes)
    test_several(nodes)
    test_file(nodes)
    test_long(nodes)
    test_star(nodes)
    test_lost(nodes)
    for each in nodes:
        each.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


if __name__ == "__main__":
    main()
