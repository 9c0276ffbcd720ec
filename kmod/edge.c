// SPDX-License-Identifier: GPL-2.0
/*
 * An edge: one child of this node in one tree, and what its lane's life means for
 * the tree.
 *
 * A node knows all below it. When a child is dead, its children become this
 * node's: they are the edges of another tree of the same epoch and slot, behind
 * the child's. What they lack by then they ask for, as ever.
 */
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/list.h>
#include <linux/slab.h>

#include "edge.h"
#include "lane.h"
#include "node.h"
#include "schedule.h"
#include "transmit.h"
#include "tree.h"

/* Nodes that may be adopted in one tree: a chain's, one after the other, are copied again. */
#define HBC_EDGE_ORPHANS	(4 * HBC_MAX_MEMBERS)

/* Dead children. */

/*
 * This node with the children of the edge's child as its own, in preorder; NULL without
 * memory.
 */
static struct hbc_tree_node *hbc_edge_orphans(const struct hbc_tree *tree,
					      const struct hbc_edge *edge)
{
	struct hbc_tree_node *nodes = kvmalloc_array(edge->size, sizeof(*nodes), GFP_KERNEL);

	if (!nodes)
		return NULL;
	nodes[0] = tree->nodes[0];
	nodes[0].nr_children = tree->nodes[edge->first].nr_children;
	memcpy(nodes + 1, &tree->nodes[edge->first + 1], (edge->size - 1) * sizeof(*nodes));
	return nodes;
}

/*
 * The children of the edge's child become this node's. If there are too many, or there is
 * no memory for that, they are as dead as he is.
 */
static void hbc_edge_adopt(struct hbc_tree *tree, struct hbc_edge *edge)
{
	struct hbc_tree *foster, *last = tree, *first = hbc_tree_main(tree);
	struct hbc_tree_node *nodes;
	unsigned int i;

	if (first->fostered + edge->size > HBC_EDGE_ORPHANS)
		return;
	nodes = hbc_edge_orphans(tree, edge);
	foster = nodes ? hbc_tree_new(tree->sched, tree->epoch, tree->slot, nodes, edge->size) :
			 ERR_PTR(-ENOMEM);
	kvfree(nodes);
	if (IS_ERR(foster))
		return;
	first->fostered += edge->size;
	foster->adopted = true;
	foster->from = tree->from;
	/* Nothing waits until they are connected. */
	for (i = 0; i < foster->nr_edges; i++)
		foster->edge[i].away = !foster->edge[i].lane->tree_sent;
	hbc_tree_insert(foster);
	while (last->foster)
		last = last->foster;
	refcount_inc(&foster->ref);
	smp_store_release(&last->foster, foster); /* pairs with hbc_tree_foster() */
	WRITE_ONCE(edge->bereft, true);
}

static void hbc_edge_lose(struct hbc_tree *tree, struct hbc_edge *edge)
{
	if (edge->size > 1 && !edge->bereft)
		hbc_edge_adopt(tree, edge);
	smp_wmb(); /* pairs with hbc_tally_least(): they count before he does not */
	WRITE_ONCE(edge->lost, true);
	/* What was queued before that was known. */
	hbc_transmit_purge(edge->lane);
	hbc_tree_tell(tree, edge, HBC_LOST_DOWN, HBCAST_REASON_NODE_DEAD);
}

void hbc_edge_look(struct hbc_schedule *sched)
{
	struct hbc_tree *tree;
	struct hbc_edge *edge;
	bool lost = false;
	u32 i;

	lockdep_assert_held(&sched->hn->lock);
	/* Those that are adopted meanwhile follow, and may be dead already. */
	list_for_each_entry(tree, &sched->trees, link)
		for (i = 0; i < tree->nr_edges; i++) {
			edge = &tree->edge[i];
			if (edge->lost || !test_bit(HBC_LANE_DEAD, &edge->lane->flags))
				continue;
			hbc_edge_lose(tree, edge);
			lost = true;
		}
	if (lost)
		hbc_schedule_resume(sched);
}

void hbc_edge_dead(struct hbc_lane *lane)
{
	/* It may have come back meanwhile. */
	if (lane->tree_sent)
		return;
	set_bit(HBC_LANE_DEAD, &lane->flags);
	hbc_edge_look(lane->sched);
}

/* Lanes to children. */

int hbc_edge_up(struct hbc_lane *lane)
{
	struct hbc_tree *tree;
	struct hbc_edge *edge;
	LIST_HEAD(entries);

	lockdep_assert_held(&lane->hn->lock);
	if (lane->sched->gone)
		return -ESHUTDOWN;
	list_for_each_entry_reverse(tree, &lane->sched->trees, link) {
		edge = hbc_tree_edge(tree, lane);
		if (edge && hbc_tree_describe(tree, edge, &entries)) {
			hbc_transmit_discard(&entries);
			return -ENOMEM;
		}
	}
	hbc_transmit_front(lane, &entries);
	lane->tree_sent = true;
	clear_bit(HBC_LANE_DEAD, &lane->flags);
	list_for_each_entry(tree, &lane->sched->trees, link) {
		edge = hbc_tree_edge(tree, lane);
		if (!edge || hbc_edge_open(edge))
			continue;
		WRITE_ONCE(edge->lost, false);
		WRITE_ONCE(edge->away, false);
		hbc_tree_tell(tree, edge, HBC_LOST_BACK, 0);
	}
	return 0;
}

void hbc_edge_unready(struct hbc_lane *lane, u32 epoch)
{
	struct hbc_tree *tree;
	struct hbc_edge *edge;

	lockdep_assert_held(&lane->hn->lock);
	list_for_each_entry(tree, &lane->sched->trees, link) {
		edge = !epoch || tree->epoch == epoch ? hbc_tree_edge(tree, lane) : NULL;
		if (edge) {
			edge->ready = false;
			hbc_tree_main(tree)->announced = false;
		}
	}
}

void hbc_edge_down(struct hbc_lane *lane)
{
	lockdep_assert_held(&lane->hn->lock);
	lane->tree_sent = false;
	hbc_edge_unready(lane, 0);
	hbc_transmit_purge(lane);
}

/* Lanes from parents. */

void hbc_edge_parent_down(struct hbc_lane *lane)
{
	struct hbc_tree *tree;

	lockdep_assert_held(&lane->hn->lock);
	list_for_each_entry(tree, &lane->sched->trees, link) {
		if (tree->former == lane)
			tree->former = NULL;
		if (tree->adopted || tree->from != lane)
			continue;
		hbc_tree_set_from(tree, tree->former);
		tree->former = NULL;
		if (tree->from)
			hbc_tree_retell(tree);
	}
}

bool hbc_edge_comes_from(const struct hbc_lane *lane)
{
	const struct hbc_tree *tree;

	lockdep_assert_held(&lane->hn->lock);
	list_for_each_entry(tree, &lane->sched->trees, link)
		if (tree->from == lane || tree->former == lane)
			return true;
	return false;
}
