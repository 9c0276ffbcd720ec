# SPDX-License-Identifier: GPL-2.0-or-later
"""The wire format, written once more from Documentation/wire-format.md.

Encodes what a parent says, right or wrong, and takes apart what a child
answers. It shares nothing with the module, so that it can tell what is wrong
there.
"""

import contextlib
import hashlib
import hmac
import os
import socket
import struct
import time

HELLO, CHALLENGE, AUTH, READY, REJECT, TREE, TREE_ACK = 1, 2, 3, 4, 5, 6, 7
FRAGMENT, ACK, LOST, EPOCH_END, PING, PONG = 8, 9, 10, 11, 12, 13
BLOCK_END, BLOCK_ACK, NACK = 14, 15, 16
PROBE, PROBE_ASK, PROBE_SAMPLE = 17, 18, 19
FOR_PROBES = 1	# in HELLO's flags
ABORT, REPAIR = 1, 2
REJECTED = {1: "group", 2: "node", 3: "key", 4: "member", 5: "busy", 6: "protocol",
            7: "policy"}
PENDING, DELIVERED, FAILED = 0, 1, 2
NO_RECEIVER, CLOSED, STALLED, CHECKSUM = 1, 2, 3, 4
ALL = 0xffffffff
ALL_STAGES = 0xffff


def _crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc32c_table()


def crc32c(data):
    crc = ALL
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 255]
    return crc ^ ALL


def frame(kind, body=b"", slot=0, flags=0, version=3, length=None):
    length = 8 + len(body) if length is None else length
    return struct.pack(">BBBBI", kind, flags, slot, version, length) + body


def hello(group, sender, to, root, nonce=None, **header):
    nonce = os.urandom(32) if nonce is None else nonce
    return frame(HELLO, struct.pack(">IIII", group, sender, to, root) + nonce, **header)


def proof(key, label, hello_frame, challenge):
    """The acceptor's proof covers node and nonce of CHALLENGE; the connector's all."""
    covered = challenge[:36] if label == b"hbcast acceptor" else challenge
    return hmac.digest(key, label.ljust(24, b"\0") + hello_frame + covered, hashlib.sha256)


def tree_node(node, children=0, address="10.9.0.99", port=7310, rate=0, slots=1, family=4,
              stage=0):
    return struct.pack(">IIQQ16sHBB", node, children, rate, slots, socket.inet_aton(address),
                       port, family, stage)


def tree(epoch, nodes, first=0, total=None, count=None, reserved=0, **header):
    total = len(nodes) if total is None else total
    count = len(nodes) if count is None else count
    return frame(TREE, struct.pack(">IIIHH", epoch, total, first, count, reserved)
                 + b"".join(nodes), **header)


def fragment(epoch, message, offset, total, payload=b"", port=7, reason=0, crc=None, used=0,
             after=0, **header):
    def build(crc):
        return frame(FRAGMENT, struct.pack(">IIQQQQHHI", epoch, crc, message, offset, total,
                                           used, port, reason, after) + payload, **header)
    return build(crc32c(build(0)) if crc is None else crc)


def abort(epoch, message, total, port=7, reason=7, **header):
    return fragment(epoch, message, 0, total, port=port, reason=reason, flags=ABORT, **header)


def epoch_end(epoch, **header):
    return frame(EPOCH_END, struct.pack(">I", epoch), **header)


def block_end(epoch, message, total, end=None, first=0, port=7, after=0, turn=1,
              stage=ALL_STAGES, **header):
    end = total if end is None else end
    return frame(BLOCK_END, struct.pack(">IIQQQQIHH", epoch, turn, message, total, end, first,
                                        after, port, stage), **header)


def ping(token=0, **header):
    return frame(PING, struct.pack(">Q", token), **header)


def probe(number, index, payload=b"", reserved=0, **header):
    return frame(PROBE, struct.pack(">IHH", number, index, reserved) + payload, **header)


def task(sender, to, kind=0, count=0, rate=0, index=0, address="10.9.0.2", port=7310, family=4):
    return struct.pack(">IIIIHBBHH16s", sender, to, count, rate, index, kind, family, port, 0,
                       socket.inet_aton(address))


def ask(number, *tasks, ms=1000, count=None, every=0, **header):
    count = len(tasks) if count is None else count
    return frame(PROBE_ASK, struct.pack(">IIHH", number, ms, count, every) + b"".join(tasks),
                 **header)


def sample(number, *figures, status=0, ns=0, count=None):
    """Each figure is index, state, receives, error, reject, and two values."""
    count = len(figures) if count is None else count
    return frame(PROBE_SAMPLE, struct.pack(">QIHH", ns, number, status, count) + b"".join(
        struct.pack(">HBBBBHQQ", *figure[:5], 0, *figure[5:]) for figure in figures))


class Ended(Exception):
    """The other side has ended the connection."""


class Silent(Exception):
    """The other side says nothing more, and holds on to the connection."""


