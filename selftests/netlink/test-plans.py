#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Uploads of plans: what is a tree, what is not, and who may upload when."""

import errno
import random
import re
import time

from hbtest import hbcnl, tap
from hbtest.hbcnl import fine, refused

KEY = bytes(range(32))
GROUP, OPEN = 5, 6	# members 1 to 6; no list
MEMBERS = 6
PEERS = 4200
DEEPEST = 512

spec = hbcnl.Spec()


def edges(*pairs):
    return [{"parent": parent, "child": child} for parent, child in pairs]


STAR = edges(*((1, child) for child in range(2, MEMBERS + 1)))
CHAIN = edges(*((node, node + 1) for node in range(1, MEMBERS)))


def upload(client, tree, group=GROUP, step=1000, **values):
    """A whole upload; returns what the commit answers."""
    client.do("plan-begin", group=group)
    for i in range(0, max(len(tree), 1), step):
        client.do("plan-tree", group=group, slot=0, edge=tree[i:i + step], **values)
    return client.do("plan-commit", group=group)


def no_tree(client, name, tree, sentence, group=GROUP, number=errno.EINVAL):
    refused(name, number, sentence, upload, client, tree, group=group)


def test_refused(client):
    no_tree(client, "no edges", [], "^the plan has no edges$")
    no_tree(client, "a cycle beside the tree", edges((1, 2), (3, 4), (4, 5), (5, 3), (1, 6)),
            "^the edges into node [345] and above it go round in a circle$")
    no_tree(client, "something below a cycle", edges((1, 6), (2, 3), (3, 2), (3, 4), (4, 5)),
            "^the edges into node [23] and above it go round in a circle$")
    no_tree(client, "an edge from a node to itself", STAR[1:] + edges((2, 2)),
            "^the edges into node 2 and above it go round in a circle$")
    no_tree(client, "a node with two parents", STAR + edges((3, 4)),
            "^node 4 has two parents, 1 and 3$")
    no_tree(client, "an edge twice", STAR + STAR[:1], "^node 2 has two parents, 1 and 1$")
    no_tree(client, "an edge to the root", CHAIN + edges((6, 1)),
            "^this node, 1, is the root and nobody's child$")
    no_tree(client, "a parent without a parent", STAR[:-1] + edges((7, 6)),
            "^node 7 has a child, 6, but no parent$")
    no_tree(client, "another root", edges((2, 3), (2, 4)), "^node 2 has a child, ., but no parent$")
    no_tree(client, "a node that is no peer", STAR + edges((1, 9999)),
            "^node 9999 is no peer of this node; add it first$")
    no_tree(client, "a node that is no member", STAR + edges((2, 7)),
            "^node 7 is no member of the group$")
    no_tree(client, "a member that is missing", STAR[:-1], "^member 6 is missing from the tree$")
    no_tree(client, "a member that is missing in the middle", STAR[:2] + STAR[3:],
            "^member 4 is missing from the tree$")
    chain = edges(*((node, node + 1) for node in range(1, DEEPEST + 2)))
    no_tree(client, "a tree that is too deep", chain,
            "^node 514 is more than 512 edges below the root$", group=OPEN)
    no_tree(client, "too many nodes", edges(*((1, node) for node in range(2, 4098))),
            "^a plan has at most 4096 nodes$", group=OPEN, number=errno.E2BIG)
    refused("none of them changed anything", errno.ENOENT, "knows no such plan", client.do,
            "plan-get", group=GROUP)
    tap.equal(client.dump("plan-get"), [], "and the dump is empty")


