# SPDX-License-Identifier: GPL-2.0-or-later
"""A member of a soak that keeps a file: its receiver is killed outright in the middle, and
another one goes on where it was, until it has all of it, whatever else goes wrong."""

import json
import os
import signal
import subprocess
import tempfile
import time

from hbtest import tap
from hbtest.actors import PATIENCE, Surprise
from hbtest.land import GROUP, KEPT, TALKS

CTL = os.environ["HBCAST_CTL"]
SIZE = (6 << 20) // tap.SLOWNESS


def at(number, *args, **how):
    """A command of a node's administrator, which goes on by itself."""
    return subprocess.Popen(["ip", "netns", "exec", f"n{number}", CTL, *map(str, args)],
                            stderr=subprocess.DEVNULL, **how)


class Keeper:
    """A file at a root, and a directory of the member's."""

    def __init__(self, number, chance):
        self.number = number
        self.port = KEPT + number
        self.root = chance.choice([talk.root for talk in TALKS
                                   if talk.group == GROUP and talk.root != number])
        self.content = chance.randbytes(SIZE)
        self.folder = tempfile.TemporaryDirectory()
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


def kept(scene, victims, chance):
    """Receivers of files are killed outright, and others go on."""
    keepers = [Keeper(number, chance) for number in victims]
    for keeper in keepers:
        keeper.begin()
    yield 2 * chance.random()
    for keeper in keepers:
        keeper.kill()
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
