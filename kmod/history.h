/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A history: which messages of a schedule have begun here, so that none is
 * delivered twice.
 *
 * A root numbers its messages one by one, and most begin in that order: their
 * ids make few spans, usually one. There are HBC_HISTORY_MAX at most; one more,
 * or no memory for it, and the oldest gap counts as begun.
 */
#ifndef _HBC_HISTORY_H
#define _HBC_HISTORY_H

#include <linux/types.h>

#define HBC_HISTORY_MAX	4096

struct hbc_history_span;

/**
 * struct hbc_history - a set of ids
 * @span: in ascending order, with gaps between them; owned
 * @nr: entries of @span
 * @max: entries that it has room for
 *
 * Protected by its user's lock.
 */
struct hbc_history {
	struct hbc_history_span *span;
	unsigned int nr;
	unsigned int max;
};

/* An empty one: 0 or -ENOMEM. Context: process. */
int hbc_history_init(struct hbc_history *h);
void hbc_history_free(struct hbc_history *h);
/* Whether @id, which is not 0, is new; it is among them from now on. Context: any. */
bool hbc_history_add(struct hbc_history *h, u64 id);

#endif /* _HBC_HISTORY_H */
