// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbcastctl verify: what replanning says that it has done. From the new tree
 * without its swap every swap that the strategy tries is listed, as paper 000 and
 * Documentation/planners have it, and the whole tree is added up for each.
 */
#include <math.h>
#include <string.h>

#include "verify.h"

struct swap {
	size_t a;		/* positions */
	size_t b;
};

struct replanned {
	struct hbverify *v;
	const json_t *change;
	const char *strategy;
	size_t n;		/* number of positions */
	size_t *node;		/* at each position */
	size_t *at;		/* of each node: its position, or HBVERIFY_NONE */
	double *ns;		/* of each node and node: the distance */
	size_t above;		/* the positions that the strategy begins at */
	size_t below;		/* 0 if there is nothing to swap */
	struct swap *swaps;	/* that it may try, in its order */
	size_t n_swaps;
};

static int fail_key(struct replanned *r, const char *key, const char *why)
{
	return hbverify_fail(r->v, "%s: %s: %s", r->v->plan.file, key, why);
}

/* A position without its lowest set bit. */
static size_t parent_of(size_t at)
{
	return at & (at - 1);
}

/* The positions of children, the one that is served first, first. */
static size_t list_children(const struct replanned *r, size_t at, size_t *children)
{
	size_t step, n = 0;

	for (step = (size_t)1 << 40; step; step /= 2)
		if ((!at || step < (at & -at)) && step < r->n - at)
			children[n++] = at + step;
	return n;
}

/* Edges of a parent that come before this one in the file. */
static size_t place_of(const struct hbverify *v, const struct hbverify_edge *edge)
{
	size_t i, n = 0;

	for (i = 0; i < v->plan.n; i++)
		n += v->plan.edges[i].from == edge->from &&
		     v->plan.edges[i].order < edge->order;
	return n;
}

/* Finds who is where; parents come before their children. */
static int find_positions(struct replanned *r)
{
	const struct hbverify_plan *plan = &r->v->plan;
	size_t children[64], i, n, place, filled = 1;

	for (i = 0; i < r->v->net.n; i++)
		r->at[i] = HBVERIFY_NONE;
	r->at[plan->root] = 0;
	r->node[0] = plan->root;
	for (i = 0; i < plan->n; i++) {
		n = list_children(r, r->at[plan->edges[i].from], children);
		place = place_of(r->v, &plan->edges[i]);
		if (place >= n)
			break;
		r->at[plan->edges[i].to] = children[place];
		r->node[children[place]] = plan->edges[i].to;
		filled++;
	}
	if (plan->n_trees == 1 && filled == r->n)
		return 0;
	return fail_key(r, "change",
			"the tree is not binomial, so that replanning has not made it");
}

static void find_distances(struct replanned *r)
{
	struct hbverify_net *net = &r->v->net;
	size_t i, k;

	for (i = 0; i < r->n; i++) {
		hbverify_routes(net, r->node[i], false);
		for (k = 0; k < r->n; k++)
			r->ns[i * r->n + k] = net->ns[r->node[k]] < 0 ? HUGE_VAL :
				(double)(net->send_ns[r->node[i]] +
					 net->ns[r->node[k]] +
					 net->recv_ns[r->node[k]]);
	}
}

/* The longest way down the tree, if the nodes at two positions are swapped. */
static double cost_with(const struct replanned *r, const size_t *who, double *sum,
			size_t a, size_t b)
{
	double most = 0;
	size_t i, up, from, to;

	sum[0] = 0;
	for (i = 1; i < r->n; i++) {
		up = parent_of(i);
		from = who[up == a ? b : up == b ? a : up];
		to = who[i == a ? b : i == b ? a : i];
		sum[i] = sum[up] + r->ns[from * r->n + to];
		most = fmax(most, sum[i]);
	}
	return most;
}

static void add_swap(struct replanned *r, size_t a, size_t b)
{
	/* The root stays where it is. */
	if (a && b && a != b && a < r->n && b < r->n)
		r->swaps[r->n_swaps++] = (struct swap){ a, b };
}

static void list_family(struct replanned *r)
{
	size_t children[64], n, up = parent_of(r->below);

	for (n = list_children(r, r->below, children); n-- > 0;)
		add_swap(r, r->below, children[n]);
	add_swap(r, r->below, up);
	for (n = list_children(r, up, children); n-- > 0;)
		add_swap(r, r->below, children[n]);
}

/* How many edges lead down from a position, at most. */
static size_t depth_below(const struct replanned *r, size_t at)
{
	size_t children[64], n = list_children(r, at, children), most = 0, i, d;

	for (i = 0; i < n; i++) {
		d = 1 + depth_below(r, children[i]);
		most = d > most ? d : most;
	}
	return most;
}

