// SPDX-License-Identifier: GPL-2.0
/* A child: the other end of a lane that leads away from the root. */
#include <linux/bitops.h>
#include <linux/hbcast.h>
#include <linux/list_sort.h>
#include <linux/slab.h>

#include "config/addr.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "session/adopt.h"
#include "session/child.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/progress.h"
#include "session/report.h"
#include "session/session.h"
#include "session/tree.h"
#include "session/watch.h"
#include "store/cursor.h"
#include "store/store.h"

static void hbc_child_free(struct kref *ref)
{
	struct hbc_child *child = container_of(ref, struct hbc_child, ref);
	struct hbc_cursor *c, *next;

	/* See hbc_children_forget(). */
	spin_lock_bh(&child->s->lock);
	list_for_each_entry_safe(c, next, &child->cursors, child_link)
		hbc_cursor_free(c);
	spin_unlock_bh(&child->s->lock);
	xa_destroy(&child->index);
	hbc_tree_put(child->tree);
	hbc_lane_put(child->lane);
	hbc_session_put(child->s);
	kfree(child);
}

void hbc_child_put(struct hbc_child *child)
{
	kref_put(&child->ref, hbc_child_free);
}

const struct hbc_edge *hbc_child_edge(const struct hbc_child *child)
{
	lockdep_assert(lockdep_is_held(&child->s->lock) || lockdep_is_held(&child->s->plan_lock));
	return &child->tree->edge[child->edge];
}

/* Trees. */

static struct hbc_child *hbc_child_new(struct hbc_session *s, struct hbc_tree *tree,
				       unsigned int edge)
{
	const struct hbc_wire_node *node = &tree->node[tree->edge[edge].first];
	struct hbc_child *child = kzalloc(sizeof(*child), HBC_GFP_GROUP);
	struct hbc_lane *lane = child ? hbc_lane_connect(s->group) : NULL;

	if (!lane) {
		kfree(child);
		return NULL;
	}
	lane->incarnation = s->incarnation;
	lane->root = s->root;
	lane->peer = be32_to_cpu(node->node);
	lane->slot = tree->slot;
	hbc_addr_get(&lane->addr, node->family, node->port, node->addr);
	lane->owner = child;
	child->lane = lane;
	kref_init(&child->ref);
	kref_get(&s->ref);
	child->s = s;
	child->slot = tree->slot;
	kref_get(&tree->ref);
	child->tree = tree;
	child->edge = edge;
	child->moved = jiffies;
	INIT_LIST_HEAD(&child->cursors);
	xa_init_flags(&child->index, 0);
	return child;
}

/* The child of an edge that is there with this address already, or NULL. plan_lock held. */
static struct hbc_child *hbc_child_find(struct hbc_session *s, const struct hbc_tree *tree,
					unsigned int edge)
{
	const struct hbc_wire_node *node = &tree->node[tree->edge[edge].first];
	struct sockaddr_storage addr;
	struct hbc_child *child;

	lockdep_assert_held(&s->plan_lock);
	hbc_addr_get(&addr, node->family, node->port, node->addr);
	list_for_each_entry(child, &s->children, link)
		if (child->slot == tree->slot && child->lane->peer == be32_to_cpu(node->node) &&
		    !memcmp(&child->lane->addr, &addr, sizeof(addr)))
			return child;
	return NULL;
}

bool hbc_children_fit(struct hbc_session *s, const struct hbc_tree *tree)
{
	const struct hbc_child *child;
	u32 nr = tree->nr_edges;

	lockdep_assert_held(&s->plan_lock);
	list_for_each_entry(child, &s->children, link)
		nr += child->slot != tree->slot;
	return nr <= HBC_CHILDREN_MAX;
}

int hbc_children_prepare(struct hbc_session *s, struct hbc_tree *tree, struct list_head *fresh)
{
	struct hbc_child *child, *next;
	unsigned int i;

	lockdep_assert_held(&s->plan_lock);
	for (i = 0; i < tree->nr_edges; i++) {
		if (hbc_child_find(s, tree, i))
			continue;
		child = hbc_child_new(s, tree, i);
		if (!child)
			goto no_memory;
		list_add_tail(&child->link, fresh);
	}
	return 0;
no_memory:
	list_for_each_entry_safe(child, next, fresh, link) {
		list_del(&child->link);
		hbc_child_put(child);
	}
	return -ENOMEM;
}

