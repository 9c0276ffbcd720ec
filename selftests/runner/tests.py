# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests there are, and what each asks for in its first lines."""

import fnmatch
import itertools
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
NAME = re.compile(r"test[-_]([^.]*)(\.sh|\.py|\.c|)")
HEADER = re.compile(r"\s*(?:#|\*|/\*|//)\s*(vm|here):(.*?)(?:\*/)?\s*")
HEADER_LINES = 40
# Seconds; in a machine they are virtual.
DEFAULT_TIMEOUT = 300
# How long those last that go on for as long as one likes.
LONGER = int(os.environ.get("HBCAST_SECONDS", "0"))
THOROUGH = "HBCAST_THOROUGH" in os.environ
MARKS = ("6.1", "6.12-only", "debug", "debug-only", "debian-only", "kcsan")
# Those that leave one of them without meaning.
APART = (("debug-only", "debug"), ("debug-only", "debian-only"), ("debug-only", "6.1"),
         ("debug-only", "kcsan"), ("debian-only", "debug"), ("debian-only", "kcsan"),
         ("6.12-only", "6.1"))
WORDS = ("timeout=, thorough=, seeds=, slow, and in a machine cpus=, mem=, disk=, "
         f"{', '.join(MARKS)}")
# The kernels of 'make check-all' on which all run, and those on which the marked do.
ALL = ("6.12", "6.1", "6.12-debug", "6.1-debug")
MARKED = ("6.12-kcsan", "6.1-kcsan")


class BadHeader(Exception):
    """A test asks for what there is not."""


class NoMatch(Exception):
    """A pattern asks for what there is not."""


class Test:
    """A test program: where it is and what machine it asks for."""

    def __init__(self, path, source):
        self.path = path
        self.source = source
        self.where = "here"
        self.timeout = DEFAULT_TIMEOUT
        self.thorough = None
        self.seeds = 0
        self.machine = {}
        self.marks = set()
        self.read_header()

    def read_header(self):
        with open(os.path.join(TOP, self.source), encoding="utf-8") as file:
            found = [line for line in map(HEADER.fullmatch, itertools.islice(file, HEADER_LINES))
                     if line]
        if len(found) > 1:
            raise BadHeader(f"{self.source}: asks twice where it runs; make one line of both")
        for header in found:
            self.where = header.group(1)
            for word in header.group(2).split():
                self.ask(word)
        if THOROUGH and self.thorough:
            self.timeout = self.thorough
        for pair in APART:
            if set(pair) <= self.marks:
                raise BadHeader(f"{self.source}: '{pair[0]}' and '{pair[1]}' leave no kernel; "
                                "take one of them away")

    def ask(self, word):
        name, _, value = word.partition("=")
        if name in ("timeout", "thorough") and value.strip("0") == "":
            raise BadHeader(f"{self.source}: '{word}' is no time; give seconds, 1 or more")
        if name == "timeout" and value.isdigit():
            self.timeout = int(value) + LONGER
        elif name == "thorough" and value.isdigit():
            self.thorough = int(value)
        elif name == "seeds" and value.isdigit() and int(value):
            self.seeds = int(value)
        elif word == "slow":
            self.marks.add(word)
        elif self.where == "vm" and name in ("cpus", "mem", "disk") and value:
            self.machine[name] = value
        elif self.where == "vm" and word in MARKS:
            self.marks.add(word)
        else:
            raise BadHeader(f"{self.source}: '{word}' is nothing a test can ask for; use {WORDS}")

    def label(self, kernel, seed):
        """What a run of it is called."""
        words = [self.path] + [f"[{kernel}]"] * bool(kernel) + [f"seed {seed}"] * bool(self.seeds)
        return " ".join(words)

    def machine_for(self, kernel):
        """Options for vm/run. 6.1 boots with one processor only in virtual time, and kernels
        that are built here have no disk."""
        series, _, flavour = kernel.partition("-")
        lacks = ["cpus"] * (series == "6.1") + ["disk"] * bool(flavour)
        return [word for name, value in self.machine.items() if name not in lacks
                for word in ("--" + name, value)]

    def can_run_on(self, kernel):
        series, _, flavour = kernel.partition("-")
        return not ("debug-only" in self.marks and flavour != "debug"
                    or "debian-only" in self.marks and flavour
                    or "6.12-only" in self.marks and series != "6.12")

    def kernels(self, tier):
        """Those on which it runs in the tier, "check" or "all"; None is this machine."""
        if tier == "check" and "slow" in self.marks:
            return []
        if self.where == "here":
            return [None]
        if tier == "all":
            return [kernel for kernel in ALL + MARKED if self.can_run_on(kernel)
                    and (kernel in ALL or "kcsan" in self.marks)]
        wanted = ["6.12"] + ["6.1"] * ("6.1" in self.marks)
        wanted += ["6.12-debug"] * bool(self.marks & {"debug", "debug-only"})
        return [kernel for kernel in wanted if self.can_run_on(kernel)]


def source_of(folder, name):
    """The file that holds a program's header: test-x.c or x.c for test-x."""
    for source in (name + ".c", NAME.fullmatch(name).group(1) + ".c"):
        if os.path.exists(os.path.join(folder, source)):
            return source
    return None


def in_folder(folder, files):
    """Scripts, built programs, and programs that should have been built."""
    for name in sorted(files):
        match = NAME.fullmatch(name)
        kind = match and match.group(2)
        if kind in (".sh", ".py"):
            yield name, name
        elif kind == ".c":
            yield name[:-len(".c")], name
        elif kind == "" and os.access(os.path.join(folder, name), os.X_OK):
            source = source_of(folder, name)
            # Without one it is left over from an older tree.
            if source:
                yield name, source


def find_tests():
    found = {}
    for folder, folders, files in os.walk(os.path.join(TOP, "selftests")):
        folders.sort()
        place = os.path.relpath(folder, TOP)
        for name, source in in_folder(folder, files):
            path = os.path.join(place, name)
            found[path] = Test(path, os.path.join(place, source))
    return list(found.values())


def chosen(tests, patterns):
    """Those with one of the patterns in their path, of which each must match some."""
    matched = {pattern: [test for test in tests if fnmatch.fnmatch(test.path, f"*{pattern}*")]
               for pattern in patterns}
    for pattern, found in matched.items():
        if not found:
            raise NoMatch(f"no test matches {pattern}; 'selftests/run --list' names them all")
    return [test for test in tests
            if not patterns or any(test in found for found in matched.values())]
