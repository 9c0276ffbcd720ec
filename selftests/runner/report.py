# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints what the tests show, counts it, and says where the time went."""

import collections
import os
import threading

from runner.tests import TOP

SLOWEST = 5
KEPT = os.path.join(TOP, "build/flaky")


class Report:
    """Of all runs; lock protects all of it, and what is printed from being mixed."""

    def __init__(self, strict, verbose):
        self.strict = strict
        self.verbose = verbose
        self.lock = threading.Lock()
        self.passed = 0
        self.failures = []
        self.flaky = []
        # (where, path, results, seconds, virtual seconds or None)
        self.runs = []
        # (title, lines)
        self.sections = []

    def say(self, *lines):
        for line in lines:
            print(line, flush=True)

    def add_result(self, what, good):
        """Something beside the tests."""
        line = f"{'ok' if good else 'not ok'} {what}"
        with self.lock:
            self.say(line)
            if good:
                self.passed += 1
            else:
                self.failures.append([line])

    def add_section(self, title, lines):
        """More that the page has, and that is printed before the times."""
        self.sections.append((title, lines))

    def echo(self, label):
        """A function that prints a line at once, if that is wanted."""
        def take(line):
            with self.lock:
                self.say(f"# {label}: {line.rstrip()}")

        return take if self.verbose else lambda line: None

    def add(self, label, kernel, attempts):
        """The attempts at one test: the last tells, and whether all agree."""
        last = attempts[-1]
        outcome = last if last.passed() or last.broken else attempts[0]
        flaky = outcome.passed() and len(attempts) > 1
        with self.lock:
            for good, what, reason in outcome.results:
                line = f"{'ok' if good else 'not ok'} {label}: {what}"
                self.say(line)
                if good:
                    self.passed += 1
                else:
                    self.failures.append([line, *("  " + said for said in reason)])
            seconds = sum(one.wall for one in attempts)
            self.runs.append((kernel or "here", label, len(outcome.results), seconds,
                              outcome.virtual))
            virtual = "" if outcome.virtual is None else f", {outcome.virtual:.1f} virtual"
            self.say(f"# {label}: {seconds:.1f} seconds{virtual}")
            if not outcome.passed() and not self.verbose:
                self.say(*(f"# {label}: {line}" for line in outcome.output))
            if flaky:
                self.add_flaky(label, attempts)

    def add_flaky(self, label, attempts):
        """Keeps what each attempt said; passes unless all has to be exact."""
        os.makedirs(KEPT, exist_ok=True)
        name = label.translate(str.maketrans("/ ", "--", "[]"))
        for number, outcome in enumerate(attempts, 1):
            with open(os.path.join(KEPT, f"{name}.{number}"), "w", encoding="utf-8") as file:
                file.write("\n".join(outcome.output) + "\n")
        which = "the same seed" if len(attempts) == 2 else "another seed"
        line = f"flaky {label}: failed, and passed with {which}; see {KEPT}/{name}.*"
        self.flaky.append(line)
        if self.strict:
            self.failures.append([f"not ok {label}: is flaky"])
        self.say(f"# {line}")

    def times(self):
        """Lines of a table: where, tests, results, seconds, virtual seconds."""
        rows = collections.defaultdict(lambda: [0, 0, 0.0, 0.0])
        for where, _, results, seconds, virtual in self.runs:
            for at, what in enumerate((1, results, seconds, virtual or 0.0)):
                rows[where][at] += what
        yield f"{'where':12} {'tests':>6} {'results':>8} {'seconds':>8} {'virtual':>8}"
        for where, (tests, results, seconds, virtual) in sorted(rows.items()):
            yield f"{where:12} {tests:6} {results:8} {seconds:8.0f} {virtual:8.0f}"

    def slowest(self):
        for _, label, _, seconds, virtual in sorted(self.runs, key=lambda run: -run[3])[:SLOWEST]:
            yield f"{seconds:8.0f} seconds  {label}" + (
                "" if virtual is None else f", {virtual:.0f} virtual")

    def count(self):
        return f"{self.passed} passed, {len(self.failures)} failed"

    def summary(self):
        for title, lines in self.sections:
            yield f"# {title}:"
            yield from (f"# {line}" for line in lines)
        yield from (f"# {line}" for line in self.times())
        yield "# the slowest:"
        yield from (f"# {line}" for line in self.slowest())
        yield from (f"# {line}" for line in self.flaky)
        yield from (f"# {line}" for failure in self.failures for line in failure)
        yield self.count()

    def page(self, title):
        """The same as a page of Markdown."""
        yield from (f"# {title}", "", self.count(), "", "## Where the time went", "", "```")
        yield from self.times()
        yield from ("```", "", "## The slowest", "", "```", *self.slowest(), "```")
        for title, lines in self.sections:
            yield from ("", f"## {title}", "", "```", *lines, "```")
        for name, lines in (("Flaky", self.flaky),
                            ("Failed", [line for failure in self.failures for line in failure])):
            yield from ("", f"## {name}", "", *(f"- {line}" for line in lines or ["nothing"]))
