// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The papers' experiments, run again: tables of what their figures show.
 *
 * experiment NAME DIRECTORY tiny|usual|full SEED [DATA]
 *
 * writes the tables of one experiment into the directory; 'experiment names'
 * lists all. DATA is a directory of measured networks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

static const struct {
	const char *name;
	void (*fn)(const struct run *run);
} experiments[] = {
	{ "swapping", swapping },
	{ "churn", churn },
	{ "ports", ports },
	{ "wan", wan },
	{ "stable", stable },
	{ "hnow", hnow },
	{ "measured", measured },
};

#define EXPERIMENTS	(sizeof(experiments) / sizeof(experiments[0]))

static const char *const scales[SCALES] = {
	[TINY] = "tiny",
	[USUAL] = "usual",
	[FULL] = "full",
};

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("experiment: ", stderr);
	vfprintf(stderr, format, args);
	fputs("\n", stderr);
	va_end(args);
	exit(2);
}

size_t pick(const struct run *run, size_t tiny, size_t usual, size_t full)
{
	return run->scale == TINY ? tiny : run->scale == USUAL ? usual : full;
}

struct hbp_plan *plan_by(const char *name, const struct hbp_request *rq)
{
	const struct hbp_planner *planner = hbp_planner_find(name);
	struct hbp_error err;
	struct hbp_plan *plan;

	if (!planner)
		die("there is no planner %s", name);
	if (hbp_plan_make(planner, rq, &plan, &err))
		die("%s: %s", name, err.text);
	return plan;
}

struct hbp_evaluation *evaluate_by(enum hbp_model model,
				   const struct hbp_plan *plan,
				   struct hbp_input *in)
{
	struct hbp_evaluation *evaluation;
	struct hbp_error err;

	if (hbp_evaluate(plan, in, model, &evaluation, &err))
		die("%s", err.text);
	return evaluation;
}

static enum scale parse_scale(const char *name)
{
	enum scale scale;

	for (scale = TINY; scale < SCALES; scale++)
		if (!strcmp(scales[scale], name))
			return scale;
	die("a scale is tiny, usual or full, not %s", name);
}

static uint64_t parse_seed(const char *text)
{
	uint64_t seed;
	char *end;

	seed = strtoull(text, &end, 10);
	if (end == text || *end)
		die("a seed is a number, not %s", text);
	return seed;
}

static void list(void)
{
	size_t i;

	for (i = 0; i < EXPERIMENTS; i++)
		puts(experiments[i].name);
}

int main(int argc, char **argv)
{
	struct run run = { };
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "names")) {
		list();
		return 0;
	}
	if (argc < 5 || argc > 6)
		die("usage: experiment names | NAME DIRECTORY tiny|usual|full SEED [DATA]");
	run.dir = argv[2];
	run.scale = parse_scale(argv[3]);
	run.seed = parse_seed(argv[4]);
	run.data = argv[5];
	for (i = 0; i < EXPERIMENTS; i++)
		if (!strcmp(experiments[i].name, argv[1]))
			break;
	if (i == EXPERIMENTS)
		die("there is no experiment %s; 'experiment names' lists them",
		    argv[1]);
	experiments[i].fn(&run);
	return 0;
}
