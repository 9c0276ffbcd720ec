#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 timeout=300 debug-only 6.12-only slow
"""Loading the module is refused each request of its rooms in turn, and leaves nothing."""

import errno

from hbtest import fault, fault_scene, hbcnl, node, tap
from hbtest.fault_scene import insmod

# What the kernel says when a protocol cannot be registered for want of memory, too.
GOOD = (errno.ENOMEM, errno.ENOBUFS)
ROOMS = 6	# of main.c
# In the kernel, around the rooms' own functions, which are not there before.
INIT = "do_one_initcall"
# Leaks the name of a slab when it is refused what comes after that.
LEAKS = "sysfs_slab_add"


def place(name):
    """(start, end) of a function of the kernel."""
    starts = []
    with open("/proc/kallsyms", encoding="ascii") as file:
        for line in file:
            word = line.split()
            if len(word) == 3 and word[1] in "tT":
                starts.append((int(word[0], 16), word[2]))
    starts.sort()
    at = [found for _, found in starts].index(name)
    return starts[at][0], next(start for start, _ in starts[at:] if start > starts[at][0])


def traces():
    """What a loaded module shows."""
    found = fault_scene.traces()
    try:
        hbcnl.Client(node.spec).close()
        found.append("the netlink family")
    except (OSError, LookupError, hbcnl.Refused):
        pass
    return found


def main():
    fault.prepare()
    fault.only_in(place(INIT))
    fault.not_in(place(LEAKS))
    tap.equal(traces(), [], "before: nothing of the module is there")
    refused, failed, bad = 0, 0, []
    for why in fault.calls(insmod):
        refused += 1
        found = traces()
        if why:
            failed += 1
            good = getattr(why, "errno", None) in GOOD and not found
        else:
            good = len(found) >= 4
            hbcnl.unload_module()
        if not good:
            bad.append(f"request {refused}: {why!r}, then there is {found}")
    for line in bad:
        print(f"# {line}")
    tap.check(not bad, f"{refused} requests were refused, {failed} times for good")
    tap.check(failed >= ROOMS, "each room was refused something")
    if not traces():
        insmod()
    tap.check(len(traces()) >= 4, "then it loads")
    hbcnl.unload_module()
    tap.equal(traces(), [], "and goes")
    tap.done()


main()
