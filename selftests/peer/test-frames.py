#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""A node that is attacked by a parent who has the key: plans, trees, messages, floods."""

import itertools
import os
import random
import socket

from hbtest import hbcnl, node, tap, wire
from hbtest.scene import EVIL, Scene

PORT = 8	# honest broadcasts go to another one
WINDOW = 1 << 20
DEPTH_MAX = 512
NODES_MAX = 4096
MESSAGES_MAX = 4096
PIECES_MAX = 1 << 23
# What a node may have more while it does not know what to do with it all.
SLACK_KB = (32 << 10) * tap.SLOWNESS

numbers = itertools.count(1000)


def enter(scene, incarnation=None):
    peer = scene.attack()
    if incarnation:
        peer.incarnation = incarnation
    peer.enter(2, EVIL, EVIL)
    return peer


def leaf(**how):
    return wire.tree_node(2, **how)


def planned(scene, incarnation=None):
    """A lane with a tree in which the victim is alone."""
    peer = enter(scene, incarnation)
    peer.adopt([leaf()])
    return peer


def refused(scene, name, *frames, begin=enter):
    """The lane ends. What it has begun does, too, but not at once, so that comes again."""
    peer = begin(scene)
    peer.send(*frames)
    tap.equal(peer.ended(), "end", f"refused: {name}")
    peer.close()
    enter(scene, peer.incarnation).leave()


def scatter(peer, *frames):
    """TCP copies what a process sends into one page after the other, whatever the socket."""
    with socket.create_server(("127.0.0.1", 0)) as server, \
            socket.create_connection(server.getsockname()) as other, server.accept()[0] as end:
        for byte in b"".join(frames):
            peer.send(bytes([byte]))
            other.send(b"x")
            end.recv(1)


def test_right(scene):
    """The encoder is right: a broadcast by hand, through the victim to the leaf."""
    peer = enter(scene)
    child = wire.tree_node(3, address="10.9.0.3")
    tap.equal(peer.adopt([leaf(children=1), child]), (0, 0), "a right plan, and a right tree")
    tap.equal(peer.have, {}, "it has nothing")
    data = os.urandom(5000)
    peer.give(77, data, PORT, payload=1000, fragments=2)
    tap.check(node.take_all(scene.near) == data, "a right message arrives")
    tap.check(node.take_all(scene.far) == data, "and is passed on")
    tap.equal([peer.outcome(77, number) for number in (0, 1)], [wire.DELIVERED] * 2,
              "and is reported")
    tap.equal(peer.until(lambda: peer.acked == (78, 0)), True, "and acknowledged")
    peer.give(78, b"", PORT)
    tap.check(node.take_all(scene.near) == b"" == node.take_all(scene.far), "an empty one, too")
    for byte in b"".join([wire.message(79, 9, PORT, payload=5), *wire.cut(79, b"byte wise", 5)]):
        peer.send(bytes([byte]))
    tap.check(node.take_all(scene.near) == b"byte wise" == node.take_all(scene.far),
              "and one that comes byte by byte")
    data = os.urandom(700)
    scatter(peer, wire.message(80, 700, PORT, payload=700), *wire.cut(80, data, 700))
    tap.check(node.take_all(scene.near) == data == node.take_all(scene.far),
              "and one of which each byte lies in memory by itself")
    data = os.urandom(wire.PAYLOAD_MAX)
    peer.give(81, data, PORT, payload=wire.PAYLOAD_MAX)
    tap.check(node.take_all(scene.near) == data == node.take_all(scene.far),
              "and a fragment of the largest size")
    data = os.urandom(5000)
    parts = wire.cut(82, data, 10, 1)
    peer.send(wire.message(82, len(data), PORT, 10, 1), *parts[::-1])
    tap.check(node.take_all(scene.near) == data == node.take_all(scene.far),
              "and pieces in any order")
    peer.send(wire.done(83, (1, 82)))
    tap.check(peer.alive(), "that all is over is no surprise")
    tap.equal(peer.leave(), "end", "the end of the session ends its lane")
    scene.well("a right broadcast")


def chain(depth):
    """Nodes one below the other."""
    return [wire.tree_node(2 if i == 0 else 1000 + i, children=int(i < depth))
            for i in range(depth + 1)]


