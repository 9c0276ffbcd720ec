#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""A receiver that stops reading while a large file is sent: memory stays bounded."""

import os
import threading

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until

SIZE = (64 << 20) // tap.SLOWNESS
OTHERS = (8 << 20) * tap.SLOWNESS	# what else may take memory meanwhile
SECONDS = 60 * tap.SLOWNESS
QUEUE = 131072
BURST = 65536		# one goes beyond a bound, with its pages' rest
TCP = 2 * 262144	# both ends of a lane, as Node.set_up() has set them
LANES = 3


def used():
    """KiB of memory that are not available any more."""
    with open("/proc/meminfo", encoding="ascii") as file:
        found = {line.split(":")[0]: int(line.split()[1]) for line in file}
    return found["MemTotal"] - found["MemAvailable"]


def queues(nodes):
    """The longest queue of a lane in bytes of memory."""
    return max(lane["queued"] for each in nodes for lane in each.client.dump("lane-get"))


def main():
    hbcnl.load_module()
    node.switch()
    nodes = [Node(number, queue=QUEUE, stall_ms=60000 * tap.SLOWNESS) for number in (1, 2, 3, 4)]
    nodes[0].know(nodes)
    nodes[0].apply((1, 2), (2, 3), (2, 4))
    gate = threading.Event()
    socks = [each.receiver() for each in nodes[1:]]
    sender = nodes[0].sender()
    file = os.memfd_create("message")
    for _ in range(SIZE >> 20):
        os.write(file, bytes(1 << 20))
    before = used()
    readers = [threading.Thread(target=drain, args=(sock, gate if at == 1 else None))
               for at, sock in enumerate(socks)]
    for reader in readers:
        reader.start()
    message = node.send_file(sender, file, SIZE)

    def sent():
        return next(found["sent"] for found in nodes[0].client.dump("message-get")
                    if found["id"] == message)

    seen = []

    def at_rest():
        seen.append(sent())
        return len(seen) > 20 and seen[-1] == seen[-20] > 0

    tap.check(until(SECONDS, at_rest), "all wait for the one that does not read")
    most, more = queues(nodes), (used() - before) << 10
    rcvbuf = max(sock.getsockopt(1, 8) for sock in socks)
    sndbuf = sender.getsockopt(1, 7)
    bound = sndbuf + LANES * (QUEUE + TCP + 4 * BURST) + 3 * (rcvbuf + 16 * BURST)
    print(f"# {seen[-1]} bytes sent, longest queue {most}, {more} bytes of memory, bound {bound}")
    tap.check(seen[-1] < bound, "the sender waits when all buffers are full")
    tap.check(most < QUEUE + 4 * BURST, "no queue is longer than it may be")
    tap.check(more < bound + OTHERS, "memory is what the settings allow")
    gate.set()
    for reader in readers:
        reader.join(SECONDS)
    node.wait_complete(sender, SECONDS)
    tap.equal(node.completion(sender), {2: "delivered", 3: "delivered", 4: "delivered"},
              "then it reads, and all have it")
    tap.equal(sum(totals), 3 * SIZE, "every byte of it")
    tap.check(until(SECONDS, lambda: queues(nodes) == 0), "the queues are empty")
    for sock in socks + [sender]:
        sock.close()
    tap.done()


totals = []


def drain(sock, gate):
    """Reads one message and counts it; waits for the gate after the first piece."""
    total, end = 0, False
    while not end:
        data, end = node.take(sock, 1 << 18)
        total += len(data)
        if gate:
            gate.wait()
    totals.append(total)


if __name__ == "__main__":
    main()
