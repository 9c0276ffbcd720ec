// SPDX-License-Identifier: GPL-2.0
/* A parent: the other end of a lane that leads to the root. */
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/slab.h>

#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "session/child.h"
#include "session/endgame.h"
#include "session/have.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/progress.h"
#include "session/receiver.h"
#include "session/report.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/sink.h"

/* Life. */

/* The session of a lane, made if it is not there, with a reference, or ERR_PTR. */
static struct hbc_session *hbc_parent_session(struct hbc_lane *lane)
{
	struct hbc_group *group = lane->group;
	struct hbc_session *s;

	mutex_lock(&lane->hn->lock);
	s = hbc_session_find(group, lane->root, lane->incarnation);
	if (!s)
		s = lane->root == READ_ONCE(lane->hn->id) ? ERR_PTR(-EPROTO) :
		    hbc_session_new(group, lane->root, lane->incarnation);
	if (!IS_ERR(s) && READ_ONCE(s->nr_parents) >= HBC_PARENTS_MAX)
		s = ERR_PTR(-ENOSPC);
	if (!IS_ERR(s))
		kref_get(&s->ref);
	mutex_unlock(&lane->hn->lock);
	return s;
}

int hbc_owner_admit(struct hbc_lane *lane)
{
	struct hbc_parent *parent = kzalloc(sizeof(*parent), HBC_GFP_GROUP);
	struct hbc_session *s;

	if (!parent)
		return -ENOMEM;
	s = hbc_parent_session(lane);
	if (IS_ERR(s)) {
		kfree(parent);
		if (s == ERR_PTR(-ENOSPC))
			return HBCAST_REJECT_BUSY;
		return s == ERR_PTR(-EPROTO) ? HBCAST_REJECT_PROTOCOL : PTR_ERR(s);
	}
	INIT_LIST_HEAD(&parent->link);
	parent->s = s;
	parent->lane = lane;
	lane->owner = parent;
	return 0;
}

/* Another lane of the same parent and slot has been replaced. */
int hbc_parent_up(struct hbc_parent *parent)
{
	struct hbc_session *s = parent->s;
	struct hbc_parent *other;
	int err = 0;

	spin_lock_bh(&s->lock);
	if (s->ended)
		err = -ESHUTDOWN;
	list_for_each_entry(other, &s->parents, link)
		if (other->lane->peer == parent->lane->peer &&
		    other->lane->slot == parent->lane->slot)
			hbc_lane_close(other->lane, false);
	parent->heard = jiffies;
	if (!err) {
		list_add(&parent->link, &s->parents);
		WRITE_ONCE(s->nr_parents, s->nr_parents + 1);
	}
	spin_unlock_bh(&s->lock);
	return err;
}

/* What waited for this lane to drain does not any more. session->lock held. */
static void hbc_parent_unhold(struct hbc_parent *parent)
{
	struct hbc_parent *other;

	lockdep_assert_held(&parent->s->lock);
	list_for_each_entry(other, &parent->s->parents, link)
		if (other->holds == parent) {
			other->holds = NULL;
			hbc_lane_kick(other->lane);
		}
}

void hbc_parent_down(struct hbc_parent *parent)
{
	u8 slot = parent->lane->slot;
	struct hbc_session *s = parent->s;
	struct hbc_parent *other;

	spin_lock_bh(&s->lock);
	if (!list_empty(&parent->link)) {
		list_del_init(&parent->link);
		WRITE_ONCE(s->nr_parents, s->nr_parents - 1);
	}
	hbc_parent_unhold(parent);
	if (s->parent[slot] == parent) {
		WRITE_ONCE(s->parent[slot], NULL);
		if (slot == HBC_SLOT_ALL)
			s->alone = jiffies;
		/* Lanes that were asked to stop for this one begin again. */
		list_for_each_entry(other, &s->parents, link)
			if (other->lane->slot == slot && other->treed)
				hbc_lane_close(other->lane, false);
	}
	spin_unlock_bh(&s->lock);
}

void hbc_parent_gone(struct hbc_parent *parent)
{
	hbc_parent_down(parent);
	hbc_plan_put(parent->plan);
	kvfree(parent->node);
	hbc_session_put(parent->s);
	kfree(parent);
}

/* Trees. */

