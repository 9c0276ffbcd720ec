// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where clusters of nodes are alike, the best trees are those of clusters, in
 * which the nodes of each cluster take their places by turns: whatever trees there
 * are, those with nodes exchanged are as good, and so is their mean. The program
 * of clusters is small; its trees are made into chains through the nodes of every
 * cluster, and its prices into prices of all ports and links. Prices prove what
 * they prove whether nodes are alike or not.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "colgen.h"
#include "node.h"
#include "order.h"
#include "quotient.h"

/* Fewer nodes, or clusters with fewer on average, are not worth it. */
#define NODES_MIN	64
#define CLUSTER_MIN	4
/* Pairs within a cluster are so much faster than those that lead out of it. */
#define DROP		1.5
/* As many trees as a plan may have. */
#define TURNS		HBP_QUOTIENT_TURNS

struct hbp_quotient {
	const struct hbp_steady *steady;
	size_t root;
	size_t n;		/* clusters */
	size_t *cluster;	/* of each node */
	size_t *first;		/* of each cluster: its first in @nodes */
	size_t *nodes;
	struct hbp_steady small;
	double *count;		/* of each row of @small: rows of @steady */
	size_t *pairs;		/* of each pair of clusters: arcs */
	double *sum;		/* of each pair of clusters and kind of row: uses */
	struct hbp_colgen *cg;
	size_t *order;		/* trees of @cg, the heaviest first */
	size_t n_order;		/* how many are used */
	size_t round;		/* turns that each of them has */
	size_t *exits;		/* of each cluster, how many others it has sent to */
};

/* Of each node: another of its cluster, or itself. */
static size_t find(size_t *above, size_t node)
{
	while (above[node] != node) {
		above[node] = above[above[node]];
		node = above[node];
	}
	return node;
}

/*
 * Joins nodes over the fastest arcs first, up to the steepest fall of speed from
 * one that joins to the next; false if there is none.
 */
static bool join(const struct hbp_steady *s, const size_t *arcs, size_t *above)
{
	size_t *a = calloc(s->n, sizeof(*a)), i, k, u, v, joined = 0, stop = 0;
	double last = 0, steepest = DROP;

	for (i = 0; a && i < s->n; i++)
		above[i] = i;
	for (i = 0; a && i < s->n_arcs && joined < s->n - 1; i++) {
		u = find(above, s->arcs[arcs[i]].from);
		v = find(above, s->arcs[arcs[i]].to);
		if (u == v)
			continue;
		if (joined && last / s->mbps[arcs[i]] > steepest) {
			steepest = last / s->mbps[arcs[i]];
			stop = joined;
		}
		last = s->mbps[arcs[i]];
		above[u > v ? u : v] = u > v ? v : u;
		a[joined++] = arcs[i];
	}
	/* Once more, but only so far. */
	for (i = 0; a && i < s->n; i++)
		above[i] = i;
	for (k = 0; a && k < stop; k++) {
		u = find(above, s->arcs[a[k]].from);
		v = find(above, s->arcs[a[k]].to);
		above[u > v ? u : v] = u > v ? v : u;
	}
	free(a);
	return stop;
}

/* Numbers the clusters and lists their nodes, the root before all others. */
static void number(struct hbp_quotient *q, size_t *above)
{
	size_t n = q->steady->n, i, k, top, at = 0;

	for (i = 0; i < n; i++)
		q->cluster[i] = HBP_NONE;
	for (i = 0; i < n; i++) {
		/* The root's cluster is the first. */
		k = i ? (i > q->root ? i : i - 1) : q->root;
		top = find(above, k);
		if (q->cluster[top] == HBP_NONE)
			q->cluster[top] = q->n++;
		q->cluster[k] = q->cluster[top];
	}
	for (k = 0; k < q->n; k++) {
		q->first[k] = at;
		if (!k)
			q->nodes[at++] = q->root;
		for (i = 0; i < n; i++)
			if (q->cluster[i] == k && i != q->root)
				q->nodes[at++] = i;
	}
	q->first[q->n] = at;
}

static size_t size_of(const struct hbp_quotient *q, size_t cluster)
{
	return q->first[cluster + 1] - q->first[cluster];
}

