// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl measure: finds the network between the nodes of a group. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "clock.h"
#include "hbplan.h"
#include "measure/infer.h"
#include "measure/matrix.h"
#include "measure/picture.h"
#include "measure/record.h"
#include "measure/spread.h"
#include "measure_member.h"
#include "measure_prober.h"
#include "measure_update.h"
#include "output.h"
#include "rehearsal.h"

/* What drawing lots for tests begins with: the same network is measured the same way. */
#define SEED		1
/* Of a round: what it takes beside the flows, and how long it is on the average. */
#define ROUND_S		1.2
#define BURSTS_S	0.1	/* one of bursts, which are a tree's end */

/**
 * struct measuring - a measurement
 * @ctl: the run
 * @group: the group's id
 * @own: this node's id: the coordinator
 * @nodes: who is measured
 * @output: the file that gets the result, or NULL
 * @time_ns: how long it may take, 0 for as long as it takes
 * @bytes: how much may be sent, 0 for as much as it takes
 * @matrix: pairs are measured, not a tree
 * @anyway: also while broadcasts go on
 * @rounds: of the kernel
 * @prober: by them
 */
struct measuring {
	struct hbctl *ctl;
	uint32_t group;
	uint32_t own;
	struct hbmeas_members nodes;
	const char *output;
	uint64_t time_ns;
	uint64_t bytes;
	bool matrix;
	bool anyway;
	struct hbmeas_rounds rounds;
	struct hbmeas_prober prober;
};

static int parse_method(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	bool *matrix = dest;

	*matrix = !strcmp(word, "matrix");
	if (*matrix || !strcmp(word, "tree"))
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s \"%s\" is unknown: write tree or matrix", key, word);
}

/* Who is measured. */
static int find_nodes(struct measuring *m)
{
	size_t most = m->matrix ? HBP_MATRIX_HOSTS_MAX : HBP_INFER_HOSTS_MAX;
	int ret = HBCTL_OK;

	if (!m->nodes.n)
		ret = hbmeas_members_find(m->ctl, m->group, m->own, &m->nodes);
	if (!ret)
		ret = hbmeas_members_check(m->ctl, m->own, &m->nodes);
	if (ret || (m->nodes.n >= 2 && m->nodes.n <= most))
		return ret;
	return hbctl_error(m->ctl, HBCTL_USAGE,
			   "%zu nodes cannot be measured by method %s: choose 2 to %zu with the key nodes, or add the others with \"hbcastctl peer add\"",
			   m->nodes.n, m->matrix ? "matrix" : "tree", most);
}

/* What it will take, as far as that can be told before anything is known. */
static void tell_cost(struct measuring *m)
{
	size_t rounds = m->matrix ? 2 * m->nodes.n : 8 + 9 * m->nodes.n / 4;
	double bursts_s = m->matrix ? 0 : BURSTS_S * HBP_OVERHEADS_ROUNDS;

	m->prober.expected = rounds;
	if (m->ctl->json)
		return;
	fprintf(stderr,
		"%zu nodes: about %zu rounds in %.0f s, in each of which a link has at most 0.8 s of traffic (100 MB at 1 Gbit/s)\n",
		m->nodes.n, rounds, ROUND_S * rounds + bursts_s);
}

static const char *why_lost(const struct measuring *m, uint32_t id)
{
	size_t i;

	for (i = 0; i < m->nodes.n; i++)
		if (m->nodes.ids[i] == id && *m->rounds.nodes[i].why)
			return m->rounds.nodes[i].why;
	return "nobody has reached it";
}

static bool has_id(const uint32_t *ids, size_t n, uint32_t id)
{
	size_t i;

	for (i = 0; i < n && ids[i] != id; i++)
		;
	return i < n;
}

/* Nodes that were not reached, @ids, and those that have died meanwhile: how many. */
static size_t find_lost(const struct measuring *m, const uint32_t *ids, size_t n_ids,
			struct hbp_lost **lost)
{
	size_t i, n = 0;

