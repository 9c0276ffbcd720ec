#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=150 debug-only 6.12-only slow
"""Random system calls, netlink messages and lanes for 20 s; then all is well.

HBCAST_SEED and HBCAST_SECONDS set the seed and the time.
HBCAST_FUZZ_REPLAY=LOG with HBCAST_FUZZ_FROM and HBCAST_FUZZ_TO runs programs
again out of what an earlier run with this seed has printed.
"""

import os
import re
import subprocess

from hbtest import hbcnl, node, tap, wire
from hbtest.scene import Scene

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
KCOV = "/sys/kernel/debug/kcov"
FUZZER = os.path.join(TOP, "selftests/fuzz/kernel/fuzz")
# What a neighbour may say behind the handshake.
FRAMES = set(range(wire.PLAN, wire.PROBE_SAMPLE))


def load_module():
    """The one that tells KCOV where it is, on a kernel that has it; so does the one whose
    lines are counted."""
    release = os.uname().release
    path = os.environ.get("HBCAST_KO", os.path.join(TOP, "build", release, "hbcast.ko"))
    if os.path.exists(KCOV) and "HBCAST_COVERAGE" not in os.environ:
        path = os.path.join(os.path.dirname(os.path.dirname(path)), "kcov", release, "hbcast.ko")
    os.environ["HBCAST_KO"] = path
    hbcnl.load_module()


def command(seed):
    log = os.environ.get("HBCAST_FUZZ_REPLAY")
    if not log:
        return [FUZZER, str(seed), os.environ.get("HBCAST_SECONDS", "20")]
    return [FUZZER, str(seed), os.environ["HBCAST_FUZZ_FROM"], os.environ["HBCAST_FUZZ_TO"], log]


def run(seed):
    """Shows what it says at once; returns how it ended, and the types of frames that nodes
    have taken from it."""
    taken = set()
    with subprocess.Popen(command(seed), stdout=subprocess.PIPE, text=True) as fuzzer:
        for line in fuzzer.stdout:
            print(line, end="", flush=True)
            found = re.fullmatch(r"# taken (\d+): (\d+)\n", line)
            if found and int(found[2]):
                taken.add(int(found[1]))
    return fuzzer.returncode, taken


def again(nodes):
    """The fuzzer's nodes, whatever is left of them, broadcast once they are made anew."""
    for each in nodes:
        # Those that were there have heard more than they could remember.
        each.forget()
        each.client, each.listener = hbcnl.in_netns(f"n{each.number}", each.set_up)
        try:
            each.client.do("node-del")
        except hbcnl.Refused:
            # Peers are there without a node, too.
            for peer in each.client.dump("peer-get"):
                each.client.do("peer-del", id=peer["id"])
        each.join()
    root = nodes[0]
    root.know(nodes)
    root.apply((4, 5), (5, 6))
    readers = [node.Reader(each.receiver()) for each in nodes[1:]]
    data = os.urandom(100000)
    sender = root.sender()
    sender.send(data)
    return all(reader.result() == "whole" and reader.got == data for reader in readers)


def main():
    seed = os.environ.get("HBCAST_SEED") or int.from_bytes(os.urandom(4), "little")
    print(f"# seed {seed}", flush=True)
    load_module()
    # What is below a root that has gone is kept for some of these.
    scene = Scene(dead_ms=2000)
    nodes = [node.Node(number) for number in (4, 5, 6)]
    end, taken = run(seed)
    tap.equal(end, 0, "the fuzzer ends well")
    if "HBCAST_FUZZ_REPLAY" not in os.environ:
        tap.equal(FRAMES - taken, set(), "frames of each type were taken")
    scene.well("the honest nodes")
    tap.check(again(nodes), "the fuzzer's nodes, made anew, broadcast")
    for each in nodes:
        each.forget()
    scene.end()
    tap.done()


main()
