// SPDX-License-Identifier: GPL-2.0
/* Outcomes: what became of a message at the nodes of a tree, as ranges of its preorder. */
#ifdef __KERNEL__
#include <linux/slab.h>
#else
#include <stdlib.h>
#define GFP_ATOMIC	0
#define __GFP_NOWARN	0
#define __GFP_ACCOUNT	0
#define kfree(memory)	free(memory)
#define krealloc(memory, size, flags) ((void)(flags), realloc(memory, size))
#endif

#include "session/outcome.h"

void hbc_outcomes_clear(struct hbc_outcomes *o)
{
	kfree(o->of);
	memset(o, 0, sizeof(*o));
}

/* The first entry that does not end before @node, or o->nr. */
static unsigned int find(const struct hbc_outcomes *o, u32 node)
{
	unsigned int low = 0, high = o->nr;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (o->of[mid].first + o->of[mid].count <= node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int make_room(struct hbc_outcomes *o)
{
	unsigned int room = o->room ? 2 * o->room : 4;
	struct hbc_outcome *of;

	if (o->nr < o->room)
		return 0;
	of = krealloc(o->of, room * sizeof(*of), GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	if (!of)
		return -ENOMEM;
	o->of = of;
	o->room = room;
	return 0;
}

static bool joins(const struct hbc_outcome *a, const struct hbc_outcome *b)
{
	return a->first + a->count == b->first && a->reason == b->reason;
}

/* Nodes that none of the entries has, before entry @at. */
static int insert(struct hbc_outcomes *o, unsigned int at, const struct hbc_outcome *add)
{
	struct hbc_outcome *of = o->of + at;

	if (at && joins(of - 1, add)) {
		of[-1].count += add->count;
		if (at < o->nr && joins(of - 1, of)) {
			of[-1].count += of->count;
			memmove(of, of + 1, (--o->nr - at) * sizeof(*of));
		}
	} else if (at < o->nr && joins(add, of)) {
		of->first = add->first;
		of->count += add->count;
	} else {
		if (make_room(o))
			return -ENOMEM;
		of = o->of + at;
		memmove(of + 1, of, (o->nr++ - at) * sizeof(*of));
		*of = *add;
	}
	o->nodes += add->count;
	return 0;
}

int hbc_outcomes_add(struct hbc_outcomes *o, const struct hbc_outcome *add,
		     struct hbc_outcomes *fresh)
{
	u32 end = add->first + add->count, before = o->nodes;
	struct hbc_outcome part = *add;
	unsigned int at;
	int ret = 0;

	while (ret >= 0 && part.first < end) {
		at = find(o, part.first);
		if (at < o->nr && o->of[at].first <= part.first) {
			part.first = o->of[at].first + o->of[at].count;
			continue;
		}
		part.count = end - part.first;
		if (at < o->nr && o->of[at].first < end)
			part.count = o->of[at].first - part.first;
		ret = insert(o, at, &part);
		if (!ret && fresh)
			ret = hbc_outcomes_add(fresh, &part, NULL);
		part.first += part.count;
	}
	return ret < 0 ? ret : (int)(o->nodes - before);
}

const struct hbc_outcome *hbc_outcomes_find(const struct hbc_outcomes *o, u32 node)
{
	unsigned int at = find(o, node);

	return at < o->nr && o->of[at].first <= node ? &o->of[at] : NULL;
}
