// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paper 004, figures 12 to 19: broadcasts on random HNOWs, by number of hosts, by
 * density, and by how many hosts are slow and where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "network.h"
#include "table.h"

#define TYPES		8
#define MOST		512	/* hosts */
#define POSTORDER	"doubling"
#define BEST		"two-vbbs"
#define CONTEST		"auto"		/* all planners plan, some of them slowly */

/* Microseconds for a message, and for each of its bytes. */
struct speed {
	double send_const;
	double send_byte;
	double recv_const;
	double recv_byte;
};

/* The paper's tables I to IV. */
static const struct speed speeds[][TYPES] = {
	{ },
	{ { 60, 0.05, 110, 0.03 }, { 90, 0.40, 140, 0.06 },
	  { 120, 0.80, 170, 0.48 }, { 150, 1.6, 200, 0.96 },
	  { 180, 2.40, 230, 1.92 }, { 300, 3.2, 360, 2.2 },
	  { 400, 3.8, 500, 2.8 }, { 500, 4.2, 600, 3.2 } },
	{ { 60, 0.05, 110, 0.03 }, { 90, 0.20, 140, 0.12 } },
	{ { 60, 0.05, 110, 0.03 }, { 360, 0.50, 440, 0.3 } },
	{ { 60, 0.05, 110, 0.03 }, { 90, 0.40, 140, 0.32 },
	  { 120, 1.6, 170, 1.28 }, { 150, 6.4, 200, 4.8 } },
};

/**
 * struct figure - one figure of the paper
 * @name: its number
 * @what: what its networks are
 * @table: whose speeds
 * @types: how many of them, the first ones
 * @flits: size of the message
 * @density: hosts for each switch; 0 if that is what varies
 * @hosts: how many if the density varies
 * @slow: percent of hosts that have the last type; 0 for equal chances
 * @together: the slow ones are at neighbouring switches
 * @filled: percent of switches that have hosts
 * @cfoot: with the planner for two types
 * @paper: by how much two-vbbs outperforms postorder there, in percent, or 0
 */
struct figure {
	const char *name;
	const char *what;
	size_t table;
	size_t types;
	size_t flits;
	size_t density;
	size_t hosts;
	size_t slow;
	bool together;
	size_t filled;
	bool cfoot;
	int paper;
};

static const struct figure figures[] = {
	{ "12a", "2 types of table II, 10240 flits, density 4",
	  2, 2, 10240, 4, 0, 0, false, 100, true, 50 },
	{ "12b", "2 types of table III, 10240 flits, density 8",
	  3, 2, 10240, 8, 0, 0, false, 100, true, 78 },
	{ "13a", "4 types of table I, density 8",
	  1, 4, 2048, 8, 0, 0, false, 100, false, 74 },
	{ "13b", "6 types of table I, density 8",
	  1, 6, 2048, 8, 0, 0, false, 100, false, 81 },
	{ "14", "8 types of table I, density 8",
	  1, 8, 2048, 8, 0, 0, false, 100, false, 81 },
	{ "15a", "3 types of table IV, 128 hosts",
	  4, 3, 2048, 0, 128, 0, false, 100, false, 80 },
	{ "15b", "3 types of table IV, 512 hosts",
	  4, 3, 2048, 0, 512, 0, false, 100, false, 82 },
	{ "16b", "4 types of table IV, two fifths slowest, density 8",
	  4, 4, 2048, 8, 0, 40, false, 100, false, 73 },
	{ "17a", "4 types of table IV, a fifth slowest, density 8 (16a too)",
	  4, 4, 2048, 8, 0, 20, false, 100, false, 83 },
	{ "17b", "4 types of table IV, a fifth slowest, together, density 8",
	  4, 4, 2048, 8, 0, 20, true, 100, false, 84 },
	{ "18a", "3 types of table IV, 60 % of switches with hosts",
	  4, 3, 2048, 8, 0, 0, false, 60, false, 73 },
	{ "18b", "3 types of table IV, 80 % of switches with hosts",
	  4, 3, 2048, 8, 0, 0, false, 80, false, 72 },
	{ "19", "2 types of table III, 2048 flits, density 4",
	  3, 2, 2048, 4, 0, 0, false, 100, true, 0 },
};

