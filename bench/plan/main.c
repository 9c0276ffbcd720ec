// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long planning takes, and how much memory: tables with sizes doubling.
 *
 * bench-plan		all tables
 * bench-plan check	only what has a limit; fails if one is exceeded
 *
 * Times are the least processor time of several runs, of one thread.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "hbplan.h"
#include "positions.h"

#define BYTES		(1 << 20)
#define LEAST		64
#define MOST		2048
#define LIMIT_NODES	1024
#define LIMIT_MS	50
#define SWAP_LIMIT_MS	1
#define AUTO_NODES	100
#define AUTO_LIMIT_MS	1000
#define SLOW_MOST	128
#define RUNS		3

static const char *const limited[] = { "tps", "ecef", "fef", "balanced-path" };

void die(const char *text)
{
	fprintf(stderr, "bench-plan: %s\n", text);
	exit(2);
}

/* splitmix64: 0 to n - 1 */
int64_t draw_below(uint64_t *state, uint32_t n)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (int64_t)((z >> 32) % n);
}

static const char *const kinds[] = {
	[RANDOM] = "random costs",
	[CLUSTERS] = "clusters of 32 nodes, all pairs within or between them alike",
};

static void fill_pair(struct hbp_costs *costs, enum kind kind, size_t from,
		      size_t to, uint64_t *seed)
{
	size_t cell = from * costs->n + to;
	size_t size = kind == NOISY ? 20 : 32;
	bool near = from / size == to / size;

	costs->latency_ns[cell] = 1000 * (kind == RANDOM ?
		1 + draw_below(seed, 100000) : near ? 50 : 10000);
	costs->bandwidth_bps[cell] = 1000000 * (kind == RANDOM ?
		1 + draw_below(seed, 1000) : near ? 1000 : 50);
	if (kind == NOISY)
		costs->bandwidth_bps[cell] -= costs->bandwidth_bps[cell] / 1000 *
					      draw_below(seed, 101);
}

struct hbp_input *make_input(enum kind kind, size_t n)
{
	struct hbp_input *in = calloc(1, sizeof(*in));
	uint64_t seed = n;
	size_t i, to;

	if (!in)
		die("out of memory");
	in->name = strdup("input");
	in->kind = HBP_INPUT_COSTS;
	in->costs = hbp_costs_alloc(n);
	in->n = n;
	in->members = calloc(n, sizeof(*in->members));
	if (!in->name || !in->costs || !in->members)
		die("out of memory");
	for (i = 0; i < n; i++) {
		in->members[i] = (uint32_t)i + 1;
		in->costs->nodes[i].id = in->members[i];
		for (to = 0; to < n; to++)
			if (to != i)
				fill_pair(in->costs, kind, i, to, &seed);
	}
	return in;
}

static void plan_once(const struct hbp_planner *planner, struct hbp_input *in,
		      enum hbp_ports ports)
{
	struct hbp_request rq = {
		.in = in, .root = 1, .message_bytes = BYTES, .ports = ports
	};
	struct hbp_error err;
	struct hbp_plan *plan;

	if (hbp_plan_make(planner, &rq, &plan, &err))
		die(err.text);
	hbp_plan_free(plan);
}

/* Planners for steady states take minutes for large matrices that are full. */
static bool is_slow(const struct hbp_planner *planner, size_t n)
{
	return planner->takes & HBP_TAKES_PORTS && n > SLOW_MOST;
}

double plan_ms(const struct hbp_planner *planner, struct hbp_input *in,
	       enum hbp_ports ports)
{
	double least = 1e300, ms;
	int run;

