# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one test once, on this machine or in a virtual one of its own."""

import contextlib
import functools
import hashlib
import itertools
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from runner import coverage
from runner.outcome import Outcome
from runner.tests import TOP

# How many times slower than Debian's a kernel that watches itself may be.
SLOWNESS = {"debug": 4, "kcsan": 4}
# Real seconds that a virtual one may take at most, and those for the rest.
REAL_SECONDS = 5
GRACE_SECONDS = 300
# What a program that has ended may have left behind is waited for so long.
LEFT_SECONDS = 5
# What it wrote is read so long when all that it is known to have started is gone.
READ_SECONDS = 2
# What the environment of each program that runs has, and of all that it starts: its session.
MARKS = {}
NUMBERS = itertools.count()
EVERYWHERE = os.sched_getaffinity(0)
# Of each thread that runs tests, where machines run.
PLACE = threading.local()


def settle(processor):
    """This thread's machines run there. Two threads of QEMU take turns, and a processor that
    is to wake another one costs more than the test that goes on."""
    PLACE.processors = {processor}


class NoKernel(Exception):
    """There is no kernel of that name."""


def slowness(kernel):
    """How much longer than on Debian's kernels everything may last."""
    return SLOWNESS.get(kernel.partition("-")[2], 1)


@functools.cache
def release_of(kernel):
    """What the kernel calls itself."""
    got = subprocess.run([os.path.join(TOP, "selftests/vm/kernel"), "dir", kernel],
                         stdout=subprocess.PIPE, text=True, check=False)
    if got.returncode:
        raise NoKernel(kernel)
    return os.path.basename(got.stdout.strip())


def environment(seed, release=None, build=None):
    env = dict(os.environ)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        env.pop(name, None)
    env["PYTHONPATH"] = os.path.join(TOP, "selftests/lib")
    env["HBCAST_SEED"] = str(seed)
    env["HBCAST_CTL"] = os.path.join(TOP, "tools/hbcastctl/hbcastctl")
    if release:
        build = build or os.environ.get("BUILD", os.path.join(TOP, "build"))
        env["HBCAST_KO"] = os.path.abspath(os.path.join(build, release, "hbcast.ko"))
    return env


