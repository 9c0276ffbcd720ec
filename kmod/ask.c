// SPDX-License-Identifier: GPL-2.0
/* Asks: what the child at the other end of a lane lacks. */
#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ask.h"
#include "lane.h"
#include "wire.h"

#define HBC_ASK_RANGES	(2U * HBC_NACK_MAX_RANGES)	/* of a message, remembered */

/**
 * struct hbc_ask - what a child lacks of one message
 * @link: lane->asks, the one that was noted last at the end
 * @message: its id
 * @old: from before the child was told of the message last
 * @nr: entries of @range
 * @range: what of it
 */
struct hbc_ask {
	struct list_head link;
	u64 message;
	bool old;
	unsigned int nr;
	struct hbc_range range[];
};

/* lane->queue_lock held. */
static struct hbc_ask *hbc_ask_find(const struct hbc_lane *lane, u64 message)
{
	struct hbc_ask *ask;

	list_for_each_entry(ask, &lane->asks, link)
		if (ask->message == message)
			return ask;
	return NULL;
}

/* lane->queue_lock held. */
static void hbc_ask_remove(struct hbc_lane *lane, struct hbc_ask *ask)
{
	list_del(&ask->link);
	lane->nr_asks--;
}

/* Ranges of @message to which others are added; nobody else does that. */
static unsigned int hbc_ask_count(struct hbc_lane *lane, u64 message)
{
	const struct hbc_ask *ask;
	unsigned int nr;

	spin_lock_bh(&lane->queue_lock);
	ask = hbc_ask_find(lane, message);
	nr = ask && !ask->old ? ask->nr : 0;
	spin_unlock_bh(&lane->queue_lock);
	return nr;
}

void hbc_ask_note(struct hbc_lane *lane, const struct hbc_nack *f, const struct hbc_range *range)
{
	unsigned int room = min(f->count + hbc_ask_count(lane, f->message), HBC_ASK_RANGES);
	struct hbc_ask *ask = kmalloc(struct_size(ask, range, room), GFP_KERNEL), *old;

	if (!ask)
		return;
	ask->message = f->message;
	ask->old = false;
	ask->nr = f->count;
	memcpy(ask->range, range, f->count * sizeof(*range));
	spin_lock_bh(&lane->queue_lock);
	old = hbc_ask_find(lane, f->message);
	if (old && !old->old && old->nr <= room - ask->nr) {
		memcpy(&ask->range[ask->nr], old->range, old->nr * sizeof(*range));
		ask->nr += old->nr;
	}
	if (!old && lane->nr_asks == HBC_ASKS_MAX)
		old = list_first_entry(&lane->asks, struct hbc_ask, link);
	if (old)
		hbc_ask_remove(lane, old);
	list_add_tail(&ask->link, &lane->asks);
	lane->nr_asks++;
	spin_unlock_bh(&lane->queue_lock);
	kfree(old);
}

void hbc_ask_age(struct hbc_lane *lane, u64 message)
{
	struct hbc_ask *ask;

	spin_lock_bh(&lane->queue_lock);
	ask = hbc_ask_find(lane, message);
	if (ask)
		ask->old = true;
	spin_unlock_bh(&lane->queue_lock);
}

bool hbc_ask_wants(struct hbc_lane *lane, u64 message, u64 first, u64 bytes)
{
	const struct hbc_ask *ask;
	bool wants = false;
	unsigned int i;

	spin_lock_bh(&lane->queue_lock);
	ask = hbc_ask_find(lane, message);
	for (i = 0; ask && i < ask->nr && !wants; i++)
		wants = ask->range[i].first < first + bytes &&
			first < ask->range[i].first + ask->range[i].bytes;
	spin_unlock_bh(&lane->queue_lock);
	return wants;
}

void hbc_ask_clear(struct hbc_lane *lane)
{
	struct hbc_ask *ask, *next;
	LIST_HEAD(old);

	spin_lock_bh(&lane->queue_lock);
	list_splice_init(&lane->asks, &old);
	lane->nr_asks = 0;
	spin_unlock_bh(&lane->queue_lock);
	list_for_each_entry_safe(ask, next, &old, link)
		kfree(ask);
}
