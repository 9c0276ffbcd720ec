#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What hostile neighbours cost a node, in a test machine in virtual time.

A file goes along the chain 1, 2, 3, at a plan's rate, while node 2 is attacked, so often a
second, by somebody without the key or with it. Of each attack a line of a table says

- what the kernel's workers do for one attempt, before the file: in virtual time a microsecond
  is a thousand instructions;
- how many handshakes and lanes are half open, or there, at most;
- by how much the kernel's memory for objects grows, the attacker's own sockets included;
- how long the file takes, beside the time without an attack;
- how long a new lane to the node takes at most, made again and again meanwhile.

usage: inside.py [SECONDS [ATTACK...]]	twice for each attack (4), and numbers of some of them
"""

import collections
import contextlib
import glob
import itertools
import os
import resource
import sys
import tempfile
import threading
import time

from hbtest import hbcnl, node, wire
from hbtest.node import GROUP, KEY
from hbtest.scene import EVIL, Scene

RATE = 2 << 20	# bytes/s of the file
PORT = 8
NOBODY = 99	# a port without receivers
SOURCES = 8	# addresses of the attacker
DEAD_MS = 2000
HOLD = 600	# connections that it keeps
LONGEST = 1.05	# of the file's time without an attack
LATEST = 2	# seconds for a new lane
TREE = [wire.tree_node(2, 1), wire.tree_node(100, 500),
        *(wire.tree_node(101 + number) for number in range(500))]

numbers = itertools.count(1)


class Attacker(threading.Thread):
    """Makes so many attempts a second until it is told to stop."""

    def __init__(self, attempt, rate, sources, key):
        super().__init__(daemon=True)
        self.attempt = attempt
        self.pause = 1 / rate
        self.held = collections.deque(maxlen=None if key else HOLD)
        self.attempts = self.lanes = 0
        self.over = threading.Event()
        self.sources = itertools.cycle(range(sources))
        self.lane = self.parent() if key else None
        self.start()

    def connect(self):
        sock = node.tcp(EVIL)
        sock.bind((f"10.9.0.{100 + next(self.sources)}", 0))
        sock.settimeout(5)
        sock.connect(("10.9.0.2", 7310))
        return wire.Peer(sock, GROUP, KEY)

    def parent(self):
        """Becomes a parent of the node, whose root is the attacker, too."""
        peer = self.connect()
        peer.enter(2, EVIL, EVIL)
        peer.tell([wire.tree_node(2)])
        return peer

    def say(self, *frames):
        """On the lane, or a new one if the node has ended it."""
        if not self.lane.send(*frames):
            self.lane.close()
            self.lane = self.parent()
            self.lanes += 1

    def hold(self, peer):
        """The oldest is let go for it."""
        if len(self.held) == HOLD:
            self.held.popleft().close()
        self.held.append(peer)

    def run(self):
        due = time.monotonic()
        while not self.over.is_set():
            try:
                self.attempt(self)
            except (OSError, wire.Ended, wire.Silent):
                pass	# refused: it has cost something all the same
            self.attempts += 1
            due = max(due + self.pause, time.monotonic() - 1)
            self.over.wait(max(due - time.monotonic(), 0))

    def stop(self):
        self.over.set()
        self.join()
        for peer in [*self.held, *([self.lane] if self.lane else [])]:
            peer.close()


def says(content):
    """A connection that says it, and is kept."""
    def attempt(self):
        peer = self.connect()
        peer.send(content)
        self.hold(peer)
    return attempt


def proves_nothing(self):
    peer = self.connect()
    peer.greet(2, EVIL, EVIL)
    peer.send(wire.frame(wire.AUTH, bytes(32)))
    self.hold(peer)


def dribbles(self):
    """A byte of HELLO on the connection that has waited longest, or a new one."""
    peer = self.held.popleft() if len(self.held) > HOLD // 4 else self.connect()
    peer.at = getattr(peer, "at", -1) + 1
    if peer.send(wire.hello(GROUP, EVIL, 2, EVIL)[peer.at:peer.at + 1]):
        self.held.append(peer)
    else:
        peer.close()


def comes_and_goes(self):
    peer = self.connect()
    peer.enter(2, EVIL, EVIL)
    peer.close()


def pings(self):
    self.say(wire.ping())


def plans(self):
    epoch = next(numbers)
    self.say(wire.plan(epoch), wire.trees(epoch, TREE))


def gives(self):
    number = next(numbers)
    self.say(wire.message(number, 16000, NOBODY), wire.last(number))


def stale(self):
    """Data of a message that nobody knows."""
    self.say(STALE)


HELLO = wire.hello(GROUP, EVIL, 2, EVIL)
STALE = b"".join(wire.cut(1 << 30, bytes(16000)))
# A name, what an attempt is, how many a second, from how many addresses, and with the key.
ATTACKS = (
    ("connects, and says nothing", says(b""), 200, 1, False),
    ("the same from 8 addresses", says(b""), 200, SOURCES, False),
    ("what is no HELLO", says(b"GET / HTTP/1.1\r\n\r\n"), 200, 1, False),
    ("HELLO, and no more", says(HELLO), 200, 1, False),
    ("the same from 8 addresses", says(HELLO), 200, SOURCES, False),
    ("a wrong proof", proves_nothing, 200, SOURCES, False),
    ("HELLO, a byte at a time", dribbles, 1000, SOURCES, False),
    ("lanes that come and go", comes_and_goes, 100, 1, False),
    ("PING", pings, 1000, 1, True),
    ("plans of 502 nodes", plans, 20, 1, True),
    ("messages for nobody, without data", gives, 100, 1, True),
    ("16 KB of no message", stale, 100, 1, True),
)


def workers_ns():
    """What the kernel's workers have done so far."""
    total = 0
    for name in glob.glob("/proc/[0-9]*/schedstat"):
        try:
            with open(name.replace("schedstat", "comm"), encoding="ascii") as file:
                if not file.read().startswith("kworker"):
                    continue
            with open(name, encoding="ascii") as file:
                total += int(file.read().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total


def slab_kib():
    """The kernel's memory for objects: sockets, lanes, what TCP keeps."""
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Slab:"))


class Watch(threading.Thread):
    """The most that is seen of the victim's connections and of memory."""

    def __init__(self, scene):
        super().__init__(daemon=True)
        self.client = hbcnl.in_netns("n2", lambda: hbcnl.Client(scene.victim.client.spec))
        self.half_open = self.lanes = 0
        self.kib = slab_kib()
        self.over = threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.1):
            info = self.client.do("node-get")
            self.half_open = max(self.half_open, info["half-open"])
            self.lanes = max(self.lanes, info["lanes"])
            self.kib = max(self.kib, slab_kib())
        self.client.close()

    def stop(self):
        self.over.set()
        self.join()