def test_upload_refused(client):
    refused("an edge before the upload", errno.ENOENT, "no upload", client.do, "plan-tree",
            group=GROUP, slot=0)
    refused("a commit before the upload", errno.ENOENT, "no upload", client.do, "plan-commit",
            group=GROUP)
    refused("an upload for a group that is not there", errno.ENOENT, "add the group",
            client.do, "plan-begin", group=77)
    fine("an upload begins", client.do, "plan-begin", group=GROUP)
    refused("a slot that no plan has", errno.ERANGE, ".", client.do, "plan-tree",
            group=GROUP, slot=64, edge=STAR)
    for text, edge in (("no child", {"parent": 1}), ("no parent", {"child": 2})):
        refused(f"an edge with {text}", errno.EINVAL, "parent and child", client.do,
                "plan-tree", group=GROUP, slot=0, edge=STAR + [edge])
    for text, payload in (("no attributes", b""), ("a short child", b"\6\0\3\0\2\0\0\0"),
                          ("a child 0", spec.attributes("edge", parent=1, child=0)),
                          ("an unknown attribute", spec.attributes("edge", parent=1, child=2) +
                           hbcnl.attr(9, bytes(4))),
                          ("a long rate", spec.attributes("edge", parent=1, child=2) +
                           hbcnl.attr(spec.number("edge", "rate"), bytes(12)))):
        number = spec.number("plan", "edge") | hbcnl.NLA_F_NESTED
        refused(f"an edge with {text}", (errno.EINVAL, errno.ERANGE), ".", client.do, "plan-tree",
                hbcnl.attr(number, payload), group=GROUP, slot=0)
    client.do("plan-tree", group=GROUP, slot=0, edge=STAR)
    tap.equal(client.do("plan-commit", group=GROUP, dry_run=True)["epoch"], 1,
              "what was refused left no edges behind")
    fine("it begins anew", client.do, "plan-begin", group=GROUP)
    refused("without the edges that it had", errno.EINVAL, "^the plan has no edges$", client.do,
            "plan-commit", group=GROUP, dry_run=True)
    refused("what is forwarded, unknown", errno.ERANGE, ".", client.do, "plan-begin",
            hbcnl.attr(spec.number("plan", "forward"), b"\2\0\0\0"), group=GROUP)
    client.do("plan-begin", group=GROUP, forward="message")
    refused("whole messages along a second tree", errno.EINVAL, "has one tree, in slot 0",
            client.do, "plan-tree", group=GROUP, slot=1, edge=STAR)
    refused("a commit of nothing", errno.EINVAL, "has no edges", client.do, "plan-commit",
            group=GROUP)
    refused("which is over then", errno.ENOENT, "no upload", client.do, "plan-commit",
            group=GROUP)


def test_batch(client):
    """All of an upload in one datagram, small and larger than a page."""
    for size, times, sentence in (
            (3, 100, "^member 4 is missing from the tree$"),
            (2000, 20 // tap.SLOWNESS, "^(node 7 is no member of the group|refused; ask in a "
             "message of its own to be told why)$")):
        tree = edges(*((1, child) for child in range(2, size + 1)))
        for _ in range(times):
            why = client.batch(("plan-begin", {"group": GROUP}),
                               ("plan-tree", {"group": GROUP, "slot": 0, "edge": tree}),
                               ("plan-commit", {"group": GROUP}))
        tap.check(why and re.search(sentence, why.text), f"{size} nodes at once: {why}")


