// SPDX-License-Identifier: GPL-2.0
/* A tree: one epoch and slot of a schedule at this node. */
#include <linux/bsearch.h>
#include <linux/hbcast.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/tcp.h>
#include <net/sock.h>

#include "edge.h"
#include "event.h"
#include "group.h"
#include "lack.h"
#include "lane.h"
#include "message.h"
#include "node.h"
#include "origin.h"
#include "repair.h"
#include "roster.h"
#include "schedule.h"
#include "shape.h"
#include "store.h"
#include "trace.h"
#include "transmit.h"
#include "tree.h"

#define HBC_TELL_NODES		64	/* members in one LOST frame of ours */
#define HBC_FRAGMENT_DEFAULT	1448	/* Ethernet's segment with timestamps */

static void hbc_tree_free(struct work_struct *work)
{
	struct hbc_tree *tree = container_of(to_rcu_work(work), struct hbc_tree, free);
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++)
		hbc_lane_put(tree->edge[i].lane);
	if (tree->foster)
		hbc_tree_put(tree->foster);
	kvfree(tree->slots);
	kvfree(tree->below);
	kvfree(tree->nodes);
	hbc_schedule_put(tree->sched);
	kfree(tree);
}

/* Readers of sched->trees look at lanes, so these stay for a grace period too. */
void hbc_tree_put(struct hbc_tree *tree)
{
	if (!refcount_dec_and_test(&tree->ref))
		return;
	INIT_RCU_WORK(&tree->free, hbc_tree_free);
	hbc_lane_defer(&tree->free);
}

struct hbc_tree *hbc_tree_get(struct hbc_schedule *sched, u32 epoch, u8 slot)
{
	struct hbc_tree *tree;

	rcu_read_lock();
	list_for_each_entry_rcu(tree, &sched->trees, link) {
		if (tree->slot == slot && (!epoch || tree->epoch == epoch) &&
		    refcount_inc_not_zero(&tree->ref)) {
			rcu_read_unlock();
			return tree;
		}
	}
	rcu_read_unlock();
	return NULL;
}

struct hbc_lane *hbc_tree_up(struct hbc_schedule *sched, u32 epoch, u8 slot)
{
	struct hbc_tree *tree = hbc_tree_get(sched, epoch, slot);
	struct hbc_lane *lane;

	if (!tree)
		return NULL;
	spin_lock_bh(&sched->lock);
	lane = tree->from;
	if (lane)
		hbc_lane_get(lane);
	spin_unlock_bh(&sched->lock);
	hbc_tree_put(tree);
	return lane;
}

u64 hbc_tree_silent(struct hbc_schedule *sched, u32 epoch)
{
	unsigned long patience = msecs_to_jiffies(READ_ONCE(sched->group->config.dead_ms));
	const struct hbc_tree *tree;
	unsigned long last;
	u64 slots = 0;

	lockdep_assert_held(&sched->lock);
	rcu_read_lock();
	list_for_each_entry_rcu(tree, &sched->trees, link) {
		/* A lane that is not read stands still at both times. */
		last = tree->from ? READ_ONCE(tree->from->last_rx) : jiffies;
		if (!tree->adopted && tree->epoch == epoch &&
		    time_after(last, READ_ONCE(tree->heard) + patience))
			slots |= BIT_ULL(tree->slot);
	}
	rcu_read_unlock();
	return slots;
}

void hbc_tree_set_from(struct hbc_tree *tree, struct hbc_lane *lane)
{
	struct hbc_schedule *sched = tree->sched;

	lockdep_assert_held(&sched->hn->lock);
	spin_lock_bh(&sched->lock);
	for (; tree; tree = tree->foster) {
		WRITE_ONCE(tree->from, lane);
		tree->alone = jiffies;
	}
	spin_unlock_bh(&sched->lock);
}

unsigned int hbc_tree_fragment(const struct hbc_tree *tree)
{
	unsigned int i, size = 0;

	for (i = 0; i < tree->nr_edges; i++) {
		unsigned int mss = READ_ONCE(tree->edge[i].lane->mss);

		if (mss && (!size || mss < size))
			size = mss;
	}
	size = size ?: HBC_FRAGMENT_DEFAULT;
	return clamp_t(unsigned int, size, 512, HBC_FRAGMENT_MAX / 2);
}

