#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Thousands of connections at once, with and without the key, beside a real one."""

import itertools
import resource
import socket
import threading
import time

from hbtest import hbcnl, node, tap, wire
from hbtest.node import GROUP, KEY, until
from hbtest.scene import EVIL, Scene

CROWD = max(3000 // tap.SLOWNESS, 900)
HALF_OPEN_MAX = 512	# handshakes at once, in all
HALF_OPEN_FROM = 128	# and from one address
SOURCES = 8	# addresses of the attacker
PARENTS_MAX = 256
SESSIONS_MAX = 1024
HONEST = 4	# handshakes of the others, at most
SLACK_KB = (32 << 10) * tap.SLOWNESS
DEAD_MS = 2000 * tap.SLOWNESS


def available():
    """KiB of memory that the machine could still use."""
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))


def crowd(say, size, sources):
    """That many connections which have said something and wait; most are not wanted."""
    peers = []
    for i in range(size):
        sock = socket.socket(socket.AF_INET)
        sock.bind((f"10.9.0.{100 + i % sources}", 0))
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


def test_half_open(scene, say, size, sources):
    what = f"{size} from {sources} who say {'HELLO' if say else 'nothing'}"
    before = available()
    found = {"half": 0, "lanes": 0, "least": before}
    stop = threading.Event()
    watcher = threading.Thread(target=watch, args=(scene, found, stop))
    watcher.start()
    socks = hbcnl.in_netns(f"n{EVIL}", lambda: crowd(say, size, sources))
    # A lane that has to be made anew meanwhile.
    scene.root.apply((1, 3))
    scene.root.apply((1, 2), (2, 3))
    tap.check(scene.honest(), f"{what}: new lanes are made, data arrives")
    tap.check(scene.quiet(), f"{what}: all are dropped")
    stop.set()
    watcher.join()
    for sock in socks:
        sock.close()
    print(f"# at most {found['half']} half open, {found['lanes']} lanes; "
          f"{before - found['least']} KiB less memory, {before - available()} afterwards")
    most = min(HALF_OPEN_FROM * sources + HONEST, HALF_OPEN_MAX)
    tap.check(0 < found["half"] <= most, f"{what}: no more than {most} are half open")
    tap.check(until(10 * tap.SLOWNESS, lambda: before - available() < SLACK_KB),
              "the memory is back")
    scene.well(what)


def attack(scene, incarnation):
    peer = scene.attack()
    peer.incarnation = incarnation
    return peer


def test_parents(scene):
    """Somebody with the key claims to be very many parents."""
    scene.victim.client.do("group-set", id=GROUP, dead_ms=10 * DEAD_MS)
    peers = []
    refused = []
    for number in range(PARENTS_MAX + 40):
        peer = attack(scene, 77)
        first, challenge = peer.greet(2, 10000 + number, EVIL)
        peer.send(wire.frame(wire.AUTH, wire.proof(KEY, b"hbcast connector", first, challenge)))
        # It is a lane when it answers, and not only READY.
        if peer.alive():
            peers.append(peer)
        else:
            refused.append(number)
            peer.close()
    tap.equal((len(peers), len(refused)), (PARENTS_MAX, 40), "parents of a root are bounded")
    tap.check(scene.honest(), "others are served meanwhile")
    scene.victim.client.do("group-set", id=GROUP, dead_ms=DEAD_MS)
    for peer in peers:
        peer.close()
    scene.well("very many parents")


def enters(scene, incarnation):
    """How a handshake for that incarnation of a root ends: "open" if it is a lane."""
    peer = attack(scene, incarnation)
    first, challenge = peer.greet(2, EVIL, EVIL)
    peer.send(wire.frame(wire.AUTH, wire.proof(KEY, b"hbcast connector", first, challenge)))
    how = "open" if peer.alive() else peer.rejected or "end"
    peer.close()
    return how


def test_incarnations(scene):
    """Somebody with the key claims that a root has been started again very often."""
    scene.victim.client.do("group-set", id=GROUP, dead_ms=10 * DEAD_MS)
    found = [enters(scene, 1000 + number) for number in range(SESSIONS_MAX)]
    ways = [how for how, _ in itertools.groupby(found)]
    tap.equal((ways, SESSIONS_MAX - HONEST <= found.count("open") < SESSIONS_MAX),
              (["open", "busy"], True), "roots of a group are bounded")
    tap.check(scene.honest(), "others are served meanwhile")
    scene.victim.client.do("group-set", id=GROUP, dead_ms=DEAD_MS)
    tap.check(until(20 * DEAD_MS / 1000, lambda: enters(scene, 1) == "open"),
              "those of whom nobody speaks any more are forgotten")
    scene.well("very many roots")


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (CROWD + 1000, CROWD + 1000))
    hbcnl.load_module()
    scene = Scene(dead_ms=DEAD_MS)
    tap.check(scene.honest(), "before: a broadcast arrives")
    node.ip_batch(*(f"address add 10.9.0.{100 + i}/24 dev eth0" for i in range(SOURCES)),
                  where=("-n", f"n{EVIL}"))
    test_half_open(scene, False, CROWD, 1)
    test_half_open(scene, True, CROWD // 3, 1)
    test_half_open(scene, True, CROWD, SOURCES)
    test_parents(scene)
    test_incarnations(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
