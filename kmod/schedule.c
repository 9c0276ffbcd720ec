// SPDX-License-Identifier: GPL-2.0
/* A schedule: what one root's plan means at this node. */
#include <linux/hbcast.h>
#include <linux/slab.h>

#include "ask.h"
#include "edge.h"
#include "event.h"
#include "group.h"
#include "lack.h"
#include "lane.h"
#include "message.h"
#include "node.h"
#include "origin.h"
#include "past.h"
#include "repair.h"
#include "schedule.h"
#include "transmit.h"
#include "tree.h"

/* After so many dead-intervals a schedule without a parent ends, or a parent without a tree. */
#define HBC_ORPHAN_INTERVALS	4

static void hbc_schedule_free(struct kref *ref)
{
	struct hbc_schedule *sched = container_of(ref, struct hbc_schedule, ref);
	struct hbc_net *hn = sched->hn;

	if (sched->origin)
		hbc_origin_free(sched->origin);
	hbc_spans_free(&sched->history);
	hbc_spans_free(&sched->delivered);
	hbc_group_put(sched->group);
	kfree(sched);
	hbc_node_schedule_end(hn);
}

void hbc_schedule_put(struct hbc_schedule *sched)
{
	kref_put(&sched->ref, hbc_schedule_free);
}

struct hbc_schedule *hbc_schedule_find(struct hbc_group *group, u32 root)
{
	struct hbc_schedule *sched;

	lockdep_assert_held(&group->hn->lock);
	list_for_each_entry(sched, &group->schedules, link)
		if (sched->root == root)
			return sched;
	return NULL;
}

#define HBC_SCHEDULE_SILENCE_MS	10000	/* of the root about a message, at least */

static unsigned long hbc_schedule_patience(const struct hbc_schedule *sched)
{
	return HBC_ORPHAN_INTERVALS * msecs_to_jiffies(READ_ONCE(sched->group->config.dead_ms));
}

/*
 * Lanes over which no tree comes end: their parent has been replaced, or never
 * had a part in the plan. Return: whether some of them are too young to tell.
 * hn->lock held.
 */
static bool hbc_schedule_part(struct hbc_schedule *sched)
{
	unsigned long patience = hbc_schedule_patience(sched);
	struct hbc_lane *lane;
	bool young = false;

	spin_lock_bh(&sched->lock);
	list_for_each_entry(lane, &sched->parents, sched_link) {
		if (hbc_edge_comes_from(lane))
			continue;
		if (time_before(jiffies, lane->begun + patience))
			young = true;
		else
			hbc_lane_close(lane, false);
	}
	spin_unlock_bh(&sched->lock);
	return young;
}

/* Or sooner, if that is so already. */
static void hbc_schedule_look_in(struct hbc_schedule *sched, unsigned long delay)
{
	const struct timer_list *timer = &sched->orphan.timer;

	lockdep_assert_held(&sched->hn->lock);
	if (delayed_work_pending(&sched->orphan) &&
	    !time_before(jiffies + delay, READ_ONCE(timer->expires)))
		return;
	kref_get(&sched->ref);
	if (mod_delayed_work(system_wq, &sched->orphan, delay))
		hbc_schedule_put(sched);
}

void hbc_schedule_look(struct hbc_schedule *sched)
{
	hbc_schedule_look_in(sched, hbc_schedule_patience(sched));
}

/* Whether it ends, because no parent has come back. Else it may have to look again. */
static bool hbc_schedule_orphaned(struct hbc_schedule *sched)
{
	unsigned long patience = hbc_schedule_patience(sched), now = jiffies;
	bool young, lonely = list_empty(&sched->parents);

	if (lonely && !time_before(now, sched->alone + patience))
		return true;
	young = hbc_tree_forget(sched, patience);
	young = hbc_schedule_part(sched) || young;
	if (lonely)
		hbc_schedule_look_in(sched, sched->alone + patience - now);
	else if (young)
		hbc_schedule_look_in(sched, patience / 4 + 1);
	return false;
}

static void hbc_schedule_orphan(struct work_struct *work)
{
	struct hbc_schedule *sched = container_of(to_delayed_work(work), struct hbc_schedule,
						  orphan);
	struct hbc_net *hn = sched->hn;

	mutex_lock(&hn->lock);
	if (!sched->gone && hbc_schedule_orphaned(sched))
		hbc_schedule_remove(sched, HBCAST_REASON_LANE_LOST);
	mutex_unlock(&hn->lock);
	hbc_schedule_put(sched);
}

