# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes in namespaces at one switch, with sockets."""

import ctypes
import errno
import fcntl
import os
import select
import socket
import struct
import subprocess
import threading
import time

from hbtest import hbcnl, tap, wire

AF_HBCAST, SOL_HBCAST = 18, 318
UNORDERED, NOTIFY, LAST_MESSAGE, COMPLETION, PIECE, FAILURE, SINKS = range(1, 8)
MSG_EOR = 0x80
HBCIOCSENDFILE = 3 << 30 | 32 << 16 | 0x89 << 8 | 0xe0
HBCIOCWAIT = 3 << 30 | 16 << 16 | 0x89 << 8 | 0xe1
HBCIOCRECVFILE = 3 << 30 | 336 << 16 | 0x89 << 8 | 0xe2
SINK = "=iIQQIIQQQQQII256s"
SINK_LOOK, SINK_GIVE = 1, 2
SIOCETHTOOL, ETHTOOL_SSG = 0x8946, 0x19
STATES = ("pending", "delivered", "failed")
COMPLETION_MEMBERS = 64	# that a completion has room for here

KEY = bytes(range(100, 132))
GROUP = 5
PORT = 7

spec = hbcnl.Spec()


def ip(*args):
    subprocess.run(["ip", *map(str, args)], check=True)


def ip_batch(*lines, where=()):
    """Several commands in one program, which is slow to start."""
    subprocess.run(["ip", *where, "-batch", "-"], check=True, text=True, input="\n".join(lines))


def switch():
    ip("netns", "add", "switch")
    ip_batch("link add sw type bridge", "link set sw up", where=("-n", "switch"))


def plug(number):
    """A namespace nNUMBER with the address 10.9.0.NUMBER; made anew, neighbours know it."""
    name = f"n{number}"
    ip_batch(f"netns add {name}",
             f"link add eth0 netns {name} address 02:00:00:00:00:{number:02x} "
             f"type veth peer name p{number} netns switch")
    ip("-n", "switch", "link", "set", f"p{number}", "master", "sw", "up")
    ip_batch("link set lo up", f"address add 10.9.0.{number}/24 dev eth0", "link set eth0 up",
             where=("-n", name))


def unplugged(number):
    """Whether the link of a namespace that was deleted has gone, so that it can be made anew."""
    return went(number) is None


def went(number):
    """Bytes that have gone over the link to that node, or None without one."""
    def read():
        # /sys knows the links of who mounted it.
        with open("/proc/thread-self/net/dev", encoding="ascii") as file:
            links = dict(line.split(":") for line in file if ":" in line)
        return {name.strip(): int(figures.split()[8]) for name, figures in links.items()}
    return hbcnl.in_netns("switch", read).get(f"p{number}")


def linear(number):
    """Each packet that leaves that namespace lies together in memory, and not in pages."""
    value = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_SSG, 0))
    with tcp(number) as sock:
        fcntl.ioctl(sock, SIOCETHTOOL, struct.pack("16sP16x", b"eth0", ctypes.addressof(value)))


def buffers(usual, most):
    """TCP of this thread's namespace keeps so many bytes, each way."""
    for name in "tcp_rmem", "tcp_wmem":
        with open(f"/proc/sys/net/ipv4/{name}", "w", encoding="ascii") as file:
            file.write(f"4096 {usual} {most}")


def tcp(number):
    """A TCP socket in that namespace."""
    return hbcnl.in_netns(f"n{number}", lambda: socket.socket(socket.AF_INET))


def knock(sender, to, incarnation=None, timeout=None):
    """A connection of a program in that namespace to a node."""
    sock = tcp(sender)
    sock.settimeout(timeout)
    sock.connect((f"10.9.0.{to}", 7310))
    return wire.Peer(sock, GROUP, KEY, incarnation)


def address(port, group=GROUP):
    return struct.pack("=HHIII", AF_HBCAST, port, group, 0, 0)