class Peer:
    """A connection that pretends to be a parent's."""

    def __init__(self, sock, group, key):
        self.sock = sock
        self.group = group
        self.key = key
        self.epochs = {}	# that reports on a message were about
        self.sock.settimeout(15)

    def close(self):
        self.sock.close()

    def send(self, data, flags=0):
        """Whether all of it went; what the other side makes of it is another question."""
        try:
            self.sock.sendall(data, flags)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def finish(self):
        """Says no more, unless the other side has ended it already."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    def take(self, count):
        data = b""
        while len(data) < count:
            try:
                more = self.sock.recv(count - len(data))
            except (ConnectionResetError, BrokenPipeError):
                more = b""
            except TimeoutError as why:
                raise Silent from why
            if not more:
                raise Ended
            data += more
        return data

    def read(self):
        """The next frame: kind, slot, body."""
        kind, flags, slot, version, length = struct.unpack(">BBBBI", self.take(8))
        assert version == 3 and 8 <= length <= 4096, "a child says nothing else"
        assert not flags or kind in (LOST, FRAGMENT)
        return kind, slot, self.take(length - 8)

    def wait(self, wanted):
        """The next frame of that kind, past all others; pings are answered."""
        while True:
            kind, _, body = self.read()
            if kind == wanted:
                return body
            if kind == PING:
                self.send(frame(PONG, body))

    def ended(self):
        """How the other side ends it: its last REJECT or "end"; "open" if it does not."""
        said, end = "end", time.monotonic() + 15
        try:
            while time.monotonic() < end:
                kind, _, body = self.read()
                if kind == REJECT:
                    said = REJECTED[int.from_bytes(body[:2], "big")]
        except Ended:
            return said
        except Silent:
            pass
        return "open"

    def alive(self):
        """Whether a ping is answered by the next PONG."""
        token = os.urandom(8)
        self.send(frame(PING, token))
        try:
            return self.wait(PONG) == token
        except (Ended, Silent):
            return False

    def greet(self, to, sender, root, slot=0, flags=0):
        """HELLO and the answer: both frames' bytes as the proofs want them."""
        first = hello(self.group, sender, to, root, slot=slot, flags=flags)
        self.send(first)
        challenge = self.wait(CHALLENGE)
        return first, challenge

    def enter(self, to, sender, root, slot=0, flags=0):
        """The whole handshake: whether the child's proof is good and it said READY."""
        first, challenge = self.greet(to, sender, root, slot, flags)
        node, theirs = int.from_bytes(challenge[:4], "big"), challenge[36:]
        if node != to or theirs != proof(self.key, b"hbcast acceptor", first, challenge):
            return False
        self.send(frame(AUTH, proof(self.key, b"hbcast connector", first, challenge)))
        return self.wait(READY) == b""

    def reports(self):
        """The final reports as they come: message, node, bytes, state, reason."""
        while True:
            body = self.wait(ACK)
            epoch, count, zero = struct.unpack_from(">IHH", body)
            assert zero == 0 and len(body) == 8 + 24 * count
            for at in range(8, len(body), 24):
                about, size, node, state, reason, zero = struct.unpack_from(">QQIBBH", body, at)
                assert zero == 0
                self.epochs[about] = epoch
                if state != PENDING:
                    yield about, node, size, state, reason

    def lacks(self, message):
        """What the next NACK about the message asks for: pairs of first and bytes."""
        about = None
        while about != message:
            body = self.wait(NACK)
            _, count, zero, about = struct.unpack_from(">IHHQ", body)
            assert zero == 0 and len(body) == 16 + 16 * count
        return [struct.unpack_from(">QQ", body, 16 + 16 * i) for i in range(count)]

    def answer(self, message):
        """What the next BLOCK_ACK on the message tells; None if a NACK comes before it."""
        while True:
            kind, _, body = self.read()
            if kind == PING:
                self.send(frame(PONG, body))
            elif kind == NACK and body[8:16] == struct.pack(">Q", message):
                return None
            elif kind == BLOCK_ACK and body[4:12] == struct.pack(">Q", message):
                return struct.unpack_from(">Q", body, 12)[0]

    def has(self, message):
        """What the next BLOCK_ACK tells."""
        _, about, end = struct.unpack(">IQQ", self.wait(BLOCK_ACK))
        assert about == message
        return end

    def report(self, message):
        """The final report on a message: node, bytes, state, reason."""
        return next(found[1:] for found in self.reports() if found[0] == message)


class Child(Peer):
    """The other end of a connection from a parent."""

    def enter_as(self, node):
        """The whole handshake, as that node: whether the parent's proof is good."""
        kind, flags, slot, _, length = struct.unpack(">BBBBI", self.take(8))
        assert kind == HELLO
        first = frame(HELLO, self.take(length - 8), slot=slot, flags=flags)
        challenge = struct.pack(">I", node) + os.urandom(32)
        challenge += proof(self.key, b"hbcast acceptor", first, challenge)
        self.send(frame(CHALLENGE, challenge))
        good = self.wait(AUTH) == proof(self.key, b"hbcast connector", first, challenge)
        self.send(frame(READY))
        return good

    def begun(self):
        """The next message that begins: epoch and id."""
        while True:
            epoch, _, message, offset = struct.unpack_from(">IIQQ", self.wait(FRAGMENT))
            if not offset:
                return epoch, message


def ack(epoch, message, *reports):
    """Reports on a message; each is node, bytes, state, reason."""
    return frame(ACK, struct.pack(">IH2x", epoch, len(reports)) + b"".join(
        struct.pack(">QQIBBH", message, size, node, state, reason, 0)
        for node, size, state, reason in reports))


def lost(epoch, reason, *nodes, flags=0):
    return frame(LOST, struct.pack(">IHH", epoch, reason, len(nodes))
                 + b"".join(struct.pack(">I", node) for node in nodes), flags=flags)


def nack(epoch, message, *ranges):
    """What is missing of a message; each range is first and bytes."""
    return frame(NACK, struct.pack(">IHHQ", epoch, len(ranges), 0, message)
                 + b"".join(struct.pack(">QQ", *found) for found in ranges))


def block_ack(epoch, message, end):
    return frame(BLOCK_ACK, struct.pack(">IQQ", epoch, message, end))