	*lost = calloc(n_ids + m->nodes.n, sizeof(**lost));
	if (!*lost)
		abort();
	for (i = 0; i < n_ids; i++)
		(*lost)[n++] = (struct hbp_lost){ ids[i], why_lost(m, ids[i]) };
	for (i = 0; i < m->nodes.n; i++)
		if (hbmeas_node_gone(&m->rounds.nodes[i]) && !has_id(ids, n_ids, m->nodes.ids[i]))
			(*lost)[n++] = (struct hbp_lost){ m->nodes.ids[i], m->rounds.nodes[i].why };
	return n;
}

static json_t *lost_json(const struct hbp_lost *nodes, size_t n)
{
	json_t *lost = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(lost, json_pack("{s:I, s:s}", "id",
						      (json_int_t)nodes[i].id, "reason",
						      nodes[i].why));
	return lost;
}

/* What is wrong with a result. */
static void trouble_text(const json_t *result, FILE *out)
{
	json_t *node;
	size_t i;

	json_array_foreach(json_object_get(result, "lost"), i, node)
		fprintf(out, "node %lld is not reached: %s\n",
			json_integer_value(json_object_get(node, "id")),
			json_string_value(json_object_get(node, "reason")));
	if (!json_is_true(json_object_get(result, "complete")))
		fputs("ended before it was complete\n", out);
}

/* The picture of a tree, and what is to be said of it. */
static void tree_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	json_t *link, *node;
	size_t i;

	(void)ctl;
	fputs(json_string_value(json_object_get(result, "picture")), out);
	json_array_foreach(json_object_get(result, "unsteady"), i, link)
		fprintf(out,
			"from %lld to %lld tests differ by %.0f %%: the link has changed meanwhile, or others use it\n",
			json_integer_value(json_object_get(link, "from")),
			json_integer_value(json_object_get(link, "to")),
			100 * json_number_value(json_object_get(link, "spread")));
	json_array_foreach(json_object_get(result, "odd"), i, node)
		fprintf(out,
			"the round trips of node %lld fit nowhere: it is drawn beside the nearest one\n",
			json_integer_value(node));
	if (!json_is_true(json_object_get(result, "fits")))
		fprintf(out,
			"no tree fits the round trips, one is %.0f us off: taken as one switch\n",
			json_number_value(json_object_get(result, "misfit_us")));
	trouble_text(result, out);
}

/* Links of which tests differ too much. */
static json_t *unsteady_json(const struct hbp_inferred *found)
{
	json_t *links = json_array(), *link;
	struct hbp_capacity *c;
	size_t i, low, high;

	for (i = 2; i < 2 * found->sketch->n; i++) {
		c = hbp_sketch_capacity(found->sketch, i);
		if (!hbp_spread_unsteady(c))
			continue;
		low = i / 2;
		high = found->sketch->nodes[low].parent;
		link = json_pack("{s:I, s:I, s:f}", "from",
				 (json_int_t)hbp_inferred_id(found, i % 2 ? high : low), "to",
				 (json_int_t)hbp_inferred_id(found, i % 2 ? low : high),
				 "spread", c->spread_mbps / c->mbps);
		json_array_append_new(links, link);
	}
	return links;
}

static char *draw(const struct hbp_inferred *found)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	hbp_picture_text(found, NULL, NULL, out);
	fclose(out);
	return text;
}

static int save_dot(struct measuring *m, const struct hbp_inferred *found)
{
	FILE *out = fopen(m->output, "w");
	int bad;

	if (!out)
		return hbctl_error(m->ctl, HBCTL_USAGE,
				   "%s cannot be written: %s", m->output, strerror(errno));
	hbp_picture_dot(found, NULL, NULL, out);
	bad = ferror(out);
	if (!fclose(out) && !bad)
		return HBCTL_OK;
	return hbctl_error(m->ctl, HBCTL_USAGE, "%s cannot be written: %s", m->output,
			   strerror(errno));
}

static bool is_dot(const char *path)
{
	const char *end = strrchr(path, '.');

	return end && !strcmp(end, ".dot");
}

static int save_tree(struct measuring *m, const struct hbp_inferred *found,
		     const struct hbp_lost *lost, size_t n_lost)
{
	struct hbp_record record = {
		.inferred = found, .n_times = m->prober.n_times,
		.times = (const char *const *)m->prober.times,
		.n_lost = n_lost, .lost = lost,
	};
	struct hbp_error err;
	int ret = hbp_record_save(&record, m->output, &err);

	return ret ? hbctl_error(m->ctl, HBCTL_USAGE, "%s", err.text) : HBCTL_OK;
}