def until(seconds, what):
    """Waits for what() to become true; returns whether it did."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Node:
    """A node of the group."""

    def __init__(self, number, **group):
        self.number = number
        self.group = group
        plug(number)
        self.attach()

    @staticmethod
    def set_up():
        buffers(1 << 17, 1 << 18)
        listener = hbcnl.Client(spec)
        listener.listen()
        return hbcnl.Client(spec), listener

    def attach(self):
        """Asks the module that is there now for the node."""
        self.client, self.listener = hbcnl.in_netns(f"n{self.number}", self.set_up)
        self.join()

    def join(self):
        self.client.do("node-set", id=self.number, ipv4=f"10.9.0.{self.number}")
        self.client.do("group-new", id=GROUP, key=KEY, **self.group)

    def know(self, nodes):
        for node in nodes:
            if node is not self:
                self.client.do("peer-new", id=node.number, ipv4=f"10.9.0.{node.number}")

    def apply(self, *pairs, wait=True):
        return self.apply_trees((0, pairs), wait=wait)

    def apply_trees(self, *trees, wait=True, strict=True, forward="packet", group=GROUP):
        """A plan of several trees: of each its rate in bytes/s, and its edges, which
        may have other ones."""
        self.client.do("plan-begin", group=group, strict=strict, forward=forward)
        for slot, (rate, pairs) in enumerate(trees):
            edges = [{"parent": parent, "child": child, "rate": own[0] if own else rate}
                     for parent, child, *own in pairs]
            self.client.do("plan-tree", group=group, slot=slot, edge=edges)
        epoch = self.client.do("plan-commit", group=group)["epoch"]
        if wait and not self.ready(epoch, group):
            self.listener.event(type="plan-ready", epoch=epoch, group=group)
        return epoch

    def ready(self, epoch, group=GROUP):
        trees = [plan.get("ready", False) for plan in self.client.dump("plan-get")
                 if (plan["root"], plan["epoch"], plan["group"]) == (self.number, epoch, group)]
        return bool(trees) and all(trees)

    def cut(self):
        """Its lanes end, with what is on them, and come again: it has another key for a
        moment."""
        self.client.do("group-set", id=GROUP, key=KEY[::-1])
        back = False
        while not back:
            try:
                self.client.do("group-set", id=GROUP, key=KEY)
                back = True
            except hbcnl.Refused as why:
                # There is no memory for it now.
                if why.errno != errno.ENOMEM:
                    raise

    def forget(self):
        """Nothing of it is held by this process any more."""
        self.client.close()
        self.listener.close()

    def waiting(self):
        """The events that have come so far."""
        found = []
        self.listener.sock.settimeout(0.1)
        try:
            while True:
                found += [spec.decode("event", body[4:])
                          for kind, _, _, body in self.listener.receive()
                          if kind == self.listener.family]
        except TimeoutError:
            self.listener.sock.settimeout(20)
        return found

    def info(self):
        return self.client.do("node-get")

    def drops(self):
        return self.client.do("group-get", id=GROUP)["drops"]

    def socket(self):
        return hbcnl.in_netns(f"n{self.number}",
                              lambda: socket.socket(AF_HBCAST, socket.SOCK_SEQPACKET))

    def sender(self, port=PORT, group=GROUP):
        sock = self.socket()
        name = address(port, group)
        hbcnl.libc_call(hbcnl.libc.connect, sock.fileno(), name, len(name))
        return sock

    def receiver(self, port=PORT, option=None, group=GROUP):
        sock = self.socket()
        if option:
            sock.setsockopt(SOL_HBCAST, option, 1)
        name = address(port, group)
        hbcnl.libc_call(hbcnl.libc.bind, sock.fileno(), name, len(name))
        return sock


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


class Msghdr(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("namelen", ctypes.c_uint32),
                ("iov", ctypes.POINTER(Iovec)), ("iovlen", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t),
                ("flags", ctypes.c_int)]


def take_piece(sock, size=1 << 16):
    """One read: its bytes, whether the message ends there, and, of an unordered
    receiver, whose they are: the root, the message's id, where in it, and its length."""
    buf = ctypes.create_string_buffer(size)
    name = ctypes.create_string_buffer(16)
    control = ctypes.create_string_buffer(64)
    iov = Iovec(ctypes.addressof(buf), size)
    msg = Msghdr(name=ctypes.addressof(name), namelen=len(name), iov=ctypes.pointer(iov),
                 iovlen=1, control=ctypes.addressof(control), controllen=len(control))
    count = hbcnl.libc.recvmsg(sock.fileno(), ctypes.byref(msg), 0)
    if count < 0:
        err = ctypes.get_errno()
        raise OSError(err, os.strerror(err))
    end = bool(msg.flags & MSG_EOR)
    if not count and not end:
        raise EOFError
    if not msg.controllen:
        return buf.raw[:count], end, None
    return buf.raw[:count], end, (*struct.unpack_from("=I", name, 8),
                                  *struct.unpack_from("=QQQ", control, 16))


