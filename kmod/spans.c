// SPDX-License-Identifier: GPL-2.0
/* Spans: a set of numbers that come in runs. */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "spans.h"

void hbc_spans_init(struct hbc_spans *s)
{
	s->span = s->few;
	s->nr = 0;
	s->room = HBC_SPANS_FEW;
}

void hbc_spans_free(struct hbc_spans *s)
{
	if (s->span != s->few)
		kfree(s->span);
	hbc_spans_init(s);
}

/* The first span that does not end before @number, or s->nr. */
static unsigned int hbc_spans_find(const struct hbc_spans *s, u64 number)
{
	unsigned int low = 0, high = s->nr;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (s->span[mid].last < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void hbc_spans_remove(struct hbc_spans *s, unsigned int at)
{
	memmove(&s->span[at], &s->span[at + 1], (--s->nr - at) * sizeof(*s->span));
}

/* Room for one more. */
static int hbc_spans_grow(struct hbc_spans *s, unsigned int max)
{
	unsigned int room = min(2 * s->room, max);
	struct hbc_span *span;

	if (s->nr >= max)
		return -ENOSPC;
	if (s->nr < s->room)
		return 0;
	span = kmalloc_array(room, sizeof(*span), GFP_ATOMIC | __GFP_NOWARN);
	if (!span)
		return -ENOMEM;
	memcpy(span, s->span, s->nr * sizeof(*span));
	if (s->span != s->few)
		kfree(s->span);
	s->span = span;
	s->room = room;
	return 0;
}

/* They touch no span; @at is the first one behind them. */
static int hbc_spans_insert(struct hbc_spans *s, unsigned int at, u64 first, u64 last,
			    unsigned int max)
{
	int err = hbc_spans_grow(s, max);

	if (err)
		return err;
	memmove(&s->span[at + 1], &s->span[at], (s->nr++ - at) * sizeof(*s->span));
	s->span[at].first = first;
	s->span[at].last = last;
	return 0;
}

int hbc_spans_add(struct hbc_spans *s, u64 first, u64 last, unsigned int max)
{
	unsigned int at = hbc_spans_find(s, first);
	bool before, after;

	if (at < s->nr && s->span[at].first <= last)
		return -EEXIST;
	before = at && s->span[at - 1].last + 1 == first;
	after = at < s->nr && s->span[at].first == last + 1;
	if (before && after) {
		s->span[at - 1].last = s->span[at].last;
		hbc_spans_remove(s, at);
	} else if (before) {
		s->span[at - 1].last = last;
	} else if (after) {
		s->span[at].first = first;
	} else {
		return hbc_spans_insert(s, at, first, last, max);
	}
	return 0;
}

void hbc_spans_force(struct hbc_spans *s, u64 number)
{
	unsigned int at = hbc_spans_find(s, number);

	if (at < 2) {
		s->span[0].first = min(s->span[0].first, number);
		s->span[0].last = max(s->span[0].last, number);
		return;
	}
	s->span[1].first = s->span[0].first;
	hbc_spans_remove(s, 0);
	/* There is room for it now. */
	hbc_spans_add(s, number, number, s->room);
}

u64 hbc_spans_last(const struct hbc_spans *s)
{
	return s->nr ? s->span[s->nr - 1].last : 0;
}

void hbc_spans_remove_run(struct hbc_spans *s)
{
	hbc_spans_remove(s, 0);
}

void hbc_spans_remove_first(struct hbc_spans *s)
{
	if (s->span[0].first == s->span[0].last)
		hbc_spans_remove(s, 0);
	else
		s->span[0].first++;
}

u64 hbc_spans_run(const struct hbc_spans *s, u64 from)
{
	unsigned int at = hbc_spans_find(s, from);

	if (at == s->nr || s->span[at].first > from)
		return 0;
	return s->span[at].last - from + 1;
}

bool hbc_spans_gap(const struct hbc_spans *s, u64 *first, u64 *last, u64 end)
{
	unsigned int at = hbc_spans_find(s, *first);

	/* Spans do not touch, so what follows one is missing. */
	if (at < s->nr && s->span[at].first <= *first)
		*first = s->span[at++].last + 1;
	if (*first >= end)
		return false;
	*last = (at < s->nr ? min(s->span[at].first, end) : end) - 1;
	return true;
}
