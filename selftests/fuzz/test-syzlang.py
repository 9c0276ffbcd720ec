#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hbcast.txt, for syzkaller, describes what the headers and the netlink spec have: all
of it, as it is, and nothing else. It proves as well that it would say so if not."""

import copy
import os
import re
import subprocess
import tempfile

import yaml

from hbtest import tap
from hbtest.syzlang import BUILTIN, INTS, Description, Type, Wrong

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# What syzkaller's own files describe: how many arguments it takes, and its size if that
# is known.
THEIRS = {"fd": (0, 4), "sock": (0, 4), "sock_nl_generic": (0, 4), "uid": (0, 4), "gid": (0, 4),
          "ipv4_addr": (0, 4), "ipv6_addr": (0, 16), "iovec_in": (0, 16), "iovec_out": (0, 16),
          "nlattr": (2, None), "nlnest": (2, None), "msghdr_netlink": (1, None),
          "netlink_msg_t": (3, None), "genlmsghdr_t": (1, None)}
THEIR_FLAGS = {"send_flags"}

# What the headers do not tell.
CALLS = {"socket$hbcast", "bind$hbcast", "connect$hbcast", "getsockname$hbcast",
         "getpeername$hbcast", "sendmsg$hbcast", "recvmsg$hbcast", "ioctl$hbcast_SIOCINQ",
         "ioctl$hbcast_SIOCOUTQ", "syz_genetlink_get_family_id$hbcast"}
OPTIONS = {"HBCAST_UNORDERED": ("set", "get"), "HBCAST_NOTIFY": ("set", "get", "control"),
           "HBCAST_LAST_MESSAGE": ("get",), "HBCAST_COMPLETION": ("get", "control"),
           "HBCAST_PIECE": ("control",), "HBCAST_FAILURE": ("control",),
           "HBCAST_SINKS": ("set", "get")}
# Other names, a value that only comes from the kernel, and a number of something.
NOT_DESCRIBED = {"_UAPI_LINUX_HBCAST_H", "PF_HBCAST", "SO_EE_ORIGIN_HBCAST",
                 "__HBCAST_REASON_MAX", "HBCAST_REASON_MAX", "HBCAST_NAME_LEN"}
# Structures of libc under names of syzkaller's: theirs, field by field.
MSGHDR = ("msghdr", "msg_name", "msg_namelen", "msg_iov", "msg_iovlen", "msg_control",
          "msg_controllen", "msg_flags")
LIKE = {"msghdr_hbcast_send": MSGHDR, "msghdr_hbcast_recv": MSGHDR,
        "hbcast_cmsg_t": ("cmsghdr", "cmsg_len", "cmsg_level", "cmsg_type")}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def upper(*words):
    return "_".join(("hbcast", *words)).upper().replace("-", "_")


class Header:
    """What is in hbcast.h."""

    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        self.structs = {name: re.findall(r"(\w+)(?:\[\w*\])?;", body) for name, body in
                        re.findall(r"struct (\w+) \{(.*?)\};", text, re.S)}
        self.enums = {name: re.findall(r"^\s*(\w+)", body, re.M) for name, body in
                      re.findall(r"enum (\w*) ?\{(.*?)\};", text, re.S)}
        self.ioctls = re.findall(r"#define\s+(\w+)\s+_IO(W?R?|R?W?)\(.*struct (\w+)\)", text)
        self.defines = re.findall(r"#define\s+(\w+)", text)


class Checker:
    """Holds a description against what it describes; collects what is wrong."""

    def __init__(self, text, headers, spec):
        self.problems = []
        self.headers = headers
        self.spec = spec
        self.header = Header(headers["hbcast.h"])
        self.constants = set()
        self.used = set()
        try:
            self.d = Description(text)
        except Wrong as why:
            self.say(str(why))
            return
        for check in (self.check_names, self.check_calls, self.check_header, self.check_spec,
                      self.check_layout):
            # A compiler is for what else looks good.
            if check != self.check_layout or not self.problems:
                check()

    def say(self, what):
        self.problems.append(what)

    def equal(self, got, wanted, what):
        if got != wanted:
            self.say(f"{what}: it is {got}, not {wanted}")

    # Names: whatever is used is there, and whatever is there is used.

    def check_names(self):
        d = self.d
        for name, fields in {**d.calls, **d.structs, **d.unions}.items():
            for field, kind in fields.items():
                if kind:
                    self.check_type(kind, fields, d.parameters.get(name, ()),
                                    f"{name}: {field}")
        for name, (parameters, kind) in d.types.items():
            self.check_type(kind, {}, parameters, name)
        for name, parameters in d.parameters.items():
            taken = {each for kind in d.structs[name].values() for each in kind.names()}
            self.equal(sorted(taken & set(parameters)), sorted(parameters),
                       f"parameters of {name} that are used")
        for name, base in d.resources.items():
            self.check_type(Type(base, []), {}, (), name)
        for constants in d.flags.values():
            self.constants.update(constants)
        for name in sorted(d.declared - self.used - set(d.calls)):
            self.say(f"{name} is never used")

    def constant(self, value, parameters):
        if isinstance(value, Type) and value.name not in parameters:
            self.constants.add(value.name)

    def check_type(self, kind, siblings, parameters, where):
        d, args = self.d, kind.args
        arity = {"const": (1, 2), "flags": (1, 2), "len": (1, 2), "bytesize": (1, 2),
                 "array": (1, 2), "ptr": (2, 3), "string": (0, 1), **{i: (0, 1) for i in INTS}}
        self.used.add(kind.name)
        if kind.name in parameters:
            low = high = 0
        elif kind.name in THEIRS:
            low = high = THEIRS[kind.name][0]
        elif kind.name in d.types:
            low = high = len(d.types[kind.name][0])
        elif kind.name in d.parameters:
            low = high = len(d.parameters[kind.name])
        elif kind.name in BUILTIN:
            low, high = arity.get(kind.name, (0, 0))
        else:
            low = high = 0
            if not any(kind.name in those for those in (d.resources, d.structs, d.unions)):
                self.say(f"{where}: there is no type '{kind.name}'")
        if not low <= len(args) <= high:
            self.say(f"{where}: '{kind}' has {len(args)} arguments")
            return
        self.check_args(kind, siblings, parameters, where)

    def check_args(self, kind, siblings, parameters, where):
        args, name = kind.args, kind.name
        rest = args
        if name in ("len", "bytesize"):
            if str(args[0]) not in (*siblings, "parent"):
                self.say(f"{where}: there is no '{args[0]}' to take the length of")
            rest = args[1:]
        elif name == "const":
            self.constant(args[0], parameters)
            rest = args[1:]
        elif name == "flags":
            self.used.add(str(args[0]))
            if str(args[0]) not in self.d.flags and str(args[0]) not in THEIR_FLAGS:
                self.say(f"{where}: there are no flags '{args[0]}'")
            rest = args[1:]
        elif name == "ptr":
            if str(args[0]) not in ("in", "out", "inout") or str(args[-1]) == "inout":
                self.say(f"{where}: '{kind}' has no direction")
            rest = args[1:2]
        elif name in INTS or name == "array":
            for value in args if name in INTS else args[1:]:
                for end in value if isinstance(value, tuple) else (value,):
                    self.constant(end, parameters)
            rest = args[:1] if name == "array" else ()
        for arg in rest:
            if isinstance(arg, Type) and re.fullmatch(r"[A-Z0-9_]+", arg.name):
                self.constant(arg, parameters)
            elif isinstance(arg, Type):
                self.check_type(arg, siblings, parameters, where)

    # Calls

    def check_calls(self):
        options = {f"{way}sockopt${name}" for name, ways in OPTIONS.items()
                   for way in ways if way != "control"}
        ioctls = {f"ioctl${name}" for name, _, _ in self.header.ioctls}
        commands = {f"sendmsg${upper('cmd', op['name'])}"
                    for op in self.spec["operations"]["list"]}
        wanted = CALLS | options | ioctls | commands
        for name in sorted(wanted - set(self.d.calls)):
            self.say(f"there is no {name}")
        for name in sorted(set(self.d.calls) - wanted):
            self.say(f"{name} is nothing that hbcast has")
        for name in sorted(options & set(self.d.calls)):
            call = self.d.calls[name]
            self.equal([str(call[arg]) for arg in ("fd", "level", "opt")],
                       ["sock_hbcast", "const[SOL_HBCAST]", f"const[{name.split('$')[1]}]"], name)
        for name, way, struct in self.header.ioctls:
            way = {"WR": "inout", "R": "out", "W": "in"}[way]
            got = [str(kind) for kind in self.d.calls.get(f"ioctl${name}", {}).values()]
            self.equal(got, ["None", "sock_hbcast", f"const[{name}]", f"ptr[{way}, {struct}]"],
                       name)
        control = [kind.args[0].name for kind in self.d.unions.get("hbcast_cmsg", {}).values()]
        self.equal(sorted(control), sorted(name for name, ways in OPTIONS.items()
                                           if "control" in ways), "control messages")

    # The header

    def check_header(self):
        self.equal(sorted(self.header.enums.get("", [])), sorted(OPTIONS), "the header's options")
        for name, entries in self.header.enums.items():
            if name:
                entries = [e for e in entries if e not in NOT_DESCRIBED]
                self.equal(self.d.flags.get(f"{name}s"), entries, f"{name}s")
        for name in self.header.defines:
            if name not in self.constants | NOT_DESCRIBED:
                self.say(f"{name} of the header is never used")
        for name, fields in self.header.structs.items():
            self.equal(list(self.d.structs.get(name, ())), fields, f"struct {name}")
        for name in set(self.d.structs) - set(self.header.structs) - set(LIKE):
            self.say(f"the header has no struct {name}")
        for name in self.headers:
            if f"uapi/linux/{name}" not in self.d.includes:
                self.say(f"{name} is not included")

    # The spec

    def check_spec(self):
        family = self.d.calls.get("syz_genetlink_get_family_id$hbcast", {}).get("name")
        self.equal(str(family), f'ptr[in, string["{self.spec["name"]}"]]', "the family's name")
        for op in self.spec["operations"]["list"]:
            name = upper("cmd", op["name"])
            message = self.d.calls.get(f"sendmsg${name}", {}).get("msg")
            policy = f"hbcast_{op['attribute-set']}_policy"
            self.equal(str(message), f"ptr[in, msghdr_hbcast[{name}, {policy}]]", name)
        for each in self.spec["attribute-sets"]:
            policy = self.d.unions.get(f"hbcast_{each['name']}_policy", {})
            names = [upper("a", each["name"], a["name"]) for a in each["attributes"]]
            self.equal(list(policy), names, f"attributes of {each['name']}")
            for name, attribute in zip(names, each["attributes"]):
                if name in policy:
                    self.check_attribute(name, attribute, policy[name])
        policies = {f"hbcast_{each['name']}_policy" for each in self.spec["attribute-sets"]}
        for name in set(self.d.unions) - policies - {"hbcast_cmsg"}:
            self.say(f"the spec has no {name}")

    def check_attribute(self, name, attribute, kind):
        is_nest = attribute["type"] == "nest"
        self.equal((kind.name, str(kind.args[0])), ("nlnest" if is_nest else "nlattr", name), name)
        payload, size = kind.args[1], {"u8": 1, "u16": 2, "u32": 4, "u64": 8}.get(
            attribute["type"])
        checks = attribute.get("checks", {})
        if is_nest:
            self.equal(str(payload), f"array[hbcast_{attribute['nested-attributes']}_policy]", name)
        elif size:
            self.equal(self.size(payload), size, f"bytes of {name}")
            self.equal(payload.name == "ipv4_addr", "byte-order" in attribute,
                       f"{name}: an address")
            self.check_range(name, checks, payload)
        elif "exact-len" in checks:
            self.equal(self.size(payload), checks["exact-len"], f"bytes of {name}")
        else:
            self.equal(payload.name, {"flag": "void", "pad": "void", "string": "string",
                                      "binary": "array"}[attribute["type"]], name)
        if "enum" in attribute:
            self.check_enum(name, attribute["enum"], payload)

    def check_enum(self, name, enum, payload):
        enum = next(d for d in self.spec["definitions"] if d["name"] == enum)
        entries = [e if isinstance(e, str) else e["name"] for e in enum["entries"]]
        wanted = [(enum["name-prefix"] + e).upper().replace("-", "_") for e in entries]
        flags = str(payload.args[0]) if payload.name == "flags" else None
        self.equal(self.d.flags.get(flags), wanted, name)

    def number(self, value):
        """Of a constant of the spec, or what is written out."""
        consts = {upper(d["name"]): d["value"] for d in self.spec["definitions"]
                  if d["type"] == "const"}
        if str(value) in consts:
            return consts[str(value)]
        return consts.get(upper(str(value))) if isinstance(value, str) and not re.match(
            r"-?\d", value) else int(str(value), 0)

    def check_range(self, name, checks, payload):
        kind = self.resolve(payload)
        if not checks or payload.name in self.d.resources:
            return
        if not kind.args or not isinstance(kind.args[0], tuple):
            self.say(f"{name} has bounds, but '{payload}' has none")
            return
        low, high = map(self.number, kind.args[0])
        if low < self.number(checks.get("min", 0)) or high > self.number(
                checks.get("max", (1 << 64) - 1)):
            self.say(f"{name}: '{payload}' is out of its bounds")

    # Sizes, by our own rules and by the compiler's

    def resolve(self, kind):
        while kind.name in self.d.types or kind.name in self.d.resources:
            kind = self.d.types[kind.name][1] if kind.name in self.d.types else Type(
                self.d.resources[kind.name], [])
        return kind

    def size(self, kind):
        kind = self.resolve(kind)
        if kind.name in INTS:
            return INTS[kind.name]
        if kind.name in THEIRS:
            return THEIRS[kind.name][1]
        if kind.name == "ptr":
            return 8
        if kind.name in ("const", "flags", "len", "bytesize") and len(kind.args) == 2:
            return self.size(kind.args[1])
        if kind.name == "array" and len(kind.args) == 2:
            return self.size(kind.args[0]) * int(str(kind.args[1]))
        return 0

    def layout(self, fields):
        """Offset and size of each field, and the size of all."""
        at, largest, found = 0, 1, []
        for kind in fields.values():
            size = self.size(kind)
            align = self.size(kind.args[0]) if kind.name == "array" and size else size or 8
            at = (at + align - 1) // align * align
            found.append((at, size))
            largest = max(largest, align)
            at += size
        return found, (at + largest - 1) // largest * largest

    def check_layout(self):
        lines = ["#include <assert.h>", "#include <stddef.h>", "#include <sys/socket.h>",
                 "#include <asm/ioctls.h>", "#include <linux/sockios.h>"]
        lines += [f"#include <linux/{name}>" for name in self.headers]
        lines += [f"static const long long value_{name} = {name};"
                  for name in sorted(self.constants) if not re.match(r"-?\d", name)]
        for name, fields in self.d.structs.items():
            struct, *names = LIKE.get(name, (name, *fields))
            found, whole = self.layout(fields)
            for field, (at, size) in zip(names, found):
                member = f"(({'struct ' + struct} *)0)->{field}"
                lines.append(f"static_assert(offsetof(struct {struct}, {field}) == {at}, "
                             f'"{name}: {field} is elsewhere");')
                if size:
                    lines.append(f"static_assert(sizeof({member}) == {size}, "
                                 f'"{name}: {field} has another size");')
            lines.append(f"static_assert(sizeof(struct {struct}) == {whole}, "
                         f'"{name} has another size");')
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "linux"))
            for name, text in self.headers.items():
                with open(os.path.join(folder, "linux", name), "w", encoding="utf-8") as file:
                    file.write(text)
            got = subprocess.run(["gcc", "-fsyntax-only", "-x", "c", "-I", folder, "-"],
                                 input="\n".join(lines) + "\n", stderr=subprocess.PIPE,
                                 text=True, check=False)
        self.problems += re.findall(r"error: (.*)", got.stderr)
        if got.returncode and not self.problems:
            self.say(got.stderr)


class Source:
    """All three, and what is wrong if one of them changes."""

    def __init__(self):
        self.text = read("selftests/fuzz/hbcast.txt")
        self.headers = {name: read(f"include/uapi/linux/{name}")
                        for name in ("hbcast.h", "hbcast_netlink.h")}
        self.spec = yaml.safe_load(read("Documentation/netlink/specs/hbcast.yaml"))

    def problems(self):
        return Checker(self.text, self.headers, self.spec).problems

    def replace(self, old, new):
        """Another one, with a changed description."""
        other = copy.deepcopy(self)
        other.text = self.text.replace(old, new, 1)
        return other

    def header(self, old, new):
        other = copy.deepcopy(self)
        other.headers["hbcast.h"] = self.headers["hbcast.h"].replace(old, new, 1)
        return other

    def without_line(self, number):
        other = copy.deepcopy(self)
        lines = self.text.split("\n")
        del lines[number]
        other.text = "\n".join(lines)
        return other


def noticed(name, source, changed):
    """Something changed, and it is said."""
    different = vars(source) != vars(changed)
    tap.check(different and changed.problems(), f"it is noticed: {name}")


def test_lines(source):
    """No line is there for nothing; whose constants come from where is syzkaller's matter."""
    kept = [line for number, line in enumerate(source.text.split("\n"))
            if line and not line.startswith(("#", "include <linux/", "include <uapi/linux/n",
                                             "include <uapi/linux/g"))
            and not source.without_line(number).problems()]
    tap.equal(kept, [], "each line is missed when it is gone")


