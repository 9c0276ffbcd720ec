#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""What each member gets while the plan changes in the middle of a file, in virtual time."""

import tempfile
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until
from hbtest.trees import MIB, SECONDS

PORT = 9
RATE = 2 * MIB // tap.SLOWNESS	# bytes/s
SIZE = 16 * MIB
HEADERS = 1448 / 1432	# bytes of a fragment, by those of its payload
# The part of it that comes in so many seconds from a change on, at least.
ENOUGH, AROUND = 0.9, tap.SLOWNESS
CHAIN = ((1, 2), (2, 3), (3, 4), (4, 5))
CHANGES = (
    ("a leaf has another parent", CHAIN, ((1, 2), (2, 3), (3, 4), (2, 5))),
    ("a relay becomes a leaf", CHAIN, ((1, 2), (2, 4), (4, 5), (5, 3))),
    ("a relay has another parent", CHAIN, ((1, 2), (2, 3), (1, 4), (4, 5))),
    ("a leaf becomes a relay", CHAIN, ((1, 5), (5, 2), (2, 3), (3, 4))),
)


class Pieces(threading.Thread):
    """Counts what comes of a file."""

    def __init__(self, member):
        super().__init__(daemon=True)
        self.sock = member.receiver(PORT, node.UNORDERED)
        self.got = 0
        self.start()

    def run(self):
        end = False
        while not end:
            data, end, _ = node.take_piece(self.sock)
            self.got += len(data)


def rates(readers, seconds):
    """What comes to each in that time, as a part of the planned rate."""
    begun, before = time.monotonic(), [reader.got for reader in readers]
    time.sleep(seconds)
    passed = time.monotonic() - begun
    return [(reader.got - had) * HEADERS / passed / RATE for reader, had in zip(readers, before)]


def test_change(root, members, file, name, old, new):
    """The plan changes when some of the file is everywhere."""
    root.apply_trees((RATE, old))
    sender = root.sender(PORT)
    readers = [Pieces(member) for member in members]
    node.send_file(sender, file.fileno(), SIZE)
    until(SECONDS, lambda: min(reader.got for reader in readers) > SIZE // 4)
    usual = rates(readers, AROUND)
    epoch = root.apply_trees((RATE, new), wait=False)
    found = rates(readers, AROUND)
    tap.check(root.ready(epoch) and max(reader.got for reader in readers) < SIZE and
              all(part > ENOUGH * each for part, each in zip(found, usual)),
              f"{name}: " + ", ".join(f"node {member.number} {part:.3f} of {each:.3f}"
                                      for member, part, each in zip(members, found, usual)))
    node.wait_complete(sender, SECONDS)
    for reader in readers:
        reader.join(SECONDS)
        reader.sock.close()
    tap.check(set(node.completion(sender).values()) == {"delivered"} and
              all(reader.got == SIZE for reader in readers), "all have it, once")
    sender.close()


def main():
    hbcnl.load_module()
    node.switch()
    root, *members = nodes = [Node(number) for number in range(1, 6)]
    for each in nodes:
        each.know(nodes)
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(SIZE)
        for change in CHANGES:
            test_change(root, members, file, *change)
    for each in nodes:
        each.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


if __name__ == "__main__":
    main()
