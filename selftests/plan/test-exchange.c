// SPDX-License-Identifier: GPL-2.0-or-later
/* Few trees that are made even, and clusters, where that matters most. */
#include <stdlib.h>

#include "../lib/tap.h"
#include "exchange.h"
#include "helper.h"
#include "node.h"

/* Nobody's fragments are few enough for depth to matter. */
#define BYTES	8000000000

static bool near(double a, double b)
{
	return a <= b * 1.000001 && b <= a * 1.000001;
}

/* Nodes 1, 2, ... in clusters of @size: 1000 Mbit/s within, 100 between them. */
static struct hbp_input *clusters(struct luck *luck, size_t n, size_t size,
				  uint32_t noise)
{
	char *text = NULL;
	size_t len, i, j;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'costs','version':1,'nodes':[", f);
	for (i = 0; i < n; i++)
		fprintf(f, "%s{'id':%zu}", i ? "," : "", i + 1);
	for (j = 0; j < 2; j++) {
		fprintf(f, "],'%s':[", j ? "bandwidth_mbps" : "latency_us");
		for (i = 0; i < n * n; i++)
			fprintf(f, "%s%u%s", i % n ? "," : i ? ",[" : "[",
				!j ? 1 : (i / n / size == i % n / size ? 1000 : 100) +
				(noise ? draw_below(luck, noise) : 0),
				i % n == n - 1 ? "]" : "");
	}
	fputs("]}", f);
	return close_input(f, &text);
}

static double gap_of(struct hbp_input *in, enum hbp_ports ports, double *bound)
{
	struct hbp_request rq = {
		.in = in, .root = 1, .message_bytes = BYTES, .ports = ports
	};
	struct hbp_plan *plan = plan_by("mtp", &rq);
	double gap = (double)plan->bound_bps /
		     (double)hbp_evaluation_rate(plan->predicted) - 1;

	*bound = (double)plan->bound_bps / 1e6;
	hbp_plan_free(plan);
	return gap;
}

/*
 * Clusters of 20. One port: 20 ports of a cluster receive 19 times from within,
 * which takes 1/1000 of each Mbit/s, and once from without, which takes 1/100:
 * 20 / 0.029 = 689.66 Mbit/s. With chains that begin at each node in turn, the 19
 * other nodes of the root's cluster send 18/19 and 1/19 of that: 19 / 0.028 =
 * 678.57. Many ports: the root's first transfer takes 0.8 / 1000: 1250, and so do
 * all others' in chains.
 */
static void check_clusters(void)
{
	struct luck luck = { 26 };
	struct hbp_input *in = clusters(&luck, 100, 20, 0);
	double gap, bound;
	size_t round, good = 0;

	gap = gap_of(in, HBP_ONE_PORT, &bound);
	ok(near(bound, 20 / 0.029) && gap > -0.000001 && gap < 0.000001,
	   "clusters: one port: 689.66 Mbit/s, gap %.1e", gap);
	gap = gap_of(in, HBP_MULTI_PORT, &bound);
	ok(near(bound, 1250) && gap < 0.000001,
	   "clusters: many ports: 1250 Mbit/s, gap %.1e", gap);
	hbp_input_free(in);
	for (round = 0; round < 6; round++) {
		in = clusters(&luck, 64 + round, 8 + round, 20);
		gap = gap_of(in, round & 1 ? HBP_ONE_PORT : HBP_MULTI_PORT,
			     &bound);
		good += gap > -0.000001 && gap < 0.001;
		hbp_input_free(in);
	}
	printf("# seed 26\n");
	ok(good == 6, "clusters: nearly alike, never better than the bound (%zu)",
	   good);
}

static uint32_t arc_of(const struct hbp_steady *s, size_t from, size_t to)
{
	size_t arc = hbp_steady_arc(s, from, to);

	if (arc == HBP_NONE)
		tap_bail_out("no pair %zu-%zu", from, to);
	return (uint32_t)arc;
}

/* How fast trees of equal weight are together: what is busiest, added up anew. */
static double even_rate(const struct hbp_steady *s, uint32_t **trees, size_t n)
{
	double *load = calloc(s->n_rows, sizeof(*load)), most = 0;
	size_t t, i, u;

	for (t = 0; t < n; t++)
		for (i = 0; i < s->n - 1; i++)
			for (u = s->first[trees[t][i]];
			     u < s->first[trees[t][i] + 1]; u++)
				load[s->rows[u]] += s->uses[u] / (double)n;
	for (i = 0; i < s->n_rows; i++)
		most = load[i] > most ? load[i] : most;
	free(load);
	return 1 / most;
}

/*
 * Hand-made trees of nodes 0, 1, 2. Two stars of pairs that all have 100 Mbit/s,
 * one port: 0 sends twice, 50; as chains 100. Two chains 0-1-2 in a cluster 1, 2
 * of 100, which 0 reaches by 10 each, many ports: the link 0-1 has 10; if one chain
 * is 0-2-1, 0 sends 10 at 0.8: 12.5. Neither arc of that chain alone would do.
 */
static double exchanged(struct hbp_input *in, enum hbp_ports ports, size_t parent,
			double *before)
{
	uint32_t arcs[2][2], *trees[] = { arcs[0], arcs[1] };
	struct hbp_steady *s;
	struct hbp_error err;
	double rate, weights[2];
	size_t t;

	if (hbp_steady_alloc(in, ports, &s, &err))
		tap_bail_out("%s", err.text);
	for (t = 0; t < 2; t++) {
		arcs[t][0] = arc_of(s, 0, 1);
		arcs[t][1] = arc_of(s, parent, 2);
	}
	*before = even_rate(s, trees, 2);
	hbp_exchange_weights(weights, 2, 2 * *before, true);
	if (hbp_exchange_run(s, 0, trees, weights, 2, 0, 6, &err))
		tap_bail_out("%s", err.text);
	rate = even_rate(s, trees, 2);
	hbp_steady_free(s);
	return rate;
}

static struct hbp_input *three_nodes(int64_t out, int64_t within)
{
	struct luck luck = { 1 };
	struct hbp_input *in = clusters(&luck, 3, 3, 0);
	size_t i;

	for (i = 0; i < 9; i++)
		in->costs->bandwidth_bps[i] = i % 4 == 0 ? 0 :
			1000000 * (i < 3 ? out : within);
	return in;
}

/* Does an arc enter each node but 0, and all lead back to 0? */
static bool is_tree(const struct hbp_steady *s, const uint32_t *tree)
{
	size_t i, at, steps;

	for (i = 1; i < s->n; i++) {
		for (at = i, steps = 0; at; steps++) {
			if (steps == s->n || s->arcs[tree[at - 1]].to != at)
				return false;
			at = s->arcs[tree[at - 1]].from;
		}
	}
	return true;
}

/* Random trees become other trees that span all, of the same root. */
static size_t stay_trees(struct luck *luck, struct hbp_input *in,
			 enum hbp_ports ports, double *faster)
{
	size_t n = in->n, t, i, good = 0;
	uint32_t *trees[8];
	struct hbp_steady *s;
	struct hbp_error err;
	double before, weights[8];

	if (hbp_steady_alloc(in, ports, &s, &err))
		tap_bail_out("%s", err.text);
	for (t = 0; t < 8; t++) {
		trees[t] = calloc(n, sizeof(**trees));
		for (i = 1; i < n; i++)
			trees[t][i - 1] = arc_of(s, draw_below(luck, (uint32_t)i), i);
	}
	before = even_rate(s, trees, 8);
	hbp_exchange_weights(weights, 8, 2 * before, true);
	if (hbp_exchange_run(s, 0, trees, weights, 8, 0, 6, &err))
		tap_bail_out("%s", err.text);
	*faster = even_rate(s, trees, 8) / before;
	for (t = 0; t < 8; t++) {
		good += is_tree(s, trees[t]);
		free(trees[t]);
	}
	hbp_steady_free(s);
	return good;
}

/* Does no arc but an idle one begin at a node that a tree leaves out? */
static bool is_partial(const struct hbp_steady *s, size_t n_real,
		       const uint32_t *tree)
{
	size_t i, from;

	for (i = 0; i < s->n - 1; i++) {
		from = s->arcs[tree[i]].from;
		if (tree[i] < n_real && from && tree[from - 1] >= n_real)
			return false;
	}
	return is_tree(s, tree);
}

/*
 * Nodes 0 to 3, pairs of 10, many ports: each node sends 12.5 at most, all four 50.
 * Three nodes in all of trees that weigh 40 would need 120.
 */
static size_t leave_out(const struct hbp_steady *s, size_t n_real, size_t trees)
{
	uint32_t arcs[8][3], *list[8];
	double weights[8];
	struct hbp_error err;
	size_t t, i, good = 0;

	for (t = 0; t < trees; t++) {
		list[t] = arcs[t];
		for (i = 1; i < 4; i++)
			arcs[t][i - 1] = arc_of(s, i - 1, i);
	}
	hbp_exchange_weights(weights, trees, 40, false);
	if (hbp_exchange_run(s, 0, list, weights, trees, s->n_arcs - n_real, 10,
			     &err))
		tap_bail_out("%s", err.text);
	for (t = 0; t < trees; t++)
		good += is_partial(s, n_real, list[t]);
	for (t = 0, i = 0; t < trees; t++)
		i += arcs[t][0] >= n_real || arcs[t][1] >= n_real ||
		     arcs[t][2] >= n_real;
	return i ? good : 0;
}

static void check_idle(void)
{
	static const double mbps[] = { 40, 30, 30, 30 };
	struct luck luck = { 29 };
	struct hbp_input *in = clusters(&luck, 4, 4, 0);
	size_t i, n_real, trees, good = 0;
	struct hbp_steady *s;
	struct hbp_error err;

	for (i = 0; i < 16; i++)
		in->costs->bandwidth_bps[i] = i % 5 ? 10000000 : 0;
	if (hbp_steady_alloc(in, HBP_MULTI_PORT, &s, &err))
		tap_bail_out("%s", err.text);
	n_real = s->n_arcs;
	if (hbp_steady_idle(s, 0, mbps))
		tap_bail_out("no memory");
	for (trees = 1; trees <= 8; trees++)
		good += leave_out(s, n_real, trees) == trees;
	ok(s->n_arcs == n_real + 3 && good == 8,
	   "exchange: nodes are left out, and nobody is below them");
	hbp_steady_free(s);
	hbp_input_free(in);
}

/* Weights that fall: 64, 63, ... 1 of 2080 parts. */
static void check_weights(void)
{
	double weights[64], sum = 0;
	size_t i;

	hbp_exchange_weights(weights, 64, 2080, false);
	for (i = 0; i < 64; i++)
		sum += near(weights[i], 64 - (double)i) ? weights[i] : 0;
	ok(near(sum, 2080), "weights fall by what the last one is");
}

static void check_exchange(void)
{
	struct luck luck = { 28 };
	size_t round, good = 0, faster = 0;
	struct hbp_input *in;
	double before, rate;

	in = three_nodes(100, 100);
	rate = exchanged(in, HBP_ONE_PORT, 0, &before);
	ok(near(before, 50) && near(rate, 100),
	   "exchange: stars become chains, %g to %g", before, rate);
	hbp_input_free(in);
	in = three_nodes(10, 100);
	rate = exchanged(in, HBP_MULTI_PORT, 1, &before);
	ok(near(before, 10) && near(rate, 12.5),
	   "exchange: a cluster is entered at both nodes, %g to %g", before, rate);
	hbp_input_free(in);
	for (round = 0; round < 100; round++) {
		in = clusters(&luck, 4 + round % 30, 1 + round % 7, 50);
		good += stay_trees(&luck, in, round & 1 ? HBP_ONE_PORT :
				   HBP_MULTI_PORT, &rate);
		faster += rate > 1;
		hbp_input_free(in);
	}
	printf("# seed 28\n");
	ok(good == 800, "exchange: trees stay trees");
	ok(faster >= 98, "exchange: they are faster together (%zu)", faster);
}

int main(void)
{
	check_clusters();
	check_exchange();
	check_idle();
	check_weights();
	return tap_done();
}
