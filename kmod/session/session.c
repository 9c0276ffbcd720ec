// SPDX-License-Identifier: GPL-2.0
/* A session: one root's broadcast in one group as this node knows it. */
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/slab.h>

#include "compat/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "session/child.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/receiver.h"
#include "session/report.h"
#include "session/session.h"
#include "session/tree.h"
#include "session/watch.h"
#include "store/file.h"

void hbc_session_queue(struct hbc_session *s)
{
	if (kref_get_unless_zero(&s->ref) && !queue_work(hbc_slow_wq, &s->work))
		hbc_session_put(s);
}

static void hbc_session_free(struct kref *ref)
{
	struct hbc_session *s = container_of(ref, struct hbc_session, ref);
	struct hbc_net *hn = s->hn;
	unsigned int slot;

	kfree(s->origin);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		hbc_tree_put(s->tree[slot]);
	xa_destroy(&s->index);
	mutex_destroy(&s->plan_lock);
	hbc_group_put(s->group);
	kfree_rcu(s, rcu);
	hbc_node_end(hn, &hn->nr_sessions);
}

void hbc_session_put(struct hbc_session *s)
{
	kref_put(&s->ref, hbc_session_free);
}

struct hbc_session *hbc_session_find(struct hbc_group *group, u32 root, u64 incarnation)
{
	struct hbc_session *s;

	lockdep_assert_held(&group->hn->lock);
	/* The newest comes first. */
	list_for_each_entry(s, &group->sessions, link)
		if (s->root == root && (!incarnation || s->incarnation == incarnation))
			return s;
	return NULL;
}

/* Files have been read or written, or are of no use. */
static void hbc_session_work(struct work_struct *work)
{
	struct hbc_session *s = container_of(work, struct hbc_session, work);
	struct hbc_message *m;
	u8 error;

	for (m = hbc_message_next(s, NULL); m; m = hbc_message_next(s, m)) {
		error = READ_ONCE(m->store->error);
		if (error && s->origin)
			hbc_root_failed(m, error);
		else if (error)
			hbc_message_give_up(m, error);
		else if (hbc_message_is_file(m))
			hbc_receivers_push(m, 0);
	}
	if (s->origin)
		hbc_root_lost(s);
	hbc_session_kick(s);
	hbc_session_put(s);
}

struct hbc_session *hbc_session_new(struct hbc_group *group, u32 root, u64 incarnation)
{
	struct hbc_net *hn = group->hn;
	struct hbc_session *s;

	lockdep_assert_held(&hn->lock);
	if (group->gone || hn->leaving)
		return ERR_PTR(-ESHUTDOWN);
	if (group->nr_sessions >= HBC_SESSIONS_MAX)
		return ERR_PTR(-ENOSPC);
	s = kzalloc(sizeof(*s), HBC_GFP_GROUP);
	if (!s)
		return ERR_PTR(-ENOMEM);
	kref_init(&s->ref);
	s->hn = hn;
	kref_get(&group->ref);
	s->group = group;
	s->root = root;
	s->incarnation = incarnation;
	mutex_init(&s->plan_lock);
	spin_lock_init(&s->lock);
	hbc_gain_init(&s->gain, root == hn->id ? HBC_GAIN_NONE : HBC_GAIN_RELAY);
	INIT_LIST_HEAD(&s->parents);
	INIT_LIST_HEAD(&s->children);
	INIT_LIST_HEAD(&s->messages);
	xa_init_flags(&s->index, 0);
	s->alone = jiffies;
	s->complete = jiffies;
	s->asked = jiffies;
	s->progress.since = jiffies;
	INIT_WORK(&s->work, hbc_session_work);
	INIT_DELAYED_WORK(&s->report, hbc_report_work);
	INIT_DELAYED_WORK(&s->watch, hbc_watch_work);
	atomic_inc(&hn->nr_sessions);
	list_add(&s->link, &group->sessions);
	WRITE_ONCE(group->nr_sessions, group->nr_sessions + 1);
	hbc_watch_begin(s);
	return s;
}

bool hbc_session_full(const struct hbc_session *s)
{
	const struct hbc_group *group = s->group;
	u64 most = min_t(u64, READ_ONCE(group->config.spool), S64_MAX) +
		   2ULL * READ_ONCE(group->config.window);

	lockdep_assert_held(&s->lock);
	return atomic64_read(&group->spooled) > most &&
	       s->spooled > div_u64(most, max(READ_ONCE(group->nr_sessions), 1U));
}

/* All messages end here with @reason. */
static void hbc_session_end_messages(struct hbc_session *s, u8 reason)
{
	struct hbc_message *m;

	while ((m = hbc_message_next(s, NULL))) {
		hbc_receivers_push(m, reason);
		hbc_message_end(m);
		hbc_message_put(m);
	}
}

