#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 kcsan
"""What netlink tells of lanes, and the events: three nodes at a bridge."""

import errno
import os
import socket
import struct
import subprocess
import time

from hbtest import hbcnl, tap
from hbtest.hbcnl import fine

KEY = bytes(range(32))
GROUP = 5
NODES = (1, 2, 3)
RATE = 10 ** 9	# bytes/s, more than these lanes ever reach
DEAD_MS = 3000	# a busy machine stops for longer than one would think

spec = hbcnl.Spec()


def ip(*args):
    subprocess.run(["ip", *map(str, args)], check=True)


def build_network():
    ip("link", "add", "name", "bridge", "type", "bridge")
    ip("link", "set", "bridge", "up")
    for node in NODES:
        ip("netns", "add", f"n{node}")
        ip("link", "add", f"p{node}", "type", "veth", "peer", "name", "eth0", "netns", f"n{node}")
        ip("link", "set", f"p{node}", "master", "bridge", "up")
        ip("-n", f"n{node}", "address", "add", f"10.9.0.{node}/24", "dev", "eth0")
        ip("-n", f"n{node}", "link", "set", "eth0", "up")


class Node:
    """A node in a namespace of its own: one socket to ask, one to listen."""

    def __init__(self, number):
        self.number = number
        self.client, self.listener = hbcnl.in_netns(
            f"n{number}", lambda: (hbcnl.Client(spec), hbcnl.Client(spec)))
        self.listener.listen()

    def setup(self):
        self.client.do("node-set", id=self.number, ipv4=f"10.9.0.{self.number}")
        self.client.do("group-new", id=GROUP, key=KEY, dead_ms=DEAD_MS)
        for peer in NODES:
            if peer != self.number:
                self.client.do("peer-new", id=peer, ipv4=f"10.9.0.{peer}")

    def event(self, name, **wanted):
        """Waits for the event and says so."""
        try:
            event = self.listener.event(type=name, **wanted)
        except TimeoutError:
            return tap.check(False, f"node {self.number}: no event {name} {wanted}")
        tap.check(True, f"node {self.number} tells {name} {wanted}")
        return event


def setup(nodes):
    for node in nodes.values():
        try:
            node.client.do("node-del")
        except hbcnl.Refused as why:
            assert why.errno == errno.ENODEV
        node.setup()
        node.event("node-up", node=[node.number])


def apply(root, *pairs):
    edges = [{"parent": parent, "child": child, "rate": RATE} for parent, child in pairs]
    root.client.do("plan-begin", group=GROUP)
    root.client.do("plan-tree", group=GROUP, slot=0, edge=edges)
    return root.client.do("plan-commit", group=GROUP)


def some(lane, *names):
    return {name: lane.get(name) for name in names}


def test_ready(nodes):
    one, two, three = (nodes[number] for number in NODES)
    apply(one, (1, 2), (2, 3))
    way = {"group": GROUP, "root": 1}
    tap.equal(one.event("plan-applied", epoch=1), {"type": "plan-applied", "epoch": 1} | way,
              "an event has no more than it must")
    lane = {"slot": 0, "direction": "down"} | way
    one.event("lane-up", peer=2, **lane)
    two.event("lane-up", peer=1, direction="up", slot=0, **way)
    two.event("lane-up", peer=3, **lane)
    three.event("lane-up", peer=2, direction="up", slot=0, **way)
    one.event("plan-ready", epoch=1, **way)
    plan = one.client.do("plan-get", group=GROUP)
    tap.equal(plan.get("ready"), True, "the plan is ready")
    below = two.client.dump("plan-get")
    tap.equal([(part["root"], part["epoch"], part["nodes"], part.get("edge"), part.get("child"))
               for part in below],
              [(1, 1, 2, [{"parent": 2, "child": 3, "rate": RATE}],
                [{"node": 3, "nodes": 1, "ready": True}])],
              "a relay knows its part of it")
    leaf = three.client.dump("plan-get")
    tap.equal([(part["nodes"], part.get("ready"), part.get("edge")) for part in leaf],
              [(1, True, None)], "a leaf has no edges, and is ready")


