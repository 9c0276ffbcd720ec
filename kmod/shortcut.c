// SPDX-License-Identifier: GPL-2.0
/* The shortcut: a short message goes on from softirq, before any work runs. */
#include <linux/bvec.h>
#include <linux/skbuff.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "compat/send.h"
#include "lane.h"
#include "receive.h"
#include "schedule.h"
#include "shortcut.h"
#include "trace.h"
#include "transmit.h"

#define HBC_SHORTCUT_VECTORS	4

/* Vectors for all of the skb, or 0 if it is not that simple. */
static unsigned int hbc_shortcut_vectors(const struct sk_buff *skb, struct bio_vec *bv)
{
	const struct skb_shared_info *info = skb_shinfo(skb);
	unsigned int i;

	if (skb_headlen(skb) || info->frag_list || info->nr_frags > HBC_SHORTCUT_VECTORS)
		return 0;
	for (i = 0; i < info->nr_frags; i++) {
		const skb_frag_t *frag = &info->frags[i];

		if (!skb_frag_address_safe(frag) || !sendpage_ok(skb_frag_page(frag)))
			return 0;
		bvec_set_page(&bv[i], skb_frag_page(frag), skb_frag_size(frag),
			      skb_frag_off(frag));
	}
	return i;
}

/* The skb if it is all that waits, and nothing that came before is under way. */
static struct sk_buff *hbc_shortcut_skb(struct hbc_lane *lane, struct sock *sk)
{
	const struct hbc_receive *rx = &lane->rx;
	struct sk_buff *skb = skb_peek(&sk->sk_receive_queue);

	if (!skb || skb_queue_len(&sk->sk_receive_queue) != 1 ||
	    TCP_SKB_CB(skb)->seq != tcp_sk(sk)->copied_seq || skb->len < HBC_FRAGMENT_LEN)
		return NULL;
	if (test_bit(HBC_LANE_READING, &lane->flags) || test_bit(HBC_LANE_PAUSED, &lane->flags))
		return NULL;
	smp_rmb(); /* pairs with hbc_receive_turn() */
	return rx->have || rx->nr || rx->ahead ? NULL : skb;
}

/* The tree, a reference, of a message that fills the skb; or NULL. */
static struct hbc_tree *hbc_shortcut_tree(struct hbc_lane *lane, const struct sk_buff *skb,
					  const struct bio_vec *bv)
{
	const u8 *buf = page_address(bv->bv_page) + bv->bv_offset;
	struct hbc_fragment f;
	struct hbc_hdr h;

	if (bv->bv_len < HBC_FRAGMENT_LEN || hbc_wire_get_hdr(buf, &h) ||
	    h.type != HBC_FRAME_FRAGMENT || h.flags || h.slot != lane->slot ||
	    h.length != skb->len || hbc_wire_get_fragment(buf, &h, &f) ||
	    f.offset || f.used || f.total != h.length - HBC_FRAGMENT_LEN)
		return NULL;
	return hbc_tree_get(lane->sched, f.epoch, h.slot);
}

/*
 * All of @tree that matters: no child has to wait for another one, nobody for room, and
 * there are bits enough.
 */
static bool hbc_shortcut_open(const struct hbc_tree *tree)
{
	return tree->nr_edges && tree->nr_edges <= HBC_SHORTCUT_EDGES &&
	       !hbc_tree_whole(tree) &&
	       !READ_ONCE(tree->gone) && !test_bit(HBC_SCHEDULE_CHOKED, &tree->sched->flags);
}

bool hbc_shortcut(struct hbc_lane *lane, struct sock *sk)
{
	struct bio_vec bv[HBC_SHORTCUT_VECTORS];
	enum hbc_lane_state state;
	struct sk_buff *skb;
	struct hbc_tree *tree;
	unsigned int nr, i;
	u64 ahead = 0;

	/* Whoever sees READY sees what the handshake has set up. */
	state = smp_load_acquire(&lane->state);
	if (state != HBC_LANE_READY || lane->connector || sock_owned_by_user(sk))
		return false;
	skb = hbc_shortcut_skb(lane, sk);
	nr = skb ? hbc_shortcut_vectors(skb, bv) : 0;
	tree = nr ? hbc_shortcut_tree(lane, skb, bv) : NULL;
	if (!tree)
		return false;
	for (i = 0; hbc_shortcut_open(tree) && i < tree->nr_edges; i++)
		if (hbc_edge_open(&tree->edge[i]) &&
		    hbc_transmit_ahead(tree->edge[i].lane, bv, nr, skb->len))
			ahead |= BIT_ULL(i);
	if (!ahead) {
		hbc_tree_put(tree);
		return false;
	}
	trace_hbc_shortcut(lane, skb->len, ahead);
	lane->rx.ahead = ahead;
	lane->rx.ahead_tree = tree;
	return true;
}

void hbc_shortcut_reset(struct hbc_receive *rx)
{
	if (rx->ahead)
		hbc_tree_put(rx->ahead_tree);
	rx->ahead = 0;
	rx->ahead_tree = NULL;
}