void hbc_session_end(struct hbc_session *s, u8 reason)
{
	struct hbc_parent *parent;

	lockdep_assert_held(&s->hn->lock);
	if (s->ended)
		return;
	list_del(&s->link);
	WRITE_ONCE(s->group->nr_sessions, s->group->nr_sessions - 1);
	mutex_lock(&s->plan_lock);
	spin_lock_bh(&s->lock);
	WRITE_ONCE(s->ended, reason);
	if (s->origin)
		WRITE_ONCE(s->over, HBC_OVER_ALL);
	else if (reason == HBCAST_REASON_LANE_LOST)
		WRITE_ONCE(s->over, HBC_OVER_LOST);
	list_for_each_entry(parent, &s->parents, link)
		hbc_lane_close(parent->lane, false);
	spin_unlock_bh(&s->lock);
	hbc_children_leave_slots(s, 0);
	mutex_unlock(&s->plan_lock);
	if (s->origin)
		hbc_root_end(s, reason);
	hbc_session_end_messages(s, reason);
	hbc_watch_end(s);
	hbc_session_put(s);
}

bool hbc_session_busy(struct hbc_session *s)
{
	const struct hbc_message *m;
	bool busy = false;

	/* DONE comes when it comes: a node is at rest when it, and those below, have told all. */
	spin_lock_bh(&s->lock);
	list_for_each_entry(m, &s->messages, link)
		busy = busy || s->origin || !hbc_report_is_told(m) || hbc_children_lack(m);
	spin_unlock_bh(&s->lock);
	return busy;
}

void hbc_session_kick(struct hbc_session *s)
{
	struct hbc_child *child;

	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link)
		hbc_lane_kick(child->lane);
	spin_unlock_bh(&s->lock);
}

void hbc_session_due(struct hbc_session *s)
{
	struct hbc_child *child;

	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link)
		set_bit(HBC_LANE_DUE, &child->lane->flags);
	spin_unlock_bh(&s->lock);
}

/* What lanes ask of their owner, of both kinds. */

int hbc_owner_up(struct hbc_lane *lane)
{
	return lane->connector ? hbc_child_up(lane->owner) : hbc_parent_up(lane->owner);
}

void hbc_owner_down(struct hbc_lane *lane)
{
	if (lane->connector)
		hbc_child_down(lane->owner);
	else
		hbc_parent_down(lane->owner);
}

void hbc_owner_gone(struct hbc_lane *lane)
{
	if (lane->connector)
		hbc_child_put(lane->owner);
	else
		hbc_parent_gone(lane->owner);
}

int hbc_owner_frame(struct hbc_lane *lane, const struct hbc_hdr *h, const u8 *frame)
{
	return lane->connector ? hbc_child_frame(lane->owner, h, frame) :
				 hbc_parent_frame(lane->owner, h, frame);
}

void hbc_owner_read(struct hbc_lane *lane)
{
	struct hbc_parent *parent = lane->owner;

	if (!lane->connector)
		hbc_children_send(parent->s);
}

unsigned int hbc_owner_control(struct hbc_lane *lane, u8 *frame)
{
	return lane->connector ? hbc_child_control(lane->owner, frame) :
				 hbc_parent_control(lane->owner, frame);
}

/* Groups that change or go. */

void hbc_session_group_gone(struct hbc_group *group)
{
	struct hbc_session *s, *next;

	list_for_each_entry_safe(s, next, &group->sessions, link)
		hbc_session_end(s, HBCAST_REASON_PLAN_GONE);
	hbc_receivers_gone(group);
}

/* Whether all nodes that the session has here would be members. */
static bool hbc_session_keeps(struct hbc_session *s, const u32 *members, u32 nr)
{
	bool keeps = hbc_group_lists(members, nr, s->root);
	const struct hbc_tree *tree;
	unsigned int slot;
	u32 i;

	spin_lock_bh(&s->lock);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		tree = s->tree[slot];
		for (i = 0; tree && i < tree->nr && keeps; i++)
			keeps = hbc_group_lists(members, nr, be32_to_cpu(tree->node[i].node));
	}
	spin_unlock_bh(&s->lock);
	return keeps;
}

int hbc_session_may_change(struct hbc_group *group, const struct hbc_group_setup *setup,
			   struct netlink_ext_ack *extack)
{
	struct hbc_session *own = hbc_session_find(group, group->hn->id, 0);

	if (!setup->set_members || !own ||
	    hbc_session_keeps(own, setup->members, setup->nr_members))
		return 0;
	return hbc_refuse(extack, -EBUSY,
			  "this node's plan has nodes that would be no members; change it first");
}

void hbc_session_changed(struct hbc_group *group)
{
	struct hbc_session *s, *next;

	list_for_each_entry_safe(s, next, &group->sessions, link)
		if (!hbc_session_keeps(s, group->members, group->nr_members))
			hbc_session_end(s, HBCAST_REASON_PLAN_GONE);
}
