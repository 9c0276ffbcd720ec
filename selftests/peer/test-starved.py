#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300 debian-only
"""A node whose cgroup has no memory for a message: it fails there, and nothing else does."""

import contextlib
import errno
import random
import subprocess

from hbtest import hbcnl, node, tap, wire
from hbtest.cgroup import Cgroup
from hbtest.node import GROUP, KEY, PORT, Node, until
from hbtest.trees import EVIL, SECONDS, children, listen, parent

DEAD_MS = 5000 * tap.SLOWNESS
PIECES = 1 << 21	# each takes two bytes at a node, and another one for each child
MESSAGES = 64
SPARE = 1 << 20	# that the cgroup has
EDGE = wire.tree_node(2, children=1), wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")


def large(number, pieces=PIECES):
    return wire.message(number, 1000 * pieces, PORT, 1000, 1, wire.FILE, name=b"large")


def refused(receiver):
    """Why there is nothing to read."""
    try:
        return node.take_all(receiver)
    except OSError as error:
        return error.errno


def test_message(relay, cgroup):
    """It is told of a message that it cannot have."""
    receiver = relay.receiver(PORT)
    first = parent(0, random.getrandbits(63) + 1)
    first.adopt([wire.tree_node(2)])
    with cgroup.limit(SPARE):
        first.send(large(1))
        tap.equal(first.ended(), "end", "without memory the lane ends, which may help")
        again = parent(0, first.incarnation)
        again.adopt([wire.tree_node(2)])
        again.send(large(1))
        tap.equal(again.outcome(1), wire.NO_MEMORY, "and if it does not, the message fails")
        tap.equal(refused(receiver), errno.ENOMEM, "its reader is told")
        again.give(2, b"content", PORT)
        tap.check(node.take_all(receiver) == b"content", "the next one is delivered")
        tap.equal(again.outcome(2), wire.DELIVERED, "and reported")
    tap.equal(relay.drops()["no-memory"], 1, "that is counted")
    again.leave()
    first.close()
    receiver.close()


def test_charged(cgroup, listener):
    """It notes what its child has, when that comes later than the messages."""
    above = parent(0, random.getrandbits(63) + 1)
    above.tell(EDGE)
    above.send(*(large(number, PIECES // MESSAGES) for number in range(1, MESSAGES + 1)))
    tap.check(above.alive(), "many messages, and the child is not there yet")
    before = cgroup.kernel()
    below = children(listener, 1)[0]
    below.until(lambda: len(below.told) == MESSAGES)
    grown = cgroup.kernel() - before
    tap.check(grown >= PIECES, f"who added the group pays for it, too: {grown}")
    above.leave()
    below.close()


def test_child(cgroup, listener):
    """It has a message, but cannot note what its child has of that."""
    above = parent(0, random.getrandbits(63) + 1)
    above.tell(EDGE)
    above.send(large(1))
    tap.check(above.alive(), "a message for which there is memory")
    lanes = 0
    with cgroup.limit(SPARE):
        while (1, 0) not in above.outcomes or 1 not in above.connected:
            below = wire.Child(listener.accept()[0], GROUP, KEY)
            with contextlib.suppress(wire.Ended):
                below.enter_as(EVIL)
                lanes += 1
                below.settle()
                below.wait(wire.MESSAGE)
            below.close()
            above.alive()
    tap.equal(above.outcomes[1, 0], wire.NO_RECEIVER, "nobody reads it at the node itself")
    tap.equal(above.connected[1], (2, wire.BUSY), "which asks to be without children")
    tap.check(lanes >= 2, f"after another try: {lanes} lanes")
    above.leave()


def main():
    hbcnl.load_module()
    node.switch()
    node.plug(EVIL)
    cgroup = Cgroup("starved")
    with cgroup:
        relay = Node(2, dead_ms=DEAD_MS)
        victim = subprocess.Popen(["sleep", "infinity"])
    test_message(relay, cgroup)
    with listen() as listener:
        test_charged(cgroup, listener)
        test_child(cgroup, listener)
    tap.equal(cgroup.events()["oom_kill"], 0, "no process is ended for it")
    victim.kill()
    victim.wait()
    relay.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


if __name__ == "__main__":
    main()
