// SPDX-License-Identifier: GPL-2.0
/* What became of a message at each member, as its root knows it. */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "config/group.h"
#include "root/origin.h"
#include "root/sent.h"
#include "root/source.h"
#include "session/child.h"
#include "session/message.h"
#include "session/outcome.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/cursor.h"
#include "wire/shape.h"

struct hbc_sent *hbc_sent_new(struct hbc_source *source, u64 total)
{
	struct hbc_session *s = source->s;
	struct hbc_tree *tree;
	struct hbc_sent *sent;
	u32 i;

	spin_lock_bh(&s->lock);
	tree = s->tree[HBC_SLOT_ALL];
	if (tree)
		kref_get(&tree->ref);
	spin_unlock_bh(&s->lock);
	if (!tree)
		return ERR_PTR(-ENETUNREACH);
	sent = kvzalloc(struct_size(sent, member, tree->nr - 1), GFP_KERNEL_ACCOUNT);
	if (!sent) {
		hbc_tree_put(tree);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&sent->ref);
	INIT_LIST_HEAD(&sent->link);
	kref_get(&source->ref);
	sent->source = source;
	sent->total = total;
	sent->epoch = tree->epoch;
	sent->nr = tree->nr - 1;
	for (i = 0; i < sent->nr; i++)
		sent->member[i].node = be32_to_cpu(tree->node[i + 1].node);
	sort(sent->member, sent->nr, sizeof(sent->member[0]), hbc_shape_compare, NULL);
	hbc_tree_put(tree);
	return sent;
}

static void hbc_sent_free(struct kref *ref)
{
	struct hbc_sent *sent = container_of(ref, struct hbc_sent, ref);

	hbc_source_put(sent->source);
	kvfree(sent);
}

void hbc_sent_put(struct hbc_sent *sent)
{
	kref_put(&sent->ref, hbc_sent_free);
}

static struct hbcast_member *hbc_sent_member(struct hbc_sent *sent, u32 node)
{
	return bsearch(&node, sent->member, sent->nr, sizeof(sent->member[0]), hbc_shape_compare);
}

/* A member's part becomes final. origin->lock held. */
static void hbc_sent_settle(struct hbc_sent *sent, struct hbcast_member *member, u8 reason)
{
	lockdep_assert_held(&sent->source->s->origin->lock);
	if (!member || member->state != HBCAST_PENDING)
		return;
	member->state = reason ? HBCAST_FAILED : HBCAST_DELIVERED;
	member->reason = reason;
	member->time_ns = ktime_get_ns() - sent->accepted;
	if (reason) {
		WRITE_ONCE(sent->failed, sent->failed + 1);
	} else {
		member->bytes = sent->total;
		sent->delivered++;
	}
}

/* Bytes that have gone to the lanes. origin->lock held, or the message is complete. */
static u64 hbc_sent_given(const struct hbc_sent *sent)
{
	const struct hbc_store *store = sent->message ? sent->message->store : NULL;
	u32 given = store ? READ_ONCE(store->given) : 0;

	lockdep_assert(!READ_ONCE(sent->message) ||
		       lockdep_is_held(&sent->source->s->origin->lock));
	if (!store)
		return sent->given;
	if (given == store->nr)
		return sent->total;
	return hbc_geometry_offset(&store->info.cut, given * store->info.cut.per_piece);
}

/*
 * Members whose part is not final, and which are lost: how many. They fail in @as, of which the
 * first @max are there. session->lock and origin->lock held.
 */
static u32 hbc_sent_lost(struct hbc_sent *sent, struct hbcast_member *as, u32 max)
{
	const struct hbc_session *s = sent->source->s;
	const struct hbc_tree *tree = s->tree[HBC_SLOT_ALL];
	struct hbcast_member *member;
	unsigned int p;
	u32 nr = 0, i;

	lockdep_assert_held(&s->lock);
	lockdep_assert_held(&s->origin->lock);
	for_each_set_bit(p, s->lost.now, tree ? tree->nr : 0) {
		member = hbc_sent_member(sent, be32_to_cpu(tree->node[p].node));
		if (!member || member->state != HBCAST_PENDING)
			continue;
		nr++;
		i = member - sent->member;
		if (i >= max)
			continue;
		as[i].state = HBCAST_FAILED;
		as[i].reason = HBCAST_REASON_NODE_DEAD;
		as[i].time_ns = ktime_get_ns() - sent->accepted;
	}
	return nr;
}

