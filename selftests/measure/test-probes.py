#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 kcsan
"""Rounds of a measurement: what nodes do for a coordinator, and what they refuse."""

import errno

from hbtest import hbcnl, node, tap, wire
from hbtest.hbcnl import refused
from hbtest.node import GROUP, KEY, until
from hbtest.rounds import (DEAD_MS, DELAY_MS, EVIL, USUAL_DEAD_MS, Coordinator, burst, flow,
                           near, quiet, three_nodes, trip)

ROUND_SECONDS = 60	# the longest round


def test_kinds(one):
    # Nodes that are connected begin at once, so that they end at once.
    one.start(trip(2, 3), trip(3, 2)).over()
    measured = one.start(trip(1, 2), burst(2, 1), flow(3, 1, rate=2000), ms=500)
    tap.equal(measured.over(), {1: "over", 2: "over", 3: "over"}, "a round of all kinds is over")
    for index, sender in (0, 1), (1, 2), (2, 3):
        figure = measured.figure(sender, index)
        tap.check(figure["state"] == "done" and figure["first"] > 0 and figure["second"] > 0,
                  f"from {sender}: done, with figures")


def test_again(one):
    measured = one.start(flow(1, 2), ms=60000)
    tap.check(measured.runs(), "a long round runs")
    measured.last.clear()
    one.start(flow(1, 2), ms=60000, number=measured.number)
    tap.check(measured.runs(), "asked again, it tells how it is")
    following = one.start(flow(1, 3), ms=60000)
    tap.check(following.runs(), "the next round begins at once")
    one.stop()
    tap.equal(following.over(), {1: "over", 3: "over"}, "stopped, both ends are over")
    tap.check(until(2 * tap.SLOWNESS, lambda: quiet(1)), "nothing is sent any more")


def test_idle(nodes):
    """A coordinator has enough of a silence just when it asks again."""
    nodes[1].client.do("group-set", id=GROUP, dead_ms=DEAD_MS)
    one = Coordinator(nodes[1])
    said = set()
    for early in range(-10 * DELAY_MS, 10, 2):
        one.start(trip(2, 1)).over()
        node.time.sleep((DEAD_MS - early) / 1000)
        said |= set(one.start(trip(2, 1)).over().values())
    tap.equal(said, {"over"}, "a node is not lost that had no time to answer")
    one.close()
    nodes[1].client.do("group-set", id=GROUP, dead_ms=USUAL_DEAD_MS)


def test_gone(nodes):
    other = Coordinator(nodes[1])
    measured = other.start(flow(3, 2), ms=60000)
    tap.check(measured.runs(), "a socket's round runs")
    other.close()
    tap.check(until(2 * tap.SLOWNESS, lambda: quiet(3)), "it ends with the socket")


def test_busy(nodes, one):
    mine = one.start(flow(1, 3), ms=60000)
    tap.check(mine.runs(), "a coordinator's round runs")
    other = Coordinator(nodes[2])
    measured = other.start(flow(2, 3), ms=500)
    tap.equal(measured.over(), {2: "over", 3: "busy"}, "node 3 is busy for another coordinator")
    tap.equal(measured.figure(2, 0)["state"], "done", "whose flow began at the other end")
    tap.check(mine.runs(), "the first one's round goes on")
    one.stop()
    mine.over()
    again = other.start(flow(2, 3), ms=500)
    tap.equal(again.over(), {2: "over", 3: "over"}, "then it is the other one's turn")
    other.close()


