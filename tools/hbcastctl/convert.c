// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl convert: cost matrices and platforms from other files. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "output.h"
#include "plan.h"

static int parse_kind(struct hbctl *ctl, const char *key, const char *word,
		      void *dest)
{
	unsigned int *kind = dest;

	if (!strcmp(word, "costs"))
		*kind = HBP_INPUT_COSTS;
	else if (!strcmp(word, "platform"))
		*kind = HBP_INPUT_PLATFORM;
	else
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is unknown: write costs or platform",
				   key, word);
	return HBCTL_OK;
}

static int parse_bandwidth(struct hbctl *ctl, const char *key, const char *word,
			   void *dest)
{
	double mbps;
	char *end;

	mbps = strtod(word, &end);
	if (end == word || *end || !(mbps >= HBP_BANDWIDTH_MIN_MBPS &&
				     mbps <= HBP_BANDWIDTH_MAX_MBPS))
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is not understood: write Mbit/s from 0.000001 to 10000000",
				   key, word);
	*(int64_t *)dest = hbp_bps_from_mbps(mbps);
	return HBCTL_OK;
}

static int parse_latency(struct hbctl *ctl, const char *key, const char *word,
			 void *dest)
{
	uint64_t ns;
	int ret;

	ret = hbarg_duration(ctl, key, word, &ns);
	if (!ret && ns > (uint64_t)hbp_ns_from_us(HBP_LATENCY_MAX_US))
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s %s is out of range: write 0s to 1000s",
				  key, word);
	if (!ret)
		*(int64_t *)dest = (int64_t)ns;
	return ret;
}

static int deliver_costs(struct hbctl *ctl, struct hbp_input *in,
			 const char *output)
{
	const struct hbp_costs *costs;
	struct hbp_error err;

	if (hbp_input_costs(in, &costs, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s: %s", in->name, err.text);
	if (!output)
		return hbplan_print(ctl, "cost matrix", hbp_costs_text(costs));
	if (hbp_costs_save(costs, output, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	return HBCTL_OK;
}

/* An HNOW is a platform already. */
static int deliver_hnow(struct hbctl *ctl, const struct hbp_hnow *hnow,
			const char *output)
{
	struct hbp_error err;

	if (!output)
		return hbplan_print(ctl, "HNOW", hbp_hnow_text(hnow));
	if (hbp_hnow_save(hnow, output, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	return HBCTL_OK;
}

static int deliver_platform(struct hbctl *ctl, const struct hbp_input *in,
			    const char *output)
{
	const struct hbp_platform *platform = in->platform;
	struct hbp_platform *made = NULL;
	struct hbp_error err;
	int ret = HBCTL_OK;

	if (in->hnow)
		return deliver_hnow(ctl, in->hnow, output);
	if (!platform) {
		if (hbp_platform_from_costs(in->costs, &made, &err))
			return hbctl_error(ctl, HBCTL_USAGE, "%s: %s", in->name,
					   err.text);
		platform = made;
	}
	if (!output)
		ret = hbplan_print(ctl, "platform", hbp_platform_text(platform));
	else if (hbp_platform_save(platform, output, &err))
		ret = hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	hbp_platform_free(made);
	return ret;
}

/* argv[0] is the file, whose name tells what it is. */
static int convert_file(struct hbctl *ctl, int argc, char **argv)
{
	struct hbp_foreign foreign = { .assumed = { -1, -1 } };
	struct hbp_warn w = hbplan_warnings(ctl);
	const char *output = NULL;
	unsigned int kind = 0;
	struct hbarg_key keys[] = {
		{ "to", parse_kind, &kind, HBARG_REQUIRED, false },
		{ "holds", hbarg_string, &foreign.holds, 0, false },
		{ "with", hbarg_string, &foreign.with, 0, false },
		{ "holding", hbarg_string, &foreign.holding, 0, false },
		{ "bandwidth", parse_bandwidth, &foreign.assumed.bandwidth_bps, 0, false },
		{ "latency", parse_latency, &foreign.assumed.latency_ns, 0, false },
		{ "output", hbarg_string, &output, 0, false },
		{ }
	};
	struct hbp_input *in = NULL;
	struct hbp_error err;
	int ret;

	ret = hbarg_parse_file(ctl, "convert", "file", keys, argc, argv);
	if (ret)
		return ret;
	if (!foreign.with != !foreign.holding)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "with and holding belong together: write with FILE holding QUANTITY");
	foreign.path = argv[0];
	if (hbp_import(&foreign, &w, &in, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	ret = kind == HBP_INPUT_COSTS ? deliver_costs(ctl, in, output) :
					deliver_platform(ctl, in, output);
	hbp_input_free(in);
	return ret;
}

/**
 * hbctl_cmd_convert() - hbcastctl convert
 * @ctl: the run
 * @argc: number of words after "convert"
 * @argv: the words, the first being the name of a file
 *
 * Return: an exit code.
 */
int hbctl_cmd_convert(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"convert", convert_file,
		"FROM to costs|platform [ holds QUANTITY ] [ with FILE holding QUANTITY ] [ bandwidth MBPS ] [ latency TIME ] [ output FILE ]",
		"make a cost matrix or a platform from a table, SimGrid, GraphML, GML or each other",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