unsigned int hbc_tree_reached(const struct hbc_tree *tree)
{
	unsigned int i, n = 0;

	for (; tree; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++)
			n += hbc_edge_open(&tree->edge[i]) &&
			     READ_ONCE(tree->edge[i].lane->state) == HBC_LANE_READY;
	return n;
}

/* Building. */

static void hbc_tree_address(const struct hbc_tree_node *node, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	if (node->family == 6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(node->port);
		memcpy(&in6->sin6_addr, node->addr, sizeof(in6->sin6_addr));
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons(node->port);
		memcpy(&in->sin_addr, node->addr, sizeof(in->sin_addr));
	}
}

/* The lane to a child: the one that is there, or a new one. */
static struct hbc_lane *hbc_tree_lane(struct hbc_schedule *sched, u8 slot,
				      const struct hbc_tree_node *node)
{
	struct sockaddr_storage addr;
	struct hbc_lane *lane;

	lockdep_assert_held(&sched->hn->lock);
	hbc_tree_address(node, &addr);
	list_for_each_entry(lane, &sched->children, sched_link) {
		if (lane->peer == node->node && lane->slot == slot &&
		    !memcmp(&lane->addr, &addr, sizeof(addr))) {
			hbc_lane_get(lane);
			lane->users++;
			return lane;
		}
	}
	lane = hbc_lane_connect(sched, slot, node->node, &addr);
	if (IS_ERR(lane))
		return lane;
	lane->users = 1;
	spin_lock_bh(&sched->lock);
	list_add_tail(&lane->sched_link, &sched->children);
	spin_unlock_bh(&sched->lock);
	return lane;
}

/* One user of the lane less; the last one's end is the lane's. */
static void hbc_tree_release(struct hbc_schedule *sched, struct hbc_lane *lane, bool drain)
{
	lockdep_assert_held(&sched->hn->lock);
	if (--lane->users)
		return;
	spin_lock_bh(&sched->lock);
	list_del_init(&lane->sched_link);
	spin_unlock_bh(&sched->lock);
	hbc_lane_close(lane, drain);
}

static int hbc_tree_compare_slots(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The sets of slots of the nodes below the edge, once each. */
static void hbc_tree_gather_slots(struct hbc_tree *tree, struct hbc_edge *edge)
{
	u64 *slots = tree->slots + edge->first;
	u32 i;

	for (i = 0; i < edge->size; i++)
		slots[i] = tree->nodes[edge->first + i].slots;
	sort(slots, edge->size, sizeof(*slots), hbc_tree_compare_slots, NULL);
	edge->nr_slots = 1;
	for (i = 1; i < edge->size; i++)
		if (slots[i] != slots[edge->nr_slots - 1])
			slots[edge->nr_slots++] = slots[i];
}

static void hbc_tree_sort_below(struct hbc_tree *tree, const struct hbc_edge *edge)
{
	u32 *ids = tree->below + edge->first;
	u32 i;

	for (i = 0; i < edge->size; i++)
		ids[i] = tree->nodes[edge->first + i].node;
	sort(ids, edge->size, sizeof(*ids), hbc_shape_compare, NULL);
}

/* The edges of a tree whose nodes are checked: 0 or what a new lane says. */
static int hbc_tree_link(struct hbc_tree *tree)
{
	struct hbc_lane *lane;
	u32 at = 1;

	while (at < tree->nr_nodes) {
		lane = hbc_tree_lane(tree->sched, tree->slot, &tree->nodes[at]);
		if (IS_ERR(lane))
			return PTR_ERR(lane);
		tree->edge[tree->nr_edges].lane = lane;
		tree->edge[tree->nr_edges].first = at;
		tree->edge[tree->nr_edges].size = hbc_shape_size(tree->nodes, at);
		hbc_tree_sort_below(tree, &tree->edge[tree->nr_edges]);
		hbc_tree_gather_slots(tree, &tree->edge[tree->nr_edges]);
		at += tree->edge[tree->nr_edges++].size;
	}
	return 0;
}

void hbc_tree_discard(struct hbc_tree *tree, bool drain)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++)
		hbc_tree_release(tree->sched, tree->edge[i].lane, drain);
	hbc_tree_put(tree);
}

