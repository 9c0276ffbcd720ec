#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""A node whose handshake is attacked by one who speaks the wire format."""

import socket
import time

from hbtest import hbcnl, tap, wire
from hbtest.node import GROUP, KEY
from hbtest.scene import EVIL, Scene


def test_right(scene):
    peer = scene.attack()
    tap.check(peer.enter(2, EVIL, EVIL), "a right handshake ends with READY")
    tap.equal(scene.victim.info()["lanes"], scene.lanes + 1, "it is a lane")
    peer.close()
    scene.well("a right handshake")


def test_cut(scene):
    whole = wire.hello(GROUP, EVIL, 2, EVIL)
    peers = [scene.attack() for _ in whole]
    for length, peer in enumerate(peers):
        peer.send(whole[:length])
        peer.sock.shutdown(socket.SHUT_WR)
    tap.equal({peer.ended() for peer in peers}, {"end"}, "HELLO cut at every byte")
    peers = [scene.attack() for _ in range(36)]
    for length, peer in enumerate(peers):
        first, challenge = peer.greet(2, EVIL, EVIL)
        mac = wire.proof(KEY, b"hbcast connector", first, challenge)
        peer.send(wire.frame(wire.AUTH, mac)[:length])
        peer.sock.shutdown(socket.SHUT_WR)
    tap.equal({peer.ended() for peer in peers}, {"end"}, "AUTH cut at every byte")
    scene.well("cut handshakes")


