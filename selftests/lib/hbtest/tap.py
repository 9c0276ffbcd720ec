# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP for test programs in Python: check() for each assertion, done() at the end."""

import os
import sys

# How many times slower than Debian's this kernel may be.
SLOWNESS = int(os.environ.get("HBCAST_SLOWNESS", "1"))

_run = 0
_failed = 0


def check(good, name):
    """Prints one result line; returns whether it is good."""
    global _run, _failed
    _run += 1
    _failed += not good
    print(f"{'ok' if good else 'not ok'} {_run} - {name}", flush=True)
    return bool(good)


def equal(got, expected, name):
    """Two values are the same."""
    if got != expected:
        print(f"# expected: {expected!r}\n# got:      {got!r}")
    return check(got == expected, name)


def done():
    """Prints the plan and ends the program."""
    print(f"1..{_run}")
    sys.exit(1 if _failed or not _run else 0)
