// SPDX-License-Identifier: GPL-2.0-or-later
/* Outcomes as ranges, beside an array with an entry for each node. */
#include "../lib/tap.h"
#include "session/outcome.h"

#define SEED	99
#define NODES	64
#define NONE	255

static unsigned int luck = SEED;

static unsigned int draw(unsigned int n)
{
	luck = luck * 1103515245 + 12345;
	return (luck >> 16) % n;
}

/* Ranges ascend, do not touch unless they differ, and say what the array says. */
static bool is_same(const struct hbc_outcomes *o, const u8 *reason)
{
	const struct hbc_outcome *of;
	u32 i, nodes = 0;

	for (i = 1; i < o->nr; i++) {
		const struct hbc_outcome *a = &o->of[i - 1], *b = &o->of[i];

		if (a->first + a->count > b->first)
			return false;
		if (a->first + a->count == b->first && a->reason == b->reason)
			return false;
	}
	for (i = 0; i < NODES; i++) {
		of = hbc_outcomes_find(o, i);
		if (of ? reason[i] == NONE : reason[i] != NONE)
			return false;
		if (of && of->reason != reason[i])
			return false;
		nodes += !!of;
	}
	return nodes == o->nodes;
}

/* Adds to both what they lack. Returns how many nodes that were. */
static u32 add_to(const struct hbc_outcome *add, u8 *reason)
{
	u32 i, n = 0;

	for (i = add->first; i < add->first + add->count; i++) {
		if (reason[i] != NONE)
			continue;
		reason[i] = add->reason;
		n++;
	}
	return n;
}

static bool try_round(void)
{
	struct hbc_outcomes all = { 0 }, fresh = { 0 };
	u8 reason[NODES], fresh_reason[NODES];
	struct hbc_outcome add, part;
	bool good = true;
	unsigned int i;
	u32 k, n;

	memset(reason, NONE, sizeof(reason));
	memset(fresh_reason, NONE, sizeof(fresh_reason));
	for (i = 0; i < 40 && good; i++) {
		add.first = draw(NODES);
		add.count = 1 + draw(NODES - add.first);
		add.reason = draw(4);
		for (k = add.first; k < add.first + add.count; k++) {
			part = add;
			part.first = k;
			part.count = 1;
			if (reason[k] == NONE)
				add_to(&part, fresh_reason);
		}
		n = add_to(&add, reason);
		good = hbc_outcomes_add(&all, &add, &fresh) == (int)n &&
		       is_same(&all, reason) && is_same(&fresh, fresh_reason);
	}
	hbc_outcomes_clear(&all);
	hbc_outcomes_clear(&fresh);
	return good;
}

static void test_hand(void)
{
	struct hbc_outcomes o = { 0 };
	struct hbc_outcome one = { .count = 1 }, all = { .count = 4096 };
	u32 i;

	for (i = 0; i < 4096; i += 2) {
		one.first = i;
		hbc_outcomes_add(&o, &one, NULL);
	}
	ok(o.nr == 2048 && o.nodes == 2048, "every other node of 4096 is an entry");
	ok(hbc_outcomes_add(&o, &all, NULL) == 2048 && o.nr == 1 && o.of->count == 4096,
	   "with all others they are one");
	all.reason = 1;
	ok(!hbc_outcomes_add(&o, &all, NULL) && !o.of->reason, "what is known stays");
	ok(!hbc_outcomes_find(&o, 4096), "nobody else has an outcome");
	hbc_outcomes_clear(&o);
	ok(!o.nr && !o.nodes && !hbc_outcomes_find(&o, 0), "an empty set is empty");
}

int main(void)
{
	unsigned int i, good = 0;

	test_hand();
	for (i = 0; i < 2000; i++)
		good += try_round();
	printf("# seed %d\n", SEED);
	ok(good == 2000, "ranges say what an array says");
	return tap_done();
}