static void hbc_schedule_expire(struct work_struct *work)
{
	struct hbc_schedule *sched = container_of(to_delayed_work(work), struct hbc_schedule,
						  expire);
	const struct hbc_group_config *config = &sched->group->config;
	/* A lane that waits for a reader is not read. */
	unsigned long patience = max3(hbc_schedule_patience(sched),
				      msecs_to_jiffies(HBC_SCHEDULE_SILENCE_MS),
				      4 * msecs_to_jiffies(READ_ONCE(config->stall_ms)));

	if (hbc_message_expire(sched, jiffies - patience))
		hbc_schedule_expect(sched);
	hbc_schedule_put(sched);
}

/* The caller has a reference. */
void hbc_schedule_expect(struct hbc_schedule *sched)
{
	spin_lock_bh(&sched->lock);
	if (!sched->forgetful && !delayed_work_pending(&sched->expire)) {
		kref_get(&sched->ref);
		if (!queue_delayed_work(system_wq, &sched->expire, hbc_schedule_patience(sched)))
			hbc_schedule_put(sched);
	}
	spin_unlock_bh(&sched->lock);
}

static struct hbc_schedule *hbc_schedule_new(struct hbc_group *group, u32 root)
{
	struct hbc_net *hn = group->hn;
	struct hbc_schedule *sched = kzalloc(sizeof(*sched), GFP_KERNEL);

	if (!sched)
		return NULL;
	kref_init(&sched->ref);
	sched->hn = hn;
	sched->root = root;
	INIT_LIST_HEAD(&sched->link);
	INIT_LIST_HEAD(&sched->trees);
	INIT_LIST_HEAD(&sched->children);
	INIT_LIST_HEAD(&sched->parents);
	INIT_LIST_HEAD(&sched->open);
	INIT_LIST_HEAD(&sched->closed);
	hbc_spans_init(&sched->history);
	hbc_spans_init(&sched->delivered);
	spin_lock_init(&sched->lock);
	INIT_DELAYED_WORK(&sched->orphan, hbc_schedule_orphan);
	INIT_DELAYED_WORK(&sched->expire, hbc_schedule_expire);
	kref_get(&group->ref);
	sched->group = group;
	atomic_inc(&hn->nr_schedules);
	if (root != hn->id) {
		u64 past = hbc_past_of(group, root);

		if (past)
			hbc_spans_add(&sched->history, 1, past, HBC_HISTORY_MAX);
		return sched;
	}
	sched->origin = hbc_origin_new(sched);
	if (!sched->origin) {
		hbc_schedule_put(sched);
		return NULL;
	}
	return sched;
}

static unsigned int hbc_schedule_count(const struct hbc_group *group)
{
	struct list_head *at;
	unsigned int n = 0;

	list_for_each(at, &group->schedules)
		n++;
	return n;
}

struct hbc_schedule *hbc_schedule_get(struct hbc_group *group, u32 root)
{
	struct hbc_schedule *sched = hbc_schedule_find(group, root);

	if (group->gone || group->hn->dying)
		return ERR_PTR(-ESHUTDOWN);
	if (!sched) {
		if (hbc_schedule_count(group) >= HBC_SCHEDULES_MAX)
			return ERR_PTR(-ENOSPC);
		sched = hbc_schedule_new(group, root);
		if (!sched)
			return ERR_PTR(-ENOMEM);
		list_add_tail(&sched->link, &group->schedules);
		sched->alone = jiffies;
		if (!sched->origin)
			hbc_schedule_look(sched);
	}
	kref_get(&sched->ref);
	return sched;
}

bool hbc_schedule_busy(const struct hbc_schedule *sched)
{
	lockdep_assert_held(&sched->hn->lock);
	return READ_ONCE(sched->nr_messages) || (sched->origin && hbc_origin_busy(sched->origin));
}

bool hbc_schedule_crowded(struct hbc_schedule *sched)
{
	struct list_head *at;
	unsigned int n = 0;

	spin_lock_bh(&sched->lock);
	list_for_each(at, &sched->parents)
		n++;
	spin_unlock_bh(&sched->lock);
	return n >= HBC_PARENTS_MAX;
}

/* Lanes from parents end; their messages end with them. */
static void hbc_schedule_close_parents(struct hbc_schedule *sched)
{
	struct hbc_lane *lane;

	spin_lock_bh(&sched->lock);
	list_for_each_entry(lane, &sched->parents, sched_link)
		hbc_lane_close(lane, false);
	spin_unlock_bh(&sched->lock);
}

void hbc_schedule_expel(struct hbc_schedule *sched)
{
	struct hbc_lane *lane;

	lockdep_assert_held(&sched->hn->lock);
	spin_lock_bh(&sched->lock);
	list_for_each_entry(lane, &sched->parents, sched_link)
		if (!hbc_group_is_member(sched->group, lane->peer))
			hbc_lane_close(lane, false);
	spin_unlock_bh(&sched->lock);
}

