// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show message explain: what a plan predicted, and what became of it. */
#include <stdlib.h>
#include <string.h>

#include "lane_list.h"
#include "output.h"
#include "plan.h"
#include "plan_figure.h"
#include "show_explain.h"
#include "wire.h"

#define SLOWER	0.95	/* a lane that brings less of what was planned is slower */
#define MOST	0.4	/* of the time: that holds a lane up */
/* Headers of Ethernet, IP and TCP with its time stamps. */
#define IPV4_HEADERS	66
#define IPV6_HEADERS	86

/* What the plan says that a node's time is for @bytes, in us; null if it says nothing. */
static json_t *predicted_us(const struct hbp_plan *plan, uint32_t id, double bytes)
{
	const struct hbp_evaluation *e = plan->predicted;
	size_t i;

	for (i = 0; i < e->n; i++)
		if (e->nodes[i].id == id)
			return json_real((double)e->nodes[i].completion_ns / 1000 * bytes /
					 (double)plan->message_bytes);
	return json_null();
}

static void add_predictions(const struct hbp_plan *plan, json_t *message)
{
	double bytes = hblanes_number(message, "bytes"), actual, wanted;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(message, "nodes"), i, row) {
		actual = hblanes_number(row, "time_us");
		json_object_set_new(row, "predicted_us",
				    predicted_us(plan, (uint32_t)hblanes_number(row, "node"),
						 bytes));
		wanted = hblanes_number(row, "predicted_us");
		json_object_set_new(row, "ratio", wanted > 0 && actual > 0 ?
				    json_real(actual / wanted) : json_null());
	}
}

static const struct hbp_tree *tree_of(const struct hbp_plan *plan, unsigned int slot)
{
	size_t i;

	for (i = 0; i < plan->n_trees; i++)
		if (plan->trees[i].slot == slot)
			return &plan->trees[i];
	return NULL;
}

/* What the plan gives a lane, Mbit/s on the link; 0 if it is none of the plan's. */
static double planned_mbps(const struct hbp_plan *plan, const json_t *lane)
{
	const struct hbp_tree *tree = tree_of(plan, (unsigned int)hblanes_number(lane, "slot"));
	const char *address = json_string_value(json_object_get(lane, "address"));
	double headers = address && strchr(address, ':') ? IPV6_HEADERS : IPV4_HEADERS;
	double mss = hblanes_number(lane, "mss_bytes");
	size_t i;

	if (hblanes_number(lane, "root") != plan->root || mss <= HBP_FRAGMENT_HEADER)
		return 0;
	for (i = 0; tree && i < tree->n_edges; i++)
		if (tree->edges[i].parent == hblanes_number(lane, "node") &&
		    tree->edges[i].child == hblanes_number(lane, "peer"))
			return hbp_mbps_from_bps(hbp_plan_edge_rate(plan, tree,
								    tree->edges[i].child)) *
			       (mss + headers) / (mss - HBP_FRAGMENT_HEADER);
	return 0;
}

/* What held a lane up most of the time, by TCP's figures. */
static const char *reason_of(const json_t *lane)
{
	if (hblanes_number(lane, "limited_us") >= MOST * hblanes_number(lane, "spell_us"))
		return "network";
	if (hblanes_number(lane, "rwnd_limited_us") >= MOST * hblanes_number(lane, "busy_us"))
		return "receiver";
	return "no-data";
}

/* Lanes that are slower than planned; @known receives how many the plan has, and tell. */
static json_t *slower_edges(const struct hbp_plan *plan, const json_t *lanes, json_int_t *known)
{
	json_t *edges = json_array(), *lane;
	double planned, got;
	size_t i;

	*known = 0;

	json_array_foreach((json_t *)lanes, i, lane) {
		planned = planned_mbps(plan, lane);
		got = hblanes_number(lane, "spell_mbps");
		*known += got > 0 && planned > 0;
		if (got <= 0 || got >= SLOWER * planned)
			continue;
		json_array_append_new(edges, json_pack("{s:O, s:O, s:O, s:f, s:f, s:s, s:O*}",
						       "from", json_object_get(lane, "node"),
						       "to", json_object_get(lane, "peer"),
						       "slot", json_object_get(lane, "slot"),
						       "planned_mbps", planned, "mbps", got,
						       "held_by", reason_of(lane),
						       "retransmits",
						       json_object_get(lane, "retransmits")));
	}
	return edges;
}

