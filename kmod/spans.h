/* SPDX-License-Identifier: GPL-2.0 */
/* Spans: a set of numbers that come in runs, as ids of messages or bytes of one. */
#ifndef _HBC_SPANS_H
#define _HBC_SPANS_H

#include <linux/types.h>

#define HBC_SPANS_FEW	2

struct hbc_span {
	u64 first;
	u64 last;
};

/**
 * struct hbc_spans - a set
 * @span: in ascending order, with gaps between them; @few or owned
 * @nr: entries of @span
 * @room: entries that it has room for
 * @few: for most sets, which so need no memory of their own
 *
 * Protected by its user's lock. It points into itself, so it does not move.
 */
struct hbc_spans {
	struct hbc_span *span;
	unsigned int nr;
	unsigned int room;
	struct hbc_span few[HBC_SPANS_FEW];
};

/* An empty one. Context: any, as all that follow. */
void hbc_spans_init(struct hbc_spans *s);
void hbc_spans_free(struct hbc_spans *s);

/**
 * hbc_spans_add() - add a run of numbers
 * @s: set
 * @first: the lowest
 * @last: the highest, not below @first
 * @max: spans that the set may have
 *
 * Return: 0; -EEXIST when some of them are there already, -ENOSPC when there
 * would be more than @max spans, -ENOMEM: the set is as it was.
 */
int hbc_spans_add(struct hbc_spans *s, u64 first, u64 last, unsigned int max);

/*
 * Add @number, which is not there, to a set that can have no more spans, of
 * which there are two at least: all that is missing below the second span, or
 * below @number if that comes first, counts as there.
 */
void hbc_spans_force(struct hbc_spans *s, u64 number);

/* The highest number, or 0 of an empty set. */
u64 hbc_spans_last(const struct hbc_spans *s);
/* Take the lowest run away, of a set that is not empty. */
void hbc_spans_remove_run(struct hbc_spans *s);
/* Take the lowest number away, of a set that has one. */
void hbc_spans_remove_first(struct hbc_spans *s);

/* How many numbers from @from on are there without a gap. */
u64 hbc_spans_run(const struct hbc_spans *s, u64 from);

/*
 * The first that are missing from *@first on: whether there are any up to @end,
 * which is not one of them. They are *@first to *@last then.
 */
bool hbc_spans_gap(const struct hbc_spans *s, u64 *first, u64 *last, u64 end);

#endif /* _HBC_SPANS_H */
