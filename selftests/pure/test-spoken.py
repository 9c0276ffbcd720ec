#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What hbtest/wire.py says is what kmod/wire understands: two who have read the same
document.
"""

import errno
import os
import subprocess

from hbtest import tap, wire

LOOK_FRAMES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "look-frames")

NODE = wire.tree_node(2)
GOOD = {
    "HELLO": wire.hello(5, 1, 2, 1),
    "HELLO for measuring": wire.hello(5, 1, 1, 1, flags=wire.FOR_PROBES),
    "CHALLENGE": wire.frame(wire.CHALLENGE, b"\0\0\0\2" + bytes(64)),
    "AUTH": wire.frame(wire.AUTH, bytes(32)),
    "READY": wire.frame(wire.READY),
    "REJECT": wire.frame(wire.REJECT, b"\0\3\0\0"),
    "PLAN": wire.plan(),
    "PLAN of slots": wire.plan(3, {0: 5, 3: (7, 9), 63: 1}, wire.STRICT | wire.WHOLE),
    "TREE": wire.tree(1, [wire.tree_node(2, children=1, slots=5), wire.tree_node(3)]),
    "part of a TREE": wire.tree(1, [NODE], first=4000, total=4096),
    "MESSAGE": wire.message(1, 5000),
    "MESSAGE of no bytes": wire.message(1, 0),
    "MESSAGE of a file": wire.message(2, 1 << 40, kind=wire.FILE, name=b"x", hashed=1,
                                      digest=bytes(range(32)), changed=5),
    "DATA": wire.data(1, 0, b"x"),
    "the longest DATA": wire.data(1, 4, bytes(wire.PAYLOAD_MAX), 63),
    "LAST": wire.last(1),
    "OVER": wire.over(),
    "OVER of all": wire.over(wire.OVER_ALL),
    "OVER without the root": wire.over(wire.OVER_LOST),
    "DONE": wire.done(5),
    "DONE of numbers": wire.done(5, (1, 1), (3, 4)),
    "TREE_ACK": wire.tree_ack(1),
    "TREE_ACK of a node": wire.tree_ack(1, 5, 6),
    "HAVE": wire.have(1, (0, 1), (2, 3)),
    "HAVE of all": wire.have(1, tag=wire.HAVE_ALL),
    "the end of HAVE": wire.have_end(),
    "WANT": wire.want(1, (0, 1)),
    "STOP": wire.stop(),
    "ACK": wire.ack(1, 5),
    "ACK of a file": wire.arrived(1, 5),
    "REPORT": wire.report(1, (1, 0, 1, wire.DELIVERED), (2, 5, 7, wire.CHANGED)),
    "LOST": wire.lost(1, wire.NODE_DEAD, (1, 2)),
    "LOST that is back": wire.lost(1, 0, (1, 2), tag=wire.BACK),
    "PING": wire.ping(),
    "PONG": wire.frame(wire.PONG, bytes(8)),
    "PROBE": wire.probe(5, 1, bytes(60000)),
    "the last PROBE": wire.probe(5, 1, flags=1),
    "PROBE_ASK": wire.ask(1, wire.task(2, 1), wire.task(1, 2, kind=1, count=5), every=5),
    "PROBE_SAMPLE": wire.sample(1, (0, 2, 0, 0, 0, 5, 6), (0, 3, 0, 7, 0, 5, 6)),
}
BAD = {
    "HELLO with a cipher": wire.hello(5, 1, 2, 1, cipher=1),
    "HELLO without an incarnation": wire.hello(5, 1, 2, 1, incarnation=0),
    "PLAN of no epoch": wire.plan(0),
    "PLAN without slot 0": wire.plan(1, {1: 1}),
    "PLAN without a rate": wire.plan(1, {0: 0}),
    "PLAN of slots without rates": wire.plan(members=3),
    "PLAN with reserved bytes": wire.plan(reserved=1),
    "TREE of no nodes": wire.tree(1, [NODE], total=0),
    "MESSAGE 0": wire.message(0, 1),
    "MESSAGE with a name": wire.message(1, 1, name=b"x"),
    "DATA without payload": wire.data(1, 0),
    "PING with a tag": wire.ping(tag=1),
    "REPORT of nobody": wire.report(1, (1, 0, 0, 0)),
    "WANT of nothing": wire.want(1),
}


def main():
    frames = [*GOOD.values(), *BAD.values(), wire.hello(5, 1, 2, 1, tag=3)]
    said = subprocess.run([LOOK_FRAMES], input="\n".join(each.hex() for each in frames),
                          stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    due = [len(each) for each in GOOD.values()] + [-errno.EBADMSG] * len(BAD)
    names = [*GOOD, *(f"refused: {name}" for name in BAD), "refused: HELLO of version 3"]
    for name, got, expected in zip(names, map(int, said), due + [-errno.EPROTONOSUPPORT]):
        tap.equal(got, expected, name)
    # Written by hand in samples.c.
    tap.equal(wire.data(0x0123456789abcdef, 0x01020304, b"hello", 63).hex(),
              "093f001589abcdef01020304e7803f3f68656c6c6f", "a fragment, byte by byte")
    # As Documentation/wire-format.md has it, and test-choice.c.
    slots = {0: (4000000, 0xd1b54a32d192ecc0), 1: (2000000, 0xabc98388fb8fab90),
             2: (1000000, 0x8cb92ba72f3d8d40)}
    tap.equal(["".join(str(wire.choice(slots, members, piece)) for piece in range(16))
               for members in (7, 6, 5, 3)],
              ["0100100102102000", "1112121112112111", "0000000202002000", "0100100100100000"],
              "the slots that bring pieces")
    tap.done()


if __name__ == "__main__":
    main()