static const char *const planners[] = {
	POSTORDER, "ebs", "vbbs", "vbbswf", "two-ebs", BEST, "ecef", "fnf",
	"lookahead", CONTEST,
};

/* The type of each host; those at the first switches come first. */
static void draw_types(const struct figure *figure, size_t hosts,
		       size_t *type, uint64_t *seed)
{
	size_t slow = hosts * figure->slow / 100, i, at;
	int64_t others = (int64_t)figure->types - (figure->slow ? 2 : 1);

	for (i = 0; i < hosts; i++)
		type[i] = (size_t)draw_between(seed, 0, others);
	while (slow) {
		at = figure->together ? slow - 1 :
		     (size_t)draw_between(seed, 0, (int64_t)hosts - 1);
		slow -= type[at] != figure->types - 1;
		type[at] = figure->types - 1;
	}
}

/* The switch of each host, in ascending order; the first @filled have some. */
static void draw_homes(size_t hosts, size_t filled, size_t *home,
		       uint64_t *seed)
{
	size_t count[MOST] = { }, i, k, next = 0;

	for (i = 0; i < hosts; i++)
		count[i < filled ? i : (size_t)draw_between(seed, 0,
							    (int64_t)filled - 1)]++;
	for (i = 0; i < filled; i++)
		for (k = 0; k < count[i]; k++)
			home[next++] = i;
}

static void write_host(FILE *f, size_t i, const struct speed *speed)
{
	fprintf(f, "%s{\"id\":%zu,\"kind\":\"host\",\"speed\":{", i ? "," : "",
		i + 1);
	fprintf(f, "\"send_const_us\":%g,\"send_byte_us\":%g,",
		speed->send_const, speed->send_byte);
	fprintf(f, "\"recv_const_us\":%g,\"recv_byte_us\":%g}}",
		speed->recv_const, speed->recv_byte);
}

static void write_link(FILE *f, size_t from, size_t to, const char *comma)
{
	fprintf(f, "{\"from\":%zu,\"to\":%zu,\"bandwidth_mbps\":64,", from, to);
	fprintf(f, "\"latency_us\":0,\"symmetric\":true}%s", comma);
}

/* A random tree of switches; a quarter of other pairs, or about eight for each. */
static void write_switches(FILE *f, size_t first, size_t n, uint64_t *seed)
{
	size_t *order = calloc(n, sizeof(*order)), a, b, parent, chance;

	if (!order)
		die("out of memory");
	shuffle(order, n, seed);
	chance = n > 32 ? n / 8 : 4;
	for (a = 1; a < n; a++) {
		parent = (size_t)draw_between(seed, 0, (int64_t)a - 1);
		for (b = 0; b < a; b++)
			if (b == parent ||
			    !draw_between(seed, 0, (int64_t)chance - 1))
				write_link(f, first + order[a],
					   first + order[b], ",");
	}
	free(order);
}

static struct hbp_input *draw_hnow(const struct figure *figure, size_t hosts,
				   size_t switches, uint64_t *seed)
{
	size_t filled = (switches * figure->filled + 99) / 100, i, len;
	size_t home[MOST], type[MOST];
	struct hbp_input *in;
	struct hbp_error err;
	char *text;
	FILE *f;

	draw_homes(hosts, filled, home, seed);
	draw_types(figure, hosts, type, seed);
	f = open_memstream(&text, &len);
	if (!f)
		die("out of memory");
	fputs("{\"hbcast\":\"platform\",\"version\":1,", f);
	fputs("\"wormhole\":{\"const_us\":16,\"byte_us\":0.125},\"nodes\":[", f);
	for (i = 0; i < hosts; i++)
		write_host(f, i, &speeds[figure->table][type[i]]);
	for (i = 0; i < switches; i++)
		fprintf(f, ",{\"id\":%zu,\"kind\":\"switch\"}", MOST + 1 + i);
	fputs("],\"links\":[", f);
	write_switches(f, MOST + 1, switches, seed);
	for (i = 0; i < hosts; i++)
		write_link(f, i + 1, MOST + 1 + home[i],
			   i + 1 < hosts ? "," : "]}");
	if (fclose(f))
		die("out of memory");
	if (hbp_input_parse(text, len, "HNOW", NULL, &in, &err))
		die("%s", err.text);
	free(text);
	return in;
}

