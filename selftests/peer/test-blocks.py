#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=200
"""Fragments in any order: what is missing is asked for, what comes twice is dropped."""

import itertools
import os
import random
import socket

from hbtest import hbcnl, node, tap, wire
from hbtest.scene import EVIL, Scene

PORT = 8		# honest broadcasts go to another one
SO_RCVBUFFORCE = 33	# so that nothing comes too early for it
ids = iter(range(1000, 1000000))


def planned(scene, child=True):
    """A lane with a tree of the victim, and the leaf below it."""
    peer = scene.attack()
    peer.enter(2, EVIL, EVIL)
    nodes = [wire.tree_node(2, children=int(child))]
    if child:
        nodes.append(wire.tree_node(3, address="10.9.0.3"))
    peer.send(wire.tree(1, nodes))
    peer.wait(wire.TREE_ACK)
    return peer


def parts_in_turn(message, data, size, **fields):
    for at in range(0, len(data), size):
        yield wire.fragment(1, message, at, len(data), data[at:at + size], port=PORT, **fields)


def parts(message, data, size, **fields):
    return list(parts_in_turn(message, data, size, **fields))


def both(scene):
    return node.take_all(scene.near), node.take_all(scene.far)


def reported(peer, message):
    """What both have reported of a message, perhaps more than once."""
    found = set()
    for about, *what in peer.reports():
        if about == message:
            found.add(tuple(what))
        if {who for who, *_ in found} == {2, 3}:
            return sorted(found)
    return None


def test_order(scene, peer):
    """Each order of five fragments, each with one of them twice."""
    good = True
    for order in itertools.permutations(range(5)):
        message = next(ids)
        data = os.urandom(45)
        frames = parts(message, data, 10)
        for i in order[:3] + order[:1] + order[3:]:
            peer.send(frames[i])
        good = good and both(scene) == (data, data)
    tap.check(good, "every order of five fragments, and one twice")


def test_jump(scene, peer):
    """What comes along one tree comes in its turn: whatever is jumped over has got lost."""
    message = next(ids)
    data = os.urandom(1000)
    frames = parts(message, data, 10)
    for i in range(100):
        if i not in (0, 7, 8, 50):
            peer.send(frames[i])
    tap.equal([peer.lacks(message) for _ in range(3)], [[(0, 10)], [(70, 20)], [(500, 10)]],
              "what is jumped over is asked for at once")
    for i in 0, 7, 8, 50:
        peer.send(parts(message, data, 10, flags=wire.REPAIR)[i])
    tap.equal(both(scene), (data, data), "and is read when it comes")


def test_ask(scene, peer):
    """Ranges by hand: 100 fragments of 10 bytes, of which some do not come."""
    message = next(ids)
    data = os.urandom(1000)
    frames = parts(message, data, 10)
    missing = {0, 7, 8, 50, 99}
    for i, frame in enumerate(frames):
        if i not in missing:
            peer.send(frame)
    peer.alive()
    peer.send(wire.block_end(1, message, 1000, end=70, port=PORT))
    tap.equal(peer.lacks(message), [(0, 10)], "what lies before the end of blocks is asked for")
    peer.send(wire.block_end(1, message, 1000, port=PORT, turn=2))
    tap.equal(peer.lacks(message), [(0, 10), (70, 20), (500, 10), (990, 10)],
              "all that is missing is asked for")
    repairs = parts(message, data, 10, flags=wire.REPAIR)
    for i in sorted(missing - {8}):
        peer.send(repairs[i])
    peer.send(wire.block_end(1, message, 1000, port=PORT, turn=3))
    tap.equal(peer.lacks(message), [(80, 10)], "what was sent again is not asked for once more")
    peer.send(repairs[8] + repairs[9])
    peer.send(wire.block_end(1, message, 1000, port=PORT, turn=4))
    tap.equal(peer.has(message), 1000, "then this node and the one below have it all")
    tap.equal(both(scene), (data, data), "and it is read")
    whole = [(number, 1000, wire.DELIVERED, 0) for number in (2, 3)]
    tap.equal(reported(peer, message), whole, "and reported")
    peer.send(wire.block_end(1, message, 1000, port=PORT, turn=5))
    tap.equal(reported(peer, message), whole, "and reported again when it is asked for")
    for frame in frames:
        peer.send(frame)
    data = os.urandom(30)
    for frame in parts(next(ids), data, 10):
        peer.send(frame)
    tap.equal(both(scene), (data, data), "what comes once more is not read once more")


