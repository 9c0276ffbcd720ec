// SPDX-License-Identifier: GPL-2.0
/* The root's part of a session: slots, members, and the sockets that send. */
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "root/origin.h"
#include "root/sent.h"
#include "root/source.h"
#include "session/child.h"
#include "session/message.h"
#include "session/report.h"
#include "session/session.h"
#include "session/tree.h"
#include "wire/shape.h"

#define HBC_ORIGIN_MSS		1448	/* Ethernet's segment with timestamps */
#define HBC_ORIGIN_MSS_LEAST	512
#define HBC_ORIGIN_MSS_MOST	16384

struct hbc_session *hbc_origin_session(struct hbc_group *group)
{
	u32 root = group->hn->id;
	struct hbc_session *s = hbc_session_find(group, root, 0);
	struct hbc_origin *origin;
	u64 incarnation;

	lockdep_assert_held(&group->hn->lock);
	if (s) {
		kref_get(&s->ref);
		return s;
	}
	origin = kzalloc(sizeof(*origin), GFP_KERNEL_ACCOUNT);
	if (!origin)
		return ERR_PTR(-ENOMEM);
	do {
		incarnation = get_random_u64();
	} while (!incarnation);
	s = hbc_session_new(group, root, incarnation);
	if (IS_ERR(s)) {
		kfree(origin);
		return s;
	}
	spin_lock_init(&origin->lock);
	INIT_LIST_HEAD(&origin->sources);
	s->origin = origin;
	kref_get(&s->ref);
	return s;
}

/* Plans. */

/* An event of a plan, and of @node, which has refused it, unless that is 0. */
static void hbc_origin_event(struct hbc_session *s, u32 epoch, enum hbcast_event_type type,
			     u32 node, u16 reason)
{
	struct hbc_event e;

	if (!hbc_event_begin(&e, s->hn, type, 1))
		return;
	hbc_event_u32(&e, HBCAST_A_EVENT_GROUP, s->group->id);
	hbc_event_u32(&e, HBCAST_A_EVENT_ROOT, s->root);
	hbc_event_u32(&e, HBCAST_A_EVENT_EPOCH, epoch);
	if (node) {
		hbc_event_u32(&e, HBCAST_A_EVENT_NODE, node);
		hbc_event_u32(&e, HBCAST_A_EVENT_REJECT, reason);
	}
	hbc_event_send(&e);
}

void hbc_root_refused(struct hbc_session *s, u32 epoch, u32 node, u16 reason)
{
	spin_lock_bh(&s->lock);
	s->origin->intact = false;
	spin_unlock_bh(&s->lock);
	hbc_origin_event(s, epoch, HBCAST_EVENT_PLAN_REFUSED, node, reason);
}

/* The trees take their places; slots that the plan lacks end. */
static void hbc_origin_install(struct hbc_session *s, struct hbc_tree **trees,
			       struct list_head *fresh)
{
	struct hbc_origin *origin = s->origin;
	struct hbc_tree *all = trees[HBC_SLOT_ALL];
	unsigned int slot;

	lockdep_assert_held(&s->plan_lock);
	spin_lock_bh(&s->lock);
	hbc_lost_clear(s);
	origin->intact = true;
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		swap(s->tree[slot], trees[slot]);
	spin_unlock_bh(&s->lock);
	spin_lock_bh(&origin->lock);
	WRITE_ONCE(origin->epoch, all->epoch);
	memset(origin->given, 0, sizeof(origin->given));
	spin_unlock_bh(&origin->lock);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		if (s->tree[slot])
			hbc_children_install(s, s->tree[slot], fresh);
	hbc_children_leave_slots(s, all->plan->slots.set);
}

