// SPDX-License-Identifier: GPL-2.0-or-later
/* How long planners of HNOWs take: a table with sizes doubling. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "hbplan.h"

#define LEAST		64
#define MOST		2048
#define SIZES		16
#define DENSITY		8
#define BYTES		2048
#define RUNS		3

/* The first four types of table I of the paper. */
static const char *const speeds[] = {
	"60,\"send_byte_us\":0.05,\"recv_const_us\":110,\"recv_byte_us\":0.03",
	"90,\"send_byte_us\":0.40,\"recv_const_us\":140,\"recv_byte_us\":0.06",
	"120,\"send_byte_us\":0.80,\"recv_const_us\":170,\"recv_byte_us\":0.48",
	"150,\"send_byte_us\":1.6,\"recv_const_us\":200,\"recv_byte_us\":0.96",
};

static void add_link(FILE *f, size_t from, size_t to, const char *behind)
{
	fprintf(f, "{\"from\":%zu,\"to\":%zu,\"bandwidth_mbps\":1,\"latency_us\":1,",
		from, to);
	fprintf(f, "\"symmetric\":true}%s", behind);
}

/* Hosts 1 to @n, and a random tree of switches behind them. */
static struct hbp_input *make_hnow(size_t n)
{
	size_t switches = n / DENSITY, i;
	struct hbp_input *in;
	struct hbp_error err;
	uint64_t seed = n;
	char *text;
	size_t len;
	FILE *f;

	f = open_memstream(&text, &len);
	if (!f)
		die("out of memory");
	fputs("{\"hbcast\":\"platform\",\"version\":1,", f);
	fputs("\"wormhole\":{\"const_us\":16,\"byte_us\":0.125},\"nodes\":[", f);
	for (i = 1; i <= n; i++)
		fprintf(f, "{\"id\":%zu,\"kind\":\"host\",\"speed\":{\"send_const_us\":%s}},",
			i, speeds[draw_below(&seed, 4)]);
	for (i = 1; i <= switches; i++)
		fprintf(f, "{\"id\":%zu,\"kind\":\"switch\"}%s", n + i,
			i < switches ? "," : "],\"links\":[");
	for (i = 2; i <= switches; i++)
		add_link(f, n + i, n + 1 + (size_t)draw_below(&seed, (uint32_t)i - 1),
			 ",");
	for (i = 1; i <= n; i++)
		add_link(f, i, n + 1 + (size_t)draw_below(&seed, (uint32_t)switches),
			 i < n ? "," : "]}");
	fclose(f);
	if (hbp_input_parse(text, len, "input", NULL, &in, &err))
		die(err.text);
	free(text);
	return in;
}

/* The planner alone, or the model and bounds of what it has planned. */
static double hnow_ms(const struct hbp_planner *planner, struct hbp_input *in,
		      bool model)
{
	struct hbp_request rq = {
		.in = in, .root = 1, .message_bytes = BYTES
	};
	double least = 1e300, ms;
	struct hbp_error err;
	struct hbp_plan *plan;
	int run;

	for (run = 0; run < RUNS; run++) {
		plan = hbp_plan_alloc(planner->name, rq.root, rq.message_bytes);
		if (!plan)
			die("out of memory");
		ms = cpu_ms();
		if (planner->make(&rq, plan, &err))
			die(err.text);
		if (model)
			ms = cpu_ms();
		if (model && hbp_plan_finish(plan, in, HBP_MODEL_HNOW, &err))
			die(err.text);
		ms = cpu_ms() - ms;
		least = ms < least ? ms : least;
		hbp_plan_free(plan);
	}
	return least;
}

static void print_row(const char *name, const struct hbp_planner *planner,
		      struct hbp_input *const *inputs, size_t sizes, bool model)
{
	size_t i;

	printf("%-20s", name);
	for (i = 0; i < sizes; i++) {
		printf(" %9.3f", hnow_ms(planner, inputs[i], model));
		fflush(stdout);
	}
	puts("");
}

void hnow_print(void)
{
	const struct hbp_planner *const *planners;
	struct hbp_input *inputs[SIZES];
	size_t n, i, sizes = 0, count;

	printf("\nmilliseconds, an HNOW of %d hosts a switch, %d bytes\n%-20s",
	       DENSITY, BYTES, "");
	for (n = LEAST; n <= MOST; n *= 2) {
		printf(" %9zu", n);
		inputs[sizes++] = make_hnow(n);
	}
	puts("");
	planners = hbp_planners(&count);
	for (i = 0; i < count; i++)
		if (planners[i]->inputs == HBP_INPUT_HNOW)
			print_row(planners[i]->name, planners[i], inputs, sizes,
				  false);
	print_row("(model and bounds)", hbp_planner_find("two-vbbs"), inputs, sizes,
		  true);
	while (sizes)
		hbp_input_free(inputs[--sizes]);
}
