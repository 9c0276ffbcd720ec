#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 debian-only
"""Probes of one namespace take all workers, which they have to do before the first one may not
stay any longer; another namespace ends without."""

from hbtest import hbcnl, node, tap, wire
from hbtest.node import KEY, until
from hbtest.rounds import EVIL, Coordinator, flow, three_nodes

WORKERS = 512		# probes of all namespaces that are served at once


def enter_late():
    """A probe that does not wait for what it is told."""
    peer = node.knock(EVIL, 2)
    first, challenge = peer.greet(2, EVIL, EVIL, flags=wire.FOR_PROBES)
    peer.send(wire.frame(wire.AUTH, wire.proof(KEY, b"hbcast connector", first, challenge)))
    return peer


def main():
    nodes = three_nodes()
    node.plug(EVIL)
    nodes[3].client.do("peer-new", id=1, ipv4="10.9.0.1")
    other = Coordinator(nodes[3])
    tap.equal(other.start(flow(3, 1), ms=500).over(), {1: "over", 3: "over"}, "one is served")
    crowd = [enter_late() for _ in range(WORKERS)]
    tap.check(crowd[0].alive(), "those that came first are served")
    measured = other.start(flow(3, 1), ms=500)
    tap.equal(list(other.samples(measured.number, 2)), [], "one more has to wait")
    begin = node.time.monotonic()
    nodes[3].client.do("node-del")
    tap.check(node.time.monotonic() < begin + 2, "its node does not wait for the others")
    other.close()
    for peer in crowd:
        peer.close()
    tap.check(until(20, hbcnl.unload_module), "the module unloads")
    tap.done()


main()
