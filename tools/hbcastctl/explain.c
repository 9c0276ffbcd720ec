// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl explain: what limits a plan, and what upgrading it would gain. */
#include "args.h"
#include "output.h"
#include "plan.h"

/* Adds what is known of how far a broadcast goes. */
static void add_outlook(json_t *object, const struct hbp_outlook *o)
{
	json_object_set_new(object, "completion_us",
			    json_real(hbp_us_from_ns(o->completion_ns)));
	if (o->rate_bps)
		json_object_set_new(object, "rate_mbps",
				    json_real(hbp_mbps_from_bps(o->rate_bps)));
	if (o->anew_ns != HBP_NEVER)
		json_object_set_new(object, "planned_anew_us",
				    json_real(hbp_us_from_ns(o->anew_ns)));
	json_object_set_new(object, "bound_us",
			    json_real(hbp_us_from_ns(o->bound_ns)));
	if (o->bound_bps)
		json_object_set_new(object, "bound_mbps",
				    json_real(hbp_mbps_from_bps(o->bound_bps)));
}

/* What can limit a plan: its key in JSON, and in words with its nodes. */
static const struct {
	const char *key;
	const char *words;
	int nodes;
} things[] = {
	[HBP_LIMITED_SENDER] = { "sender", "what %lld sends", 1 },
	[HBP_LIMITED_RECEIVER] = { "receiver", "what %lld receives", 1 },
	[HBP_LIMITED_LINK] = { "link", "from %lld to %lld", 2 },
	[HBP_LIMITED_LATENCY] = { "latency", "latency from %lld to %lld", 2 },
	[HBP_LIMITED_SEND_OVERHEAD] = { "send_overhead", "send overhead of %lld", 1 },
	[HBP_LIMITED_RECV_OVERHEAD] = { "recv_overhead", "receive overhead of %lld", 1 },
	[HBP_LIMITED_WORMHOLE] = { "wormhole", "the network", 0 },
};

static json_t *limit_to_json(const struct hbp_limit *limit)
{
	int nodes = things[limit->what].nodes;
	json_t *object;

	object = json_pack("{s:o}", things[limit->what].key, nodes == 2 ?
			   json_pack("[I, I]", (json_int_t)limit->from,
				     (json_int_t)limit->to) : nodes ?
			   json_integer(limit->from) : json_true());
	json_object_set_new(object, "busy", json_real(limit->busy));
	if (limit->upgraded.bound_bps)
		json_object_set_new(object, "price", json_real(limit->price));
	add_outlook(object, &limit->upgraded);
	return object;
}

/* What a node has waited for. */
static json_t *path_to_json(const struct hbp_path *path)
{
	json_t *hops = json_array(), *object;
	const struct hbp_hop *hop;
	int64_t ns;
	size_t i;

	for (i = 0; i < path->n; i++) {
		hop = &path->hops[i];
		ns = hop->latency_ns + hop->transfer_ns;
		object = json_pack("{s:I, s:I, s:f, s:f, s:f, s:f}", "from",
				   (json_int_t)hop->from, "to",
				   (json_int_t)hop->to, "send_us",
				   hbp_us_from_ns(hop->send_ns), "hop_us",
				   hbp_us_from_ns(ns), "receive_us",
				   hbp_us_from_ns(hop->recv_ns), "done_us",
				   hbp_us_from_ns(hop->done_ns));
		json_array_append_new(hops, object);
	}
	return hops;
}

static void write_percent(const json_t *value, char *buf, size_t len)
{
	if (value)
		snprintf(buf, len, "%.1f %%", 100 * json_number_value(value));
	else
		hbout_plain(value, buf, len);
}

static void name_limit(const json_t *limit, char *name, size_t len)
{
	const json_t *nodes, *first;
	size_t i;

	for (i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		nodes = json_object_get(limit, things[i].key);
		first = json_is_array(nodes) ? json_array_get(nodes, 0) : nodes;
		if (nodes)
			snprintf(name, len, things[i].words,
				 json_integer_value(first),
				 json_integer_value(json_array_get(nodes, 1)));
	}
}

/* The rows of the table: what limits, in words. */
static json_t *rows_of(const json_t *result)
{
	const json_t *limits = json_object_get(result, "limits"), *limit;
	json_t *rows = json_array(), *row;
	char name[64];
	size_t i;

	json_array_foreach((json_t *)limits, i, limit) {
		row = json_copy((json_t *)limit);
		name_limit(limit, name, sizeof(name));
		json_object_set_new(row, "name", json_string(name));
		json_array_append_new(rows, row);
	}
	row = json_copy((json_t *)result);
	json_object_set_new(row, "name", json_string("(as it is)"));
	json_array_insert_new(rows, 0, row);
	return rows;
}

