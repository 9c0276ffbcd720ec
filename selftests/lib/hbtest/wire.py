# SPDX-License-Identifier: GPL-2.0-or-later
"""The wire format, version 4, written once more from Documentation/wire-format.md.

Encodes what a node says to its neighbours, right or wrong, and takes apart what
they answer. It shares nothing with the module, so that it can tell what is wrong
there.
"""

import contextlib
import hashlib
import hmac
import math
import os
import socket
import struct
import time
from fractions import Fraction

VERSION = 4
HELLO, CHALLENGE, AUTH, READY, REJECT = range(1, 6)
PLAN, TREE, MESSAGE, DATA, LAST, OVER, DONE = range(6, 13)
TREE_ACK, HAVE, WANT, STOP, ACK, REPORT, LOST = range(13, 20)
PING, PONG = 20, 21
PROBE, PROBE_ASK, PROBE_SAMPLE = 22, 23, 24
FOR_PROBES = 1	# in HELLO's flags
STRICT, WHOLE = 1, 2	# in PLAN's
SHORT, FILE = 0, 1	# kinds of messages
HAVE_ALL, HAVE_END = 1, 2	# tags
OVER_ALL, OVER_LOST = 1, 2
ACK_FILE = 1
DOWN, BACK = 1, 2
TAGGED = (DATA, OVER, HAVE, ACK, LOST, PROBE, PROBE_ASK)
REJECTED = {1: "group", 2: "node", 3: "key", 4: "member", 5: "busy", 6: "protocol",
            7: "policy"}
DELIVERED, NO_RECEIVER, CLOSED, STALLED, CHECKSUM, LANE_LOST, NODE_DEAD = range(7)
ABORTED, PLAN_GONE, NO_MEMORY, SPOOL, BAD_FILE, CHANGED = range(7, 13)
BUSY = 5	# of REJECT, and of TREE_ACK
ALL = 0xffffffff
DATA_LEN = 16
PAYLOAD_MAX = 65535 - DATA_LEN
CONTROL_MAX = 4096
TREE_NODES = 92	# in a frame


def _crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc32c_table()
_LOGS = [round(math.log2(1 + i / 128) * (1 << 24)) for i in range(129)]


def crc32c(content):
    crc = ALL
    for byte in content:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 255]
    return crc ^ ALL


def frame(kind, body=b"", tag=0, length=None):
    length = 4 + len(body) if length is None else length
    return struct.pack(">BBH", kind, tag, length) + body


# The handshake.

def hello(group, sender, to, root, nonce=None, incarnation=None, slot=0, flags=0, reserved=0,
          cipher=0, tag=VERSION, length=None):
    nonce = os.urandom(32) if nonce is None else nonce
    if incarnation is None:
        incarnation = 0 if flags & FOR_PROBES else 1
    return frame(HELLO, struct.pack(">IIIIQBBHI", group, sender, to, root, incarnation, slot,
                                    flags, reserved, cipher) + nonce, tag, length)


def proof(key, label, hello_frame, challenge):
    """The acceptor's proof covers node and nonce of CHALLENGE; the connector's all."""
    covered = challenge[:36] if label == b"hbcast acceptor" else challenge
    return hmac.digest(key, label.ljust(24, b"\0") + hello_frame + covered, hashlib.sha256)


# Down.

def plan(epoch=1, slots=None, flags=0, members=None, reserved=0, **header):
    """Slots are {number: rate}, or {number: (rate, step)}; members is their set, if that is
    to be another one."""
    slots = {0: 1} if slots is None else slots
    members = sum(1 << slot for slot in slots) if members is None else members
    pairs = [found if isinstance(found, tuple) else (found, 0)
             for _, found in sorted(slots.items())]
    return frame(PLAN, struct.pack(">IQB", epoch, members, flags) + reserved.to_bytes(3, "big")
                 + b"".join(struct.pack(">QQ", *pair) for pair in pairs), **header)


def tree_node(node, children=0, address="10.9.0.99", port=7310, rate=0, slots=1, family=4,
              reserved=0):
    return struct.pack(">IIQQ16sHBB", node, children, rate, slots, socket.inet_aton(address),
                       port, family, reserved)