/* The lane is where the slot's tree comes from now. session->lock held. */
static void hbc_parent_follow(struct hbc_parent *parent)
{
	u8 slot = parent->lane->slot;
	struct hbc_parent *before = parent->s->parent[slot];

	lockdep_assert_held(&parent->s->lock);
	WRITE_ONCE(parent->s->parent[slot], parent);
	parent->heard = jiffies;
	parent->having = false;
	parent->wanting = false;
	parent->over = false;
	parent->stop = false;
	parent->ack = 0;
	parent->ack_bytes = 0;
	parent->holds = NULL;
	if (!before || before == parent)
		return;
	before->heard = jiffies;
	before->having = false;
	/* What is on its way on the other lane is not asked for here. */
	if (!before->over) {
		before->stop = true;
		parent->holds = before;
		hbc_lane_kick(before->lane);
	}
}

/* Of the newest plan of which a tree has come. plan_lock held. */
static u32 hbc_parent_newest(const struct hbc_session *s)
{
	unsigned int slot;
	u32 epoch = 0;

	lockdep_assert_held(&s->plan_lock);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		if (s->tree[slot])
			epoch = max(epoch, s->tree[slot]->epoch);
	return epoch;
}

/* Slots that the node is not in any more, by a newer plan, end. plan_lock held. */
static void hbc_parent_prune(struct hbc_session *s, const struct hbc_tree *tree)
{
	u64 slots = be64_to_cpu(tree->node[0].slots);
	struct hbc_tree *old;
	unsigned int slot;

	if (hbc_parent_newest(s) > tree->epoch)
		return;
	hbc_children_leave_slots(s, slots);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		if (slots & BIT_ULL(slot))
			continue;
		spin_lock_bh(&s->lock);
		old = s->tree[slot];
		s->tree[slot] = NULL;
		if (s->parent[slot]) {
			s->parent[slot]->heard = jiffies;
			s->parent[slot]->stop = true;
			hbc_lane_kick(s->parent[slot]->lane);
		}
		WRITE_ONCE(s->parent[slot], NULL);
		spin_unlock_bh(&s->lock);
		hbc_tree_put(old);
	}
}

/* The tree takes its place. plan_lock held. */
static int hbc_parent_install(struct hbc_parent *parent, struct hbc_tree *tree)
{
	struct hbc_session *s = parent->s;
	struct hbc_message *m;
	struct hbc_tree *old;
	LIST_HEAD(fresh);
	bool ready;
	int err;

	lockdep_assert_held(&s->plan_lock);
	if (!hbc_children_fit(s, tree))
		return -E2BIG;
	err = hbc_children_prepare(s, tree, &fresh);
	if (err)
		return err;
	kref_get(&tree->ref);
	spin_lock_bh(&s->lock);
	old = s->tree[tree->slot];
	s->tree[tree->slot] = tree;
	hbc_parent_follow(parent);
	if (tree->slot == HBC_SLOT_ALL) {
		hbc_report_renumber(s, tree == old);
		if (tree != old)
			hbc_lost_clear(s);
	}
	spin_unlock_bh(&s->lock);
	hbc_children_install(s, tree, &fresh);
	/* Other slots bring what is missing, perhaps. */
	for (m = hbc_message_next(s, NULL); m; m = hbc_message_next(s, m))
		hbc_message_again(m);
	hbc_tree_put(old);
	hbc_parent_prune(s, tree);
	spin_lock_bh(&s->lock);
	/* With children all that comes is of use. */
	hbc_have_again(parent, 1);
	hbc_have_want(s);
	if (tree->slot == HBC_SLOT_ALL)
		hbc_lost_retell(s);
	ready = s->unkept || hbc_children_ready(s, tree);
	s->reporting = true;
	spin_unlock_bh(&s->lock);
	if (ready)
		hbc_parent_tree_ack(s, tree->slot, tree->epoch, 0, 0);
	hbc_lane_kick(parent->lane);
	return 0;
}

/* A parent that has told an older tree may have forgotten that another one waits for its OVER. */
static void hbc_parent_stop(struct hbc_parent *parent)
{
	struct hbc_session *s = parent->s;
	const struct hbc_parent *other;

	spin_lock_bh(&s->lock);
	other = s->parent[parent->lane->slot];
	parent->stop = parent->stop || (other && other->holds == parent);
	spin_unlock_bh(&s->lock);
	hbc_lane_kick(parent->lane);
}

