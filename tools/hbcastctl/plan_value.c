// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of keys that several of the commands on plans have. */
#include <string.h>

#include "args.h"
#include "output.h"
#include "plan.h"
#include "plan_value.h"

/**
 * hbplan_parse_bytes() - an argument parser for the size of a message
 * @ctl: the run
 * @key: the key
 * @word: the value's text, as for hbarg_size()
 * @dest: uint64_t, 1 to HBP_MESSAGE_MAX bytes
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_parse_bytes(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	uint64_t bytes;
	int ret;

	ret = hbarg_size(ctl, key, word, &bytes);
	if (!ret && (!bytes || bytes > HBP_MESSAGE_MAX))
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s must be 1 byte to 1024TiB, not %llu bytes",
				  key, (unsigned long long)bytes);
	if (!ret)
		*(uint64_t *)dest = bytes;
	return ret;
}

/**
 * hbplan_parse_graph() - an argument parser for what to draw
 * @ctl: the run
 * @key: the key
 * @word: the value's text: text or dot
 * @dest: enum hbplan_graph
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_parse_graph(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	enum hbplan_graph *graph = dest;

	if (!strcmp(word, "text"))
		*graph = HBPLAN_GRAPH_TEXT;
	else if (!strcmp(word, "dot"))
		*graph = HBPLAN_GRAPH_DOT;
	else
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is unknown: write dot or text",
				   key, word);
	if (ctl->json)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "a graph is not JSON: leave out -j or graph");
	return HBCTL_OK;
}

/**
 * hbplan_parse_ports() - an argument parser for how nodes send
 * @ctl: the run
 * @key: the key
 * @word: the value's text: one-port or multi-port
 * @dest: enum hbp_ports
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_parse_ports(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	enum hbp_ports *ports = dest;

	if (!strcmp(word, "one-port"))
		*ports = HBP_ONE_PORT;
	else if (!strcmp(word, "multi-port"))
		*ports = HBP_MULTI_PORT;
	else
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is unknown to planners: write one-port or multi-port",
				   key, word);
	return HBCTL_OK;
}

/**
 * hbplan_parse_objective() - an argument parser for what a plan is to do best
 * @ctl: the run
 * @key: the key
 * @word: the value's text: completion, throughput or mean-completion
 * @dest: enum hbp_objective
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_parse_objective(struct hbctl *ctl, const char *key, const char *word,
			   void *dest)
{
	enum hbp_objective *objective = dest;

	*objective = hbp_objective_find(word);
	if (*objective < HBP_OBJECTIVES)
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s \"%s\" is unknown: write completion, throughput or mean-completion",
			   key, word);
}

/**
 * hbplan_parse_seed() - an argument parser for what lots are drawn from
 * @ctl: the run
 * @key: the key
 * @word: the value's text: 0 to INT64_MAX, as a plan's file has it
 * @dest: uint64_t
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_parse_seed(struct hbctl *ctl, const char *key, const char *word,
		      void *dest)
{
	uint64_t *seed = dest;
	int ret;

	ret = hbarg_u64(ctl, key, word, seed);
	if (!ret && *seed > INT64_MAX)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s must be 0 to %lld, not %s: write a smaller one",
				  key, (long long)INT64_MAX, word);
	return ret;
}

/**
 * hbplan_parse_trees() - an argument parser for a number of trees
 * @ctl: the run
 * @key: the key
 * @word: the value's text: 1 to HBP_PLAN_TREES_MAX
 * @dest: unsigned int
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_parse_trees(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	uint32_t trees;
	int ret;

	ret = hbarg_u32(ctl, key, word, &trees);
	if (!ret && (!trees || trees > HBP_PLAN_TREES_MAX))
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s must be 1 to %d, not %u: a plan has no more trees",
				  key, HBP_PLAN_TREES_MAX, trees);
	if (!ret)
		*(unsigned int *)dest = trees;
	return ret;
}