def take(sock, size=1 << 16):
    """One read: its bytes, and whether the message ends there."""
    return take_piece(sock, size)[:2]


def readable(sock):
    """Whether there is something to read now."""
    return bool(select.select([sock], [], [], 0)[0])


def take_all(sock):
    """One message."""
    whole, end = b"", False
    while not end:
        data, end = take(sock)
        whole += data
    return whole


def send_file(sock, fd, length):
    """Hands a file over as a message; returns the message's id."""
    request = bytearray(struct.pack("=iIQQQ", fd, 0, 0, length, 0))
    fcntl.ioctl(sock, HBCIOCSENDFILE, request)
    return struct.unpack_from("=Q", request, 24)[0]


def sink(sock, fd=-1, flags=SINK_LOOK, message=0, root=0, pieces=0):
    """Looks for a message that waits for a file, or gives it one that has none of its pieces:
    (message, root, its pieces)."""
    has = ctypes.create_string_buffer(8 * -(-pieces // 64))
    request = bytearray(struct.pack(SINK, fd, flags, 0, message, root, 0, 0, 0, 0, 0,
                                    ctypes.addressof(has) if pieces else 0, pieces, 0, b""))
    fcntl.ioctl(sock, HBCIOCRECVFILE, request)
    found = struct.unpack(SINK, request)
    return found[3], found[4], found[11]


def wait_complete(sock, seconds):
    """Until the last message is complete; TimeoutError if that takes too long."""
    fcntl.ioctl(sock, HBCIOCWAIT, bytearray(struct.pack("=QII", 0, seconds * 1000, 0)))


def last_message(sock):
    """The id of the last message that this socket accepted."""
    return struct.unpack("=Q", sock.getsockopt(SOL_HBCAST, LAST_MESSAGE, 8))[0]


def completion(sock, message=0):
    """What became of a message, or the last one, at each member: {node: reason or
    "delivered"}."""
    buf = ctypes.create_string_buffer(struct.pack("=Q", message),
                                      40 + 24 * COMPLETION_MEMBERS)
    size = ctypes.c_uint32(len(buf))
    hbcnl.libc_call(hbcnl.libc.getsockopt, sock.fileno(), SOL_HBCAST, COMPLETION, buf,
                    ctypes.byref(size))
    members, delivered, failed = struct.unpack_from("=III", buf, 24)
    reasons = spec.enums["reason"]
    found = {}
    for i in range(members):
        node, state, reason = struct.unpack_from("=IHH", buf, 40 + 24 * i)
        found[node] = reasons[reason] if STATES[state] == "failed" else STATES[state]
    states = list(found.values())
    assert len(found) == members and delivered == states.count("delivered")
    assert failed == members - delivered - states.count("pending")
    return found


class Reader(threading.Thread):
    """Reads one message into self.got; pauses after the first piece for the gate."""

    def __init__(self, sock, gate=None):
        super().__init__(daemon=True)
        self.sock = sock
        self.gate = gate
        self.begun = threading.Event()
        self.got = bytearray()
        self.end = None
        self.start()

    def run(self):
        try:
            end = False
            while not end:
                data, end = take(self.sock)
                self.got += data
                self.begun.set()
                if self.gate:
                    self.gate.wait()
            self.end = "whole"
        except OSError as why:
            self.end = errno.errorcode[why.errno]
        except EOFError:
            self.end = "closed"

    def result(self, seconds=60):
        """How it ended: "whole", an errno's name, "closed" (no more comes), or "hangs"."""
        self.join(seconds * tap.SLOWNESS)
        return "hangs" if self.is_alive() else self.end
