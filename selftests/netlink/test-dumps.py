#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Dumps while what they list changes, and many who change it at once."""

import errno
import multiprocessing
import random
import socket
import time

from hbtest import hbcnl, node, tap, wire

KEY = bytes(range(32))
PEERS = 3000
ROOT = 9999
STRESS_SECONDS = 2

spec = hbcnl.Spec()


def new_peer(client, peer):
    client.do("peer-new", id=peer, ipv4="127.0.0.2")


def test_peers(client, other):
    """Odd peers stay, even ones come and go during the dump."""
    for peer in range(3, PEERS, 2):
        new_peer(client, peer)
    stay = list(range(3, PEERS, 2))
    tap.equal([p["id"] for p in client.dump("peer-get")], stay, "a dump of many peers")
    tap.equal(client.interrupted, False, "which nobody has interrupted")
    left = list(range(2, PEERS, 2))
    random.seed(1)
    random.shuffle(left)

    def change():
        for _ in range(20):
            if left:
                new_peer(other, left.pop())

    found = [p["id"] for p in client.dump("peer-get", pause=change)]
    tap.check(client.interrupted, "a dump during changes says so")
    tap.equal(found, sorted(set(found)), "it is in order, and nobody comes twice")
    tap.equal([peer for peer in found if peer % 2], stay, "who stayed is there")
    gone = [peer for peer in found if peer % 2 == 0]

    def shrink():
        for _ in range(20):
            if gone:
                other.do("peer-del", id=gone.pop())

    found = [p["id"] for p in client.dump("peer-get", pause=shrink)]
    tap.equal([peer for peer in found if peer % 2], stay, "also while others go")
    for peer in client.dump("peer-get"):
        client.do("peer-del", id=peer["id"])
    tap.equal(client.dump("peer-get"), [], "an empty dump")


def test_groups(client, other):
    """The group that a dump is in the middle of shrinks, then goes."""
    members = list(range(1, 4097))
    for group in 10, 20, 30:
        client.do("group-new", id=group, key=KEY, member=members)
    steps = [lambda: other.do("group-set", id=10, member=[1]),
             lambda: other.do("group-del", id=20)]

    def change():
        if steps:
            steps.pop(0)()

    parts = client.dump("group-get", pause=change)
    tap.check(client.interrupted, "a dump says that a group has changed")
    tap.equal(sum((p.get("member", []) for p in parts if p["id"] == 30), []), members,
              "the others come as a whole")
    tap.equal(sorted({p["id"] for p in parts} - {20}), [10, 30], "each of them")
    for group in 10, 30:
        client.do("group-del", id=group)


def apply(client, group, pairs):
    client.do("plan-begin", group=group)
    client.do("plan-tree", group=group, slot=0,
              edge=[{"parent": parent, "child": child} for parent, child in pairs])
    client.do("plan-commit", group=group)


def test_lanes(client, other):
    """Lanes end and begin during the dump; those of the other group stay."""
    for peer in range(2, 102):
        new_peer(client, peer)
    for group in 1, 2:
        client.do("group-new", id=group, key=KEY)
        apply(client, group, [(1, peer) for peer in range(2, 102)])
    rounds = [60, 102, 30]

    def change():
        if rounds:
            top = rounds.pop()
            apply(other, 2, [(1, peer) for peer in range(top - 20, top)])

    lanes = client.dump("lane-get", pause=change)
    ids = [lane["id"] for lane in lanes]
    tap.equal(ids, sorted(set(ids)), "lanes come in order and once")
    tap.equal(sorted(lane["peer"] for lane in lanes if lane.get("group") == 1),
              list(range(2, 102)), "those that stayed are all there")
    tap.equal({(part["group"], part["root"]) for part in client.dump("plan-get")},
              {(1, 1), (2, 1)}, "and both plans")
    client.do("group-set", id=1, mode=0o604)
    ours = client.dump("lane-get")
    theirs = sum(lane.get("group") == 1 for lane in ours)
    tap.check(0 < theirs < len(ours), "there are lanes of both groups")
    tap.equal(nobody_sees("lane-get"), theirs, "who may not use a group sees no lanes of it")


