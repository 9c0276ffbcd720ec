#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300 6.1
"""Requests over netlink: what is asked for well, and badly in every way."""

import errno
import os
import random
import re
import struct

from hbtest import hbcnl, tap
from hbtest.hbcnl import as_nobody, fine, refused

KEY = bytes(range(32))
PORT = 7310
GARBAGE = 4000 // tap.SLOWNESS

spec = hbcnl.Spec()


def good_values():
    """For each operation that takes attributes, a request that has them all."""
    node = {"id": 9, "ipv4": "127.0.0.9", "port": 7}
    group = {"id": 5, "key": KEY, "uid": 0, "gid": 0, "mode": 0o600, "dead_ms": 1000,
             "stall_ms": 1000, "window": 1 << 20, "max_nodes": 9, "spool": 1 << 20,
             "member": 1}
    edge = {"parent": 1, "child": 2, "rate": 0}
    return {
        "node-set": node, "peer-new": node, "peer-del": {"id": 9}, "peer-get": {"id": 9},
        "group-new": group, "group-set": group | {"any_member": True},
        "group-del": {"id": 5}, "group-get": {"id": 5}, "plan-begin": {"group": 5},
        "plan-tree": {"group": 5, "slot": 0, "rate": 1, "edge": edge},
        "plan-commit": {"group": 5, "dry_run": True},
        "plan-del": {"group": 5}, "plan-get": {"group": 5, "root": 1},
        "lane-get": {"id": 1}, "message-get": {"group": 5, "id": 1},
    }


SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "flag": 0}


def bad_payloads(kind):
    """Payloads that this kind of attribute must not have."""
    if kind["type"] == "nest":
        return [b"\0\0\0"]
    if kind["type"] == "binary":
        exact = kind.get("checks", {}).get("exact-len")
        return [bytes(n) for n in ((exact - 1, exact + 1) if exact else (0, 15, 65))]
    size = SIZES[kind["type"]]
    bad = [bytes(size + 1), bytes(60000)]
    if size:
        bad += [b"", bytes(size - 1)]
    checks = kind.get("checks", {})
    limits = [(checks[name], step) for name, step in (("min", -1), ("max", 1)) if name in checks]
    for limit, step in limits:
        value = spec.consts.get(limit, limit) + step
        bad.append(value.to_bytes(size, "little"))
    return bad


def one_bad(client, operation, good, name):
    """The attribute with every bad payload: how many were let in."""
    kind = spec.operation(operation)["attribute-set"]
    number = spec.number(kind, name)
    rest = {key: value for key, value in good.items() if key != name.replace("-", "_")}
    let_in = 0
    for payload in bad_payloads(spec.sets[kind][name]):
        try:
            client.do(operation, hbcnl.attr(number, payload), **rest)
        except hbcnl.Refused as why:
            if why.errno in (errno.EINVAL, errno.ERANGE) and why.text:
                continue
            print(f"# {operation} {name} {payload[:16]!r}: {why}")
        let_in += 1
    return let_in


def test_bad_attributes(client):
    for operation, good in good_values().items():
        kind = spec.operation(operation)["attribute-set"]
        names = spec.operation(operation)["do"]["request"]["attributes"]
        let_in = sum(one_bad(client, operation, good, name) for name in names
                     if name != "ipv6")
        tap.equal(let_in, 0, f"{operation}: no bad payload of any attribute gets in")
        count = len(spec.sets[kind])
        for number in 0, count + 1, 200:
            refused(f"{operation}: attribute {number} is unknown", errno.EINVAL, ".", client.do,
                    operation, hbcnl.attr(number, bytes(4)), **good)
        for name in set(spec.sets[kind]) - set(names):
            refused(f"{operation}: {name} has no place there", errno.EINVAL, ".", client.do,
                    operation, hbcnl.attr(spec.number(kind, name), bytes(4)), **good)