/* All of a TREE has come. */
static int hbc_parent_take(struct hbc_parent *parent)
{
	struct hbc_session *s = parent->s;
	struct hbc_tree *tree, *now;
	bool same;
	int err = 0;
	u32 i;

	for (i = 0; i < parent->nr; i++)
		if (!hbc_group_is_member(s->group, be32_to_cpu(parent->node[i].node)))
			return -EPERM;
	tree = hbc_tree_new(parent->plan, parent->lane->slot, parent->node, parent->nr,
			    READ_ONCE(s->hn->id));
	if (IS_ERR(tree))
		return PTR_ERR(tree);
	parent->node = NULL;
	parent->treed = true;
	mutex_lock(&s->plan_lock);
	now = s->tree[tree->slot];
	/* What this node has adopted is not in the parent's, which has the same nodes. */
	same = now && now->epoch == tree->epoch && now->nr == tree->nr;
	/* A parent that has not heard of a newer plan is not followed. */
	if (READ_ONCE(s->ended))
		err = -ESHUTDOWN;
	else if ((now ? now->epoch : hbc_parent_newest(s)) <= tree->epoch)
		err = hbc_parent_install(parent, same ? now : tree);
	else
		hbc_parent_stop(parent);
	mutex_unlock(&s->plan_lock);
	hbc_tree_put(tree);
	return err;
}

static int hbc_parent_tree(struct hbc_parent *parent, const struct hbc_wire_tree *w,
			   unsigned int n)
{
	u32 total = be32_to_cpu(w->total), first = be32_to_cpu(w->first);

	if (!parent->plan || w->epoch != parent->plan->wire.epoch)
		return -EPROTO;
	if (!first) {
		if (total > READ_ONCE(parent->s->group->config.max_nodes))
			return -E2BIG;
		kvfree(parent->node);
		parent->nr = 0;
		parent->total = total;
		parent->node = kvmalloc_array(total, sizeof(*parent->node), HBC_GFP_GROUP);
		if (!parent->node)
			return -ENOMEM;
	}
	if (!parent->node || total != parent->total || first != parent->nr || n > total - first)
		return -EPROTO;
	memcpy(parent->node + first, w->node, n * sizeof(w->node[0]));
	parent->nr += n;
	return parent->nr < total ? 0 : hbc_parent_take(parent);
}

static int hbc_parent_plan(struct hbc_parent *parent, const struct hbc_wire_plan *w)
{
	struct hbc_plan *plan = hbc_plan_new(w);

	if (!plan)
		return -ENOMEM;
	hbc_plan_put(parent->plan);
	parent->plan = plan;
	return 0;
}

void hbc_parent_tree_ack(struct hbc_session *s, u8 slot, u32 epoch, u32 refuser, u16 reason)
{
	struct hbc_parent *parent;

	lockdep_assert_held(&s->plan_lock);
	if (s->origin) {
		if (refuser)
			hbc_root_refused(s, epoch, refuser, reason);
		else
			hbc_root_ready(s);
		return;
	}
	spin_lock_bh(&s->lock);
	parent = s->parent[slot];
	if (parent) {
		bool leaves = s->unkept && s->tree[slot]->nr_edges;

		parent->tree_ack.epoch = cpu_to_be32(epoch);
		parent->tree_ack.node = cpu_to_be32(leaves ? READ_ONCE(s->hn->id) : refuser);
		parent->tree_ack.reason = cpu_to_be16(leaves ? HBCAST_REJECT_BUSY : reason);
		hbc_lane_kick(parent->lane);
	}
	spin_unlock_bh(&s->lock);
}

/* What a parent says. */

static int hbc_parent_last(struct hbc_parent *parent, const struct hbc_wire_last *w)
{
	struct hbc_session *s = parent->s;
	struct hbc_message *m = hbc_message_lookup(s, be64_to_cpu(w->message));

	if (!m)
		return 0;
	spin_lock_bh(&s->lock);
	WRITE_ONCE(m->lasts, m->lasts | BIT_ULL(parent->lane->slot));
	spin_unlock_bh(&s->lock);
	hbc_endgame_begin(m, false);
	hbc_session_due(s);
	hbc_message_put(m);
	return 0;
}

