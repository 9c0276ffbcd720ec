# SPDX-License-Identifier: GPL-2.0-or-later
"""A member of a soak that keeps a file: its receiver is killed outright in the middle, or the
disk stands still. Another one goes on where it was, until it has all of it, whatever else goes
wrong."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import tempfile
import time

from hbtest import tap
from hbtest.actors import PATIENCE, Surprise
from hbtest.land import GROUP, KEPT, STALL_MS, TALKS

CTL = os.environ["HBCAST_CTL"]
SIZE = (6 << 20) // tap.SLOWNESS
DISK = "/mnt"
FIFREEZE, FITHAW = 0xc0045877, 0xc0045878


def at(number, *args, **how):
    """A command of a node's administrator, which goes on by itself."""
    return subprocess.Popen(["ip", "netns", "exec", f"n{number}", CTL, *map(str, args)],
                            stderr=subprocess.DEVNULL, **how)


class Keeper:
    """A file at a root, and a directory of the member's."""

    def __init__(self, number, chance, where):
        self.number = number
        self.port = KEPT + number
        self.root = chance.choice([talk.root for talk in TALKS
                                   if talk.group == GROUP and talk.root != number])
        self.content = chance.randbytes(SIZE)
        self.folder = tempfile.TemporaryDirectory(dir=where)
        self.source = os.path.join(self.folder.name, "sent")
        self.kept = os.path.join(self.folder.name, "kept")
        with open(self.source, "wb") as file:
            file.write(self.content)
        self.receiver = self.sender = None

    def begin(self):
        """Whatever does not run is begun; a sender has given up, or has been refused."""
        if not self.receiver or self.receiver.poll() is not None:
            self.receiver = at(self.number, "-j", "recv", self.kept, "group", GROUP,
                               "port", self.port, stdout=subprocess.PIPE)
            # It says that messages can come, or ends.
            self.receiver.stdout.readline()
        if not self.sender or self.sender.poll() is not None:
            self.sender = at(self.root, "send", self.source, "group", GROUP, "port", self.port,
                             stdout=subprocess.DEVNULL)

    def kill(self):
        self.receiver.send_signal(signal.SIGKILL)
        self.receiver.wait()

    def whole(self):
        """Whether the file has its name; then it is what was sent."""
        if not os.path.exists(self.kept):
            return False
        with open(self.kept, "rb") as file:
            if file.read() != self.content:
                raise Surprise(f"node {self.number} keeps what root {self.root} has not sent")
        return True

    def end(self):
        """The last receiver tells how much was there before it."""
        said = [json.loads(line) for line in self.receiver.stdout]
        print(f"# node {self.number} had {said[-1]['resumed'] if said else '?'} of {SIZE} bytes",
              flush=True)
        for each in self.sender, self.receiver:
            each.kill()
            each.wait()
        self.folder.cleanup()


@contextlib.contextmanager
def frozen():
    """Who writes to the disk waits. What it has in memory stays there."""
    disk = os.open(DISK, os.O_RDONLY)
    try:
        fcntl.ioctl(disk, FIFREEZE, 0)
        yield
    finally:
        fcntl.ioctl(disk, FITHAW, 0)
        os.close(disk)


def killed(keepers, chance):
    yield 2 * chance.random()
    for keeper in keepers:
        keeper.kill()


def stands_still(_, chance):
    """Some times, for shorter than the group waits, or longer."""
    for _ in range(chance.randrange(1, 6)):
        yield chance.random()
        with frozen():
            yield STALL_MS / 1000 * chance.choice((0.1, 0.3, 0.6, 1.5))


def keep(victims, chance, trouble, where=None):
    """Files are to be kept, through some trouble."""
    keepers = [Keeper(number, chance, where) for number in victims]
    for keeper in keepers:
        keeper.begin()
    yield from trouble(keepers, chance)
    end = time.monotonic() + 2 * PATIENCE
    while not all(keeper.whole() for keeper in keepers):
        if time.monotonic() > end:
            raise Surprise(f"nodes {victims} do not get the files that they keep")
        for keeper in keepers:
            if not keeper.whole():
                keeper.begin()
        yield 0.5
    for keeper in keepers:
        keeper.end()


def kept(scene, victims, chance):
    """Receivers of files are killed outright, and others go on."""
    yield from keep(victims, chance, killed)


def slow_disk(scene, victims, chance):
    """The disk on which files are kept is slow, or stands still."""
    yield from keep(victims, chance, stands_still, DISK)