/* The small row that a row belongs to. */
static size_t row_of(const struct hbp_quotient *q, size_t row)
{
	const struct hbp_steady *s = q->steady;
	const struct hbp_arc *arc;

	if (row < s->n)
		return q->cluster[row];
	if (s->ports == HBP_ONE_PORT)
		return q->n + q->cluster[row - s->n];
	arc = &s->arcs[row - s->n];
	return q->n + q->cluster[arc->from] * q->n + q->cluster[arc->to];
}

/*
 * Adds what an arc between clusters uses of one kind of row, 0 for ports that
 * send, on average of all its pairs, and @times as often as a tree does.
 */
static void add_use(struct hbp_quotient *q, size_t from, size_t to, size_t kind,
		    double times)
{
	struct hbp_steady *small = &q->small;
	size_t pair = from * q->n + to, row, u = small->first[small->n_arcs + 1];

	if (times == 0)
		return;
	if (!kind)
		row = from;
	else
		row = q->n + (q->steady->ports == HBP_ONE_PORT ? to : pair);
	small->rows[u] = (uint32_t)row;
	small->uses[u] = times * q->sum[2 * pair + kind] /
			 (double)q->pairs[pair] / q->count[row];
	small->first[small->n_arcs + 1]++;
}

/*
 * An arc into a cluster brings with it all that joins the cluster's nodes. One that
 * comes from nowhere does so for the root's.
 */
static void add_arc(struct hbp_quotient *q, size_t from, size_t to)
{
	struct hbp_steady *small = &q->small;
	double inner = (double)size_of(q, to) - 1;
	size_t kind;

	small->first[small->n_arcs + 1] = small->first[small->n_arcs];
	for (kind = 0; kind < 2; kind++) {
		if (from < q->n)
			add_use(q, from, to, kind, 1);
		add_use(q, to, to, kind, inner);
	}
	small->arcs[small->n_arcs].from = (uint32_t)from;
	small->arcs[small->n_arcs].to = (uint32_t)to;
	small->back[small->n_arcs] = small->first[small->n_arcs + 1];
	small->mbps[small->n_arcs++] = 1;
}

static void add_arcs(struct hbp_quotient *q)
{
	size_t from, to;

	for (from = 0; from < q->n; from++)
		for (to = 1; to < q->n; to++)
			if (from != to && q->pairs[from * q->n + to])
				add_arc(q, from, to);
	add_arc(q, q->n, 0);
}

/* Counts rows and pairs, adds up uses, and makes the program of clusters. */
static int shrink(struct hbp_quotient *q)
{
	const struct hbp_steady *s = q->steady;
	size_t n = q->n, i, u, pair;
	size_t most = n * n + 1;
	struct hbp_steady *small = &q->small;

	small->ports = s->ports;
	small->n = n + 1;
	small->sends = HBP_NONE;
	small->n_rows = n + (s->ports == HBP_ONE_PORT ? n : n * n);
	small->arcs = calloc(most, sizeof(*small->arcs));
	small->mbps = calloc(most, sizeof(*small->mbps));
	small->first = calloc(most + 1, sizeof(*small->first));
	small->back = calloc(most, sizeof(*small->back));
	small->rows = calloc(4 * most, sizeof(*small->rows));
	small->uses = calloc(4 * most, sizeof(*small->uses));
	q->count = calloc(small->n_rows, sizeof(*q->count));
	q->sum = calloc(2 * n * n, sizeof(*q->sum));
	q->pairs = calloc(n * n, sizeof(*q->pairs));
	if (!small->arcs || !small->mbps || !small->first || !small->back || !small->rows ||
	    !small->uses || !q->count || !q->sum || !q->pairs)
		return -ENOMEM;
	for (i = 0; i < s->n_rows; i++)
		q->count[row_of(q, i)]++;
	for (i = 0; i < s->n_arcs; i++) {
		pair = q->cluster[s->arcs[i].from] * n + q->cluster[s->arcs[i].to];
		q->pairs[pair]++;
		for (u = s->first[i]; u < s->first[i + 1]; u++)
			q->sum[2 * pair + (s->rows[u] >= s->n)] += s->uses[u];
	}
	add_arcs(q);
	return 0;
}