/* The parent knows of messages up to @number, and can be told of them. */
static void hbc_parent_knows(struct hbc_parent *parent, u64 number)
{
	struct hbc_session *s = parent->s;
	const struct hbc_message *m;

	spin_lock_bh(&s->lock);
	if (number > parent->known) {
		parent->known = number;
		hbc_lane_kick(parent->lane);
		m = xa_load(&s->index, (u32)number);
		/* When it was told of pieces it did not know of the message. */
		if (m && READ_ONCE(m->store->resumed))
			hbc_have_again(parent, number);
	}
	spin_unlock_bh(&s->lock);
}

static int hbc_parent_message(struct hbc_parent *parent, const struct hbc_wire_message *w,
			      const struct hbc_hdr *h)
{
	int err = hbc_message_told(parent->s, w, h);

	if (!err)
		hbc_parent_knows(parent, be64_to_cpu(w->message));
	return err;
}

static int hbc_parent_done(struct hbc_parent *parent, const struct hbc_wire_done *w,
			   const struct hbc_hdr *h)
{
	hbc_message_done(parent->s, be64_to_cpu(w->before), w->numbers, h->n);
	if (h->n)
		hbc_parent_knows(parent, be64_to_cpu(w->numbers[h->n - 1].first) +
				 be64_to_cpu(w->numbers[h->n - 1].count) - 1);
	return 0;
}

static int hbc_parent_over(struct hbc_parent *parent, const struct hbc_hdr *h)
{
	struct hbc_session *s = parent->s;
	u8 slot = parent->lane->slot;

	/* For all it is the end from where the tree comes alone. */
	if (h->tag && READ_ONCE(s->parent[slot]) == parent &&
	    (h->tag & HBC_OVER_ALL || slot == HBC_SLOT_ALL)) {
		mutex_lock(&s->hn->lock);
		if (h->tag & HBC_OVER_ALL)
			WRITE_ONCE(s->over, HBC_OVER_ALL);
		hbc_session_end(s, h->tag & HBC_OVER_ALL ? HBCAST_REASON_PLAN_GONE :
							   HBCAST_REASON_LANE_LOST);
		mutex_unlock(&s->hn->lock);
		return 0;
	}
	spin_lock_bh(&parent->s->lock);
	parent->over = true;
	hbc_parent_unhold(parent);
	/* A STOP of before its last TREE: over another connection it tells of all again. */
	if (s->parent[slot] == parent)
		hbc_lane_close(parent->lane, false);
	spin_unlock_bh(&parent->s->lock);
	return 0;
}

int hbc_parent_frame(struct hbc_parent *parent, const struct hbc_hdr *h, const void *frame)
{
	/* Who has not told of a tree has nothing to say of messages. */
	if (!parent->treed && (h->type == HBC_FRAME_MESSAGE || h->type == HBC_FRAME_LAST ||
			       h->type == HBC_FRAME_DONE))
		return -EPROTO;
	switch (h->type) {
	case HBC_FRAME_PLAN:
		return hbc_parent_plan(parent, frame);
	case HBC_FRAME_TREE:
		return hbc_parent_tree(parent, frame, h->n);
	case HBC_FRAME_OVER:
		return hbc_parent_over(parent, h);
	case HBC_FRAME_MESSAGE:
		return hbc_parent_message(parent, frame, h);
	case HBC_FRAME_LAST:
		return hbc_parent_last(parent, frame);
	case HBC_FRAME_DONE:
		return hbc_parent_done(parent, frame, h);
	default:
		return -EPROTO;
	}
}

/* Whether pieces in memory are more than may be. */
static bool hbc_parent_spools(struct hbc_message *m)
{
	struct hbc_session *s = m->s;
	bool over;

	spin_lock_bh(&s->lock);
	hbc_message_recount(m);
	over = m->spooled && !hbc_store_drains(m->store) &&
	       (hbc_session_full(s) || (hbc_message_is_file(m) &&
					s->spooled_files > READ_ONCE(s->group->config.spool)));
	spin_unlock_bh(&s->lock);
	return over;
}