class Count(threading.Thread):
    """Reads a file message."""

    def __init__(self, sock):
        super().__init__(daemon=True)
        self.sock = sock
        self.at = None	# when it had all
        self.start()

    def run(self):
        end = False
        while not end:
            end = node.take_piece(self.sock)[1]
        self.at = time.monotonic()


def new_lanes(scene):
    """Node 3 has a plan along which node 2 is its child, and none again: seconds to READY."""
    begun = time.monotonic()
    epoch = scene.leaf.apply((3, 2), (2, 1), wait=False)
    while not scene.leaf.ready(epoch):
        time.sleep(0.002)
    took = time.monotonic() - begun
    scene.leaf.client.do("plan-del", group=GROUP)
    return took


def broadcast(scene, seconds):
    """A file that takes so long by its plan: seconds that it takes, and a new lane at most."""
    readers = [Count(each.receiver(PORT, node.UNORDERED)) for each in scene.nodes[1:]]
    sender = scene.root.sender(PORT)
    latest = 0
    due = begun = time.monotonic()
    with tempfile.TemporaryFile() as content:
        content.truncate(seconds * RATE)
        node.send_file(sender, content.fileno(), seconds * RATE)
    while any(reader.is_alive() for reader in readers):
        latest = max(latest, new_lanes(scene))
        due += 0.25
        time.sleep(max(due - time.monotonic(), 0))
    for reader in readers:
        reader.sock.close()
    node.wait_complete(sender, 60)
    took = max(reader.at for reader in readers) - begun
    good = set(node.completion(sender).values()) == {"delivered"}
    sender.close()
    return took, latest, good


def cost(scene, seconds, attack):
    """What the workers do for one attempt while nothing else happens, in microseconds."""
    attacker = Attacker(*attack)
    time.sleep(0.5)
    used, attempts = workers_ns(), attacker.attempts
    time.sleep(seconds)
    used, attempts = workers_ns() - used, attacker.attempts - attempts
    attacker.stop()
    scene.quiet()
    return used / attempts / 1000


def measure(scene, seconds, attack=None):
    """A broadcast during an attack, and what is seen meanwhile."""
    before = slab_kib()
    watch = Watch(scene)
    attacker = Attacker(*attack) if attack else None
    took, latest, good = broadcast(scene, seconds)
    if attacker:
        attacker.stop()
    watch.stop()
    return {"took": took, "latest": latest, "good": good and scene.quiet(),
            "half": watch.half_open, "lanes": watch.lanes, "kib": watch.kib - before}


def line(name, attack, each, usual, found):
    """A line of the table; whether its goals are met."""
    ratio = found["took"] / usual["took"]
    met = found["good"] and ratio <= LONGEST and found["latest"] <= LATEST
    print(f"| {name} | {attack[1]} | {each:.0f} | {found['half']} | {found['lanes']} | "
          f"{found['kib'] / 1024:.1f} | {ratio:.2f} | {found['latest'] * 1000:.0f} | "
          f"{'' if met else 'missed'} |", flush=True)
    return met


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    chosen = [ATTACKS[int(number)] for number in sys.argv[2:]] or ATTACKS
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    os.environ.setdefault("HBCAST_KO", f"build/{os.uname().release}/hbcast.ko")
    hbcnl.load_module()
    scene = Scene(dead_ms=DEAD_MS)
    scene.leaf.know(scene.nodes)
    node.ip_batch(*(f"address add 10.9.0.{100 + i}/24 dev eth0" for i in range(SOURCES)),
                  where=("-n", f"n{EVIL}"))
    scene.root.apply_trees((RATE * 1514 // 1432, ((1, 2), (2, 3))))
    measure(scene, 1)	# the first one costs more
    usual = measure(scene, seconds)
    print(f"Without an attack: {usual['took']:.2f} s, a new lane after at most "
          f"{usual['latest'] * 1000:.0f} ms, {usual['lanes']} lanes.\n")
    print("| attack | a second | us of workers each | half open | lanes | MiB | file's time | "
          f"new lane, ms | goals: {LONGEST}, {LATEST * 1000} |")
    print("|---|---|---|---|---|---|---|---|---|")
    missed = 0
    for name, *attack in chosen:
        missed += not line(name, attack, cost(scene, seconds, attack), usual,
                           measure(scene, seconds, attack))
    print(f"\n{missed} goals missed")
    with contextlib.redirect_stdout(sys.stderr):
        scene.end()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