/**
 * hbexplain_text() - write an explained message
 * @ctl: the run
 * @result: of hbexplain_add()
 * @out: where
 */
void hbexplain_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column nodes[] = {
		{ "NODE", "node", NULL }, { "STATE", "state", NULL },
		{ "PREDICTED", "predicted_us", hbout_usec }, { "TIME", "time_us", hbout_usec },
		{ "RATIO", "ratio", hbplan_write_ratio },
		{ }
	};
	static const struct hbout_column edges[] = {
		{ "FROM", "from", NULL }, { "TO", "to", NULL }, { "SLOT", "slot", NULL },
		{ "PLANNED", "planned_mbps", hbout_mbps }, { "GOT", "mbps", hbout_mbps },
		{ "HELD-BY", "held_by", NULL }, { "RETRANS", "retransmits", NULL },
		{ }
	};
	json_int_t known = json_integer_value(json_object_get(result, "edges"));
	const json_t *slower = json_object_get(result, "slower");

	(void)ctl;
	hbout_table(out, json_object_get(result, "nodes"), nodes);
	if (json_array_size(slower)) {
		fputs("\nslower than planned:\n", out);
		hbout_table(out, slower, edges);
	} else if (known) {
		fprintf(out, "\nno edge was slower than planned, of %lld that are known\n", known);
	} else {
		fputs("\nnothing is known of the edges: give the lanes of the nodes that send\n",
		      out);
	}
}

/* The message went to the plan's nodes, from its root. */
static int check_plan(struct hbctl *ctl, const char *path, const struct hbp_plan *plan,
		      const json_t *message)
{
	const struct hbp_tree *tree = tree_of(plan, 0);
	const json_t *nodes = json_object_get(message, "nodes"), *row;
	size_t i, k;
	double id;

	json_array_foreach((json_t *)nodes, i, row) {
		id = hblanes_number(row, "node");
		for (k = 0; k < tree->n_edges && tree->edges[k].child != id;)
			k++;
		if (k == tree->n_edges)
			return hbctl_error(ctl, HBCTL_USAGE,
					   "%s is not the plan that the message went by: it %s node %.0f, which got it",
					   path, id == plan->root ? "begins at" : "lacks", id);
	}
	if (json_array_size(nodes) != tree->n_edges)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s is not the plan that the message went by: that had %zu nodes beside the root, and this has %zu",
				   path, json_array_size(nodes), tree->n_edges);
	return HBCTL_OK;
}

/**
 * hbexplain_add() - put what a plan predicted beside what became of a message
 * @lanes: of the message's group, not read yet
 * @path: the file of the plan that was used
 * @message: gets it
 *
 * Return: an exit code; the error has been reported.
 */
int hbexplain_add(struct hblanes *lanes, const char *path, json_t *message)
{
	struct hbctl *ctl = lanes->ctl;
	struct hbp_plan *plan = NULL;
	json_int_t known;
	int ret;

	ret = hbplan_load(ctl, path, &plan);
	if (!ret && !plan->predicted)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s: predicts nothing: plan with a planner of \"hbcastctl plan\"",
				  path);
	if (!ret)
		ret = check_plan(ctl, path, plan, message);
	if (!ret)
		ret = hblanes_read(lanes);
	if (!ret) {
		add_predictions(plan, message);
		json_object_set_new(message, "slower",
				    slower_edges(plan, lanes->rows, &known));
		json_object_set_new(message, "edges", json_integer(known));
	}
	hbp_plan_free(plan);
	return ret;
}
