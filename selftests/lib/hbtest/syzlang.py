# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of syzkaller's description language that hbcast.txt uses, read strictly."""

import re

TOKEN = re.compile(r'\s*(?:([A-Za-z_]\w*)|(0x[0-9a-f]+|-?\d+)|("[^"]*")|([\[\],:()]))')
NAME = re.compile(r"[A-Za-z_]\w*")
CALL = re.compile(r"([a-z_0-9]+)(\$\w+)?\((.*)\)(?: (.+))?")
INTS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8, "intptr": 8}
BUILTIN = {*INTS, "const", "flags", "len", "bytesize", "array", "ptr", "string", "void",
           "bool32", "parent", "in", "out", "inout", "opt"}


class Wrong(Exception):
    """What is wrong with a description, and in which line."""


class Type:
    """NAME[ARGUMENT, ...]; an argument is a type, a number, a string, or two with a colon."""

    def __init__(self, name, args):
        self.name = name
        self.args = args

    def names(self):
        """All identifiers in it."""
        yield self.name
        for arg in self.args:
            for part in arg if isinstance(arg, tuple) else (arg,):
                if isinstance(part, Type):
                    yield from part.names()

    def __str__(self):
        args = ", ".join(":".join(map(str, arg)) if isinstance(arg, tuple) else str(arg)
                         for arg in self.args)
        return f"{self.name}[{args}]" if args else self.name


class Words:
    """The words of one line."""

    def __init__(self, text):
        self.words = []
        at = 0
        text = text.strip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise Wrong(f"'{text[at:]}' cannot be read")
            self.words.append(found.group().strip())
            at = found.end()

    def next(self, wanted=None):
        if not self.words or wanted not in (None, self.words[0]):
            raise Wrong(f"'{wanted}' is missing before '{' '.join(self.words)}'")
        return self.words.pop(0)

    def at(self, word):
        return self.words[:1] == [word]

    def name(self):
        word = self.next()
        if not NAME.fullmatch(word):
            raise Wrong(f"'{word}' is no name")
        return word

    def value(self):
        """A type, a number or a string."""
        if self.words and NAME.fullmatch(self.words[0]):
            return self.type()
        word = self.next()
        if word in "[],:()":
            raise Wrong(f"'{word}' is out of place")
        return word

    def type(self):
        name, args = self.name(), []
        if self.at("["):
            self.next()
            while True:
                value = self.value()
                if self.at(":"):
                    self.next()
                    value = (value, self.value())
                args.append(value)
                if self.at("]"):
                    break
                self.next(",")
            self.next()
        return Type(name, args)

    def end(self):
        if self.words:
            raise Wrong(f"'{' '.join(self.words)}' is too much")


def read_type(text):
    words = Words(text)
    found = words.type()
    words.end()
    return found


class Description:
    """What a file describes; every name once."""

    def __init__(self, text):
        self.calls = {}		# "ioctl$X": {argument: type}, and what it returns as ""
        self.resources = {}	# name: what it is
        self.types = {}		# name: (parameters, type)
        self.flags = {}		# name: constants
        self.structs = {}	# name: {field: type}
        self.unions = {}
        self.parameters = {}	# of structs
        self.includes = []
        self.declared = set()
        self.lines = iter(enumerate(text.split("\n"), 1))
        for number, line in self.lines:
            try:
                self.line(line)
            except Wrong as why:
                raise Wrong(f"line {number}: {why}") from why

    def declare(self, name, kind, value):
        if name in self.declared:
            raise Wrong(f"'{name}' is described twice")
        self.declared.add(name)
        kind[name] = value

    def line(self, line):
        if not line or line.startswith("#"):
            return
        if re.fullmatch(r"include <[\w/.]+>", line):
            self.includes.append(line.split()[1].strip("<>"))
        elif line.startswith("resource "):
            self.resource(line)
        elif line.startswith("type "):
            self.alias(line)
        elif re.fullmatch(r"\w+ = .*", line):
            name, values = line.split(" = ")
            self.declare(name, self.flags, values.split(", "))
        elif re.fullmatch(r"\w+ [{[]", line):
            self.fields(line[:-2], self.structs if line[-1] == "{" else self.unions)
        elif CALL.fullmatch(line):
            self.call(*CALL.fullmatch(line).groups())
        else:
            raise Wrong(f"'{line}' is nothing that can be read")

    def resource(self, line):
        found = re.fullmatch(r"resource (\w+)\[(\w+)\](: [-\w, ]+)?", line)
        if not found:
            raise Wrong("a resource is NAME[TYPE], and may have values behind a colon")
        self.declare(found.group(1), self.resources, found.group(2))

    def alias(self, line):
        found = re.fullmatch(r"type (\w+)(?:\[([\w, ]+)\])? (.+)", line)
        if not found:
            raise Wrong("a type is NAME or NAME[PARAMETERS], and what it stands for")
        name, parameters, rest = found.groups()
        parameters = parameters.split(", ") if parameters else []
        if rest == "{":
            self.parameters[name] = parameters
            self.fields(name, self.structs)
        else:
            self.declare(name, self.types, (parameters, read_type(rest)))

    def fields(self, name, kind):
        fields = {}
        for number, line in self.lines:
            if line[:1] in "}]" and line:
                break
            words = line.split("\t")
            if len(words) not in (3, 4) or words[0] or words[3:] not in ([], ["(out)"]):
                raise Wrong(f"line {number}: a field is a tab, its name, a tab, its type")
            if words[1] in fields:
                raise Wrong(f"line {number}: '{words[1]}' is there twice")
            fields[words[1]] = read_type(words[2])
        if not fields:
            raise Wrong(f"'{name}' is empty")
        wanted = (["}", "} [align[8]]"] if kind is self.structs else ["] [varlen]"])
        if line not in wanted:
            raise Wrong(f"'{name}' ends with '{line}'")
        self.declare(name, kind, fields)

    def call(self, name, variant, arguments, result):
        fields, words = {"": read_type(result) if result else None}, Words(arguments)
        while words.words:
            argument = words.name()
            if argument in fields:
                raise Wrong(f"'{argument}' is there twice")
            fields[argument] = words.type()
            if words.words:
                words.next(",")
        self.declare(name + (variant or ""), self.calls, fields)
