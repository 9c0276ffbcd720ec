# SPDX-License-Identifier: GPL-2.0-or-later
"""What one run of a test has shown: reads its TAP, a line at a time."""

import itertools
import re

PLAN = re.compile(r"1\.\.(\d+)(.*)")
POINT = re.compile(r"(not )?ok\b\s*(\d*)\s*(?:- )?(.*)")
SKIP = re.compile(r"#\s*SKIP\b", re.I)
# Lines before a failure that are told with it at the end.
MOST_REASONS = 3


class Outcome:
    """Results in their order, all lines that were printed, and the time it took."""

    def __init__(self):
        self.results = []
        self.output = []
        self.planned = None
        self.seen = 0
        self.wall = 0.0
        self.virtual = None
        # The kernel was at fault, which no other run can undo.
        self.broken = False

    def passed(self):
        return all(good for good, _, _ in self.results)

    def reason(self):
        """What it said just before its last result, or at its end."""
        said = list(self.output)
        if said and not said[-1].startswith("#"):
            said.pop()
        last = itertools.takewhile(lambda line: line.startswith("#"), reversed(said))
        return list(reversed(list(itertools.islice(last, MOST_REASONS))))

    def result(self, good, what):
        self.results.append((good, what, [] if good else self.reason()))

    def line(self, line):
        line = line.rstrip("\r\n")
        if not line:
            return
        self.output.append(line)
        plan = PLAN.fullmatch(line)
        point = POINT.fullmatch(line)
        if plan:
            self.plan(int(plan.group(1)), plan.group(2))
        elif point:
            self.point(*point.groups())
        elif line.startswith("Bail out!"):
            self.result(False, line)

    def plan(self, count, rest):
        if self.planned is not None:
            self.result(False, "printed two plans")
        elif count == 0:
            self.result(False, f"ran nothing {rest.strip()}".rstrip())
        self.planned = count

    def point(self, negative, number, what):
        self.seen += 1
        if number and int(number) != self.seen:
            self.result(False, f"printed result {number} where {self.seen} was due")
            self.seen = int(number)
        skipped = SKIP.search(what)
        self.result(not negative and not skipped, what or f"result {self.seen}")

    def finish(self, problem=None):
        """Ends the run; problem is what went wrong beyond its own results."""
        if problem:
            self.result(False, problem)
        elif self.planned is None:
            self.result(False, "printed no plan")
        elif self.seen != self.planned:
            self.result(False, f"planned {self.planned} results and printed {self.seen}")

    def exited(self, status, timeout, problem=None):
        if problem is None and status in (124, 137):
            problem = f"did not end within {timeout} seconds"
        if problem is None and status != 0 and self.passed():
            problem = f"ended with status {status}"
        self.finish(problem)
