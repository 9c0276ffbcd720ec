// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbcastctl measure plan: all edges of a plan are used at once. Where they fall short the
 * platform is corrected and the plan made again.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hbcast_netlink.h>

#include "again.h"
#include "args.h"
#include "measure/correction.h"
#include "measure_prober.h"
#include "output.h"
#include "plan.h"
#include "rehearsal.h"

/* How often a plan is made again. */
#define AGAIN	3

/**
 * struct rehearsing - one run of the command
 * @ctl: the run
 * @file: the plan's file
 * @on: the platform's file, or NULL
 * @output: the file that gets the plan that can be trusted, or NULL
 * @costs: the file that gets the corrected platform, or NULL
 * @group: the group's id
 * @plan: the plan; owned
 * @in: the platform, or NULL; owned
 * @nodes: of the plan
 * @edges: of the plan, as they were rehearsed last
 * @rounds: of the kernel
 * @prober: by them
 * @found: links that were corrected
 * @told: what is told of each rehearsal; owned
 * @why_not: why the plan is not made again
 */
struct rehearsing {
	struct hbctl *ctl;
	const char *file;
	const char *on;
	const char *output;
	const char *costs;
	uint32_t group;
	struct hbp_plan *plan;
	struct hbp_input *in;
	struct hbmeas_members nodes;
	struct hbp_rehearsal edges;
	struct hbmeas_rounds rounds;
	struct hbmeas_prober prober;
	struct hbp_corrections found;
	json_t *told;
	struct hbp_error why_not;
};

static int load_input(struct rehearsing *r)
{
	struct hbp_error err;
	int ret;

	if (!r->on && (r->output || r->costs))
		return hbctl_error(r->ctl, HBCTL_USAGE,
				   "%s needs the platform that the plan is from: add on FILE",
				   r->output ? "output" : "costs");
	if (!r->on)
		return HBCTL_OK;
	ret = hbplan_open(r->ctl, r->on, &r->in);
	if (ret)
		return ret;
	if (r->in->kind != HBP_INPUT_PLATFORM)
		return hbctl_error(r->ctl, HBCTL_USAGE,
				   "%s is %s, of which no links are known that edges share: leave \"on\" out, or measure a platform",
				   r->on, hbp_kind_name(r->in->kind));
	if (hbp_plan_check_members(r->plan, r->in->members, r->in->n, &err))
		return hbctl_error(r->ctl, HBCTL_USAGE,
				   "%s is no plan for %s: %s; give the platform that it was made from",
				   r->file, r->on, err.text);
	return HBCTL_OK;
}

/* The nodes of the plan, each once. */
static void find_nodes(struct rehearsing *r)
{
	const struct hbp_rehearsed *edge;
	size_t i, n = 0;

	for (edge = r->edges.edges; edge < r->edges.edges + r->edges.n; edge++) {
		hbmeas_members_add(&r->nodes, edge->from);
		hbmeas_members_add(&r->nodes, edge->to);
	}
	hbmeas_members_sort(&r->nodes);
	for (i = 0; i < r->nodes.n; i++)
		if (!n || r->nodes.ids[n - 1] != r->nodes.ids[i])
			r->nodes.ids[n++] = r->nodes.ids[i];
	r->nodes.n = n;
}

/* The plan is one for the group. */
static int check_members(struct rehearsing *r)
{
	struct hbmeas_members members = { };
	struct hbp_error err;
	uint32_t own;
	size_t i;
	int ret;

	ret = hbmeas_own_id(r->ctl, &own);
	if (!ret)
		ret = hbmeas_members_find(r->ctl, r->group, own, &members);
	if (!ret && members.listed &&
	    hbp_plan_check_members(r->plan, members.ids, members.n, &err))
		ret = hbctl_error(r->ctl, HBCTL_USAGE,
				  "%s is no plan for group %u: %s; plan for its members, or change them with \"hbcastctl group set\"",
				  r->file, r->group, err.text);
	for (i = 0; !ret && !members.listed && i < r->nodes.n; i++)
		if (hbp_node_find(members.ids, members.n, sizeof(*members.ids),
				  r->nodes.ids[i]) == HBP_NONE)
			ret = hbctl_error(r->ctl, HBCTL_USAGE,
					  "%s has node %u, which is no peer of this one: add it with \"hbcastctl peer add\", or plan without it",
					  r->file, r->nodes.ids[i]);
	free(members.ids);
	return ret;
}

