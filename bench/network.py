# SPDX-License-Identifier: GPL-2.0-or-later
"""Networks for benchmarks: platforms from files or by chance, and what can go over them."""
import json
import os
import random

# Bytes of a full segment in a frame, and those that TCP carries in it.
FRAME, SEGMENT = 1514, 1448


class Network:
    """A platform: bandwidths and latencies by the ends of links, both ways of each."""

    def __init__(self, tree):
        self.tree = tree
        self.hosts = {node["id"] for node in tree["nodes"] if node["kind"] == "host"}
        self.mbps, self.us, self.next = {}, {}, {}
        for each in tree["links"]:
            self.add(each["from"], each["to"], each)
            if each.get("symmetric"):
                self.add(each["to"], each["from"], each)

    def add(self, one, other, each):
        self.mbps[one, other] = each["bandwidth_mbps"]
        self.us[one, other] = each["latency_us"]
        self.next.setdefault(one, []).append(other)

    def ways(self, start):
        """The least latency to each host, in microseconds."""
        found, todo = {start: 0}, [start]
        while todo:
            at = todo.pop()
            for node in self.next[at]:
                us = found[at] + self.us[at, node]
                if us < found.get(node, us + 1):
                    found[node] = us
                    todo.append(node)
        return {node: us for node, us in found.items() if node in self.hosts}

    def longest(self):
        """The longest of all ways between hosts, in microseconds."""
        return max(us for host in self.hosts for us in self.ways(host).values())

    def flow(self, root, node):
        """The largest flow, in Mbit/s: shortest ways with room are filled until there is none."""
        left, flow = dict(self.mbps), 0
        while way := self.room(left, root, node):
            most = min(left[each] for each in way)
            for one, other in way:
                left[one, other] -= most
                left[other, one] = left.get((other, one), 0) + most
            flow += most
        return flow

    def room(self, left, root, node):
        """The links of a shortest way of which all have room, or None."""
        came, todo = {root: None}, [root]
        for at in todo:
            for other in self.next[at]:
                if other not in came and left[at, other] > 1e-9:
                    came[other] = at
                    todo.append(other)
        if node not in came:
            return None
        way = []
        while came[node] is not None:
            way.append((came[node], node))
            node = came[node]
        return way


def host(number):
    return {"id": number, "kind": "host"}


def switch(number):
    return {"id": number, "kind": "switch"}


def link(luck, one, other, us, mbps):
    """Both ways; in half of the cases one is as fast as the other."""
    back = mbps if luck.random() < 0.5 else mbps * luck.choice((0.25, 0.5, 2, 4))
    return [{"from": one, "to": other, "bandwidth_mbps": round(mbps, 3), "latency_us": us},
            {"from": other, "to": one, "bandwidth_mbps": round(back, 3), "latency_us": us}]


def tree(luck, hosts):
    """Switches one below another, hosts anywhere, 10 to 500 Mbit/s, 0.2 to 50 ms."""
    switches = max(2, hosts // 5)
    nodes = [host(i + 1) for i in range(hosts)]
    nodes += [switch(1001 + i) for i in range(switches)]
    links = []
    for i in range(1, switches):
        links += link(luck, 1001 + i, 1001 + luck.randrange(i),
                      round(500 * 50 ** luck.random()), 20 * 25 ** luck.random())
    for i in range(hosts):
        at = i // 2 if i < 2 * switches else luck.randrange(switches)
        links += link(luck, i + 1, 1001 + at, round(100 * 50 ** luck.random()),
                      10 * 50 ** luck.random())
    return {"nodes": nodes, "links": links}


def racks(luck, number, hosts, far):
    """Of equal hosts, two to one; seen in round trips only if they are far."""
    rate = luck.choice((20, 50, 100))
    nodes = [host(i + 1) for i in range(number * hosts)]
    nodes += [switch(1000 + i) for i in range(number + 1)]
    links = []
    for i in range(number):
        links += [{"from": 1001 + i, "to": 1000, "bandwidth_mbps": rate * hosts / 2,
                   "latency_us": far, "symmetric": True}]
        links += [{"from": i * hosts + k + 1, "to": 1001 + i, "bandwidth_mbps": rate,
                   "latency_us": 100, "symmetric": True} for k in range(hosts)]
    return {"nodes": nodes, "links": links}


def made(seed):
    luck = random.Random(seed)
    for hosts in (9, 17, 33):
        yield f"tree-{hosts}", tree(luck, hosts)
    yield "racks-far", racks(luck, 3, 4, 2000)
    yield "racks-near", racks(luck, 3, 4, 0)


def read(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path).split(".")[0], json.load(file)


def all_of(paths, seed):
    """Names and platforms: those in files, or random ones if there are none."""
    yield from read(paths) if paths else made(seed)


def write(path, tree):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"hbcast": "platform", "version": 1, **tree}, file)