struct hbc_tree *hbc_tree_new(struct hbc_schedule *sched, u32 epoch, u8 slot,
			      const struct hbc_tree_node *nodes, u32 nr)
{
	struct hbc_tree *tree;
	int err;

	err = hbc_shape_check(nodes, nr, sched->hn->id);
	if (err)
		return ERR_PTR(err);
	tree = kzalloc(struct_size(tree, edge, nodes[0].nr_children), GFP_KERNEL);
	if (!tree)
		return ERR_PTR(-ENOMEM);
	refcount_set(&tree->ref, 1);
	kref_get(&sched->ref);
	tree->sched = sched;
	tree->epoch = epoch;
	tree->slot = slot;
	tree->heard = jiffies;
	INIT_LIST_HEAD(&tree->stores);
	tree->nr_nodes = nr;
	tree->nodes = kvmalloc_array(nr, sizeof(*nodes), GFP_KERNEL);
	tree->below = kvmalloc_array(nr, sizeof(*tree->below), GFP_KERNEL);
	tree->slots = kvmalloc_array(nr, sizeof(*tree->slots), GFP_KERNEL);
	err = -ENOMEM;
	if (tree->nodes && tree->below && tree->slots) {
		memcpy(tree->nodes, nodes, nr * sizeof(*nodes));
		err = hbc_tree_link(tree);
	}
	if (!err)
		return tree;
	hbc_tree_discard(tree, false);
	return ERR_PTR(err);
}

bool hbc_tree_same(const struct hbc_tree *tree, const struct hbc_tree_node *nodes, u32 nr)
{
	u32 i;

	if (tree->nr_nodes != nr)
		return false;
	for (i = 0; i < nr; i++) {
		const struct hbc_tree_node *a = &tree->nodes[i], *b = &nodes[i];

		if (a->node != b->node || a->nr_children != b->nr_children ||
		    a->rate != b->rate || a->slots != b->slots || a->stage != b->stage ||
		    a->port != b->port || a->flags != b->flags ||
		    a->family != b->family || memcmp(a->addr, b->addr, sizeof(a->addr)))
			return false;
	}
	return true;
}

/* Spreading. */

int hbc_tree_describe(const struct hbc_tree *tree, const struct hbc_edge *edge,
		      struct list_head *entries)
{
	struct hbc_tree_frame f = { .epoch = tree->epoch, .total = hbc_edge_size(edge) };
	const struct hbc_tree_node *nodes = &tree->nodes[edge->first];
	struct hbc_tree_node leaf = *nodes;
	u8 *frame = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL);
	int err = frame ? 0 : -ENOMEM;

	leaf.nr_children = 0;
	if (edge->bereft)
		nodes = &leaf;
	for (f.first = 0; f.first < f.total && !err; f.first += f.count) {
		f.count = min_t(u32, f.total - f.first, HBC_TREE_MAX_NODES);
		err = hbc_transmit_prepare(entries, frame,
					   hbc_wire_put_tree(frame, tree->slot, &f,
							     &nodes[f.first]));
	}
	kfree(frame);
	return err;
}

struct hbc_edge *hbc_tree_edge(struct hbc_tree *tree, const struct hbc_lane *lane)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++)
		if (tree->edge[i].lane == lane)
			return &tree->edge[i];
	return NULL;
}

bool hbc_tree_below(const struct hbc_lane *lane, u32 epoch, u32 node)
{
	const struct hbc_edge *edge;
	struct hbc_tree *tree;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(tree, &lane->sched->trees, link) {
		edge = tree->epoch == epoch ? hbc_tree_edge(tree, lane) : NULL;
		if (edge && READ_ONCE(edge->bereft))
			found = node == tree->nodes[edge->first].node;
		else if (edge)
			found = bsearch(&node, tree->below + edge->first, edge->size,
					sizeof(node), hbc_shape_compare);
		if (found)
			break;
	}
	rcu_read_unlock();
	return found;
}

/* The children that are connected already learn of a new tree at once. */
static void hbc_tree_spread(struct hbc_tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++) {
		struct hbc_lane *lane = tree->edge[i].lane;
		LIST_HEAD(entries);

		if (!lane->tree_sent)
			continue;
		if (hbc_tree_describe(tree, &tree->edge[i], &entries)) {
			hbc_transmit_discard(&entries);
			hbc_lane_fail(lane, ENOMEM);
			continue;
		}
		hbc_transmit_back(lane, &entries);
		hbc_transmit_send(lane);
	}
}

bool hbc_tree_ready(const struct hbc_tree *tree)
{
	u32 i;

	lockdep_assert_held(&tree->sched->hn->lock);
	for (; tree; tree = tree->foster)
		for (i = 0; i < tree->nr_edges; i++)
			if (!tree->edge[i].ready)
				return false;
	return true;
}

