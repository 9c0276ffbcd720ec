# SPDX-License-Identifier: GPL-2.0-or-later
"""Cgroups: who pays for memory, and how much of it there is."""

import contextlib
import os

TOP = "/sys/fs/cgroup"


def enable():
    """Those below the top one count memory."""
    with open(f"{TOP}/cgroup.subtree_control", "w", encoding="ascii") as file:
        file.write("+memory")


class Cgroup:
    """In a with statement this process is in it, and what it starts."""

    def __init__(self, name):
        enable()
        self.path = f"{TOP}/{name}"
        os.makedirs(self.path, exist_ok=True)

    def _read(self, name):
        with open(f"{self.path}/{name}", encoding="ascii") as file:
            return file.read()

    def _write(self, name, value, path=None):
        with open(f"{path or self.path}/{name}", "w", encoding="ascii") as file:
            file.write(str(value))

    def __enter__(self):
        self._write("cgroup.procs", os.getpid())
        return self

    def __exit__(self, *_):
        self._write("cgroup.procs", os.getpid(), TOP)

    def kernel(self):
        """Bytes of kernel memory that it pays for."""
        return int(dict(line.split() for line in self._read("memory.stat").splitlines())["kernel"])

    def events(self):
        """How often it was at its limit, and so on."""
        return {name: int(count) for name, count in
                (line.split() for line in self._read("memory.events").splitlines())}

    @contextlib.contextmanager
    def limit(self, spare):
        """Meanwhile it has so many bytes more than it takes."""
        self._write("memory.max", int(self._read("memory.current")) + spare)
        yield
        self._write("memory.max", "max")
