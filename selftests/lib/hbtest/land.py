# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a soak takes place: nodes whose links are as bad as links are, groups and plans."""

import collections
import subprocess

from hbtest import actors, hbcnl, node, tap
from hbtest.actors import PATIENCE, Guests, patiently
from hbtest.node import GROUP, KEY, Node, until

NODES = tuple(range(1, 9))
OTHER = GROUP + 1
DEAD_MS, STALL_MS = 2500 * tap.SLOWNESS, 5000 * tap.SLOWNESS
# Who speaks in which group: one root has plans in both, and one group three roots.
Talk = collections.namedtuple("Talk", "group root")
TALKS = (Talk(GROUP, 1), Talk(GROUP, 2), Talk(OTHER, 3), Talk(OTHER, 1))
# Short messages to the one port are heard in their order, all that is said to the other in
# pieces, which come as they come; to the third one when nothing else goes on. Files come to
# those from the fourth on, one of each node.
ORDERED, PIECES, CALM = PORTS = (7, 8, 9)
KEPT = 10
RATE = (4 << 20) // tap.SLOWNESS	# bytes/s of a tree, as a plan says
BLACK_HOLE = "loss 100%"
FAST = 80	# Mbit/s of a link


def queues(where, **links):
    """What these links of a namespace do to packets; None: nothing."""
    lines = [f"qdisc replace dev {link} root netem {what}" if what else
             f"qdisc del dev {link} root" for link, what in links.items()]
    subprocess.run(["tc", "-n", where, "-batch", "-"], check=True, text=True,
                   input="\n".join(lines))


def bad_link(chance):
    """What the usual link does: it delays, loses, reorders, doubles and spoils some."""
    return (f"delay {chance.uniform(0.2, 4):.2f}ms {chance.uniform(0, 1):.2f}ms "
            f"loss {chance.uniform(0, 0.6):.2f}% reorder {chance.uniform(0, 3):.2f}% "
            f"duplicate {chance.uniform(0, 1):.2f}% corrupt {chance.uniform(0, 0.3):.2f}% "
            f"limit 2000 rate {FAST}mbit")


class Place(Node):
    """A node that takes part in both groups; its neighbours cannot be told otherwise by
    a packet that was spoilt."""

    def __init__(self, number):
        super().__init__(number, dead_ms=DEAD_MS, stall_ms=STALL_MS)
        node.ip_batch(*(f"neigh replace 10.9.0.{other} lladdr 02:00:00:00:00:{other:02x} "
                        "dev eth0 nud permanent" for other in NODES if other != number),
                      where=("-n", f"n{number}"))
        for other in NODES:
            if other != number:
                self.client.do("peer-new", id=other, ipv4=f"10.9.0.{other}")

    def join(self):
        super().join()
        self.client.do("group-new", id=OTHER, key=KEY, **self.group)

    def tell(self):
        """All that there is, for whoever looks for the reason."""
        print(f"# node {self.number}: {self.info()}")
        for name in "group-get", "plan-get", "lane-get", "message-get":
            print(f"# node {self.number}: {name}: {self.client.dump(name)}")


class Land:
    """All nodes, and the plan of each talk as it was applied last."""

    def __init__(self, chance):
        node.switch()
        node.ip_batch("link add split type bridge", "link set split up",
                      where=("-n", "switch"))
        self.links = {number: (bad_link(chance), bad_link(chance)) for number in NODES}
        self.nodes = {}
        self.plans = {}
        self.epochs = {}
        for number in NODES:
            self.make(number)
        for talk in TALKS:
            self.apply(talk, chance)

    def make(self, number):
        self.nodes[number] = Place(number)
        self.weather(number, *self.links[number])

    @staticmethod
    def weather(number, to, back):
        """What happens to packets to that node and from it."""
        queues("switch", **{f"p{number}": to})
        queues(f"n{number}", eth0=back)

    def remake(self, number, chance):
        """Its namespace goes, and another one comes, which knows nothing."""
        self.nodes.pop(number).forget()
        Guests.unplug(number)
        node.ip("netns", "del", f"n{number}")
        patiently(lambda: Guests.unplug(number), f"the link of n{number} does not go")
        yield
        self.make(number)
        for talk in TALKS:
            if talk.root == number:
                self.apply(talk, chance)

    @staticmethod
    def trees(talk, chance):
        """One tree, several, or some that reach only a part of the nodes."""
        kind = chance.choice(("one", "several", "parts"))
        count = 1 if kind == "one" else chance.randrange(2, 4)
        for slot in range(count):
            some = NODES
            if kind == "parts" and slot:
                some = {talk.root, *chance.sample(NODES, chance.randrange(3, 7))}
            yield (chance.choice((0, RATE // 4, RATE)),
                   [(edge["parent"], edge["child"])
                    for edge in actors.random_tree(chance, talk.root, sorted(some))])

    def apply(self, talk, chance):
        """A new plan for the talk; refused while there are too many old ones."""
        rates_and_trees = list(self.trees(talk, chance))
        # Rates of all trees, or of none.
        rates = [rate if rates_and_trees[0][0] else 0 for rate, _ in rates_and_trees]
        trees = [(max(rate, RATE // 4) if any(rates) else 0, tree)
                 for rate, (_, tree) in zip(rates, rates_and_trees)]
        if talk.root not in self.nodes:
            return False
        try:
            self.epochs[talk] = self.nodes[talk.root].apply_trees(
                *trees, wait=False, strict=False, group=talk.group)
        except hbcnl.Refused as why:
            if why.errno not in actors.REFUSED:
                raise
            return False
        self.plans[talk] = [tree for _, tree in trees]
        return True

    def ready(self, talk):
        return self.nodes[talk.root].ready(self.epochs[talk], talk.group)

    def broadcast(self, talk, data):
        """Whether it arrives everywhere when nothing hinders it; what its sender was told."""
        root = self.nodes[talk.root]
        receivers = {number: each.receiver(CALM, group=talk.group)
                     for number, each in self.nodes.items() if number != talk.root}
        readers = {number: node.Reader(sock) for number, sock in receivers.items()}
        sender = root.sender(CALM, talk.group)
        sender.send(data)
        try:
            node.wait_complete(sender, PATIENCE)
            known = node.completion(sender)
            good = known == dict.fromkeys(readers, "delivered") and all(
                reader.result() == "whole" and reader.got == data
                for reader in readers.values())
        except TimeoutError:
            good, known = False, {}
        finally:
            for sock in sender, *receivers.values():
                sock.shutdown(2)
            for reader in readers.values():
                reader.join()
            for sock in sender, *receivers.values():
                sock.close()
        return good, known

    def leave(self):
        """The module goes while lanes are up."""
        for each in self.nodes.values():
            each.forget()
        return until(PATIENCE, hbcnl.unload_module)
