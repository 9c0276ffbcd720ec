// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A platform that explains a cost matrix: single linkage over bandwidth.
 *
 * The widest pair of nodes in two different clusters joins these, again and
 * again. Two nodes alone get a switch and a link each, a node alone a link to
 * the switch of the cluster, two clusters a link between their switches, as
 * wide as the pair. Links get narrower from one step to the next, so that a
 * route is as wide as the step that has joined its ends: the widest path between
 * them in the matrix. In the matrix of a tree of links that is the pair itself.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linkage.h"
#include "node.h"
#include "units.h"

/* A pair that joins two clusters. */
struct pair {
	size_t a;
	size_t b;
	int64_t bps;
};

/**
 * struct linkage - clusters being joined
 * @costs: the matrix
 * @platform: being made
 * @cluster: each node's cluster, the lowest of its nodes
 * @next: each node's next in its cluster, HBP_NONE at the end
 * @count: of a cluster: its nodes
 * @hub: of a cluster: its switch, or its node if that is alone, as an index of
 *	@platform
 * @depth_ns: of a node: latency to its cluster's hub
 * @id: the last id that was given to a switch
 */
struct linkage {
	const struct hbp_costs *costs;
	struct hbp_platform *platform;
	size_t *cluster;
	size_t *next;
	size_t *count;
	size_t *hub;
	int64_t *depth_ns;
	uint32_t id;
};

/* Of two directions the narrower counts, or the one there is. */
static int64_t width(const struct hbp_costs *costs, size_t a, size_t b)
{
	int64_t there = costs->bandwidth_bps[a * costs->n + b];
	int64_t back = costs->bandwidth_bps[b * costs->n + a];

	if (!there || !back)
		return there + back;
	return there < back ? there : back;
}

static int64_t pair_latency(const struct hbp_costs *costs, size_t a, size_t b)
{
	int64_t there = costs->latency_ns[a * costs->n + b];
	int64_t back = costs->latency_ns[b * costs->n + a];

	if (there == HBP_NEVER || back == HBP_NEVER)
		return there < back ? there : back;
	return (there + back) / 2;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->bps != y->bps)
		return x->bps > y->bps ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/*
 * The pairs that join, from wide to narrow: a widest spanning tree, by Prim's
 * algorithm. The number of pairs, or fewer if some node cannot be reached.
 */
static size_t find_pairs(const struct hbp_costs *costs, struct pair *best,
			 bool *in)
{
	size_t i, done, widest;

	for (i = 0; i < costs->n; i++)
		best[i] = (struct pair){ 0, i, i ? width(costs, 0, i) : 0 };
	in[0] = true;
	for (done = 1; done < costs->n; done++) {
		widest = HBP_NONE;
		for (i = 1; i < costs->n; i++)
			if (!in[i] && (widest == HBP_NONE ||
				       best[i].bps > best[widest].bps))
				widest = i;
		if (!best[widest].bps)
			break;
		in[widest] = true;
		for (i = 1; i < costs->n; i++)
			if (!in[i] && width(costs, widest, i) > best[i].bps)
				best[i] = (struct pair){ widest, i,
							 width(costs, widest, i) };
	}
	qsort(best + 1, costs->n - 1, sizeof(*best), compare_pairs);
	return done - 1;
}

static void add_link(struct hbp_platform *platform, size_t a, size_t b,
		     int64_t bps, int64_t ns)
{
	platform->links[platform->n_links++] = (struct hbp_link){ a, b, bps, ns, 0 };
	platform->links[platform->n_links++] = (struct hbp_link){ b, a, bps, ns, 0 };
}

/*
 * What a link between two hubs must add to the depths so that the measured
 * latencies come out on average.
 */
static int64_t mean_gap(const struct linkage *l, size_t a, size_t b)
{
	__int128 sum = 0;
	int64_t pairs = 0, ns;
	size_t i, j;

	for (i = a; i != HBP_NONE; i = l->next[i])
		for (j = b; j != HBP_NONE; j = l->next[j]) {
			ns = pair_latency(l->costs, i, j);
			if (ns == HBP_NEVER)
				continue;
			sum += ns - l->depth_ns[i] - l->depth_ns[j];
			pairs++;
		}
	return sum > 0 ? (int64_t)(sum / pairs) : 0;
}

static size_t new_switch(struct linkage *l)
{
	struct hbp_platform *platform = l->platform;

	do
		l->id++;
	while (!l->id || hbp_costs_find(l->costs, l->id) != HBP_NONE);
	platform->nodes[platform->n].id = l->id;
	return platform->n++;
}

/* Puts the nodes of cluster @b into cluster @a, whose hub is theirs now. */
static void absorb(struct linkage *l, size_t a, size_t b, int64_t deeper_ns)
{
	size_t low = a < b ? a : b, last = HBP_NONE, i;

	for (i = b; i != HBP_NONE; i = l->next[i])
		l->depth_ns[i] += deeper_ns;
	for (i = low; i != HBP_NONE; i = l->next[i])
		last = i;
	l->next[last] = low == a ? b : a;
	l->hub[low] = l->hub[a];
	l->count[low] = l->count[a] + l->count[b];
	for (i = low; i != HBP_NONE; i = l->next[i])
		l->cluster[i] = low;
}