def test_plans(scene):
    plans = {
        "epoch 0": wire.plan(0),
        "no slots": wire.plan(1, {}, members=0),
        "a slot too many": wire.plan(1, {0: 1, 1: 1}, members=1),
        "a slot too few": wire.plan(1, {0: 1}, members=3),
        "not the slot of all": wire.plan(1, {1: 1}),
        "a rate of 0": wire.plan(1, {0: 1, 5: 0}),
        "an unknown flag": wire.plan(1, flags=4),
        "reserved bytes": wire.plan(1, reserved=1),
        "half a slot": wire.frame(wire.PLAN, wire.plan(1, {0: 1, 1: 1})[4:-8]),
        "a tag": wire.plan(1, tag=1),
    }
    for name, frame in plans.items():
        refused(scene, f"plan with {name}", frame)
    refused(scene, "a tree without a plan", wire.tree(1, [leaf()]))
    refused(scene, "a tree of another plan", wire.plan(2), wire.tree(1, [leaf()]))
    peer = enter(scene)
    peer.send(*(wire.plan(epoch) for epoch in range(1, 200)))
    tap.equal(peer.adopt([leaf()], 200), (0, 0), "the last of many plans counts")
    peer.adopt([leaf(slots=(1 << 64) - 1)], 201, {slot: 1 + slot for slot in range(64)})
    tap.check(peer.alive(), "one of 64 slots is good")
    peer.leave()
    scene.well("plans that are none")


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
        refused(scene, f"tree with {name}", wire.plan(), wire.tree(1, nodes))
    refused(scene, f"tree of {DEPTH_MAX + 1} edges from root to leaf", wire.plan(),
            wire.trees(1, chain(DEPTH_MAX + 1)))
    peer = enter(scene)
    peer.tell(chain(DEPTH_MAX))
    tap.check(peer.alive(), f"{DEPTH_MAX} edges are not too many")
    peer.leave()
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
        "reserved bytes": wire.tree(1, [leaf(reserved=1)]),
        "a node in no slot": wire.tree(1, [leaf(slots=0)]),
        "a node that is not in the slot": wire.tree(1, [leaf(slots=2)]),
        "a slot that the plan has not": wire.tree(1, [leaf(slots=3)]),
        "total 0": wire.tree(1, one, total=0),
        "total 4097": wire.tree(1, one, total=NODES_MAX + 1),
        "total 2^32 - 1": wire.tree(1, one, total=wire.ALL),
        "no nodes": wire.tree(1, [], total=1),
        "first behind the end": wire.tree(1, one, first=1),
        "first 2^32 - 1": wire.tree(1, one, first=wire.ALL, total=2),
        "no beginning": wire.tree(1, one, first=1, total=2),
        "93 nodes in a frame": wire.tree(1, [leaf(children=92)] + [wire.tree_node(9 + i)
                                                                   for i in range(92)]),
        "half a node": wire.frame(wire.TREE, wire.tree(1, one)[4:-1]),
        "a tag": wire.tree(1, one, tag=1),
    }
    for name, frame in fields.items():
        refused(scene, f"tree with {name}", wire.plan(), frame)
    scene.well("trees with wrong fields")


def test_tree_parts(scene):
    two = [leaf(children=2), wire.tree_node(3), wire.tree_node(4)]
    first = wire.tree(1, two[:1], total=3)
    parts = {
        "a gap": wire.tree(1, two[2:], first=2, total=3),
        "a part twice": wire.tree(1, two[1:2], first=1, total=3) * 2,
        "another total": wire.tree(1, two[1:2], first=1, total=2),
        "another epoch": wire.tree(2, two[1:], first=1, total=3),
    }
    for name, frame in parts.items():
        refused(scene, f"tree in parts with {name}", wire.plan(), first, frame)
    peer = enter(scene)
    peer.send(wire.plan(), wire.tree(1, [leaf(children=1)], total=NODES_MAX))
    tap.check(peer.alive(), "a tree that never comes whole waits")
    tap.equal(peer.adopt([leaf()]), (0, 0), "until another one takes its place")
    peer.leave()
    client = scene.victim.client
    client.do("group-set", id=node.GROUP, member=[1, 2, 3, EVIL])
    refused(scene, "tree with a stranger", wire.plan(),
            wire.tree(1, [leaf(children=1), wire.tree_node(77)]))
    client.do("group-set", id=node.GROUP, any_member=True, max_nodes=2)
    refused(scene, "tree of more nodes than the group may have", wire.plan(), first)
    client.do("group-set", id=node.GROUP, max_nodes=NODES_MAX)
    scene.well("trees in parts, and of whom they are")