/* Where the longest way down goes on; of several to the lowest id. */
static size_t way_down(const struct replanned *r, size_t at)
{
	size_t children[64], n = list_children(r, at, children), best = 0, i, d;
	size_t most = 0;

	for (i = 0; i < n; i++) {
		d = 1 + depth_below(r, children[i]);
		if (d > most || (d == most && r->node[children[i]] < r->node[best])) {
			most = d;
			best = children[i];
		}
	}
	return best;
}

static void list_path(struct replanned *r)
{
	size_t up = r->above, down = way_down(r, r->below);
	bool rising = up, falling = true;

	while (rising || falling) {
		if (rising) {
			up = parent_of(up);
			add_swap(r, r->above, up);
			rising = up;
		}
		if (falling) {
			add_swap(r, r->below, down);
			falling = down;
			down = down ? way_down(r, down) : 0;
		}
	}
}

static void list_leaves(struct replanned *r)
{
	size_t children[64], i;

	for (i = 1; i < r->n; i++) {
		if (list_children(r, i, children))
			continue;
		add_swap(r, r->above, i);
		if (r->below != r->above)
			add_swap(r, r->below, i);
	}
}

static void list_around(struct replanned *r)
{
	size_t at = r->above ? r->above : r->below, far;

	for (far = 1; far < r->n; far++) {
		add_swap(r, at, at + far);
		if (far < at)
			add_swap(r, at, at - far);
	}
}

static int list_swaps(struct replanned *r)
{
	r->swaps = hbverify_alloc(r->v, 4 * r->n + 64, sizeof(*r->swaps));
	if (!strcmp(r->strategy, "family"))
		list_family(r);
	else if (!strcmp(r->strategy, "path"))
		list_path(r);
	else if (!strcmp(r->strategy, "leaf"))
		list_leaves(r);
	else if (!strcmp(r->strategy, "position"))
		list_around(r);
	else if (strcmp(r->strategy, "none"))
		return fail_key(r, "change.strategy",
				"it must be family, path, leaf, position or none");
	return 0;
}

/* The position of a node that is told, or HBVERIFY_NONE. */
static size_t read_position(const struct replanned *r, const json_t *id)
{
	size_t at = hbverify_node(&r->v->net, (uint32_t)json_integer_value(id));

	return !json_is_integer(id) || at == HBVERIFY_NONE ? HBVERIFY_NONE :
	       r->at[at];
}

static bool is_below_root(size_t at)
{
	return at && at != HBVERIFY_NONE;
}

/* Puts the two who have been swapped back. */
static int undo_swap(struct replanned *r, struct swap *done)
{
	const json_t *ids = json_object_get(r->change, "swapped");
	size_t node;

	*done = (struct swap){ 0 };
	if (!ids)
		return 0;
	done->a = read_position(r, json_array_get(ids, 0));
	done->b = read_position(r, json_array_get(ids, 1));
	if (!is_below_root(done->a) || !is_below_root(done->b) ||
	    done->a == done->b)
		return fail_key(r, "change.swapped",
				"it must be two nodes of the tree besides the root");
	node = r->node[done->a];
	r->node[done->a] = r->node[done->b];
	r->node[done->b] = node;
	r->at[r->node[done->a]] = done->a;
	r->at[r->node[done->b]] = done->b;
	return 0;
}

static int read_link(struct replanned *r, const json_t *link)
{
	size_t a = read_position(r, json_array_get(link, 0));
	size_t b = read_position(r, json_array_get(link, 1));

	r->above = a < b ? a : b;
	r->below = a < b ? b : a;
	if (is_below_root(r->below) && parent_of(r->below) == r->above)
		return 0;
	return fail_key(r, "change.link",
			"the two were not parent and child before the swap");
}

/* What has happened: where the strategy begins. */
static int read_change(struct replanned *r)
{
	const json_t *link = json_object_get(r->change, "link");
	const json_t *join = json_object_get(r->change, "join");
	const json_t *leave = json_object_get(r->change, "leave");
	const json_t *moved = json_object_get(r->change, "moved");

	r->strategy = json_string_value(json_object_get(r->change, "strategy"));
	if (!r->strategy || !!link + !!join + !!leave != 1)
		return fail_key(r, "change",
				"it must have a strategy and one of link, join and leave");
	if (link)
		return read_link(r, link);
	r->above = join || moved ? read_position(r, join ? join : moved) : 0;
	r->below = r->above;
	if (join && r->below != r->n - 1)
		return fail_key(r, "change.join",
				"the node was not at the last position before the swap");
	if (leave && hbverify_node(&r->v->net, (uint32_t)json_integer_value(leave)) !=
		     HBVERIFY_NONE)
		return fail_key(r, "change.leave", "the node is still there");
	if (moved && (!leave || !is_below_root(r->below)))
		return fail_key(r, "change.moved",
				"it must be a node of the tree besides the root, when another has left");
	return 0;
}