/* What has begun here does not begin once more when the root is back. */
static void hbc_schedule_note_past(struct hbc_schedule *sched)
{
	u64 id;

	spin_lock_bh(&sched->lock);
	id = hbc_spans_last(&sched->history);
	spin_unlock_bh(&sched->lock);
	if (id)
		hbc_past_note(sched->group, sched->root, id);
}

void hbc_schedule_remove(struct hbc_schedule *sched, u8 reason)
{
	lockdep_assert_held(&sched->hn->lock);
	if (sched->gone)
		return;
	sched->gone = true;
	list_del_init(&sched->link);
	if (sched->origin)
		hbc_origin_end(sched->origin, reason);
	hbc_schedule_close_parents(sched);
	hbc_message_end_all(sched, reason);
	hbc_message_forget_all(sched);
	if (!sched->origin)
		hbc_schedule_note_past(sched);
	hbc_tree_end_all(sched);
	if (cancel_delayed_work(&sched->orphan))
		hbc_schedule_put(sched);
	if (cancel_delayed_work(&sched->expire))
		hbc_schedule_put(sched);
	hbc_schedule_put(sched);
}

/* What members tell goes up the tree of its message. What is lost on the way is told again. */

void hbc_schedule_ack(struct hbc_schedule *sched, const struct hbc_ack *ack)
{
	struct hbc_lane *up;

	if (sched->origin) {
		hbc_origin_ack(sched->origin, ack);
		return;
	}
	up = hbc_tree_up(sched, ack->epoch, HBC_SLOT_ALL);
	if (!up)
		return;
	hbc_transmit_ack(up, ack);
	hbc_lane_put(up);
}

/* Without a way up nothing goes. */
static void hbc_schedule_send_up(struct hbc_schedule *sched, u32 epoch, const void *frame,
				 unsigned int len)
{
	struct hbc_lane *up = hbc_tree_up(sched, epoch, HBC_SLOT_ALL);

	if (!up)
		return;
	hbc_transmit_frame(up, frame, len);
	hbc_transmit_send(up);
	hbc_lane_put(up);
}

void hbc_schedule_block_ack(struct hbc_schedule *sched, const struct hbc_block_ack *f)
{
	u8 frame[HBC_BLOCK_ACK_LEN];

	hbc_schedule_send_up(sched, f->epoch, frame,
			     hbc_wire_put_block_ack(frame, HBC_SLOT_ALL, f));
}

void hbc_schedule_nack(struct hbc_schedule *sched, const struct hbc_nack *f,
		       const struct hbc_range *range)
{
	u8 *frame = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL);

	/* Without memory the root tells once more, and it is asked for then. */
	if (frame)
		hbc_schedule_send_up(sched, f->epoch, frame,
				     hbc_wire_put_nack(frame, HBC_SLOT_ALL, f, range));
	kfree(frame);
}

void hbc_schedule_resume(struct hbc_schedule *sched)
{
	struct hbc_lane *lane;

	smp_mb(); /* pairs with hbc_receive_may(): room was made before this look */
	if (!test_and_clear_bit(HBC_SCHEDULE_WAITING, &sched->flags))
		return;
	spin_lock_bh(&sched->lock);
	list_for_each_entry(lane, &sched->parents, sched_link)
		hbc_lane_unpause(lane);
	list_for_each_entry(lane, &sched->children, sched_link)
		hbc_lane_unpause(lane);
	spin_unlock_bh(&sched->lock);
	if (sched->origin)
		hbc_origin_kick(sched->origin);
}

/* At the root: its books, and its administrator. */
static void hbc_schedule_book_lost(struct hbc_schedule *sched, u8 flags,
				   const struct hbc_lost *lost, u32 *node)
{
	unsigned int nr = lost->count;

	if (flags & HBC_LOST_BACK)
		nr = hbc_origin_back(sched->origin, lost->epoch, node, nr);
	else
		hbc_origin_lost(sched->origin, flags, lost->reason, lost->epoch, node, nr);
	if (nr)
		hbc_event_members(sched, flags, lost->reason, node, nr);
}

void hbc_schedule_tell_lost(struct hbc_schedule *sched, u8 slot, u8 flags,
			    const struct hbc_lost *lost, u32 *node)
{
	struct hbc_lane *up;
	unsigned int len;
	u8 *frame;

	if (sched->origin) {
		/* Who is not reached in another slot misses nothing: it is sent again here. */
		if (slot == HBC_SLOT_ALL)
			hbc_schedule_book_lost(sched, flags, lost, node);
		return;
	}
	up = hbc_tree_up(sched, lost->epoch, slot);
	if (!up)
		return;
	frame = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL);
	if (frame) {
		len = hbc_wire_put_lost(frame, slot, flags, lost, node);
		hbc_transmit_frame(up, frame, len);
		hbc_transmit_send(up);
		kfree(frame);
	} else {
		/* The parent will say that we are lost, which covers them. */
		hbc_lane_fail(up, ENOMEM);
	}
	hbc_lane_put(up);
}

