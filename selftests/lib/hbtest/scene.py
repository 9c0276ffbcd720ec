# SPDX-License-Identifier: GPL-2.0-or-later
"""Three honest nodes in a chain, and an attacker beside them."""

from hbtest import hbcnl, node, tap
from hbtest.node import Node, until

# Within these seconds nothing must be left of an attack.
SECONDS = 20 * tap.SLOWNESS
EVIL = 9	# the attacker's namespace, and the id that it gives itself


class Scene:
    """Nodes 1, 2 and 3 with the first one's plan; node 2 is the victim."""

    def __init__(self, **group):
        node.switch()
        self.nodes = [Node(number, **group) for number in (1, 2, 3)]
        node.plug(EVIL)
        self.root, self.victim, self.leaf = self.nodes
        self.root.know(self.nodes)
        self.root.apply((1, 2), (2, 3))
        self.sender = self.root.sender()
        self.readers = [self.victim.receiver(), self.leaf.receiver()]
        self.lanes = self.victim.info()["lanes"]
        self.count = 0
        self.near = self.far = None

    def hear(self, port):
        """Receivers at another port than the honest broadcasts', near the attacker and
        behind the victim."""
        self.near, self.far = self.victim.receiver(port), self.leaf.receiver(port)

    def end(self):
        """The module goes while lanes are up."""
        for sock in self.readers + [self.sender, self.near, self.far]:
            if sock:
                sock.close()
        tap.check(until(SECONDS, hbcnl.unload_module), "the module unloads")
        with open("/proc/slabinfo", encoding="ascii") as file:
            tap.check("HBCAST" not in file.read(), "and its slab is gone")

    def attack(self, to=None):
        """A connection to the victim."""
        return node.knock(EVIL, (to or self.victim).number, timeout=15)

    def honest(self):
        """A broadcast from the root arrives at all members."""
        self.count += 1
        data = (b"%d honest " % self.count) * 3000
        self.sender.send(data)
        for reader in self.readers:
            if node.take_all(reader) != data:
                return False
        node.wait_complete(self.sender, 20)
        return set(node.completion(self.sender).values()) == {"delivered"}

    def quiet(self):
        """Nothing of the attacker is left at the victim."""
        def back():
            info = self.victim.info()
            return (info["lanes"], info["half-open"]) == (self.lanes, 0)
        return until(SECONDS, back)

    def well(self, what):
        """After an attack."""
        quiet = self.quiet()
        if not quiet:
            print(f"# left: {self.victim.info()} {self.victim.client.dump('lane-get')}")
        tap.check(quiet and self.honest(), f"{what}: all is well afterwards")