	for (run = 0; run < RUNS; run++) {
		ms = cpu_ms();
		plan_once(planner, in, ports);
		ms = cpu_ms() - ms;
		least = ms < least ? ms : least;
	}
	return least;
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Memory that a planner needs besides its input: asked of a process of its own. */
double plan_mib(const struct hbp_planner *planner, struct hbp_input *(*make)(size_t),
		size_t n, enum hbp_ports ports)
{
	struct hbp_input *in;
	long before, more = 0;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		die("no pipe");
	fflush(stdout);
	child = fork();
	if (child < 0)
		die("no process");
	if (!child) {
		in = make(n);
		before = peak_kib();
		plan_once(planner, in, ports);
		more = peak_kib() - before;
		_exit(write(ends[1], &more, sizeof(more)) != sizeof(more));
	}
	close(ends[1]);
	if (read(ends[0], &more, sizeof(more)) != sizeof(more))
		die("a planner has failed");
	close(ends[0]);
	waitpid(child, NULL, 0);
	return (double)more / 1024;
}

static struct hbp_input *make_random(size_t n)
{
	return make_input(RANDOM, n);
}

static void print_sizes(const char *title)
{
	size_t n;

	printf("\n%-20s", title);
	for (n = LEAST; n <= MOST; n *= 2)
		printf(" %9zu", n);
	puts("");
}

static void print_times(enum kind kind)
{
	struct hbp_input *inputs[16];
	const struct hbp_planner *const *planners;
	size_t n, count, i, sizes = 0;

	printf("\nmilliseconds, %s, 1 MiB", kinds[kind]);
	print_sizes("");
	for (n = LEAST; n <= MOST; n *= 2)
		inputs[sizes++] = make_input(kind, n);
	planners = hbp_planners(&count);
	for (i = 0; i < count; i++) {
		if (!(planners[i]->inputs & HBP_INPUT_COSTS))
			continue;
		printf("%-20s", planners[i]->name);
		for (n = 0; n < sizes; n++) {
			if (is_slow(planners[i], inputs[n]->n))
				break;
			printf(" %9.2f", plan_ms(planners[i], inputs[n],
						 HBP_ANY_PORTS));
			fflush(stdout);
		}
		puts("");
	}
	while (sizes)
		hbp_input_free(inputs[--sizes]);
}

static void print_memory(void)
{
	const struct hbp_planner *const *planners;
	size_t n, count, i;

	printf("\nMiB besides the input, %s", kinds[RANDOM]);
	print_sizes("");
	printf("%-20s", "(the matrix)");
	for (n = LEAST; n <= MOST; n *= 2)
		printf(" %9.2f", (double)(n * n * 16) / (1 << 20));
	puts("");
	planners = hbp_planners(&count);
	for (i = 0; i < count; i++) {
		if (!(planners[i]->inputs & HBP_INPUT_COSTS))
			continue;
		printf("%-20s", planners[i]->name);
		for (n = LEAST; n <= MOST && !is_slow(planners[i], n); n *= 2)
			printf(" %9.2f", plan_mib(planners[i], make_random, n,
						  HBP_ANY_PORTS));
		puts("");
	}
}

/* One swap of two neighbours of position @at, there and back. */
static double swap_ms(struct hbp_positions *p, size_t at)
{
	double ms = cpu_ms();
	int run;

	for (run = 0; run < 100; run++) {
		hbp_positions_exchange(p, at, at + 1);
		hbp_positions_undo(p, at, at + 1);
	}
	return (cpu_ms() - ms) / 100;
}

/* The dearest swap: at the top of the largest subtree. */
static double worst_swap_ms(size_t n)
{
	struct hbp_input *in = make_input(RANDOM, n);
	struct hbp_positions p = { };
	struct hbp_error err;
	double ms;

	if (hbp_positions_init(&p, in->costs, in->members, n, &err))
		die(err.text);
	ms = swap_ms(&p, n / 2);
	hbp_positions_free(&p);
	hbp_input_free(in);
	return ms;
}

static void print_swaps(void)
{
	size_t n;

	printf("\nmilliseconds, a swap that changes half of a binomial tree");
	print_sizes("");
	printf("%-20s", "swap");
	for (n = LEAST; n <= MOST; n *= 2)
		printf(" %9.4f", worst_swap_ms(n));
	puts("");
}

static bool keeps(const char *what, size_t n, double ms, double limit)
{
	bool good = within(ms, limit);

	printf("%s %-14s %5zu nodes %9.3f ms, at most %g\n",
	       good ? "ok  " : "OVER", what, n, ms, limit);
	return good;
}

/* All planners, one after the other. */
static bool keeps_auto(enum kind kind)
{
	struct hbp_input *in = make_input(kind, AUTO_NODES);
	bool good = keeps("auto", AUTO_NODES, plan_ms(&hbp_auto, in, HBP_ANY_PORTS),
			  AUTO_LIMIT_MS);

	hbp_input_free(in);
	return good;
}

static bool check_limits(void)
{
	bool good = keeps("swap", LIMIT_NODES,
			  worst_swap_ms(LIMIT_NODES), SWAP_LIMIT_MS);
	struct hbp_input *in;
	enum kind kind;
	size_t i;

	for (kind = RANDOM; kind <= CLUSTERS; kind++) {
		printf("%s:\n", kinds[kind]);
		in = make_input(kind, LIMIT_NODES);
		for (i = 0; i < sizeof(limited) / sizeof(limited[0]); i++)
			good = keeps(limited[i], LIMIT_NODES,
				     plan_ms(hbp_planner_find(limited[i]), in,
					     HBP_ANY_PORTS),
				     LIMIT_MS) && good;
		hbp_input_free(in);
		good = keeps_auto(kind) && good;
	}
	return trees_check() && good;
}

int main(int argc, char **argv)
{
	if (argc > 2 || (argc == 2 && strcmp(argv[1], "check")))
		die("usage: bench-plan [ check ]");
	if (argc == 1) {
		/* First, as what is free already would not be counted. */
		print_memory();
		trees_print_memory();
		print_times(RANDOM);
		print_times(CLUSTERS);
		print_swaps();
		hnow_print();
		trees_print();
		puts("");
	}
	return !check_limits();
}