def test_out_of_turn(scene):
    for name, frame in {
            "HELLO": wire.hello(node.GROUP, EVIL, 2, EVIL),
            "HELLO of version 3": wire.hello(node.GROUP, EVIL, 2, EVIL, tag=3),
            "AUTH": wire.frame(wire.AUTH, bytes(32)),
            "READY": wire.frame(wire.READY),
            "REJECT": wire.frame(wire.REJECT, b"\0\3\0\0"),
            "CHALLENGE": wire.frame(wire.CHALLENGE, b"\0\0\0\2" + bytes(64)),
            "TREE_ACK": wire.tree_ack(1),
            "HAVE": wire.have(1, (0, 1)),
            "the end of HAVE": wire.have_end(),
            "WANT": wire.want(1, (0, 1)),
            "STOP": wire.stop(),
            "ACK": wire.ack(1),
            "ACK of a file": wire.arrived(1, 1),
            "REPORT": wire.report(1, (1, 0, 1, 0)),
            "LOST": wire.lost(1, wire.NODE_DEAD, (0, 1)),
            "PROBE": wire.probe(1, 1),
            "a long PROBE": wire.probe(1, 1, bytes(60000)),
            "PROBE_ASK": wire.ask(1),
            "PROBE_SAMPLE": wire.sample(1),
            "type 0": wire.frame(0),
            "type 25": wire.frame(25),
            "a PING with a tag": wire.ping(tag=1),
            "a short PING": wire.frame(wire.PING, bytes(7)),
            "a long PING": wire.frame(wire.PING, bytes(9)),
            "OVER with an unknown tag": wire.over(4),
            "LAST of message 0": wire.last(0),
            "DONE of message 0": wire.done(1, (0, 1)),
            "DONE of nothing": wire.done(1, (1, 0)),
            "DONE with numbers that touch": wire.done(1, (1, 1), (2, 1)),
    }.items():
        refused(scene, f"in a lane: {name}", frame, begin=planned)
    peer = planned(scene)
    peer.send(wire.last(99), wire.done(0), wire.frame(wire.PONG, bytes(8)))
    tap.check(peer.alive(), "the last of an unknown message, no news, and a PONG unasked")
    peer.send(wire.over())
    tap.equal(peer.ended(), "end", "a parent that has no more to say is to connect anew")
    peer.close()
    planned(scene, peer.incarnation).leave()
    scene.well("frames out of turn")


def test_message_fields(scene):
    right = {"number": 5, "total": 8, "port": PORT}
    wrong = {
        "number 0": {"number": 0},
        "port 0": {"port": 0},
        "a total of 2^63": {"total": 1 << 63},
        "more fragments than have numbers": {"total": wire.ALL * 1000},
        "more pieces than may be": {"total": PIECES_MAX + 1, "payload": 1, "fragments": 1,
                                    "kind": wire.FILE},
        "more pieces than a session may have": {"total": WINDOW, "payload": 1, "fragments": 1},
        "more than two windows": {"total": 2 * WINDOW + 1},
        "no payload": {"payload": 0},
        "a payload too long": {"payload": wire.PAYLOAD_MAX + 1},
        "pieces of nothing": {"fragments": 0},
        "an unknown kind": {"kind": 2},
        "a name, but no file": {"name": b"x"},
        "a time, but no file": {"changed": 1},
        "a hash, but no file": {"hashed": 1},
        "a hash of which it does not tell": {"kind": wire.FILE, "digest": b"x" * 32},
        "two hashes": {"kind": wire.FILE, "hashed": 2},
        "a path": {"kind": wire.FILE, "name": b"a/b"},
        "a name that ends early": {"kind": wire.FILE, "name": b"a\0b"},
        "the name of a folder": {"kind": wire.FILE, "name": b".."},
        "a name of 256 bytes": {"kind": wire.FILE, "name": b"x" * 256},
        "a tag": {"tag": 1},
        "a short header": {"length": 67},
    }
    for name, fields in wrong.items():
        refused(scene, f"message with {name}", wire.message(**{**right, **fields}), begin=planned)
    first = wire.message(**right)
    for name, fields in {
            "total": {"total": 9}, "port": {"port": PORT + 1}, "cut": {"payload": 999},
            "pieces": {"fragments": 5}, "kind": {"kind": wire.FILE},
    }.items():
        refused(scene, f"a message told twice with another {name}", first,
                wire.message(**{**right, **fields}), begin=planned)
        tap.equal(node.Reader(scene.near).result(), "ECONNRESET", f"another {name}: it fails")
    scene.well("messages with wrong fields")


