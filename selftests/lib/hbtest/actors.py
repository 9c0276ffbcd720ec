# SPDX-License-Identifier: GPL-2.0-or-later
"""Who does what in a storm. An actor is a process that goes from round to round.

What a round does follows from the seed, the actor's name and the round's number.
"""

import errno
import os
import random
import subprocess
import sys
import threading
import time
import traceback

from hbtest import hbcnl, node, tap
from hbtest.node import GROUP, KEY

PATIENCE = 30 * tap.SLOWNESS	# seconds that anything may last
ROOTS = (1, 2)
STEADY = (1, 2, 3, 4)
GUESTS = (5, 6)
NODES = STEADY + GUESTS
OTHER_GROUP = 6
SETTINGS = {"dead_ms": 2000 * tap.SLOWNESS, "stall_ms": 2000 * tap.SLOWNESS}

# What requests say when what they need was taken away, or is there already; a dump,
# when the module is on its way out.
REFUSED = {errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EBUSY, errno.EEXIST, errno.EINVAL,
           errno.ENODEV, errno.ENOENT, errno.ENOSPC, errno.EOPNOTSUPP, errno.EPROTONOSUPPORT,
           errno.ESHUTDOWN}


class Surprise(Exception):
    """Something that must not be."""


def patiently(what, why):
    """It must become true before the patience ends."""
    if not node.until(PATIENCE, what):
        raise Surprise(why)


class Actor:
    """A process with a name, until the storm is over."""

    def __init__(self, storm, name, *args):
        self.storm = storm
        self.name = name
        self.number = storm.enlist()
        self.args = args
        self.pid = 0

    def start(self):
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            threading.excepthook = lambda args: self.die()
            try:
                self.live()
            except BaseException:  # pylint: disable=broad-except
                self.die()
            os._exit(0)

    def die(self):
        why = traceback.format_exc().rstrip().replace("\n", f"\n# {self.name}: ")
        print(f"# {self.name}: round {self.rounds}: {why}", flush=True)
        os._exit(1)

    @property
    def rounds(self):
        return self.storm.rounds[self.number]

    def live(self):
        while not self.storm.over():
            self.storm.rounds[self.number] += 1
            self.round(self.storm.chance(self.name, self.rounds), *self.args)

    def round(self, chance, *args):
        raise NotImplementedError


def ask(client, name, **values):
    """A request, which may be refused because of what others do."""
    try:
        return client.do(name, **values)
    except hbcnl.Refused as why:
        if why.errno not in REFUSED:
            raise
    return None


def client_at(number):
    """A netlink socket at a node, or None if there is no such node now, or no module."""
    try:
        client = hbcnl.in_netns(f"n{number}", lambda: hbcnl.Client(node.spec))
    except hbcnl.Refused as why:
        if why.errno != errno.ENOENT:
            raise
        return None
    except OSError as why:
        # A name that is going, or that has just come, is no namespace's.
        if why.errno not in (errno.ENOENT, errno.EINVAL):
            raise
        return None
    client.sock.settimeout(PATIENCE)
    return client


def restore(client, number):
    """The node's configuration is what it should be, whatever it was."""
    ask(client, "node-set", id=number, ipv4=f"10.9.0.{number}")
    ask(client, "group-new", id=GROUP, key=KEY, **SETTINGS)
    ask(client, "group-set", id=GROUP, key=KEY, any_member=True, **SETTINGS)
    for other in NODES:
        if other != number:
            ask(client, "peer-new", id=other, ipv4=f"10.9.0.{other}")


def restore_all(numbers=NODES):
    """The same for nodes that are there."""
    for number in numbers:
        client = client_at(number)
        if client:
            restore(client, number)
            client.close()


class Admin(Actor):
    """Takes something of a node's configuration away, and puts it back."""

    def round(self, chance, number):
        what = chance.choice((self.node, self.group, self.peers, self.key, self.members,
                              self.intervals, self.other))
        pauses = chance.random() / 2, 2 * tap.SLOWNESS * chance.random()
        client = client_at(number)
        if client:
            what(client, number, chance)
            self.storm.pause(pauses[0])
            restore(client, number)
            client.close()
        self.storm.pause(pauses[1])

    @staticmethod
    def node(client, number, chance):
        ask(client, "node-del")

    @staticmethod
    def group(client, number, chance):
        ask(client, "group-del", id=GROUP)

    @staticmethod
    def peers(client, number, chance):
        for other in chance.sample(NODES, chance.randrange(1, len(NODES))):
            ask(client, "peer-del", id=other)

    @staticmethod
    def key(client, number, chance):
        ask(client, "group-set", id=GROUP, key=KEY[::-1])

    @staticmethod
    def members(client, number, chance):
        ask(client, "group-set", id=GROUP,
            member=sorted({number, *chance.sample(NODES, chance.randrange(len(NODES)))}))

    @staticmethod
    def intervals(client, number, chance):
        ask(client, "group-set", id=GROUP, dead_ms=chance.randrange(100, 1000),
            stall_ms=chance.randrange(100, 1000))

    @staticmethod
    def other(client, number, chance):
        ask(client, "group-new", id=OTHER_GROUP, key=KEY)
        ask(client, "group-del", id=OTHER_GROUP)