static double latency(const char *planner, const struct hbp_request *rq,
		      double *bound)
{
	struct hbp_plan *plan = plan_by(planner, rq);
	double ms;

	ms = (double)hbp_evaluation_slowest(plan->predicted)->completion_ns / 1e6;
	*bound = (double)hbp_evaluation_bound(plan->predicted) / 1e6;
	hbp_plan_free(plan);
	return ms;
}

/* One row; the latency of the planners in milliseconds. */
static void try_networks(const struct run *run, const struct figure *figure,
			 size_t hosts, size_t density, struct table *table,
			 uint64_t *seed)
{
	bool contest = hosts <= pick(run, 16, 16, 64);
	size_t times = pick(run, 2, 20, 100);
	struct hbp_request rq = { .message_bytes = figure->flits };
	size_t row = figure->density ? hosts : density, i;
	double bound;

	for (; times; times--) {
		rq.in = draw_hnow(figure, hosts, hosts / density, seed);
		rq.root = (uint32_t)draw_between(seed, 1, (int64_t)hosts);
		for (i = 0; i < sizeof(planners) / sizeof(planners[0]); i++)
			if (contest || strcmp(planners[i], CONTEST))
				table_add_at(table, row, planners[i],
					     latency(planners[i], &rq, &bound));
		if (figure->cfoot)
			table_add_at(table, row, "cfoot",
				     latency("cfoot", &rq, &bound));
		table_add_at(table, row, "bound", bound);
		hbp_input_free(rq.in);
	}
}

/* In percent, over all rows, how much less time than postorder's the best takes. */
static double time_saved(const struct table *table)
{
	double postorder = 0, best = 0;
	size_t r, c;

	for (r = 0; r < table->n; r++) {
		for (c = 0; table->columns[c]; c++) {
			if (!strcmp(table->columns[c], POSTORDER))
				postorder += table->sum[r][c];
			if (!strcmp(table->columns[c], BEST))
				best += table->sum[r][c];
		}
	}
	return 100 * (1 - best / postorder);
}

static void try_figure(const struct run *run, const struct figure *figure,
		       struct table *gains)
{
	struct table table = { .y = "milliseconds" };
	size_t n, density;
	size_t most = pick(run, 16, figure->table == 4 ? MOST : 256, MOST);
	uint64_t seed = run->seed;
	char name[32], title[96];
	double saved;

	snprintf(name, sizeof(name), "004-fig%s", figure->name);
	snprintf(title, sizeof(title), "004 figure %s: %s", figure->name,
		 figure->what);
	table.name = name;
	table.title = title;
	table.x = figure->density ? "hosts" : "density";
	if (figure->density)
		for (n = 16; n <= most; n *= 2)
			try_networks(run, figure, n, figure->density, &table,
				     &seed);
	else
		for (density = 2; density <= 16; density *= 2)
			try_networks(run, figure,
				     run->scale == TINY ? 16 : figure->hosts,
				     density, &table, &seed);
	table_write(&table, run->dir);
	if (!figure->paper)
		return;
	table_add(gains, figure->name, "paper", figure->paper);
	saved = time_saved(&table);
	table_add(gains, figure->name, "time saved", saved);
	table_add(gains, figure->name, "speed gained",
		  100 * saved / (100 - saved));
}

void hnow(const struct run *run)
{
	static struct table gains = {
		"004-gains", "004: two-vbbs beside postorder recursive doubling",
		"figure", "percent", .bars = 1
	};
	size_t i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		try_figure(run, &figures[i], &gains);
	table_write(&gains, run->dir);
}
