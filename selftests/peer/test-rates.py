#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Lanes whose planned rates have nothing to do with one another, or with any network."""

import os

from hbtest import hbcnl, node, tap
from hbtest.trees import MIB, SECONDS, Scene

FILE = 8 * MIB
SLOW = MIB	# bytes/s
HUGE = (1 << 64) - 1


def broadcast(scene, content):
    """As a file; whether all have it."""
    fd = os.memfd_create("content")
    os.write(fd, content)
    readers = [node.Reader(sock) for sock in scene.receivers]
    node.send_file(scene.sender, fd, len(content))
    os.close(fd)
    good = all(reader.result(SECONDS) == "whole" and reader.got == content for reader in readers)
    scene.complete()
    return good and set(node.completion(scene.sender).values()) == {"delivered"}


def test_huge(scene):
    """Slow lanes find room for more, which a lane of the largest rate gets in proportion."""
    tree = [(1, 2, SLOW), (1, 3, HUGE), (1, 4, HUGE)]
    scene.root.apply_trees((0, tree), (0, tree), strict=False)
    content = os.urandom(FILE)
    tap.check(broadcast(scene, content), "slow lanes beside those of any rate: a file")
    scene.members[1].cut()
    tap.check(broadcast(scene, content), "and another one, when lanes have come again")


def main():
    hbcnl.load_module()
    scene = Scene()
    test_huge(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