def test_unknown(scene, peer):
    """A message of which nothing has come but its end."""
    message = next(ids)
    peer.send(wire.block_end(1, message, 25, port=PORT))
    tap.equal(peer.lacks(message), [(0, 25)], "a message that nobody has begun is asked for")
    data = os.urandom(25)
    for frame in parts(message, data, 10, flags=wire.REPAIR):
        peer.send(frame)
    tap.equal(node.take_all(scene.near), data, "and comes")
    # The leaf may have asked only after that.
    peer.send(wire.block_end(1, message, 25, port=PORT, turn=2))
    while peer.answer(message) != 25:
        for frame in parts(message, data, 10, flags=wire.REPAIR):
            peer.send(frame)
        peer.send(wire.block_end(1, message, 25, port=PORT, turn=3))
    tap.equal(node.take_all(scene.far), data, "at the leaf, too")


def test_follow(scene, peer):
    """The second of two messages comes first."""
    first, second = next(ids), next(ids)
    one, two = os.urandom(20), os.urandom(20)
    for frame in parts(second, two, 10, after=1):
        peer.send(frame)
    tap.check(peer.alive() and not node.readable(scene.near), "a message waits for the one before")
    for frame in parts(first, one, 10):
        peer.send(frame)
    tap.equal([both(scene), both(scene)], [(one, one), (two, two)], "and is read behind it")
    first, second = next(ids), next(ids)
    for frame in parts(second, two, 10, after=1):
        peer.send(frame)
    tap.check(peer.alive() and not node.readable(scene.near), "again one waits")
    peer.send(wire.block_end(1, second, 20, port=PORT))
    tap.equal(both(scene), (two, two), "until it is told that nobody comes before it")
    first, second = next(ids), next(ids)
    peer.send(parts(first, one, 10)[0])
    for frame in parts(second, two, 10, after=1):
        peer.send(frame)
    peer.send(wire.block_end(1, second, 20, port=PORT))
    ends = [node.Reader(sock).result() for sock in (scene.near, scene.far)]
    tap.equal(ends, ["ECONNABORTED"] * 2, "what is over before it has come whole is aborted")
    tap.equal(both(scene), (two, two), "and the next is read")


def test_late(scene, peer):
    """The first of two messages is told of before it comes, or begins to come."""
    one, two = os.urandom(20), os.urandom(20)
    for told_first in False, True:
        first, second = next(ids), next(ids)
        readers = [node.Reader(sock) for sock in (scene.near, scene.far)]
        end = wire.block_end(1, first, 20, port=PORT)
        frames = parts(second, two, 10, after=1)
        for frame in [end] + frames if told_first else frames + [end]:
            peer.send(frame)
        peer.send(parts(first, one, 10)[0])
        tap.check(peer.alive() and not any(reader.end for reader in readers),
                  "the second is not read while the first is not there")
        peer.send(parts(first, one, 10)[1])
        got = [(reader.result(), bytes(reader.got)) for reader in readers]
        tap.equal(got, [("whole", one)] * 2, "then the first is read")
        tap.equal(both(scene), (two, two), "and the second")


def test_nothing(scene, peer):
    """A message of no bytes is whole when it is told of."""
    message = next(ids)
    peer.send(wire.block_end(1, message, 0, port=PORT))
    tap.equal(both(scene), (b"", b""), "of no bytes nothing is missing")
    tap.equal(reported(peer, message),
              [(2, 0, wire.DELIVERED, 0), (3, 0, wire.DELIVERED, 0)], "it is reported")


def test_gone(scene, peer):
    """What lies before `from` will not come any more."""
    message, data = next(ids), os.urandom(40)
    frames = parts(message, data, 10)
    peer.send(frames[0] + frames[2])
    peer.alive()
    peer.send(wire.block_end(1, message, 40, end=30, first=10, port=PORT))
    tap.equal(peer.lacks(message), [(10, 10)], "who has what comes before goes on")
    readers = [node.Reader(sock) for sock in (scene.near, scene.far)]
    peer.send(wire.block_end(1, message, 40, end=40, first=20, port=PORT, turn=2))
    tap.equal([reader.result() for reader in readers], ["ECONNRESET"] * 2, "who lacks it does not")
    final = [(who, state) for who, _, state, _ in reported(peer, message)]
    tap.equal(final, [(2, wire.FAILED), (3, wire.FAILED)], "and says so")


