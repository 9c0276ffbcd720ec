// SPDX-License-Identifier: GPL-2.0
/* A history: which messages of a schedule have begun here. */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "history.h"

#define HBC_HISTORY_MIN	8

struct hbc_history_span {
	u64 first;
	u64 last;
};

int hbc_history_init(struct hbc_history *h)
{
	h->span = kmalloc_array(HBC_HISTORY_MIN, sizeof(*h->span), GFP_KERNEL);
	if (!h->span)
		return -ENOMEM;
	h->nr = 0;
	h->max = HBC_HISTORY_MIN;
	return 0;
}

void hbc_history_free(struct hbc_history *h)
{
	kfree(h->span);
}

/* The first span that does not end before @id, or h->nr. */
static unsigned int hbc_history_find(const struct hbc_history *h, u64 id)
{
	unsigned int low = 0, high = h->nr;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (h->span[mid].last < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void hbc_history_remove(struct hbc_history *h, unsigned int at)
{
	memmove(&h->span[at], &h->span[at + 1], (--h->nr - at) * sizeof(*h->span));
}

/* Whether there is room for one more span. */
static bool hbc_history_room(struct hbc_history *h)
{
	unsigned int max = min(2 * h->max, (unsigned int)HBC_HISTORY_MAX);
	struct hbc_history_span *span;

	if (h->nr < h->max)
		return true;
	if (max == h->max)
		return false;
	span = krealloc_array(h->span, max, sizeof(*span), GFP_ATOMIC | __GFP_NOWARN);
	if (!span)
		return false;
	h->span = span;
	h->max = max;
	return true;
}

/* @id touches no span; @at is the first one behind it. */
static void hbc_history_insert(struct hbc_history *h, unsigned int at, u64 id)
{
	if (!hbc_history_room(h)) {
		/* The oldest gap goes, with @id if that is where it belongs. */
		if (at < 2) {
			h->span[0].first = min(h->span[0].first, id);
			h->span[0].last = max(h->span[0].last, id);
			return;
		}
		h->span[1].first = h->span[0].first;
		hbc_history_remove(h, 0);
		at--;
	}
	memmove(&h->span[at + 1], &h->span[at], (h->nr++ - at) * sizeof(*h->span));
	h->span[at].first = id;
	h->span[at].last = id;
}

bool hbc_history_add(struct hbc_history *h, u64 id)
{
	unsigned int at = hbc_history_find(h, id);
	bool before, after;

	if (at < h->nr && h->span[at].first <= id)
		return false;
	before = at && h->span[at - 1].last + 1 == id;
	after = at < h->nr && h->span[at].first == id + 1;
	if (before && after) {
		h->span[at - 1].last = h->span[at].last;
		hbc_history_remove(h, at);
	} else if (before) {
		h->span[at - 1].last = id;
	} else if (after) {
		h->span[at].first = id;
	} else {
		hbc_history_insert(h, at, id);
	}
	return true;
}