def nobody_sees(operation):
    """How many objects a user without rights finds in a dump."""
    return hbcnl.as_nobody(lambda: len(hbcnl.Client(spec).dump(operation)))


def seen(rows, attribute, group):
    return any(attribute in row for row in rows if row.get("group", row.get("id")) == group)


def count_seen(group, gets):
    """How many gets and dumps tell somebody of what goes on in the group."""
    client = hbcnl.Client(spec)
    count = 0
    for operation, (attribute, values) in gets.items():
        count += seen(client.dump(operation), attribute, group)
        try:
            count += seen([client.do(operation, **values)], attribute, group)
        except hbcnl.Refused as why:
            if why.errno != errno.ENOENT or not why.text:
                print(f"# {operation}: {why}", flush=True)
                return -1
    return count


def test_modes(client):
    """Who may neither receive nor send does not learn who does."""
    client.do("group-new", id=4, key=KEY, member=[1, 2])
    apply(client, 4, [(1, 2)])
    with socket.socket(node.AF_HBCAST, socket.SOCK_SEQPACKET) as sock:
        name = node.address(7, 4)
        hbcnl.libc_call(hbcnl.libc.connect, sock.fileno(), name, len(name))
        sock.send(b"data")
        lane = next(lane["id"] for lane in client.dump("lane-get") if lane.get("group") == 4)
        gets = {"lane-get": ("state", {"id": lane}), "plan-get": ("epoch", {"group": 4}),
                "message-get": ("sent", {"group": 4, "id": 1}),
                "group-get": ("member", {"id": 4})}
        tap.equal(count_seen(4, gets), 8, "root sees a group's lane, plan, message and members")
        for mode, what, count in ((0o600, "neither receive nor send", 0), (0o604, "receive", 8),
                                  (0o602, "send", 8)):
            client.do("group-set", id=4, mode=mode)
            tap.equal(hbcnl.as_nobody(lambda: count_seen(4, gets)), count,
                      f"who may {what} sees {count} of 8")
        settings = client.do("group-get", id=4)
        client.do("group-set", id=4, mode=0o600)
        for name in "members", "member", "receivers", "drops", "probed":
            del settings[name]
        tap.equal(hbcnl.as_nobody(lambda: hbcnl.Client(spec).do("group-get", id=4) !=
                                  settings | {"mode": 0o600}), 0, "all see the settings")
    client.do("group-del", id=4)


def test_stores(client):
    """A message of five pieces, three of which are here, and a child that is cut off."""
    client.do("group-new", id=3, key=KEY)
    peer = wire.Peer(socket.create_connection(("127.0.0.1", 7310)), 3, KEY)
    tap.check(peer.enter(1, ROOT, ROOT), "a parent")
    tap.equal(client.dump("store-get"), [], "no stores")
    peer.tell([wire.tree_node(1, children=1, address="127.0.0.1"),
               wire.tree_node(2, address="127.0.0.2")])
    peer.until(lambda: peer.agreed)
    content = bytes(range(250)) * 72
    fragments = wire.cut(7, content)
    peer.send(wire.message(7, len(content), kind=wire.FILE, name=b"x"), *fragments[:4],
              *fragments[8:12], *fragments[16:])
    tap.check(peer.alive(), "some pieces have come")
    found, = client.dump("store-get")
    tap.check(10000 <= found.pop("memory") < 20000, "they take memory")
    child = {"node": 2, "slot": 0, "sent": 0, "behind": 3, "arrived": 0, "wait": "lane"}
    tap.equal(found, {"group": 3, "root": ROOT, "id": 7, "port": 7, "file": True, "total": 18000,
                      "pieces": 5, "whole": 3, "filed": 0, "resumed": 0,
                      "reason": "no-receiver", "nodes": 2,
                      "delivered": 0, "failed": 1, "cursor": [child]},
              "what is here, and how far the child is")
    tap.equal(client.do("store-get", group=3, root=ROOT, id=7)["cursor"], [child], "one of them")
    hbcnl.refused("one that is not there", errno.ENOENT, "no such message", client.do,
                  "store-get", group=3, root=ROOT, id=6)
    peer.send(*fragments[4:8], *fragments[12:16])
    tap.check(peer.alive(), "the others")
    found, = client.dump("store-get")
    tap.equal([found["whole"], found["cursor"][0]["behind"]], [5, 5], "all is here, and not there")
    tap.equal(nobody_sees("store-get"), 0, "who may not use the group sees none")
    for mode, what in (0o604, "receive"), (0o602, "send"):
        client.do("group-set", id=3, mode=mode)
        tap.equal(nobody_sees("store-get"), 1, f"who may {what} does")
    # Of other roots and messages, in their order.
    other = wire.Peer(socket.create_connection(("127.0.0.1", 7310)), 3, KEY)
    other.enter(1, ROOT, ROOT + 1)
    other.tell([wire.tree_node(1, address="127.0.0.1")])
    other.until(lambda: other.agreed)
    other.send(*[wire.message(number, 10) for number in range(1, 400)])
    peer.send(wire.message(8, 10))
    tap.check(other.alive() and peer.alive(), "many messages")
    tap.equal([(each["root"], each["id"]) for each in client.dump("store-get")],
              [(ROOT, 7), (ROOT, 8)] + [(ROOT + 1, number) for number in range(1, 400)],
              "all of them, in order")
    peer.close()
    other.close()
    client.do("group-del", id=3)


