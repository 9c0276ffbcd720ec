#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=200
"""What a root tells of each member in numbers is what its messages' senders were told."""

import collections
import errno
import socket

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until
from hbtest.trees import MIB, SECONDS, SO_SNDBUFFORCE

DEAD = 4
LATE = 5


class Books:
    """What was told of each message at its end, and what the root has."""

    def __init__(self, root):
        self.root = root
        self.told = collections.defaultdict(collections.Counter)

    def enter(self, sock):
        """The last message of that sender, when it is complete."""
        node.wait_complete(sock, SECONDS)
        for number, state in node.completion(sock).items():
            self.told[number][state] += 1
        return node.completion(sock)

    def account(self, number):
        return self.root.client.do("account-get", group=node.GROUP, node=number)

    def balance(self, what):
        """Whether both say the same, of all members and in all ways to ask."""
        rows = {row["node"]: row for row in self.root.client.dump("account-get")}
        good = sorted(rows) == sorted(self.told)
        for number, told in self.told.items():
            row = rows.get(number, {})
            failures = {reason: count for reason, count in row.get("failures", {}).items()
                        if count}
            found = failures | ({"delivered": row["delivered"]} if row.get("delivered") else {})
            if found != told or row.get("accepted") != told.total() or row != self.account(number):
                print(f"# node {number}: {row} of {dict(told)}")
                good = False
        tap.check(good, what)


def test_sums(books, members):
    """Messages of all sizes, with readers and without."""
    readers = [member.receiver() for member in members[:2]]
    sender = books.root.sender()
    for size in (0, 1, 1400, 100000) * 5:
        sender.send(bytes(size))
        for reader in readers:
            node.take_all(reader)
        books.enter(sender)
    tap.equal(books.told[members[2].number], {"no-receiver": 20}, "one has nobody who reads")
    books.balance("some have it and some not")
    for sock in [*readers, sender]:
        sock.close()


def test_closed(books, members):
    """A reader goes in the middle; a sender does before all has left."""
    sender = books.root.sender()
    sender.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 4 * MIB)
    reader = members[0].receiver()
    sender.send(bytes(2 * MIB))
    node.take(reader)
    reader.close()
    tap.equal(books.enter(sender)[members[0].number], "closed", "one closes in the middle")
    books.balance("that is told, too")
    sender.close()


def test_dead(books, members):
    """One is down, before a message and during one."""
    sender = books.root.sender()
    node.ip("-n", "switch", "link", "set", f"p{DEAD}", "down")
    books.root.listener.event(type="member-lost", group=node.GROUP)
    sender.send(bytes(1000))
    tap.equal(books.enter(sender)[DEAD], "node-dead", "one is dead from the beginning")
    books.balance("and counted as such")
    # No message was for it yet.
    books.root.know([members[-1]])
    books.root.apply((1, 2), (1, 3), (1, DEAD), (1, LATE), wait=False)
    tap.equal(books.account(LATE)["accepted"], 0, "a new member has had nothing")
    until(SECONDS, lambda: any(lane["peer"] == LATE and lane["state"] == "ready"
                               for lane in books.root.client.dump("lane-get")))
    sender.send(bytes(1000))
    books.enter(sender)
    books.balance("a new member begins with nothing")
    node.ip("-n", "switch", "link", "set", f"p{DEAD}", "up")
    books.root.listener.event(type="member-back", group=node.GROUP)
    sender.send(bytes(1000))
    books.enter(sender)
    books.balance("one comes back")
    sender.close()


def test_gone(books):
    """They outlive the plan, and end with the group."""
    before = books.root.client.dump("account-get")
    books.root.client.do("plan-del", group=node.GROUP)
    tap.equal(books.root.client.dump("account-get"), before, "the plan goes, and they stay")
    hbcnl.refused("one who was never there has none", errno.ENOENT, "has been in no plan",
                  books.account, 99)
    books.root.client.do("group-del", id=node.GROUP)
    tap.equal(books.root.client.dump("account-get"), [], "with the group they go")


def main():
    hbcnl.load_module()
    node.switch()
    nodes = [Node(number, dead_ms=1000 * tap.SLOWNESS) for number in range(1, LATE + 1)]
    for each in nodes:
        each.know(nodes[:DEAD])
    root, *members = nodes
    root.apply((1, 2), (2, 3), (1, DEAD))
    books = Books(root)
    test_sums(books, members)
    test_closed(books, members)
    test_dead(books, members)
    test_gone(books)
    for each in nodes:
        each.forget()
    tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
    tap.done()


if __name__ == "__main__":
    main()