def in_session(pid, leader):
    """Whether it is still there."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        state, _, _, session = stat.read().rpartition(")")[2].split()[:4]
    return state not in "XZ" and int(session) == leader


def started_by(mark, leader):
    """Processes of the leader's session, and others that have the mark in their environment;
    one that has ended has none."""
    for folder in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{folder}/environ", "rb") as environ:
            if mark.encode() in environ.read().split(b"\0") or in_session(folder, leader):
                yield int(folder)


def signal_all(mark, leader, number):
    """Whether there were any."""
    found = list(started_by(mark, leader))
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return bool(found)


def holders(pipe):
    """Other processes that have it open."""
    for folder in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            fds = f"/proc/{folder}/fd"
            if int(folder) != os.getpid() and pipe in {
                    os.readlink(os.path.join(fds, fd)) for fd in os.listdir(fds)}:
                yield int(folder)


def end_all():
    """Ends what runs; machines clean up behind them."""
    for mark, leader in list(MARKS.items()):
        signal_all(mark, leader, signal.SIGTERM)


class Program:
    """One that runs, in a session of its own; it is ended when the runner ends."""

    def __init__(self, command, env, stderr):
        self.mark = f"RUNNER_PROGRAM={os.getpid()}-{next(NUMBERS)}"
        name, _, value = self.mark.partition("=")
        self.left_behind = False
        self.read = threading.Event()
        self.proc = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *command], cwd=TOP, env={**env, name: value},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True,
            errors="replace", start_new_session=True)
        MARKS[self.mark] = self.proc.pid

    def clean_up(self):
        """When it has ended kills what it has left; a reader of its output then ends, too."""
        self.proc.wait()
        until = time.monotonic() + LEFT_SECONDS
        while any(started_by(self.mark, self.proc.pid)) and time.monotonic() < until:
            time.sleep(0.05)
        self.left_behind = signal_all(self.mark, self.proc.pid, signal.SIGKILL)
        if not self.read.wait(READ_SECONDS):
            # Somebody with neither mark nor session.
            self.left_behind = True
            for pid in holders(os.readlink(f"/proc/self/fd/{self.proc.stdout.fileno()}")):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def follow(self, take):
        """Its status; each of its lines is taken."""
        cleaner = threading.Thread(target=self.clean_up)
        cleaner.start()
        try:
            for line in self.proc.stdout:
                take(line)
        except BaseException:
            signal_all(self.mark, self.proc.pid, signal.SIGTERM)
            raise
        finally:
            self.read.set()
            cleaner.join()
            del MARKS[self.mark]
        return self.proc.returncode


def run_here(test, seed, echo):
    outcome = Outcome()
    if not os.access(os.path.join(TOP, test.path), os.X_OK):
        outcome.finish("is not there or not executable; 'make tests' builds it")
        return outcome

    def take(line):
        echo(line)
        outcome.line(line)

    program = Program(["timeout", "-k", "10", str(test.timeout), "./" + test.path],
                      environment(seed), subprocess.STDOUT)
    status = program.follow(take)
    outcome.exited(status, test.timeout,
                   "left processes behind" if program.left_behind and not status else None)
    return outcome


class InMachine:
    """One run in a machine; vm/agent tells there what happens."""

    def __init__(self, test, kernel, seed, echo, counters):
        self.test = test
        self.echo = echo
        self.outcome = Outcome()
        # It is in the machine's memory, and so one of the things that a run follows from.
        self.token = hashlib.sha256(f"{test.path} {kernel} {seed}".encode()).hexdigest()[:16]
        self.marker = re.compile(rf"@{self.token} (end|kernel|left)(?: (.*))?\n")
        self.timeout = test.timeout * slowness(kernel)
        self.problem = None
        self.ended = False
        self.command = [
            os.path.join(TOP, "selftests/vm/run"), "--kernel", kernel, "--seed", str(seed),
            "--timeout", str(self.timeout * REAL_SECONDS + GRACE_SECONDS),
            *test.machine_for(kernel)]
        counted = counters and kernel == coverage.KERNEL
        self.env = environment(seed, release_of(kernel), coverage.BUILD if counted else None)
        self.env["HBCAST_SLOWNESS"] = str(slowness(kernel))
        if counted:
            self.env["HBCAST_COVERAGE"] = "1"
            self.command += ["--keep", tempfile.mkdtemp(dir=counters)]

    def take(self, line):
        found = self.marker.fullmatch(line)
        if not found:
            self.echo(line)
            self.outcome.line(line)
            return
        what, rest = found.groups()
        if what == "end":
            status, seconds = rest.split()
            self.outcome.virtual = float(seconds)
            self.outcome.exited(int(status), self.timeout, self.problem)
            self.ended = True
        elif what == "kernel":
            self.problem = "the kernel reported a fault"
            self.outcome.broken = True
        else:
            self.outcome.broken = True
            self.problem = self.problem or f"left behind {rest}"

    def go(self):
        self.command += ["--", "selftests/vm/agent", self.token, self.test.path,
                         str(self.timeout)]
        with tempfile.TemporaryFile("w+", errors="replace") as report:
            status = Program(self.command, self.env, report).follow(self.take)
            report.seek(0)
            said = report.read().splitlines()
        # What the kernel reported while the test ran has been told.
        if not self.ended or status and not self.problem:
            for line in said:
                self.echo(line + "\n")
                self.outcome.output.append("# " + line)
            self.outcome.broken = self.outcome.broken or status == 125
            self.outcome.finish({124: "the machine hung", 125: "the kernel failed"}.get(
                status, f"the machine ended with status {status}"))
        return self.outcome


def attempt(test, kernel, seed, echo, counters):
    """An Outcome; kernel None is this machine. echo gets each line as it comes, and the
    folder of counters, if there is one, those of the kernel on which lines are counted."""
    began = time.monotonic()
    os.sched_setaffinity(0, PLACE.processors if kernel else EVERYWHERE)
    outcome = (InMachine(test, kernel, seed, echo, counters).go() if kernel
               else run_here(test, seed, echo))
    outcome.wall = time.monotonic() - began
    return outcome
