# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP for test programs in Python: check() for each assertion, done() at the end."""

import os
import sys
import threading
import traceback

# How many times slower than Debian's this kernel may be.
SLOWNESS = int(os.environ.get("HBCAST_SLOWNESS", "1"))

_run = 0
_failed = 0
# Of threads that an exception has ended.
_ended = []


def _thread_ended(args):
    said = traceback.format_exception(args.exc_type, args.exc_value, args.exc_traceback)
    print("".join(f"# {line}\n" for line in "".join(said).splitlines()), end="", flush=True)
    _ended.append(args.thread.name)


threading.excepthook = _thread_ended


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
    for name in _ended:
        check(False, f"{name} came to its end")
    print(f"1..{_run}")
    sys.exit(1 if _failed or not _run else 0)
