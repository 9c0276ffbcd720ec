#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""Words that cross each other: STOP and a newer tree, and what a parent says that has not
heard of the newest plan."""

import random
import socket

from hbtest import hbcnl, node, tap, wire
from hbtest.node import PORT, Node, until
from hbtest.trees import EVIL, SECONDS, children, listen, parent

DEAD_MS = 30000 * tap.SLOWNESS
PAYLOAD, PARTS = 32000, 60	# more than sockets hold, with such a buffer
BUFFER = 1 << 16
LEAF = wire.tree_node(2),
EDGE = wire.tree_node(2, children=1), wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")
BOTH = {0: 1, 1: 1}


def rivals(epoch):
    """Two parents: that of plan 1, which has been asked to stop, and that of a newer one."""
    first = parent(0, None)
    second = parent(0, first.incarnation, sender=EVIL + 1)
    first.adopt(LEAF)
    second.tell(LEAF, epoch)
    first.until(lambda: first.stopped)
    return first, second


def test_follow():
    """A parent reads that it is to stop when the node follows it again."""
    first, second = rivals(2)
    first.tell(LEAF, 3)
    second.until(lambda: second.stopped)
    second.send(wire.over())
    tap.check(first.until(lambda: first.agreed), "a node follows the parent of the newest plan")
    # The answer to what it was asked before that.
    first.send(wire.over())
    tap.equal(first.ended(), "end", "one that brings nothing more is to connect anew")
    first.close()
    again = parent(0, first.incarnation)
    tap.equal(again.adopt(LEAF, 3), (0, 0), "over another connection it is followed")
    again.give(1, b"content", PORT)
    tap.equal(again.outcome(1), wire.NO_RECEIVER, "and brings messages")
    again.leave()
    second.close()


def test_older():
    """A parent that is to stop tells a tree that is newer than its last, and not the newest."""
    first, second = rivals(3)
    first.stopped = False
    first.tell(LEAF, 2)
    tap.check(first.until(lambda: first.stopped), "it is asked again")
    tap.check(second.alive() and not second.agreed, "until then nothing is asked of the other one")
    first.send(wire.over())
    tap.check(second.until(lambda: second.agreed), "and then all")
    second.leave()
    first.close()


def test_told(relay, listener):
    """A child asks for the end before it can know that it has the lane by a newer plan."""
    def lane():
        return next(each for each in relay.client.dump("lane-get") if each["direction"] == "down")

    def full():
        """Its window is shut, and no ACK that is yet to come makes room."""
        now = lane()
        if now["tx-bytes"] != shut["tx-bytes"]:
            shut.update(now)
        return now["rwnd-limited-us"] > shut["rwnd-limited-us"] + 400000

    content = random.randbytes(PAYLOAD * PARTS)
    above = parent(0, None)
    above.tell(EDGE)
    below = children(listener, 1)[0]
    above.until(lambda: above.agreed and 1 in above.connected)
    shut = lane()
    above.send(wire.message(1, len(content), PORT, PAYLOAD, 1, wire.FILE),
               *wire.cut(1, content, PAYLOAD, 1))
    tap.check(until(SECONDS, full), "a child that does not read has a full lane")
    above.tell(EDGE, 2)
    above.until(lambda: above.agreed)
    before = lane()["rx-bytes"]
    below.send(wire.stop())
    tap.check(until(SECONDS, lambda: lane()["rx-bytes"] > before), "it asks for the end")
    tap.check(below.until(lambda: below.epoch == 2 or below.over is not None)
              and below.over is None, "the newer tree comes, and not the end")
    below.settle()
    tap.check(below.gets(1) == content, "and all of the file")
    above.leave()
    below.close()


def test_slot():
    """A parent of a slot in which the node is not any more."""
    both, alone = [wire.tree_node(2, slots=3)], [wire.tree_node(2, slots=1)]
    first = parent(0, None)
    lanes = first, parent(1, first.incarnation)
    for lane in lanes:
        lane.adopt(both, 1, BOTH)
    lanes[0].adopt(alone, 2, BOTH)
    lanes[1].until(lambda: lanes[1].stopped)
    lanes[1].tell(both, 1, BOTH)
    tap.check(lanes[1].alive(), "it may still tell the older tree")
    tap.check(not lanes[1].agreed and not lanes[1].connected, "which the node does not take")
    lanes[1].tell(both, 3, BOTH)
    tap.check(lanes[1].until(lambda: lanes[1].agreed), "but that of a newer plan")
    lanes[0].leave()
    lanes[1].close()


def main():
    hbcnl.load_module()
    node.switch()
    # A child that reads nothing says nothing.
    relay = Node(2, dead_ms=DEAD_MS, stall_ms=DEAD_MS)
    node.plug(EVIL)
    test_follow()
    test_older()
    with listen() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        test_told(relay, listener)
    test_slot()
    relay.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


if __name__ == "__main__":
    main()