void hbc_schedule_child_ack(struct hbc_lane *lane, const struct hbc_ack *ack)
{
	if (hbc_tree_below(lane, ack->epoch, ack->node))
		hbc_schedule_ack(lane->sched, ack);
	else
		hbc_group_drop(lane->sched->group, HBC_DROP_STALE);
}

void hbc_schedule_child_block_ack(struct hbc_lane *lane, const struct hbc_block_ack *f)
{
	struct hbc_schedule *sched = lane->sched;

	if (!hbc_tree_below(lane, f->epoch, lane->peer))
		hbc_group_drop(sched->group, HBC_DROP_STALE);
	else if (sched->origin)
		hbc_repair_ack(sched->origin, lane, f);
	else
		hbc_lack_block_ack(lane, f);
}

void hbc_schedule_child_nack(struct hbc_lane *lane, struct hbc_nack *f,
			     const struct hbc_range *range)
{
	struct hbc_schedule *sched = lane->sched;

	if (!hbc_tree_below(lane, f->epoch, lane->peer)) {
		hbc_group_drop(sched->group, HBC_DROP_STALE);
		return;
	}
	hbc_ask_note(lane, f, range);
	if (sched->origin)
		hbc_repair_nack(sched->origin, f, range);
	else
		hbc_lack_nack(lane, f, range);
}

void hbc_schedule_lost(struct hbc_lane *lane, u8 flags, struct hbc_lost *f, u32 *node)
{
	unsigned int i, nr = 0;

	for (i = 0; i < f->count; i++) {
		if (hbc_tree_below(lane, f->epoch, node[i]))
			node[nr++] = node[i];
		else
			hbc_group_drop(lane->sched->group, HBC_DROP_STALE);
	}
	f->count = nr;
	if (!nr)
		return;
	mutex_lock(&lane->hn->lock);
	if (!(flags & HBC_LOST_BACK))
		hbc_edge_unready(lane, f->epoch);
	hbc_schedule_tell_lost(lane->sched, lane->slot, flags, f, node);
	mutex_unlock(&lane->hn->lock);
}

/* A lane from a parent: another one of the same parent has been replaced. */
static int hbc_schedule_parent_up(struct hbc_lane *lane)
{
	struct hbc_schedule *sched = lane->sched;
	struct hbc_lane *other;

	if (sched->gone)
		return -ESHUTDOWN;
	spin_lock_bh(&sched->lock);
	list_for_each_entry(other, &sched->parents, sched_link)
		if (other->peer == lane->peer && other->slot == lane->slot)
			hbc_lane_close(other, false);
	list_add(&lane->sched_link, &sched->parents);
	spin_unlock_bh(&sched->lock);
	hbc_schedule_look(sched);
	return 0;
}

int hbc_schedule_lane_up(struct hbc_lane *lane)
{
	struct hbc_net *hn = lane->hn;
	int err;

	mutex_lock(&hn->lock);
	if (lane->connector)
		err = hbc_edge_up(lane);
	else
		err = hbc_schedule_parent_up(lane);
	mutex_unlock(&hn->lock);
	return err;
}

static void hbc_schedule_parent_down(struct hbc_lane *lane)
{
	struct hbc_schedule *sched = lane->sched;

	lockdep_assert_held(&sched->hn->lock);
	spin_lock_bh(&sched->lock);
	list_del_init(&lane->sched_link);
	spin_unlock_bh(&sched->lock);
	hbc_edge_parent_down(lane);
	sched->alone = jiffies;
	if (!sched->gone)
		hbc_schedule_look(sched);
}

void hbc_schedule_lane_down(struct hbc_lane *lane)
{
	struct hbc_schedule *sched = lane->sched;

	mutex_lock(&lane->hn->lock);
	if (lane->connector)
		hbc_edge_down(lane);
	else
		hbc_schedule_parent_down(lane);
	mutex_unlock(&lane->hn->lock);
	/* What it began after the others' end. */
	if (!lane->connector && sched->gone)
		hbc_message_end_all(sched, HBCAST_REASON_PLAN_GONE);
	hbc_schedule_resume(sched);
}

void hbc_schedule_lane_dead(struct hbc_lane *lane)
{
	mutex_lock(&lane->hn->lock);
	hbc_edge_dead(lane);
	mutex_unlock(&lane->hn->lock);
	hbc_schedule_resume(lane->sched);
}
