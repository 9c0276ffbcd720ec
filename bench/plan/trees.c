// SPDX-License-Identifier: GPL-2.0-or-later
/* How long planners of several trees take, on platforms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "hbplan.h"

#define RUNS		3
#define LEAST_GAP	0.000001

struct text {
	FILE *f;
	char *buf;
	size_t len;
};

static void begin(struct text *t, const char *kind)
{
	t->f = open_memstream(&t->buf, &t->len);
	if (!t->f)
		die("out of memory");
	fprintf(t->f, "{\"hbcast\":\"%s\",\"version\":1,\"nodes\":[", kind);
}

static struct hbp_input *finish(struct text *t)
{
	struct hbp_error err;
	struct hbp_input *in;

	fclose(t->f);
	if (hbp_input_parse(t->buf, t->len, "input", NULL, &in, &err))
		die(err.text);
	free(t->buf);
	hbp_input_count(in);
	return in;
}

static void add_link(struct text *t, size_t from, size_t to, int64_t mbps,
		     bool symmetric, bool first)
{
	fprintf(t->f, "%s{\"from\":%zu,\"to\":%zu,\"bandwidth_mbps\":%lld,",
		first ? "" : ",", from, to, (long long)mbps);
	fprintf(t->f, "\"latency_us\":10,\"symmetric\":%s}",
		symmetric ? "true" : "false");
}

/* A tree of @n nodes, every tenth a switch, symmetric links of 100 to 1000. */
static struct hbp_input *tree_platform(size_t n)
{
	size_t switches = n / 10, i;
	uint64_t seed = n;
	struct text t;

	begin(&t, "platform");
	for (i = 0; i < n; i++)
		fprintf(t.f, "%s{\"id\":%zu,\"kind\":\"%s\"}", i ? "," : "",
			i + 1, i < n - switches ? "host" : "switch");
	fputs("],\"links\":[", t.f);
	for (i = 0; i < n - 1; i++) {
		bool host = i < n - switches;
		size_t to = (size_t)draw_below(&seed, (uint32_t)(host ? switches :
						i + 1 - (n - switches)));

		add_link(&t, host ? i + 1 : i + 2, n - switches + to + 1,
			 100 + draw_below(&seed, 901), true, !i);
	}
	fputs("]}", t.f);
	return finish(&t);
}

/* @n hosts, eight at each switch, and switches joined with loops. */
static struct hbp_input *switched_platform(size_t n)
{
	static const int64_t widths[] = { 1000, 2500, 10000 };
	size_t switches = n / 8, i, a, b;
	uint64_t seed = n;
	struct text t;

	begin(&t, "platform");
	for (i = 0; i < n + switches; i++)
		fprintf(t.f, "%s{\"id\":%zu,\"kind\":\"%s\"}", i ? "," : "",
			i + 1, i < n ? "host" : "switch");
	fputs("],\"links\":[", t.f);
	for (i = 0; i < n; i++)
		add_link(&t, i + 1, n + 1 + i / 8 % switches,
			 100 + draw_below(&seed, 901), true, !i);
	/* A tree, and to each third switch another link from afar. */
	for (i = 1; i < switches; i++) {
		a = (size_t)draw_below(&seed, (uint32_t)i);
		b = (a + i / 2) % i;
		add_link(&t, n + 1 + i, n + 1 + a, widths[draw_below(&seed, 3)],
			 true, false);
		if (i % 3 == 0 && a != b)
			add_link(&t, n + 1 + i, n + 1 + b,
				 widths[draw_below(&seed, 3)], true, false);
	}
	fputs("]}", t.f);
	return finish(&t);
}

/* @n hosts, each with links from some others, 100 to 1000; the root with as many out. */
static struct hbp_input *graph_platform(size_t n, size_t links)
{
	size_t i, k, degree = links / n, from;
	uint64_t seed = n;
	struct text t;

