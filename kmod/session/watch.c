// SPDX-License-Identifier: GPL-2.0
/*
 * What a session looks at now and then.
 *
 * A child whose lane is not READY for dead-interval, or fails each time before the child has said
 * what it has, or soon after, counts as not reached, and those below it become this node's own.
 * One that acknowledges nothing for stall-interval, though short messages are outstanding, is cut
 * off by its own parent. A session without a parent in slot 0 for some dead-intervals ends, here
 * and below, and so does a lane over which no tree of this node's comes. A file of which one piece
 * takes longer than stall-interval fails here, and those below are served by others.
 */
#include <linux/hbcast.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched/mm.h>

#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "session/adopt.h"
#include "session/child.h"
#include "session/have.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/progress.h"
#include "session/report.h"
#include "session/session.h"
#include "session/tree.h"
#include "session/watch.h"
#include "store/file.h"

#define HBC_WATCH_PARTS		4	/* looks in a dead-interval, or stall-interval */
#define HBC_WATCH_ORPHAN	4	/* dead-intervals without a parent */
#define HBC_WATCH_ASK		2	/* in one slot of several: slot 0's is asked */
#define HBC_WATCH_ROW		4U	/* nodes in a row: those behind have no less time */

static unsigned long hbc_watch_dead(const struct hbc_session *s)
{
	return msecs_to_jiffies(READ_ONCE(s->group->config.dead_ms));
}

static unsigned long hbc_watch_stall(const struct hbc_session *s)
{
	return msecs_to_jiffies(READ_ONCE(s->group->config.stall_ms));
}

/* When it is too late for a child; in a row each has half the time, as those behind wait. */
static unsigned long hbc_watch_deadline(const struct hbc_child *child)
{
	unsigned int row = clamp(child->row, 1U, HBC_WATCH_ROW);

	/* One that has answered lives, perhaps far away. */
	if (READ_ONCE(child->lane->state) == HBCAST_LANE_STATE_HANDSHAKE)
		row = 1;
	return child->lane->since + (hbc_watch_dead(child->s) >> (row - 1));
}

/* So often that a child is cut off before the parent has lost patience; the dead are not late. */
void hbc_watch_begin(struct hbc_session *s)
{
	unsigned long now = jiffies, next;
	struct hbc_child *child;

	next = now + min(hbc_watch_dead(s), hbc_watch_stall(s)) / HBC_WATCH_PARTS + 1;
	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link)
		if (!child->up && time_in_range(hbc_watch_deadline(child), now, next))
			next = hbc_watch_deadline(child) + 1;
	spin_unlock_bh(&s->lock);
	kref_get(&s->ref);
	if (!queue_delayed_work(hbc_slow_wq, &s->watch, next - now))
		hbc_session_put(s);
}

void hbc_watch_soon(struct hbc_session *s)
{
	kref_get(&s->ref);
	if (mod_delayed_work(hbc_slow_wq, &s->watch, 0))
		hbc_session_put(s);
}

/* Whether all it was sent is not acknowledged for too long. session->lock held. */
static bool hbc_watch_stalled(struct hbc_child *child)
{
	struct hbc_session *s = child->s;
	unsigned long stall = hbc_watch_stall(s);

	lockdep_assert_held(&s->lock);
	if (child->slot != HBC_SLOT_ALL || !child->up)
		return false;
	if (child->ack > s->last || s->kept == 0) {
		child->moved = jiffies;
		return false;
	}
	/* Lanes below this one wait longer: it is the last one that is to be cut off. */
	stall = 2 * stall + ilog2(hbc_child_edge(child)->size) * stall / 2;
	return time_after(jiffies, child->moved + stall);
}

/* Return: whether it has left children to this node. plan_lock held. */
static bool hbc_watch_child(struct hbc_child *child)
{
	struct hbc_session *s = child->s;
	bool lost, stalled;
	int adopted;

	lockdep_assert_held(&s->plan_lock);
	spin_lock_bh(&s->lock);
	lost = !child->up && time_after(jiffies, hbc_watch_deadline(child));
	stalled = hbc_watch_stalled(child);
	spin_unlock_bh(&s->lock);
	if (!lost && !stalled)
		return false;
	adopted = hbc_adopt(child);
	/* Without memory it is looked at again; what waits for those below may have taken it. */
	if (adopted == -ENOMEM &&
	    !time_after(jiffies, child->lane->since + 2 * hbc_watch_dead(s)))
		return false;
	spin_lock_bh(&s->lock);
	/* Unless it has come back meanwhile, or has had less time than others. */
	if (stalled ||
	    (!child->up && time_after(jiffies, child->lane->since + hbc_watch_dead(s)))) {
		/* What it has acknowledged does not count any more. */
		child->dead = true;
		hbc_lost_child(child, hbc_child_edge(child)->size, true);
		hbc_progress_again(s);
	}
	spin_unlock_bh(&s->lock);
	if (stalled)
		hbc_lane_fail(child->lane, ETIME);
	hbc_report_ack(s);
	/* Whole messages go to the next one now. */
	hbc_session_kick(s);
	return adopted > 0;
}