def test_lost(nodes, one):
    nodes[1].client.do("peer-new", id=7, ipv4="10.9.0.2", port=7311)
    # Nodes that are connected begin at once, so that they end at once.
    one.start(trip(2, 3), trip(3, 2)).over()
    measured = one.start(flow(2, 7), flow(2, 3), ms=700)
    tap.equal(measured.over(), {2: "over", 3: "over", 7: "lost"}, "nobody listens for node 7")
    tap.equal(measured.last[7]["error"], errno.ECONNREFUSED, "which is said")
    tap.equal((measured.figure(2, 0)["state"], measured.figure(2, 0)["error"]),
              ("failed", errno.ECONNREFUSED), "by the node that was to send, too")
    tap.equal(measured.figure(2, 1)["state"], "done", "the other flow goes on")
    nodes[1].client.do("peer-del", id=7)
    measured = one.start(flow(3, 2), flow(2, 1), ms=60000)
    measured.runs()
    nodes[3].client.do("node-del")
    tap.check(measured.wait(lambda: measured.last[3]["status"] == "lost"),
              "a node that goes is lost")
    tap.equal(measured.last[1]["status"], "running", "the others go on")
    one.stop()
    measured.over()
    nodes[3].join()


def refuses(one, name, reason, *also):
    """Node 3 lets nobody in for that reason."""
    measured = one.start(flow(3, 1), flow(1, 3), *also, ms=500)
    measured.over()
    last = measured.last[3]
    tap.equal((last["status"], last.get("reject")), ("lost", reason), f"{name}: to the coordinator")
    figure = measured.figure(1, 1)
    tap.equal((figure["state"], figure.get("reject")), ("failed", reason), f"{name}: to the sender")


def test_refused(nodes, one):
    third = nodes[3].client
    third.do("group-set", id=GROUP, probe=0)
    refuses(one, "probes are not allowed", "policy")
    third.do("group-set", id=GROUP, probe=1, key=bytes(32))
    refuses(one, "the keys differ", "key")
    third.do("group-set", id=GROUP, key=KEY, member=[2, 3])
    refuses(one, "no member", "member")
    third.do("group-set", id=GROUP, any_member=True)
    third.do("group-del", id=GROUP)
    refuses(one, "no such group", "group")
    third.do("group-new", id=GROUP, key=KEY)


def test_limits(nodes, one):
    second = nodes[2].client
    second.do("group-set", id=GROUP, probe_rate=250000)
    measured = one.start(flow(2, 1), flow(2, 3), ms=2000)
    measured.over()
    rate = measured.rate(2, 0) + measured.rate(2, 1)
    # Payload is paced, and 1448 bytes of it are 1514 on the link.
    near(rate, 2e6 * 1514 / 1448, 0.15, "a node's flows keep below its rate together")
    second.do("group-set", id=GROUP, probe_rate=0, probe_total=300000)
    measured = one.start(flow(2, 1), ms=2000)
    measured.over()
    figure = measured.figure(2, 0)
    tap.equal((figure["state"], figure["error"]), ("failed", errno.EDQUOT), "and below its total")
    probed = second.do("group-get", id=GROUP)["probed"]
    tap.check(300000 <= probed < 300000 + 65536, "which is counted")
    second.do("group-set", id=GROUP, probe_total=0)
    tap.equal(second.do("group-get", id=GROUP)["probed"], 0, "from when it is set")
    tap.equal(one.start(flow(2, 1), ms=200).over(), {1: "over", 2: "over"},
              "without a limit it goes on")


def test_broadcast(nodes, one):
    """A broadcast goes on as long as somebody does not read it."""
    nodes[1].apply((1, 2), (2, 3))
    readers = [nodes[number].receiver() for number in (2, 3)]
    sender = nodes[1].sender()
    sender.send(bytes(100000))
    for reader in readers:
        node.take(reader, 1)
    measured = one.start(flow(2, 3), flow(3, 1), ms=500)
    tap.equal(measured.over(), {1: "broadcast", 2: "broadcast", 3: "broadcast"},
              "nobody measures while a broadcast goes on")
    measured = one.start(flow(2, 3), ms=500, anyway=True)
    tap.equal(measured.over(), {2: "over", 3: "over"}, "unless that is wanted")
    for reader in readers:
        node.take_all(reader)
    node.wait_complete(sender, 20)
    measured = one.start(flow(2, 3), flow(3, 1), ms=500)
    tap.equal(measured.over(), {1: "over", 2: "over", 3: "over"}, "when it is over they do")
    for sock in readers + [sender]:
        sock.close()


