#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Nodes that are not reached: others serve those below them."""

import random
import socket

from hbtest import hbcnl, node, tap, wire
from hbtest.node import GROUP, KEY, tcp
from hbtest.trees import EVIL, SECONDS, Scene

PORT = 8	# honest broadcasts go to another one
ROOT = 8	# for whom the attacker speaks


def listen():
    sock = tcp(EVIL)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.settimeout(SECONDS)
    sock.bind((f"10.9.0.{EVIL}", 7310))
    sock.listen()
    return sock


def greet(listener):
    child = wire.Child(listener.accept()[0], GROUP, KEY)
    child.enter_as(EVIL)
    return child


def parent(incarnation, sender=EVIL):
    """A connection to node 2, as from its parent."""
    sock = tcp(EVIL)
    sock.settimeout(SECONDS)
    sock.connect(("10.9.0.2", 7310))
    peer = wire.Peer(sock, GROUP, KEY, incarnation)
    if not peer.enter(2, sender, ROOT):
        raise ConnectionRefusedError
    return peer


def test_adopted(scene):
    """A node that has adopted the children of a dead one keeps them when its tree comes again."""
    nodes = [wire.tree_node(2, children=1), wire.tree_node(77, children=1),
             wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")]
    incarnation, content = random.getrandbits(63) + 1, bytes(range(200))
    with listen() as listener:
        above = parent(incarnation)
        above.tell(nodes)
        below = greet(listener)
        below.settle()
        again = parent(incarnation, EVIL + 1)
        again.tell(nodes)
        above.until(lambda: above.stopped)
        above.send(wire.over())
        again.until(lambda: again.agreed)
        tap.check(below.alive() and below.alive() and below.over is None,
                  "a tree comes again by way of another parent: the adopted child stays")
        again.give(1, content, PORT)
        tap.equal(below.gets(1), content, "and gets what comes")
        again.leave()
        for each in above, below:
            each.close()


def main():
    hbcnl.load_module()
    scene = Scene()
    node.plug(EVIL)
    scene.root.client.do("peer-new", id=EVIL, ipv4=f"10.9.0.{EVIL}")
    test_adopted(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
