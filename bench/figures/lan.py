#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The second paper's figure 9 in the kernel: whole messages and packets along one
binomial tree of four nodes, in virtual time. Writes a table."""

import threading
import time

from hbtest import hbcnl, node
from hbtest.node import Node, ip, until

TREE = [(1, 2), (1, 3), (2, 4)]
MTU = 1024
# Not said in the paper: a LAN of its time, with a switch.
RATE, DELAY = "100mbit", "50us"
TIMES = 3
SECONDS = 60


def quiet_lan():
    """Four nodes at a switch; nothing but the messages goes by."""
    node.switch()
    nodes = [Node(number, dead_ms=60000, stall_ms=60000)
             for number in (1, 2, 3, 4)]
    for each in nodes:
        name = f"n{each.number}"
        each.know(nodes)
        ip("-n", name, "link", "set", "eth0", "mtu", MTU)
        ip("-n", "switch", "link", "set", f"p{each.number}", "mtu", MTU)
        ip("netns", "exec", name, "tc", "qdisc", "add", "dev", "eth0", "root", "netem",
           "rate", RATE, "delay", DELAY, "limit", 5000)
    return nodes


def read(sock, ends):
    """Until there is nothing to read any more: when each message ended."""
    try:
        while True:
            if node.take(sock)[1]:
                ends.append(time.monotonic())
    except (OSError, EOFError):
        pass


def elapsed(sender, data, ends):
    """Milliseconds until all have it all; the mean of some."""
    took = 0
    for _ in range(TIMES):
        ends.clear()
        begun = time.monotonic()
        sender.send(data)
        # A report takes its time, which is not measured.
        node.wait_complete(sender, SECONDS)
        until(SECONDS, lambda: len(ends) == len(TREE))
        took += max(ends) - begun
    return took * 1000 / TIMES


def main():
    hbcnl.load_module()
    nodes = quiet_lan()
    ends = []
    for each in nodes[1:]:
        threading.Thread(target=read, args=(each.receiver(), ends), daemon=True).start()
    sender = nodes[0].sender()
    took = {}
    for forward in "message", "packet":
        nodes[0].apply_trees((0, TREE), forward=forward)
        elapsed(sender, bytes(1000), ends)
        for size in range(100, 1001, 100):
            took[forward, size] = elapsed(sender, bytes(size * 1000), ends)
    print("# title\tThe second paper's figure 9, in the kernel: four nodes of a LAN")
    print("# y\tms until all have it")
    print("# form\tlines")
    print("KB\twhole messages\tpackets")
    for size in range(100, 1001, 100):
        print(f"{size}\t{took['message', size]:.4g}\t{took['packet', size]:.4g}")


if __name__ == "__main__":
    main()
