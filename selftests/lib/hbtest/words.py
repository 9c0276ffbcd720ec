# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said in a storm: each part of it tells who said it, and where in it one is."""

import hashlib
import struct

HEAD = struct.Struct("=QIIQQ")
# A prime, so that no fragment's length is a multiple and what is moved is seen.
LINE = 61


class Invented(Exception):
    """Somebody has heard what nobody has said."""


class Words:
    """Messages of one storm. begun[speaker] counts what each speaker has begun to say."""

    def __init__(self, seed, begun):
        self.seed = seed
        self.begun = begun

    def line(self, speaker, sock, count, size):
        head = HEAD.pack(self.seed, speaker, sock, count, size)
        return head + hashlib.blake2b(head, digest_size=LINE - HEAD.size).digest()

    @staticmethod
    def fill(line, size, start=0):
        """Bytes start to start + size of a message that says only this."""
        first = start % LINE
        return (line * ((first + size) // LINE + 1))[first:first + size]

    def say(self, speaker, sock, size):
        """The speaker's next message over his socket."""
        self.begun[speaker] += 1
        return self.fill(self.line(speaker, sock, self.begun[speaker], size), size)

    def whose(self, data, start=0, line=None):
        """Of a part of a message: its line, or, if it is too short to hold one, the
        line that it must be of; None if nobody knows."""
        if len(data) >= LINE:
            cut = -start % LINE
            line = data[cut:LINE] + data[:cut]
        if line and data != self.fill(line, len(data), start):
            raise Invented(f"{len(data)} bytes at {start} are not of one message")
        return line

    def check(self, line):
        """What the line says of its message, if it was ever said: speaker, socket,
        count, and size."""
        seed, speaker, sock, count, size = HEAD.unpack_from(line)
        if seed != self.seed or line != self.line(speaker, sock, count, size):
            raise Invented(f"{line!r}: nobody speaks so")
        if count > self.begun[speaker]:
            raise Invented(f"speaker {speaker} has not said {count}, but {self.begun[speaker]}")
        return speaker, sock, count, size


class Memory:
    """What one receiving socket hears: nothing twice, and short messages of each sending
    socket in their order. Files, of sockets with odd numbers, come as they come."""

    def __init__(self, words):
        self.words = words
        self.half = b""
        self.lines = {}
        self.last = {}
        self.files = set()

    def add(self, data, end):
        """The next bytes, and whether the message ends there."""
        self.half += data
        if end:
            whole, self.half = self.half, b""
            if self.prefix(whole) != len(whole):
                raise Invented(f"{len(whole)} bytes were said otherwise")
            self.order(whole[:LINE])

    def broken(self):
        """No more of the message at hand comes."""
        half, self.half = self.half, b""
        self.prefix(half)

    def prefix(self, data):
        """These are the first bytes of a message: its size, 0 if nobody can know."""
        line = self.words.whose(data)
        size = self.words.check(line)[3] if line else 0
        if line and size < len(data):
            raise Invented(f"{len(data)} bytes were said as {size}")
        return size

    def order(self, line):
        """A message that is whole."""
        speaker, sock, count, _ = self.words.check(line)
        if sock % 2:
            if (speaker, count) in self.files:
                raise Invented(f"speaker {speaker} has said {count} once")
            self.files.add((speaker, count))
            return
        if count <= self.last.get((speaker, sock), 0):
            raise Invented(f"speaker {speaker} has said {count} after "
                           f"{self.last[(speaker, sock)]} over socket {sock}")
        self.last[(speaker, sock)] = count

    def piece(self, data, end, root, message, start, total):
        """Bytes of a message that come in any order; end if no more of it do."""
        line = self.words.whose(data, start, self.lines.get((root, message)))
        if line and self.words.check(line)[3] != total:
            raise Invented(f"a message of {total} bytes was said otherwise")
        self.lines[root, message] = line
        if end:
            del self.lines[root, message]

    def parted(self):
        """No more of some message comes. A root that comes back begins with the same ids."""
        self.lines.clear()