static int print_tree(struct measuring *m, const struct hbp_inferred *found,
		      const struct hbp_lost *lost, size_t n_lost)
{
	char *picture = draw(found);
	json_t *result;

	result = json_pack("{s:s, s:b, s:b, s:f, s:f, s:I, s:I, s:f, s:o, s:o, s:o}",
			   "picture", picture, "complete", found->complete,
			   "fits", found->tree, "noise_us", found->noise_us,
			   "misfit_us", found->misfit_us,
			   "rounds", (json_int_t)found->rounds,
			   "hidden", (json_int_t)found->hidden,
			   "sent_bytes", m->rounds.bytes,
			   "odd", hbp_record_odd(found), "lost", lost_json(lost, n_lost),
			   "unsteady", unsteady_json(found));
	free(picture);
	return hbout_print(m->ctl, result, tree_text);
}

static int deliver_tree(struct measuring *m, const struct hbp_inferred *found)
{
	struct hbp_lost *lost;
	size_t n_lost = find_lost(m, found->lost, found->n_lost, &lost);
	int ret = HBCTL_OK;

	if (!found->sketch)
		ret = hbctl_error(m->ctl, HBCTL_KERNEL,
				  "no two nodes reach each other, node %u for this reason: %s",
				  lost[0].id, lost[0].why);
	else if (m->output)
		ret = is_dot(m->output) ? save_dot(m, found) :
					  save_tree(m, found, lost, n_lost);
	if (!ret)
		ret = print_tree(m, found, lost, n_lost);
	free(lost);
	return ret;
}

/* HBCTL_OK if a network was found, else an exit code; the error has been reported. */
static int end_search(struct measuring *m, int ret, const struct hbp_error *err)
{
	hbout_progress_end(m->ctl);
	if (m->prober.failed)
		return HBCTL_KERNEL;
	return ret ? hbctl_error(m->ctl, HBCTL_USAGE, "%s", err->text) : HBCTL_OK;
}

static int measure_tree(struct measuring *m, const struct hbp_prober *prober)
{
	struct hbp_inferred found;
	struct hbp_error err;
	int ret;

	ret = hbp_infer(m->nodes.ids, m->nodes.n, m->own, prober, SEED, &found, &err);
	ret = end_search(m, ret, &err);
	if (!ret)
		ret = deliver_tree(m, &found);
	hbp_inferred_clear(&found);
	return ret;
}

static void matrix_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "FROM", "from", NULL }, { "TO", "to", NULL },
		{ "RTT", "rtt_us", hbout_usec }, { "RATE", "mbps", hbout_mbps },
		{ "SLOWED", "slowed", NULL },
		{ }
	};

	(void)ctl;
	hbout_table(out, json_object_get(result, "pairs"), columns);
	trouble_text(result, out);
}