static int list_edges(struct rehearsing *r)
{
	struct hbp_error err;

	hbp_rehearsal_clear(&r->edges);
	if (hbp_rehearsal_list(r->plan, r->in ? r->in->platform : NULL, &r->edges, &err))
		return hbctl_error(r->ctl, HBCTL_USAGE, "%s: %s", r->file, err.text);
	return HBCTL_OK;
}

static int prepare(struct rehearsing *r)
{
	int ret;

	ret = hbplan_load(r->ctl, r->file, &r->plan);
	if (!ret)
		ret = load_input(r);
	if (!ret)
		ret = list_edges(r);
	if (ret)
		return ret;
	if (r->edges.n > HBCAST_TASKS_MAX)
		return hbctl_error(r->ctl, HBCTL_USAGE,
				   "%s has %zu edges, and at most %d can be used at once: plan fewer trees with the key trees",
				   r->file, r->edges.n, HBCAST_TASKS_MAX);
	find_nodes(r);
	ret = check_members(r);
	return ret ? ret : hbmeas_open(&r->rounds, r->ctl, r->group, &r->nodes);
}

/* An exit code for what the prober returns. */
static int end_round(struct rehearsing *r, int ret)
{
	hbout_progress_end(r->ctl);
	if (!ret || r->prober.failed)
		return ret ? HBCTL_KERNEL : HBCTL_OK;
	if (ret == -EINTR)
		return hbctl_error(r->ctl, HBCTL_KERNEL,
				   "the rehearsal was interrupted, and nothing is sent any more: rehearse %s again before you trust it",
				   r->file);
	return hbctl_error(r->ctl, HBCTL_KERNEL, "%s cannot be rehearsed: %s", r->file,
			   strerror(-ret));
}

static size_t place_of(const struct rehearsing *r, uint32_t id)
{
	return hbp_node_find(r->nodes.ids, r->nodes.n, sizeof(*r->nodes.ids), id);
}

static int refuse_node(struct rehearsing *r, const struct hbmeas_node *node)
{
	return hbctl_error(r->ctl, HBCTL_KERNEL,
			   "%s cannot be rehearsed, as node %u is not reached: %s; mend that, or plan without it",
			   r->file, node->id, *node->why ? node->why : "nothing arrives there");
}

/* Nodes answer along every edge, before anything is sent along all of them. */
static int try_edges(struct rehearsing *r, const struct hbp_prober *prober)
{
	struct hbp_trip *trips = calloc(r->edges.n, sizeof(*trips));
	size_t i;
	int ret;

	if (!trips)
		abort();
	for (i = 0; i < r->edges.n; i++)
		trips[i] = (struct hbp_trip){
			.from = place_of(r, r->edges.edges[i].from),
			.to = place_of(r, r->edges.edges[i].to), .least_us = NAN,
		};
	ret = end_round(r, prober->trips(prober->arg, trips, r->edges.n));
	for (i = 0; !ret && i < r->nodes.n; i++)
		if (r->rounds.nodes[i].lost)
			ret = refuse_node(r, &r->rounds.nodes[i]);
	for (i = 0; !ret && i < r->edges.n; i++)
		if (!hbp_trip_usable(&trips[i]))
			ret = refuse_node(r, &r->rounds.nodes[trips[i].to]);
	free(trips);
	return ret;
}

/* What has kept flows from their rates that is not the network. */
static int check_flows(struct rehearsing *r)
{
	const struct hbmeas_node *node;

	for (node = r->rounds.nodes; node < r->rounds.nodes + r->nodes.n; node++)
		if (node->limit)
			return hbctl_error(r->ctl, HBCTL_KERNEL,
					   "%s cannot be rehearsed, as %s of group %u at node %u does not let it send what is planned: set it there to any",
					   r->file, node->limit, r->group, node->id);
	for (node = r->rounds.nodes; node < r->rounds.nodes + r->nodes.n; node++)
		if (node->lost)
			return refuse_node(r, node);
	return HBCTL_OK;
}

/* The first edge that nothing has come along, or NULL. */
static const struct hbp_rehearsed *silent_edge(const struct hbp_rehearsal *edges)
{
	size_t i;

	for (i = 0; i < edges->n; i++)
		if (!(edges->edges[i].reached_mbps > 0))
			return &edges->edges[i];
	return NULL;
}

/*
 * All edges at once. A connection that begins when others fill its way already may wait a
 * second for that, and so gets another chance. A way that lets nothing through has no
 * capacity that could be corrected.
 */
