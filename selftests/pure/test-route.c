// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Routes: each piece comes to each node by one lane, and a lane brings first what is of its
 * slot, then what the fastest nodes below wait for.
 */
#include "../lib/tap.h"
#include "store/route.h"

#define SEED	8
#define SLOTS	6
#define ALL	((1ULL << SLOTS) - 1)
#define PIECES	500

static unsigned int luck = SEED;

static unsigned int draw(unsigned int n)
{
	luck = luck * 1103515245 + 12345;
	return (luck >> 16) % n;
}

static struct hbc_slots draw_slots(void)
{
	struct hbc_slots s = { .set = ALL };
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		s.weight[i] = 1 + draw(1000);
		s.step[i] = (u64)draw(1 << 15) << 49 | (u64)draw(1 << 15) << 34 | 1;
	}
	return s;
}

static struct hbc_route route_of(const struct hbc_slots *s, u8 slot, u64 child)
{
	struct hbc_route route = { .slots = *s, .slot = slot, .child = child };

	hbc_route_add(&route, child);
	return route;
}

/* Of all lanes to a node just one brings a piece, whatever slot that is of. */
static void test_once(void)
{
	unsigned int wrong = 0, i, p, lanes;
	struct hbc_slots s;
	u64 child;
	u8 slot, tag;

	for (i = 0; i < 100; i++) {
		s = draw_slots();
		child = 1 | draw(ALL + 1);
		for (p = 0; p < PIECES; p++) {
			tag = draw(SLOTS);
			for (slot = 0, lanes = 0; slot < SLOTS; slot++) {
				struct hbc_route route = route_of(&s, slot, child);

				lanes += child >> slot & 1 &&
					 hbc_route_rank(&route, tag, p) >= 0;
			}
			wrong += lanes != 1;
		}
	}
	ok(!wrong, "one lane brings each piece");
}

/* Equal weights and steps: the lowest slot of those to choose from brings all. */
static void test_ranks(void)
{
	struct hbc_slots s = { .set = ALL, .weight = { 1, 1, 1, 1, 1, 1 } };
	struct hbc_route route = { .slots = s, .slot = 1, .child = 0x0e };

	/* Below the child, which is in 1, 2, 3: a node in 1, 2, one in 1, and one in 0, 1, 2, 3. */
	hbc_route_add(&route, 0x0e);
	hbc_route_add(&route, 0x06);
	hbc_route_add(&route, 0x02);
	hbc_route_add(&route, 0x06);
	hbc_route_add(&route, 0x0f);
	ok(route.nr == 4 && route.class[0] == 0x0f && route.class[1] == 0x0e &&
	   route.class[2] == 0x06 && route.class[3] == 0x02,
	   "the different sets below, the fastest first");
	ok(hbc_route_rank(&route, 1, 5) == 0, "what is of the lane's slot comes first");
	ok(hbc_route_rank(&route, 2, 5) == -1 && hbc_route_rank(&route, 3, 5) == -1,
	   "what the child gets by its other slots is not brought");
	/* Slot 4: the node in 0 to 3 gets it by slot 0, the child and the others by slot 1. */
	ok(hbc_route_rank(&route, 4, 5) == 2, "then what the fastest that needs it here waits for");
	route.slot = 2;
	ok(hbc_route_rank(&route, 4, 5) == -1, "what another slot was chosen for is not brought");
}

static void test_full(void)
{
	struct hbc_slots s = { .set = ALL, .weight = { 1, 1, 1, 1, 1, 1 } };
	struct hbc_route route = { .slots = s, .slot = 0, .child = 1 };
	u64 set;

	for (set = 0x3f; set; set--)
		hbc_route_add(&route, set);
	ok(route.nr == HBC_ROUTE_CLASSES, "no more sets than there is room for");
	ok(hbc_route_rank(&route, 5, 3) > 0 && hbc_route_rank(&route, 5, 3) <= route.nr,
	   "what has no room is brought all the same");
}

int main(void)
{
	printf("# seed %d\n", SEED);
	test_once();
	test_ranks();
	test_full();
	return tap_done();
}