/* Clusters, if there are any that are worth it: 1, else 0; -ENOMEM. */
static int find_clusters(struct hbp_quotient *q)
{
	const struct hbp_steady *s = q->steady;
	size_t *arcs = calloc(s->n_arcs, sizeof(*arcs)), i;
	size_t *above = calloc(s->n, sizeof(*above));
	int ret = -ENOMEM;

	q->cluster = calloc(s->n, sizeof(*q->cluster));
	q->first = calloc(s->n + 1, sizeof(*q->first));
	q->nodes = calloc(s->n, sizeof(*q->nodes));
	q->exits = calloc(s->n, sizeof(*q->exits));
	if (arcs && above && q->cluster && q->first && q->nodes && q->exits) {
		for (i = 0; i < s->n_arcs; i++)
			arcs[i] = i;
		hbp_order_heaviest(arcs, s->n_arcs, s->mbps);
		ret = join(s, arcs, above);
		if (ret)
			number(q, above);
		ret = ret && q->n > 1 && s->n >= CLUSTER_MIN * q->n;
	}
	free(arcs);
	free(above);
	return ret;
}

/*
 * Each tree that is used has as many turns as clusters have nodes, as far as there
 * are turns, so that what each node does in it comes out even.
 */
static int choose(struct hbp_quotient *q, struct hbp_error *err)
{
	struct hbp_colgen *cg = q->cg;
	size_t i, k;

	for (k = 0; k < q->n; k++)
		if (size_of(q, k) > q->round)
			q->round = size_of(q, k);
	if (q->round > TURNS)
		q->round = TURNS;
	q->order = calloc(cg->n_trees, sizeof(*q->order));
	if (!q->order)
		return hbp_nomem(err);
	for (i = 0; i < cg->n_trees; i++)
		if (cg->mbps[i] > 0)
			q->order[q->n_order++] = i;
	hbp_order_heaviest(q->order, q->n_order, cg->mbps);
	if (q->n_order > TURNS / q->round)
		q->n_order = TURNS / q->round;
	return 0;
}

/**
 * hbp_quotient_make() - solve the program of clusters
 * @steady: what holds trees back
 * @root: number of the root
 * @out: receives it, to be released with hbp_quotient_free(); NULL if there are
 *	no clusters
 * @err: receives the reason of a failure
 *
 * For cost matrices in the one-port and multi-port models.
 *
 * Return: 0; -ENOMEM; -EINVAL if the root does not reach all nodes.
 */
int hbp_quotient_make(const struct hbp_steady *steady, size_t root,
		      struct hbp_quotient **out, struct hbp_error *err)
{
	struct hbp_quotient *q;
	int ret;

	*out = NULL;
	if (steady->sends || steady->n < NODES_MIN)
		return 0;
	q = calloc(1, sizeof(*q));
	if (!q)
		return hbp_nomem(err);
	q->steady = steady;
	q->root = root;
	ret = find_clusters(q);
	if (ret <= 0) {
		hbp_quotient_free(q);
		return ret ? hbp_nomem(err) : 0;
	}
	ret = shrink(q) ? hbp_nomem(err) :
	      hbp_colgen_run(&q->small, q->n, NULL, &q->cg, err);
	if (!ret)
		ret = choose(q, err);
	if (ret)
		hbp_quotient_free(q);
	else
		*out = q;
	/* It is of use, not needed. */
	return ret == -EDOM ? 0 : ret;
}

/**
 * hbp_quotient_free() - release the program of clusters
 * @q: it, or NULL
 */
void hbp_quotient_free(struct hbp_quotient *q)
{
	if (!q)
		return;
	hbp_colgen_free(q->cg);
	free(q->cluster);
	free(q->first);
	free(q->nodes);
	free(q->small.arcs);
	free(q->small.mbps);
	free(q->small.first);
	free(q->small.back);
	free(q->small.rows);
	free(q->small.uses);
	free(q->count);
	free(q->pairs);
	free(q->sum);
	free(q->order);
	free(q->exits);
	free(q);
}

/**
 * hbp_quotient_prices() - prices of all that the program of clusters prices
 * @q: the program
 * @prices: receives the price of each row, the same for all that are alike
 */
void hbp_quotient_prices(const struct hbp_quotient *q, double *prices)
{
	size_t i, row;

	for (i = 0; i < q->steady->n_rows; i++) {
		row = row_of(q, i);
		prices[i] = q->cg->prices[row] / q->count[row];
	}
}

/*
 * What each Mbit/s keeps busy of a cluster's ports that receive: all edges within
 * it, and one from outside.
 */
