#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=200 slow
"""A lane's queue that fills faster than it can be sent: who has a plan to tell, and holds
the node's lock, sends some of what is there before it, but not as long as that goes on."""

import collections
import ctypes
import os
import re
import signal
import socket
import struct
import time

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until

SECONDS = 60 * tap.SLOWNESS	# that the flood lasts at most
BURSTS = 2 * 16	# with the new tree, and with an old one's end
PLANS, PAUSE = 16, 0.2
PORTS = range(20, 23)	# of the flood
TAPS, STEPS = 100, 1000
SO_ATTACH_FILTER, SO_SNDBUFFORCE, ETH_P_ALL = 26, 32, 3
DIVIDE, RETURN = 0x34, 0x06	# instructions of a socket's filter
TRACING = "/sys/kernel/tracing"
SENT = re.compile(r"hbc_transmit: peer=(\d+) ")


def trace(name, what):
    with open(os.path.join(TRACING, name), "w", encoding="ascii") as file:
        file.write(what)


def traced():
    """How many bursts this process has sent on each lane; forgets them."""
    with open(os.path.join(TRACING, "trace"), encoding="ascii") as file:
        found = collections.Counter(SENT.findall(file.read()))
    trace("trace", "")
    return found


def tire():
    """What the network card sends and receives goes through filters that take long and
    let nothing through: to send takes far longer than to have more to send."""
    step = struct.pack("=HBBI", DIVIDE, 0, 0, 3)
    last = struct.pack("=HBBI", RETURN, 0, 0, 0)
    program = ctypes.create_string_buffer(step * (STEPS - 1) + last)
    taps = []
    for _ in range(TAPS // tap.SLOWNESS):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                        struct.pack("HP", STEPS, ctypes.addressof(program)))
        taps.append(sock)
    return taps


def start(what, *args):
    """A process that does this; its id."""
    child = os.fork()
    if not child:
        what(*args)
        os._exit(0)
    return child


def read(sock):
    while True:
        sock.recv(1 << 20)


def flood(sock):
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 4 << 20)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        sock.send(bytes(500000))


def queued(root):
    """What waits in the longest queue of a lane."""
    return max(lane["queued"] for lane in root.client.dump("lane-get"))


def main():
    hbcnl.load_module()
    node.switch()
    root, near, far = nodes = [Node(number) for number in (1, 2, 3)]
    root.know(nodes)
    for each in nodes:
        # TCP is never full.
        hbcnl.in_netns(f"n{each.number}", lambda: node.buffers(4 << 20, 8 << 20))
    root.apply((1, 2), (2, 3))
    children = [start(read, each.receiver(port)) for each in (near, far) for port in PORTS]
    taps = hbcnl.in_netns("n1", tire)
    children += [start(flood, root.sender(port)) for port in PORTS]
    tap.check(until(SECONDS, lambda: queued(root) > 0), "more comes than is sent")
    trace("events/hbcast/hbc_transmit/filter", f"common_pid == {os.getpid()}")
    trace("events/hbcast/hbc_transmit/enable", "1")
    found = []
    for turn in range(PLANS):
        time.sleep(PAUSE)
        traced()
        root.apply((1, 2), *[(1, 3)] if turn % 2 == 0 else [(2, 3)], wait=False)
        found += traced().values()
    trace("events/hbcast/hbc_transmit/enable", "0")
    print("# sent on a lane:", *found)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    tap.check(0 < max(found, default=0) <= BURSTS,
              "who has a plan to tell does not send for ever")
    for each in taps:
        each.close()
    tap.done()


if __name__ == "__main__":
    main()