def test_missing_attributes(client):
    needed = {"node-set": ["id"], "peer-new": ["id"], "peer-del": ["id"], "peer-get": ["id"],
              "group-new": ["id", "key"], "group-set": ["id"], "group-del": ["id"],
              "group-get": ["id"], "plan-begin": ["group"], "plan-tree": ["group", "slot"],
              "plan-commit": ["group"], "plan-del": ["group"],
              "plan-get": ["group"], "lane-get": ["id"], "message-get": ["group", "id"]}
    for operation, good in good_values().items():
        for name in needed[operation]:
            rest = {key: value for key, value in good.items() if key != name}
            refused(f"{operation} needs {name}", errno.EINVAL, f"^{name} is needed$",
                    client.do, operation, **rest)
    refused("node-set needs an address", errno.EINVAL, "ipv4 or ipv6", client.do,
            "node-set", id=1)
    refused("node-set takes one address", errno.EINVAL, "either", client.do,
            "node-set", id=1, ipv4="127.0.0.1", ipv6=bytes(15) + b"\1")
    for operation in "version-get", "node-del", "node-get":
        for number in 1, 2, 100:
            refused(f"{operation} takes no attribute {number}", errno.EINVAL, ".", client.do,
                    operation, hbcnl.attr(number, bytes(4)))


def test_malformed(client):
    for text, payload in (("shorter than its header", struct.pack("=HH", 3, 2)),
                          ("longer than the message", struct.pack("=HH", 400, 2)),
                          ("cut off", b"\1")):
        refused(f"an attribute {text}", errno.EINVAL, "", client.do, "peer-del", payload)
    for number in 0, spec.command("event"), 1 + len(spec.operations), 255:
        try:
            client.raw(client.family, number, b"")
            tap.check(False, f"command {number} was not refused")
        except hbcnl.Refused as why:
            tap.equal(why.errno, errno.EOPNOTSUPP, f"there is no command {number}")
    client.sock.send(client.message(client.family, spec.command("version-get"), b"",
                                    hbcnl.NLM_F_ACK, reserved=1))
    kind, flags, _, body = next(client.receive())
    refused("a header with a bit that means nothing", errno.EINVAL, ".", client.error, kind,
            flags, body)
    refused("a dump with an attribute", errno.EINVAL, "dump takes no attributes", client.dump,
            "group-get", spec.attributes("group", id=1))
    refused("a dump of what has none", errno.EOPNOTSUPP, "", client.dump, "version-get")


def test_version(client):
    version = client.do("version-get")
    tap.check(re.fullmatch(r"\d+\.\d+\.\d+", version["module"]), "the module has a version")
    tap.equal(version["interface"], spec.consts["interface-version"], "and the interface")
    tap.check(version["wire"] > 0, "and the frames")


def count_unprivileged():
    """How many operations do not treat somebody without rights as they should."""
    client = hbcnl.Client(spec)
    wrong = 0
    for operation in spec.operations:
        if "do" not in operation:
            continue
        name = operation["name"]
        try:
            client.do(name, **good_values().get(name, {}))
            number = 0
        except hbcnl.Refused as why:
            number = why.errno
        if (number == errno.EPERM) != (not name.endswith("-get")):
            print(f"# {name}: {os.strerror(number)}", flush=True)
            wrong += 1
    return wrong


def test_node(client):
    refused("there is no node at first", errno.ENODEV, "no node", client.do, "node-get")
    refused("and none to be taken down", errno.ENODEV, "no node", client.do, "node-del")
    for address, text in (("0.0.0.0", "any"), ("224.0.0.1", "multicast"),
                          ("255.255.255.255", "broadcast")):
        refused(f"the {text} address is no node's", errno.EINVAL, "reach", client.do,
                "node-set", id=1, ipv4=address)
    for address, text in ((bytes(16), "any"), (b"\xff\2" + bytes(13) + b"\1", "multicast"),
                          (b"\xfe\x80" + bytes(13) + b"\1", "link-local"),
                          (bytes(10) + b"\xff\xff\x7f\0\0\1", "mapped")):
        refused(f"the {text} IPv6 address is no node's", errno.EINVAL, "reach", client.do,
                "node-set", id=1, ipv6=address)
    refused("an address of nobody here", errno.EADDRNOTAVAIL, "none of this namespace's",
            client.do, "node-set", id=1, ipv4="192.0.2.1")
    fine("a node over IPv6", client.do, "node-set", id=1, ipv6=bytes(15) + b"\1")
    tap.equal(client.do("node-get").get("ipv6"), bytes(15) + b"\1", "its address")
    fine("it is taken down", client.do, "node-del")
    fine("a node over IPv4", client.do, "node-set", id=1, ipv4="127.0.0.1", port=99)
    fine("the same again", client.do, "node-set", id=1, ipv4="127.0.0.1", port=99)
    refused("another port", errno.EEXIST, "another node", client.do, "node-set", id=1,
            ipv4="127.0.0.1")
    refused("another id", errno.EEXIST, "another node", client.do, "node-set", id=2,
            ipv4="127.0.0.1", port=99)
    tap.equal(client.do("node-get"),
              {"id": 1, "ipv4": "127.0.0.1", "port": 99, "lanes": 0, "half-open": 0,
               "groups": 0, "peers": 0}, "the node as it was set")
    fine("it is taken down", client.do, "node-del")
    busy = hbcnl.socket.create_server(("127.0.0.1", PORT))
    refused("a port that is taken", errno.EADDRINUSE, "something else listens", client.do,
            "node-set", id=1, ipv4="127.0.0.1")
    busy.close()
    fine("the port is the default one", client.do, "node-set", id=1, ipv4="127.0.0.1")
    tap.equal(client.do("node-get")["port"], PORT, "which is 7310")