/* What is told in us, in ns; infinite if it is not. */
static double told_ns(const struct replanned *r, const char *key)
{
	const json_t *us = json_object_get(r->v->json, key);

	return us ? (double)llround(json_number_value(us) * 1e3) : HUGE_VAL;
}

/* Tries swaps until the tree costs no more than the goal. */
static size_t try_swaps(const struct replanned *r, double cost, double goal,
			struct swap *best)
{
	double *sum = hbverify_alloc(r->v, r->n, sizeof(*sum)), least = cost, now;
	size_t *who = hbverify_alloc(r->v, r->n, sizeof(*who)), i;

	*best = (struct swap){ 0 };
	if (!r->below || cost <= goal)
		return 0;
	for (i = 0; i < r->n; i++)
		who[i] = i;
	for (i = 0; i < r->n_swaps && least > goal; i++) {
		now = cost_with(r, who, sum, r->swaps[i].a, r->swaps[i].b);
		if (now < least) {
			least = now;
			*best = r->swaps[i];
		}
	}
	return i;
}

static bool same_swap(const struct swap *x, const struct swap *y)
{
	return (x->a == y->a && x->b == y->b) || (x->a == y->b && x->b == y->a);
}

/* Without a cost before the change all swaps have been tried. */
static int check_steps(struct replanned *r, double increased,
		       const struct swap *done)
{
	json_int_t told = json_integer_value(json_object_get(r->v->json, "steps"));
	double previous = told_ns(r, "previous_cost");
	struct swap best;
	size_t steps;

	steps = try_swaps(r, increased, isinf(previous) ? -1 : previous, &best);
	if ((json_int_t)steps != told)
		return hbverify_fail(r->v,
				     "%s: steps is %lld, but %s tries %zu swaps %s",
				     r->v->plan.file, (long long)told,
				     r->strategy, steps, isinf(previous) ?
				     "without a previous_cost" :
				     "for a cost of previous_cost");
	if (same_swap(&best, done))
		return 0;
	if (!best.a)
		return fail_key(r, "change.swapped", "no swap makes the tree better");
	return hbverify_fail(r->v,
			     "%s: change.swapped: the best swap is that of nodes %u and %u",
			     r->v->plan.file, r->v->net.id[r->node[best.a]],
			     r->v->net.id[r->node[best.b]]);
}

static int check_costs(struct replanned *r, double *increased)
{
	double *sum = hbverify_alloc(r->v, r->n, sizeof(*sum));
	size_t *who = hbverify_alloc(r->v, r->n, sizeof(*who)), i;

	for (i = 0; i < r->n; i++)
		who[i] = i;
	*increased = cost_with(r, who, sum, 0, 0);
	if (told_ns(r, "increased_cost") == *increased)
		return 0;
	return hbverify_fail(r->v,
			     "%s: increased_cost is %.3f, but before the swap the tree costs %.3f",
			     r->v->plan.file,
			     told_ns(r, "increased_cost") / 1e3, *increased / 1e3);
}

/**
 * hbverify_replanned() - check what replanning says that it has done
 * @v: net and plan are there
 *
 * What the tree cost before the network changed (previous_cost) the network after
 * the change does not tell: only that the swaps which have been tried follow
 * from it.
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_replanned(struct hbverify *v)
{
	static const char *const keys[] = { "steps", "previous_cost", "increased_cost" };
	struct replanned r = {
		.v = v, .change = json_object_get(v->json, "change"),
		.n = v->plan.n + 1,
		.node = hbverify_alloc(v, v->plan.n + 1, sizeof(*r.node)),
		.at = hbverify_alloc(v, v->net.n, sizeof(*r.at)),
	};
	struct swap done;
	double increased;
	size_t i;

	for (i = 0; !r.change && i < 3; i++)
		if (json_object_get(v->json, keys[i]))
			return fail_key(&r, keys[i],
					"there is no change from which it would follow");
	if (!r.change)
		return 0;
	if (find_positions(&r) || undo_swap(&r, &done) || read_change(&r) ||
	    list_swaps(&r))
		return -1;
	r.ns = hbverify_alloc(v, r.n * r.n, sizeof(*r.ns));
	find_distances(&r);
	return check_costs(&r, &increased) ? -1 : check_steps(&r, increased, &done);
}
