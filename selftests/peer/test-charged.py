#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=200 debian-only
"""What messages take that are not over is charged to who sends them."""

import os

from hbtest import hbcnl, node, tap
from hbtest.node import Node

CGROUP = "/sys/fs/cgroup/sender"
FILES = 100
SIZE = 1 << 30	# of nothing: pages are not what counts here
# A store knows of each of at least 512 pieces which slot brings it, and whether it is here.
LEAST = FILES * (512 + 512 // 8)


def charged():
    """Bytes of kernel memory of this process's group."""
    with open(CGROUP + "/memory.stat", encoding="ascii") as file:
        return int(dict(line.split() for line in file)["kernel"])


def enter():
    """A group of its own."""
    with open("/sys/fs/cgroup/cgroup.subtree_control", "w", encoding="ascii") as file:
        file.write("+memory")
    os.mkdir(CGROUP)
    with open(CGROUP + "/cgroup.procs", "w", encoding="ascii") as file:
        file.write(str(os.getpid()))


def main():
    hbcnl.load_module()
    node.switch()
    nodes = [Node(number, dead_ms=60000) for number in (1, 2)]
    for each in nodes:
        each.know(nodes)
    root = nodes[0]
    root.apply((1, 2))
    receiver = nodes[1].receiver()
    sender = root.sender()
    fd = os.memfd_create("content")
    os.ftruncate(fd, SIZE)
    enter()
    node.ip("-n", "switch", "link", "set", "p2", "down")
    before = charged()
    for _ in range(FILES):
        node.send_file(sender, fd, SIZE)
    grown = charged() - before
    print(f"# {grown} bytes for {FILES} files")
    tap.check(grown > LEAST, "files that are not over are charged to their sender")
    sender.close()
    root.client.do("group-del", id=node.GROUP)
    receiver.close()
    tap.done()


if __name__ == "__main__":
    main()
