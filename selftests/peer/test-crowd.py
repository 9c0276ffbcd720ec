#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Thousands of connections at once, with and without the key, beside a real one."""

import resource
import socket
import threading
import time

from hbtest import hbcnl, tap, wire
from hbtest.node import GROUP, until
from hbtest.scene import EVIL, Scene

CROWD = max(3000 // tap.SLOWNESS, 900)
HALF_OPEN_MAX = 256
PARENTS_MAX = 256
SLACK_KB = (32 << 10) * tap.SLOWNESS
DEAD_MS = 2000 * tap.SLOWNESS


def available():
    """KiB of memory that the machine could still use."""
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))


def crowd(say, size):
    """That many connections which have said something and wait; most are not wanted."""
    peers = []
    for _ in range(size):
        sock = socket.socket(socket.AF_INET)
        sock.setblocking(False)
        sock.connect_ex(("10.9.0.2", 7310))
        peers.append(sock)
    if say:
        for sock in peers:
            try:
                sock.send(wire.hello(GROUP, EVIL, 2, EVIL))
            except OSError:
                pass	# refused or evicted already
    return peers


def watch(scene, found, stop):
    """The most half-open handshakes and lanes, and the least memory, that were seen."""
    client = hbcnl.in_netns("n2", lambda: hbcnl.Client(scene.victim.client.spec))
    while not stop.is_set():
        info = client.do("node-get")
        found["half"] = max(found["half"], info["half-open"])
        found["lanes"] = max(found["lanes"], info["lanes"])
        found["least"] = min(found["least"], available())
        time.sleep(0.1)
    client.close()


def test_half_open(scene, say, size):
    what = "HELLO" if say else "nothing"
    before = available()
    found = {"half": 0, "lanes": 0, "least": before}
    stop = threading.Event()
    watcher = threading.Thread(target=watch, args=(scene, found, stop))
    watcher.start()
    socks = hbcnl.in_netns(f"n{EVIL}", lambda: crowd(say, size))
    # A lane that has to be made anew meanwhile.
    scene.root.apply((1, 3))
    scene.root.apply((1, 2), (2, 3))
    tap.check(scene.honest(), f"{size} that say {what}: new lanes are made, data arrives")
    tap.check(scene.quiet(), f"{size} that say {what}: all are dropped")
    stop.set()
    watcher.join()
    for sock in socks:
        sock.close()
    print(f"# at most {found['half']} half open, {found['lanes']} lanes; "
          f"{before - found['least']} KiB less memory, {before - available()} afterwards")
    tap.check(0 < found["half"] <= HALF_OPEN_MAX, "half-open handshakes are bounded")
    tap.check(until(10 * tap.SLOWNESS, lambda: before - available() < SLACK_KB), "the memory is back")
    scene.well(f"a crowd that says {what}")


def test_lanes(scene):
    """Somebody with the key claims to be very many parents."""
    scene.victim.client.do("group-set", id=GROUP, dead_ms=10 * DEAD_MS)
    peers = []
    refused = []
    for number in range(PARENTS_MAX + 40):
        peer = scene.attack()
        try:
            peer.enter(2, 10000 + number, EVIL)
            peers.append(peer)
        except wire.Ended:
            refused.append(number)
            peer.close()
    tap.equal((len(peers), len(refused)), (PARENTS_MAX, 40), "parents of a plan are bounded")
    tap.check(scene.honest(), "others are served meanwhile")
    scene.victim.client.do("group-set", id=GROUP, dead_ms=DEAD_MS)
    for peer in peers:
        peer.close()
    scene.well("very many parents")


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (CROWD + 1000, CROWD + 1000))
    hbcnl.load_module()
    scene = Scene(dead_ms=DEAD_MS)
    tap.check(scene.honest(), "before: a broadcast arrives")
    test_half_open(scene, False, CROWD)
    test_half_open(scene, True, CROWD // 3)
    test_lanes(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