/* There are others below it now, or the same ones by another plan. session->lock held. */
static void hbc_child_renew(struct hbc_child *child)
{
	lockdep_assert_held(&child->s->lock);
	child->plan_told = false;
	child->tree_told = 0;
	child->ready = 0;
	child->ack = 0;
	child->ack_bytes = 0;
	child->moved = jiffies;
	child->row = 0;
	/* One that had asked the lane to stop says anew what it has. */
	child->agreed = child->agreed && !child->stop;
	child->stop = false;
	clear_bit(HBC_LANE_OVER, &child->lane->flags);
}

/* The child is in another tree now, and what it is to get may differ. plan_lock held. */
static void hbc_child_move(struct hbc_child *child, struct hbc_tree *tree, unsigned int edge)
{
	struct hbc_session *s = child->s;
	struct hbc_tree *old = child->tree;
	struct hbc_cursor *c;
	bool renew;

	lockdep_assert_held(&s->plan_lock);
	kref_get(&tree->ref);
	spin_lock_bh(&s->lock);
	renew = old->epoch != tree->epoch || old->nr != tree->nr ||
		hbc_child_edge(child)->size != tree->edge[edge].size;
	if (renew)
		hbc_child_renew(child);
	child->tree = tree;
	child->edge = edge;
	list_for_each_entry(c, &child->cursors, child_link) {
		hbc_cursor_set_route(c, &tree->edge[edge].route);
		if (renew)
			c->arrived = 0;
	}
	spin_unlock_bh(&s->lock);
	hbc_tree_put(old);
}

/*
 * A node's lanes of several trees grow together: one alone would give its slot more than its
 * share, which relays could not bring in time, and would take it from lanes that need it.
 */
static void hbc_child_begin(struct hbc_child *child)
{
	const struct hbc_tree *tree = child->tree;
	u64 rate = be64_to_cpu(tree->node[hbc_child_edge(child)->first].rate);
	struct hbc_gain *gain = &child->lane->pace.own;

	if (tree->plan->wire.flags & HBC_PLAN_STRICT)
		gain = NULL;
	else if (hweight64(tree->plan->slots.set) > 1)
		gain = &child->s->gain;
	hbc_lane_set_rate(child->lane, rate, gain);
}

/* It leaves the list: its lane goes on until the child has another parent. plan_lock held. */
static void hbc_child_leave(struct hbc_child *child)
{
	struct hbc_session *s = child->s;

	lockdep_assert_held(&s->plan_lock);
	spin_lock_bh(&s->lock);
	list_del_init(&child->link);
	/* Who has not said what it has gets nothing; whole messages wait for their turn. */
	child->stop = child->stop || !child->agreed || hbc_plan_is_whole(child->tree->plan);
	spin_unlock_bh(&s->lock);
	/* There are only so many of those. */
	hbc_lane_close(child->lane, READ_ONCE(s->ended) ||
		       atomic_read(&s->hn->nr_lanes) < 2 * HBC_CHILDREN_MAX);
	hbc_child_put(child);
}

/* The plan says in which order those of one parent are served. */
static int hbc_children_compare(void *unused, const struct list_head *a,
				const struct list_head *b)
{
	const struct hbc_child *x = list_entry(a, struct hbc_child, link);
	const struct hbc_child *y = list_entry(b, struct hbc_child, link);

	return x->slot != y->slot ? x->slot - y->slot : x->edge > y->edge;
}

void hbc_children_install(struct hbc_session *s, struct hbc_tree *tree, struct list_head *fresh)
{
	struct hbc_child *child, *next;
	unsigned int i;

	lockdep_assert_held(&s->plan_lock);
	for (i = 0; i < tree->nr_edges; i++) {
		child = hbc_child_find(s, tree, i);
		if (child) {
			hbc_child_move(child, tree, i);
			hbc_child_begin(child);
			hbc_lane_kick(child->lane);
		}
	}
	list_for_each_entry_safe(child, next, &s->children, link)
		if (child->slot == tree->slot && child->tree != tree)
			hbc_child_leave(child);
	list_for_each_entry_safe(child, next, fresh, link) {
		if (child->tree != tree)
			continue;
		spin_lock_bh(&s->lock);
		list_move_tail(&child->link, &s->children);
		spin_unlock_bh(&s->lock);
		hbc_child_begin(child);
		kref_get(&child->ref);	/* the lane's */
		hbc_lane_begin(child->lane);
	}
	spin_lock_bh(&s->lock);
	list_sort(NULL, &s->children, hbc_children_compare);
	spin_unlock_bh(&s->lock);
}

