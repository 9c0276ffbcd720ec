# SPDX-License-Identifier: GPL-2.0-or-later
"""Who speaks and who listens in a soak. Each is a process, and writes down what it says
or hears, a line of JSON each, so that nothing is lost when it is killed."""

import ctypes
import errno
import hashlib
import json
import math
import mmap
import os
import select
import signal
import socket
import struct
import time

from hbtest import hbcnl, node, tap
from hbtest.actors import Actor, Surprise
from hbtest.land import ORDERED, PIECES, TALKS
from hbtest.races import ACTORS_MAX, Storm
from hbtest.words import LINE

VOICED = (ORDERED, PIECES)
# Messages of a socket whose fate is open; the kernel keeps 64 that are over.
WINDOW = 32 // tap.SLOWNESS
BURSTS = (1, 4, 16, 32)	# messages that are sent without a pause
SMALL = 1 << 14
FROM_MEMORY = 4 << 20	# bytes that a root has under way of what is no file: a group's window
AVERAGE = 6000 // tap.SLOWNESS	# bytes that long messages add to each, on average
NOTIFICATION = 0x8000
CHAIN = bytes(32)	# a chain's beginning
# What sending says when the root, or its plan, is not there yet.
NOT_YET = {errno.EADDRNOTAVAIL, errno.ECONNABORTED, errno.ENETUNREACH, errno.ENODEV,
           errno.ENOBUFS}


class Shared(ctypes.Structure):
    """Memory of all processes: who has nothing to do, and how often; and who has read a
    part of a message only."""

    _fields_ = [("idle", ctypes.c_uint64 * ACTORS_MAX),
                ("halves", ctypes.c_uint64 * ACTORS_MAX)]


class Season(Storm):
    """What those who speak and listen know of each other."""

    def __init__(self, seed, seconds, largest, folder):
        super().__init__(seed, seconds)
        self.shared = Shared.from_buffer(mmap.mmap(-1, ctypes.sizeof(Shared)))
        self.largest = largest
        self.folder = folder
        self.nodes = {}

    def over(self):
        """Not before the last phase is."""
        return bool(self.memory.away & 2)

    def finish(self):
        self.memory.away = 3


class Scribe(Actor):
    """An actor that may be killed and begun again, and writes down what happens."""

    def __init__(self, season, name, number):
        super().__init__(season, name)
        self.at = number
        self.life = 0
        self.killed = 0
        self.path = os.path.join(season.folder, name.replace(" ", "-"))
        self.file = None

    def start(self):
        self.life += 1
        self.storm.shared.halves[self.number] = 0
        super().start()

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        self.killed += 1
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            raise Surprise(f"{self.name} had ended before with {status}")

    def write(self, *what):
        os.write(self.file, (json.dumps((self.life, *what)) + "\n").encode())

    def taken(self):
        """What was written since the last time."""
        if not os.path.exists(self.path):
            return []
        with open(self.path, "r+", encoding="ascii") as file:
            lines = [json.loads(line) for line in file]
            file.truncate(0)
        return lines

    def live(self):
        os.nice(5)	# that the faults happen in time
        # Whoever holds a socket of a namespace keeps it from going.
        for each in self.storm.nodes.values():
            each.forget()
        self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        here = self.storm.nodes[self.at]
        self.go(here, self.storm.chance(self.name, self.life))

    def idle(self):
        self.storm.shared.idle[self.number] += 1

    def go(self, here, chance):
        raise NotImplementedError

    def round(self, chance, *args):
        """Not needed: it has its own rounds."""