def random_tree(chance, root, nodes):
    """Edges of a tree over all these nodes."""
    reached, edges = [root], []
    for child in chance.sample(nodes, len(nodes)):
        if child != root:
            edges.append({"parent": chance.choice(reached), "child": child})
            reached.append(child)
    return edges


class Planner(Actor):
    """Gives a root one plan after another."""

    def round(self, chance, root):
        pause = 2 * tap.SLOWNESS * chance.random() * chance.random()
        client = client_at(root)
        if client:
            chance.choice((self.commit, self.commit, self.commit, self.twice, self.try_out,
                           self.give_up, self.delete))(client, root, chance)
            client.close()
        self.storm.pause(pause)

    @staticmethod
    def upload(client, root, chance):
        nodes = STEADY if chance.random() < 0.3 else NODES
        # Few of them, so that lanes that are up are used again.
        tree = random_tree(random.Random(chance.randrange(6)), root, nodes)
        ask(client, "plan-begin", group=GROUP)
        ask(client, "plan-tree", group=GROUP, slot=0, edge=tree,
            rate=chance.choice((0, 0, 100000, 10000000)))

    def commit(self, client, root, chance):
        self.upload(client, root, chance)
        ask(client, "plan-commit", group=GROUP)

    def twice(self, client, root, chance):
        self.commit(client, root, chance)
        self.commit(client, root, chance)

    def try_out(self, client, root, chance):
        self.upload(client, root, chance)
        ask(client, "plan-commit", group=GROUP, dry_run=True)
        ask(client, "plan-commit", group=GROUP)

    def give_up(self, client, root, chance):
        self.upload(client, root, chance)
        if chance.random() < 0.5:
            ask(client, "plan-begin", group=GROUP)

    def delete(self, client, root, chance):
        self.commit(client, root, chance)
        ask(client, "plan-del", group=GROUP)
        self.commit(client, root, chance)


class Links(Actor):
    """Takes links and addresses away for a while, some for longer than a node's death."""

    def round(self, chance, *nodes):
        number, kind = chance.choice(nodes), chance.random()
        gone, back = chance.random() * (3 if kind < 0.3 else 0.5), tap.SLOWNESS * chance.random()
        if kind < 0.8:
            link = "-n", "switch", "link", "set", f"p{number}"
            node.ip(*link, "down")
            self.storm.pause(gone)
            node.ip(*link, "up")
        else:
            name = f"10.9.0.{number}/24", "dev", "eth0"
            node.ip("-n", f"n{number}", "address", "del", *name)
            self.storm.pause(gone)
            node.ip("-n", f"n{number}", "address", "add", *name)
        self.storm.pause(back)


class Guests(Actor):
    """Deletes a node's namespace and makes another one."""

    def round(self, chance, number):
        order, pauses = chance.random(), (chance.random() / 2, 3 * tap.SLOWNESS * chance.random())
        if order < 0.3:
            self.unplug(number)
        node.ip("netns", "del", f"n{number}")
        if order < 0.7:
            self.storm.pause(pauses[0])
        patiently(lambda: self.unplug(number), f"the link of n{number} does not go")
        node.plug(number)
        restore_all((number,))
        self.storm.pause(pauses[1])

    @staticmethod
    def unplug(number):
        """Whether the link is gone; one of a namespace that ends may go under our hands."""
        subprocess.run(["ip", "-n", "switch", "link", "del", f"p{number}"], check=False,
                       stderr=subprocess.DEVNULL)
        return node.unplugged(number)


class Looker(Actor):
    """Asks for everything there is, and hears what happens."""

    def round(self, chance, *nodes):
        pause = chance.random()
        client = client_at(chance.choice(nodes))
        if not client:
            return
        client.listen()
        for name in chance.sample(("peer-get", "group-get", "plan-get", "lane-get"), 4):
            try:
                self.look(client, name)
            except hbcnl.Refused as why:
                if why.errno not in REFUSED:
                    raise
        self.storm.pause(pause)
        client.close()

    @staticmethod
    def look(client, name):
        for found in client.dump(name):
            if found.get("drops", {}).get("checksum"):
                raise Surprise(f"bytes have changed on their way: {found}")
            if name == "lane-get" and found.get("peer", 0) not in (0,) + NODES:
                raise Surprise(f"a lane to nobody: {found}")


class Loader(Actor):
    """Unloads the module when all have closed their sockets, and loads it again."""

    def round(self, chance):
        first, pause = 2 + 4 * chance.random(), chance.random() / 5
        self.storm.pause(first * tap.SLOWNESS)
        if self.storm.over():
            return
        with self.storm.away():
            patiently(hbcnl.unload_module, "the module is in use for ever")
            time.sleep(pause)
            hbcnl.load_module()
        restore_all()