void hbc_children_leave_slots(struct hbc_session *s, u64 slots)
{
	struct hbc_child *child, *next;

	lockdep_assert_held(&s->plan_lock);
	list_for_each_entry_safe(child, next, &s->children, link)
		if (!(slots & BIT_ULL(child->slot)))
			hbc_child_leave(child);
}

bool hbc_children_ready(const struct hbc_session *s, const struct hbc_tree *tree)
{
	const struct hbc_child *child;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(child, &s->children, link)
		if (child->tree == tree && (!child->up || child->ready != tree->epoch))
			return false;
	return true;
}

/* Messages. */

struct hbc_cursor *hbc_child_cursor(struct hbc_child *child, const struct hbc_store *store)
{
	struct hbc_cursor *c;

	lockdep_assert_held(&child->s->lock);
	c = xa_load(&child->index, (u32)store->info.number);
	return c && c->store == store ? c : NULL;
}

bool hbc_children_lack(const struct hbc_message *m)
{
	bool whole = hbc_store_is_whole(m->store);
	const struct hbc_cursor *c;
	struct hbc_child *child;
	enum hbcast_store_wait wait;

	lockdep_assert_held(&m->s->lock);
	if (m->discard)
		return false;
	list_for_each_entry(child, &m->s->children, link) {
		c = child->up ? hbc_child_cursor(child, m->store) : NULL;
		if (!c)
			continue;
		wait = READ_ONCE(c->wait);
		if (!whole || wait == HBCAST_WAIT_NONE || wait == HBCAST_WAIT_FILE)
			return true;
	}
	return false;
}

void hbc_children_forget(struct hbc_message *m)
{
	struct hbc_session *s = m->s;
	struct hbc_cursor *c, *next;
	struct hbc_child *child;

	spin_lock_bh(&s->lock);
	/* Of children that have left the session's list, too. */
	list_for_each_entry_safe(c, next, &m->store->cursors, link) {
		child = c->lane->owner;
		xa_erase(&child->index, (u32)hbc_message_number(m));
		list_del(&c->child_link);
		/* At once: its route and its lane go with the child's tree and the child. */
		hbc_cursor_free(c);
	}
	spin_unlock_bh(&s->lock);
}

/* The lane. */

int hbc_child_up(struct hbc_child *child)
{
	struct hbc_session *s = child->s;

	spin_lock_bh(&s->lock);
	child->up = true;
	child->row = 0;
	child->plan_told = false;
	child->tree_told = 0;
	/* Who comes back again and again without an ACK gets no more time for it. */
	if (child->dead || child->ack != child->ack_up)
		child->moved = jiffies;
	child->ack_up = child->ack;
	spin_unlock_bh(&s->lock);
	return 0;
}

/* What was handed to the connection is lost, as far as is known. */
void hbc_child_down(struct hbc_child *child)
{
	struct hbc_session *s = child->s;
	struct hbc_cursor *c;

	spin_lock_bh(&s->lock);
	child->up = false;
	child->agreed = false;
	child->stop = false;
	clear_bit(HBC_LANE_OVER, &child->lane->flags);
	child->ready = 0;
	child->told = 0;
	child->done = 0;
	list_for_each_entry(c, &child->cursors, child_link) {
		hbc_cursor_rewind(c);
		c->last = false;
	}
	if (s->origin && !list_empty(&child->link))
		hbc_root_unready(s);
	spin_unlock_bh(&s->lock);
	hbc_watch_soon(s);
}

void hbc_owner_refused(struct hbc_lane *lane, u16 reason)
{
	struct hbc_child *child = lane->owner;
	struct hbc_session *s = child->s;

	mutex_lock(&s->plan_lock);
	if (!list_empty(&child->link))
		hbc_parent_tree_ack(s, child->slot, child->tree->epoch, child->lane->peer, reason);
	mutex_unlock(&s->plan_lock);
}

/* What a child says. */

