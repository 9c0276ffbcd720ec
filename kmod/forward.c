// SPDX-License-Identifier: GPL-2.0
/* Forwarding: a burst onto the queue of every child. */
#include <linux/bits.h>

#include "ask.h"
#include "burst.h"
#include "crc.h"
#include "forward.h"
#include "receive.h"
#include "schedule.h"
#include "shortcut.h"
#include "store.h"
#include "transmit.h"

/* Whether somebody below the edge was in none of these slots. */
static bool hbc_forward_needed(const struct hbc_tree *tree, const struct hbc_edge *edge, u64 used)
{
	const u64 *slots = tree->slots + edge->first;
	u32 i;

	for (i = 0; i < edge->nr_slots; i++)
		if (!(slots[i] & used))
			return true;
	return false;
}

static void hbc_forward_children(struct hbc_tree *tree, struct hbc_burst *b, u64 ahead, u64 used,
				 struct hbc_store *store)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++) {
		const struct hbc_edge *edge = &tree->edge[i];

		if (i < HBC_SHORTCUT_EDGES && ahead & BIT_ULL(i))
			hbc_transmit_count(edge->lane, b->len);
		else if (hbc_edge_open(edge) && (!used || hbc_forward_needed(tree, edge, used)))
			hbc_transmit_store(edge->lane, b, store, i);
	}
}

void hbc_forward_queue(struct hbc_tree *tree, struct hbc_burst *b, u64 ahead, u64 used,
		       const struct hbc_part *part)
{
	for (; tree; tree = hbc_tree_foster(tree), ahead = 0) {
		struct hbc_store *store = hbc_store_get(tree, part->message);

		hbc_forward_children(tree, b, ahead, used, store);
		if (!store)
			continue;
		if (part->last)
			hbc_store_end(tree, part->message);
		hbc_store_put(store);
	}
}

/* Whether the child lacks some of these runs. */
static bool hbc_forward_wanted(struct hbc_lane *lane, const struct hbc_run *run, unsigned int nr)
{
	for (; nr--; run++)
		if (hbc_ask_wants(lane, run->id, run->offset, run->bytes))
			return true;
	return false;
}

void hbc_forward_repair(const struct hbc_tree *tree, struct hbc_burst *b,
			const struct hbc_run *run, unsigned int nr)
{
	unsigned int i;

	for (; tree; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++)
			if (hbc_edge_open(&tree->edge[i]) &&
			    hbc_forward_wanted(tree->edge[i].lane, run, nr))
				hbc_transmit_burst(tree->edge[i].lane, b);
}

void hbc_forward_frame(const struct hbc_tree *tree, const void *frame, unsigned int len)
{
	unsigned int i;

	for (; tree; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++) {
			if (!hbc_edge_open(&tree->edge[i]))
				continue;
			hbc_transmit_frame(tree->edge[i].lane, frame, len);
			hbc_transmit_send(tree->edge[i].lane);
		}
}

void hbc_forward_block_end(struct hbc_tree *tree, const struct hbc_block_end *f,
			   const void *frame)
{
	unsigned int i;

	for (; tree; tree = hbc_tree_foster(tree)) {
		for (i = 0; i < tree->nr_edges; i++) {
			struct hbc_lane *lane = tree->edge[i].lane;

			if (!hbc_edge_open(&tree->edge[i]) || !hbc_transmit_bears(lane))
				continue;
			hbc_ask_age(lane, f->message);
			hbc_transmit_frame(lane, frame, HBC_BLOCK_END_LEN);
		}
		hbc_store_block_end(tree, f);
	}
}

void hbc_forward_send(struct hbc_tree *tree)
{
	unsigned int i;

	for (; tree; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++)
			hbc_transmit_send(tree->edge[i].lane);
}

void hbc_forward_turn(struct hbc_tree **last, struct hbc_tree *tree)
{
	if (*last && *last != tree)
		hbc_forward_send(*last);
	if (*last)
		hbc_tree_put(*last);
	*last = tree;
}

bool hbc_forward_room(struct hbc_tree *tree)
{
	unsigned int i;

	for (; tree; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++)
			if (hbc_edge_open(&tree->edge[i]) &&
			    !hbc_transmit_room(tree->edge[i].lane))
				return false;
	return true;
}

void hbc_forward_abort(struct hbc_tree *tree, struct hbc_fragment *f)
{
	u8 frame[HBC_FRAGMENT_LEN];

	f->crc = 0;
	hbc_wire_put_fragment(frame, tree->slot, HBC_FRAGMENT_ABORT, 0, f);
	hbc_wire_set_crc(frame, ~hbc_crc(~0, frame, sizeof(frame)));
	hbc_forward_frame(tree, frame, sizeof(frame));
	for (; tree; tree = hbc_tree_foster(tree))
		hbc_store_end(tree, f->message);
}