bool hbc_tree_settled(struct hbc_schedule *sched, u32 since, u32 epoch)
{
	const struct hbc_tree *tree;
	bool settled = true;

	if (since == epoch)
		return true;
	rcu_read_lock();
	list_for_each_entry_rcu(tree, &sched->trees, link)
		if (tree->epoch >= since && tree->epoch < epoch && READ_ONCE(tree->from))
			settled = false;
	rcu_read_unlock();
	return settled;
}

bool hbc_tree_all_ready(const struct hbc_schedule *sched, u32 epoch)
{
	const struct hbc_tree *tree;

	list_for_each_entry(tree, &sched->trees, link)
		if (tree->epoch == epoch && !hbc_tree_ready(tree))
			return false;
	return true;
}

/* Tells the parent, or, of the last tree, the root's administrator, once all below are ready. */
static void hbc_tree_announce(struct hbc_tree *tree)
{
	struct hbc_tree_ack f = { .epoch = tree->epoch };
	u8 frame[HBC_HDR_LEN + 16];

	if (tree->announced || !hbc_tree_ready(tree))
		return;
	tree->announced = true;
	if (tree->sched->origin) {
		if (hbc_tree_all_ready(tree->sched, tree->epoch)) {
			hbc_roster_ready(tree->sched->origin, tree->epoch);
			hbc_event_plan(tree->sched, tree->epoch, true);
		}
	} else if (tree->from) {
		hbc_transmit_frame(tree->from, frame,
				   hbc_wire_put_tree_ack(frame, tree->slot, &f));
		hbc_transmit_send(tree->from);
	}
}

void hbc_tree_tell(struct hbc_tree *tree, const struct hbc_edge *edge, u8 flags, u8 reason)
{
	struct hbc_lost f = { .epoch = tree->epoch, .reason = reason };
	u32 ids[HBC_TELL_NODES], at = 0, i;

	while (at < hbc_edge_size(edge)) {
		f.count = min_t(u32, hbc_edge_size(edge) - at, HBC_TELL_NODES);
		for (i = 0; i < f.count; i++)
			ids[i] = tree->nodes[edge->first + at + i].node;
		hbc_schedule_tell_lost(tree->sched, tree->slot, flags, &f, ids);
		at += f.count;
	}
}

/* The children that are reached at present; what is below them, they tell. */
static void hbc_tree_tell_back(struct hbc_tree *tree)
{
	struct hbc_lost f = { .epoch = tree->epoch };
	u32 ids[HBC_TELL_NODES];
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++) {
		if (hbc_edge_open(&tree->edge[i]))
			ids[f.count++] = tree->nodes[tree->edge[i].first].node;
		if (f.count == HBC_TELL_NODES || (f.count && i + 1 == tree->nr_edges)) {
			hbc_schedule_tell_lost(tree->sched, tree->slot, HBC_LOST_BACK, &f, ids);
			f.count = 0;
		}
	}
}

/* Whoever is not reached at present. */
static void hbc_tree_tell_all(struct hbc_tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr_edges; i++)
		if (tree->edge[i].lost)
			hbc_tree_tell(tree, &tree->edge[i], HBC_LOST_DOWN,
				      HBCAST_REASON_NODE_DEAD);
}

void hbc_tree_insert(struct hbc_tree *tree)
{
	struct hbc_schedule *sched = tree->sched;
	struct hbc_tree *other;
	struct list_head *at = &sched->trees;
	unsigned int i;

	list_for_each_entry(other, &sched->trees, link) {
		if (other->epoch < tree->epoch ||
		    (other->epoch == tree->epoch && other->slot > tree->slot))
			break;
		at = &other->link;
	}
	for (i = 0; i < tree->nr_edges; i++)
		/* What is adopted in an old epoch leaves the newest plan's rates alone. */
		if (!tree->adopted || tree->edge[i].lane->users == 1)
			hbc_lane_set_rate(tree->edge[i].lane,
					  tree->nodes[tree->edge[i].first].rate,
					  tree->nodes[0].flags & HBC_TREE_STRICT);
	/* The children learn of the tree before anybody can send along it. */
	hbc_tree_spread(tree);
	list_add_rcu(&tree->link, at);
	trace_hbc_tree(tree, true);
	if (!tree->adopted)
		hbc_tree_announce(tree);
}