def test_halves(scene, peer):
    """Frames for all and repairs in turn, cut anywhere: the leaf gets those for all."""
    message, data = next(ids), os.urandom(400)
    plain, again = parts(message, data, 10), parts(message, data, 10, flags=wire.REPAIR)
    stream = b"".join(again[i] if i % 2 else plain[i] for i in range(40))
    for at in range(0, len(stream), 35):
        peer.send(stream[at:at + 35])
    peer.alive()
    peer.send(wire.block_end(1, message, 400, port=PORT))
    # The leaf may have asked for some of it first.
    asked, lacked = set(), {(10 * i, 10) for i in range(1, 40, 2)}
    while asked < lacked:
        asked.update(peer.lacks(message))
    tap.equal(asked, lacked, "half frames are for whom the whole ones are")
    peer.send(b"".join(again))
    tap.equal(both(scene), (data, data), "and all of it is read in the end")


def test_bound(scene, peer):
    """What waits for another message is not kept beyond sixty-four receive buffers."""
    for sock in scene.near, scene.far:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    first, second = next(ids), next(ids)
    size, total = 1400, 700 * 1400
    frames = []
    for frame in parts_in_turn(second, os.urandom(total), size, after=1):
        # Their checksums take longer than a lane is silent.
        peer.send(frame)
        frames.append(frame)
    peer.alive()
    peer.send(wire.block_end(1, second, total, port=PORT, after=1))
    asked = peer.lacks(second)
    kept = total - sum(bytes_ for _, bytes_ in asked)
    tap.check(0 < kept < 500000, f"{kept} of {total} bytes are kept for later")
    peer.send(wire.fragment(1, first, 0, 10, port=PORT, reason=1, flags=wire.ABORT))
    readers = [node.Reader(sock) for sock in (scene.near, scene.far)]
    turn = 2
    while any(reader.is_alive() for reader in readers):
        for at, bytes_ in asked or ():
            for i in range(at // size, (at + bytes_) // size):
                peer.send(frames[i])
        peer.send(wire.block_end(1, second, total, port=PORT, turn=turn))
        asked = None if peer.answer(second) is not None else [(0, total)]
        turn += 1
    tap.equal([(reader.end, len(reader.got)) for reader in readers], [("whole", total)] * 2,
              "the rest comes when there is somebody to read it")


def test_root_dies(scene):
    """What waits for a message that will not come is read when the root is dead."""
    peer = planned(scene, child=False)
    data = os.urandom(20)
    next(ids)
    for frame in parts(next(ids), data, 10, after=1):
        peer.send(frame)
    tap.check(peer.alive() and not node.readable(scene.near), "a message waits for the one before")
    reader = node.Reader(scene.near)
    peer.close()
    tap.equal((reader.result(), bytes(reader.got)), ("whole", data), "until its root is dead")


def send_random(peer, rng, data, size):
    """In random order, some twice, some not at all, until all has gone: rounds, or None."""
    message, turn = next(ids), 0
    count = -(-len(data) // size)
    left = range(count)
    while left:
        send = [i for i in left for _ in range(rng.choice((0, 1, 1, 2)))]
        rng.shuffle(send)
        frames = parts(message, data, size, flags=wire.REPAIR if turn else 0)
        for i in send:
            peer.send(frames[i])
        turn += 1
        left = sorted(set(left) - set(send))
        if left:
            peer.alive()
            peer.send(wire.block_end(1, message, len(data), port=PORT, turn=turn))
            asked = [at for first, bytes_ in peer.lacks(message)
                     for at in range(first, first + bytes_, size)]
            if asked != [i * size for i in left]:
                return None
    return turn


def test_random(scene):
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    peer = planned(scene, child=False)
    scene.near.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
    rounds = []
    for _ in range(20):
        data = os.urandom(rng.randint(1, 40000))
        reader = node.Reader(scene.near)
        rounds.append(send_random(peer, rng, data, rng.randint(len(data) // 200 + 1, 1400)))
        if not rounds[-1] or reader.result() != "whole" or reader.got != data:
            break
    tap.check(len(rounds) == 20 and rounds[-1],
              f"20 random messages, in {rounds} rounds; seed {seed}")
    peer.close()


def main():
    hbcnl.load_module()
    scene = Scene(dead_ms=1000 + 1000 * tap.SLOWNESS)
    scene.hear(PORT)
    tap.check(scene.honest(), "before: a broadcast arrives")
    peer = planned(scene)
    for test in test_order, test_jump, test_ask, test_unknown, test_follow, test_late, \
            test_nothing, test_gone, test_halves, test_bound:
        test(scene, peer)
    peer.close()
    test_random(scene)
    test_root_dies(scene)
    scene.well("fragments in any order")
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