def test_peers(client):
    refused("a peer with the node's own id", errno.EINVAL, "own id", client.do, "peer-new",
            id=1, ipv4="127.0.0.2")
    refused("a peer that nobody reaches", errno.EINVAL, "reach", client.do, "peer-new",
            id=2, ipv4="0.0.0.0")
    refused("a peer that is not there", errno.ENOENT, "no such peer", client.do, "peer-get",
            id=2)
    refused("nor can it be deleted", errno.ENOENT, "no such peer", client.do, "peer-del", id=2)
    for peer in 30, 2, 4294967295, 7:
        client.do("peer-new", id=peer, ipv4="127.0.0.2", port=5)
    tap.equal([p["id"] for p in client.dump("peer-get")], [2, 7, 30, 4294967295],
              "peers come by ascending id")
    tap.equal(client.do("peer-get", id=7), {"id": 7, "ipv4": "127.0.0.2", "port": 5},
              "one of them")
    fine("the same again", client.do, "peer-new", id=7, ipv4="127.0.0.2", port=5)
    refused("another address", errno.EEXIST, "another address", client.do, "peer-new", id=7,
            ipv4="127.0.0.3", port=5)
    fine("deleted", client.do, "peer-del", id=30)
    fine("and another", client.do, "peer-del", id=4294967295)
    tap.equal(client.do("node-get")["peers"], 2, "two are left")


def test_groups(client):
    for length in 0, 15, 65, 4000:
        refused(f"a key of {length} bytes", errno.EINVAL, "16 to 64 bytes", client.do,
                "group-new", id=5, key=bytes(length))
    refused("a mode beside 0666", errno.EINVAL, "0666", client.do, "group-new", id=5, key=KEY,
            mode=0o111)
    refused("a member twice", errno.EINVAL, "twice", client.do, "group-new", id=5, key=KEY,
            member=[1, 3, 1])
    refused("members without this node", errno.EINVAL, "not among the members", client.do,
            "group-new", id=5, key=KEY, member=[3])
    refused("too many members", errno.E2BIG, "4096", client.do, "group-new", id=5, key=KEY,
            member=list(range(1, 4098)))
    refused("no such group", errno.ENOENT, "add the group", client.do, "group-get", id=5)
    fine("a group", client.do, "group-new", id=5, key=KEY)
    refused("the same again", errno.EEXIST, "already", client.do, "group-new", id=5, key=KEY)
    drops = dict.fromkeys(("stale", "twice", "no-receiver", "checksum", "stalled", "no-memory",
                           "spool"), 0)
    group = {"id": 5, "uid": 0, "gid": 0, "mode": 0o600, "dead-ms": 5000, "stall-ms": 10000,
             "window": 4 << 20, "max-nodes": 4096, "spool": 1 << 30, "members": 0, "receivers": 0, "drops": drops,
             "probe": 1, "probe-rate": 0, "probe-total": 0, "probed": 0}
    tap.equal(client.do("group-get", id=5), group, "defaults, and no key")
    fine("a change", client.do, "group-set", id=5, key=bytes(64), uid=7, dead_ms=200,
         member=[9, 1], probe=0, probe_rate=5000, probe_total=1 << 40)
    group |= {"uid": 7, "dead-ms": 200, "members": 2, "member": [1, 9], "probe": 0,
              "probe-rate": 5000, "probe-total": 1 << 40}
    tap.equal(client.do("group-get", id=5), group, "what was given has changed")
    refused("a change with a bad part", errno.EINVAL, "0666", client.do, "group-set", id=5,
            gid=8, mode=0o100)
    refused("members and any member", errno.EINVAL, "either", client.do, "group-set", id=5,
            member=[1], any_member=True)
    tap.equal(client.do("group-get", id=5), group, "changed nothing")
    fine("any member", client.do, "group-set", id=5, any_member=True)
    tap.equal(client.do("group-get", id=5)["members"], 0, "now there is no list")
    many = list(range(1, 4097))
    fine("a large group", client.do, "group-new", id=4294967295, key=KEY, member=many)
    tap.equal(client.do("group-get", id=4294967295)["member"], many, "all at once")
    parts = client.dump("group-get")
    tap.check(len(parts) > 2, "in a dump it takes several messages")
    tap.equal(sum((p.get("member", []) for p in parts if p["id"] == 4294967295), []), many,
              "which hold it all")
    fine("it goes", client.do, "group-del", id=4294967295)
    refused("and is gone", errno.ENOENT, "add the group", client.do, "group-del",
            id=4294967295)