def torn(scene, name, *frames, total=100, fragments=2):
    """After the first fragment of a message comes something that ends the lane. Its reader
    is told when nobody speaks for the root any more."""
    content = bytes(range(100))[:total]
    refused(scene, f"fragment with {name}", wire.message(5, total, PORT, 40, fragments),
            wire.cut(5, content, 40, fragments)[0], *frames, begin=planned)
    tap.equal(node.Reader(scene.near).result(), "ECONNRESET", f"{name}: the reader is told")


def test_data_fields(scene):
    part = bytes(40)
    torn(scene, "a number behind the end", wire.data(5, 3, part))
    torn(scene, "number 2^32 - 1", wire.data(5, wire.ALL, part))
    torn(scene, "less than its payload", wire.data(5, 1, part[:39]))
    torn(scene, "more than its payload", wire.data(5, 1, part + b"x"))
    torn(scene, "more than is left", wire.data(5, 2, part))
    torn(scene, "less than is left", wire.data(5, 2, part[:19]))
    torn(scene, "slot 64", wire.data(5, 1, part, 64))
    torn(scene, "another slot than its piece's", wire.data(5, 1, part, 1))
    torn(scene, "one missing before it", wire.data(5, 2, part[:20]), fragments=3)
    torn(scene, "no payload", wire.data(5, 1))
    torn(scene, "a header of 15 bytes", wire.data(5, 1, length=15))
    scene.well("fragments with wrong fields")


def test_sequences(scene):
    drops = scene.victim.drops()
    peer = planned(scene)
    peer.send(wire.data(77, 0, b"abc"))
    tap.check(peer.alive(), "a fragment of an unknown message is dropped")
    number = next(numbers)
    peer.give(number, b"abc", PORT)
    tap.equal(node.take_all(scene.near), b"abc", "one of a message that is known is not")
    peer.send(*wire.cut(number, b"abc"))
    tap.check(peer.alive(), "what comes twice is dropped")
    peer.send(wire.message(number - 1, 3, PORT), *wire.cut(number - 1, b"abc"))
    tap.check(peer.alive(), "and so is what comes after a later message")
    peer.give(next(numbers), b"abc", PORT + 1)
    tap.equal(peer.outcome(number + 1), wire.NO_RECEIVER, "a message that nobody reads")
    tap.check(peer.alive(), "is no harm")
    after = scene.victim.drops()
    # The fragment of what nobody reads is not kept either.
    tap.equal({name: after[name] - drops[name] for name in ("stale", "twice", "no-receiver")},
              {"stale": 3, "twice": 1, "no-receiver": 1}, "and all are counted")
    number = next(numbers)
    peer.send(wire.message(number, 100, PORT, 40), wire.data(number, 0, bytes(40)))
    peer.leave()
    tap.equal(node.Reader(scene.near).result(), "ECONNRESET",
              "the root goes in the middle of a message")
    scene.well("fragments in a wrong order")


def test_checksum(scene):
    peer = planned(scene)
    drops = scene.victim.drops()["checksum"]
    number = next(numbers)
    right, wrong = wire.cut(number, b"right" * 3 + b"wrong" * 3, 15, 1)
    wrong = bytearray(wrong)
    wrong[20] ^= 4
    peer.send(wire.message(number, 30, PORT, 15, 1), right, bytes(wrong))
    reader = node.Reader(scene.near)
    tap.equal((reader.result(), bytes(reader.got)), ("EBADMSG", b"right" * 3),
              "what is right is read, then EBADMSG")
    tap.equal(peer.outcome(number), wire.CHECKSUM, "and it is reported")
    tap.equal(scene.victim.drops()["checksum"] - drops, 1, "and counted")
    tap.check(peer.alive(), "the lane goes on")
    # A header that was changed on its way is an accident as well.
    number = next(numbers)
    wrong = bytearray(wire.data(number, 0, b"right"))
    wrong[1] ^= 1
    peer.send(wire.message(number, 5, PORT), bytes(wrong))
    tap.equal(node.Reader(scene.near).result(), "EBADMSG", "the header counts, too")
    peer.leave()
    scene.well("wrong checksums")