def test_requests(one):
    def start(*tasks, **values):
        values = {"group": GROUP, "round": 1, "ms": 100, **values}
        one.client.do("probe-start", task=list(tasks),
                      **{name: value for name, value in values.items() if value is not None})

    for name in "group", "round", "ms":
        refused(f"without {name}", errno.EINVAL, f"{name} is needed", start, flow(1, 2),
                **{name: None})
    refused("without tasks", errno.EINVAL, "task is needed", start)
    refused("no such group", errno.ENOENT, "add the group first", start, flow(1, 2), group=77)
    refused("stop without a group", errno.EINVAL, "group is needed", one.client.do, "probe-stop")
    refused("stop in no such group", errno.ENOENT, "add the group first", one.client.do,
            "probe-stop", group=77)
    refused("no such peer", errno.ENOENT, "no peer", start, flow(1, 77))
    refused("from a node to itself", errno.EINVAL, "to another one", start, flow(2, 2))
    refused("a flow with a count", errno.EINVAL, "flows have none", start,
            {**flow(1, 2), "count": 3})
    refused("round trips without a count", errno.EINVAL, "have a count", start,
            {"kind": "trip", "from": 1, "to": 2})
    refused("round trips with a rate", errno.EINVAL, "flows may have a rate", start,
            {**trip(1, 2), "rate": 1000})
    refused("a burst with a rate", errno.EINVAL, "flows may have a rate", start,
            {**burst(1, 2), "rate": 1000})
    refused("a rate of nothing", errno.ERANGE, "out of range", start, flow(1, 2, rate=0))
    refused("without an end", errno.EINVAL, "kind, from and to", start,
            {"kind": "flow", "from": 1})
    refused("an unknown kind", errno.ERANGE, "out of range", start,
            {"kind": 3, "from": 1, "to": 2})
    refused("too long", errno.ERANGE, "out of range", start, flow(1, 2), ms=60001)
    refused("too seldom", errno.ERANGE, "out of range", start, flow(1, 2), every=1001)
    refused("too many tasks of a node", errno.E2BIG, "fit into one request", start,
            *[trip(2, 3)] * 103)
    refused("too many tasks", errno.E2BIG, "4096", start, *[trip(2, 3)] * 4097)


def enter():
    """A probe of node 9 at node 2."""
    peer = node.knock(EVIL, 2)
    if not peer.enter(2, EVIL, EVIL, flags=wire.FOR_PROBES):
        raise ConnectionRefusedError
    return peer


def test_pings():
    """What does nothing but ping does not stay for ever."""
    peer = enter()
    begin = node.time.monotonic()
    while peer.alive() and node.time.monotonic() < begin + 2 * ROUND_SECONDS:
        node.time.sleep(4)
    took = node.time.monotonic() - begin
    tap.check(ROUND_SECONDS <= took < ROUND_SECONDS + 10,
              f"pings keep a probe as long as a round: {took:.0f} s")
    peer.close()


