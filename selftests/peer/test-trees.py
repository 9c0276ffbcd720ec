#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=300
"""Several trees at once: which lane brings what, and what happens when one of them breaks."""

import os
import random
import select
import threading
import time

from hbtest import hbcnl, node, tap, wire
from hbtest.node import GROUP, KEY, until
from hbtest.trees import (DEAD_MS, EVIL, MIB, RATE, ROOT, SECONDS, TREES, Scene, carried,
                          children, listen, parent, rated)

PORT = 8	# honest broadcasts go to another one
WINDOW = 16 * MIB


def send(scene, content):
    """As a file; returns the message's number."""
    fd = os.memfd_create("content")
    os.write(fd, content)
    number = node.send_file(scene.sender, fd, len(content))
    os.close(fd)
    return number


def broadcast_file(scene, content, meanwhile=None, alive=(2, 3, 4)):
    """Whether members that are alive have a file, and what the root knows of all."""
    readers = {number: node.Reader(sock) for number, sock in
               zip((2, 3, 4), scene.receivers) if number in alive}
    send(scene, content)
    if meanwhile:
        meanwhile(readers)
    good = all(reader.result() == "whole" and reader.got == content
               for reader in readers.values())
    scene.complete()
    return good, node.completion(scene.sender)


def all_have(scene, content, meanwhile=None):
    good, known = broadcast_file(scene, content, meanwhile)
    return good and set(known.values()) == {"delivered"}


def test_order(scene):
    """Messages of all sizes over all trees come in their order."""
    scene.root.apply_trees(*((0, tree) for tree in TREES))
    rng = random.Random(7)
    sent = [rng.randbytes(rng.choice((0, 1, 100, 1400, 70000, 300000))) for _ in range(150)]
    got = [[] for _ in scene.receivers]

    def read(sock, into):
        into.extend(node.take_all(sock) for _ in sent)

    threads = [threading.Thread(target=read, args=pair, daemon=True)
               for pair in zip(scene.receivers, got)]
    for thread in threads:
        thread.start()
    for data in sent:
        scene.sender.send(data)
    for thread in threads:
        thread.join(SECONDS)
    tap.check(got == [sent] * len(got), "150 messages of all sizes come in their order")


def gather(lanes, number):
    """Hears from all lanes until they have brought all of a message between them."""
    def parts():
        return {i for lane in lanes for i in lane.told[number].parts}

    for lane in lanes:
        lane.until(lambda lane=lane: number in lane.told)
    told = lanes[0].told[number]
    while len(parts()) * told.payload < told.total:
        for sock in select.select([lane.sock for lane in lanes], [], [], SECONDS)[0]:
            next(lane for lane in lanes if lane.sock is sock).hear()
    return [lane.told[number] for lane in lanes]


def test_choice(scene):
    """A member of two trees of three: each piece of the third one comes by the slot that
    the plan's rates choose, those of its own trees by theirs."""
    shares = 4 * MIB, 2 * MIB, MIB
    plan = [[(1, 2), (2, 3), (2, 4), (1, EVIL)], [(1, 3), (3, 4), (3, 2), (1, EVIL)],
            [(1, 4), (4, 2), (4, 3)]]
    with listen() as listener:
        scene.root.apply_trees(*zip(shares, plan), wait=False)
        found = children(listener, 2)
    lanes = [found[0], found[1]]
    content = os.urandom(MIB)
    readers = [node.Reader(sock) for sock in scene.receivers]
    number = send(scene, content)
    brought = gather(lanes, number)
    slots = lanes[0].slots
    tap.equal([rate for rate, _ in slots.values()], list(shares), "the plan tells the rates")
    tags = brought[0].tags | brought[1].tags
    tap.equal(set(tags.values()), {0, 1, 2}, "pieces of all slots come")
    due = {piece: tag if tag < 2 else wire.choice(slots, 3, piece) for piece, tag in tags.items()}
    tap.equal([sorted(lane.tags) for lane in brought],
              [sorted(piece for piece in due if due[piece] == slot) for slot in (0, 1)],
              "each by the lane that it is to come by")
    parts = brought[0].parts | brought[1].parts
    tap.check(b"".join(parts[i] for i in sorted(parts)) == content, "all of the file")
    lanes[0].send(wire.report(lanes[0].epoch, (number, 0, 1, wire.DELIVERED)))
    tap.check(all(reader.result() == "whole" for reader in readers), "the others have it")
    scene.complete()
    tap.equal(set(node.completion(scene.sender).values()), {"delivered"}, "the root knows")
    for lane in lanes:
        lane.close()


