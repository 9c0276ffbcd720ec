#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 timeout=300 thorough=3600 debug-only 6.12-only
"""Each request of each system call and of each netlink request is refused once.

The call fails as calls do, or does without; whatever it was, the next broadcast
arrives everywhere, and what was in the making is not left behind: after all refusals
of one call the module goes and comes. What is lost is seen at the end.
"""

import errno
import os

from hbtest import fault, hbcnl, node, tap
from hbtest.fault_scene import CHAIN, STAR, THOROUGH, Scene
from hbtest.rounds import flow, trip

OTHER = 9	# a port, and the namespace that is a node now and then
# The last two are what TCP says when it has no memory for a socket, or to bind it.
GOOD = {errno.ENOMEM, errno.ENOBUFS, errno.EFAULT, errno.ENFILE, errno.EADDRINUSE}


def again(scene):
    """The module goes and comes: whether that is well."""
    good = scene.reload()
    fault.only_in(scene.functions.module())
    return good


def attempt(scene, name, what, before=None, after=None):
    """One result: all its requests were refused in turn, and nothing came of it."""
    refused, bad = 0, []
    for why in fault.calls(what, before):
        refused += 1
        if why and getattr(why, "errno", None) not in GOOD:
            bad.append(f"request {refused}: {why!r}")
        if after:
            after()
        if why and not scene.well():
            bad.append(f"request {refused}: all is not well")
        if THOROUGH and not again(scene):
            bad.append(f"request {refused}: something is left")
    for line in bad:
        print(f"# {line}")
    tap.check(refused and not bad and again(scene), f"{name}: {refused} requests refused")


def quietly(what, *args, **values):
    """Takes back what may have been done."""
    try:
        what(*args, **values)
    except hbcnl.Refused:
        pass


def test_sockets(scene):
    attempt(scene, "a socket", lambda: scene.leaf.socket().close())
    attempt(scene, "a receiver", lambda: scene.leaf.receiver(OTHER).close())
    attempt(scene, "a sender", lambda: scene.root.sender(OTHER).close())
    attempt(scene, "what became of a message", lambda: node.completion(scene.sender))
    attempt(scene, "waiting for it", lambda: node.wait_complete(scene.sender, 1))


def test_send(scene):
    attempt(scene, "a short message", lambda: scene.sender.send(scene.data(100)))
    attempt(scene, "a long message", lambda: scene.sender.send(scene.data(90000)))
    file = os.memfd_create("message")
    os.write(file, scene.data(200000))
    attempt(scene, "a file", lambda: node.send_file(scene.sender, file, 200000))
    os.close(file)


def test_read(scene):
    """What could not be read is read with the next call."""
    state = {"loads": 0, "end": True}

    def before():
        if state["loads"] != scene.loads:
            state.update(loads=scene.loads, end=True, sender=scene.hold(scene.root.sender(OTHER)),
                         receiver=scene.hold(scene.leaf.receiver(OTHER)))
        if state["end"]:
            state.update(sent=scene.data(20000), read=b"", end=False)
            state["sender"].send(state["sent"])

    def take():
        data, state["end"] = node.take(state["receiver"], 7000)
        state["read"] += data

    attempt(scene, "reading", take, before)
    before()
    while not state["end"]:
        take()
    tap.equal(state["read"], state["sent"], "nothing of it was lost")


def test_sink(scene):
    """Each time another receiver gives its file for another message."""
    file, into = os.memfd_create("message"), os.memfd_create("received")
    now = {}

    def before():
        for sock in now.pop("socks", ()):
            sock.close()
        os.ftruncate(file, 0)
        os.pwrite(file, scene.data(20000), 0)
        receiver = scene.hold(scene.leaf.receiver(OTHER, node.SINKS))
        sender = scene.hold(scene.root.sender(OTHER))
        node.send_file(sender, file, 20000)
        now.update(socks=(receiver, sender), found=node.sink(receiver))

    def give():
        node.sink(now["socks"][0], into, node.SINK_GIVE, *now["found"])

    attempt(scene, "a file for a message", give, before)
    before()
    give()
    tap.equal(os.pread(into, 20000, 0), os.pread(file, 20000, 0), "then it is all there")
    os.close(file)
    os.close(into)


def test_plan(scene):
    edges = [STAR, CHAIN]

    def apply():
        """Another plan of two trees each time."""
        edges.reverse()
        scene.root.apply_trees(*((0, tree) for tree in edges), wait=False)

    attempt(scene, "a plan", apply)
    scene.root.apply(*CHAIN)


def test_config(scene):
    node.plug(OTHER)
    clients = {}

    def do(name, **values):
        if scene.loads not in clients:
            clients[scene.loads] = scene.hold(
                hbcnl.in_netns(f"n{OTHER}", lambda: hbcnl.Client(node.spec)))
        clients[scene.loads].do(name, **values)

    def away():
        quietly(do, "node-del")

    def node_set():
        do("node-set", id=OTHER, ipv4=f"10.9.0.{OTHER}")

    def group_new():
        do("group-new", id=7, key=node.KEY, member=[1, OTHER])

    def all_there():
        quietly(node_set)
        quietly(group_new)

    def upload():
        """Of a group that had none."""
        quietly(node_set)
        quietly(do, "peer-new", id=1, ipv4="10.9.0.1")
        quietly(do, "group-del", id=7)
        group_new()
        do("plan-begin", group=7)
        do("plan-tree", group=7, slot=0, edge={"parent": OTHER, "child": 1, "rate": 0})

    attempt(scene, "a node", node_set, before=away)
    attempt(scene, "a peer", lambda: do("peer-new", id=1, ipv4="10.9.0.1"),
            before=lambda: quietly(do, "peer-del", id=1))
    attempt(scene, "a group", group_new,
            before=lambda: (quietly(node_set), quietly(do, "group-del", id=7)))
    attempt(scene, "a first plan", lambda: do("plan-commit", group=7), before=upload)
    attempt(scene, "another key", lambda: do("group-set", id=7, key=bytes(32)), before=all_there)
    attempt(scene, "a round of a measurement",
            lambda: scene.root.client.do("probe-start", group=node.GROUP, round=1, ms=50,
                                         anyway=True, task=[flow(1, 2), trip(2, 3, 3)]),
            after=lambda: scene.root.client.do("probe-stop", group=node.GROUP))
    attempt(scene, "the end of a node", lambda: do("node-del"), before=all_there)


def test_questions(scene):
    def do(*args, **values):
        return scene.root.client.do(*args, **values)

    for name in "node-get", "version-get":
        attempt(scene, name, lambda name=name: do(name))
    attempt(scene, "all plans", lambda: scene.root.client.dump("plan-get"))
    attempt(scene, "one peer", lambda: do("peer-get", id=2))
    attempt(scene, "one group", lambda: do("group-get", id=node.GROUP))
    attempt(scene, "one plan", lambda: do("plan-get", group=node.GROUP, root=1))


def main():
    scene = Scene()
    fault.prepare()
    fault.only_in(scene.functions.module())
    for test in (test_sockets, test_send, test_read, test_sink, test_plan, test_config,
                 test_questions):
        test(scene)
    tap.done()


main()