def tree(epoch, nodes, first=0, total=None, **header):
    total = len(nodes) if total is None else total
    return frame(TREE, struct.pack(">III", epoch, total, first) + b"".join(nodes), **header)


def trees(epoch, nodes):
    """A tree in as many frames as it takes."""
    return b"".join(tree(epoch, nodes[i:i + TREE_NODES], first=i, total=len(nodes))
                    for i in range(0, len(nodes), TREE_NODES))


def message(number, total, port=7, payload=1000, fragments=4, kind=SHORT, hashed=0, changed=0,
            digest=bytes(32), name=b"", **header):
    return frame(MESSAGE, struct.pack(">QQHHHBBQ", number, total, port, payload, fragments, kind,
                                      hashed, changed) + digest + name, **header)


def data(number, fragment, payload=b"", tag=0, crc=None, length=None):
    length = DATA_LEN + len(payload) if length is None else length
    covered = struct.pack(">BBHII", DATA, tag, length, number & ALL, fragment)
    crc = crc32c(covered + payload) if crc is None else crc
    return covered + struct.pack(">I", crc) + payload


def cut(number, content, payload=1000, fragments=4, tags=0):
    """The fragments of a message, in order; tags may be those of its pieces."""
    def tag(fragment):
        return tags if isinstance(tags, int) else tags[fragment // fragments]
    return [data(number, i, content[at:at + payload], tag(i))
            for i, at in enumerate(range(0, len(content), payload))]


def last(number, **header):
    return frame(LAST, struct.pack(">Q", number), **header)


def over(tag=0, **header):
    return frame(OVER, tag=tag, **header)


def done(before, *numbers, **header):
    """Each of the numbers is the first and how many."""
    return frame(DONE, struct.pack(">Q", before)
                 + b"".join(struct.pack(">QQ", *found) for found in numbers), **header)


# Up.

def tree_ack(epoch, node=0, reason=0, reserved=0, **header):
    return frame(TREE_ACK, struct.pack(">IIHH", epoch, node, reason, reserved), **header)


def _runs(found):
    return b"".join(struct.pack(">II", *run) for run in found)


def have(number, *runs, **header):
    """Each run of pieces is the first and how many."""
    return frame(HAVE, struct.pack(">Q", number) + _runs(runs), **header)


def have_end():
    return have(0, tag=HAVE_END)


def want(number, *runs, **header):
    return frame(WANT, struct.pack(">Q", number) + _runs(runs), **header)


def stop(**header):
    return frame(STOP, **header)


def ack(number, size=0, epoch=1, **header):
    return frame(ACK, struct.pack(">IQQ", epoch, number, size), **header)


def arrived(number, size, epoch=1, **header):
    return ack(number, size, epoch, tag=ACK_FILE, **header)


def report(epoch, *outcomes, **header):
    """Each outcome is message, first node, how many, reason."""
    return frame(REPORT, struct.pack(">I", epoch)
                 + b"".join(struct.pack(">QIIB3x", *found) for found in outcomes), **header)


def lost(epoch, reason, *runs, tag=DOWN):
    return frame(LOST, struct.pack(">IHH", epoch, reason, 0) + _runs(runs), tag)


# Both ways.

def ping(token=0, **header):
    return frame(PING, struct.pack(">Q", token), **header)


# Measuring.

def probe(number, index, payload=b"", reserved=0, flags=0, **header):
    return frame(PROBE, struct.pack(">IHH", number, index, reserved) + payload, flags, **header)


def task(sender, to, kind=0, count=0, rate=0, index=0, address="10.9.0.2", port=7310, family=4):
    return struct.pack(">IIIIHBBHH16s", sender, to, count, rate, index, kind, family, port, 0,
                       socket.inet_aton(address))


def ask(number, *tasks, ms=1000, count=None, every=0, flags=0):
    """With another count the length tells of so many tasks."""
    count = len(tasks) if count is None else count
    return frame(PROBE_ASK, struct.pack(">III", number, ms, every) + b"".join(tasks), flags,
                 16 + 40 * count)


def sample(number, *figures, status=0, ns=0, count=None):
    """Each figure is index, state, receives, error, reject, and two values. With another
    count the length tells of so many."""
    count = len(figures) if count is None else count
    body = struct.pack(">QIHH", ns, number, status, 0) + b"".join(
        struct.pack(">HBBBBHQQ", *figure[:5], 0, *figure[5:]) for figure in figures)
    return frame(PROBE_SAMPLE, body, length=20 + 24 * count)


# The choice of slots.

def _minus_log(fraction):
    """-log2 of a fraction of 2^64, in 2^-24."""
    lead = 64 - fraction.bit_length()
    rest = (fraction << lead + 1) % (1 << 64)
    index, part = rest >> 57, (rest << 7) % (1 << 64) >> 40
    low = _LOGS[index] + ((_LOGS[index + 1] - _LOGS[index]) * part >> 24)
    return (lead + 1 << 24) - low


def choice(slots, members, piece):
    """Which of a set of slots brings a piece; the plan's slots are {number: (rate, step)}."""
    shift = max(0, max(rate for rate, _ in slots.values()).bit_length() - 32)

    def key(slot):
        rate, step = slots[slot]
        fraction = ((piece + 1) * step + (1 << 63)) % (1 << 64)
        return Fraction(_minus_log(fraction or 1), max(rate >> shift, 1))

    return min((slot for slot in sorted(slots) if members >> slot & 1), key=key)


class Ended(Exception):
    """The other side has ended the connection."""


class Silent(Exception):
    """The other side says nothing more, and holds on to the connection."""


class Peer:
    """A connection that pretends to be a parent's."""

    def __init__(self, sock, group, key, incarnation=None):
        self.sock = sock
        self.group = group
        self.key = key
        # Of the root for whom it speaks; another one each time, if nobody cares.
        self.incarnation = incarnation or int.from_bytes(os.urandom(8), "big") | 1
        self.have = {}	# pieces of each message that the child has said it has; True for all
        self.wants = []	# pieces that it has asked for, each with its message
        self.agreed = False	# it has said all that it has
        self.acked = None	# what it acknowledged last: a message, and bytes of that
        self.lost = []	# who is: DOWN or BACK, the first, and how many
        self.arrived = {}	# bytes of each file that it says it has, with all below
        self.outcomes = {}	# what became of a message at a node, by both numbers
        self.connected = {}	# what it has said of the trees of an epoch: a node, and why
        self.stopped = False	# it has asked for an end
        self.rejected = None	# why the other side refuses
        self.sock.settimeout(15)

    def close(self):
        self.sock.close()

    def send(self, *frames, flags=0):
        """Whether all of it went; what the other side makes of it is another question."""
        try:
            self.sock.sendall(b"".join(frames), flags)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def finish(self):
        """Says no more, unless the other side has ended it already."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    def take(self, count):
        found = b""
        while len(found) < count:
            try:
                more = self.sock.recv(count - len(found))
            except (ConnectionResetError, BrokenPipeError):
                more = b""
            except TimeoutError as why:
                raise Silent from why
            if not more:
                raise Ended
            found += more
        return found

    def read(self):
        """The next frame: kind, tag, body."""
        kind, tag, length = struct.unpack(">BBH", self.take(4))
        assert 4 <= length and (length <= CONTROL_MAX or kind == DATA), "nobody says anything else"
        assert not tag or kind in TAGGED or (kind, tag) == (HELLO, VERSION)
        return kind, tag, self.take(length - 4)

    def hear(self):
        """The next frame's kind and body; PING is answered, and what counts is noted."""
        kind, tag, body = self.read()
        if kind == PING:
            self.send(frame(PONG, body))
        elif kind == REJECT:
            self.rejected = REJECTED[int.from_bytes(body[:2], "big")]
        else:
            self.note(kind, tag, body)
        return kind, body

    def note(self, kind, tag, body):
        """What a child says."""
        if kind == HAVE:
            number = int.from_bytes(body[:8], "big")
            if number:
                self.have[number] = bool(tag & HAVE_ALL) or {
                    piece for first, count in struct.iter_unpack(">II", body[8:])
                    for piece in range(first, first + count)}
            self.agreed |= bool(tag & HAVE_END)
        elif kind == WANT:
            number = int.from_bytes(body[:8], "big")
            for first, count in struct.iter_unpack(">II", body[8:]):
                self.wants += [(number, piece) for piece in range(first, first + count)]
        elif kind == ACK and tag == ACK_FILE:
            number, size = struct.unpack(">4xQQ", body)
            assert size > self.arrived.get(number, 0)
            self.arrived[number] = size
        elif kind == ACK:
            self.acked = struct.unpack(">4xQQ", body)
        elif kind == TREE_ACK:
            epoch, *why, reserved = struct.unpack(">IIHH", body)
            assert not reserved
            self.connected[epoch] = tuple(why)
        elif kind == STOP:
            self.stopped = True
        elif kind == LOST:
            self.lost += [(tag, *run) for run in struct.iter_unpack(">II", body[8:])]
        elif kind == REPORT:
            for number, first, count, reason in struct.iter_unpack(">QIIB3x", body[4:]):
                for node in range(first, first + count):
                    self.outcomes.setdefault((number, node), reason)

    def until(self, what):
        """Hears until what() is true; returns what that is."""
        while not (found := what()):
            self.hear()
        return found

    def wait(self, wanted):
        """The next frame of that kind, past all others."""
        while True:
            kind, body = self.hear()
            if kind == wanted:
                return body

    def ended(self):
        """How the other side ends it: its REJECT or "end"; "open" if it does not."""
        end = time.monotonic() + 15
        try:
            while time.monotonic() < end:
                self.hear()
        except Ended:
            rejected, self.rejected = self.rejected, None
            return rejected or "end"
        except Silent:
            pass
        return "open"

    def alive(self):
        """Whether a ping is answered by the next PONG. All that was due before the ping
        came has been heard when another one is answered, too."""
        token = os.urandom(8)
        self.send(frame(PING, token))
        try:
            return self.wait(PONG) == token
        except (Ended, Silent):
            return False

    def greet(self, to, sender, root, slot=0, flags=0):
        """HELLO and the answer: both frames' bytes as the proofs want them."""
        incarnation = 0 if flags & FOR_PROBES else self.incarnation
        first = hello(self.group, sender, to, root, incarnation=incarnation, slot=slot,
                      flags=flags)
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

    def tell(self, nodes, epoch=1, slots=None, flags=0):
        """The plan, and the other side's part of its tree."""
        self.agreed = False
        self.have.clear()
        self.connected.pop(epoch, None)
        return self.send(plan(epoch, slots, flags), trees(epoch, nodes))

    def adopt(self, nodes, epoch=1, slots=None, flags=0):
        """Makes the other side a child, and waits until all below it are connected and it
        has said what it has; returns why they are not, as a node and a reason."""
        self.tell(nodes, epoch, slots, flags)
        self.until(lambda: self.agreed and epoch in self.connected)
        return self.connected[epoch]

    def give(self, number, content, port=7, payload=1000, fragments=4, tags=0, **what):
        """A message, its pieces but for those that the child has, and that these are all."""
        had = self.have.get(number, ())
        return self.send(
            message(number, len(content), port, payload, fragments, **what),
            *(found for i, found in enumerate(cut(number, content, payload, fragments, tags))
              if had is not True and i // fragments not in had),
            last(number))

    def leave(self):
        """Ends the whole session, and waits for the end of the connection: how that came."""
        self.send(over(OVER_ALL))
        self.finish()
        how = self.ended()
        self.close()
        return how

    def outcome(self, number, node=0):
        """What became of a message at a node of the child's tree, in the end."""
        self.until(lambda: (number, node) in self.outcomes)
        return self.outcomes[number, node]


class Message:
    """A message as a child knows it."""

    def __init__(self, body):
        (self.number, self.total, self.port, self.payload, self.fragments, self.kind, self.hashed,
         self.changed) = struct.unpack_from(">QQHHHBBQ", body)
        self.digest, self.name = body[32:64], body[64:]
        self.parts = {}	# payload of fragments
        self.tags = {}	# slots of pieces
        self.order = []	# fragments as they came

    def add(self, tag, body):
        """A fragment, which must be what it can be."""
        low, fragment, crc = struct.unpack_from(">III", body)
        content = body[12:]
        size = min(self.payload, self.total - fragment * self.payload)
        assert len(content) == size and size > 0, "a fragment has its place"
        assert data(low, fragment, content, tag)[4:] == body, f"crc {crc:#x}"
        assert self.parts.setdefault(fragment, content) == content
        assert self.tags.setdefault(fragment // self.fragments, tag) == tag
        self.order.append(fragment)

    def whole(self):
        return len(self.parts) == -(-self.total // self.payload)

    def content(self):
        return b"".join(self.parts[i] for i in sorted(self.parts))


class Child(Peer):
    """The other end of a connection from a parent."""

    def __init__(self, sock, group, key):
        super().__init__(sock, group, key)
        self.sender = self.root = self.slot = None
        self.epoch = None	# of the newest tree that is whole
        self.slots = {}	# of its plan: rates and steps
        self.flags = 0
        self.nodes = []	# of the tree: id, children, rate, slots
        self.told = {}	# struct Message of each number
        self.lasts = []	# messages of which LAST has come
        self.done = None	# the newest DONE: before, and pairs
        self.over = None	# OVER's tag

    def enter_as(self, node):
        """The whole handshake, as that node: whether the parent's proof is good."""
        kind, tag, body = self.read()
        assert (kind, tag) == (HELLO, VERSION)
        _, self.sender, _, self.root, self.incarnation, self.slot = struct.unpack_from(
            ">IIIIQB", body)
        first = frame(HELLO, body, VERSION)
        challenge = struct.pack(">I", node) + os.urandom(32)
        challenge += proof(self.key, b"hbcast acceptor", first, challenge)
        self.send(frame(CHALLENGE, challenge))
        good = self.wait(AUTH) == proof(self.key, b"hbcast connector", first, challenge)
        self.send(frame(READY))
        return good

    def note(self, kind, tag, body):
        """What a parent says."""
        if kind == PLAN:
            epoch, members, self.flags = struct.unpack_from(">IQB", body)
            self.slots = dict(zip((slot for slot in range(64) if members >> slot & 1),
                                  struct.iter_unpack(">QQ", body[16:])))
            self.epoch, self.nodes = None, []
        elif kind == TREE:
            epoch, total, first = struct.unpack_from(">III", body)
            assert first == len(self.nodes)
            self.nodes += [found[:4] for found in struct.iter_unpack(">IIQQ16sHBB", body[12:])]
            self.epoch = epoch if len(self.nodes) == total else None
        elif kind == MESSAGE:
            found = Message(body)
            assert found.number not in self.told, "a lane tells a message once"
            assert all(found.number > number for number in self.told), "and in order"
            self.told[found.number] = found
        elif kind == DATA:
            low = int.from_bytes(body[:4], "big")
            next(found for number, found in self.told.items() if number & ALL == low).add(tag, body)
        elif kind == LAST:
            self.lasts.append(int.from_bytes(body, "big"))
        elif kind == DONE:
            self.done = int.from_bytes(body[:8], "big"), list(struct.iter_unpack(">QQ", body[8:]))
        elif kind == OVER:
            self.over = tag

    def settle(self, *haves):
        """Hears its tree, says that all below are connected, and what it has; returns the
        epoch."""
        epoch = self.until(lambda: self.epoch)
        self.send(tree_ack(epoch), *haves, have_end())
        return epoch

    def begun(self):
        """The next message that it has not been told of: its number."""
        return int.from_bytes(self.wait(MESSAGE)[:8], "big")

    def gets(self, number):
        """All of a message."""
        self.until(lambda: number in self.told and self.told[number].whole())
        return self.told[number].content()
