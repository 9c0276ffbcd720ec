// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show plan: the plans, as far as this node knows them. */
#include <stdlib.h>

#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "plan.h"
#include "plan_value.h"
#include "show.h"

static int get(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	static const char * const identity[] = {
		"group", "root", "epoch", "slot", NULL
	};

	return hbgenl_dump(ctl, g, HBCAST_CMD_PLAN_GET, hbattrs_plan, identity,
			   "the plans cannot be shown", out);
}

static const char *child_state(const json_t *child)
{
	if (json_is_true(json_object_get(child, "lost")))
		return "lost";
	return json_is_true(json_object_get(child, "ready")) ? "ready" :
							       "waiting";
}

/* "2 ready, 5 waiting" */
static void children_cell(const json_t *value, char *buf, size_t len)
{
	const json_t *child;
	size_t i, at = 0;

	if (!json_array_size(value))
		snprintf(buf, len, "-");
	json_array_foreach((json_t *)value, i, child) {
		if (at >= len)
			return;
		at += snprintf(buf + at, len - at,
			       "%s%" JSON_INTEGER_FORMAT " %s", i ? ", " : "",
			       json_integer_value(json_object_get(child, "node")),
			       child_state(child));
	}
}

static void text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "GROUP", "group", NULL },
		{ "ROOT", "root", NULL },
		{ "EPOCH", "epoch", NULL },
		{ "SLOT", "slot", NULL },
		{ "STRICT", "strict", NULL },
		{ "FORWARD", "forward", NULL },
		{ "NODES", "nodes", NULL },
		{ "READY", "ready", NULL },
		{ "CHILDREN", "children", children_cell },
		{ "LOST", "lost", hbshow_ids_cell },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
}

const struct hbshow_noun hbshow_plans = { "plans", get, text };

/* A child's state; of those below it this node knows who is lost. */
static void write_label(void *arg, uint32_t id, char *buf, size_t len)
{
	const json_t *row = arg, *child, *lost;
	size_t i;

	json_array_foreach(json_object_get(row, "children"), i, child) {
		if (json_integer_value(json_object_get(child, "node")) == id)
			snprintf(buf, len, "%s", child_state(child));
	}
	json_array_foreach(json_object_get(row, "lost"), i, lost) {
		if (json_integer_value(lost) == id)
			snprintf(buf, len, "lost");
	}
}

/* The part of a tree from @node on that a row of the dump holds. */
static struct hbp_plan *row_plan(const json_t *row, uint32_t node)
{
	json_t *edges = json_object_get(row, "edges");
	struct hbp_plan *plan;
	struct hbp_tree *tree;
	struct hbp_error err;
	const json_t *edge;
	size_t i;
	int ret;

	plan = hbp_plan_alloc("", node, 1);
	if (!plan)
		abort();
	tree = hbp_plan_add_tree(plan,
				 json_integer_value(json_object_get(row, "slot")));
	json_array_foreach(edges, i, edge) {
		ret = hbp_tree_add(tree,
				   json_integer_value(json_array_get(edge, 0)),
				   json_integer_value(json_array_get(edge, 1)),
				   &err);
		if (ret)
			abort();
	}
	if (!hbp_tree_order(tree, node, &err))
		return plan;
	hbp_plan_free(plan);
	return NULL;
}

static int draw_row(struct hbctl *ctl, json_t *row, uint32_t node,
		    enum hbplan_graph graph)
{
	struct hbp_plan *plan = row_plan(row, node);
	int ret;

	if (!plan)
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "what the kernel says about epoch %lld is no tree of node %u: look again, and report it if it stays so",
				   json_integer_value(json_object_get(row, "epoch")),
				   node);
	if (graph == HBPLAN_GRAPH_TEXT)
		printf("group %lld, root %lld, epoch %lld, slot %lld: %lld nodes, %s\n",
		       json_integer_value(json_object_get(row, "group")),
		       json_integer_value(json_object_get(row, "root")),
		       json_integer_value(json_object_get(row, "epoch")),
		       json_integer_value(json_object_get(row, "slot")),
		       json_integer_value(json_object_get(row, "nodes")),
		       json_is_true(json_object_get(row, "ready")) ?
				"all ready" : "not all ready");
	ret = hbplan_draw(ctl, plan, write_label, row, graph);
	hbp_plan_free(plan);
	return ret;
}

static int draw(struct hbctl *ctl, const json_t *rows, enum hbplan_graph graph)
{
	struct hbgenl g;
	json_t *row;
	uint32_t id;
	size_t i;
	int ret;

	ret = hbgenl_open(ctl, &g);
	if (!ret)
		ret = hbgenl_own_id(ctl, &g, "the trees cannot be drawn", &id);
	hbgenl_close(&g);
	if (ret)
		return ret;
	json_array_foreach((json_t *)rows, i, row) {
		ret = draw_row(ctl, row, id, graph);
		if (ret)
			return ret;
	}
	return HBCTL_OK;
}

/**
 * hbshow_plan() - the command "show plan"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_plan(struct hbctl *ctl, int argc, char **argv)
{
	enum hbplan_graph graph = HBPLAN_GRAPH_NONE;
	uint32_t group = 0, root = 0;
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &group, 0, 0 },
		{ "root", hbarg_id, &root, 0, 0 },
		{ "graph", hbplan_parse_graph, &graph, 0, 0 },
		{ }
	};
	json_t *result;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbshow_get(ctl, &hbshow_plans, &result);
	if (ret)
		return ret;
	hbshow_filter(result, "group", group);
	hbshow_filter(result, "root", root);
	if (graph == HBPLAN_GRAPH_NONE)
		return hbout_print(ctl, result, text);
	ret = draw(ctl, result, graph);
	json_decref(result);
	return ret;
}
