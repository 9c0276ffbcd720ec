#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=900 thorough=3600 debug-only 6.12-only slow
"""Each function of the module that asks for memory, or TCP for something, is refused.

That is done function by function, wherever it runs, while messages are sent and
lanes come and go. Then nothing is refused any more, and all must be well again; the
module goes, leaves nothing, and comes again.
What only runs in a caller's context is test-calls.py's.
"""

import os

from hbtest import fault, hbcnl, node, tap
from hbtest.fault_scene import CHAIN, SECONDS, STAR, THOROUGH, Mouth, Scene
from hbtest.rounds import Coordinator, burst, flow, trip

NOTIFY = 2	# a socket option
# Of work in which some requests are refused, and in which none is.
ROUNDS, MOST = 3, 10
# How many requests are refused, and which: each, or every second one.
WAYS = ((1, 1), (4, 2))
ADOPTION = "hbc_tree_adopt"	# runs when a relay is dead
# Functions that run only when the module is loaded, or for a call; and those that
# honest neighbours on this network do not need.
NOT_HERE = {
    "hbc_crc_init", "hbc_file_init", "hbc_files_begin", "hbc_lane_init", "hbc_probe_init",
    "hbc_auth_key_new", "hbc_group_add", "hbc_node_set", "hbc_peer_add", "hbc_nl_get_setup",
    "hbc_nl_plan_dump", "hbc_socket_create", "hbc_socket_getsockopt", "hbc_socket_setsockopt",
    "hbc_socket_ioctl", "hbc_socket_put_option", "hbc_socket_recv_file", "hbc_reader_take",
    "hbc_sink_add", "hbc_source_new", "hbc_sent_completion", "hbc_origin_session", ADOPTION,
}


class Work:
    """All kinds of work for the module."""

    def __init__(self, scene):
        self.scene = scene
        # The end of a file is shared out where there are two trees.
        self.plans = [("message", STAR), ("packet", CHAIN, STAR)]
        self.file = os.memfd_create("message")
        os.write(self.file, scene.data(300000))
        self.begin()

    def begin(self):
        self.sender = self.scene.hold(self.scene.root.sender())
        self.sender.setsockopt(node.SOL_HBCAST, NOTIFY, 1)
        self.scene.hold(Mouth(self.scene))
        self.coordinator = self.scene.hold(Coordinator(self.scene.root))

    def reload(self):
        good = self.scene.reload()
        self.begin()
        return good

    def measure(self):
        """A round of each kind of task, while messages are sent."""
        self.coordinator.start(flow(1, 2), trip(2, 3, 9), burst(3, 1, 20), ms=100,
                               anyway=True).over()

    def plan(self):
        """The other one."""
        self.plans.reverse()
        forward, *trees = self.plans[0]
        self.scene.root.apply_trees(*((0, edges) for edges in trees), wait=False,
                                    forward=forward)

    def round(self):
        """What is refused may fail any of it."""
        scene = self.scene
        for what in (lambda: scene.guest.client.do("node-del"), scene.guest.join,
                     self.plan,
                     scene.leaf.cut,
                     lambda: node.send_file(scene.sender, self.file, 300000),
                     self.measure,
                     scene.relay.cut,
                     lambda: self.sender.send(scene.data(50000)),
                     scene.leaf.cut,
                     lambda: self.sender.send(scene.data(50000)),
                     lambda: node.wait_complete(self.sender, 3)):
            try:
                what()
            except (OSError, hbcnl.Refused):
                pass

    def refuse(self, place, way):
        """How many requests were refused."""
        refusal = fault.Refusal(place, *way)
        for turn in range(MOST):
            self.round()
            if refusal.count() == way[0] or (turn >= ROUNDS - 1 and refusal.count()):
                break
        count = refusal.count()
        refusal.end()
        return count


def refused(work, name):
    """How many requests of the function were refused, 0 if that was not good."""
    count, good = 0, True
    for way in WAYS:
        count += work.refuse(work.scene.functions.place(name), way)
        good = good and work.scene.well() and (not THOROUGH or work.reload())
    if not good or not THOROUGH and not work.reload():
        print(f"# after {count} requests")
        return 0
    return count


def adoption(work):
    """The same while a relay is dead: its children are adopted later, and all is well when it
    is back."""
    scene = work.scene
    scene.root.apply(*CHAIN)
    refusal = fault.Refusal(scene.functions.place(ADOPTION), 1, 1)
    node.ip("-n", "switch", "link", "set", f"p{scene.relay.number}", "down")
    node.until(SECONDS, refusal.count)
    count = refusal.count()
    node.ip("-n", "switch", "link", "set", f"p{scene.relay.number}", "up")
    refusal.end()
    return count if scene.well() and work.reload() else 0


def main():
    scene = Scene()
    node.linear(1)
    fault.prepare()
    work = Work(scene)
    for name in scene.functions.that_may_fail(os.environ["HBCAST_KO"]):
        if name not in NOT_HERE:
            count = refused(work, name)
            tap.check(count, f"{name}: {count} requests refused, and all is well")
    tap.check(adoption(work), f"{ADOPTION}: a request refused, and all is well")
    tap.done()


main()
