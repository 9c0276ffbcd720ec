#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""A node that is attacked by a parent who has the key: trees, fragments, floods."""

import os
import random
import socket
import struct
import time

from hbtest import hbcnl, node, tap, wire
from hbtest.node import until
from hbtest.scene import EVIL, Scene

PORT = 8	# honest broadcasts go to another one
QUEUE = 131072
TREES_MAX = 64
DEPTH_MAX = 512
NODES_MAX = 4096
BURST_MAX = 65536
# What a turn may add to a queue: of 10 bursts with 32 messages each there are 320 reports,
# 170 to a frame; each frame has a page, and what tells where it is.
TURN = (320 // 170 + 2) * (4096 + 256)

ids = iter(range(1000, 1000000))


def enter(scene):
    peer = scene.attack()
    peer.enter(2, EVIL, EVIL)
    return peer


def leaf(**how):
    return wire.tree_node(2, **how)


def planned(scene, epoch=1):
    """A lane with a tree in which the victim is alone."""
    peer = enter(scene)
    peer.send(wire.tree(epoch, [leaf()]))
    peer.wait(wire.TREE_ACK)
    return peer


def refused(scene, name, *frames, begin=enter):
    """The lane ends."""
    peer = begin(scene)
    for frame in frames:
        peer.send(frame)
    tap.equal(peer.ended(), "end", f"refused: {name}")
    peer.close()


def test_right(scene):
    """The encoder is right: a broadcast by hand, through the victim to the leaf."""
    peer = enter(scene)
    child = wire.tree_node(3, address="10.9.0.3")
    peer.send(wire.tree(1, [leaf(children=1), child]))
    tap.equal(peer.wait(wire.TREE_ACK), struct.pack(">IIHH", 1, 0, 0, 0), "a right tree")
    data = os.urandom(5000)
    for at in range(0, 5000, 1000):
        peer.send(wire.fragment(1, 77, at, 5000, data[at:at + 1000], port=PORT))
    tap.check(node.take_all(scene.near) == data, "a right message arrives")
    tap.check(node.take_all(scene.far) == data, "and is passed on")
    reports = {peer.report(77), peer.report(77)}
    tap.equal(reports, {(2, 5000, wire.DELIVERED, 0), (3, 5000, wire.DELIVERED, 0)},
              "and is reported")
    peer.send(wire.fragment(1, 78, 0, 0, port=PORT))
    tap.check(node.take_all(scene.near) == b"" == node.take_all(scene.far), "an empty one, too")
    for byte in wire.fragment(1, 79, 0, 9, b"byte wise", port=PORT):
        peer.send(bytes([byte]))
    tap.check(node.take_all(scene.near) == b"byte wise" == node.take_all(scene.far),
              "and one that comes byte by byte")
    large = os.urandom(BURST_MAX - 56)
    peer.send(wire.fragment(1, 80, 0, len(large), large, port=PORT))
    tap.check(node.take_all(scene.near) == large == node.take_all(scene.far),
              "and a fragment of the largest size")
    peer.send(wire.epoch_end(1))
    begin = time.monotonic()
    tap.check(until(4, lambda: peer.alive() and
                    scene.victim.info()["lanes"] == scene.lanes + 1),
              "the end of the epoch ends its lane")
    print(f"# after {time.monotonic() - begin:.2f} s")
    peer.close()
    scene.well("a right broadcast")


def chain(depth):
    """A tree of nodes one below the other, in as many frames as it takes."""
    nodes = [wire.tree_node(2 if i == 0 else 1000 + i, children=int(i < depth))
             for i in range(depth + 1)]
    return [wire.tree(1, nodes[i:i + 92], first=i, total=len(nodes))
            for i in range(0, len(nodes), 92)]


def test_tree_shapes(scene):
    n = wire.tree_node
    shapes = {
        "two roots": [leaf(), n(3)],
        "more children than nodes": [leaf(children=2), n(3)],
        "a node too many": [leaf(children=1), n(3), n(4)],
        "a branch too long": [leaf(children=1), n(3, children=1)],
        "a node twice": [leaf(children=2), n(3), n(3)],
        "itself below itself": [leaf(children=1), n(2)],
        "a cycle": [leaf(children=1), n(3, children=1), n(2)],
        "another's subtree": [n(3)],
        "itself as a child": [n(3, children=1), n(2)],
        "all children there are": [leaf(children=wire.ALL)],
    }
    for name, nodes in shapes.items():
        refused(scene, f"tree with {name}", wire.tree(1, nodes))
    refused(scene, f"tree of {DEPTH_MAX + 1} edges from root to leaf", *chain(DEPTH_MAX + 1))
    peer = enter(scene)
    for frame in chain(DEPTH_MAX):
        peer.send(frame)
    tap.check(peer.alive(), f"{DEPTH_MAX} edges are not too many")
    peer.close()
    scene.well("trees that are none")


def test_tree_fields(scene):
    one = [leaf()]
    long = bytes([10, 9, 0, 3]) + b"\1" * 12
    fields = {
        "epoch 0": wire.tree(0, one),
        "node 0": wire.tree(1, [wire.tree_node(0)]),
        "no address": wire.tree(1, [leaf(address="0.0.0.0")]),
        "an address too long": wire.tree(1, [one[0][:24] + long + one[0][40:]]),
        "port 0": wire.tree(1, [leaf(port=0)]),
        "family 5": wire.tree(1, [leaf(family=5)]),
        "reserved bytes": wire.tree(1, one, reserved=1),
        "a node that is not in the slot": wire.tree(1, [leaf(slots=2)]),
        "another slot": wire.tree(1, [leaf(slots=3)], slot=1),
        "total 0": wire.tree(1, one, total=0),
        "total 4097": wire.tree(1, one, total=NODES_MAX + 1),
        "total 2^32 - 1": wire.tree(1, one, total=wire.ALL),
        "count 0": wire.tree(1, one, count=0),
        "count 2": wire.tree(1, one, total=2, count=2),
        "count 65535": wire.tree(1, one, total=NODES_MAX, count=65535),
        "first behind the end": wire.tree(1, one, first=1),
        "first 2^32 - 1": wire.tree(1, one, first=wire.ALL, total=2),
        "no beginning": wire.tree(1, one, first=1, total=2),
        "93 nodes in a frame": wire.tree(1, [leaf(children=92)] + [wire.tree_node(9 + i)
                                                                   for i in range(92)]),
        "half a node": wire.frame(wire.TREE, wire.tree(1, one)[8:-1]),
    }
    for name, frame in fields.items():
        refused(scene, f"tree with {name}", frame)
    two = [leaf(children=2), wire.tree_node(3), wire.tree_node(4)]
    first = wire.tree(1, two[:1], total=3)
    parts = {
        "a gap": wire.tree(1, two[2:], first=2, total=3),
        "a part twice": wire.tree(1, two[1:2], first=1, total=3) * 2,
        "another total": wire.tree(1, two[1:2], first=1, total=2),
        "another epoch": wire.tree(2, two[1:], first=1, total=3),
    }
    for name, frame in parts.items():
        refused(scene, f"tree in parts with {name}", first, frame)
    peer = enter(scene)
    peer.send(wire.tree(1, [leaf(children=1)], total=NODES_MAX))
    tap.check(peer.alive(), "a tree that never comes whole waits")
    peer.close()
    refused(scene, "more trees than a plan may have under way",
            *(wire.tree(epoch, [leaf()]) for epoch in range(1, TREES_MAX + 2)))
    scene.victim.client.do("group-set", id=node.GROUP, member=[1, 2, 3, EVIL])
    refused(scene, "tree with a stranger",
            wire.tree(1, [leaf(children=1), wire.tree_node(77)]))
    scene.victim.client.do("group-set", id=node.GROUP, any_member=True)
    scene.well("trees with wrong fields")


def test_out_of_turn(scene):
    ack = struct.pack(">IH2xQQIBBH", 1, 1, 1, 1, 3, wire.DELIVERED, 0, 0)
    for name, frame in {
            "HELLO": wire.hello(node.GROUP, EVIL, 2, EVIL),
            "AUTH": wire.frame(wire.AUTH, bytes(32)),
            "READY": wire.frame(wire.READY),
            "REJECT": wire.frame(wire.REJECT, b"\0\3\0\0"),
            "CHALLENGE": wire.frame(wire.CHALLENGE, b"\0\0\0\2" + bytes(64)),
            "TREE_ACK": wire.frame(wire.TREE_ACK, struct.pack(">IIHH", 1, 0, 0, 0)),
            "ACK": wire.frame(wire.ACK, ack),
            "LOST": wire.frame(wire.LOST, struct.pack(">IHHI", 1, 5, 1, 3)),
            "version 1": wire.ping(version=1),
            "type 17": wire.frame(17),
            "a PING with a slot": wire.ping(slot=1),
            "a PING with flags": wire.ping(flags=1),
            "a short PING": wire.frame(wire.PING, bytes(7)),
            "BLOCK_ACK": wire.frame(wire.BLOCK_ACK, struct.pack(">IQQ", 1, 1, 1)),
            "NACK": wire.frame(wire.NACK, struct.pack(">IHHQQQ", 1, 1, 0, 1, 0, 1)),
            "BLOCK_END of another slot": wire.block_end(1, 1, 1, slot=1),
            "BLOCK_END of more than there is": wire.block_end(1, 1, 1, end=2),
            "EPOCH_END 0": wire.epoch_end(0),
            "EPOCH_END of another slot": wire.epoch_end(1, slot=1),
    }.items():
        refused(scene, f"in a lane: {name}", frame, begin=planned)
    peer = planned(scene)
    peer.send(wire.epoch_end(99) + wire.frame(wire.PONG, bytes(8)))
    tap.check(peer.alive(), "the end of an unknown epoch, and a PONG unasked, do nothing")
    peer.close()
    scene.well("frames out of turn")


def test_fragment_fields(scene):
    right = {"epoch": 1, "message": 5, "offset": 0, "total": 8, "payload": b"fragment"}
    wrong = {
        "epoch 0": {"epoch": 0},
        "message 0": {"message": 0},
        "port 0": {"port": 0},
        "a message before the first": {"after": 5},
        "a reason": {"reason": 1},
        "unknown flags": {"flags": 4},
        "ABORT and REPAIR": {"flags": 3, "payload": b"", "reason": 7},
        "another slot": {"slot": 1},
        "slot 64": {"slot": 64},
        "no payload": {"payload": b""},
        "more than the total": {"total": 7},
        "an offset behind the total": {"offset": 9},
        "an offset of 2^64 - 1": {"offset": (1 << 64) - 1},
        "a total of 2^63": {"total": 1 << 63},
        "a header of 55 bytes": {"payload": b"", "total": 0, "length": 55},
        "65537 bytes": {"total": BURST_MAX, "payload": bytes(BURST_MAX - 55)},
        "2^32 - 1 bytes": {"length": wire.ALL},
        "ABORT with payload": {"flags": wire.ABORT, "reason": 7},
        "ABORT without a reason": {"flags": wire.ABORT, "payload": b""},
        "ABORT with reason 10": {"flags": wire.ABORT, "payload": b"", "reason": 10},
        "ABORT with an offset": {"flags": wire.ABORT, "payload": b"", "reason": 7, "offset": 1},
    }
    for name, fields in wrong.items():
        refused(scene, f"fragment with {name}", wire.fragment(**{**right, "crc": 1, **fields}),
                begin=planned)
    scene.well("fragments with wrong fields")


def torn(scene, name, frame, message):
    """After the first fragment of a message comes one that ends the lane."""
    peer = planned(scene)
    peer.send(wire.fragment(1, message, 0, 100, b"x" * 40, port=PORT) + frame)
    tap.equal(peer.ended(), "end", f"refused: fragment with {name}")
    peer.close()
    # The message waits for what is missing, until somebody says that it will not come.
    peer = planned(scene)
    peer.send(wire.abort(1, message, 100, port=PORT))
    tap.equal(node.Reader(scene.near).result(), "ECONNABORTED", f"{name}: the reader is told")
    peer.close()


def test_sequences(scene):
    def part(message, offset, size=40, total=100, **fields):
        return wire.fragment(1, message, offset, total, b"y" * size, port=fields.pop(
            "port", PORT), **fields)

    for name, fields in {
            "another total": {"offset": 40, "total": 101},
            "a smaller total": {"offset": 40, "total": 80},
            "another port": {"offset": 40, "port": PORT + 1},
    }.items():
        message = next(ids)
        torn(scene, name, part(message, **fields), message)
    drops = scene.victim.drops()
    peer = planned(scene)
    peer.send(wire.fragment(77, 1, 0, 3, b"abc", port=PORT))
    tap.check(peer.alive(), "a fragment of an unknown epoch is dropped")
    peer.send(wire.block_end(77, 1, 3, port=PORT))
    tap.check(peer.alive(), "and so is the end of its blocks")
    peer.send(wire.abort(1, next(ids), 100, port=PORT))
    tap.check(peer.alive(), "an ABORT of a message that has not begun is no harm")
    after = scene.victim.drops()
    tap.equal({name: after[name] - drops[name] for name in ("no-tree", "stale")},
              {"no-tree": 2, "stale": 1}, "and all are counted")
    message = next(ids)
    peer.send(wire.fragment(1, message, 0, 3, b"abc", port=PORT + 1))
    tap.equal(peer.report(message), (2, 0, wire.FAILED, wire.NO_RECEIVER), "no receiver")
    message = next(ids)
    peer.send(part(message, 0) + wire.abort(1, message, 100, port=PORT))
    tap.equal(node.Reader(scene.near).result(), "ECONNABORTED", "ABORT in the middle")
    tap.equal(peer.report(message)[2:], (wire.FAILED, 7), "and its report")
    peer.send(part(message, 40))
    tap.check(peer.alive(), "what comes then is dropped")
    peer.close()
    scene.well("fragments in a wrong order")


def test_checksum(scene):
    peer = planned(scene)
    drops = scene.victim.drops()["checksum"]
    message = next(ids)
    right = wire.fragment(1, message, 0, 30, b"right" * 3, port=PORT)
    wrong = bytearray(wire.fragment(1, message, 15, 30, b"wrong" * 3, port=PORT))
    wrong[60] ^= 4
    peer.send(right + wrong)
    reader = node.Reader(scene.near)
    tap.equal((reader.result(), bytes(reader.got)), ("EBADMSG", b"right" * 3),
              "what is right is read, then EBADMSG")
    tap.equal(peer.report(message)[2:], (wire.FAILED, wire.CHECKSUM), "and it is reported")
    tap.equal(scene.victim.drops()["checksum"] - drops, 1, "and counted")
    tap.check(peer.alive(), "the lane goes on")
    # A header that was changed on its way is an accident as well.
    message = next(ids)
    wrong = bytearray(wire.fragment(1, message, 0, 5, b"right", port=PORT))
    wrong[47] ^= 2
    peer.send(bytes(wrong))
    tap.equal(node.Reader(scene.near).result(), "EBADMSG", "the header counts, too")
    peer.close()
    scene.well("wrong checksums")


def test_cut_fragments(scene):
    """The connection ends at every byte of the second fragment; the next one mends it."""
    size = len(wire.fragment(1, 1, 10, 20, b"0123456789", port=PORT))
    asked, got = set(), set()
    for cut in range(size):
        message = next(ids)
        first, second = (wire.fragment(1, message, at, 20, b"0123456789", port=PORT)
                         for at in (0, 10))
        peer = planned(scene)
        peer.send(first + second[:cut])
        peer.close()
        peer = planned(scene)
        peer.send(wire.block_end(1, message, 20, port=PORT))
        asked.add(tuple(peer.lacks(message)))
        peer.send(second)
        got.add(node.take_all(scene.near))
        tap.check(peer.report(message)[2] == wire.DELIVERED, f"cut at byte {cut}: delivered")
        peer.close()
    # Of the first one, nothing may have come before its connection was replaced.
    tap.equal(asked - {((0, 20),)}, {((10, 10),)}, "a fragment that is cut is asked for")
    tap.equal(got, {b"01234567890123456789"}, "and all comes once")
    scene.well("cut fragments")


def queued(scene):
    """What waits at the victim to be sent to the attacker."""
    return max((lane["queued"] for lane in scene.victim.client.dump("lane-get")
                if lane["peer"] == EVIL), default=None)


def flood(scene, name, data):
    """Says much and does not read the answers: the answers' queue is bounded, but for
    what one turn may add to it."""
    peer = planned(scene)
    # So that the answers do not wait there.
    peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.sock.setblocking(False)
    most, sent, idle = 0, 0, 0
    while sent < len(data) and idle < 40:
        try:
            sent += peer.sock.send(data[sent:sent + BURST_MAX])
            idle = 0
        except BlockingIOError:
            most = max(most, queued(scene) or 0)
            idle += 1
        except (BrokenPipeError, ConnectionResetError):
            break
    until(1, lambda: False)
    most = max(most, queued(scene) or 0)
    print(f"# {name}: {sent} bytes were taken, {most} bytes were queued")
    tap.check(0 < most <= QUEUE + TURN, f"a flood of {name} waits in bounded memory")
    peer.close()
    scene.well(f"a flood of {name}")


def test_floods(scene):
    flood(scene, "PINGs", wire.ping(7) * 200000)
    flood(scene, "TREEs", wire.tree(1, [leaf()]) * 20000)
    empty = bytearray()
    for _ in range(100000):
        empty += wire.fragment(1, next(ids), 0, 0, port=PORT + 1, crc=0)
    flood(scene, "messages that nobody receives", bytes(empty))


def test_good_then_bad(scene):
    """What comes with a bad frame, but before it, is whole."""
    peer = planned(scene)
    data = b"whole before the end" * 20
    peer.send(wire.fragment(1, next(ids), 0, len(data), data, port=PORT) +
              wire.frame(wire.FRAGMENT))
    tap.equal(peer.ended(), "end", "a bad frame behind a message ends the lane")
    tap.equal(node.take_all(scene.near), data, "the message before it is read")
    peer.close()


def test_garbage(scene):
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"# seed {seed}")
    dice = random.Random(seed)
    data = dice.randbytes(3000)
    good = wire.tree(1, [leaf()]) + wire.tree(2, [leaf()]) + b"".join(
        wire.fragment(1, 1 << 40, at, 3000, data[at:at + 500], port=PORT + 1)
        for at in range(0, 3000, 500)) + wire.ping(3) + wire.epoch_end(1)
    for turn in range(80):
        peer = scene.attack() if turn % 4 == 0 else enter(scene)
        if turn % 2:
            peer.send(dice.randbytes(dice.randrange(1, 20000)))
        else:
            bad = bytearray(good)
            for _ in range(dice.randrange(1, 6)):
                bad[dice.randrange(len(bad))] = dice.randrange(256)
            peer.send(bytes(bad))
        peer.finish()
        if peer.ended() == "open":
            tap.check(False, f"garbage {turn} does not end")
        peer.close()
    scene.well("garbage")


def main():
    hbcnl.load_module()
    scene = Scene(dead_ms=2000, queue=QUEUE)
    scene.hear(PORT)
    tap.check(scene.honest(), "before: a broadcast arrives")
    test_right(scene)
    test_tree_shapes(scene)
    test_tree_fields(scene)
    test_out_of_turn(scene)
    test_fragment_fields(scene)
    test_sequences(scene)
    test_checksum(scene)
    test_cut_fragments(scene)
    test_floods(scene)
    test_good_then_bad(scene)
    test_garbage(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
