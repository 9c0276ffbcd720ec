#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Messages that a parent sends again: none is delivered twice."""

import itertools

from hbtest import hbcnl, node, tap, wire
from hbtest.scene import EVIL, Scene

PORT = 8	# honest broadcasts go to another one
SPANS_MAX = 4096
NO_MEMORY = 9


def planned(scene):
    """A lane with a tree of the victim and the leaf."""
    peer = scene.attack()
    peer.enter(2, EVIL, EVIL)
    peer.send(wire.tree(1, [wire.tree_node(2, children=1),
                            wire.tree_node(3, address="10.9.0.3")]))
    peer.wait(wire.TREE_ACK)
    return peer


def message(peer, number, data):
    half = len(data) // 2
    for at, part in (0, data[:half]), (half, data[half:]):
        peer.send(wire.fragment(1, number, at, len(data), part, port=PORT))


def both(scene):
    return node.take_all(scene.near), node.take_all(scene.far)


def reports(peer, number):
    """Both nodes' on that message."""
    ours = (found[1:] for found in peer.reports() if found[0] == number)
    return sorted(itertools.islice(ours, 2))


DELIVERED = [(2, 6, wire.DELIVERED, 0), (3, 6, wire.DELIVERED, 0)]
REFUSED = [(2, 0, wire.FAILED, NO_MEMORY), (3, 0, wire.FAILED, NO_MEMORY)]


def test_again(scene):
    peer = planned(scene)
    message(peer, 100, b"first.")
    tap.equal(both(scene), (b"first.", b"first."), "a message arrives")
    tap.equal(reports(peer, 100), DELIVERED, "and is reported")
    message(peer, 101, b"second")
    tap.equal(both(scene), (b"second", b"second"), "and the next")
    message(peer, 100, b"again.")
    message(peer, 102, b"third.")
    tap.equal(both(scene), (b"third.", b"third."),
              "the first one's id again: what is read then is the next message")
    tap.equal(reports(peer, 102), DELIVERED, "which is reported")
    peer.send(wire.block_end(1, 100, 6, port=PORT))
    tap.equal(reports(peer, 100), DELIVERED, "the first one's report is given again")
    peer.close()
    again = planned(scene)
    message(again, 101, b"replay")
    again.send(wire.block_end(1, 101, 6, port=PORT))
    tap.equal(reports(again, 101), DELIVERED, "nor does it begin again on a new connection")
    message(again, 90, b"early.")
    tap.equal(both(scene), (b"early.", b"early."), "an older id that never came is new")
    again.close()
    scene.well("messages that come again")


def test_many(scene):
    """Every second id, so that none touches another, and more than are remembered."""
    peer = planned(scene)
    first, count = 1 << 20, SPANS_MAX + 100
    numbers = [first + 2 * i for i in range(count)]
    for at in range(0, count, 64):
        for number in numbers[at:at + 64]:
            peer.send(wire.fragment(1, number, 0, 6, b"%06d" % (number % 1000000), port=PORT))
        for number in numbers[at:at + 64]:
            data = b"%06d" % (number % 1000000)
            if both(scene) != (data, data):
                tap.check(False, f"message {number} arrives")
                return
        # One who does not read the reports would not be read either.
        for _ in itertools.islice(peer.reports(), 2 * len(numbers[at:at + 64])):
            pass
    tap.check(True, f"{count} messages with gaps between them arrive")
    message(peer, numbers[0], b"again.")
    peer.send(wire.block_end(1, numbers[0], 6, port=PORT))
    tap.equal(reports(peer, numbers[0]), REFUSED, "the first of them does not come again")
    message(peer, numbers[-1], b"again.")
    peer.send(wire.block_end(1, numbers[-1], 6, port=PORT))
    tap.equal(reports(peer, numbers[-1]), DELIVERED, "nor does the last")
    message(peer, numbers[-2] + 1, b"in gap")
    tap.equal(both(scene), (b"in gap", b"in gap"), "a message from a young gap arrives")
    message(peer, first + 1, b"in gap")
    peer.send(wire.block_end(1, first + 1, 6, port=PORT))
    tap.equal(reports(peer, first + 1), REFUSED, "one from a forgotten gap fails")
    peer.close()
    scene.well("more messages than are remembered")


def main():
    hbcnl.load_module()
    # Nobody may be silent only because thousands of messages keep all busy.
    scene = Scene(dead_ms=1000 + 1000 * tap.SLOWNESS)
    scene.hear(PORT)
    tap.check(scene.honest(), "before: a broadcast arrives")
    test_again(scene)
    test_many(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
