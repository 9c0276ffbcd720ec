#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""What a tree does with what others leave of a link, in virtual time."""

import tempfile
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.node import Node, ip, until
from hbtest.trees import MIB, SECONDS

LINK = 5 * MIB	# bytes/s out of node 1
LITTLE, MUCH = MIB, 3 * MIB	# what is planned, with an eighth nearly the link
HEADERS = 1514 / 1392	# bytes on the link, by those of a fragment's payload
PORT = 9


class Transfer(threading.Thread):
    """A file from a root to node 2."""

    def __init__(self, root, reader, file, size):
        super().__init__(daemon=True)
        # A socket takes one message after the other, from whichever root.
        self.sock = reader.receiver(PORT + root.number)
        self.sender = root.sender(PORT + root.number)
        self.got = 0
        self.begun = time.monotonic()
        node.send_file(self.sender, file.fileno(), size)
        self.start()

    def run(self):
        end = False
        while not end:
            data, end = node.take(self.sock)
            self.got += len(data)

    def rate(self):
        """Bytes/s on the link, when all has come."""
        node.wait_complete(self.sender, SECONDS)
        self.join(SECONDS)
        seconds = time.monotonic() - self.begun
        self.sock.close()
        self.sender.close()
        return self.got * HEADERS / seconds


def test_alone(one, two, file):
    """Nobody else needs the link."""
    one.apply_trees((LITTLE, [(1, 2)]), strict=True)
    rate = Transfer(one, two, file, 4 * MIB).rate()
    tap.check(0.9 * LITTLE < rate < 1.1 * LITTLE,
              f"strict: {rate / LITTLE:.2f} of what is planned")
    one.apply_trees((LITTLE, [(1, 2)]), strict=False)
    rate = Transfer(one, two, file, 24 * MIB).rate()
    tap.check(0.7 * LINK < rate < 1.01 * LINK, f"else {rate / LINK:.2f} of the link")


def test_shared(one, two, three, file):
    """Another root's tree needs most of the link after a while."""
    three.apply_trees((MUCH, [(3, 1), (1, 2)]), strict=False)
    first = Transfer(one, two, file, 48 * MIB)
    tap.check(until(SECONDS, lambda: first.got > 16 * MIB), "one tree has the link")
    begun, had = time.monotonic(), first.got
    other = Transfer(three, two, file, 14 * MIB).rate()
    seconds, had = time.monotonic() - begun, (first.got - had) * HEADERS
    tap.check(other > 0.95 * MUCH, f"it gives way: {other / MUCH:.2f} of what is planned there")
    tap.check(had > 0.9 * LITTLE * seconds,
              f"down to what was planned for it: {had / seconds / LITTLE:.2f}")
    first.rate()


def main():
    hbcnl.load_module()
    node.switch()
    nodes = [Node(number) for number in (1, 2, 3)]
    for each in nodes:
        each.know(nodes)
    ip("netns", "exec", "n1", "tc", "qdisc", "add", "dev", "eth0", "root", "netem",
       "rate", f"{LINK * 8}bit", "limit", 200)
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(48 * MIB)
        test_alone(*nodes[:2], file)
        test_shared(*nodes, file)
    for each in nodes:
        each.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


if __name__ == "__main__":
    main()