class Voice:
    """One socket that speaks: what it said, and whose fate is open."""

    def __init__(self, speaker, number, port, sock):
        self.speaker = speaker
        self.number = number
        self.port = port
        self.sock = sock
        self.open = {}

    def say(self, size, file):
        """One message from memory or from a file."""
        speaker = self.speaker
        data = speaker.storm.words.say(self.number, speaker.life, size)
        count = speaker.storm.words.begun[self.number]
        speaker.write("said", self.port, count, size, hashlib.sha256(data).hexdigest(), file)
        try:
            if file:
                with open(os.memfd_create("words"), "r+b", buffering=0) as words:
                    words.write(data)
                    message = node.send_file(self.sock, words.fileno(), size)
            else:
                self.sock.send(data)
                message = node.last_message(self.sock)
        except OSError as why:
            if why.errno not in NOT_YET:
                raise
            speaker.write("refused", self.port, count, why.errno)
            time.sleep(0.1)
            return
        speaker.write("id", self.port, count, message)
        self.open[message] = count

    def settle(self):
        """What became of the oldest ones, as far as that is known."""
        for message, count in list(self.open.items()):
            found = node.completion(self.sock, message)
            if not found or "pending" in found.values():
                break
            self.speaker.write("fate", self.port, count, found)
            del self.open[message]


class Speaker(Scribe):
    """A root's process in one group: it sends until there is to be silence."""

    def __init__(self, season, talk):
        super().__init__(season, f"speaker {talk.group} {talk.root}", talk.root)
        self.talk = talk

    def go(self, here, chance):
        first = len(VOICED) * TALKS.index(self.talk)
        voices = [Voice(self, first + at, port, here.sender(port, self.talk.group))
                  for at, port in enumerate(VOICED)]
        while not self.storm.over():
            begun = time.monotonic()
            if not self.storm.is_away():
                self.speak(voices[chance.random() < 0.25], chance)
            elif not any(voice.open for voice in voices):
                self.idle()
            self.await_news(voices, chance.random() < 0.5)
            # Who listens needs the same processors.
            time.sleep(min(0.3, chance.random() * (time.monotonic() - begun)))

    def speak(self, voice, chance):
        """Some messages."""
        for _ in range(chance.choice(BURSTS)):
            if len(voice.open) < WINDOW and not self.storm.is_away():
                self.say(voice, self.size(chance), chance.random() < 0.7)

    @staticmethod
    def say(voice, size, file):
        """Only files may be longer than the window, and none is where order counts that is
        too short to tell what it is."""
        file = file and (size >= LINE or voice.port != ORDERED)
        voice.say(size, file or size > FROM_MEMORY)

    def await_news(self, voices, long):
        """What became of the messages, now or when it is known of all."""
        end = time.monotonic() + (tap.SLOWNESS if long else 0.02)
        while True:
            for voice in voices:
                voice.settle()
            if time.monotonic() > end or not any(voice.open for voice in voices):
                return
            time.sleep(0.02 * tap.SLOWNESS)

    def size(self, chance):
        """Mostly short, none at all at times, and rarely very long."""
        if chance.random() < 0.03:
            return 0
        times = self.storm.largest / SMALL
        if chance.random() < AVERAGE * math.log(times) / self.storm.largest:
            return int(SMALL * times ** chance.random())
        return int(SMALL ** chance.random())


class Ear:
    """One receiving socket, and what it has of messages that are not whole."""

    ROOM = 1 << 17

    def __init__(self, sock, group, port):
        self.sock, self.group, self.port = sock, group, port
        sock.setsockopt(node.SOL_HBCAST, node.NOTIFY, 1)
        self.data = ctypes.create_string_buffer(self.ROOM)
        self.name = ctypes.create_string_buffer(16)
        self.control = ctypes.create_string_buffer(128)
        self.iov = node.Iovec(ctypes.addressof(self.data), self.ROOM)
        self.halves = {}
        self.chains = {}

    def take(self):
        """One read: bytes, whether it ends there, the root, the control message."""
        msg = node.Msghdr(name=ctypes.addressof(self.name), namelen=16,
                          iov=ctypes.pointer(self.iov), iovlen=1,
                          control=ctypes.addressof(self.control), controllen=128)
        count = hbcnl.libc.recvmsg(self.sock.fileno(), ctypes.byref(msg), socket.MSG_DONTWAIT)
        if count < 0:
            err = ctypes.get_errno()
            raise OSError(err, os.strerror(err))
        root = int.from_bytes(self.name[8:12], "little")
        return (self.data[:count], bool(msg.flags & node.MSG_EOR), root,
                self.told(msg.controllen), bool(msg.flags & NOTIFICATION))

    def told(self, length):
        """What the control message says: where the piece belongs, or what has failed."""
        if not length:
            return {}
        if int.from_bytes(self.control[12:16], "little") == node.PIECE:
            return dict(zip(("id", "at", "total"), struct.unpack_from("=QQQ", self.control, 16)))
        found = struct.unpack_from("=QQQIH", self.control, 16)
        return dict(zip(("id", "total", "read", "error", "reason"), found))