static int use_edges(struct rehearsing *r, const struct hbp_prober *prober)
{
	const struct hbp_rehearsed *silent;
	int ret, tries = 2;

	do {
		ret = end_round(r, hbp_rehearsal_run(&r->edges, r->nodes.ids, r->nodes.n,
						     prober));
		if (!ret)
			ret = check_flows(r);
		silent = silent_edge(&r->edges);
	} while (!ret && --tries && silent);
	if (!ret && silent)
		ret = hbctl_error(r->ctl, HBCTL_KERNEL,
				  "%s cannot be rehearsed, as nothing arrives from node %u at node %u, which answers it: look for an MTU that is too small, or a filter, on the way",
				  r->file, silent->from, silent->to);
	return ret;
}

static json_t *edges_json(const struct hbp_rehearsal *rehearsal)
{
	const struct hbp_rehearsed *edge = rehearsal->edges;
	json_t *edges = json_array();

	for (; edge < rehearsal->edges + rehearsal->n; edge++)
		json_array_append_new(edges,
				      json_pack("{s:I, s:I, s:f, s:f, s:f, s:f}",
						"from", (json_int_t)edge->from, "to",
						(json_int_t)edge->to, "planned_mbps",
						edge->planned_mbps, "reached_mbps",
						edge->reached_mbps, "grain_mbps",
						edge->grain_mbps, "part",
						edge->reached_mbps / edge->planned_mbps));
	return edges;
}

static json_t *corrections_json(const struct hbp_corrections *found, size_t first)
{
	const struct hbp_correction *c = found->links + first;
	json_t *links = json_array();

	for (; c < found->links + found->n; c++)
		json_array_append_new(links,
				      json_pack("{s:I, s:I, s:f, s:f, s:b}", "from",
						(json_int_t)c->from, "to", (json_int_t)c->to,
						"before_mbps", hbp_mbps_from_bps(c->before_bps),
						"after_mbps", hbp_mbps_from_bps(c->after_bps),
						"acknowledgements", c->acks));
	return links;
}

static size_t count_short(const struct hbp_rehearsal *rehearsal)
{
	size_t i, n = 0;

	for (i = 0; i < rehearsal->n; i++)
		n += hbp_rehearsed_short(&rehearsal->edges[i]);
	return n;
}

/* Corrects the platform and makes the plan again; whether that has been done. */
static bool make_again(struct rehearsing *r)
{
	size_t first = r->found.n;
	struct hbp_plan *plan;
	json_t *told;

	if (!r->in) {
		hbp_fail(&r->why_not, 0,
			 "give the platform that it was made from with on FILE, so that it is corrected");
		return false;
	}
	if (hbp_correct(&r->edges, r->in, &r->found, &r->why_not))
		return false;
	told = json_array_get(r->told, json_array_size(r->told) - 1);
	json_object_set_new(told, "corrected", corrections_json(&r->found, first));
	if (r->found.n == first) {
		hbp_fail(&r->why_not, 0,
			 "no link explains that, so look whether other traffic or a busy node holds them up");
		return false;
	}
	if (hbp_again(r->plan, r->in, &plan, &r->why_not))
		return false;
	hbp_plan_free(r->plan);
	r->plan = plan;
	return true;
}

/* Uses all edges at once, and tells what they have reached. */
static int rehearse_once(struct rehearsing *r, const struct hbp_prober *prober)
{
	int ret;

	ret = list_edges(r);
	if (!ret)
		ret = try_edges(r, prober);
	if (!ret)
		ret = use_edges(r, prober);
	if (!ret)
		json_array_append_new(r->told,
				      json_pack("{s:o, s:I, s:o}", "edges",
						edges_json(&r->edges), "short",
						(json_int_t)count_short(&r->edges),
						"corrected", json_array()));
	return ret;
}

static int rehearse(struct rehearsing *r)
{
	struct hbp_prober prober;
	size_t made = 0;
	int ret;

	r->prober.rounds = &r->rounds;
	prober = hbmeas_prober(&r->prober);
	hbstop_catch(&r->rounds.stop);
	ret = rehearse_once(r, &prober);
	while (!ret && !hbp_rehearsal_good(&r->edges) && made++ < AGAIN && make_again(r))
		ret = rehearse_once(r, &prober);
	hbstop_release(&r->rounds.stop);
	hbmeas_prober_clear(&r->prober);
	if (made > AGAIN)
		hbp_fail(&r->why_not, 0,
			 "it was corrected and made again %d times, so measure the network anew",
			 AGAIN);
	return ret;
}