static void hbc_tree_remove(struct hbc_tree *tree, bool drain)
{
	struct hbc_schedule *sched = tree->sched;

	lockdep_assert_held(&sched->hn->lock);
	trace_hbc_tree(tree, false);
	WRITE_ONCE(tree->gone, true);
	list_del_rcu(&tree->link);
	hbc_store_end_all(tree);
	hbc_lack_forget(sched, tree);
	hbc_tree_discard(tree, drain);
	hbc_schedule_resume(sched);
}

void hbc_tree_end_all(struct hbc_schedule *sched)
{
	struct hbc_tree *tree, *next;

	list_for_each_entry_safe(tree, next, &sched->trees, link)
		hbc_tree_remove(tree, sched->origin);
}

void hbc_tree_end(struct hbc_tree *tree)
{
	struct hbc_epoch_end f = { .epoch = tree->epoch };
	u8 frame[HBC_HDR_LEN + 8];
	unsigned int i, len;

	len = hbc_wire_put_epoch_end(frame, tree->slot, &f);
	for (i = 0; i < tree->nr_edges; i++) {
		if (!tree->edge[i].lane->tree_sent)
			continue;
		hbc_transmit_frame(tree->edge[i].lane, frame, len);
		hbc_transmit_send(tree->edge[i].lane);
	}
	hbc_tree_remove(tree, true);
}

bool hbc_tree_crowded(const struct hbc_schedule *sched, u8 slot)
{
	const struct hbc_tree *tree;
	unsigned int n = 0;

	lockdep_assert_held(&sched->hn->lock);
	list_for_each_entry(tree, &sched->trees, link)
		n += tree->slot == slot && !tree->adopted;
	return n >= (sched->origin ? HBC_TREES_MAX : HBC_TREES_BELOW);
}

/* Below the root. */

void hbc_tree_retell(struct hbc_tree *tree)
{
	tree->announced = false;
	hbc_tree_announce(tree);
	for (; tree; tree = tree->foster) {
		hbc_tree_tell_back(tree);
		hbc_tree_tell_all(tree);
	}
}

/* It is told once more. */
static void hbc_tree_adopt_again(struct hbc_tree *tree, struct hbc_lane *lane)
{
	if (tree->from && tree->from != lane)
		tree->former = tree->from;
	hbc_tree_set_from(tree, lane);
	/*
	 * What was told on the lane before, or while there was none, may be lost; so
	 * may be what those below have told.
	 */
	hbc_tree_retell(tree);
	for (; tree; tree = tree->foster)
		hbc_tree_spread(tree);
}

/* The subtree is complete. hn->lock held. */
static int hbc_tree_adopt(struct hbc_lane *lane, const struct hbc_assembly *a)
{
	struct hbc_schedule *sched = lane->sched;
	struct hbc_tree *tree, *next;
	u32 i;

	for (i = 0; i < a->total; i++)
		if (!hbc_group_is_member(sched->group, a->nodes[i].node))
			return -EPERM;

	list_for_each_entry_safe(tree, next, &sched->trees, link) {
		bool same = tree->epoch == a->epoch && tree->slot == lane->slot;

		if (same && !tree->adopted && hbc_tree_same(tree, a->nodes, a->total)) {
			hbc_tree_adopt_again(tree, lane);
			return 0;
		}
		/* The root has begun anew. */
		if (same)
			hbc_tree_remove(tree, false);
	}
	if (sched->gone)
		return -ESHUTDOWN;
	if (hbc_tree_crowded(sched, lane->slot))
		return -EPROTO;
	tree = hbc_tree_new(sched, a->epoch, lane->slot, a->nodes, a->total);
	if (IS_ERR(tree))
		return PTR_ERR(tree);
	hbc_tree_set_from(tree, lane);
	hbc_tree_insert(tree);
	hbc_edge_look(sched);
	/* It may have been here before, and have been forgotten. */
	for (; tree; tree = tree->foster)
		hbc_tree_tell_back(tree);
	return 0;
}