def test_headers(source):
    for name, old, new in (
            ("a new option", "	HBCAST_FAILURE = 6,", "	HBCAST_FAILURE = 6,\n	HBCAST_NEW = 7,"),
            ("a new reason", "	__HBCAST_REASON_MAX", "	HBCAST_REASON_NEW,\n	__HBCAST_REASON_MAX"),
            ("a new state", "	HBCAST_FAILED,", "	HBCAST_FAILED,\n	HBCAST_LOST,"),
            ("a new number", "#define SOL_HBCAST", "#define HBCAST_NEW 1\n#define SOL_HBCAST"),
            ("a new ioctl", "#define HBCIOCWAIT",
             "#define HBCIOCNEW	_IOWR(0x89, 0xe2, struct hbcast_wait)\n#define HBCIOCWAIT"),
            ("an ioctl that goes one way", "_IOWR(0x89, 0xe1", "_IOW(0x89, 0xe1"),
            ("a new field", "	__u32	failed;\n};", "	__u32	failed;\n	__u64	more;\n};"),
            ("a larger field", "	__u32	timeout_ms;", "	__u64	timeout_ms;"),
            ("two fields the other way round", "	__u64	offset;\n	__u64	length;",
             "	__u64	length;\n	__u64	offset;"),
            ("a new structure", "struct hbcast_wait {", "struct hbcast_new {\n	__u32	x;\n};\n"
             "struct hbcast_wait {"),
            ("an option that is gone", "	HBCAST_FAILURE = 6,", "")):
        noticed(f"in the header, {name}", source, source.header(old, new))