def test_accepted(client):
    client.do("plan-begin", group=GROUP)
    for edge in CHAIN:
        client.do("plan-tree", group=GROUP, slot=0, rate=1000, edge=edge)
    would = {"group": GROUP, "epoch": 1, "changed": True}
    tap.equal(client.do("plan-commit", group=GROUP, dry_run=True), would, "a dry run says what")
    refused("but changes nothing", errno.ENOENT, "knows no such plan", client.do, "plan-get",
            group=GROUP)
    tap.equal(client.do("plan-commit", group=GROUP), would, "the commit says the same")
    refused("and ends the upload", errno.ENOENT, "no upload", client.do, "plan-commit",
            group=GROUP)
    plan = client.do("plan-get", group=GROUP)
    tap.equal(plan, {"group": GROUP, "root": 1, "epoch": 1, "slot": 0, "forward": "packet",
                     "nodes": MEMBERS},
              "it is there, but not ready")
    tap.equal(client.do("plan-get", group=GROUP, root=1), plan, "also by its root")
    refused("another root has none", errno.ENOENT, "knows no such plan", client.do, "plan-get",
            group=GROUP, root=2)
    plan["edge"] = [edge | {"rate": 1000} for edge in CHAIN]
    plan["child"] = [{"node": 2, "nodes": MEMBERS - 1}]
    tap.equal(client.dump("plan-get"), [plan], "the dump has the edges and this node's child")
    same = {"group": GROUP, "epoch": 1}
    tap.equal(upload(client, CHAIN, rate=1000), same, "the same again changes nothing")
    tap.equal(upload(client, CHAIN[::-1], rate=1000), same, "nor does another order of the edges")
    tap.equal(upload(client, CHAIN, rate=1001), same | {"epoch": 2, "changed": True},
              "another rate does")
    tap.equal(upload(client, STAR), same | {"epoch": 3, "changed": True}, "another tree does")
    tap.equal(upload(client, STAR[::-1]), same | {"epoch": 4, "changed": True},
              "another order of a parent's children does")
    tap.equal([edge["child"] for part in client.dump("plan-get") for edge in part["edge"]
               if part["epoch"] == 4], [6, 5, 4, 3, 2], "the children are in that order")
    fine("the plan goes", client.do, "plan-del", group=GROUP)
    refused("and is gone", errno.ENOENT, "knows no such plan", client.do, "plan-del",
            group=GROUP)


def upload_trees(client, *trees, group=GROUP):
    """One tree for each slot, from 0 on."""
    client.do("plan-begin", group=group)
    for slot, tree in enumerate(trees):
        client.do("plan-tree", group=group, slot=slot, edge=tree, rate=1000 + slot)
    return client.do("plan-commit", group=group)


def test_trees(client):
    def bad(name, sentence, *trees):
        refused(name, errno.EINVAL, sentence, upload_trees, client, *trees)

    bad("no first tree", "^the plan has no edges$", [], CHAIN)
    bad("a first tree without a node", "^member 4 is missing from the tree$",
        STAR[:2] + STAR[3:], STAR)
    bad("a third tree with another node", "^slot 2: node 7 is not in slot 0, which must have all$",
        STAR, CHAIN, CHAIN + edges((6, 7)))
    bad("a second tree that is none", "^slot 1: node 4 has two parents, 1 and 3$",
        STAR, STAR + edges((3, 4)))
    bad("the longest sentence",
        "^slot 1: the edges into node [45] and above it go round in a circle$",
        STAR, STAR[:2] + edges((4, 5), (5, 4), (1, 6)))
    tap.equal(client.dump("plan-get"), [], "none of them changed anything")
    many = [STAR, CHAIN] * 32
    same = {"group": GROUP, "epoch": 1}
    tap.equal(upload_trees(client, *many), same | {"changed": True}, "64 trees")
    found = [(part["epoch"], part["slot"], edge) for part in client.dump("plan-get")
             for edge in part.get("edge", [])]
    tap.check(found == [(1, slot, edge | {"rate": 1000 + slot})
                        for slot, tree in enumerate(many) for edge in tree],
              "are all there, by slot")
    tap.equal(upload_trees(client, *many), same, "the same again changes nothing")
    tap.equal(upload_trees(client, *many[:-1]), same | {"epoch": 2, "changed": True},
              "one tree less does")
    tap.equal(upload_trees(client, *many), same | {"epoch": 3, "changed": True}, "or one more")
    tap.equal(upload_trees(client, *many[:-1], STAR), same | {"epoch": 4, "changed": True},
              "or another last one")
    tap.equal(client.do("plan-get", group=GROUP)["slot"], 0, "plan-get tells of the first tree")
    client.do("plan-del", group=GROUP)
    end = time.monotonic() + 20 * tap.SLOWNESS
    while client.dump("lane-get") and time.monotonic() < end:
        time.sleep(0.05)
    tap.equal(client.dump("lane-get"), [], "and all lanes go with the plan")
    fine("trees need not reach all", upload_trees, client, STAR, STAR[:1], STAR[1:3])
    client.do("plan-del", group=GROUP)


