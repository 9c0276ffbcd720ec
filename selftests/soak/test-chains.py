#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a soak would find: each way in which what was said, told and heard may differ."""

import hashlib
import random

from hbtest import tap
from hbtest.chains import Ledger
from hbtest.land import ORDERED, PIECES, TALKS
from hbtest.voices import CHAIN, VOICED
from hbtest.words import LINE

TALK, NUMBER = TALKS[0], 4
COUNT = 60


def sha(data):
    return hashlib.sha256(data).digest()


class Story:
    """One root says something on one port, and one member hears it; both as they would
    write it down."""

    def __init__(self, port, seed=1):
        self.port = port
        self.voice = len(VOICED) * TALKS.index(TALK) + VOICED.index(port)
        rng = random.Random(seed)
        # Every other one is too short to tell what it is.
        self.data = [rng.randbytes(rng.choice((0, 1, 1, 60)) if at % 2 else
                                   rng.randrange(LINE, 3000)) for at in range(COUNT)]
        self.files = set()
        self.fates = ["delivered"] * COUNT
        self.heard = [(1, at) for at in range(COUNT)]
        self.ids = [1000 + at for at in range(COUNT)]
        self.spoilt = None
        self.tampered = None

    def said(self):
        """The speaker's lines."""
        for at, data in enumerate(self.data):
            yield [1, "said", self.port, at + 1, len(data), sha(data).hex(),
                   at in self.files]
            yield [1, "id", self.port, at + 1, self.ids[at]]
            if self.fates[at]:
                yield [1, "fate", self.port, at + 1, {str(NUMBER): self.fates[at]}]

    def written(self):
        """The listener's."""
        chains = {}
        for life, at in self.heard:
            data = self.data[at]
            digest = sha(data + b"x" if at == self.spoilt else data)
            chains[life] = sha(chains.get(life, CHAIN) + digest)
            chain = bytes(32) if at == self.tampered else chains[life]
            ordered = self.port == ORDERED
            yield [life, "heard", *TALK, self.port,
                   [self.voice, at + 1] if len(data) >= LINE else None, len(data),
                   digest.hex() if ordered or len(data) <= LINE else None,
                   None if ordered else self.ids[at], chain.hex() if ordered else None]

    def faults(self, ledger=None, remade=False):
        """How many things are wrong, and how many messages are missing."""
        ledger = ledger or Ledger()
        ledger.speaker(TALK, list(self.said()))
        lives = ledger.listener(NUMBER, list(self.written()))
        found, missing = ledger.member(NUMBER, TALK, self.port, lives, remade)
        return len(found), missing


def found(name, story, expected, **given):
    faults, missing = story.faults(**given)
    good = faults > 0 if expected else faults == 0
    if not good:
        print(f"# {faults} faults, {missing} missing")
    tap.check(good, f"port {story.port}: {name}: " + ("found" if expected else "all is well"))


def test_well(port):
    for seed in range(20):
        story = Story(port, seed)
        if story.faults() != (0, 0):
            break
    tap.check(story.faults() == (0, 0), f"port {port}: twenty stories are well")
    story = Story(port)
    for at in range(10, 20):
        story.fates[at] = "node-dead"
    story.fates[30] = None
    found("what is not known was read", story, False)
    story.heard = [entry for entry in story.heard if not 10 <= entry[1] < 15]
    found("some of it was not", story, False)
    story.fates[40] = "stalled"
    story.heard.remove((1, 40))
    found("one has failed", story, False)
    story = Story(port)
    story.heard = [(1, at) for at in range(30)] + [(2, at) for at in range(31, COUNT)]
    story.fates[30] = "closed"
    found("another process listens", story, False)
    story.fates[30] = "delivered"
    tap.check(story.faults()[1] == 1, f"port {port}: what a killed one has read is missing")


def test_wrong(port):
    story = Story(port)
    story.heard.remove((1, 20))
    found("one is lost", story, True)
    story.fates[20] = "lane-lost"
    found("and its sender knows", story, False)
    story.fates[22] = "no-receiver"
    found("one was read that nobody should have", story, True)
    story = Story(port)
    story.heard.insert(20, (1, 10))
    found("one comes twice", story, True)
    story = Story(port)
    story.heard = [(1, at) for at in range(30)] + [(2, at) for at in range(28, COUNT)]
    found("one comes again to another process", story, True)
    found("but to a node that knows nothing", story, False, remade=True)


def test_order():
    story = Story(ORDERED)
    story.heard[20:24] = [story.heard[at] for at in (22, 21, 20, 23)]
    found("two are exchanged", story, True)
    story = Story(ORDERED)
    story.files = {20, 24}
    story.heard[20:40] = [*story.heard[21:24], *story.heard[25:40], (1, 24), (1, 20)]
    found("files come late", story, False)
    story.heard.insert(50, (1, 20))
    found("and one of them once more", story, True)
    story = Story(ORDERED)
    story.files = {20}
    story.heard.remove((1, 22))
    story.heard.insert(30, (1, 22))
    found("a short one comes late", story, True)
    for what in "spoilt", "tampered":
        story = Story(ORDERED)
        setattr(story, what, 20)
        found(f"one is {what}", story, True)
    story = Story(ORDERED)
    story.data = [b"%d" % at for at in range(COUNT)]
    story.heard[20:22] = reversed(story.heard[20:22])
    found("short ones are exchanged", story, True)
    story = Story(ORDERED)
    story.data = [b""] * COUNT
    story.fates = ["node-dead", "delivered"] * (COUNT // 2)
    story.heard = [(1, at) for at in range(0, COUNT, 2)]
    found("as many empty ones as are known", story, False)
    story.heard.pop()
    found("one less", story, True)


def test_ids():
    """A root that was made anew begins with the same ids."""
    story = Story(PIECES)
    story.data[1] = story.data[3] = b"short"
    story.ids[3] = story.ids[1]
    found("two short ones of one id", story, False)
    story.heard.remove((1, 3))
    found("one of them is lost", story, True)


def test_phases():
    """What was not known of one phase may be heard in the next, and its chain goes on."""
    ledger, story = Ledger(), Story(ORDERED)
    story.fates[-2] = None
    story.heard = [entry for entry in story.heard if entry[1] != COUNT - 2]
    tap.check(story.faults(ledger)[0] == 0, "one is not known")
    late = Story(ORDERED)
    late.data, late.heard = story.data, [(1, COUNT - 2)]
    chain = CHAIN
    for _, at in story.heard:
        chain = sha(chain + sha(story.data[at]))
    lines = list(late.written())
    lines[0][-1] = sha(chain + sha(story.data[-2])).hex()
    ledger.speaker(TALK, [])
    lives = ledger.listener(NUMBER, lines)
    tap.equal(ledger.member(NUMBER, TALK, ORDERED, lives, False), ([], 0),
              "and is heard in the next phase")


def main():
    for port in ORDERED, PIECES:
        test_well(port)
        test_wrong(port)
    test_order()
    test_ids()
    test_phases()
    tap.done()


if __name__ == "__main__":
    main()