def test_spec(source):
    def changed(what):
        other = copy.deepcopy(source)
        sets = {each["name"]: each["attributes"] for each in other.spec["attribute-sets"]}
        what(other.spec, sets)
        return other

    for name, what in (
            ("a new attribute", lambda _, sets: sets["plan"].append(
                {"name": "new", "type": "u32"})),
            ("an attribute that is gone", lambda _, sets: sets["lane"].pop()),
            ("a larger attribute", lambda _, sets: sets["edge"][1].update(type="u64")),
            ("other bounds", lambda _, sets: sets["node"][1].update(checks={"min": 2})),
            ("a new set", lambda spec, _: spec["attribute-sets"].append(
                {"name": "new", "attributes": [{"name": "id", "type": "u32"}]})),
            ("a new command", lambda spec, _: spec["operations"]["list"].append(
                {"name": "lane-del", "attribute-set": "lane"})),
            ("a command with other attributes", lambda spec, _: spec["operations"]["list"][
                -1].update({"attribute-set": "lane"})),
            ("a new value", lambda spec, _: spec["definitions"][-1]["entries"].append("new"))):
        noticed(f"in the spec, {name}", source, changed(what))


def test_text(source):
    for name, old, new in (
            ("an unknown constant", "MSG_TRUNC, MSG_WAITALL", "MSG_TRUNC, MSG_NEVER"),
            ("an unknown type", "(fd sock_hbcast, addr ptr[in, sockaddr_hbcast]",
             "(fd sock_hbcast, addr ptr[in, sockaddr_other]"),
            ("an unknown attribute", "	HBCAST_A_EVENT_DOWN	nlattr[HBCAST_A_EVENT_DOWN, void]",
             "	HBCAST_A_EVENT_DOWN	nlattr[HBCAST_A_EVENT_DOWN, void]\n"
             "	HBCAST_A_EVENT_NEW	nlattr[HBCAST_A_EVENT_NEW, void]"),
            ("an attribute's number", "nlattr[HBCAST_A_LANE_MSS,", "nlattr[HBCAST_A_LANE_CWND,"),
            ("an attribute's size", "nlattr[HBCAST_A_LANE_MSS, int32",
             "nlattr[HBCAST_A_LANE_MSS, int16"),
            ("a range too large", "HBCAST_INTERVAL_MS_MAX]", "600001]"),
            ("a field's size", "	offset	int64", "	offset	int32"),
            ("a wrong length", "addrlen len[addr])", "addrlen len[port])"),
            ("a bracket too few", "addrlen len[addr])", "addrlen len[addr)"),
            ("an argument too many", "nlattr[HBCAST_A_LANE_MSS, int32]",
             "nlattr[HBCAST_A_LANE_MSS, int32, int32]"),
            ("a name twice", "hbcast_piece {", "hbcast_file {"),
            ("the wrong option", "opt const[HBCAST_NOTIFY], val ptr[in",
             "opt const[HBCAST_PIECE], val ptr[in"),
            ("what is no description", "include <linux/net.h>", "import <linux/net.h>")):
        noticed(f"in the description, {name}", source, source.replace(old, new))


def main():
    source = Source()
    tap.equal(source.problems(), [], "the description is right")
    test_lines(source)
    test_headers(source)
    test_spec(source)
    test_text(source)
    tap.done()


main()
