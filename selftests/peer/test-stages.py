#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=400
"""Trees that reach some members only: each has a file as soon as its trees allow."""

import os
import tempfile
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.node import until
from hbtest.trees import MIB, SECONDS, Scene, carried

RATE = MIB // tap.SLOWNESS	# bytes/s of each tree
SIZE = 6 * MIB + 4321
PORT = 9
HEADERS = 1448 / 1392	# bytes of a fragment, by those of its payload
NESTED = (((1, 2), (2, 3), (3, 4)), ((1, 3), (3, 2)), ((1, 2),))
CROSSED = (((1, 2), (2, 3), (3, 4)), ((1, 3), (3, 2)), ((1, 4), (4, 2)))
# A relay that is in fewer trees than those on both sides of it.
THROUGH = (((1, 2), (2, 3), (3, 4)), ((1, 4),), ((1, 4), (4, 2)))
# By hand: when each node has the file, in the time that one tree needs for it, and how
# often its bytes come there. The spread takes a third. Then a node in two of three trees
# gets the last third in half that time; who is in the first tree gets half of that, too,
# unless it has it, and needs a time for each byte that it lacks still. A relay gets what
# those below it lack, though it has it.
EXPECTED = (
    ("nested", NESTED, {2: (1 / 3, 1 + 1 / 6 + 1 / 2), 3: (1 / 2, 1 + 1 / 2), 4: (1, 1)}),
    ("crossed", CROSSED, {2: (1 / 3, 1 + 1 / 6 + 1 / 6), 3: (1 / 2, 1 + 1 / 6), 4: (2 / 3, 1)}),
    ("through", THROUGH, {2: (1 / 2, 1 + 1 / 2), 3: (1, 1), 4: (1 / 3, 1 + 1 / 6)}),
)


class Pieces(threading.Thread):
    """Reads one file in whatever order it comes."""

    def __init__(self, sock):
        super().__init__(daemon=True)
        self.sock = sock
        self.got = None
        self.seconds = None
        self.begun = time.monotonic()
        self.start()

    def run(self):
        end = False
        while not end:
            try:
                data, end, (_, offset, total) = node.take_piece(self.sock)
            except ConnectionResetError:
                return
            self.got = bytearray(total) if self.got is None else self.got
            self.got[offset:offset + len(data)] = data
        self.seconds = time.monotonic() - self.begun


def received(member):
    """Bytes that have come from its parents."""
    return sum(lane["rx-bytes"] for lane in member.client.dump("lane-get")
               if lane["direction"] == "up" and lane["root"] == 1)


def send(scene, file, meanwhile=None):
    """The file to all: {node: its reader}."""
    sender = scene.root.sender(PORT)
    socks = {each.number: each.receiver(PORT, unordered=True) for each in scene.members}
    readers = {number: Pieces(sock) for number, sock in socks.items()}
    node.send_file(sender, file.fileno(), SIZE)
    if meanwhile:
        meanwhile()
    node.wait_complete(sender, SECONDS)
    known = node.completion(sender)
    for number, state in known.items():
        if state == "delivered":
            readers[number].join(SECONDS)
    for sock in [sender, *socks.values()]:
        sock.close()
    return readers, known


def near(found, expected, tolerance):
    """Whether all are as expected, but for so much of it."""
    return all(abs(found[number] / expected[number] - 1) < tolerance for number in expected)


def test_times(scene, file, data, name, trees, expected):
    """Who is in more trees has it earlier, and nothing goes where nobody needs it."""
    scene.root.apply_trees(*((RATE, tree) for tree in trees))
    before = {each.number: received(each) for each in scene.members}
    readers, known = send(scene, file)
    tap.check(set(known.values()) == {"delivered"} and
              all(reader.got == data for reader in readers.values()), f"{name}: all have it")
    seconds = {number: reader.seconds for number, reader in readers.items()}
    wanted = {number: time * SIZE * HEADERS / RATE for number, (time, _) in expected.items()}
    tap.check(near(seconds, wanted, 0.1), f"{name}: it takes " + ", ".join(
        f"node {number} {seconds[number]:.2f} s of {wanted[number]:.2f}" for number in wanted))
    times = {each.number: (received(each) - before[each.number]) / SIZE / HEADERS
             for each in scene.members}
    often = {number: count for number, (_, count) in expected.items()}
    tap.check(near(times, often, 0.04), f"{name}: its bytes come " + ", ".join(
        f"to node {number} {times[number]:.3f} times of {often[number]:.3f}" for number in often))


def test_cut(scene, file, data):
    """Lanes break in every stage."""
    scene.root.apply_trees(*((RATE, tree) for tree in CROSSED))

    def cut():
        before = carried(scene.root)[0]
        for k, (parent, child, slot) in enumerate(((1, 3, 1), (2, 3, 0), (4, 2, 2), (3, 4, 0))):
            until(SECONDS, lambda k=k: carried(scene.root)[0] - before > (k + 1) * SIZE // 6)
            scene.nodes[child - 1].cut(scene.nodes[parent - 1], slot=slot)

    readers, known = send(scene, file, cut)
    tap.check(set(known.values()) == {"delivered"} and
              all(reader.got == data for reader in readers.values()),
              "lanes break in every stage: all have it")


def test_memory(scene):
    """What is in memory goes where all are reached."""
    scene.root.apply_trees(*((0, tree) for tree in NESTED))
    before = carried(scene.root)
    good = scene.broadcast(os.urandom(MIB))
    after = carried(scene.root)
    tap.check(good and after[0] - before[0] > MIB and after[1] - before[1] < MIB // 8,
              "a message in memory: all have it, and by the first tree")


def test_empty(scene):
    """Files of no bytes and of few, and many of them."""
    good = True
    sender = scene.root.sender(PORT)
    socks = [each.receiver(PORT) for each in scene.members]
    for size in (0, 1, 70000, 0, 200000):
        with tempfile.TemporaryFile() as file:
            data = os.urandom(size)
            file.write(data)
            file.flush()
            node.send_file(sender, file.fileno(), size)
            good = all(node.take_all(sock) == data for sock in socks) and good
            node.wait_complete(sender, SECONDS)
    for sock in [sender, *socks]:
        sock.close()
    tap.check(good, "files of no bytes, one, and some")


def test_dead(scene, file, data):
    """The last stage's only member dies: the others have it, and the sender knows."""
    scene.root.apply_trees(*((RATE, tree) for tree in NESTED))

    def kill():
        before = carried(scene.root)[0]
        until(SECONDS, lambda: carried(scene.root)[0] - before > SIZE // 2)
        node.ip("-n", "switch", "link", "set", "p4", "down")

    readers, known = send(scene, file, kill)
    tap.equal(known, {2: "delivered", 3: "delivered", 4: "node-dead"},
              "who dies in the last stage is known")
    tap.check(readers[2].got == data and readers[3].got == data, "and the others have it")


def main():
    hbcnl.load_module()
    scene = Scene()
    data = os.urandom(SIZE)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        for name, trees, expected in EXPECTED:
            test_times(scene, file, data, name, trees, expected)
        test_cut(scene, file, data)
        test_memory(scene)
        test_empty(scene)
        test_dead(scene, file, data)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