class Half:
    """What has been read of a message."""

    def __init__(self, pieces):
        self.pieces = {} if pieces else None
        self.size = 0
        self.digest = hashlib.sha256()
        self.line = None
        self.head = b""

    def add(self, words, data, at):
        """The next bytes, or some at any place, which are what was said there."""
        if self.pieces is None:
            self.digest.update(data)
            at = self.size
        elif at in self.pieces:
            raise Surprise(f"bytes at {at} come twice")
        else:
            self.pieces[at] = len(data)
        if at == 0:
            self.head = data[:LINE]
        line = words.whose(data, at, self.line)
        if self.line and line != self.line:
            raise Surprise(f"bytes at {at} are another message's: {line} in {self.line}")
        self.line = line
        self.size += len(data)

    def whole(self, words, total):
        """All of it is there: who said it, if it tells; and its digest."""
        if total is not None:
            at = 0
            for start in sorted(self.pieces):
                if start != at:
                    raise Surprise(f"bytes {at} to {start} of a message are missing, or twice")
                at += self.pieces[start]
            if at != total:
                raise Surprise(f"{at} bytes of a message of {total} have come")
        who = words.check(self.line) if self.line else None
        if who and who[3] != self.size:
            raise Surprise(f"{self.size} bytes were said as {who[3]}")
        if self.pieces is None:
            return who, self.digest.digest()
        return who, hashlib.sha256(self.head).digest() if self.size <= LINE else None


class Listener(Scribe):
    """A member's process: it hears everything that is said in both groups."""

    def __init__(self, season, number):
        super().__init__(season, f"listener {number}", number)

    def go(self, here, chance):
        groups = {talk.group for talk in TALKS}
        how = {ORDERED: None, PIECES: node.UNORDERED}
        ears = [Ear(here.receiver(port, how[port], group), group, port)
                for group in groups for port in VOICED]
        poll = {ear.sock: ear for ear in ears}
        self.write("here")
        while not self.storm.over():
            ready = select.select(list(poll), [], [], 0.1)[0]
            for sock in ready:
                self.listen(poll[sock])
            self.storm.shared.halves[self.number] = sum(len(ear.halves) for ear in ears)
            if not ready:
                self.idle()

    def listen(self, ear):
        """What there is, but not as long as there is more."""
        for _ in range(16):
            try:
                self.hear(ear, *ear.take())
            except OSError as why:
                if why.errno == errno.ENOBUFS:
                    # It was cut off, and is told so once.
                    ear.halves.clear()
                    self.write("stalled", ear.group, ear.port)
                    continue
                if why.errno != errno.EAGAIN:
                    raise
                return

    def hear(self, ear, data, end, root, found, failure):
        """Bytes of a message, or its failure."""
        key = root, found.get("id") if ear.port == PIECES else None
        if failure:
            half = ear.halves.pop(key, None)
            if found["read"] != (half.size if half else 0):
                raise Surprise(f"{found} where {half and half.size} bytes were read")
            self.write("failed", ear.group, root, ear.port, found["id"], found["reason"])
            return
        if ear.port == ORDERED and ear.halves and key not in ear.halves:
            raise Surprise(f"root {root} interrupts: {ear.halves}")
        half = ear.halves.setdefault(key, Half(ear.port == PIECES))
        half.add(self.storm.words, data, found.get("at"))
        if not end:
            return
        del ear.halves[key]
        who, digest = half.whole(self.storm.words, found.get("total"))
        if ear.port == ORDERED:
            ear.chains[root] = hashlib.sha256(ear.chains.get(root, CHAIN) + digest).digest()
        self.write("heard", ear.group, root, ear.port, who and [who[0], who[2]],
                   half.size, digest and digest.hex(), found.get("id"),
                   ear.chains[root].hex() if ear.port == ORDERED else None)
