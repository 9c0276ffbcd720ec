#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""A plan without an edge: what its lane brings until the child has another parent."""

import random
import time

from hbtest import hbcnl, node, tap, wire
from hbtest.node import PORT, Node, until
from hbtest.trees import EVIL, SECONDS, children, listen, parent

DEAD_MS = 1000 * tap.SLOWNESS
CONTENT = bytes(range(200))
PARTS = wire.cut(1, CONTENT, 50, 1)
EDGE = wire.tree_node(2, children=1), wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")
NO_EDGE = wire.tree_node(2),


def related(listener, flags=0):
    """A relay: the lanes from its parent and to its child, which have said what there is."""
    above = parent(0, random.getrandbits(63) + 1)
    above.tell(EDGE, flags=flags)
    below = children(listener, 1)[0]
    above.until(lambda: above.agreed and 1 in above.connected)
    return above, below


def served(listener):
    """The same, and half of a file has been passed on."""
    above, below = related(listener)
    above.send(wire.message(1, len(CONTENT), PORT, 50, 1, wire.FILE), *PARTS[:2])
    below.until(lambda: 1 in below.told and len(below.told[1].parts) == 2)
    return above, below


def replaced(listener):
    """The same, and then it has heard of a plan without its child."""
    above, below = served(listener)
    above.tell(NO_EDGE, 2)
    above.until(lambda: 2 in above.connected)
    return above, below


def hears(lane, what):
    """Whether what() becomes true before the lane ends."""
    try:
        return lane.until(what)
    except wire.Ended:
        return False


def test_stop(listener):
    """The child asks for the end."""
    above, below = replaced(listener)
    above.send(PARTS[2])
    tap.check(hears(below, lambda: 2 in below.told[1].parts),
              "a lane whose edge is gone brings what comes")
    below.send(wire.ack(2), wire.report(1, (1, 0, 1, wire.CLOSED)))
    above.send(wire.message(2, 0, PORT))
    tap.check(below.alive() and above.alive() and above.alive() and below.alive(),
              "the child may say what it says to a parent")
    tap.equal((list(below.told), (1, 1) in above.outcomes), ([1], False),
              "which counts for nothing, and it is told of no other message")
    above.send(wire.done(2, (1, 1)), PARTS[3])
    tap.check(above.alive() and below.alive() and len(below.told[1].parts) == 3,
              "of one that is over nothing comes")
    below.send(wire.stop())
    tap.check(hears(below, lambda: below.over is not None) and not below.over,
              "it is told OVER when it asks for that")
    tap.equal(below.ended(), "end", "and then the lane ends")
    above.leave()
    below.close()


def test_patience(listener):
    """The child has no other parent, and asks for nothing."""
    above, below = replaced(listener)
    begun = time.monotonic()
    ended = until(SECONDS, lambda: not (above.alive() and below.alive()))
    passed = (time.monotonic() - begun) * 1000 / DEAD_MS
    tap.check(ended and 3.5 < passed < 5 and above.alive(),
              f"without a word it ends after four dead-intervals: {passed:.2f}")
    above.leave()
    below.close()


def test_end(listener):
    """The session ends meanwhile."""
    above, below = replaced(listener)
    above.leave()
    tap.check(hears(below, lambda: below.over == wire.OVER_ALL),
              "who has no other parent yet is told of the session's end")
    tap.equal(below.ended(), "end", "and the lane ends")
    below.close()


def test_back(listener):
    """The next plan has the edge again."""
    above, old = replaced(listener)
    above.tell(EDGE, 3)
    new = children(listener, 1)[0]
    above.send(*PARTS[2:])
    tap.equal((new.epoch, new.gets(1)), (3, CONTENT), "an edge that is back has another lane")
    tap.check(hears(old, lambda: old.told[1].whole()), "beside the old one")
    above.leave()
    for lane in old, new:
        tap.check(hears(lane, lambda lane=lane: lane.over == wire.OVER_ALL),
                  "the end of the session is told on both")
        lane.close()


def test_early(listener):
    """A child that has not said what it has gets nothing: there is nothing to go on with."""
    above = parent(0, random.getrandbits(63) + 1)
    above.tell(EDGE)
    below = wire.Child(listener.accept()[0], node.GROUP, node.KEY)
    below.enter_as(EVIL)
    below.until(lambda: below.epoch)
    above.tell(NO_EDGE, 2)
    tap.check(hears(below, lambda: below.over is not None) and not below.over,
              "a lane that has brought nothing yet ends at once")
    above.leave()
    below.close()


def test_whole(listener):
    """Children that are served one after the other."""
    above, below = related(listener, wire.WHOLE)
    above.tell(NO_EDGE, 2, flags=wire.WHOLE)
    tap.check(hears(below, lambda: below.over is not None) and not below.over,
              "a lane that would wait for its turn ends at once, too")
    above.leave()
    below.close()


def test_late(listener):
    """What a child says that it has when it has asked for the end."""
    above, below = served(listener)
    below.send(wire.stop())
    below.until(lambda: below.over is not None)
    below.send(wire.have_end())
    tap.check(below.alive(), "a lane whose edge stays is there when it is over")
    above.send(PARTS[2])
    tap.check(above.alive() and below.alive() and len(below.told[1].parts) == 2,
              "but nothing comes over it, whatever the child says")
    above.leave()
    below.close()


def main():
    hbcnl.load_module()
    node.switch()
    relay = Node(2, dead_ms=DEAD_MS)
    node.plug(EVIL)
    receiver = relay.receiver(PORT, node.UNORDERED)
    with listen() as listener:
        for test in test_stop, test_patience, test_end, test_back, test_early, test_whole, \
                test_late:
            test(listener)
    receiver.close()
    relay.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


if __name__ == "__main__":
    main()
