#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=200 debian-only
"""What messages take that are not over is charged to who sends them, and at a node that gets
them to who has added the group."""

import os

from hbtest import hbcnl, node, tap
from hbtest.cgroup import Cgroup
from hbtest.node import GROUP, Node, until

FILES = 100
SIZE = 1 << 30	# of nothing: pages are not what counts here
# A store knows of each of at least 512 pieces which slot brings it, and whether it is here.
LEAST = FILES * (512 + 512 // 8)


def known(member):
    """Messages that it knows, and that are not over."""
    return len(member.client.dump("store-get"))


def main():
    hbcnl.load_module()
    node.switch()
    root = Node(1, dead_ms=60000)
    sends, gets = Cgroup("sender"), Cgroup("member")
    with gets:
        member = Node(2, dead_ms=60000)
    for each in (root, member):
        each.know((root, member))
    root.apply((1, 2))
    receiver = member.receiver()
    sender = root.sender()
    fd = os.memfd_create("content")
    os.ftruncate(fd, SIZE)
    node.ip("-n", "switch", "link", "set", "p2", "down")
    before, at_member = sends.kernel(), gets.kernel()
    with sends:
        for _ in range(FILES):
            node.send_file(sender, fd, SIZE)
    grown = sends.kernel() - before
    print(f"# {grown} bytes for {FILES} files")
    tap.check(grown > LEAST, "files that are not over are charged to their sender")
    tap.equal(known(member), 0, "a member has none yet")
    node.ip("-n", "switch", "link", "set", "p2", "up")
    tap.check(until(60, lambda: known(member) == FILES), "they come to the member")
    grown = gets.kernel() - at_member
    print(f"# {grown} bytes there")
    tap.check(grown > LEAST, "where they are charged to who has added the group")
    sender.close()
    root.client.do("group-del", id=GROUP)
    receiver.close()
    tap.done()


if __name__ == "__main__":
    main()