def test_lanes(nodes):
    one, two, three = (nodes[number] for number in NODES)
    who = ("group", "root", "slot", "peer", "direction", "state", "ipv4", "error", "reject")
    lanes = two.client.dump("lane-get")
    tap.equal([some(lane, *who) for lane in sorted(lanes, key=lambda lane: lane["peer"])],
              [{"group": GROUP, "root": 1, "slot": 0, "peer": peer, "direction": direction,
                "state": "ready", "ipv4": f"10.9.0.{peer}", "error": 0, "reject": "none"}
               for peer, direction in ((1, "up"), (3, "down"))], "a relay has two lanes")
    tap.equal([lane["id"] for lane in lanes], sorted(lane["id"] for lane in lanes),
              "by ascending id")
    lane = one.client.dump("lane-get")[0]
    tap.equal(some(lane, "port", "connects", "rejects", "tx-full"),
              {"port": 7310, "connects": 1, "rejects": 0, "tx-full": 0},
              "the root's lane leads to the peer's port")
    tap.check(lane["tx-bytes"] > 0 and lane["rx-bytes"] > 0, "bytes have gone both ways")
    tap.check(0 < lane["min-rtt-us"] <= lane["srtt-us"] < 1000000, "TCP has measured the way")
    tap.equal(lane["mss"], 1500 - 40 - 12, "a segment fills the MTU")
    again = one.client.do("lane-get", id=lane["id"])
    tap.equal(some(again, "id", *who), some(lane, "id", *who), "the same lane by its id")
    hbcnl.refused("a lane that is not there", 2, "no such lane", one.client.do, "lane-get",
                  id=lane["id"] + 1000)
    tap.equal(one.client.do("node-get")["lanes"], 1, "the node counts it")
    tap.equal(three.client.do("node-get")["half-open"], 0, "no handshake goes on")


def hbcast_socket(number, call):
    """A socket of the family in a node's namespace, bound or connected to port 9."""
    address = struct.pack("=HHIII", 18, 9, GROUP, 0, 0)

    def make():
        sock = socket.socket(18, socket.SOCK_SEQPACKET)
        hbcnl.libc_call(call, sock.fileno(), address, len(address))
        return sock

    return hbcnl.in_netns(f"n{number}", make)


def wait_message(client, **wanted):
    """Waits until the one message of the dump looks like this; returns it."""
    end = time.monotonic() + 20
    while True:
        found = client.dump("message-get")
        if len(found) == 1 and wanted.items() <= found[0].items():
            return found[0]
        if time.monotonic() > end:
            print(f"# {found}")
            return None
        time.sleep(0.05)


def test_messages(nodes):
    one, two, three = (nodes[number] for number in NODES)
    tap.equal(one.client.dump("message-get"), [], "no message at first")
    receiver = hbcast_socket(2, hbcnl.libc.bind)
    sender = hbcast_socket(1, hbcnl.libc.connect)
    tap.equal(two.client.do("group-get", id=GROUP)["receivers"], 1, "a receiver is counted")
    os.write(sender.fileno(), bytes(5000))
    pending = wait_message(one.client, failed=1)
    tap.equal(pending and some(pending, "group", "port", "total", "sent", "members", "delivered"),
              {"group": GROUP, "port": 9, "total": 5000, "sent": 5000, "members": 2,
               "delivered": 0}, "a message that waits for its reader")
    tap.equal(len(os.read(receiver.fileno(), 10000)), 5000, "it is read")
    tap.check(wait_message(one.client, delivered=1, failed=1), "and delivered")
    message = one.client.do("message-get", group=GROUP, id=pending["id"])
    members = message.get("member", [])
    tap.equal([some(member, "node", "state", "reason", "bytes") for member in members],
              [{"node": 2, "state": "delivered", "reason": "none", "bytes": 5000},
               {"node": 3, "state": "failed", "reason": "no-receiver", "bytes": 0}],
              "what became of it at each member")
    tap.check(all(0 < member["time-ns"] < 60e9 for member in members), "and how long it took")
    drops = three.client.do("group-get", id=GROUP)["drops"]
    tap.check(drops["no-receiver"] > 0, "the member without a receiver counts a drop")
    hbcnl.refused("a message that was never sent", 2, "no such message", one.client.do,
                  "message-get", group=GROUP, id=pending["id"] + 1)
    sender.close()
    receiver.close()


def test_stalled(nodes):
    one, two = nodes[1], nodes[2]
    two.client.do("group-set", id=GROUP, stall_ms=1000)
    receiver = hbcast_socket(2, hbcnl.libc.bind)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    sender = hbcast_socket(1, hbcnl.libc.connect)
    # More than fits on the way; it is accepted when the reader has been cut off.
    os.write(sender.fileno(), bytes(4 << 20))
    event = two.event("receiver-stalled", group=GROUP)
    tap.equal(event, {"type": "receiver-stalled", "group": GROUP, "port": 9},
              "a receiver that does not read is told of, by its port")
    tap.equal(two.client.do("group-get", id=GROUP)["drops"]["stalled"], 1, "and counted")
    sent = wait_message(one.client, failed=2)
    message = one.client.do("message-get", group=GROUP, id=sent["id"])
    tap.equal([some(member, "node", "state", "reason") for member in message["member"]],
              [{"node": 2, "state": "failed", "reason": "stalled"},
               {"node": 3, "state": "failed", "reason": "no-receiver"}],
              "the sender learns the reason")
    sender.close()
    receiver.close()
    two.client.do("group-set", id=GROUP, stall_ms=10000)