static int hbc_child_tree_ack(struct hbc_child *child, const struct hbc_wire_tree_ack *w)
{
	struct hbc_session *s = child->s;
	u32 epoch = be32_to_cpu(w->epoch), node = be32_to_cpu(w->node);
	bool ready = false;
	int err = 0;

	mutex_lock(&s->plan_lock);
	spin_lock_bh(&s->lock);
	if (child->tree->epoch == epoch && !list_empty(&child->link)) {
		if (!node)
			child->ready = epoch;
		ready = node || hbc_children_ready(s, child->tree);
	} else {
		hbc_group_drop(s->group, HBCAST_A_DROPS_STALE);
	}
	spin_unlock_bh(&s->lock);
	/* It does not keep a message, and is to have no children. */
	if (ready && node == child->lane->peer)
		err = hbc_adopt(child);
	if (ready)
		hbc_parent_tree_ack(s, child->slot, epoch, node, be16_to_cpu(w->reason));
	mutex_unlock(&s->plan_lock);
	/* Without memory it is asked again over another connection. */
	return err == -ENOMEM ? err : 0;
}

int hbc_child_begin_message(struct hbc_child *child, struct hbc_message *m)
{
	struct hbc_session *s = child->s;
	struct hbc_cursor *c;
	int err = 0;
	bool lacks;

	spin_lock_bh(&s->lock);
	lacks = !hbc_child_cursor(child, m->store) && !list_empty(&m->link);
	spin_unlock_bh(&s->lock);
	if (!lacks)
		return 0;
	c = hbc_cursor_new(m->store, child->lane);
	if (!c) {
		/* Over another connection, too: others are to serve the child, but for the root. */
		if (!s->origin && READ_ONCE(child->starved) == hbc_message_number(m)) {
			WRITE_ONCE(m->store->error, HBCAST_REASON_NO_MEMORY);
			hbc_session_queue(s);
		}
		WRITE_ONCE(child->starved, hbc_message_number(m));
		return -ENOMEM;
	}
	spin_lock_bh(&s->lock);
	lacks = !hbc_child_cursor(child, m->store) && !list_empty(&m->link);
	if (lacks && xa_insert(&child->index, (u32)hbc_message_number(m), c,
			       GFP_ATOMIC | __GFP_NOWARN))
		err = -ENOMEM;
	if (lacks && !err) {
		hbc_cursor_set_route(c, &hbc_child_edge(child)->route);
		list_add_tail(&c->child_link, &child->cursors);
	}
	spin_unlock_bh(&s->lock);
	if (!lacks || err)
		hbc_cursor_free(c);
	return err;
}

static int hbc_child_acked(struct hbc_child *child, const struct hbc_wire_ack *w)
{
	u64 message = be64_to_cpu(w->message), bytes = be64_to_cpu(w->bytes);
	struct hbc_session *s = child->s;
	bool moved = false;
	int err = 0;

	spin_lock_bh(&s->lock);
	if (be32_to_cpu(w->epoch) != child->tree->epoch) {
		hbc_group_drop(s->group, HBCAST_A_DROPS_STALE);
	} else if (message > s->last + 1) {
		err = -EPROTO;
	} else if (message > child->ack || (message == child->ack && bytes > child->ack_bytes)) {
		child->ack = message;
		child->ack_bytes = bytes;
		child->moved = jiffies;
		moved = true;
	}
	spin_unlock_bh(&s->lock);
	if (moved)
		hbc_report_ack(s);
	return err;
}

int hbc_child_frame(struct hbc_child *child, const struct hbc_hdr *h, const void *frame)
{
	bool all = child->slot == HBC_SLOT_ALL;

	switch (h->type) {
	case HBC_FRAME_TREE_ACK:
		return hbc_child_tree_ack(child, frame);
	case HBC_FRAME_HAVE:
	case HBC_FRAME_WANT:
		return hbc_child_have(child, frame, h);
	case HBC_FRAME_STOP:
		spin_lock_bh(&child->s->lock);
		/* Before it has this tree it does not mean that: it is to say anew what it has. */
		if (list_empty(&child->link) || child->tree_told == hbc_child_edge(child)->size)
			child->stop = true;
		else
			child->agreed = false;
		spin_unlock_bh(&child->s->lock);
		hbc_lane_kick(child->lane);
		return 0;
	case HBC_FRAME_ACK:
		if (all && h->tag & HBC_ACK_FILE)
			return hbc_progress_come(child, frame);
		return all ? hbc_child_acked(child, frame) : -EPROTO;
	case HBC_FRAME_LOST:
		if (all)
			hbc_lost_come(child, frame, h->tag, h->n);
		return all ? 0 : -EPROTO;
	case HBC_FRAME_REPORT:
		return all ? hbc_report_come(child, frame, h->n) : -EPROTO;
	default:
		return -EPROTO;
	}
}
