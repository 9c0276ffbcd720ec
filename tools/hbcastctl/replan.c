// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl replan: adapt a binomial tree to a change of the network. */
#include <string.h>

#include "args.h"
#include "output.h"
#include "plan.h"

static int parse_strategy(struct hbctl *ctl, const char *key, const char *word,
			  void *dest)
{
	enum hbp_strategy *strategy = dest;

	*strategy = hbp_strategy_find(word);
	if (*strategy < HBP_STRATEGIES)
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s \"%s\" is unknown: write family, path, leaf or position",
			   key, word);
}

static bool is_seen(const struct hbarg_key *keys, const char *name)
{
	while (strcmp(keys->name, name))
		keys++;
	return keys->seen;
}

/* What the keys say has happened, and what is done about it if they do not. */
static int read_change(struct hbctl *ctl, const struct hbarg_key *keys,
		       struct hbp_change *change)
{
	bool link = is_seen(keys, "link"), join = is_seen(keys, "join");
	bool leave = is_seen(keys, "leave"), both = is_seen(keys, "and");

	if (link + join + leave != 1 || link != both)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "replan needs one change: link A B, join ID or leave ID");
	if (link && !is_seen(keys, "strategy"))
		return hbctl_error(ctl, HBCTL_USAGE,
				   "a link needs a strategy: write strategy family, path, leaf or position");
	change->event = link ? HBP_LINK_CHANGED :
			join ? HBP_NODE_JOINED : HBP_NODE_LEFT;
	if (join && !is_seen(keys, "strategy"))
		change->strategy = HBP_SWAP_POSITION;
	return HBCTL_OK;
}

static int replan(struct hbctl *ctl, const char *plan_file,
		  const char *input_file, const struct hbp_change *change,
		  const char *output)
{
	struct hbp_plan *old = NULL, *plan = NULL;
	struct hbp_input *in = NULL;
	struct hbp_error err;
	int ret;

	ret = hbplan_load_on(ctl, plan_file, input_file, &old, &in);
	if (!ret && hbp_replan(old, in, change, &plan, &err))
		ret = hbctl_error(ctl, HBCTL_USAGE, "%s: %s", plan_file,
				  err.text);
	if (!ret)
		ret = hbplan_deliver(ctl, plan, in, output, HBPLAN_GRAPH_NONE);
	hbp_plan_free(old);
	hbp_plan_free(plan);
	hbp_input_free(in);
	return ret;
}

/* argv[0] is the plan, which may have any name. */
static int replan_file(struct hbctl *ctl, int argc, char **argv)
{
	struct hbp_change change = { .strategy = HBP_SWAP_NONE };
	const char *on = NULL, *output = NULL;
	/* The second end of a link needs no key. */
	struct hbarg_key keys[] = {
		{ "on", hbarg_string, &on, HBARG_REQUIRED, false },
		{ "strategy", parse_strategy, &change.strategy, 0, false },
		{ "link", hbarg_u32, &change.node, 0, false },
		{ "and", hbarg_u32, &change.other, HBARG_BARE, false },
		{ "join", hbarg_u32, &change.node, 0, false },
		{ "leave", hbarg_u32, &change.node, 0, false },
		{ "output", hbarg_string, &output, 0, false },
		{ }
	};
	int ret;

	ret = hbarg_parse_file(ctl, "replan", "plan", keys, argc, argv);
	if (!ret)
		ret = read_change(ctl, keys, &change);
	if (!ret)
		ret = replan(ctl, argv[0], on, &change, output);
	return ret;
}

/**
 * hbctl_cmd_replan() - hbcastctl replan
 * @ctl: the run
 * @argc: number of words after "replan"
 * @argv: the words, the first being the name of a file
 *
 * Return: an exit code.
 */
int hbctl_cmd_replan(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"replan", replan_file,
		"PLAN.json on FILE { link A B | join ID | leave ID } [ strategy family|path|leaf|position ] [ output PLAN.json ]",
		"adapt a binomial tree to a link, a node that joins or one that leaves", false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
