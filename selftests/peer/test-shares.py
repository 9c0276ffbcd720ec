#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
"""Which of several trees carries how much, in virtual time."""

import os

from hbtest import hbcnl, tap
from hbtest.node import until
from hbtest.trees import MIB, RATE, SECONDS, Scene, carried, rated


def test_shares(scene):
    """Each tree carries what it was planned to."""
    for shares in (1, 1, 1), (4, 2, 1), (1, 5, 2):
        scene.root.apply_trees(*rated(*shares))
        before = {}

        def begun(readers, before=before):
            # At first all lanes' buffers are filled alike.
            until(SECONDS, lambda: len(readers[0].got) > 2 * MIB)
            before.update(carried(scene.root))

        good = scene.broadcast(os.urandom(MIB) * 12, begun)
        after = carried(scene.root)
        got = [after[slot] - before[slot] for slot in range(len(shares))]
        parts = [count * sum(shares) / sum(got) for count in got]
        tap.check(good and all(0.8 * share < part < 1.25 * share
                               for share, part in zip(shares, parts)),
                  f"shares {shares}: {', '.join(f'{part:.2f}' for part in parts)}")


def test_slow(scene):
    """A relay with a slow way out keeps back its own tree, and no other."""
    trees = rated(1, 1, 1)
    trees[2] = RATE // 3, [(1, 4), (4, 2, RATE // 24), (4, 3, RATE // 24)]
    scene.root.apply_trees(*trees)
    before = carried(scene.root)
    good = scene.broadcast(os.urandom(MIB) * 12)
    after = carried(scene.root)
    got = [after[slot] - before.get(slot, 0) for slot in range(3)]
    print(f"# {[count >> 10 for count in got]} KiB of 12 MiB")
    tap.check(good and got[2] < sum(got) / 4, "one of three trees is slow: others carry more")
    tap.check(sum(got) < 13 * MIB, "and nobody asks for what is only slow")


def main():
    hbcnl.load_module()
    scene = Scene()
    test_shares(scene)
    test_slow(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