def test_refused_key(nodes):
    one, two = nodes[1], nodes[2]
    two.client.do("group-set", id=GROUP, key=bytes(16))
    apply(one, (1, 3), (3, 2))
    way = {"group": GROUP, "root": 1}
    nodes[3].event("lane-refused", peer=2, reject="key", direction="down", slot=0, **way)
    refusal = one.event("plan-refused", epoch=2, **way)
    tap.equal((refusal["node"], refusal["reject"]), ([2], "key"), "the root learns who and why")
    tap.equal(one.client.do("plan-get", group=GROUP).get("ready"), None, "it is not ready")
    two.client.do("group-set", id=GROUP, key=KEY)
    one.event("plan-ready", epoch=2, **way)


def test_lost(nodes):
    one, three = nodes[1], nodes[3]
    way = {"group": GROUP, "root": 1}
    ip("-n", "n2", "link", "set", "eth0", "down")
    three.event("lane-down", peer=2, direction="down", slot=0, **way)
    lost = one.event("member-lost", down=True, **way)
    tap.equal(lost["node"], [2], "the root learns who is lost")
    tap.check(lost["reason"] in ("lane-lost", "node-dead"), "and why")
    ip("-n", "n2", "link", "set", "eth0", "up")
    back = one.event("member-back", **way)
    tap.equal(back["node"], [2], "and who is back")


def test_end_in_use(nodes):
    """Nodes go while sockets are open and a message is on its way."""
    one, two = nodes[1], nodes[2]
    receiver = hbcast_socket(2, hbcnl.libc.bind)
    sender = hbcast_socket(1, hbcnl.libc.connect)
    os.write(sender.fileno(), bytes(50000))
    tap.check(wait_message(one.client, sent=50000), "a message has left and nobody reads it")
    fine("its member is taken down", two.client.do, "node-del")
    tap.equal(two.client.dump("lane-get"), [], "no lane is left there")
    tap.check(wait_message(one.client, failed=2), "the root learns that it failed")
    os.write(sender.fileno(), bytes(50000))
    fine("the root is taken down", one.client.do, "node-del")
    for node in one, two:
        tap.equal([node.client.dump(name) for name in ("lane-get", "plan-get", "group-get")],
                  [[], [], []], f"nothing is left at node {node.number}")
    sender.close()
    receiver.close()
    setup(nodes)


def over_ipv6(node):
    return b"\xfd\x09" + bytes(13) + bytes([node])


def test_ipv6(nodes):
    one, two = nodes[1], nodes[2]
    for node, peer in (one, 2), (two, 1):
        ip("-n", f"n{node.number}", "address", "add", f"fd09::{node.number}/64", "dev", "eth0",
           "nodad")
        node.client.do("node-del")
        node.client.do("node-set", id=node.number, ipv6=over_ipv6(node.number), port=99)
        node.client.do("peer-new", id=peer, ipv6=over_ipv6(peer), port=99)
        node.client.do("group-new", id=GROUP, key=KEY)
    apply(one, (1, 2))
    one.event("plan-ready", epoch=1)
    lane = one.client.dump("lane-get")[0]
    tap.equal(some(lane, "ipv4", "ipv6", "port", "state"),
              {"ipv4": None, "ipv6": over_ipv6(2), "port": 99, "state": "ready"},
              "a lane over IPv6")
    tap.equal(some(one.client.do("lane-get", id=lane["id"]), "ipv6"), {"ipv6": over_ipv6(2)},
              "alone, too")
    tap.equal(two.client.dump("lane-get")[0]["ipv6"], over_ipv6(1), "at the other end, too")


def test_end(nodes):
    one, two, three = (nodes[number] for number in NODES)
    fine("a node is taken down", two.client.do, "node-del")
    two.event("node-down", node=[2])
    tap.equal(two.client.dump("lane-get"), [], "none of its lanes is left")
    three.event("lane-down", peer=2, direction="down")
    two.setup()
    two.event("node-up", node=[2])
    fine("a plan is removed", one.client.do, "plan-del", group=GROUP)
    one.event("lane-down", peer=3)
    tap.equal(one.client.dump("plan-get"), [], "no plan is left")
    apply(one, (1, 2), (1, 3))
    one.event("plan-ready", epoch=1)
    test_end_in_use(nodes)
    test_ipv6(nodes)
    for node in nodes.values():
        node.client.close()
        node.listener.close()
    ip("netns", "del", "n3")
    ip("netns", "del", "n1")
    ip("netns", "del", "n2")
    tap.check(True, "the namespaces go while lanes are up")


def main():
    hbcnl.load_module()
    build_network()
    nodes = {number: Node(number) for number in NODES}
    setup(nodes)
    test_ready(nodes)
    test_lanes(nodes)
    test_messages(nodes)
    test_stalled(nodes)
    test_refused_key(nodes)
    test_lost(nodes)
    test_end(nodes)
    tap.done()


if __name__ == "__main__":
    main()