/* @last: nothing else has been read. */
static int hbc_parent_run(struct hbc_parent *parent, const struct hbc_run *run, bool last)
{
	struct hbc_session *s = parent->s;
	struct hbc_message *m = hbc_message_find(s, run->message);
	int ret;

	if (!m || hbc_message_is_useless(m)) {
		hbc_group_drop(s->group, HBCAST_A_DROPS_STALE);
		if (m) {
			WRITE_ONCE(m->thrown, true);
			hbc_message_put(m);
		}
		return 0;
	}
	ret = hbc_store_add(m->store, run);
	if (ret == -ENODATA && READ_ONCE(m->thrown)) {
		/* The piece began to come when it was of no use. */
		spin_lock_bh(&s->lock);
		hbc_have_want(s);
		spin_unlock_bh(&s->lock);
		ret = 1;
	}
	if (ret > 0)
		hbc_group_drop(s->group, HBCAST_A_DROPS_TWICE);
	else if (!ret && hbc_parent_spools(m))
		hbc_message_give_up(m, HBCAST_REASON_SPOOL);
	else if (!ret)
		hbc_receivers_push(m, 0);
	/* What another lane has been replaced for may stay unfinished on it. */
	if (!ret && READ_ONCE(m->endgame) && READ_ONCE(s->parent[parent->lane->slot]) == parent)
		hbc_endgame_begun(m, run, parent->lane->slot);
	/* Lanes that wait for a piece have been woken; others wait for all of it. */
	if (!ret && hbc_store_is_whole(m->store))
		hbc_session_due(s);
	hbc_progress_arrived(m);
	/* A node whose disk is slower than its links reads them at the disk's pace. */
	if (last && hbc_store_pauses(m->store)) {
		hbc_children_send(s);
		hbc_store_pause(m->store);
	}
	hbc_message_put(m);
	return min(ret, 0);
}

int hbc_owner_data(struct hbc_lane *lane, const struct hbc_run *run, unsigned int nr)
{
	struct hbc_parent *parent = lane->owner;
	unsigned int i;
	int err = parent->treed ? 0 : -EPROTO;

	for (i = 0; i < nr && !err; i++)
		err = hbc_parent_run(parent, &run[i], i == nr - 1);
	return err;
}

/* What goes to a parent. */

static unsigned int hbc_parent_put_tree_ack(struct hbc_parent *parent, struct hbc_wire_tree_ack *w)
{
	if (!parent->tree_ack.epoch)
		return 0;
	*w = parent->tree_ack;
	parent->tree_ack.epoch = 0;
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_TREE_ACK, 0, sizeof(*w));
}

static unsigned int hbc_parent_put_ack(struct hbc_parent *parent, struct hbc_wire_ack *w)
{
	u64 message, bytes;

	if (!parent->s->tree[HBC_SLOT_ALL])
		return 0;
	hbc_report_least(parent->s, &message, &bytes);
	/* Over another slot messages may be known here first. */
	if (message > parent->known + 1) {
		message = parent->known + 1;
		bytes = 0;
	}
	if (message == parent->ack && bytes == parent->ack_bytes)
		return 0;
	parent->ack = message;
	parent->ack_bytes = bytes;
	w->epoch = cpu_to_be32(parent->s->tree[HBC_SLOT_ALL]->epoch);
	w->message = cpu_to_be64(message);
	w->bytes = cpu_to_be64(bytes);
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_ACK, 0, sizeof(*w));
}

unsigned int hbc_parent_control(struct hbc_parent *parent, void *frame)
{
	struct hbc_session *s = parent->s;
	unsigned int len;

	spin_lock_bh(&s->lock);
	len = hbc_parent_put_tree_ack(parent, frame);
	if (!len && parent->stop) {
		parent->stop = false;
		len = hbc_wire_put_hdr(frame, HBC_FRAME_STOP, 0, HBC_HDR_LEN);
	}
	len = len ?: hbc_have_frame(parent, frame);
	len = len ?: hbc_have_want_frame(parent, frame);
	len = len ?: hbc_endgame_frame(parent, frame);
	/* Who is lost does not hold up an ACK, so the root hears of that first. */
	if (!len && s->parent[HBC_SLOT_ALL] == parent)
		len = hbc_lost_frame(s, frame) ?:
		      hbc_parent_put_ack(parent, frame) ?:
		      hbc_report_frame(s, parent->known, frame) ?:
		      hbc_progress_frame(s, parent->known, frame);
	spin_unlock_bh(&s->lock);
	return len;
}