def test_headers(scene):
    """First frames that are no HELLO, or none that can be."""
    right = wire.hello(GROUP, EVIL, 2, EVIL)
    body = right[4:]
    wrong = [(f"version {v}", wire.frame(wire.HELLO, body, tag=v)) for v in (0, 1, 3, 5, 255)]
    wrong += [(f"type {t}", wire.frame(t, body)) for t in (0, 25, 255)]
    wrong += [(f"length {n}", wire.frame(wire.HELLO, body, length=n))
              for n in (0, 3, 4, 67, 69, 4096, 65535)]
    wrong += [(f"slot {s}", wire.hello(GROUP, EVIL, 2, EVIL, slot=s)) for s in (64, 255)]
    wrong += [(f"flags {f}", wire.hello(GROUP, EVIL, 2, EVIL, incarnation=1, flags=f))
              for f in (1, 2, 255)]
    wrong += [("reserved bytes", wire.hello(GROUP, EVIL, 2, EVIL, reserved=1)),
              ("a cipher", wire.hello(GROUP, EVIL, 2, EVIL, cipher=1)),
              ("no incarnation", wire.hello(GROUP, EVIL, 2, EVIL, incarnation=0)),
              ("version 3", b"\1\0\0\3" + (56).to_bytes(4, "big") + body[:48]),
              ("HTTP", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")]
    for name, data in wrong:
        peer = scene.attack()
        peer.send(data)
        tap.check(peer.ended() in ("end", "protocol"), f"refused: {name}")
        peer.close()
    good = {
        "READY first": wire.frame(wire.READY),
        "AUTH first": wire.frame(wire.AUTH, bytes(32)),
        "CHALLENGE to a child": wire.frame(wire.CHALLENGE, b"\0\0\0\2" + bytes(64)),
        "PING first": wire.ping(),
        "PLAN first": wire.plan(),
        "TREE first": wire.tree(1, [wire.tree_node(2)]),
        "a long TREE first": wire.tree(1, [wire.tree_node(2)] * 92),
        "MESSAGE first": wire.message(1, 4),
        "DATA first": wire.data(1, 0, b"data"),
        "OVER first": wire.over(wire.OVER_ALL),
        "REJECT to a child": wire.frame(wire.REJECT, b"\0\3\0\0"),
    }
    for name, data in good.items():
        peer = scene.attack()
        peer.send(data)
        tap.check(peer.ended() in ("end", "protocol"), f"out of turn: {name}")
        peer.close()
    peer = scene.attack()
    peer.greet(2, EVIL, EVIL)
    peer.send(right)
    tap.equal(peer.ended(), "protocol", "HELLO twice")
    scene.well("wrong first frames")


def test_early(scene):
    """The first byte of what nobody may send before the handshake's end."""
    begin = time.monotonic()
    peer = scene.attack()
    peer.send(bytes([wire.DATA]))
    tap.equal(peer.ended(), "end", "a byte of DATA first")
    took = time.monotonic() - begin
    tap.check(took < 2, f"ends it at once: {took:.1f} s")
    scene.well("a byte of DATA")


def test_ids(scene):
    cases = [
        ("another group", (GROUP + 1, EVIL, 2, EVIL), "group"),
        ("group 0", (0, EVIL, 2, EVIL), "protocol"),
        ("to another node", (GROUP, EVIL, 3, EVIL), "node"),
        ("to node 0", (GROUP, EVIL, 0, EVIL), "protocol"),
        ("from node 0", (GROUP, 0, 2, EVIL), "protocol"),
        ("root 0", (GROUP, EVIL, 2, 0), "protocol"),
        ("from the node itself", (GROUP, 2, 2, EVIL), "protocol"),
        ("of the node itself", (GROUP, EVIL, 2, 2), "protocol"),
    ]
    for name, ids, expected in cases:
        peer = scene.attack()
        peer.send(wire.hello(*ids))
        tap.equal(peer.ended(), expected, f"HELLO {name}")
        peer.close()
    scene.victim.client.do("group-set", id=GROUP, member=[1, 2, 3])
    for name, sender, root in ("a stranger", EVIL, 1), ("a stranger's plan", 1, EVIL):
        peer = scene.attack()
        peer.send(wire.hello(GROUP, sender, 2, root))
        tap.equal(peer.ended(), "member", f"{name} is no member")
        peer.close()
    scene.victim.client.do("group-set", id=GROUP, any_member=True)
    scene.well("wrong ids")


def test_proofs(scene):
    peer = scene.attack()
    first, challenge = peer.greet(2, EVIL, EVIL)
    right = wire.proof(KEY, b"hbcast connector", first, challenge)
    peer.close()
    wrong = {
        "the proof of another connection": right,
        "zeros": bytes(32),
        "the child's own proof": None,
    }
    for name, mac in wrong.items():
        peer = scene.attack()
        first, challenge = peer.greet(2, EVIL, EVIL)
        peer.send(wire.frame(wire.AUTH, challenge[36:] if mac is None else mac))
        tap.equal(peer.ended(), "key", f"refused: {name}")
        peer.close()
    peer = scene.attack()
    first, challenge = peer.greet(2, EVIL, EVIL)
    peer.send(wire.frame(wire.AUTH, wire.proof(bytes(32), b"hbcast connector", first, challenge)))
    tap.equal(peer.ended(), "key", "refused: another key")
    tap.equal(challenge[36:], wire.proof(KEY, b"hbcast acceptor", first, challenge),
              "the child has proved itself before")
    peer = scene.attack()
    first, challenge = peer.greet(2, EVIL, EVIL)
    mac = bytearray(wire.proof(KEY, b"hbcast connector", first, challenge))
    mac[31] ^= 1
    peer.send(wire.frame(wire.AUTH, bytes(mac)))
    tap.equal(peer.ended(), "key", "refused: one bit wrong")
    peer.send(wire.frame(wire.AUTH, wire.proof(KEY, b"hbcast connector", first, challenge)))
    tap.equal(peer.ended(), "end", "no second try")
    scene.well("wrong proofs")


def test_replay(scene):
    """All that a good connector said, byte for byte, in another connection."""
    peer = scene.attack()
    first, challenge = peer.greet(2, EVIL, EVIL)
    auth = wire.frame(wire.AUTH, wire.proof(KEY, b"hbcast connector", first, challenge))
    peer.send(auth)
    peer.wait(wire.READY)
    peer.close()
    again = scene.attack()
    again.send(first + auth)
    second = again.wait(wire.CHALLENGE)
    tap.check(second[4:36] != challenge[4:36], "the nonce differs")
    tap.equal(again.ended(), "key", "a replayed handshake is refused")
    # The victim's question to one node, answered by asking another the same.
    peer, other = scene.attack(), scene.attack(scene.leaf)
    first = wire.hello(GROUP, EVIL, 2, EVIL)
    peer.send(first)
    peer.wait(wire.CHALLENGE)
    other.send(first)
    tap.equal(other.ended(), "node", "a HELLO that was meant for another node")
    peer.close()
    scene.well("a replay")


def test_slow(scene):
    """Those who say nothing, half of it, or a byte now and then, are dropped."""
    begin = time.monotonic()
    whole = wire.hello(GROUP, EVIL, 2, EVIL)
    peers = [scene.attack() for _ in range(10)]
    for length, peer in enumerate(peers[:-1]):
        peer.send(whole[:length * 7])
    peers[-1].greet(2, EVIL, EVIL)
    dribbler = scene.attack()
    dribbler.sock.settimeout(1)
    sent = 0
    while sent < len(whole) and dribbler.send(whole[sent:sent + 1]):
        sent += 1
        try:
            if not dribbler.sock.recv(1):
                break
        except TimeoutError:
            pass
        except ConnectionResetError:
            break
    tap.check(sent < 20, f"a byte a second: dropped after {sent} bytes")
    tap.equal({peer.ended() for peer in peers}, {"end"}, "the silent are dropped")
    took = time.monotonic() - begin
    tap.check(5 <= took < 20, f"after the time limit: {took:.1f} s")
    scene.well("slow handshakes")


def test_urgent(scene):
    """TCP's urgent data would stop a reader for ever."""
    peer = scene.attack()
    peer.send(b"!", flags=socket.MSG_OOB)
    peer.send(wire.hello(GROUP, EVIL, 2, EVIL))
    tap.equal(peer.ended(), "end", "urgent data before a handshake")
    peer = scene.attack()
    peer.enter(2, EVIL, EVIL)
    peer.send(b"!", flags=socket.MSG_OOB)
    tap.equal(peer.ended(), "end", "urgent data in a lane")
    peer = scene.attack()
    peer.enter(2, EVIL, EVIL)
    peer.send(wire.ping(1))
    peer.send(wire.ping(2)[:9])
    peer.send(wire.ping(2)[9:], flags=socket.MSG_OOB)
    tap.equal(peer.ended(), "end", "urgent data inside a frame")
    scene.well("urgent data")


def main():
    hbcnl.load_module()
    scene = Scene()
    tap.check(scene.honest(), "before: a broadcast arrives")
    test_right(scene)
    test_cut(scene)
    test_headers(scene)
    test_early(scene)
    test_ids(scene)
    test_proofs(scene)
    test_replay(scene)
    test_slow(scene)
    test_urgent(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
