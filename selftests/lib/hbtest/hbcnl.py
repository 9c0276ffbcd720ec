# SPDX-License-Identifier: GPL-2.0-or-later
"""A raw generic netlink client for tests: says what no tool would say.

Numbers come from the spec, not from the generated header, so a header that
does not agree with the spec shows.
"""

import ctypes
import os
import re
import socket
import struct
import subprocess
from errno import EAGAIN

import yaml

from hbtest import tap

SPEC = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                    "../../../Documentation/netlink/specs/hbcast.yaml")

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_DUMPABLE = 4
NETLINK_GENERIC = 16
SOL_NETLINK = 270
NETLINK_ADD_MEMBERSHIP, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 1, 10, 11
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_DUMP = 0x1, 0x2, 0x4, 0x300
NLM_F_DUMP_INTR = 0x10
NLM_F_ACK_TLVS = 0x200
NLA_TYPE_MASK, NLA_F_NESTED = 0x3fff, 0x8000
ERROR_MSG, ERROR_OFFS, ERROR_MISS_TYPE = 1, 2, 5
GENL_CTRL, CTRL_GETFAMILY = 16, 3
CTRL_ID, CTRL_NAME, CTRL_MCAST = 1, 2, 7
MCAST_NAME, MCAST_ID = 1, 2

libc = ctypes.CDLL(None, use_errno=True)


def libc_call(function, *args):
    if function(*args) < 0:
        err = ctypes.get_errno()
        raise OSError(err, os.strerror(err))


def load_module():
    subprocess.run(["bash", "-c", ". selftests/lib/module.sh && load_hbcast"], check=True)


def unload_module():
    """Whether the module has gone; it stays while it is in use."""
    try:
        libc_call(libc.delete_module, b"hbcast", os.O_NONBLOCK)
    except OSError as why:
        if why.errno != EAGAIN:
            raise
        return False
    return True