def worker(seed):
    """Does anything in any order; whatever is refused is refused properly."""
    client = hbcnl.Client(spec)
    rand = random.Random(seed)
    fine = {errno.EEXIST, errno.ENOENT, errno.ENODEV, errno.EBUSY, errno.EINVAL,
            errno.EADDRINUSE, errno.ESHUTDOWN}
    calls = [
        lambda: client.do("node-set", id=1, ipv4="127.0.0.1"),
        lambda: client.do("node-del") if rand.random() < 0.1 else None,
        lambda: new_peer(client, rand.randrange(2, 9)),
        lambda: client.do("peer-del", id=rand.randrange(2, 9)),
        lambda: client.do("group-new", id=rand.randrange(1, 3), key=KEY),
        lambda: client.do("group-set", id=rand.randrange(1, 3), key=KEY, dead_ms=100,
                          member=[1] + rand.sample(range(2, 9), 5)),
        lambda: client.do("group-del", id=rand.randrange(1, 3)) if rand.random() < 0.3 else None,
        lambda: apply(client, rand.randrange(1, 3),
                      [(1, peer) for peer in rand.sample(range(2, 9), rand.randrange(1, 8))]),
        lambda: client.do("plan-begin", group=rand.randrange(1, 3)),
        lambda: client.do("plan-del", group=rand.randrange(1, 3)),
        lambda: client.dump("peer-get"), lambda: client.dump("group-get"),
        lambda: client.dump("plan-get"), lambda: client.dump("lane-get"),
        lambda: client.dump("message-get"), lambda: client.dump("store-get"),
    ]
    end = time.monotonic() + STRESS_SECONDS
    done = 0
    while time.monotonic() < end:
        try:
            rand.choice(calls)()
        except hbcnl.Refused as why:
            if why.errno not in fine or not why.text:
                print(f"# {why}", flush=True)
                return -1
        done += 1
    return done


def test_stress():
    with multiprocessing.Pool(6) as pool:
        done = pool.map(worker, range(6), chunksize=1)
    print(f"# {done}")
    tap.check(min(done) > 0, "many at once are served or refused")


def main():
    hbcnl.load_module()
    hbcnl.new_netns()
    client, other = hbcnl.Client(spec), hbcnl.Client(spec)
    client.do("node-set", id=1, ipv4="127.0.0.1")
    test_peers(client, other)
    test_groups(client, other)
    test_lanes(client, other)
    test_modes(client)
    test_stores(client)
    test_stress()
    tap.done()


if __name__ == "__main__":
    main()
