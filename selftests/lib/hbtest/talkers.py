# SPDX-License-Identifier: GPL-2.0-or-later
"""Actors with sockets."""

import errno
import os
import select
import signal
import socket
import struct
import threading
import time

from hbtest import hbcnl, node, tap
from hbtest.actors import PATIENCE, Actor, Surprise
from hbtest.words import Memory

PORTS = (7, 8)

# What calls say when what they need was taken away, and nothing worse.
AWAY = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EAGAIN, errno.ECONNABORTED,
        errno.ECONNRESET, errno.EMSGSIZE, errno.ENETUNREACH, errno.ENOBUFS, errno.ENODEV,
        errno.ENOENT, errno.ENOTCONN, errno.EPIPE, errno.ETIMEDOUT}


def open_at(number):
    """A socket at a node, or None if the node is away."""
    try:
        return hbcnl.in_netns(f"n{number}", lambda: socket.socket(node.AF_HBCAST,
                                                                  socket.SOCK_SEQPACKET))
    except OSError as why:
        # A name that is going, or that has just come, is no namespace's.
        if why.errno not in AWAY | {errno.EINVAL}:
            raise
    return None


class Talker(Actor):
    """Has no sockets while the module is to be unloaded; blocks for a while, or for ever."""

    hurried = True

    def round(self, chance, *args):
        if not self.storm.wait_home():
            return
        sock = open_at(chance.choice(args))
        if not sock:
            return
        try:
            self.prepare(sock, chance)
            self.talk(sock, chance)
        except OSError as why:
            if why.errno not in AWAY:
                raise
        finally:
            sock.close()

    def prepare(self, sock, chance):
        limit = struct.pack("=qq", 0, 50000 * chance.randrange(1, 20))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO) if self.hurried else ():
            sock.setsockopt(socket.SOL_SOCKET, option, limit)
        size = chance.choice((0, 0, 8192, 65536, 1 << 20))
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF) if size else ():
            sock.setsockopt(socket.SOL_SOCKET, option, size)

    @staticmethod
    def attach(call, sock, chance):
        name = node.address(chance.choice(PORTS))
        hbcnl.libc_call(call, sock.fileno(), name, len(name))

    @staticmethod
    def interrupt(sock, chance):
        """Somebody shuts the socket down meanwhile."""
        def shut():
            try:
                sock.shutdown(how)
            except OSError as why:
                if why.errno not in AWAY | {errno.EBADF}:
                    raise
        how = chance.choice((socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR))
        threading.Timer(chance.random() / 2, shut).start()

    def talk(self, sock, chance):
        raise NotImplementedError


class Sender(Talker):
    """Sends, waits, lingers, and closes."""

    def talk(self, sock, chance):
        self.attach(hbcnl.libc.connect, sock, chance)
        count, end = chance.randrange(1, 8), chance.random()
        if chance.random() < 0.2:
            self.interrupt(sock, chance)
        for _ in range(count):
            if self.storm.is_away():
                return
            self.speak(sock, chance)
        self.end(sock, end)

    def speak(self, sock, chance):
        """One message: short, long, or a file."""
        kind = chance.random()
        size = chance.randrange(61, 1300 if kind < 0.5 else 60000 if kind < 0.7 else 1 << 20)
        data = self.storm.words.say(self.number, 2 * self.rounds + (kind >= 0.85), size)
        if kind < 0.85:
            sock.send(data, socket.MSG_NOSIGNAL | (socket.MSG_DONTWAIT if kind < 0.1 else 0))
            return
        with open(os.memfd_create("words"), "r+b", buffering=0) as file:
            file.write(data)
            node.send_file(sock, file.fileno(), size)
            if kind > 0.98:
                file.truncate(size // 2)

    @staticmethod
    def end(sock, how):
        if how < 0.3:
            node.wait_complete(sock, 1)
            node.completion(sock)
        elif how < 0.6:
            linger = struct.pack("=ii", 1, int(how < 0.4))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        elif how < 0.8:
            sock.shutdown(socket.SHUT_WR)


class Receiver(Talker):
    """Reads for a while, with a pause perhaps, and closes."""

    def talk(self, sock, chance):
        unordered = chance.random() < 0.3
        if unordered:
            sock.setsockopt(node.SOL_HBCAST, node.UNORDERED, 1)
        self.attach(hbcnl.libc.bind, sock, chance)
        pause, lasts = chance.choice((0, 0, 0, 1, 3)), 3 * tap.SLOWNESS * chance.random()
        if chance.random() < 0.2:
            self.interrupt(sock, chance)
        end = time.monotonic() + lasts
        memory = Memory(self.storm.words)
        time.sleep(min(lasts, pause * tap.SLOWNESS * chance.random()))
        while (time.monotonic() < end or not self.hurried) and not self.storm.is_away():
            if self.hurried:
                select.select([sock], [], [], 0.2)
            try:
                (self.take if unordered else self.listen)(sock, memory)
                self.storm.heard[self.number] += 1
            except EOFError:
                return
            except OSError as why:
                if why.errno not in AWAY:
                    raise
                if why.errno == errno.ENODEV:
                    return

    @staticmethod
    def take(sock, memory):
        """A piece of a message."""
        try:
            data, end, piece = node.take_piece(sock)
        except OSError as why:
            if why.errno != errno.EAGAIN:
                memory.parted()
            raise
        memory.piece(data, end, *piece)

    @staticmethod
    def listen(sock, memory):
        """The next bytes of a message."""
        try:
            memory.add(*node.take(sock))
        except OSError as why:
            if why.errno != errno.EAGAIN:
                memory.broken()
            raise


class Killer(Actor):
    """Lets somebody begin, and kills him."""

    def __init__(self, storm, name, victim, *args):
        super().__init__(storm, name)
        self.victim = victim(storm, name + "'s victim", *args)
        self.victim.hurried = False

    def round(self, chance, *args):
        after = time.monotonic() + tap.SLOWNESS * chance.random()
        if not self.storm.wait_home():
            return
        self.victim.start()
        while time.monotonic() < after and not self.storm.is_away():
            time.sleep(0.02)
        os.kill(self.victim.pid, signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while True:
            pid, status = os.waitpid(self.victim.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                raise Surprise(f"process {self.victim.pid} cannot be killed")
            time.sleep(0.01)
        if os.waitstatus_to_exitcode(status) not in (0, -signal.SIGKILL):
            raise Surprise("the victim has met with a surprise")
