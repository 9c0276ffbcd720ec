#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 debian-only
"""What probes find on links whose rate and delay are known, where machines keep up with them."""

from hbtest import tap
from hbtest.hbcnl import unload_module
from hbtest.node import GROUP, until
from hbtest.rounds import (DEAD_MS, DELAY_MS, RATE, USUAL_DEAD_MS, Coordinator, burst, flow, near,
                           quiet, slow_down, three_nodes, trip)

FAR_MS = 80


def test_trips(one):
    pairs = [(1, 2), (3, 1), (2, 3), (3, 2)]
    measured = one.start(*(trip(*pair) for pair in pairs))
    tap.equal(measured.over(), {1: "over", 2: "over", 3: "over"}, "round trips: all are over")
    for index, (sender, to) in enumerate(pairs):
        figure = measured.figure(sender, index)
        tap.equal(figure["state"], "done", f"from {sender} to {to}: done")
        near(figure["first"], 2 * DELAY_MS * 1e6, 0.03, f"from {sender} to {to}: 10 ms")
        tap.check(figure["second"] < 1e6, f"from {sender} to {to}: no more than 1 ms of noise")


def test_flows(one):
    measured = one.start(flow(2, 3), flow(2, 1), ms=2000)
    tap.equal(measured.over(), {1: "over", 2: "over", 3: "over"}, "flows: all are over")
    near(measured.rate(2, 0) + measured.rate(2, 1), RATE, 0.05, "together they fill the link")
    for index, to in (0, 3), (1, 1):
        near(measured.rate(to, index), measured.rate(2, index), 0.1,
             f"{to} has what has been sent to it")
        tap.check(measured.figure(to, index).get("receives", False), "and says so")
    tap.check(quiet(2), "nothing of them is left")


def test_every(nodes, one):
    """Who fills links with flows wants few samples of them."""
    def count(**values):
        measured = one.start(flow(2, 3, rate=200), ms=2000, **values)
        measured.over()
        tap.check(measured.figure(2, 0)["second"] <= 2 * 10 ** 9, "nothing is after the end")
        return len(measured.heard[2])

    # One when it is asked, and one when it is over.
    tap.check(8 <= count(every=250) <= 10, "a sample in 250 ms: eight in 2 s, and two more")
    tap.check(count() > 20, "many if nobody says how often")
    nodes[2].client.do("group-set", id=GROUP, dead_ms=DEAD_MS)
    tap.check(10 <= count(every=1000) <= 12, "two in a dead interval are not too few")
    nodes[2].client.do("group-set", id=GROUP, dead_ms=USUAL_DEAD_MS)


def test_little(one):
    """A flow that has sent a few segments has sent them."""
    measured = one.start(flow(2, 3, rate=200), ms=500)
    measured.over()
    tap.check(measured.figure(2, 0)["first"] < 30000, "a slow flow has sent little")
    near(measured.figure(3, 0)["first"], measured.figure(2, 0)["first"], 0.3,
         "of which the receiver knows, too")


def test_hole(one):
    """What has come behind a segment that was lost has come, too."""
    slow_down(2, delay_ms=FAR_MS)
    measured = one.start(flow(2, 3), ms=1200)
    measured.wait(lambda: 2 in measured.last and measured.figure(2, 0)["second"] > 1e9)
    slow_down(2, "loss", "100%", delay_ms=FAR_MS)
    slow_down(2, delay_ms=FAR_MS)
    measured.over()
    sent = measured.figure(2, 0)["first"]
    tap.check(sent > RATE / 16, "a far node has sent for half a second")
    near(measured.figure(3, 0)["first"], sent, 0.045, "all of it is said to have come")
    slow_down(2)


def test_rates(nodes, one):
    """What counts is on the link: a rate needs no factor for headers."""
    measured = one.start(flow(2, 3, rate=9000), flow(2, 1, rate=3000), ms=2000)
    measured.over()
    for index, to, rate in (0, 3, 9e6), (1, 1, 3e6):
        near(measured.rate(2, index), rate, 0.05, f"to {to}: sent at its rate")
        near(measured.rate(to, index), rate, 0.05, "and so it arrives")
    measured = one.start(flow(2, 3, rate=3 * RATE // 1000), ms=2000)
    measured.over()
    near(measured.rate(2, 0), RATE, 0.05, "above the link's rate it has that of the link")
    measured = one.start(flow(2, 3, rate=6000), flow(2, 1), ms=4000)
    measured.over()
    near(measured.rate(2, 0) + measured.rate(2, 1), RATE, 0.05, "what one leaves another takes")
    second = nodes[2].client
    second.do("group-set", id=GROUP, probe_rate=10 ** 6)
    measured = one.start(flow(2, 3, rate=2000), flow(2, 1, rate=6000), ms=2000)
    measured.over()
    for index, rate in (0, 2e6), (1, 6e6):
        near(measured.rate(2, index), rate, 0.05, "rates that fit the node's limit are kept")
        tap.equal(measured.figure(2, index).get("reject"), None, "and nothing is said of it")
    measured = one.start(flow(2, 3, rate=2000), flow(2, 1, rate=7000), ms=2000)
    measured.over()
    near(measured.rate(2, 0), 2e6, 0.05, "below its part of the limit it has its rate")
    # Half of the node's 8 Mbit/s of payload; 1448 bytes of it are 1514 on the link.
    near(measured.rate(2, 1), 4e6 * 1514 / 1448, 0.05, "above it that part")
    tap.equal([measured.figure(2, index).get("reject") for index in (0, 1)], [None, "policy"],
              "and the sender says why")
    second.do("group-set", id=GROUP, probe_rate=0)


def test_bursts(one):
    measured = one.start(burst(1, 2), burst(2, 1))
    measured.over()
    for index, sender in (0, 1), (1, 2):
        figure = measured.figure(sender, index)
        tap.equal(figure["state"], "done", f"a burst from {sender}: done")
        # Each frame is a segment of its own, of 82 bytes. Who is woken up late for the
        # first of 10 sees the others come faster.
        least = 9 * 82 * 8e9 / RATE
        tap.check(least / 2 < figure["second"] < 4 * least,
                  f"a burst from {sender}: frames arrive as fast as the link lets them")
        # The link does not hold the sender up: it would be a third of a millisecond.
        tap.check(0 < figure["first"] < least, f"a burst from {sender}: they are sent faster")


def main():
    nodes = three_nodes()
    one = Coordinator(nodes[1])
    test_trips(one)
    test_flows(one)
    test_every(nodes, one)
    test_little(one)
    test_hole(one)
    test_rates(nodes, one)
    test_bursts(one)
    tap.check(until(20, unload_module), "the module unloads")
    tap.done()


main()