int hbc_origin_apply(struct hbc_session *s, struct hbc_tree **trees)
{
	u32 nr = trees[HBC_SLOT_ALL]->nr;
	u32 *nodes = hbc_shape_ids(trees[HBC_SLOT_ALL]->node, nr);
	struct hbc_message *m;
	unsigned int slot;
	LIST_HEAD(fresh);
	int err = 0;

	lockdep_assert_held(&s->hn->lock);
	if (!nodes)
		return -ENOMEM;
	mutex_lock(&s->plan_lock);
	for (slot = 0; slot < HBC_MAX_SLOTS && !err; slot++)
		if (trees[slot])
			err = hbc_children_prepare(s, trees[slot], &fresh);
	if (!err) {
		hbc_origin_event(s, trees[HBC_SLOT_ALL]->epoch, HBCAST_EVENT_PLAN_APPLIED, 0, 0);
		hbc_origin_install(s, trees, &fresh);
	}
	mutex_unlock(&s->plan_lock);
	if (!err) {
		/* Messages go on by the new plan; members that it has not any more fail. */
		for (m = hbc_message_next(s, NULL); m; m = hbc_message_next(s, m))
			hbc_sent_fail(m->sent, nodes, nr, HBCAST_REASON_PLAN_GONE);
		hbc_session_kick(s);
	}
	kvfree(nodes);
	return err;
}

bool hbc_origin_is_ready(const struct hbc_session *s)
{
	unsigned int slot;

	lockdep_assert_held(&s->lock);
	if (!s->origin->epoch || s->ended || hbc_lost_any(s, 0, HBC_MAX_MEMBERS))
		return false;
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		if (s->tree[slot] && !hbc_children_ready(s, s->tree[slot]))
			return false;
	return true;
}

/* It is told each time that all are ready after they were not. */
void hbc_root_ready(struct hbc_session *s)
{
	u32 epoch = s->origin->epoch;
	bool news;

	lockdep_assert_held(&s->plan_lock);
	spin_lock_bh(&s->lock);
	news = s->origin->told != epoch && hbc_origin_is_ready(s);
	if (news)
		s->origin->told = epoch;
	spin_unlock_bh(&s->lock);
	if (news)
		hbc_origin_event(s, epoch, HBCAST_EVENT_PLAN_READY, 0, 0);
}

void hbc_root_unready(struct hbc_session *s)
{
	lockdep_assert_held(&s->lock);
	s->origin->told = 0;
}

#define HBC_ORIGIN_RUNS	16	/* of lost nodes in one event */

/* Nodes of some runs that have become lost, or are back: kmalloc()ed ids, their number in *@nr. */
static u32 *hbc_origin_lost_ids(struct hbc_session *s, bool down, u32 *nr)
{
	u32 *id = kmalloc_array(HBC_MAX_MEMBERS, sizeof(*id), GFP_KERNEL);
	struct hbc_wire_run run[HBC_ORIGIN_RUNS];
	const struct hbc_wire_node *node;
	unsigned int n, i;
	u32 p;

	*nr = 0;
	if (!id)
		return NULL;
	spin_lock_bh(&s->lock);
	n = hbc_lost_runs(s, down, run, HBC_ORIGIN_RUNS);
	if (n && down) {
		hbc_root_unready(s);
		s->origin->intact = false;
	}
	for (i = 0; i < n; i++) {
		node = &s->tree[HBC_SLOT_ALL]->node[be32_to_cpu(run[i].first)];
		for (p = 0; p < be32_to_cpu(run[i].count); p++)
			id[(*nr)++] = be32_to_cpu(node[p].node);
	}
	spin_unlock_bh(&s->lock);
	return id;
}

/* Return: whether there may be more. */
static bool hbc_origin_tell_lost(struct hbc_session *s, bool down)
{
	struct hbc_event e;
	u32 nr, i, *id = hbc_origin_lost_ids(s, down, &nr);

	if (nr && hbc_event_begin(&e, s->hn, down ? HBCAST_EVENT_MEMBER_LOST :
					     HBCAST_EVENT_MEMBER_BACK, nr)) {
		hbc_event_u32(&e, HBCAST_A_EVENT_GROUP, s->group->id);
		hbc_event_u32(&e, HBCAST_A_EVENT_ROOT, s->root);
		for (i = 0; i < nr; i++)
			hbc_event_u32(&e, HBCAST_A_EVENT_NODE, id[i]);
		if (down) {
			hbc_event_u32(&e, HBCAST_A_EVENT_REASON, HBCAST_REASON_NODE_DEAD);
			e.err = e.err ?: nla_put_flag(e.skb, HBCAST_A_EVENT_DOWN);
		}
		hbc_event_send(&e);
	}
	kfree(id);
	return nr;
}