static void write_percent(const json_t *value, char *buf, size_t len)
{
	snprintf(buf, len, "%.1f %%", 100 * json_number_value(value));
}

static void write_rate(const json_t *object, const char *key, char *buf, size_t len)
{
	hbout_mbps(json_object_get(object, key), buf, len);
}

static void corrections_text(const json_t *rehearsal, FILE *out)
{
	char before[32], after[32];
	json_t *link;
	size_t i;

	json_array_foreach(json_object_get(rehearsal, "corrected"), i, link) {
		write_rate(link, "before_mbps", before, sizeof(before));
		write_rate(link, "after_mbps", after, sizeof(after));
		fprintf(out,
			"%lld edges fell short: the link from %lld to %lld carries %s, not %s%s\n",
			json_integer_value(json_object_get(rehearsal, "short")),
			json_integer_value(json_object_get(link, "from")),
			json_integer_value(json_object_get(link, "to")), after, before,
			json_is_true(json_object_get(link, "acknowledgements")) ?
				", and holds up acknowledgements" : "");
	}
}

static void rehearsal_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "FROM", "from", NULL }, { "TO", "to", NULL },
		{ "PLANNED", "planned_mbps", hbout_mbps },
		{ "REACHED", "reached_mbps", hbout_mbps }, { "PART", "part", write_percent },
		{ }
	};
	json_t *rehearsals = json_object_get(result, "rehearsals"), *one = NULL;
	size_t i;

	(void)ctl;
	json_array_foreach(rehearsals, i, one)
		corrections_text(one, out);
	one = json_array_get(rehearsals, json_array_size(rehearsals) - 1);
	hbout_table(out, json_object_get(one, "edges"), columns);
	if (json_is_true(json_object_get(result, "trusted")))
		fprintf(out, "trusted: every edge reaches %.0f %%%s\n", 100 * HBP_REHEARSED,
			json_array_size(rehearsals) > 1 ? " of the plan made again" : "");
}

static int save(struct rehearsing *r, bool good)
{
	struct hbp_error err;

	if ((good && r->output && hbp_plan_save(r->plan, r->output, &err)) ||
	    (r->costs && hbp_corrections_save(&r->found, r->on, r->costs, &err)))
		return hbctl_error(r->ctl, HBCTL_USAGE, "%s", err.text);
	return HBCTL_OK;
}

static int deliver(struct rehearsing *r)
{
	bool good = hbp_rehearsal_good(&r->edges);
	int ret, printed;

	ret = save(r, good);
	printed = hbout_print(r->ctl, json_pack("{s:b, s:O, s:f}", "trusted", good,
						"rehearsals", r->told, "sent_bytes",
						r->rounds.bytes), rehearsal_text);
	if (ret || printed)
		return ret ? ret : printed;
	if (good && !r->output && json_array_size(r->told) > 1)
		return hbctl_error(r->ctl, HBCTL_KERNEL,
				   "%s cannot be trusted, but the plan made again can: add output FILE to get it",
				   r->file);
	if (good)
		return HBCTL_OK;
	return hbctl_error(r->ctl, HBCTL_KERNEL,
			   "%s cannot be trusted, as %zu of %zu edges fall short: %s", r->file,
			   count_short(&r->edges), r->edges.n, r->why_not.text);
}

/**
 * hbmeas_plan() - rehearse a plan
 * @ctl: the run
 * @argc: number of words after "measure plan"
 * @argv: the words, the first being the name of a file
 *
 * Return: an exit code.
 */
int hbmeas_plan(struct hbctl *ctl, int argc, char **argv)
{
	struct rehearsing r = { .ctl = ctl, .told = json_array() };
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &r.group, HBARG_REQUIRED, 0 },
		{ "on", hbarg_string, &r.on, 0, 0 },
		{ "output", hbarg_output, &r.output, 0, 0 },
		{ "costs", hbarg_output, &r.costs, 0, 0 },
		{ "anyway", NULL, &r.rounds.anyway, 0, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse_file(ctl, "measure plan", "plan", keys, argc, argv);
	if (!ret) {
		r.file = argv[0];
		ret = prepare(&r);
	}
	if (!ret)
		ret = rehearse(&r);
	if (!ret)
		ret = deliver(&r);
	hbmeas_close(&r.rounds);
	hbp_corrections_clear(&r.found);
	hbp_rehearsal_clear(&r.edges);
	hbp_input_free(r.in);
	hbp_plan_free(r.plan);
	free(r.nodes.ids);
	json_decref(r.told);
	return ret;
}
