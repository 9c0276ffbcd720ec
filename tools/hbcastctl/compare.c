// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl compare: all planners on one input, beside the bound. */
#include <stdio.h>

#include "args.h"
#include "clock.h"
#include "output.h"
#include "plan.h"

static json_t *planner_row(const struct hbp_planner *planner,
			   const struct hbp_request *rq)
{
	int64_t start = hbclock_now(), end;
	struct hbp_error err;
	struct hbp_plan *plan;
	json_t *row;

	if (hbp_plan_make(planner, rq, &plan, &err))
		return json_pack("{s:s, s:s}", "algorithm", planner->name,
				 "error", err.text);
	end = hbclock_now();
	row = hbplan_overall(plan->predicted);
	json_object_set_new(row, "algorithm", json_string(planner->name));
	json_object_set_new(row, "planning_us",
			    json_real(hbp_us_from_ns(end - start)));
	hbp_plan_free(plan);
	return row;
}

static void write_comparison(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "ALGORITHM", "algorithm", NULL },
		{ "MODEL", "model", NULL },
		{ "COMPLETION", "completion_us", hbout_usec },
		{ "BOUND", "bound_us", hbout_usec },
		{ "RATIO", "ratio", hbplan_write_ratio },
		{ "SLOWEST", "slowest", NULL },
		{ "RATE", "rate_mbps", hbout_mbps },
		{ "PLANNED IN", "planning_us", hbout_usec },
		{ }
	};
	const json_t *rows = json_object_get(result, "planners"), *row, *error;
	size_t i;

	(void)ctl;
	hbout_table(out, rows, columns);
	json_array_foreach((json_t *)rows, i, row) {
		error = json_object_get(row, "error");
		if (error)
			fprintf(out, "%s: %s\n",
				json_string_value(json_object_get(row, "algorithm")),
				json_string_value(error));
	}
}

/* A row for each planner that takes the input; NULL if none can plan. */
static json_t *compare_all(const struct hbp_request *rq, struct hbp_error *err)
{
	const struct hbp_planner *const *planners;
	json_t *rows = json_array(), *row;
	size_t n, i, failed = 0;

	planners = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		if (!(planners[i]->inputs & rq->in->kind))
			continue;
		row = planner_row(planners[i], rq);
		json_array_append_new(rows, row);
		if (!json_object_get(row, "error"))
			continue;
		failed++;
		snprintf(err->text, sizeof(err->text), "%s",
			 json_string_value(json_object_get(row, "error")));
	}
	if (failed < json_array_size(rows))
		return rows;
	json_decref(rows);
	return NULL;
}

static int compare(struct hbctl *ctl, const struct hbp_request *rq)
{
	const struct hbp_costs *costs;
	struct hbp_error err;
	json_t *rows;

	/* So that the first to need it is not taken for slow; it may go without. */
	hbp_input_costs(rq->in, &costs, &err);
	rows = compare_all(rq, &err);
	if (!rows)
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	return hbout_print(ctl, json_pack("{s:I, s:I, s:o}", "root",
					  (json_int_t)rq->root,
					  "message_bytes",
					  (json_int_t)rq->message_bytes, "planners",
					  rows), write_comparison);
}

static int compare_file(struct hbctl *ctl, int argc, char **argv)
{
	struct hbp_request rq = { .message_bytes = HBPLAN_DEFAULT_BYTES };
	struct hbarg_key keys[] = {
		{ "root", hbarg_u32, &rq.root, HBARG_REQUIRED, false },
		{ "message-size", hbarg_size, &rq.message_bytes, 0, false },
		{ "model", hbplan_parse_ports, &rq.ports, 0, false },
		{ "seed", hbarg_u64, &rq.seed, 0, false },
		{ "trees", hbplan_parse_trees, &rq.trees, 0, false },
		{ }
	};
	int ret;

	if (!argc)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "compare needs the name of a file: hbcastctl compare help tells more");
	ret = hbarg_parse(ctl, keys, argc - 1, argv + 1);
	if (!ret)
		ret = hbplan_open(ctl, argv[0], &rq);
	if (!ret)
		ret = compare(ctl, &rq);
	hbp_input_free(rq.in);
	return ret;
}

/**
 * hbctl_cmd_compare() - hbcastctl compare
 * @ctl: the run
 * @argc: number of words after "compare"
 * @argv: the words, the first being the name of a file
 *
 * Return: an exit code; that of an error only if no planner can plan.
 */
int hbctl_cmd_compare(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"compare", compare_file,
		"FILE root ID [ message-size SIZE ] [ model one-port|multi-port ] [ seed N ] [ trees N ]",
		"plan with every algorithm that takes FILE, and predict completion", false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