def own_namespace():
    """Somebody without rights, where he is root: how much is not as it should be."""
    hbcnl.new_userns()
    client, listener = hbcnl.Client(spec), hbcnl.Client(spec)
    listener.listen()
    client.do("node-set", id=1, ipv4="127.0.0.1")
    listener.event(type="node-up")
    client.do("group-new", id=1, key=KEY)
    client.do("group-new", id=2, key=KEY, uid=0, gid=0)
    wrong = sum(client.do("group-get", id=group)[owner] != 0
                for group in (1, 2) for owner in ("uid", "gid"))
    for owner in "uid", "gid":
        try:
            client.do("group-set", id=1, **{owner: 65534})
            wrong += 1
        except hbcnl.Refused as why:
            wrong += why.errno != errno.EINVAL or "no meaning" not in why.text
    client.do("node-del")
    return wrong


def listen_unprivileged():
    try:
        hbcnl.Client(spec).listen()
    except PermissionError:
        return 0
    return 1


def test_permission():
    tap.equal(as_nobody(count_unprivileged), 0,
              "without rights only the gets work")
    tap.equal(as_nobody(listen_unprivileged), 0, "and no events come")
    tap.equal(as_nobody(own_namespace), 0, "where one is root, all works")


def garbage(rand):
    """A request of random attributes, some with good numbers and lengths."""
    payload = b""
    for _ in range(rand.randrange(6)):
        data = rand.randbytes(rand.choice((0, 1, 2, 4, 4, 4, 8, 16, 32, 100)))
        if rand.random() < 0.3:
            data = hbcnl.attr(rand.randrange(5), data) + rand.randbytes(rand.randrange(9))
        payload += hbcnl.attr(rand.randrange(16) | rand.choice((0, 0, hbcnl.NLA_F_NESTED)),
                              data)
    return payload[:len(payload) - rand.choice((0, 0, 0, 1, 4))]


def test_garbage(client):
    rand = random.Random(1)
    answers = {}
    for _ in range(GARBAGE):
        flags = rand.choice((hbcnl.NLM_F_ACK, hbcnl.NLM_F_ACK, hbcnl.NLM_F_DUMP))
        client.send(client.family, rand.randrange(1, 1 + len(spec.operations)), garbage(rand), flags)
        end = False
        while not end:
            for kind, _, seq, body in client.receive():
                if seq == client.seq and kind in (hbcnl.NLMSG_ERROR, hbcnl.NLMSG_DONE):
                    number = int.from_bytes(body[:4], "little", signed=True)
                    answers[number] = answers.get(number, 0) + 1
                    end = True
    print(f"# {answers}")
    tap.equal(sum(answers.values()), GARBAGE, "every piece of garbage is answered")
    tap.check(answers.get(-errno.EINVAL, 0) > GARBAGE / 4, "mostly refused")
    test_version(client)


def main():
    hbcnl.load_module()
    hbcnl.new_netns()
    client = hbcnl.Client(spec)
    test_version(client)
    test_permission()
    test_malformed(client)
    test_missing_attributes(client)
    test_node(client)
    test_peers(client)
    test_groups(client)
    test_missing_attributes(client)
    test_bad_attributes(client)
    test_garbage(client)
    tap.done()


if __name__ == "__main__":
    main()
