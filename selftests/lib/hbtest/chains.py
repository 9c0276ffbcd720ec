# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether what was said, what its sender was told about each member, and what that
member has heard agree.

A message that its sender was told to be delivered was read, whole, once, and in its
order where that is promised: to short messages of one port, among which files come at
any time. One that has failed because nobody read it was not. What
became of one that failed because a member, or the way to it, was lost, is not known at
the root: it may have been read, and the report was lost. The same is true of one whose
sender was killed before it was told.
"""

import collections
import hashlib

from hbtest.land import ORDERED, TALKS
from hbtest.voices import CHAIN, VOICED
from hbtest.words import LINE

UNREAD = {"no-receiver", "closed", "stalled", "checksum", "no-memory", "spool"}
NEVER = -1 << 30


class Said:
    """A message, and what was told of it."""

    def __init__(self, life, count, size, digest, file):
        self.life, self.count, self.size, self.file = life, count, size, file
        self.digest = bytes.fromhex(digest)
        self.id = None
        self.fate = None
        self.old = False	# it was said in a phase before

    def at(self, number):
        """What its sender knows of that member; None if he was not told."""
        return (self.fate or {}).get(str(number))


Heard = collections.namedtuple("Heard", "life who size digest id chain")


def shorts(said, heard, first, end, wanted):
    """Of entries that are too short to tell what they are: which of said[first:end] they
    are, in order, so that as many as can be are wanted ones; None if they cannot be."""
    if not heard:
        return []
    room = [at for at in range(first, end) if said[at].size < LINE]
    best = [[0] * (len(room) + 1)]
    for entry in heard:
        row = [NEVER]
        for k, at in enumerate(room):
            fits = said[at].digest == entry.digest
            row.append(max(row[k], best[-1][k] + (at in wanted) if fits else NEVER))
        best.append(row)
    found, k = [], len(room)
    if best[-1][k] < 0:
        return None
    for i in range(len(heard), 0, -1):
        while best[i][k - 1] == best[i][k]:
            k -= 1
        k -= 1
        found.append(room[k])
    return found[::-1]


class Member:
    """What one listener has heard from one voice, by its lives."""

    def __init__(self, said, number, voice):
        self.said, self.number, self.voice = said, number, voice
        self.index = {each.count: at for at, each in enumerate(said)}
        self.wanted = {at for at, each in enumerate(said) if each.at(number) == "delivered"}
        self.had = collections.Counter()
        self.faults = []

    def place(self, heard):
        """Which message each entry of one life is, where the order of short ones is
        promised; no file is too short to tell what it is."""
        found, waiting, last = {}, [], -1
        for i, entry in enumerate([*heard, None]):
            if entry and not entry.who:
                waiting.append(i)
                continue
            at = self.find(entry) if entry else len(self.said)
            if at is None:
                break
            if entry and self.said[at].file and at not in found.values():
                found[i] = at
                continue
            if at <= last or entry and self.said[at].file:
                self.faults.append(f"{entry} after message {self.said[last].count}, or twice")
                break
            between = shorts(self.said, [heard[each] for each in waiting], last + 1, at,
                             self.wanted - set(self.had))
            if between is None:
                self.faults.append(f"{[heard[each] for each in waiting]} between {last} and "
                                   f"{at}: none said so")
                break
            found.update(zip(waiting, between))
            if entry:
                found[i] = at
            waiting, last = [], at
        return found

    def find(self, entry, places=()):
        """The message of an entry that tells whose it is, or has its id; places are those
        of entries before."""
        if entry.who:
            at = self.index.get(entry.who[1]) if entry.who[0] == self.voice else None
        else:
            # Of one who was killed at once nobody knows the id, and a root that was made
            # anew begins with the same ids.
            found = [at for at, each in enumerate(self.said)
                     if each.id in (entry.id, None) and each.digest == entry.digest]
            at = min(found, default=None, key=lambda at: (self.had[at] + places.count(at),
                                                          -(self.said[at].id or 0)))
        if at is None or self.said[at].size != entry.size:
            self.faults.append(f"{entry}: nobody has said so")
            return None
        return at

    def hear_in_order(self, heard, chain):
        """All of one life; its chain goes on from there."""
        places = self.place(heard)
        for i, entry in enumerate(heard):
            if i not in places:
                break
            at = places[i]
            chain = hashlib.sha256(chain + self.said[at].digest).digest()
            if self.said[at].digest != entry.digest or chain != entry.chain:
                self.faults.append(f"{entry}: the chain is {chain.hex()}")
                break
        self.had.update(places.values())
        return chain

    def hear(self, heard):
        """All of one life, in any order."""
        places = []
        for entry in heard:
            at = self.find(entry, places)
            if at is not None:
                places.append(at)
        for at, times in collections.Counter(places).items():
            if times > 1:
                self.faults.append(f"message {self.said[at].count} was heard {times} times")
        self.had.update(places)

    def judge(self, lives, remade):
        """How many that were delivered nobody has written down: one at most for each
        process that was killed when it had read it."""
        missing = 0
        for at, each in enumerate(self.said):
            state, had = each.at(self.number), self.had[at]
            long = each.size >= LINE
            if state == "delivered" and not had and (lives == 1 or long):
                missing += 1
                if lives == 1:
                    self.faults.append(f"message {each.count} of {each.size} bytes was "
                                       "delivered and not read")
            if state in UNREAD and had and lives == 1:
                self.faults.append(f"message {each.count} of {each.size} bytes was read, "
                                   f"and told to be {state}")
            if had > 1 and long and not remade:
                self.faults.append(f"message {each.count} was read in {had} lives")
        return missing


class Ledger:
    """Of all voices what they said; of all listeners what they heard."""

    def __init__(self):
        self.said = {(talk, port): [] for talk in TALKS for port in VOICED}
        self.heard = collections.defaultdict(list)
        self.chains = collections.defaultdict(lambda: CHAIN)
        self.lives = {}

    def speaker(self, talk, lines):
        """What a speaker has written; of what he was told before only what is open."""
        for port in VOICED:
            said = self.said[talk, port] = [each for each in self.said[talk, port]
                                            if self.uncertain(each)]
            known = {}
            for life, what, where, count, *rest in lines:
                if where != port:
                    continue
                if what == "said":
                    said.append(known.setdefault(count, Said(life, count, *rest)))
                elif what == "id":
                    known[count].id = rest[0]
                elif what == "fate":
                    known[count].fate = rest[0]

    @staticmethod
    def uncertain(each):
        """It may still be heard by somebody, once, after its sender gave it up."""
        states = set(each.fate.values()) if each.fate else set()
        known = states and states <= UNREAD | {"delivered"}
        each.fate, each.old = None, True
        return not known

    def listener(self, number, lines):
        """What a listener has written; of what it heard before nothing."""
        for key in [key for key in self.heard if key[0] == number]:
            del self.heard[key]
        lives = {self.lives.get(number, 1)}
        for life, what, *rest in lines:
            lives.add(life)
            if what != "heard":
                continue
            group, root, port, who, size, digest, message, chain = rest
            self.heard[number, group, root, port].append(Heard(
                life, who, size, digest and bytes.fromhex(digest), message,
                chain and bytes.fromhex(chain)))
        self.lives[number] = max(lives)
        return lives

    def member(self, number, talk, port, lives, remade):
        """One listener and one voice: what is wrong, and what is missing."""
        voice = len(VOICED) * TALKS.index(talk) + VOICED.index(port)
        member = Member(self.said[talk, port], number, voice)
        heard = self.heard[(number, *talk, port)]
        for life in sorted(lives):
            mine = [entry for entry in heard if entry.life == life]
            if port == ORDERED:
                key = number, talk, life
                self.chains[key] = member.hear_in_order(mine, self.chains[key])
            else:
                member.hear(mine)
        missing = member.judge(len(lives), remade)
        return [f"node {number}, group {talk.group}, root {talk.root}, port {port}: {fault}"
                for fault in member.faults], missing

    def fates(self):
        """How many of all were delivered, or failed for which reason."""
        found = collections.Counter()
        for said in self.said.values():
            for each in said:
                if not each.old:
                    found.update((each.fate or {"": "unknown"}).values())
        return found