static double use_of(const struct hbp_quotient *q, size_t cluster)
{
	size_t m = size_of(q, cluster), from, pair;
	double least = HUGE_VAL, inner = 0, use;

	for (from = 0; from < q->n; from++) {
		pair = from * q->n + cluster;
		if (!q->pairs[pair])
			continue;
		use = q->sum[2 * pair + 1] / (double)q->pairs[pair];
		if (from == cluster)
			inner = ((double)m - 1) * use;
		else if (use < least)
			least = use;
	}
	return (inner + least) / (double)m;
}

/**
 * hbp_quotient_narrowest() - price the cluster that lets least in
 * @q: the program, in the one-port model
 * @prices: receives the price of each row: the same for all ports of the cluster
 *	that receive, 0 for all others
 */
void hbp_quotient_narrowest(const struct hbp_quotient *q, double *prices)
{
	size_t n = q->steady->n, worst = 1, i;

	for (i = 2; i < q->n; i++)
		if (use_of(q, i) > use_of(q, worst))
			worst = i;
	for (i = 0; i < q->steady->n_rows; i++)
		prices[i] = i >= n && q->cluster[i - n] == worst;
}

/**
 * hbp_quotient_turns() - how many trees there are
 * @q: the program
 *
 * Return: up to HBP_QUOTIENT_TURNS, at least 1.
 */
size_t hbp_quotient_turns(const struct hbp_quotient *q)
{
	return TURNS / q->round * q->round;
}

/* How much more than its share one node of a cluster does, if each is the first in turn. */
static double uneven(const struct hbp_quotient *q, size_t trees)
{
	double worst = 1, part;
	size_t k, m;

	for (k = 1; k < q->n; k++) {
		m = size_of(q, k);
		part = (double)((trees + m - 1) / m * m) / (double)trees;
		worst = part > worst ? part : worst;
	}
	return worst;
}

/**
 * hbp_quotient_even() - how many trees let nodes take turns evenly
 * @q: the program
 *
 * Return: from half of HBP_QUOTIENT_TURNS to all; of equally good ones the most.
 */
size_t hbp_quotient_even(const struct hbp_quotient *q)
{
	size_t best = TURNS, trees;

	for (trees = TURNS - 1; trees >= TURNS / 2; trees--)
		if (uneven(q, trees) < uneven(q, best))
			best = trees;
	return best;
}

/* The node at a place of its cluster's chain; the root is always the first. */
static size_t node_at(const struct hbp_quotient *q, size_t cluster, size_t turn,
		      size_t place)
{
	size_t first = q->first[cluster], m = size_of(q, cluster);

	if (!cluster) {
		if (!place)
			return q->root;
		first++;
		place--;
		m--;
	}
	/* Every second turn goes the other way round; clusters meet others' nodes. */
	return q->nodes[first + (turn + turn / q->round * cluster +
				 (turn & 1 ? m - place : place)) % m];
}

static bool set_arc(const struct hbp_quotient *q, size_t from, size_t to,
		    size_t *into)
{
	into[to] = hbp_steady_arc(q->steady, from, to);
	return into[to] != HBP_NONE;
}

/**
 * hbp_quotient_tree() - the tree of a turn
 * @q: the program
 * @turn: its number, one more each time
 * @into: receives for each node the arc into it, HBP_NONE for the root
 *
 * Each of the heaviest trees of clusters has some turns. In a cluster nodes make a chain,
 * whose first is entered and whose last sends on; which node is the first changes
 * from turn to turn.
 *
 * Return: false if two nodes that it joins are no pair.
 */
bool hbp_quotient_tree(struct hbp_quotient *q, size_t turn, size_t *into)
{
	const struct hbp_colgen *cg = q->cg;
	const struct hbp_arc *arc;
	size_t best = q->order[turn / q->round % q->n_order], t, i, m, from;
	bool good = true;

	into[q->root] = HBP_NONE;
	for (t = 0; t < q->n; t++) {
		q->exits[t] = 0;
		for (i = 1; i < size_of(q, t); i++)
			good = good && set_arc(q, node_at(q, t, turn, i - 1),
					       node_at(q, t, turn, i), into);
	}
	for (i = 0; i < q->n; i++) {
		arc = &q->small.arcs[cg->trees[best][i]];
		if (arc->from == q->n)
			continue;
		m = size_of(q, arc->from);
		from = m - 1 - q->exits[arc->from]++ % m;
		good = good && set_arc(q, node_at(q, arc->from, turn, from),
				       node_at(q, arc->to, turn, 0), into);
	}
	return good;
}
