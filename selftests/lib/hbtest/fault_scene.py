# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes behind nodes, who listens there, and how one sees that all is well."""

import itertools
import os
import socket
import struct
import threading
import time

from hbtest import fault, hbcnl, node, tap
from hbtest.node import Node

MODULE = "hbcast"
# What of a mouth may be on its way: on a slow machine it waits until it is heard.
MOUTHFUL = 16384
FINIT_MODULE = 313	# a system call that libc does not wrap
CHAIN = ((1, 2), (2, 3), (2, 4))
STAR = ((1, 2), (1, 3), (2, 4))
SECONDS = 60 * tap.SLOWNESS
KMEMLEAK = "/sys/kernel/debug/kmemleak"
YOUNG = 5	# seconds that must pass before what nobody knows any more is lost
# Whether the module goes and memory is scanned after each refusal, not once for all
# those of one call or function.
THOROUGH = "HBCAST_THOROUGH" in os.environ


def patient(sock):
    """Sending there waits for room, but not for ever."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@qq", 20, 0))
    return sock


def insmod():
    """In this thread, whose requests may be counted."""
    with open(os.environ["HBCAST_KO"], "rb") as file:
        hbcnl.libc_call(hbcnl.libc.syscall, FINIT_MODULE, file.fileno(), b"", 0)


def traces():
    """What a loaded module shows."""
    found = []
    for file, word in (("/proc/modules", MODULE), ("/proc/slabinfo", "HBCAST"),
                       ("/proc/net/protocols", "HBCAST")):
        with open(file, encoding="ascii") as text:
            if any(line.split()[0] == word for line in text):
                found.append(file)
    if MODULE in os.listdir("/sys/kernel/tracing/events"):
        found.append("tracepoints")
    return found


def lost():
    """What the kernel has lost. The second scan is the one that tells."""
    for seconds in YOUNG, 0:
        with open(KMEMLEAK, "w", encoding="ascii") as file:
            file.write("scan")
        time.sleep(seconds)
    with open(KMEMLEAK, encoding="ascii") as file:
        return file.read()


class Ear(threading.Thread):
    """Reads all messages at a node, until there is nothing to hear any more."""

    def __init__(self, sock):
        super().__init__(daemon=True)
        self.sock = sock
        self.whole = []
        self.broken = 0
        self.start()

    def run(self):
        while True:
            try:
                self.whole.append(node.take_all(self.sock))
            except OSError:
                self.broken += 1
            except EOFError:
                return

    def close(self):
        self.sock.shutdown(socket.SHUT_RD)
        self.join()
        self.sock.close()


class Mouth(threading.Thread):
    """Says something short at a node again and again, and does not ask who has it."""

    def __init__(self, scene):
        super().__init__(daemon=True)
        self.scene = scene
        self.sock = patient(scene.root.sender())
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOUTHFUL)
        self.closed = threading.Event()
        self.start()

    def run(self):
        while not self.closed.wait(0.02 * tap.SLOWNESS):
            try:
                self.sock.send(self.scene.data(500))
            except OSError:
                pass

    def close(self):
        self.closed.set()
        self.join()
        self.sock.close()


class Scene:
    """Node 1 sends to nodes 2 and 3, where everything is heard; node 4 is a guest,
    where nobody listens, and who may go and come."""

    def __init__(self):
        hbcnl.load_module()
        node.switch()
        self.nodes = [Node(number, dead_ms=3000) for number in (1, 2, 3, 4)]
        self.root, self.relay, self.leaf, self.guest = self.nodes
        self.functions = fault.Functions()
        self.said = set()
        self.count = itertools.count()
        self.loads = 0
        self.begin()

    def begin(self):
        self.loads += 1
        self.root.know(self.nodes)
        self.root.apply(*CHAIN)
        self.sender = patient(self.root.sender())
        self.ears = [Ear(each.receiver()) for each in (self.relay, self.leaf)]
        self.held = [self.sender, *self.ears]

    def hold(self, what):
        """Is closed before the module goes."""
        self.held.append(what)
        return what

    def reload(self):
        """The module goes while there are nodes, lanes and plans, and comes again:
        whether it has left nothing behind, and all is well."""
        for each in reversed(self.held):
            each.close()
        for each in self.nodes:
            each.forget()
        if not node.until(SECONDS, hbcnl.unload_module) or traces():
            print(f"# the module does not go: {traces()}")
            return False
        leaks = lost() if THOROUGH else ""
        for line in leaks.splitlines():
            print(f"# {line}")
        insmod()
        for each in self.nodes:
            each.attach()
        self.begin()
        return not leaks and self.well()

    def data(self, size):
        """Bytes that were never sent before."""
        data = (b"%9d " % next(self.count)) * (size // 10)
        self.said.add(data)
        return data

    def say(self):
        """Broadcasts something: whether the root knows that both have it."""
        try:
            self.sender.send(self.data(3000))
            node.wait_complete(self.sender, 20)
        except OSError:
            return False
        known = node.completion(self.sender)
        return {known[2], known[3]} == {"delivered"}

    def describe(self):
        """What the nodes know, for whoever looks for the reason."""
        for each in self.nodes:
            for what in "plan-get", "lane-get":
                for found in each.client.dump(what):
                    print(f"# node {each.number} {what}: {found}")
        for found in self.root.client.dump("message-get"):
            if found["delivered"] + found["failed"] < found["members"] and found["sent"]:
                print("#", self.root.client.do("message-get", group=node.GROUP,
                                               id=found["id"]))

    def well(self):
        """The next messages arrive, soon, and nobody has ever heard what was not said."""
        end = time.monotonic() + SECONDS
        while not self.say():
            if time.monotonic() > end:
                print("# nothing arrives any more")
                self.describe()
                return False
            time.sleep(0.1)
        for ear in self.ears:
            heard, ear.whole = ear.whole, []
            if not set(heard) <= self.said:
                print("# somebody heard what nobody has said")
                return False
        return True