def test_evil_coordinator(nodes):
    """A member that speaks the wire format asks node 2 for what it should not."""
    cases = {
        "a task of others": wire.ask(1, wire.task(3, 1)),
        "a task of this one, and one of others": wire.ask(1, wire.task(2, 1), wire.task(3, 1)),
        "a task to nowhere": wire.ask(1, wire.task(2, 1, address="0.0.0.0")),
        "an unknown kind": wire.ask(1, wire.task(2, 1, kind=3, count=1)),
        "round trips with a rate": wire.ask(1, wire.task(2, 1, kind=1, count=1, rate=1)),
        "a sample too seldom": wire.ask(1, wire.task(2, 1), every=1001),
        "half a task": wire.frame(wire.PROBE_ASK, wire.ask(1, wire.task(2, 1) * 2)[4:-20]),
        "a sample": wire.sample(1),
        "a tree": wire.tree(1, [wire.tree_node(2)]),
        "a handshake once more": wire.hello(GROUP, EVIL, 2, EVIL, flags=wire.FOR_PROBES),
    }
    for name, data in cases.items():
        peer = enter()
        peer.send(data)
        tap.equal(peer.ended(), "end", f"refused: {name}")
        peer.close()
    peer = enter()
    tap.check(peer.alive(), "a probe answers pings")
    for _ in range(9):
        peer.send(wire.probe(5, 1, bytes(60000)))
    peer.send(wire.probe(5, 1, flags=1))
    tap.check(int.from_bytes(peer.wait(wire.PONG), "big") > 0, "and tells what a burst took")
    tap.equal(peer.ended(), "end", "who says nothing more goes")
    peer.close()
    peer = enter()
    peer.send(wire.ask(1, wire.task(EVIL, 2), ms=400))
    # What node 2 cannot know, and takes for what it is: a flow that never comes.
    said = b""
    while said[8:12] != b"\0\0\0\1" or said[13] == 0:
        said = peer.wait(wire.PROBE_SAMPLE)
    tap.equal((said[13], said[18], said[20]), (1, 3, errno.ETIMEDOUT), "a flow that never comes")
    peer.close()
    tap.check(until(20 * tap.SLOWNESS, lambda: quiet(2)), "nothing of it is left")


def test_evil_node(nodes, one):
    """Node 9 is asked, and answers what cannot be."""
    listener = node.tcp(EVIL)
    listener.setsockopt(node.socket.SOL_SOCKET, node.socket.SO_REUSEADDR, 1)
    listener.bind(("10.9.0.9", 7310))
    listener.listen()
    listener.settimeout(20)
    nodes[1].client.do("peer-new", id=EVIL, ipv4="10.9.0.9")
    cases = {
        "a figure of an unknown state": wire.sample(1, (0, 9, 0, 0, 0, 1, 2)),
        "more figures than there are": wire.sample(1, (0, 1, 0, 0, 0, 1, 2), count=2),
        "an unknown status": wire.sample(1, status=9),
        "a task": wire.ask(1, wire.task(1, EVIL)),
        "half a frame": wire.sample(1)[:10],
    }
    for name, data in cases.items():
        measured = one.start(trip(EVIL, 2), ms=60000)
        sock, _ = listener.accept()
        child = wire.Child(sock, GROUP, KEY)
        child.enter_as(EVIL)
        child.send(data)
        child.finish()
        tap.equal(measured.over(), {EVIL: "lost"}, f"{name}: the node is lost")
        child.close()
    measured = one.start(flow(EVIL, 2), ms=300)
    sock, _ = listener.accept()
    child = wire.Child(sock, GROUP, KEY)
    child.enter_as(EVIL)
    child.send(wire.sample(measured.number, (0, 2, 0, 0, 0, 10 ** 12, 0), status=1))
    tap.equal(measured.over(), {EVIL: "over", 2: "over"}, "a node says that it has sent")
    tap.equal((measured.figure(EVIL, 0)["first"], measured.figure(2, 0)["first"]), (10 ** 12, 0),
              "what it did not, and the other end knows")
    child.close()
    listener.close()
    nodes[1].client.do("peer-del", id=EVIL)


def main():
    nodes = three_nodes()
    node.plug(EVIL)
    one = Coordinator(nodes[1])
    test_kinds(one)
    test_again(one)
    test_idle(nodes)
    test_gone(nodes)
    test_busy(nodes, one)
    test_lost(nodes, one)
    test_refused(nodes, one)
    test_limits(nodes, one)
    test_broadcast(nodes, one)
    test_requests(one)
    test_evil_coordinator(nodes)
    test_pings()
    test_evil_node(nodes, one)
    last = one.start(flow(1, 2), flow(2, 3), trip(3, 1, 1000), ms=60000)
    tap.check(last.wait(lambda: last.nodes == set(last.last)), "a last round runs")
    tap.check(until(20 * tap.SLOWNESS, hbcnl.unload_module), "the module unloads meanwhile")
    tap.done()


main()
