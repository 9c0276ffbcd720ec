// SPDX-License-Identifier: GPL-2.0
/* Forwarding: a burst onto the queue of every child. */
#include <linux/bits.h>

#include "burst.h"
#include "crc.h"
#include "forward.h"
#include "schedule.h"
#include "shortcut.h"
#include "transmit.h"

void hbc_forward_queue(struct hbc_tree *tree, struct hbc_burst *b, u64 ahead)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++) {
		if (i < HBC_SHORTCUT_EDGES && ahead & BIT_ULL(i))
			hbc_transmit_count(tree->edge[i].lane, b->len);
		else if (!READ_ONCE(tree->edge[i].lost))
			hbc_transmit_burst(tree->edge[i].lane, b);
	}
}

void hbc_forward_send(struct hbc_tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++)
		hbc_transmit_send(tree->edge[i].lane);
}

bool hbc_forward_room(struct hbc_tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++)
		if (!READ_ONCE(tree->edge[i].lost) && !hbc_transmit_room(tree->edge[i].lane))
			return false;
	return true;
}

void hbc_forward_abort(struct hbc_tree *tree, struct hbc_fragment *f)
{
	u8 frame[HBC_FRAGMENT_LEN];
	unsigned int i;

	f->crc = 0;
	hbc_wire_put_fragment(frame, tree->slot, HBC_FRAGMENT_ABORT, 0, f);
	hbc_wire_set_crc(frame, ~hbc_crc(~0, frame, sizeof(frame)));
	for (i = 0; i < tree->nr_edges; i++)
		if (!READ_ONCE(tree->edge[i].lost))
			hbc_transmit_frame(tree->edge[i].lane, frame, sizeof(frame));
	hbc_forward_send(tree);
}