def random_tree(count):
    nodes = list(range(1, count + 1))
    random.shuffle(nodes)
    nodes.remove(1)
    reached, tree = [1], []
    for node in nodes:
        tree.append((random.choice(reached), node))
        reached.append(node)
    random.shuffle(tree)
    return tree


def preorder(tree):
    """The edges as the dump should list them."""
    children = {}
    for parent, child in tree:
        children.setdefault(parent, []).append(child)
    found, left = [], [(1, child) for child in reversed(children[1])]
    while left:
        parent, child = left.pop()
        found.append((parent, child))
        left += [(child, below) for below in reversed(children.get(child, []))]
    return found


def listed(client):
    return [(edge["parent"], edge["child"]) for part in client.dump("plan-get")
            for edge in part.get("edge", [])]


def test_large(client):
    for seed in range(5):
        random.seed(seed)
        tree = random_tree(1000)
        upload(client, edges(*tree), group=OPEN, step=333)
        tap.equal(listed(client), preorder(tree), f"random tree {seed} of 1000 nodes")
        client.do("plan-del", group=OPEN)
    deep = [(node, node + 1) for node in range(1, DEEPEST + 1)]
    fine("as deep as a tree can be", upload, client, edges(*deep), group=OPEN)
    tap.equal(listed(client), deep, "and it is listed")
    client.do("plan-del", group=OPEN)
    broad = [(1 + node // 10, node) for node in range(2, 4097)]
    fine("as many nodes as a plan can have", upload, client, edges(*broad), group=OPEN)
    tap.equal(sorted(listed(client)), sorted(broad), "and they are listed")
    client.do("plan-del", group=OPEN)


def test_uploads_at_once(client):
    other = hbcnl.Client(spec)
    for one, tree in ((client, CHAIN), (other, STAR)):
        one.do("plan-begin", group=GROUP)
        one.do("plan-tree", group=GROUP, slot=0, edge=tree[:3])
    for one, tree in ((client, CHAIN), (other, STAR)):
        one.do("plan-tree", group=GROUP, slot=0, edge=tree[3:])
    tap.equal(client.do("plan-commit", group=GROUP)["changed"], True, "one of two uploads")
    tap.equal(other.do("plan-commit", group=GROUP)["changed"], True, "and the other")
    tap.equal(listed(client)[-5:], [(1, child) for child in range(2, 7)], "the last one counts")
    other.close()
    client.do("plan-del", group=GROUP)


def test_uploads_abandoned():
    most = spec.consts["uploads-max"]
    for turn in range(3):
        clients = [hbcnl.Client(spec) for _ in range(most + 1)]
        for client in clients[:most]:
            client.do("plan-begin", group=GROUP)
        refused(f"upload {most + 1} at once, turn {turn}", errno.EBUSY, "too many uploads",
                clients[most].do, "plan-begin", group=GROUP)
        for client in clients:
            client.close()
    client = hbcnl.Client(spec)
    for _ in range(3 * most):
        client.do("plan-begin", group=GROUP)
    fine("uploads that are abandoned or begun anew make room", client.do, "plan-begin",
         group=GROUP)
    client.do("group-del", id=GROUP)
    client.do("group-new", id=GROUP, key=KEY)
    refused("they go with their group", errno.ENOENT, "no upload", client.do, "plan-commit",
            group=GROUP)
    client.close()


def main():
    hbcnl.load_module()
    hbcnl.new_netns()
    client = hbcnl.Client(spec)
    client.do("node-set", id=1, ipv4="127.0.0.1")
    for peer in range(2, PEERS):
        client.do("peer-new", id=peer, ipv4="127.0.0.2")
    client.do("group-new", id=GROUP, key=KEY, member=list(range(1, MEMBERS + 1)))
    client.do("group-new", id=OPEN, key=KEY)
    test_refused(client)
    test_upload_refused(client)
    test_batch(client)
    test_accepted(client)
    test_trees(client)
    test_large(client)
    test_uploads_at_once(client)
    test_uploads_abandoned()
    fine("the node goes with all that it has", client.do, "node-del")
    tap.done()


if __name__ == "__main__":
    main()
