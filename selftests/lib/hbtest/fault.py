# SPDX-License-Identifier: GPL-2.0-or-later
"""What the module asks the kernel for is refused: this call, or that function's next.

The kernel's fault injection refuses memory, pages and copies from and to
programs; its filter by stack leaves alone whatever the module did not ask for.
"""

import bisect
import os
import re
import subprocess

DEBUGFS = "/sys/kernel/debug"
KINDS = ("failslab", "fail_page_alloc", "fail_usercopy")
EVERYWHERE = (0, (1 << 64) - 1)

# What can fail for want of memory, or because a program's memory is not there.
CAN_FAIL = re.compile(r"_*(k|kv)(m|z|re|c)alloc|_*alloc_|_*crypto_alloc_shash$|sk_alloc$|"
                      r"sock_(create_kern|sendmsg)$|kernel_(accept|bind|listen|connect|sendmsg)$|"
                      r"_copy_(from|to)_")


def write(kind, name, value):
    with open(f"{DEBUGFS}/{kind}/{name}", "w", encoding="ascii") as file:
        file.write(str(value))


def prepare():
    """Everything that was to fail may: nothing fails before it is asked for."""
    for kind in KINDS:
        write(kind, "probability", 0)
        write(kind, "times", 0)
        write(kind, "verbose", 0)
        write(kind, "interval", 1)
        write(kind, "stacktrace-depth", 32)
    write("failslab", "ignore-gfp-wait", "N")
    write("fail_page_alloc", "ignore-gfp-wait", "N")
    write("fail_page_alloc", "ignore-gfp-highmem", "N")
    write("fail_page_alloc", "min-order", 0)


def only_in(place):
    """From now on only what is asked for from there may fail: (start, end)."""
    for kind in KINDS:
        write(kind, "require-start", hex(place[0]))
        write(kind, "require-end", hex(place[1]))


def not_in(place):
    """What is asked for from there may not fail, even so: (start, end)."""
    for kind in KINDS:
        write(kind, "reject-start", hex(place[0]))
        write(kind, "reject-end", hex(place[1]))


class Functions:
    """The module's functions, where they are, and which of them may be refused something."""

    def __init__(self):
        found = set()
        with open("/proc/kallsyms", encoding="ascii") as file:
            for line in file:
                word = line.split()
                if word[3:] == ["[hbcast]"] and word[1] in "tT":
                    found.add((int(word[0], 16) - self.base(), word[2]))
        found = sorted(found)
        self.starts = [start for start, _ in found]
        self.names = [name for _, name in found]
        self.end = self.starts[-1] + 4096

    @staticmethod
    def base():
        """What moves when the module is loaded again."""
        with open("/sys/module/hbcast/sections/.text", encoding="ascii") as file:
            return int(file.read(), 16)

    def module(self):
        """(start, end) of all of them."""
        base = self.base()
        return base + self.starts[0], base + self.end

    def place(self, name):
        """(start, end) of a function."""
        base, start = self.base(), self.starts[self.names.index(name)]
        after = bisect.bisect_right(self.starts, start)
        end = self.starts[after] if after < len(self.starts) else self.end
        return base + start, base + end

    def that_may_fail(self, path):
        """Those that call what can fail, by the relocations of the module's file."""
        text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        found, function = set(), None
        for line in text.splitlines():
            header = re.fullmatch(r"[0-9a-f]+ <(.*)>:", line)
            call = re.search(r"R_X86_64_PLT32\s+(\w+)", line)
            if header:
                function = header.group(1)
            elif call and CAN_FAIL.match(call.group(1)):
                found.add(function)
        return sorted(found & set(self.names))


def calls(what, before=None):
    """Refuses what() its first request, then its second, and so on, until it has
    no more: yields its exception, or None, after each. before() comes first, and
    is refused nothing."""
    nth = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
    count, left = 0, 0
    while not left:
        count += 1
        why = None
        if before:
            before()
        os.pwrite(nth, b"%d" % count, 0)
        try:
            what()
        except Exception as error:  # pylint: disable=broad-except
            why = error
        left = int(os.pread(nth, 32, 0))
        os.pwrite(nth, b"0", 0)
        if not left:
            yield why
    os.close(nth)


class Refusal:
    """The next requests of a function are refused, each or every second one, ...,
    whoever makes them."""

    def __init__(self, place, times, interval):
        self.times = times
        only_in(place)
        for kind in KINDS:
            write(kind, "times", times)
            write(kind, "interval", interval)
            write(kind, "probability", 100)

    def count(self):
        """How many requests have been refused."""
        left = 0
        for kind in KINDS:
            with open(f"{DEBUGFS}/{kind}/times", encoding="ascii") as file:
                left += int(file.read())
        return min(len(KINDS) * self.times - left, self.times)

    def end(self):
        for kind in KINDS:
            write(kind, "probability", 0)
            write(kind, "times", 0)