void hbc_sent_look(struct hbc_sent *sent)
{
	struct hbc_session *s = sent->source->s;
	struct hbc_message *m = NULL;
	u32 pending;

	spin_lock_bh(&s->lock);
	spin_lock(&s->origin->lock);
	pending = sent->nr - sent->delivered - sent->failed;
	if (pending <= bitmap_weight(s->lost.now, HBC_MAX_MEMBERS) &&
	    hbc_sent_lost(sent, NULL, 0) == pending)
		WRITE_ONCE(sent->failed,
			   sent->failed + hbc_sent_lost(sent, sent->member, sent->nr));
	if (sent->delivered + sent->failed == sent->nr && sent->message) {
		m = sent->message;
		sent->given = hbc_sent_given(sent);
		WRITE_ONCE(sent->message, NULL);
	}
	spin_unlock(&s->origin->lock);
	spin_unlock_bh(&s->lock);
	if (!m)
		return;
	hbc_message_end(m);
	hbc_source_completed(sent->source, sent);
	hbc_message_put(m);
}

void hbc_root_report(struct hbc_message *m, const struct hbc_tree *tree,
		     const struct hbc_outcome *outcome)
{
	struct hbc_sent *sent = m->sent;
	struct hbc_origin *origin = sent->source->s->origin;
	u32 i;

	spin_lock_bh(&origin->lock);
	for (i = outcome->first; i < outcome->first + outcome->count && i < tree->nr; i++)
		hbc_sent_settle(sent, hbc_sent_member(sent, be32_to_cpu(tree->node[i].node)),
				outcome->reason);
	spin_unlock_bh(&origin->lock);
	hbc_sent_look(sent);
}

void hbc_sent_fail(struct hbc_sent *sent, const u32 *keep, u32 nr, u8 reason)
{
	struct hbc_session *s = sent->source->s;
	u32 i;

	spin_lock_bh(&s->lock);
	spin_lock(&s->origin->lock);
	if (!keep)
		WRITE_ONCE(sent->failed,
			   sent->failed + hbc_sent_lost(sent, sent->member, sent->nr));
	for (i = 0; i < sent->nr; i++)
		if (!keep || !hbc_group_lists(keep, nr, sent->member[i].node))
			hbc_sent_settle(sent, &sent->member[i], reason);
	spin_unlock(&s->origin->lock);
	spin_unlock_bh(&s->lock);
	hbc_sent_look(sent);
}

/* All below the child that are reached have that much, if they are to have it. */
static void hbc_sent_arrived(struct hbc_sent *sent, const struct hbc_child *child, u64 bytes)
{
	const struct hbc_edge *edge = hbc_child_edge(child);
	struct hbcast_member *member;
	u32 i;

	for (i = edge->first; i < edge->first + edge->size; i++) {
		member = hbc_sent_member(sent, be32_to_cpu(child->tree->node[i].node));
		if (member && member->state == HBCAST_PENDING &&
		    !hbc_lost_any(sent->source->s, i, 1))
			member->bytes = max(member->bytes, bytes);
	}
}

/* Bytes that members have whose part is not final. session->lock and origin->lock held. */
static void hbc_sent_progress(struct hbc_sent *sent)
{
	const struct hbc_cursor *c;
	struct hbc_child *child;

	lockdep_assert_held(&sent->source->s->lock);
	lockdep_assert_held(&sent->source->s->origin->lock);
	list_for_each_entry(child, &sent->source->s->children, link) {
		c = sent->message && child->slot == HBC_SLOT_ALL ?
		    hbc_child_cursor(child, sent->message->store) : NULL;
		if (c && c->arrived)
			hbc_sent_arrived(sent, child, c->arrived);
	}
}

void hbc_sent_describe(const struct hbc_sent *sent, struct hbcast_completion *c)
{
	memset(c, 0, sizeof(*c));
	c->message = sent->number;
	c->total = sent->total;
	c->sent = hbc_sent_given(sent);
	c->members = sent->nr;
	c->delivered = sent->delivered;
	c->failed = sent->failed;
}

struct hbcast_completion *hbc_sent_completion(struct hbc_sent *sent, u32 max)
{
	struct hbc_session *s = sent->source->s;
	struct hbcast_completion *c;

	max = min(max, sent->nr);
	c = kvzalloc(struct_size(c, member, max), GFP_KERNEL);
	if (!c)
		return NULL;
	spin_lock_bh(&s->lock);
	spin_lock(&s->origin->lock);
	hbc_sent_describe(sent, c);
	if (max)
		hbc_sent_progress(sent);
	memcpy(c->member, sent->member, max * sizeof(c->member[0]));
	/* Unless they come back in time. */
	c->failed += hbc_sent_lost(sent, c->member, max);
	spin_unlock(&s->origin->lock);
	spin_unlock_bh(&s->lock);
	return c;
}
