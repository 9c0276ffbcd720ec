// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl compare: all planners on one input, beside the bound. */
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "clock.h"
#include "output.h"
#include "plan.h"
#include "plan_figure.h"
#include "plan_value.h"

/* What a planner has done. */
struct entry {
	json_t *row;
	struct hbp_evaluation *evaluation;	/* NULL if it cannot plan */
	size_t place;		/* among all planners */
};

struct comparison {
	const struct hbp_request *rq;
	bool judged;		/* all plans by one model, that of @rq */
	struct entry *entries;
	size_t n;
};

/* The plan's own prediction, or that of the model that judges all. */
static int judge(const struct comparison *c, struct hbp_plan *plan,
		 struct hbp_evaluation **out, struct hbp_error *err)
{
	enum hbp_model model = hbp_request_model(c->rq);

	if (c->judged && plan->predicted->model != model)
		return hbp_evaluate(plan, c->rq->in, model, out, err);
	*out = plan->predicted;
	plan->predicted = NULL;
	return 0;
}

static void enter(struct comparison *c, const struct hbp_planner *planner,
		  size_t place, struct hbp_error *err)
{
	struct entry *entry = &c->entries[c->n++];
	int64_t start = hbclock_now(), end;
	struct hbp_plan *plan = NULL;
	int ret;

	ret = hbp_plan_make(planner, c->rq, &plan, err);
	end = hbclock_now();
	if (!ret)
		ret = judge(c, plan, &entry->evaluation, err);
	if (ret) {
		entry->row = json_pack("{s:s}", "error", err->text);
	} else {
		entry->row = hbplan_overall(entry->evaluation);
		json_object_set_new(entry->row, "planning_us",
				    json_real(hbp_us_from_ns(end - start)));
	}
	entry->place = place;
	json_object_set_new(entry->row, "algorithm", json_string(planner->name));
	hbp_plan_free(plan);
}

/* The best first, those that cannot plan last. */
static int compare_entries(const void *a, const void *b, void *objective)
{
	const struct entry *x = a, *y = b;
	int order;

	if (!x->evaluation != !y->evaluation)
		return x->evaluation ? -1 : 1;
	order = x->evaluation ?
		hbp_objective_compare(*(enum hbp_objective *)objective,
				      x->evaluation, y->evaluation) : 0;
	return order ? order : (x->place > y->place) - (x->place < y->place);
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
		{ "MEAN", "mean_completion_us", hbout_usec },
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
static json_t *compare_all(struct comparison *c, struct hbp_error *err)
{
	enum hbp_objective objective = c->rq->objective;
	const struct hbp_planner *const *planners;
	size_t n, i, failed = 0;
	json_t *rows;

	planners = hbp_planners(&n);
	c->entries = calloc(n, sizeof(*c->entries));
	if (!c->entries) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return NULL;
	}
	rows = json_array();
	for (i = 0; i < n; i++)
		if (planners[i]->inputs & c->rq->in->kind)
			enter(c, planners[i], i, err);
	if (objective)
		qsort_r(c->entries, c->n, sizeof(*c->entries), compare_entries,
			&objective);
	for (i = 0; i < c->n; i++) {
		failed += !c->entries[i].evaluation;
		json_array_append_new(rows, c->entries[i].row);
		hbp_evaluation_free(c->entries[i].evaluation);
	}
	free(c->entries);
	if (failed < c->n)
		return rows;
	json_decref(rows);
	return NULL;
}

static int compare(struct hbctl *ctl, struct comparison *c)
{
	const struct hbp_request *rq = c->rq;
	const struct hbp_costs *costs;
	struct hbp_error err;
	json_t *rows;

	/* So that the first to need it is not taken for slow; it may go without. */
	hbp_input_costs(rq->in, &costs, &err);
	rows = compare_all(c, &err);
	if (!rows)
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	return hbout_print(ctl, json_pack("{s:I, s:I, s:s*, s:o}", "root",
					  (json_int_t)rq->root,
					  "message_bytes",
					  (json_int_t)rq->message_bytes,
					  "objective", rq->objective ?
					  hbp_objective_name(rq->objective) : NULL,
					  "planners", rows), write_comparison);
}

static int compare_file(struct hbctl *ctl, int argc, char **argv)
{
	struct hbp_request rq = {
		.message_bytes = HBPLAN_DEFAULT_BYTES, .tolerance = HBPLAN_DEFAULT_TOLERANCE
	};
	struct hbarg_key keys[] = {
		{ "root", hbarg_u32, &rq.root, HBARG_REQUIRED, false },
		{ "message-size", hbplan_parse_bytes, &rq.message_bytes, 0, false },
		{ "model", hbplan_parse_ports, &rq.ports, 0, false },
		{ "objective", hbplan_parse_objective, &rq.objective, 0, false },
		{ "seed", hbplan_parse_seed, &rq.seed, 0, false },
		{ "trees", hbplan_parse_trees, &rq.trees, 0, false },
		{ }
	};
	struct comparison c = { .rq = &rq };
	int ret;

	ret = hbarg_parse_file(ctl, "compare", "file", keys, argc, argv);
	if (!ret)
		ret = hbplan_open(ctl, argv[0], &rq.in);
	c.judged = rq.ports != HBP_ANY_PORTS || rq.objective != HBP_ANY_OBJECTIVE;
	if (!ret)
		ret = compare(ctl, &c);
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
		"FILE root ID [ message-size SIZE ] [ model one-port|multi-port ] [ objective completion|throughput|mean-completion ] [ seed N ] [ trees N ]",
		"plan with every algorithm that takes FILE, and predict completion", false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
