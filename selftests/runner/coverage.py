# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of the module was run: its lines are counted on the kernel that watches most.

'make module-coverage' builds that module. Each machine leaves its counters in a folder
of its own; they are added up when all tests have run.
"""

import glob
import json
import os
import shutil
import subprocess

from runner.tests import TOP

KERNEL = "6.12-debug"
BUILD = os.path.join(TOP, "build/coverage")
COUNTERS = os.path.join(TOP, "build/counters")
# Of each file; with fewer lines than SMALL nothing can be said in per cent.
GOAL, SMALL = 90, 20
# Macros of tracepoints, whose lines say nothing.
LEFT_OUT = ("trace.h",)


def empty_folder():
    """For the counters of one run."""
    shutil.rmtree(COUNTERS, ignore_errors=True)
    os.makedirs(COUNTERS)
    return COUNTERS


def merge(folder):
    """The sum of all machines' counters: a folder, or None when there are none. A machine
    in which the module was not loaded has left none."""
    total = None
    parts = [part for part in sorted(glob.glob(os.path.join(folder, "*")))
             if glob.glob(os.path.join(part, "**/*.gcda"), recursive=True)]
    for number, part in enumerate(parts):
        if total:
            both = os.path.join(folder, f"sum{number}")
            subprocess.run(["gcov-tool", "merge", total, part, "-o", both], check=True)
            part = both
        total = part
    return total


def reports(total):
    """What gcov says of each object; the notes lie where the objects were built."""
    for data in sorted(glob.glob(os.path.join(total, "**/*.gcda"), recursive=True)):
        place = os.path.dirname(os.path.join("/", os.path.relpath(data, total)))
        notes = os.path.join(place, os.path.basename(data)[:-len("gcda")] + "gcno")
        shutil.copy(notes, os.path.dirname(data))
        done = subprocess.run(["gcov", "-j", "-t", data], check=True, stdout=subprocess.PIPE)
        yield json.loads(done.stdout)


class File:
    """A source file: how often each line was run, and whose it is."""

    def __init__(self):
        self.lines = {}
        self.functions = {}

    def add(self, report):
        for line in report["lines"]:
            number = line["line_number"]
            self.lines[number] = self.lines.get(number, 0) + line["count"]
        for function in report["functions"]:
            self.functions[function["start_line"], function["end_line"]] = function["name"]

    def share(self):
        """(lines run, all lines)"""
        return sum(count > 0 for count in self.lines.values()), len(self.lines)

    def missing(self):
        """(function, its lines that were not run), in their order."""
        for (start, end), name in sorted(self.functions.items()):
            lines = [number for number, count in sorted(self.lines.items())
                     if start <= number <= end and not count]
            if lines:
                yield name, lines


def read(total):
    files = {}
    for report in reports(total):
        before = len(files)
        for found in report["files"]:
            _, ours, name = found["file"].rpartition("/kmod/")
            if ours and name not in LEFT_OUT:
                files.setdefault(name, File()).add(found)
        # Each object has at least a source file of its own.
        if len(files) == before:
            raise OSError(f"{report['data_file']} tells of no file of the module")
    return files


def ranges(lines):
    """7,8,9,12 as "7-9 12"."""
    parts = []
    for line in lines:
        if parts and parts[-1][1] == line - 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def add(folder, results):
    """What the machines have left in the folder becomes results, and part of the page."""
    try:
        total = merge(folder)
        files = sorted(read(total).items()) if total else []
    except (OSError, subprocess.CalledProcessError) as error:
        results.add_result(f"coverage: the counters cannot be read: {error}", False)
        return
    if not files:
        results.add_result("coverage: no machine has left counters; does "
                           "'make module-coverage' build the module?", False)
        return
    table = [f"{'file':24} {'lines':>5}    run"]
    for name, file in files:
        run, lines = file.share()
        share = f"{100 * run / lines:.1f} %"
        table.append(f"{name:24} {lines:5} {share:>7}")
        if lines >= SMALL:
            results.add_result(f"coverage: {name}: {share} of {lines} lines, {GOAL} are wanted",
                               100 * run >= GOAL * lines)
    run, lines = (sum(file.share()[at] for _, file in files) for at in (0, 1))
    table.append(f"{'all':24} {lines:5} {f'{100 * run / lines:.1f} %':>7}")
    results.add_section("How much of the module was run", table)
    results.add_section("Functions with lines that were not run",
                        [f"{name:24} {function}: {ranges(numbers)}" for name, file in files
                         for function, numbers in file.missing()])