def learn(scene):
    """The incarnation of the root, which it tells each child."""
    with listen() as listener:
        scene.root.apply((1, 2), (2, 3), (2, 4), (1, EVIL), wait=False)
        child = children(listener, 1)[0]
        child.close()
    return child.incarnation


def cut(member, above, slot, incarnation):
    """The lane from that parent ends: another one takes its place, and goes."""
    peer = node.knock(above.number, member.number, incarnation)
    with peer.sock:
        if not peer.enter(member.number, above.number, 1, slot):
            raise ConnectionRefusedError


def connects(scene):
    return [lane["connects"] for each in scene.nodes
            for lane in each.client.dump("lane-get") if lane["direction"] == "down"]


def set_window(scene, window):
    for each in scene.nodes:
        each.client.do("group-set", id=GROUP, window=window)


def test_window(scene):
    """Many senders at once: no node gets more than it has to keep."""
    scene.root.apply_trees((0, TREES[0]))
    set_window(scene, 4 * MIB)
    # Lanes of the plan before bring what they have, and go.
    tap.check(until(SECONDS, lambda: len(connects(scene)) == 3), "one tree of four nodes is left")
    before, content = connects(scene), bytes(4 * MIB)
    senders = [scene.root.sender() for _ in range(12)]
    got = [0 for _ in scene.receivers]

    def read(number, sock):
        for _ in senders:
            got[number] += len(node.take_all(sock))

    threads = [threading.Thread(target=sock.send, args=(content,), daemon=True)
               for sock in senders]
    threads += [threading.Thread(target=read, args=pair, daemon=True)
                for pair in enumerate(scene.receivers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    tap.equal((set(got), connects(scene)), ({12 * len(content)}, before),
              "twelve windows at once come in turn")
    for sock in senders:
        sock.close()
    set_window(scene, WINDOW)


def test_cut(scene):
    """Lanes of every slot break, and nothing is lost."""
    incarnation = learn(scene)
    scene.root.apply_trees(*rated(1, 1, 1))
    content = os.urandom(MIB) * 8

    def meanwhile(readers):
        for k, (above, child, slot) in enumerate(((1, 3, 1), (4, 2, 2), (2, 4, 0), (3, 2, 1))):
            until(SECONDS, lambda k=k: len(readers[2].got) > (k + 1) * len(content) // 6)
            cut(scene.nodes[child - 1], scene.nodes[above - 1], slot, incarnation)

    before = sum(connects(scene))
    tap.check(all_have(scene, content, meanwhile), "lanes of every tree break: all have all of it")
    tap.check(until(SECONDS, lambda: sum(connects(scene)) - before >= 4), "they did break")


def test_plans(scene):
    """Trees come and go while messages are sent."""
    plans = [(rated(1, 1, 1)[:n], n) for n in (1, 3, 2, 1, 2, 3)]
    good = True
    for trees, count in plans * 2:
        epoch = scene.root.apply_trees(*trees, wait=False)
        good = scene.broadcast(os.urandom(100000)) and good
        good = until(SECONDS, lambda epoch=epoch: scene.root.ready(epoch)) and good
        good = until(SECONDS, lambda count=count: len(carried(scene.root)) == count) and good
    tap.check(good, "plans of one to three trees follow each other")
    good = True
    for trees, _ in plans:
        good = all_have(scene, os.urandom(RATE // 2), lambda _, trees=trees:
                        scene.root.apply_trees(*trees, wait=False)) and good
    tap.check(good, "and so they do in the middle of files")


def test_dead(scene):
    """A relay dies: the others have all, and the sender knows who has not."""
    scene.root.apply_trees(*rated(1, 1, 1))
    victim, content = scene.members[2], os.urandom(MIB) * 8

    def die(readers):
        until(SECONDS, lambda: len(readers[2].got) > len(content) // 4)
        node.ip("-n", "switch", "link", "set", f"p{victim.number}", "down")

    tap.equal(broadcast_file(scene, content, die, alive=(2, 3)),
              (True, {2: "delivered", 3: "delivered", 4: "node-dead"}),
              "a relay dies: the others have all of it")
    before = carried(scene.root)
    good, _ = broadcast_file(scene, content, alive=(2, 3))
    after = carried(scene.root)
    tap.equal((good, after[2] - before[2] > MIB), (True, True),
              "and where it was the first, its children are reached without it")
    node.ip("-n", "switch", "link", "set", f"p{victim.number}", "up")


def planned(slots):
    """Lanes to node 2, which is a leaf in so many trees of the attacker's."""
    incarnation = random.getrandbits(63) + 1
    peers = [parent(slot, incarnation) for slot in range(slots)]
    for peer in peers:
        peer.adopt([wire.tree_node(2, slots=(1 << slots) - 1)],
                   slots=dict.fromkeys(range(slots), 1))
    return peers


def test_slots(scene):
    """What comes by several lanes is one message, and counts once."""
    member = scene.members[0]
    receiver, content = member.receiver(PORT), bytes(range(100)) * 4
    before = member.drops()
    first, second, third = planned(3)
    told = wire.message(1, 400, PORT, 100, 1)
    parts = wire.cut(1, content, 100, 1, tags=(0, 1, 2, 2))
    second.send(told, parts[1], parts[3])
    third.send(told, parts[3], parts[2])
    tap.check(second.alive() and third.alive(), "two of three lanes bring what they have")
    tap.check(not node.readable(receiver), "which is not all")
    first.send(told, parts[0], wire.last(1))
    tap.equal(node.take_all(receiver), content, "with the third one's it is")
    tap.equal(first.outcome(1), wire.DELIVERED, "which goes up the tree of slot 0")
    first.until(lambda: first.acked == (2, 0))
    tap.check(second.alive() and second.acked is None and not second.outcomes,
              "and up no other one")
    after = member.drops()
    tap.equal(after["twice"] - before["twice"], 1, "what came twice is counted")
    second.send(wire.message(2, 400, PORT, 100, 2))
    tap.check(second.alive(), "a message that is told is known")
    third.send(wire.message(2, 400, PORT, 100, 1))
    tap.equal(third.ended(), "end", "who tells of it otherwise is cut off")
    first.leave()
    tap.equal(node.Reader(receiver).result(), "ECONNRESET", "with the session it ends")
    for each in second, third, receiver:
        each.close()


def test_early(scene):
    """What another slot has brought is told up slot 0 when the parent there knows of it."""
    first, second = planned(2)
    second.send(wire.message(1, 0, PORT))
    tap.check(second.alive() and first.alive() and first.alive(), "a message by way of slot 1")
    tap.check(not first.outcomes and first.acked in (None, (1, 0)),
              "slot 0's parent has not heard of it, and is told nothing")
    first.send(wire.message(1, 0, PORT))
    tap.equal(first.outcome(1), wire.NO_RECEIVER, "then it is")
    first.until(lambda: first.acked == (2, 0))
    first.leave()
    second.close()


def test_before(scene):
    """Who has told of no tree has nothing to say, and cannot end a session for all."""
    first, = planned(1)
    for name, found in (("MESSAGE", wire.message(1, 0, PORT)), ("LAST", wire.last(1)),
                        ("DONE", wire.done(2, (1, 1))), ("DATA", wire.data(1, 0, b"x"))):
        other = parent(0, first.incarnation, EVIL + 1)
        other.send(found)
        tap.equal(other.ended(), "end", f"{name} before a tree")
        other.close()
    other = parent(0, first.incarnation, EVIL + 1)
    other.send(wire.over(wire.OVER_ALL))
    tap.check(other.alive() and first.alive(), "OVER is the end of that lane alone")
    other.close()
    first.leave()


def test_again(scene):
    """A parent whose lane broke is told again what those below had told."""
    nodes = [wire.tree_node(2, children=1), wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")]
    incarnation = random.getrandbits(63) + 1
    with listen() as listener:
        above = parent(0, incarnation)
        above.tell(nodes, 1)
        below = children(listener, 1)[0]
        above.until(lambda: above.agreed and 1 in above.connected)
        above.send(wire.message(1, 0, PORT))
        below.until(lambda: 1 in below.told)
        below.send(wire.ack(2), wire.report(1, (1, 0, 1, wire.CLOSED)))
        tap.equal(above.outcome(1, 1), wire.CLOSED, "a child's outcome is told")
        above.close()
        again = parent(0, incarnation)
        again.tell(nodes, 1)
        again.until(lambda: again.agreed)
        again.send(wire.message(1, 0, PORT))
        tap.equal((again.outcome(1, 0), again.outcome(1, 1)), (wire.NO_RECEIVER, wire.CLOSED),
                  "and over a new lane once more, with the node's own")
        tap.check(below.alive() and below.alive(), "the child is left alone")
        again.leave()
        below.close()


def test_returned(scene):
    """A node without a parent tells of no tree: others may serve its children by now. A child
    that had asked for an end, and comes back, is told all anew."""
    nodes = [wire.tree_node(2, children=1), wire.tree_node(EVIL, address=f"10.9.0.{EVIL}")]
    incarnation = random.getrandbits(63) + 1
    with listen() as listener:
        above = parent(0, incarnation)
        above.tell(nodes)
        below = children(listener, 1)[0]
        above.close()
        tap.check(until(SECONDS, lambda: not any(
            lane["root"] == ROOT and lane["direction"] == "up"
            for lane in scene.members[0].client.dump("lane-get"))), "a relay loses its parent")
        below.close()
        below = wire.Child(listener.accept()[0], GROUP, KEY)
        below.enter_as(EVIL)
        tap.check(below.alive() and below.alive() and not below.slots,
                  "and tells a child that comes back of no plan")
        above = parent(0, incarnation)
        above.tell(nodes)
        tap.equal(below.settle(), 1, "until it has a parent again")
        below.send(wire.stop())
        below.until(lambda: below.over is not None)
        below.close()
        below = children(listener, 1)[0]
        tap.equal(below.epoch, 1, "one that was told OVER hears of its tree when it comes back")
        above.leave()
        below.close()


def test_left(scene):
    """A parent takes the place of another one, and is lost: the other one is to begin again."""
    incarnation = random.getrandbits(63) + 1
    old = parent(0, incarnation)
    old.adopt([wire.tree_node(2)])
    new = parent(0, incarnation, EVIL + 1)
    new.tell([wire.tree_node(2)])
    old.until(lambda: old.stopped)
    old.send(wire.over())
    new.until(lambda: new.agreed)
    begun = time.monotonic()
    new.close()
    tap.check(old.ended() == "end" and time.monotonic() - begun < DEAD_MS / 1000,
              "a parent that had been replaced is asked to begin again at once")
    old.close()
    old = parent(0, incarnation)
    tap.equal(old.adopt([wire.tree_node(2)]), (0, 0), "and does so")
    old.leave()


def test_roots(scene):
    """Short messages of each root come in order, though one of another root waits, too."""
    receiver, content = scene.members[0].receiver(PORT), [bytes([i]) * 200 for i in range(4)]
    peers = [parent(0, random.getrandbits(63) + 1, EVIL + i, ROOT + i) for i in range(2)]
    for i, peer in enumerate(peers):
        peer.adopt([wire.tree_node(2)])
        peer.send(wire.message(1, 200, PORT, 100, 1), wire.cut(1, content[2 * i], 100, 1)[0])
        tap.check(peer.alive(), "half of a message")
    for i, peer in enumerate(peers):
        peer.give(2, content[2 * i + 1], PORT)
        tap.check(peer.alive() and not node.readable(receiver), "the next one waits for it")
    for i, peer in enumerate(peers):
        peer.send(wire.cut(1, content[2 * i], 100, 1)[1])
        tap.equal([node.take_all(receiver) for _ in range(2)], content[2 * i:2 * i + 2],
                  "and comes behind it")
    for peer in peers:
        peer.leave()
    receiver.close()


def test_handover(scene):
    """A slot gets another parent: it is told what is here when the one before has no more
    to say."""
    receiver, content = scene.members[0].receiver(PORT), bytes(range(200))
    incarnation = random.getrandbits(63) + 1
    old = parent(0, incarnation)
    old.adopt([wire.tree_node(2)])
    one, two, three, four = wire.cut(1, content, 50, 1)
    old.send(wire.message(1, 200, PORT, 50, 1), one)
    new = parent(0, incarnation, EVIL + 1)
    new.tell([wire.tree_node(2)], 2)
    new.until(lambda: 2 in new.connected)
    old.until(lambda: old.stopped)
    tap.check(new.alive() and new.alive() and not new.agreed,
              "the one before has been asked for an end, and nothing is asked for yet")
    old.send(two, wire.over())
    new.until(lambda: new.agreed)
    tap.equal(new.have, {1: {0, 1}}, "what came until then is here")
    new.send(wire.message(1, 200, PORT, 50, 1), three)
    late = parent(0, incarnation, EVIL + 2)
    late.tell([wire.tree_node(2)], 1)
    tap.check(late.alive() and late.alive() and not late.connected,
              "who has not heard of the newest plan is not followed")
    last = parent(0, incarnation, EVIL + 3)
    last.tell([wire.tree_node(2)], 2)
    new.until(lambda: new.stopped)
    new.finish()
    tap.equal(new.ended(), "end", "another one goes without a word")
    last.until(lambda: last.agreed)
    tap.equal(last.have, {1: {0, 1, 2}}, "which does as well")
    last.send(wire.message(1, 200, PORT, 50, 1), four)
    tap.equal(node.take_all(receiver), content, "all four have brought a message")
    last.leave()
    for peer in old, new, late:
        peer.close()
    receiver.close()


def test_end(scene):
    """At the end of a file the lane that owes nothing is asked for its part of what the other
    one owes, from the end; each is told of what comes on the other, once it comes."""
    receiver, content = scene.members[0].receiver(PORT), os.urandom(6000)
    slots = {0: (3 * MIB, 0x9e3779b97f4a7c15), 1: (MIB, 0xd1b54a32d192ed03),
             2: (4 * MIB, 0xaef17502108ef2d9)}
    incarnation = random.getrandbits(63) + 1
    fast, slow = peers = [parent(slot, incarnation) for slot in (0, 1)]
    for peer in peers:
        peer.adopt([wire.tree_node(2, slots=3)], slots=slots)
        peer.send(wire.message(1, len(content), PORT, 100, 1, wire.FILE), wire.last(1))
    pieces = wire.cut(1, content, 100, 1, tags=2)
    owed = [[piece for piece in range(60) if wire.choice(slots, 3, piece) == slot]
            for slot in (0, 1)]
    tap.check(all(peer.alive() and not peer.wants for peer in peers),
              "as long as both lanes owe something, none is asked")
    slow.send(*(pieces[piece] for piece in owed[1]))
    part = len(owed[0]) // 4
    slow.until(lambda: len(slow.wants) >= part)
    moved = owed[0][-part:]
    tap.equal((slow.wants, slow.alive(), len(slow.wants)), ([(1, piece) for piece in moved], True,
                                                            part),
              f"one of a quarter of the rate is asked for a quarter of {len(owed[0])} pieces")
    tap.check(fast.alive() and 1 not in fast.have, "the other one goes on meanwhile")
    slow.send(pieces[moved[0]])
    fast.until(lambda: 1 in fast.have)
    tap.equal(fast.have[1], {moved[0]}, "until a piece comes")
    fast.send(pieces[moved[-1]])
    slow.until(lambda: 1 in slow.have)
    tap.equal(slow.have[1], {moved[-1]}, "as does the one that was asked")
    fast.send(*(pieces[piece] for piece in owed[0][:-part]))
    slow.send(*(pieces[piece] for piece in moved[1:-1]))
    tap.check(node.take_all(receiver) == content, "all of the file")
    fast.leave()
    slow.close()
    receiver.close()


def test_end_breaks(scene):
    """The lane that was asked breaks in the middle of a piece, of which the other one has been
    told: that is asked for it then, as the next parent in the slot knows nothing."""
    receiver, content = scene.members[0].receiver(PORT), os.urandom(8000)
    slots = {0: (MIB, 0x9e3779b97f4a7c15), 1: (MIB, 0xd1b54a32d192ed03),
             2: (MIB, 0xaef17502108ef2d9)}
    incarnation = random.getrandbits(63) + 1
    first, second = peers = [parent(slot, incarnation) for slot in (0, 1)]
    for peer in peers:
        peer.adopt([wire.tree_node(2, slots=3)], slots=slots)
        peer.send(wire.message(1, len(content), PORT, 100, 2, wire.FILE), wire.last(1))
    halves = wire.cut(1, content, 100, 2, tags=2)

    def both(pieces):
        return [halves[2 * piece + half] for piece in pieces for half in (0, 1)]

    owed = [[piece for piece in range(40) if wire.choice(slots, 3, piece) == slot]
            for slot in (0, 1)]
    second.send(*both(owed[1]))
    second.until(lambda: second.wants)
    piece = second.wants[-1][1]
    second.send(halves[2 * piece])
    first.until(lambda: piece in first.have.get(1, ()))
    second.close()
    second = parent(1, incarnation)
    second.adopt([wire.tree_node(2, slots=3)], slots=slots)
    first.until(lambda: first.wants)
    tap.equal(first.wants, [(1, piece)], "a piece of which half has come is asked for again")
    first.send(*both(owed[0]))
    tap.check(node.take_all(receiver) == content, "and all of the file is there")
    first.leave()
    second.close()
    receiver.close()


def test_below(scene):
    """A relay says that no more comes when its own parent has said so, and is to be asked
    in slot 0 for what it knows of messages."""
    content = bytes(range(200))
    nodes = [wire.tree_node(2, children=1, slots=3),
             wire.tree_node(EVIL, slots=3, address=f"10.9.0.{EVIL}")]
    incarnation, plan = random.getrandbits(63) + 1, {0: 1, 1: 1}
    with listen() as listener, scene.members[0].receiver(PORT) as receiver:
        above = [parent(slot, incarnation) for slot in (0, 1)]
        for peer in above:
            peer.tell(nodes, 1, plan)
        lanes = children(listener, 2)
        for peer in above:
            peer.until(lambda peer=peer: peer.agreed and 1 in peer.connected)
        above[0].send(wire.message(1, 200, PORT, 50, 2), *wire.cut(1, content, 50, 2))
        tap.equal(lanes[0].gets(1), content, "a relay passes a message on")
        tap.check(lanes[0].alive() and lanes[0].alive() and not lanes[0].lasts,
                  "and waits for word that there is no more")
        above[1].send(wire.message(1, 200, PORT, 50, 2), wire.last(1))
        lanes[1].until(lambda: 1 in lanes[1].lasts)
        tap.check(lanes[0].alive() and lanes[0].alive() and not lanes[0].lasts,
                  "which is another thing in each slot")
        above[0].send(wire.last(1))
        lanes[0].until(lambda: 1 in lanes[0].lasts)
        tap.equal((lanes[0].told[1].order, lanes[1].told[1].order), ([0, 1, 2, 3], []),
                  "each lane brings the pieces of its slot, in order")
        tap.equal(node.take_all(receiver), content, "and the relay has it, too")
        lanes[0].send(wire.ack(2), wire.report(1, (1, 0, 1, wire.CLOSED)))
        tap.equal((above[0].outcome(1, 0), above[0].outcome(1, 1)),
                  (wire.DELIVERED, wire.CLOSED), "what becomes of it below is told above")
        above[0].until(lambda: above[0].acked == (2, 0))
        for name, frame in ("reports", wire.report(1, (1, 0, 1, 0))), ("acknowledges", wire.ack(2)):
            lanes[1].send(frame)
            tap.equal(lanes[1].ended(), "end", f"who {name} in another slot is cut off")
            lanes[1].close()
            lanes[1] = children(listener, 1)[1]
        above[0].leave()
        lanes[0].until(lambda: lanes[0].over == wire.OVER_ALL)
        tap.equal(lanes[0].ended(), "end", "the end of the session goes down the tree")
        for each in [above[1], *lanes.values()]:
            each.close()


def relayed(slots):
    """A relay between the attacker as its parent in each slot, and as its child."""
    all_slots = (1 << slots) - 1
    nodes = [wire.tree_node(2, children=1, slots=all_slots),
             wire.tree_node(EVIL, slots=all_slots, address=f"10.9.0.{EVIL}")]
    incarnation = random.getrandbits(63) + 1
    with listen() as listener:
        above = [parent(slot, incarnation) for slot in range(slots)]
        for peer in above:
            peer.tell(nodes, 1, {slot: 1 for slot in range(slots)})
        return above, children(listener, slots)


def test_over(scene):
    """Without its parent a session is over for all below at once, but in slot 0 alone."""
    above, below = relayed(2)
    above[1].send(wire.over(wire.OVER_LOST))
    tap.check(above[0].alive() and below[0].alive() and below[1].alive(),
              "that slot 1's parent has lost the root is no end")
    with scene.members[0].receiver(PORT) as receiver:
        above[0].send(wire.message(1, 20, PORT, 10, 1), wire.cut(1, bytes(20), 10, 1)[0])
        reader = node.Reader(receiver)
        tap.check(above[0].alive(), "a message begins")
        above[0].send(wire.over(wire.OVER_LOST))
        for slot, lane in below.items():
            lane.until(lambda lane=lane: lane.over is not None)
            tap.equal(lane.over, wire.OVER_LOST, f"slot 0's parent has, slot {slot} is told so")
        tap.equal(reader.result(), "ECONNRESET", "and who reads a message")
    for lane in [*above, *below.values()]:
        lane.close()
    above, below = relayed(1)
    above[0].close()
    begun = time.monotonic()
    below[0].until(lambda: below[0].over is not None)
    tap.equal(below[0].over, wire.OVER_LOST, "who has lost its parent says so")
    tap.check(time.monotonic() - begun > 4 * DEAD_MS / 1000 - 1, "not before patience ends")
    below[0].close()


def main():
    hbcnl.load_module()
    scene = Scene()
    node.plug(EVIL)
    scene.root.client.do("peer-new", id=EVIL, ipv4=f"10.9.0.{EVIL}")
    set_window(scene, WINDOW)
    for test in (test_order, test_window, test_choice, test_cut, test_plans, test_slots,
                 test_early, test_before, test_again, test_returned, test_left, test_roots,
                 test_handover, test_end, test_end_breaks, test_below, test_over,
                 test_dead):
        test(scene)
    scene.end()
    tap.done()


if __name__ == "__main__":
    main()