static json_t *known(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *pair_json(const struct hbp_matrix *found, size_t from, size_t to)
{
	size_t i = from * found->n + to;

	return json_pack("{s:I, s:I, s:o, s:o, s:b}",
			 "from", (json_int_t)found->ids[from],
			 "to", (json_int_t)found->ids[to],
			 "rtt_us", known(found->rtt_us[i]), "mbps", known(found->mbps[i]),
			 "slowed", found->slowed[i]);
}

static json_t *pairs_json(const struct hbp_matrix *found)
{
	json_t *pairs = json_array();
	size_t i;

	for (i = 0; i < found->n * found->n; i++)
		if (i / found->n != i % found->n)
			json_array_append_new(pairs, pair_json(found, i / found->n,
							       i % found->n));
	return pairs;
}

/* Nodes of which no round trip is known. */
static json_t *matrix_lost(const struct measuring *m, const struct hbp_matrix *found)
{
	uint32_t *ids = calloc(found->n, sizeof(*ids));
	struct hbp_lost *lost;
	size_t i, k, n = 0;
	json_t *result;

	if (!ids)
		abort();
	for (i = 0; i < found->n; i++) {
		for (k = 0; k < found->n && !(found->rtt_us[i * found->n + k] > 0); k++)
			;
		if (k == found->n)
			ids[n++] = found->ids[i];
	}
	n = find_lost(m, ids, n, &lost);
	result = lost_json(lost, n);
	free(lost);
	free(ids);
	return result;
}

static int save_matrix(struct measuring *m, const struct hbp_matrix *found)
{
	struct hbp_costs *costs;
	struct hbp_error err;
	int ret = hbp_matrix_costs(found, &costs, &err);

	if (!ret) {
		ret = hbp_costs_save(costs, m->output, &err);
		hbp_costs_free(costs);
	}
	return ret ? hbctl_error(m->ctl, HBCTL_USAGE, "%s", err.text) : HBCTL_OK;
}

static int deliver_matrix(struct measuring *m, const struct hbp_matrix *found)
{
	int ret = m->output ? save_matrix(m, found) : HBCTL_OK;

	if (ret)
		return ret;
	return hbout_print(m->ctl, json_pack("{s:o, s:b, s:I, s:f, s:o}",
					     "pairs", pairs_json(found),
					     "complete", found->complete, "rounds",
					     (json_int_t)found->rounds, "sent_bytes",
					     m->rounds.bytes, "lost", matrix_lost(m, found)),
			   matrix_text);
}

static int measure_matrix(struct measuring *m, const struct hbp_prober *prober)
{
	struct hbp_matrix found;
	struct hbp_error err;
	int ret;

	ret = hbp_matrix_find(m->nodes.ids, m->nodes.n, prober, &found, &err);
	ret = end_search(m, ret, &err);
	if (!ret)
		ret = deliver_matrix(m, &found);
	hbp_matrix_clear(&found);
	return ret;
}

static int measure(struct measuring *m)
{
	struct hbp_prober prober;
	int ret;

	m->rounds.anyway = m->anyway;
	m->rounds.end = m->time_ns ? hbclock_now() + (int64_t)m->time_ns : 0;
	m->rounds.most_bytes = m->bytes;
	ret = hbmeas_open(&m->rounds, m->ctl, m->group, &m->nodes);
	if (ret)
		goto out;
	tell_cost(m);
	m->prober.rounds = &m->rounds;
	prober = hbmeas_prober(&m->prober);
	hbstop_catch(&m->rounds.stop);
	ret = m->matrix ? measure_matrix(m, &prober) : measure_tree(m, &prober);
	hbstop_release(&m->rounds.stop);
	hbmeas_prober_clear(&m->prober);
out:
	hbmeas_close(&m->rounds);
	return ret;
}

static int run(struct hbctl *ctl, int argc, char **argv)
{
	struct measuring m = { .ctl = ctl };
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &m.group, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "nodes", hbmeas_members_parse, &m.nodes, 0, 0 },
		{ "output", hbarg_output, &m.output, 0, 0 },
		{ "time", hbarg_duration, &m.time_ns, 0, 0 },
		{ "traffic", hbarg_size, &m.bytes, 0, 0 },
		{ "method", parse_method, &m.matrix, 0, 0 },
		{ "anyway", NULL, &m.anyway, 0, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbmeas_own_id(ctl, &m.own);
	if (!ret)
		ret = find_nodes(&m);
	if (!ret)
		ret = measure(&m);
	free(m.nodes.ids);
	return ret;
}

/**
 * hbctl_cmd_measure() - find the network between the nodes of a group, or try a plan on it
 * @ctl: the run
 * @argc: number of words after "measure"
 * @argv: the words after "measure"
 *
 * Return: an exit code.
 */
int hbctl_cmd_measure(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command commands[] = {
		{ "group", run,
		  "GROUP [ nodes NODE,NODE,... ] [ output FILE ] [ time DURATION ] [ traffic SIZE ] [ method tree|matrix ] [ anyway ]",
		  "find the network between the nodes of a group", false },
		{ "plan", hbmeas_plan,
		  "PLAN.json group GROUP [ on FILE ] [ output PLAN.json ] [ costs FILE ] [ anyway ]",
		  "use all edges of a plan at once, and correct plan and platform where they fall short",
		  false },
		{ "update", hbmeas_update, "FILE group GROUP [ lanes FILE ]...",
		  "correct a platform or matrix by what broadcasts have shown", false },
		{ }
	};

	return hbctl_dispatch(ctl, "measure", commands, argc, argv);
}