def test_cut_fragments(scene):
    """The connection ends at every byte of the second fragment; the next one mends it."""
    content, incarnation = b"01234567890123456789", int.from_bytes(os.urandom(8), "big") | 1
    had, got = [], set()
    for cut in range(wire.DATA_LEN + 10):
        number = next(numbers)
        first, second = wire.cut(number, content, 10, 1)
        told = wire.message(number, 20, PORT, 10, 1)
        peer = planned(scene, incarnation)
        peer.send(told, first, second[:cut])
        peer.close()
        peer = planned(scene, incarnation)
        had.append(peer.have.get(number, set()))
        peer.give(number, content, PORT, 10, 1)
        got.add(node.take_all(scene.near))
        tap.check(peer.outcome(number) == wire.DELIVERED, f"cut at byte {cut}: delivered")
        peer.send(wire.done(number + 1, (1, number)))
        peer.close()
    # Of the first one, nothing may have come before its connection was replaced.
    tap.check({0} in had and all(found in ({0}, set()) for found in had),
              "a fragment that is cut is not there")
    tap.equal(got, {content}, "and all comes once")
    enter(scene, incarnation).leave()
    scene.well("cut fragments")


def available():
    """KiB of memory that the machine could still use."""
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))


def flood(scene, name, data):
    """Says much and does not read the answers, which do not wait anywhere."""
    peer = planned(scene)
    peer.sock.settimeout(60)
    before = available()
    taken = peer.send(data)
    less = before - available()
    print(f"# {name}: {len(data)} bytes, {less} KiB less memory")
    tap.check(taken and less < SLACK_KB, f"a flood of {name} takes no memory")
    tap.check(scene.honest(), f"a flood of {name}: others are served")
    peer.close()
    enter(scene, peer.incarnation).leave()
    scene.well(f"a flood of {name}")


def test_behind_the_end(scene):
    """What another lane brings when the session is over is nobody's: it would keep the
    module for ever."""
    ends = set()
    for _ in range(30):
        peer = planned(scene)
        other = scene.attack()
        other.incarnation = peer.incarnation
        other.enter(2, EVIL, EVIL, slot=1)
        messages = [wire.message(number, 3, PORT) for number in range(1, 40)]
        peer.send(wire.over(wire.OVER_ALL))
        other.send(*messages)
        ends |= {peer.ended(), other.ended()}
        peer.close()
        other.close()
    tap.equal(ends, {"end"}, "messages behind the end of their session")


def test_floods(scene):
    flood(scene, "PINGs", wire.ping(7) * (600000 // tap.SLOWNESS))
    flood(scene, "trees", (wire.plan() + wire.tree(1, [leaf()])) * (20000 // tap.SLOWNESS))
    peer = planned(scene)
    peer.send(*(wire.message(next(numbers), 0, PORT + 1) for _ in range(MESSAGES_MAX)))
    tap.check(peer.alive(), f"{MESSAGES_MAX} messages that do not come to an end")
    peer.send(wire.message(next(numbers), 0, PORT + 1))
    tap.equal(peer.ended(), "end", "but not one more")
    peer.close()
    enter(scene, peer.incarnation).leave()
    peer = planned(scene)
    for _ in range(3):
        peer.send(*(wire.message(number, 0, PORT + 1) + wire.done(number + 1, (1, number))
                    for number in itertools.islice(numbers, MESSAGES_MAX)))
    tap.check(peer.alive(), "as many as one likes that do")
    peer.leave()
    scene.well("a flood of messages")


def test_good_then_bad(scene):
    """What comes with a bad frame, but before it, is whole."""
    peer = planned(scene)
    number, content = next(numbers), b"whole before the end" * 20
    peer.send(wire.message(number, len(content), PORT), *wire.cut(number, content),
              wire.frame(wire.DATA))
    tap.equal(peer.ended(), "end", "a bad frame behind a message ends the lane")
    tap.equal(node.take_all(scene.near), content, "the message before it is read")
    peer.close()


def test_garbage(scene):
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"# seed {seed}")
    dice = random.Random(seed)
    content = dice.randbytes(3000)
    good = b"".join([wire.plan(1), wire.tree(1, [leaf()]), wire.plan(2), wire.tree(2, [leaf()]),
                     wire.message(1 << 40, 3000, PORT + 1, 500, 2),
                     *wire.cut(1 << 40, content, 500, 2), wire.last(1 << 40), wire.ping(3),
                     wire.done(1, (1, 5), (8, 1)), wire.over()])
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
    scene = Scene(dead_ms=2000, window=WINDOW)
    scene.hear(PORT)
    tap.check(scene.honest(), "before: a broadcast arrives")
    test_right(scene)
    test_plans(scene)
    test_tree_shapes(scene)
    test_tree_fields(scene)
    test_tree_parts(scene)
    test_out_of_turn(scene)
    test_message_fields(scene)
    test_data_fields(scene)
    test_sequences(scene)
    test_checksum(scene)
    test_cut_fragments(scene)
    test_behind_the_end(scene)
    test_floods(scene)
    test_good_then_bad(scene)
    test_garbage(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
