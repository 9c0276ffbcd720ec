# SPDX-License-Identifier: GPL-2.0-or-later
"""A soak: nodes speak and listen over bad links for as long as one likes, and from phase
to phase something else goes wrong. After each of them all must be well.

HBCAST_SECONDS is how long it lasts, one phase at least; HBCAST_SEED what it does.
"""

import collections
import os
import tempfile
import time

from hbtest import hbcnl, tap, weather
from hbtest.actors import PATIENCE
from hbtest.chains import Ledger
from hbtest.land import DEAD_MS, NODES, STALL_MS, TALKS, Land
from hbtest.node import until
from hbtest.races import ACTORS_MAX, ends_well
from hbtest.voices import Listener, Season, Speaker

LARGEST = 64 << 20
# What takes a minute to arrive is not said in a short run.
HURRY, SMALLER = 300, 4 << 20
# Of a message that its root gave up, and of which nothing is heard, a member is rid
# after four stall intervals, if it looks then; it looks every four dead intervals.
FORGOTTEN = 4 * (STALL_MS + DEAD_MS) // 1000
SLOWEST = (256 << 10) // tap.SLOWNESS	# bytes/s that arrive everywhere at least


class Scene:
    """Who speaks and who listens, where, and what is known of it."""

    def __init__(self, season):
        self.season = season
        self.land = Land(season.chance("land"))
        season.nodes = self.land.nodes
        self.speakers = {talk: Speaker(season, talk) for talk in TALKS}
        self.listeners = {number: Listener(season, number) for number in NODES}
        self.ledger = Ledger()
        self.totals = collections.Counter()
        self.remade = set()
        for number in NODES:
            self.start_at(number)

    def scribes(self, number):
        """All processes of a node."""
        return [self.listeners[number], *(speaker for talk, speaker in self.speakers.items()
                                          if talk.root == number)]

    def kill_at(self, number):
        for scribe in self.scribes(number):
            scribe.kill()

    def start_at(self, number):
        for scribe in self.scribes(number):
            scribe.start()

    def rest(self):
        """Nobody speaks, what was said is known, and heard."""
        for scribes, count in ((self.speakers, 1), (self.listeners, 2)):
            idle = self.season.shared.idle
            due = [(each, idle[each.number] + count + 1) for each in scribes.values()]
            late = []

            def done():
                late[:] = [each.name for each, least in due if idle[each.number] < least]
                return not late

            if not until(2 * PATIENCE + self.season.largest // SLOWEST, done):
                print(f"# not at rest: {late}")
                return False
        return True

    def well(self):
        """Every root is heard by all others."""
        good = True
        for talk in TALKS:
            if not until(PATIENCE, lambda: self.calm(talk)):
                print(f"# group {talk.group}: root {talk.root} is not heard by all")
                good = False
        return good

    def calm(self, talk):
        data = os.urandom(50000)
        good, known = self.land.broadcast(talk, data)
        if not good:
            print(f"# group {talk.group}, root {talk.root}: {known}", flush=True)
        return good

    def agree(self):
        """What was said, told and heard is the same."""
        faults, missing = [], collections.Counter()
        for talk, speaker in self.speakers.items():
            self.ledger.speaker(talk, speaker.taken())
        for number, listener in self.listeners.items():
            lives = self.ledger.listener(number, listener.taken())
            for talk, port in self.ledger.said:
                if talk.root == number:
                    continue
                found, count = self.ledger.member(number, talk, port, lives,
                                                  number in self.remade)
                faults += found
                missing[number] += count
            if missing[number] > len(lives) - 1:
                faults.append(f"node {number}: {missing[number]} messages were delivered, and "
                              f"not read by {len(lives)} processes")
        for fault in faults[:20]:
            print(f"# {fault}")
        return not faults

    def tell(self):
        for each in self.land.nodes.values():
            each.tell()

    def phase(self, at, faults, chance):
        """Some faults, and after them everything is as it should be. Returns whether
        it is."""
        begun = time.monotonic()
        names = "; ".join(f"{name} {','.join(map(str, victims))}" for name, _, victims in faults)
        self.remade.clear()
        for name, _, victims in faults:
            if name in ("remade", "root dies"):
                self.remade.update(victims)
        weather.happen(self, faults, chance)
        name = f"phase {at}: {names}"
        with self.season.away():
            times = [time.monotonic()]
            good = [tap.check(self.rest(), f"{name}: what became of each message is known")]
            times.append(time.monotonic())
            good.append(tap.check(self.well(), f"{name}: then all is well"))
            times.append(time.monotonic())
            halves = self.season.shared.halves
            good += [tap.check(until(PATIENCE + FORGOTTEN, lambda: not any(halves)),
                               f"{name}: nobody waits for the rest of a message"),
                     tap.check(self.agree(), f"{name}: what was said, told and heard agree")]
            if not all(good):
                print("# parts of messages:", {each.name: halves[each.number]
                                               for each in self.listeners.values()})
                self.tell()
        self.progress(at, [each - begun for each in times])
        return all(good)

    def progress(self, at, times):
        """A line of what there was in this phase."""
        fates = self.ledger.fates()
        self.totals += fates
        said = [each for said in self.ledger.said.values() for each in said if not each.old]
        print(f"# phase {at}: faults until {times[0]:.0f} s, known at {times[1]:.0f}, well at "
              f"{times[2]:.0f}; {len(said)} messages of "
              f"{sum(each.size for each in said)} bytes; " +
              ", ".join(f"{count} {state}" for state, count in fates.most_common()), flush=True)

    def alive(self):
        """Whether nobody has met with what must not be."""
        good = True
        for scribe in [*self.speakers.values(), *self.listeners.values()]:
            if os.waitpid(scribe.pid, os.WNOHANG)[0]:
                print(f"# {scribe.name} has ended")
                scribe.pid = 0
                good = False
        return good

    def end(self):
        self.season.finish()
        good = [ends_well(scribe, time.monotonic() + PATIENCE)
                for scribe in [*self.speakers.values(), *self.listeners.values()] if scribe.pid]
        tap.check(all(good), "nobody has met with what must not be")
        tap.check(self.land.leave(), "the module goes, while lanes are up")
        with open("/proc/slabinfo", encoding="ascii") as file:
            tap.check("HBCAST" not in file.read(), "its slab is gone")


def main():
    seed = int(os.environ.get("HBCAST_SEED", int.from_bytes(os.urandom(4), "little")))
    seconds = int(os.environ.get("HBCAST_SECONDS", 0))
    print(f"# HBCAST_SEED={seed} HBCAST_SECONDS={seconds}", flush=True)
    hbcnl.load_module()
    with tempfile.TemporaryDirectory() as folder:
        season = Season(seed, seconds, LARGEST if seconds >= HURRY else SMALLER, folder)
        scene = Scene(season)
        assert season.actors <= ACTORS_MAX
        forecast, at, good = weather.Forecast(), 0, True
        while good and (not at or time.monotonic() < season.end):
            at += 1
            chance = season.chance("phase", at)
            good = scene.phase(at, forecast.phase(chance, forecast.branch(chance)), chance)
            good = tap.check(scene.alive(), f"phase {at}: nobody has met with what must not be") \
                and good
        print("# in all: " + ", ".join(f"{count} {state}"
                                       for state, count in scene.totals.most_common()))
        scene.end()
    tap.done()