	begin(&t, "platform");
	for (i = 0; i < n; i++)
		fprintf(t.f, "%s{\"id\":%zu,\"kind\":\"host\"}", i ? "," : "",
			i + 1);
	fputs("],\"links\":[", t.f);
	for (i = 0; i < n; i++) {
		/* Senders far apart, so that none comes twice. */
		from = (size_t)draw_below(&seed, (uint32_t)n);
		for (k = 0; k < degree; k++, from = (from + n / degree) % n)
			if (from != i)
				add_link(&t, from + 1, i + 1,
					 100 + draw_below(&seed, 901), false,
					 !i && !k);
			else
				from = (from + 1) % n;
	}
	fputs("]}", t.f);
	return finish(&t);
}

/* The planner alone, the least of some runs; gaps with and without the limit on trees. */
static double make_ms(const char *name, struct hbp_input *in, enum hbp_ports ports,
		      double *gap, double *uncapped)
{
	const struct hbp_planner *planner = hbp_planner_find(name);
	struct hbp_request rq = {
		.in = in, .root = 1, .message_bytes = (uint64_t)1 << 30,
		.ports = ports
	};
	double least = 1e300, ms, rate;
	struct hbp_error err;
	struct hbp_plan *plan;
	size_t run, t;

	for (run = 0; run < RUNS; run++) {
		plan = hbp_plan_alloc(name, rq.root, rq.message_bytes);
		if (!plan)
			die("out of memory");
		ms = cpu_ms();
		if (planner->make(&rq, plan, &err))
			die(err.text);
		ms = cpu_ms() - ms;
		least = ms < least ? ms : least;
		for (t = 0, rate = 0; t < plan->n_trees; t++)
			rate += (double)plan->trees[t].rate_bps;
		*gap = plan->bound_bps ? (double)plan->bound_bps / rate - 1 : 0;
		*uncapped = plan->uncapped_bps ? (double)plan->bound_bps /
			    (double)plan->uncapped_bps - 1 : *gap;
		hbp_plan_free(plan);
	}
	return least;
}

static bool keeps(const char *name, const char *what, struct hbp_input *in,
		  double limit)
{
	double gap, uncapped, ms = make_ms(name, in, HBP_ANY_PORTS, &gap, &uncapped);
	bool good = within(ms, limit) && gap < LEAST_GAP;

	printf("%s %-8s %-36s %9.3f ms, at most %g, gap %.1e\n",
	       good ? "ok  " : "OVER", name, what, ms, limit, gap);
	hbp_input_free(in);
	return good;
}

/* Whose plan it is makes no difference, so neither does the gap. */
static bool keeps_auto(const char *what, struct hbp_input *in, double limit)
{
	double gap, uncapped, ms = make_ms("auto", in, HBP_ANY_PORTS, &gap, &uncapped);
	bool good = within(ms, limit);

	printf("%s %-8s %-36s %9.3f ms, at most %g\n",
	       good ? "ok  " : "OVER", "auto", what, ms, limit);
	hbp_input_free(in);
	return good;
}

/* What limits mtp's plan, and what ten upgrades would gain. */
static bool keeps_explained(const char *what, struct hbp_input *in,
			    enum hbp_ports ports, double limit)
{
	struct hbp_request rq = {
		.in = in, .root = 1, .message_bytes = (uint64_t)1 << 30,
		.ports = ports
	};
	struct hbp_explanation out;
	double least = 1e300, ms;
	struct hbp_error err;
	struct hbp_plan *plan;
	size_t run;
	bool good;

	if (hbp_plan_make(hbp_planner_find("mtp"), &rq, &plan, &err))
		die(err.text);
	for (run = 0; run < RUNS; run++) {
		ms = cpu_ms();
		if (hbp_explain(plan, in, &out, &err))
			die(err.text);
		ms = cpu_ms() - ms;
		hbp_explanation_clear(&out);
		least = ms < least ? ms : least;
	}
	good = within(least, limit);
	printf("%s explain  %-36s %9.3f ms, at most %g\n",
	       good ? "ok  " : "OVER", what, least, limit);
	hbp_plan_free(plan);
	hbp_input_free(in);
	return good;
}

