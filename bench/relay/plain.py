#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A bulk transfer of hbbench through the module to children that only read.

usage: plain.py bulk hbcast|hbcast-direct CHILDREN BYTES discard|copy
       plain.py chain hbcast BYTES	(through eight relays to one child)

What a node of hbcast costs beside its relaying must not be taken for the relay's. So the
children are no nodes, but connections that this makes nodes of (the handshake) and hands
to hbbench, which reads them as it reads the children of any other relay. Prints what
hbbench does.
"""
import os
import socket
import subprocess
import sys
import time

from hbtest import hbcnl, wire

HERE = os.path.dirname(os.path.realpath(__file__))
KEY = os.urandom(32)
GROUP, PORT = 40, 7311
ROOT, RELAY, SINK, LAST = 0, 1, 2, 9	# namespaces of net.sh; a node's id is one more
CHILD = 20	# the id of the first child


def address(place):
    return f"10.77.0.{place + 1}"


def listen(place):
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((address(place), PORT))
    sock.listen()
    return sock


def client(place):
    return hbcnl.in_netns(f"bench{place}", lambda: hbcnl.Client(hbcnl.Spec()))


def settle(listener, node):
    """A child of the relay, which is ready."""
    child = wire.Child(listener.accept()[0], GROUP, KEY)
    assert child.enter_as(node)
    epoch = child.settle()
    child.sock.setblocking(True)
    return f"{epoch}:{child.sock.fileno()}", child


def transfer(relays, places, size, mode):
    nodes = {place: client(place) for place in [ROOT] + relays}
    for each in nodes.values():
        each.do("group-new", id=GROUP, key=KEY)
    listeners = [hbcnl.in_netns(f"bench{place}", lambda place=place: listen(place))
                 for place in places]
    for i, place in enumerate(places):
        nodes[ROOT].do("peer-new", id=CHILD + i, ipv4=address(place), port=PORT)
    parent = relays[-1] + 1 if relays else ROOT + 1
    edges = [{"parent": place, "child": place + 1} for place in relays]
    edges += [{"parent": parent, "child": CHILD + i} for i in range(len(places))]
    nodes[ROOT].do("plan-begin", group=GROUP, strict=False, forward="packet")
    nodes[ROOT].do("plan-tree", group=GROUP, slot=0,
                   edge=[dict(edge, rate=0) for edge in edges])
    nodes[ROOT].do("plan-commit", group=GROUP)
    ends = [settle(listener, CHILD + i) for i, listener in enumerate(listeners)]
    bench = subprocess.run([f"{HERE}/hbbench", "plain", str(GROUP), str(size), mode,
                            *(word for word, _ in ends)], check=False,
                           pass_fds=[child.sock.fileno() for _, child in ends])
    for each in nodes.values():
        each.do("group-del", id=GROUP)
    for i in range(len(places)):
        nodes[ROOT].do("peer-del", id=CHILD + i)
    # While what is freed waits for RCU no time counts as idle, and hbbench asks for that.
    time.sleep(0.3)
    return bench.returncode


def main(command, path, *words):
    if command == "chain":
        return transfer([*range(RELAY, LAST)], [LAST], int(words[0]), "copy")
    places = [SINK + i for i in range(int(words[0]))]
    return transfer([RELAY] if path == "hbcast" else [], places, int(words[1]), words[2])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
