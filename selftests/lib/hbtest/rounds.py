# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds of a measurement, as a coordinator's netlink socket has them."""

import contextlib
import itertools
import subprocess
import time

from hbtest import hbcnl, tap
from hbtest.node import GROUP, Node, spec, switch

DELAY_MS = 5		# one way
RATE = 20 * 10 ** 6	# bit/s that leave each node
DEAD_MS = 400
USUAL_DEAD_MS = 5000
EVIL = 9		# a node that is a program

_numbers = itertools.count(1)


def slow_down(number, *also, delay_ms=DELAY_MS):
    """What leaves a node takes a link's time, frames as the link has them."""
    subprocess.run(["ip", "netns", "exec", f"n{number}", "tc", "qdisc", "replace", "dev", "eth0",
                    "root", "netem", "delay", f"{delay_ms}ms", "rate", str(RATE), *also],
                   check=True)


def three_nodes():
    """Nodes 1 to 3 at such links; 1 and 2 know all."""
    hbcnl.load_module()
    switch()
    nodes = {number: Node(number) for number in (1, 2, 3)}
    for number in nodes:
        slow_down(number)
    nodes[1].know(nodes.values())
    nodes[2].know(nodes.values())
    return nodes


def sent(number):
    """Bytes that have left a node."""
    with open("/proc/net/dev", encoding="ascii") as file:
        line = next(line for line in file if line.strip().startswith("eth0"))
    return int(line.split(":")[1].split()[8])


def quiet(number):
    """Whether next to nothing leaves a node now."""
    def count():
        return hbcnl.in_netns(f"n{number}", lambda: sent(number))
    before = count()
    time.sleep(0.2)
    return count() - before < 20000


def near(value, expected, part, name):
    if abs(value - expected) > part * expected:
        print(f"# {value}, not {expected}")
        return tap.check(False, name)
    return tap.check(True, name)


def flow(sender, to, **values):
    return {"kind": "flow", "from": sender, "to": to, **values}


def trip(sender, to, count=30):
    return {"kind": "trip", "from": sender, "to": to, "count": count}


def burst(sender, to, count=10):
    return {"kind": "burst", "from": sender, "to": to, "count": count}


class Client(hbcnl.Client):
    """A socket that keeps what it is told while it waits for an answer."""

    def __init__(self):
        self.kept = []
        super().__init__(spec)

    def receive(self):
        for message in super().receive():
            kind, _, seq, body = message
            if seq or kind != self.family:
                yield message
            else:
                self.kept.append(spec.decode("probe", body[4:]))


class Coordinator:
    """A netlink socket of its own in a node's namespace."""

    def __init__(self, node, group=GROUP):
        self.group = group
        self.client = hbcnl.in_netns(f"n{node.number}", Client)

    def start(self, *tasks, ms=1000, number=None, **values):
        number = next(_numbers) if number is None else number
        self.client.do("probe-start", group=self.group, round=number, ms=ms, task=list(tasks),
                       **values)
        return Round(self, number, tasks, ms)

    def stop(self):
        self.client.do("probe-stop", group=self.group)

    def close(self):
        self.client.close()

    def samples(self, number, seconds):
        """What comes of a round within so many seconds."""
        end = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError):
            while (left := end - time.monotonic()) > 0:
                while self.client.kept:
                    sample = self.client.kept.pop(0)
                    if sample["round"] == number:
                        yield sample
                self.client.sock.settimeout(left)
                list(self.client.receive())
        self.client.sock.settimeout(20)


class Round:
    """A round, and the last that was heard of it from each node that has a part in it."""

    def __init__(self, coordinator, number, tasks, ms):
        self.coordinator = coordinator
        self.number = number
        self.seconds = ms / 1000 + 15 * tap.SLOWNESS
        self.nodes = {task["from"] for task in tasks}
        self.nodes |= {task["to"] for task in tasks if task["kind"] == "flow"}
        self.last = {}
        self.heard = {node: [] for node in self.nodes}

    def wait(self, what):
        """Listens until what() is true; returns whether it is."""
        if not what():
            for sample in self.coordinator.samples(self.number, self.seconds):
                self.last[sample["node"]] = sample
                self.heard[sample["node"]].append(sample)
                if what():
                    break
        return what()

    def over(self):
        """Until all nodes have said their last: {node: status}."""
        self.wait(lambda: self.nodes == set(self.last)
                  and all(sample["status"] != "running" for sample in self.last.values()))
        return {node: sample["status"] for node, sample in self.last.items()}

    def runs(self):
        """Until all tasks run."""
        return self.wait(lambda: self.nodes == set(self.last) and all(
            figure["state"] == "running" for sample in self.last.values()
            for figure in sample.get("figure", [{"state": "none"}])))

    def figure(self, node, index):
        return next(figure for figure in self.last[node]["figure"] if figure["index"] == index)

    def rate(self, node, index):
        """Bit/s of a flow in the second half of the round, in that node's words."""
        # One that has ended may have done so some time before it was looked at.
        points = [(figure["second"], figure["first"]) for sample in self.heard[node]
                  for figure in sample["figure"]
                  if figure["index"] == index and figure["state"] == "running"]
        half = points[-1][0] / 2
        ns, count = min((point for point in points if point[0] >= half), key=lambda p: p[0])
        return (points[-1][1] - count) * 8e9 / (points[-1][0] - ns)
