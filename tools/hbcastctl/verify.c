// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: check a plan from scratch. */
#include "args.h"
#include "output.h"
#include "verify.h"

static int check(struct hbverify *v, const char *plan, const char *net)
{
	int ret;

	ret = hbverify_read_net(v, net);
	if (!ret)
		ret = hbverify_read_plan(v, plan);
	if (!ret)
		ret = hbverify_rates(v);
	if (!ret)
		ret = hbverify_predicted(v);
	if (!ret)
		ret = hbverify_certificate(v);
	if (!ret)
		ret = hbverify_replanned(v);
	return ret ? ret : hbverify_why(v);
}

static void write_verdict(struct hbctl *ctl, const json_t *result, FILE *out)
{
	const json_t *busiest = json_object_get(result, "busiest");
	const json_t *bound = json_object_get(result, "bound_mbps");
	const char *model = json_string_value(json_object_get(result, "model"));

	(void)ctl;
	fprintf(out, "good: %lld trees, slot 0 of which spans %lld nodes\n",
		json_integer_value(json_object_get(result, "trees")),
		json_integer_value(json_object_get(result, "nodes")));
	if (busiest)
		fprintf(out,
			"rates can be kept: nothing is busy for more than %.2f %% of the time\n",
			100 * json_number_value(busiest));
	if (json_is_true(json_object_get(result, "predicted")))
		fprintf(out, "what is predicted by %s is right, and its bounds are\n",
			model);
	if (bound)
		fprintf(out, "proven by %s: no trees are faster together than %.6f Mbit/s\n",
			model, json_number_value(bound));
}

static json_t *verdict(const struct hbverify *v)
{
	const json_t *predicted = json_object_get(v->json, "predicted");

	return json_pack("{s:b, s:I, s:I, s:s, s:o*, s:b, s:b, s:O*}", "good", 1,
			 "trees", (json_int_t)v->plan.n_trees, "nodes",
			 (json_int_t)v->net.hosts, "model", v->plan.model,
			 "busiest", v->busiest > 0 ? json_real(v->busiest) : NULL,
			 "predicted", !!predicted, "proven", v->proven,
			 "bound_mbps", v->proven ?
			 json_object_get(v->json, "bound_mbps") : NULL);
}

/* argv[0] is the plan, which may have any name. */
static int verify_file(struct hbctl *ctl, int argc, char **argv)
{
	struct hbverify v = { 0 };
	const char *on = NULL;
	struct hbarg_key keys[] = {
		{ "on", hbarg_string, &on, HBARG_REQUIRED, false },
		{ }
	};
	int ret;

	ret = hbarg_parse_file(ctl, "verify", "plan", keys, argc, argv);
	if (ret)
		return ret;
	if (check(&v, argv[0], on))
		ret = hbctl_error(ctl, HBCTL_USAGE, "%s", v.why);
	else
		ret = hbout_print(ctl, verdict(&v), write_verdict);
	hbverify_free(&v);
	return ret;
}

/**
 * hbctl_cmd_verify() - hbcastctl verify
 * @ctl: the run
 * @argc: number of words after "verify"
 * @argv: the words, the first being the name of a plan
 *
 * Return: an exit code; that of bad input if the plan is not what it says.
 */
int hbctl_cmd_verify(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"verify", verify_file, "PLAN.json on FILE",
		"check a plan, what it predicts and what proves its bound, from scratch",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