def new_netns():
    """Puts this thread into a namespace of its own."""
    libc_call(libc.unshare, CLONE_NEWNET)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def new_userns():
    """Puts this process, which has no rights, where it is root."""
    uid, gid = os.getuid(), os.getgid()
    libc_call(libc.prctl, PR_SET_DUMPABLE, 1, 0, 0, 0)
    libc_call(libc.unshare, CLONE_NEWUSER | CLONE_NEWNET)
    for file, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"),
                       ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as out:
            out.write(text)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def as_nobody(what):
    """Calls what() in a child without any rights; what it returns, 0 to 255."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        os._exit(what())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def in_netns(name, what):
    """Calls what() with this thread in the namespace that ip-netns(8) has named."""
    with open("/proc/thread-self/ns/net", "rb") as home, \
         open(f"/run/netns/{name}", "rb") as there:
        libc_call(libc.setns, there.fileno(), CLONE_NEWNET)
        try:
            return what()
        finally:
            libc_call(libc.setns, home.fileno(), CLONE_NEWNET)


class Spec:
    """Names to numbers."""

    def __init__(self):
        with open(SPEC, encoding="utf-8") as file:
            self.yaml = yaml.load(file, Loader=yaml.CSafeLoader)
        self.operations = self.yaml["operations"]["list"]
        self.sets = {s["name"]: {a["name"]: a for a in s["attributes"]}
                     for s in self.yaml["attribute-sets"]}
        self.enums = {d["name"]: [e if isinstance(e, str) else e["name"]
                                  for e in d["entries"]]
                      for d in self.yaml["definitions"] if "entries" in d}
        self.consts = {d["name"]: d["value"] for d in self.yaml["definitions"]
                       if d["type"] == "const"}

    def command(self, name):
        return 1 + [op["name"] for op in self.operations].index(name)

    def operation(self, name):
        return next(op for op in self.operations if op["name"] == name)

    def number(self, attribute_set, name):
        return 1 + list(self.sets[attribute_set]).index(name)

    def attributes(self, attribute_set, **values):
        """Attributes by name, with _ for -; a list stands for one each."""
        return b"".join(self.attribute(attribute_set, name.replace("_", "-"), value)
                        for name, value in values.items())

    def attribute(self, attribute_set, name, value):
        if isinstance(value, list):
            return b"".join(self.attribute(attribute_set, name, one) for one in value)
        number = self.number(attribute_set, name)
        kind = self.sets[attribute_set][name]
        if isinstance(value, dict):
            return attr(number | NLA_F_NESTED,
                        self.attributes(kind["nested-attributes"], **value))
        if isinstance(value, bytes):
            return attr(number, value)
        if isinstance(value, bool):
            return attr(number, b"") if value else b""
        if "enum" in kind and isinstance(value, str):
            value = self.enums[kind["enum"]].index(value)
        if "byte-order" in kind:
            return attr(number, socket.inet_aton(value))
        return attr(number, struct.pack({"u8": "=B", "u16": "=H", "u32": "=I",
                                         "u64": "=Q"}[kind["type"]], value))

    def decode(self, attribute_set, data):
        """Attributes to a dictionary; those that may come often to lists."""
        names = list(self.sets[attribute_set])
        found = {}
        for number, payload in parse(data):
            name = names[number - 1]
            kind = self.sets[attribute_set][name]
            if kind["type"] == "pad":
                continue
            value = self.value(kind, payload)
            if kind.get("multi-attr"):
                found.setdefault(name, []).append(value)
            else:
                found[name] = value
        return found

    def value(self, kind, payload):
        if kind["type"] == "nest":
            return self.decode(kind["nested-attributes"], payload)
        if kind["type"] == "string":
            return payload.rstrip(b"\0").decode()
        if kind["type"] == "flag":
            return True
        if kind["type"] == "binary":
            return payload
        if "byte-order" in kind:
            return socket.inet_ntoa(payload)
        value = int.from_bytes(payload, "little")
        return self.enums[kind["enum"]][value] if "enum" in kind else value


def attr(number, payload):
    return struct.pack("=HH", 4 + len(payload), number) + payload + bytes(-len(payload) % 4)


def parse(data):
    found = []
    while len(data) >= 4:
        length, number = struct.unpack_from("=HH", data)
        found.append((number & NLA_TYPE_MASK, data[4:length]))
        data = data[length + 3 & ~3:]
    return found


class Refused(Exception):
    """What the kernel said: an errno, its sentence, where, and what is missing."""

    def __init__(self, errno, attrs):
        attrs = dict(attrs)
        self.errno = errno
        self.text = attrs.get(ERROR_MSG, b"").rstrip(b"\0").decode()
        self.offset = int.from_bytes(attrs.get(ERROR_OFFS, b""), "little")
        self.missing = int.from_bytes(attrs.get(ERROR_MISS_TYPE, b""), "little")
        super().__init__(f"{os.strerror(errno)}: {self.text}")


class Client:
    """A socket to the family in the namespace that the thread is in now."""

    def __init__(self, spec):
        self.spec = spec
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.sock.bind((0, 0))
        self.sock.settimeout(20)
        for option in NETLINK_EXT_ACK, NETLINK_CAP_ACK:
            self.sock.setsockopt(SOL_NETLINK, option, 1)
        self.seq = 0
        self.interrupted = False
        family = dict(parse(self.raw(GENL_CTRL, CTRL_GETFAMILY,
                                     attr(CTRL_NAME, b"hbcast\0"))[0]))
        self.family = int.from_bytes(family[CTRL_ID], "little")
        group = dict(parse(parse(family[CTRL_MCAST])[0][1]))
        assert group[MCAST_NAME] == b"events\0"
        self.events = int.from_bytes(group[MCAST_ID], "little")

    def close(self):
        self.sock.close()

    def message(self, family, command, payload, flags, reserved=0):
        self.seq += 1
        message = struct.pack("=BBH", command, 1, reserved) + payload
        return struct.pack("=IHHII", 16 + len(message), family, NLM_F_REQUEST | flags,
                           self.seq, 0) + message

    def send(self, family, command, payload, flags):
        self.sock.send(self.message(family, command, payload, flags))

    def batch(self, *requests):
        """Several (name, values) in one datagram: the last one's refusal, or None."""
        data = b"".join(
            self.message(self.family, self.spec.command(name), self.spec.attributes(
                self.spec.operation(name)["attribute-set"], **values), NLM_F_ACK)
            for name, values in requests)
        self.sock.send(data)
        while True:
            for kind, flags, seq, body in self.receive():
                if kind != NLMSG_ERROR or seq != self.seq:
                    continue
                try:
                    return self.error(kind, flags, body)
                except Refused as why:
                    return why

    def receive(self):
        """The messages of one datagram: type, flags, sequence, body."""
        data = self.sock.recv(1 << 20)
        while data:
            length, kind, flags, seq, _ = struct.unpack_from("=IHHII", data)
            yield kind, flags, seq, data[16:length]
            data = data[length + 3 & ~3:]

    @staticmethod
    def error(kind, flags, body):
        """Raises what an acknowledgement, or the end of a dump, has to say."""
        errno = -int.from_bytes(body[:4], "little", signed=True)
        if errno > 0:
            skip = 20 if kind == NLMSG_ERROR else 4
            raise Refused(errno, parse(body[skip:]) if flags & NLM_F_ACK_TLVS else [])

    def raw(self, family, command, payload, flags=NLM_F_ACK):
        """One request; returns the answers' attributes."""
        self.send(family, command, payload, flags)
        answers = []
        while True:
            for kind, flags, seq, body in self.receive():
                if seq != self.seq:
                    continue
                if kind == NLMSG_ERROR:
                    self.error(kind, flags, body)
                    return answers
                answers.append(body[4:])

    def do(self, name, payload=b"", **values):
        """A do request by name; returns the decoded answer, if any."""
        kind = self.spec.operation(name)["attribute-set"]
        answers = self.raw(self.family, self.spec.command(name),
                           payload + self.spec.attributes(kind, **values))
        return self.spec.decode(kind, answers[0]) if answers else None

    def dump(self, name, payload=b"", pause=None):
        """A dump by name; pause() is called after each datagram."""
        kind = self.spec.operation(name)["attribute-set"]
        self.send(self.family, self.spec.command(name), payload, NLM_F_DUMP)
        self.interrupted = False
        found = []
        while True:
            for message, flags, seq, body in self.receive():
                if seq != self.seq:
                    continue
                self.interrupted |= bool(flags & NLM_F_DUMP_INTR)
                if message in (NLMSG_DONE, NLMSG_ERROR):
                    self.error(message, flags, body)
                    return found
                found.append(self.spec.decode(kind, body[4:]))
            if pause:
                pause()

    def listen(self):
        self.sock.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, self.events)

    def event(self, **wanted):
        """Waits for an event that has these values; returns it."""
        wanted = {name.replace("_", "-"): value for name, value in wanted.items()}
        while True:
            for kind, _, _, body in self.receive():
                if kind != self.family:
                    continue
                event = self.spec.decode("event", body[4:])
                if wanted.items() <= event.items():
                    return event


def refused(name, numbers, pattern, what, *args, **values):
    """The call is refused with this errno, or one of these, and such a sentence."""
    numbers = numbers if isinstance(numbers, tuple) else (numbers,)
    try:
        what(*args, **values)
    except Refused as why:
        good = why.errno in numbers and re.search(pattern, why.text)
        if not good:
            print(f"# expected: {os.strerror(numbers[0])}: /{pattern}/\n# got:      {why}")
        return tap.check(good, name)
    return tap.check(False, f"{name}: it was not refused")


def fine(name, what, *args, **values):
    """The call succeeds; returns what it returns."""
    try:
        got = what(*args, **values)
    except Refused as why:
        print(f"# {why}")
        tap.check(False, name)
        return None
    tap.check(True, name)
    return got
