// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl evaluate: what the models say of a plan, beside the bounds. */
#include "args.h"
#include "output.h"
#include "plan.h"
#include "plan_age.h"
#include "plan_figure.h"
#include "plan_value.h"

static int parse_model(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	enum hbp_model *model = dest, each;
	char names[128] = "";
	size_t at = 0;

	*model = hbp_model_find(word);
	if (*model < HBP_MODELS)
		return HBCTL_OK;
	for (each = 0; each < HBP_MODELS; each++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				       !each ? "" : each + 1 < HBP_MODELS ?
				       ", " : " or ", hbp_model_name(each));
	return hbctl_error(ctl, HBCTL_USAGE, "%s \"%s\" is unknown: write %s",
			   key, word, names);
}

static json_t *nodes_to_json(const struct hbp_evaluation *e,
			     const struct hbp_input *in)
{
	json_t *nodes = json_array(), *node;
	const char *name;
	size_t i;

	for (i = 0; i < e->n; i++) {
		node = hbplan_figure(&e->nodes[i]);
		name = hbp_input_label(in, e->nodes[i].id);
		if (name)
			json_object_set_new(node, "name", json_string(name));
		json_array_append_new(nodes, node);
	}
	return nodes;
}

static void write_models(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column overall[] = {
		{ "MODEL", "model", NULL },
		{ "COMPLETION", "completion_us", hbout_usec },
		{ "BOUND", "bound_us", hbout_usec },
		{ "RATIO", "ratio", hbplan_write_ratio },
		{ "SLOWEST", "slowest", NULL },
		{ "MEAN", "mean_completion_us", hbout_usec },
		{ "RATE", "rate_mbps", hbout_mbps },
		{ }
	};
	static const struct hbout_column nodes[] = {
		{ "NODE", "id", NULL },
		{ "NAME", "name", NULL },
		{ "COMPLETION", "completion_us", hbout_usec },
		{ "BOUND", "bound_us", hbout_usec },
		{ "RATIO", "ratio", hbplan_write_ratio },
		{ "RATE", "rate_mbps", hbout_mbps },
		{ }
	};
	const json_t *models = json_object_get(result, "models"), *model;
	size_t i;

	(void)ctl;
	hbout_table(out, models, overall);
	json_array_foreach((json_t *)models, i, model) {
		fprintf(out, "\n%s:\n",
			json_string_value(json_object_get(model, "model")));
		hbout_table(out, json_object_get(model, "nodes"), nodes);
	}
}

/* One model, or all that apply if @model is HBP_MODELS. */
static int evaluate(struct hbctl *ctl, const struct hbp_plan *plan,
		    struct hbp_input *in, enum hbp_model model)
{
	json_t *models = json_array(), *object;
	struct hbp_evaluation *e;
	struct hbp_error err;
	enum hbp_model each;

	for (each = 0; each < HBP_MODELS; each++) {
		if (model == HBP_MODELS ? !hbp_model_applies(each, in, plan) :
		    each != model)
			continue;
		if (hbp_evaluate(plan, in, each, &e, &err)) {
			json_decref(models);
			return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
		}
		object = hbplan_overall(e);
		json_object_set_new(object, "nodes", nodes_to_json(e, in));
		json_array_append_new(models, object);
		hbp_evaluation_free(e);
	}
	hbplan_tell_age(ctl, in);
	return hbout_print(ctl, json_pack("{s:s, s:I, s:I, s:o*, s:o}", "algorithm",
					  plan->algorithm, "root",
					  (json_int_t)plan->root,
					  "message_bytes",
					  (json_int_t)plan->message_bytes,
					  "measured", hbplan_age(in),
					  "models", models), write_models);
}

/* argv[0] is the plan, which may have any name. */
static int evaluate_file(struct hbctl *ctl, int argc, char **argv)
{
	enum hbp_model model = HBP_MODELS;
	const char *on = NULL;
	uint64_t bytes = 0;
	struct hbarg_key keys[] = {
		{ "message-size", hbplan_parse_bytes, &bytes, 0, false },
		{ "on", hbarg_string, &on, HBARG_REQUIRED, false },
		{ "model", parse_model, &model, 0, false },
		{ }
	};
	struct hbp_plan *plan = NULL;
	struct hbp_input *in = NULL;
	int ret;

	ret = hbarg_parse_file(ctl, "evaluate", "plan", keys, argc, argv);
	if (!ret)
		ret = hbplan_load_on(ctl, argv[0], on, &plan, &in);
	if (!ret && bytes)
		plan->message_bytes = bytes;
	if (!ret)
		ret = evaluate(ctl, plan, in, model);
	hbp_plan_free(plan);
	hbp_input_free(in);
	return ret;
}

/**
 * hbctl_cmd_evaluate() - hbcastctl evaluate
 * @ctl: the run
 * @argc: number of words after "evaluate"
 * @argv: the words, the first being the name of a file
 *
 * Return: an exit code.
 */
int hbctl_cmd_evaluate(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"evaluate", evaluate_file,
		"PLAN.json on FILE [ model completion|path|one-port|multi-port|fluid|hnow ] [ message-size SIZE ]",
		"predict by a model, or by all that apply, when each node has the message", false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