int hbc_schedule_tree(struct hbc_lane *lane, const struct hbc_tree_frame *f,
		      const struct hbc_tree_node *node)
{
	struct hbc_assembly *a = lane->assembly;
	int err = 0;

	if (!f->first) {
		kvfree(a);
		lane->assembly = NULL;
		if (f->total > HBC_MAX_MEMBERS)
			return -EBADMSG;
		a = kvzalloc(struct_size(a, nodes, f->total), GFP_KERNEL);
		if (!a)
			return -ENOMEM;
		a->epoch = f->epoch;
		a->total = f->total;
		lane->assembly = a;
	}
	if (!a || f->epoch != a->epoch || f->total != a->total || f->first != a->have ||
	    f->count > a->total - a->have)
		return -EBADMSG;
	memcpy(&a->nodes[a->have], node, f->count * sizeof(*node));
	a->have += f->count;
	if (a->have < a->total)
		return 0;
	mutex_lock(&lane->hn->lock);
	err = hbc_tree_adopt(lane, a);
	mutex_unlock(&lane->hn->lock);
	kvfree(a);
	lane->assembly = NULL;
	return err;
}

void hbc_schedule_epoch_end(struct hbc_lane *lane, u32 epoch)
{
	struct hbc_schedule *sched = lane->sched;
	struct hbc_tree *tree, *next;
	bool ends = false;

	mutex_lock(&lane->hn->lock);
	list_for_each_entry_safe(tree, next, &sched->trees, link) {
		bool same = tree->epoch == epoch && tree->slot == lane->slot;

		/* What was adopted follows it, and ends with it. */
		if (!tree->adopted)
			ends = same && tree->from == lane;
		if (ends)
			hbc_tree_end(tree);
		else if (same && tree->former == lane)
			tree->former = NULL;
	}
	if (!sched->gone)
		hbc_schedule_look(sched);
	mutex_unlock(&lane->hn->lock);
}

struct hbc_tree *hbc_tree_main(struct hbc_tree *tree)
{
	lockdep_assert_held(&tree->sched->hn->lock);
	while (tree->adopted)
		tree = list_prev_entry(tree, link);
	return tree;
}

/* A child could not take its part: up to the root's administrator. */
static void hbc_tree_refuse(struct hbc_tree *tree, const struct hbc_tree_ack *f)
{
	u8 frame[HBC_HDR_LEN + 16];

	if (tree->sched->origin) {
		hbc_event_plan_refused(tree->sched, tree->epoch, f->node, f->reason);
	} else if (tree->from) {
		hbc_transmit_frame(tree->from, frame,
				   hbc_wire_put_tree_ack(frame, tree->slot, f));
		hbc_transmit_send(tree->from);
	}
}

void hbc_schedule_refused(struct hbc_lane *lane, u16 reason)
{
	struct hbc_tree_ack f = { .node = lane->peer, .reason = reason };
	struct hbc_tree *tree;

	mutex_lock(&lane->hn->lock);
	list_for_each_entry(tree, &lane->sched->trees, link) {
		f.epoch = tree->epoch;
		if (hbc_tree_edge(tree, lane))
			hbc_tree_refuse(tree, &f);
	}
	mutex_unlock(&lane->hn->lock);
}

void hbc_schedule_tree_ack(struct hbc_lane *lane, const struct hbc_tree_ack *f)
{
	struct hbc_tree *tree;
	struct hbc_edge *edge;

	mutex_lock(&lane->hn->lock);
	list_for_each_entry(tree, &lane->sched->trees, link) {
		edge = tree->epoch == f->epoch ? hbc_tree_edge(tree, lane) : NULL;
		if (!edge)
			continue;
		if (f->node && !hbc_tree_below(lane, f->epoch, f->node)) {
			hbc_group_drop(lane->sched->group, HBC_DROP_STALE);
		} else if (f->node) {
			hbc_tree_refuse(tree, f);
		} else {
			edge->ready = true;
			hbc_tree_announce(hbc_tree_main(tree));
			if (tree->sched->origin)
				hbc_repair_restart(tree->sched->origin, tree->epoch);
		}
	}
	mutex_unlock(&lane->hn->lock);
}

bool hbc_tree_forget(struct hbc_schedule *sched, unsigned long patience)
{
	struct hbc_tree *tree, *next;
	bool young = false, old = false;

	list_for_each_entry_safe(tree, next, &sched->trees, link) {
		/* What was adopted follows it, and goes with it. */
		if (!tree->adopted)
			old = !tree->from && !time_before(jiffies, tree->alone + patience);
		young = young || (!tree->from && !old);
		/* Those below still have a parent, and would keep it for ever. */
		if (old)
			hbc_tree_end(tree);
	}
	return young;
}
