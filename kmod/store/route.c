// SPDX-License-Identifier: GPL-2.0
/* Which pieces a lane is to bring, and in which order. */
#include "store/route.h"

static u64 rate_of(const struct hbc_slots *slots, u64 set)
{
	unsigned int slot;
	u64 sum = 0;

	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		if (set >> slot & 1)
			sum += slots->weight[slot];
	return sum;
}

void hbc_route_add(struct hbc_route *route, u64 set)
{
	u64 rate = rate_of(&route->slots, set);
	unsigned int i;

	for (i = 0; i < route->nr; i++)
		if (route->class[i] == set)
			return;
	if (route->nr == HBC_ROUTE_CLASSES)
		return;
	for (i = route->nr++; i && rate_of(&route->slots, route->class[i - 1]) < rate; i--)
		route->class[i] = route->class[i - 1];
	route->class[i] = set;
}

/* Whether nodes of the set, which are not in the tree of @tag, get the piece this way. */
static bool comes_this_way(const struct hbc_route *route, u64 set, u8 tag, u32 piece)
{
	return !(set >> tag & 1) && hbc_choice(&route->slots, set, piece) == route->slot;
}

int hbc_route_rank(const struct hbc_route *route, u8 tag, u32 piece)
{
	int i;

	if (tag == route->slot)
		return 0;
	if (!comes_this_way(route, route->child, tag, piece))
		return -1;
	for (i = 0; i < route->nr; i++)
		if (comes_this_way(route, route->class[i], tag, piece))
			return i + 1;
	return route->nr;
}