/* Return: whether children have changed, so that they are to be looked at again. */
static bool hbc_watch_children(struct hbc_session *s)
{
	struct hbc_child *child;

	list_for_each_entry(child, &s->children, link)
		if (hbc_watch_child(child))
			return true;
	return false;
}

/*
 * Ends lanes that bring no tree for too long. What slots without one are to bring is asked for in
 * slot 0. Return: whether that has had none for as long.
 */
static bool hbc_watch_orphan(struct hbc_session *s)
{
	unsigned long patience = HBC_WATCH_ORPHAN * hbc_watch_dead(s);
	struct hbc_parent *parent;
	struct hbc_message *m;
	struct hbc_child *child;
	bool orphan;
	u64 lacks;

	spin_lock_bh(&s->lock);
	lacks = s->origin || !s->tree[HBC_SLOT_ALL] ? 0 :
		be64_to_cpu(s->tree[HBC_SLOT_ALL]->node[0].slots) & ~BIT_ULL(HBC_SLOT_ALL);
	list_for_each_entry(parent, &s->parents, link)
		if (s->parent[parent->lane->slot] == parent)
			lacks &= ~BIT_ULL(parent->lane->slot);
		else if (time_after(jiffies, parent->heard + patience))
			hbc_lane_close(parent->lane, false);
	if (!lacks) {
		s->complete = jiffies;
		s->asked = jiffies;
	}
	if (time_after(jiffies, s->asked + HBC_WATCH_ASK * hbc_watch_dead(s))) {
		list_for_each_entry(m, &s->messages, link)
			WRITE_ONCE(m->thrown, true);
		hbc_have_want(s);
		/* And once more in a dead-interval. */
		s->asked = jiffies - (HBC_WATCH_ASK - 1) * hbc_watch_dead(s);
	}
	/* Who is asked may wait for one of these, who hear of no tree now, and ask, too. */
	if (time_after(jiffies, s->complete + patience))
		list_for_each_entry(child, &s->children, link)
			if (lacks & BIT_ULL(child->slot) && child->up && child->plan_told)
				hbc_lane_fail(child->lane, ETIME);
	/* In other slots two nodes that nothing reaches any more may be parents of each other. */
	orphan = !s->origin && !s->parent[HBC_SLOT_ALL] && time_after(jiffies, s->alone + patience);
	spin_unlock_bh(&s->lock);
	return orphan;
}

static void hbc_watch_files(struct hbc_session *s)
{
	struct hbc_message *m;

	/* The root's file is all there is. */
	if (s->origin)
		return;
	for (m = hbc_message_next(s, NULL); m; m = hbc_message_next(s, m))
		if (hbc_file_is_stuck(m->store, hbc_watch_stall(s)))
			hbc_message_give_up(m, HBCAST_REASON_FILE);
}

void hbc_watch_work(struct work_struct *work)
{
	struct hbc_session *s = container_of(to_delayed_work(work), struct hbc_session, watch);
	struct mem_cgroup *memcg = set_active_memcg(s->group->memcg);

	mutex_lock(&s->plan_lock);
	while (hbc_watch_children(s))
		;
	mutex_unlock(&s->plan_lock);
	hbc_watch_files(s);
	/* Messages may wait for them alone that have come since. */
	if (s->origin)
		hbc_session_queue(s);
	if (hbc_watch_orphan(s)) {
		mutex_lock(&s->hn->lock);
		hbc_session_end(s, HBCAST_REASON_LANE_LOST);
		mutex_unlock(&s->hn->lock);
	}
	set_active_memcg(memcg);
	hbc_watch_begin(s);
	/* The end cancels what it finds. */
	if (READ_ONCE(s->ended) && cancel_delayed_work(&s->watch))
		hbc_session_put(s);
	hbc_session_put(s);
}

void hbc_watch_end(struct hbc_session *s)
{
	if (cancel_delayed_work(&s->watch))
		hbc_session_put(s);
	if (cancel_delayed_work(&s->report))
		hbc_session_put(s);
}