void hbc_root_lost(struct hbc_session *s)
{
	struct hbc_message *m;

	while (hbc_origin_tell_lost(s, true))
		;
	while (hbc_origin_tell_lost(s, false))
		;
	mutex_lock(&s->plan_lock);
	hbc_root_ready(s);
	mutex_unlock(&s->plan_lock);
	for (m = hbc_message_next(s, NULL); m; m = hbc_message_next(s, m))
		hbc_sent_look(m->sent);
}

/* Slots. */

u16 hbc_origin_payload(struct hbc_session *s)
{
	const struct hbc_child *child;
	u32 least = 0, mss;

	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link) {
		mss = READ_ONCE(child->lane->mss);
		if (mss && (!least || mss < least))
			least = mss;
	}
	spin_unlock_bh(&s->lock);
	least = clamp_t(u32, least ?: HBC_ORIGIN_MSS, HBC_ORIGIN_MSS_LEAST, HBC_ORIGIN_MSS_MOST);
	return least - HBC_DATA_LEN;
}

u8 hbc_origin_slot(struct hbc_session *s, u64 bytes)
{
	struct hbc_origin *origin = s->origin;
	unsigned int slot, best = HBC_SLOT_ALL;
	const struct hbc_tree *all, *tree;

	spin_lock_bh(&s->lock);
	spin_lock(&origin->lock);
	all = s->tree[HBC_SLOT_ALL];
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		tree = s->tree[slot];
		if (tree && tree->nr == all->nr && origin->given[slot] < origin->given[best])
			best = slot;
	}
	origin->given[best] += div_u64(bytes << 20, all->plan->slots.weight[best]);
	spin_unlock(&origin->lock);
	spin_unlock_bh(&s->lock);
	return best;
}

/* What members tell. */

void hbc_root_acked(struct hbc_session *s)
{
	u64 before, bytes;
	bool news;

	spin_lock_bh(&s->lock);
	hbc_report_least(s, &before, &bytes);
	news = before > s->keep && s->tree[HBC_SLOT_ALL];
	spin_unlock_bh(&s->lock);
	if (news)
		hbc_message_done(s, before, NULL, 0);
}

void hbc_root_failed(struct hbc_message *m, u8 reason)
{
	hbc_sent_fail(m->sent, NULL, 0, reason);
}

void hbc_root_forget(struct hbc_message *m)
{
	hbc_sent_put(m->sent);
}

/* Ends. */

void hbc_root_end(struct hbc_session *s, u8 reason)
{
	struct hbc_origin *origin = s->origin;
	struct hbc_source *source;
	struct hbc_message *m;

	while ((m = hbc_message_next(s, NULL))) {
		hbc_sent_fail(m->sent, NULL, 0, reason);
		hbc_message_put(m);
	}
	spin_lock_bh(&origin->lock);
	list_for_each_entry(source, &origin->sources, link)
		hbc_source_ended(source);
	spin_unlock_bh(&origin->lock);
}

/* For dumps. */

/* Of @list, the one with the lowest number above @after that is below @best. */
static struct hbc_sent *hbc_origin_lowest(const struct list_head *list, u64 after,
					  struct hbc_sent *best)
{
	struct hbc_sent *sent;

	list_for_each_entry(sent, list, link)
		if (sent->number > after && (!best || sent->number < best->number))
			best = sent;
	return best;
}

struct hbc_sent *hbc_origin_sent(struct hbc_session *s, u64 after)
{
	struct hbc_origin *origin = s->origin;
	const struct hbc_source *source;
	struct hbc_sent *best = NULL;

	spin_lock_bh(&origin->lock);
	list_for_each_entry(source, &origin->sources, link) {
		best = hbc_origin_lowest(&source->done, after, best);
		best = hbc_origin_lowest(&source->messages, after, best);
	}
	if (best)
		kref_get(&best->ref);
	spin_unlock_bh(&origin->lock);
	return best;
}