/* What it takes to keep more than is in the platform. */
void trees_print_memory(void)
{
	static const char *const names[] = { "stable", "fpfr", "stable-graph", "mtp" };
	size_t i, n;

	puts("\nMiB more than reading takes, eight hosts at each switch, loops");
	printf("%-20s", "");
	for (n = 500; n <= 4000; n *= 2)
		printf(" %9zu", n);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		printf("\n%-20s", names[i]);
		for (n = 500; n <= 4000; n *= 2)
			printf(" %9.2f", plan_mib(hbp_planner_find(names[i]),
						  switched_platform, n,
						  HBP_ANY_PORTS));
	}
	puts("");
}

/* Both time and memory. */
static bool keeps_memory(const char *name, size_t n, enum hbp_ports ports,
			 double ms_limit, double limit)
{
	static const char *const models[] = { "", ", one port", ", several ports" };
	const struct hbp_planner *planner = hbp_planner_find(name);
	double mib = plan_mib(planner, switched_platform, n, ports);
	struct hbp_input *in = switched_platform(n);
	double ms = plan_ms(planner, in, ports);
	bool good = within(ms, ms_limit) && mib <= limit;

	printf("%s %-8s %zu hosts behind switches%s %*.3f ms, at most %g, %.1f MiB, at most %g\n",
	       good ? "ok  " : "OVER", name, n, models[ports],
	       19 - (int)strlen(models[ports]), ms, ms_limit, mib, limit);
	hbp_input_free(in);
	return good;
}

/* Matrices whose optimum needs more trees than a plan has: no limit, but figures. */
void trees_print(void)
{
	static const enum hbp_ports ports[] = { HBP_ONE_PORT, HBP_MULTI_PORT };
	enum kind kind;
	double ms, gap, uncapped;
	size_t n, i;

	puts("\nmtp: how far rates are from the bound, and those of all trees that were found");
	for (kind = RANDOM; kind <= NOISY; kind++) {
		for (i = 0; i < 2; i++) {
			printf("\nmtp, %s, %s:", i ? "multi-port" : "one-port",
			       kind == RANDOM ? "random costs" :
			       kind == NOISY ? "clusters of 20, noisy" :
			       "clusters of 32");
			for (n = 100; n <= 400; n *= 2) {
				struct hbp_input *in = make_input(kind, n);

				ms = make_ms("mtp", in, ports[i], &gap, &uncapped);
				printf("  %zu nodes %.0f ms gap %.1e (%.1e)", n, ms,
				       gap, uncapped);
				fflush(stdout);
				hbp_input_free(in);
			}
		}
	}
	puts("");
}

bool trees_check(void)
{
	bool good;

	puts("several trees:");
	good = keeps_memory("mtp", 2000, HBP_ANY_PORTS, 2000, 32);
	good = keeps_memory("mtp", 1000, HBP_ONE_PORT, 4000, 16) && good;
	good = keeps_memory("mtp", 1000, HBP_MULTI_PORT, 2000, 16) && good;
	good = keeps_memory("stable", 4000, HBP_ANY_PORTS, 5000, 64) && good;
	good = keeps("stable", "a tree of 400 nodes", tree_platform(400), 2) && good;
	good = keeps_auto("a tree of 110 nodes", tree_platform(110), 1000) && good;
	good = keeps_auto("100 hosts, 800 links", graph_platform(100, 800), 1000) && good;
	good = keeps_explained("100 hosts, 800 links", graph_platform(100, 800),
			       HBP_ANY_PORTS, 1000) && good;
	good = keeps_explained("100 nodes, one port", make_input(RANDOM, 100),
			       HBP_ONE_PORT, 2000) && good;
	good = keeps_explained("100 nodes in clusters of 20, noisy, one port",
			       make_input(NOISY, 100), HBP_ONE_PORT, 4000) && good;
	good = keeps("mtp", "400 nodes in clusters of 32", make_input(CLUSTERS, 400), 2000) && good;
	good = keeps("mtp", "65 hosts, 400 links", graph_platform(65, 400), 10) && good;
	good = keeps("mtp", "1024 hosts, 12800 links", graph_platform(1024, 12800), 1000) && good;
	return keeps("mtp", "10000 hosts, 60000 links", graph_platform(10000, 60000), 5000) && good;
}