/* What the nodes that are done last have waited for, one table for each. */
static void write_paths(const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "FROM", "from", NULL },
		{ "TO", "to", NULL },
		{ "SEND", "send_us", hbout_usec },
		{ "HOP", "hop_us", hbout_usec },
		{ "RECEIVE", "receive_us", hbout_usec },
		{ "DONE", "done_us", hbout_usec },
		{ }
	};
	const json_t *paths = json_object_get(result, "paths"), *path, *hop;
	json_int_t last = json_integer_value(json_object_get(result, "last"));
	size_t i;

	json_array_foreach((json_t *)paths, i, path) {
		hop = json_array_get(path, json_array_size(path) - 1);
		fprintf(out, "\nwhat %lld has waited for, ",
			json_integer_value(json_object_get(hop, "to")));
		if (last == 1)
			fprintf(out, "which is done last:\n");
		else
			fprintf(out, "one of %lld that are done last:\n", last);
		hbout_table(out, path, columns);
	}
}

static void write_explanation(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "LIMIT", "name", NULL },
		{ "BUSY", "busy", write_percent },
		{ "PRICE", "price", write_percent },
		{ "THIS PLAN", "completion_us", hbout_usec },
		{ "RATE", "rate_mbps", hbout_mbps },
		{ "PLANNED ANEW", "planned_anew_us", hbout_usec },
		{ "BOUND", "bound_us", hbout_usec },
		{ "MOST", "bound_mbps", hbout_mbps },
		{ }
	};
	json_t *rows = rows_of(result);

	(void)ctl;
	fprintf(out, "what limits %s by %s, and what comes if one of it is %lld times as fast:\n",
		json_string_value(json_object_get(result, "algorithm")),
		json_string_value(json_object_get(result, "model")),
		json_integer_value(json_object_get(result, "upgrade")));
	hbout_table(out, rows, columns);
	json_decref(rows);
	write_paths(result, out);
}

static int explain(struct hbctl *ctl, const struct hbp_plan *plan,
		   struct hbp_input *in)
{
	struct hbp_explanation e;
	struct hbp_error err;
	json_t *result, *limits, *paths;
	size_t i;

	if (hbp_explain(plan, in, &e, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	limits = json_array();
	for (i = 0; i < e.n; i++)
		json_array_append_new(limits, limit_to_json(&e.limits[i]));
	result = json_pack("{s:s, s:I, s:I, s:s, s:i, s:o}", "algorithm",
			   plan->algorithm, "root", (json_int_t)plan->root,
			   "message_bytes", (json_int_t)plan->message_bytes,
			   "model", hbp_model_name(e.model), "upgrade",
			   HBP_UPGRADE, "limits", limits);
	add_outlook(result, &e.now);
	if (e.n_paths) {
		paths = json_array();
		for (i = 0; i < e.n_paths; i++)
			json_array_append_new(paths, path_to_json(&e.paths[i]));
		json_object_set_new(result, "last", json_integer((json_int_t)e.n_last));
		json_object_set_new(result, "paths", paths);
	}
	hbp_explanation_clear(&e);
	return hbout_print(ctl, result, write_explanation);
}

/* argv[0] is the plan, which may have any name. */
static int explain_file(struct hbctl *ctl, int argc, char **argv)
{
	const char *on = NULL;
	struct hbarg_key keys[] = {
		{ "on", hbarg_string, &on, HBARG_REQUIRED, false },
		{ }
	};
	struct hbp_plan *plan = NULL;
	struct hbp_input *in = NULL;
	int ret;

	ret = hbarg_parse_file(ctl, "explain", "plan", keys, argc, argv);
	if (!ret)
		ret = hbplan_load_on(ctl, argv[0], on, &plan, &in);
	if (!ret)
		ret = explain(ctl, plan, in);
	hbp_plan_free(plan);
	hbp_input_free(in);
	return ret;
}

/**
 * hbctl_cmd_explain() - hbcastctl explain
 * @ctl: the run
 * @argc: number of words after "explain"
 * @argv: the words, the first being the name of a plan
 *
 * Return: an exit code.
 */
int hbctl_cmd_explain(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"explain", explain_file, "PLAN.json on FILE",
		"tell which ports and links limit a plan, and what upgrading them would gain",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