static void join(struct linkage *l, const struct pair *pair)
{
	size_t a = l->cluster[pair->a], b = l->cluster[pair->b], other;
	int64_t ns;

	/* The hub is that of the larger, then of the one with the lowest id. */
	if (l->count[a] < l->count[b] || (l->count[a] == l->count[b] && b < a)) {
		other = a;
		a = b;
		b = other;
	}
	ns = mean_gap(l, a, b);
	if (l->count[a] == 1) {
		other = new_switch(l);
		add_link(l->platform, l->hub[a], other, pair->bps, ns / 2);
		l->hub[a] = other;
		l->depth_ns[a] = ns / 2;
		ns -= ns / 2;
	}
	add_link(l->platform, l->hub[a], l->hub[b], pair->bps, ns);
	absorb(l, a, b, ns);
}

static bool linkage_alloc(struct linkage *l, size_t n)
{
	size_t i;

	l->cluster = calloc(n, sizeof(*l->cluster));
	l->next = calloc(n, sizeof(*l->next));
	l->count = calloc(n, sizeof(*l->count));
	l->hub = calloc(n, sizeof(*l->hub));
	l->depth_ns = calloc(n, sizeof(*l->depth_ns));
	/* A switch is made for two nodes that were alone. */
	l->platform = hbp_platform_alloc(n + n / 2, 2 * (n + n / 2 - 1));
	if (!l->cluster || !l->next || !l->count || !l->hub || !l->depth_ns ||
	    !l->platform)
		return false;
	for (i = 0; i < n; i++) {
		l->cluster[i] = i;
		l->next[i] = HBP_NONE;
		l->count[i] = 1;
		l->hub[i] = i;
	}
	return true;
}

static void linkage_release(struct linkage *l)
{
	free(l->cluster);
	free(l->next);
	free(l->count);
	free(l->hub);
	free(l->depth_ns);
}

static int add_hosts(struct linkage *l, struct hbp_error *err)
{
	struct hbp_platform *platform = l->platform;
	const struct hbp_cost_node *node;
	size_t i;

	platform->n = l->costs->n;
	for (i = 0; i < platform->n; i++) {
		node = &l->costs->nodes[i];
		platform->nodes[i].id = node->id;
		platform->nodes[i].host = true;
		if (!node->name)
			continue;
		platform->nodes[i].name = strdup(node->name);
		if (!platform->nodes[i].name)
			return hbp_nomem(err);
	}
	l->id = platform->nodes[platform->n - 1].id;
	return 0;
}

static int join_all(struct linkage *l, struct hbp_error *err)
{
	size_t n = l->costs->n, n_pairs = 0, i;
	struct pair *pairs = calloc(n, sizeof(*pairs));
	bool *in = calloc(n, sizeof(*in));
	int ret = 0;

	if (!pairs || !in)
		ret = hbp_nomem(err);
	if (!ret)
		n_pairs = find_pairs(l->costs, pairs, in);
	for (i = 1; !ret && i < n; i++)
		if (!in[i])
			ret = hbp_fail(err, -EINVAL,
				       "no pairs with a bandwidth join nodes %u and %u",
				       l->costs->nodes[0].id,
				       l->costs->nodes[i].id);
	for (i = 1; !ret && i <= n_pairs; i++)
		join(l, &pairs[i]);
	free(pairs);
	free(in);
	return ret;
}

/**
 * hbp_platform_from_costs() - a tree of links that explains a cost matrix
 * @costs: the matrix
 * @out: receives the platform: a host for each node, switches, symmetric links;
 *	to be released with hbp_platform_free()
 * @err: receives the reason of a failure
 *
 * Every route is as wide as the widest path of pairs between its ends in the
 * matrix, of each pair's two directions the narrower. So the bandwidths of a tree
 * of symmetric links come out exactly. Its latencies come out on average, where a
 * tree can have them; what pairs cost besides is left out.
 *
 * Return: 0; -EINVAL if the nodes fall apart; -ENOMEM.
 */
int hbp_platform_from_costs(const struct hbp_costs *costs,
			    struct hbp_platform **out, struct hbp_error *err)
{
	struct linkage l = { .costs = costs };
	int ret;

	ret = linkage_alloc(&l, costs->n) ? add_hosts(&l, err) : hbp_nomem(err);
	if (!ret)
		ret = join_all(&l, err);
	linkage_release(&l);
	if (!ret && hbp_platform_sort(l.platform))
		ret = hbp_nomem(err);
	if (!ret)
		l.platform->bare = costs->bare;
	if (ret)
		hbp_platform_free(l.platform);
	else
		*out = l.platform;
	return ret;
}
