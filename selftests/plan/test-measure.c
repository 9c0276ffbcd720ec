// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Networks that are found by tests, against those that a simulation has: some of
 * them, or with HBCAST_THOROUGH a thousand of each kind.
 *
 * here: timeout=300 thorough=7200
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"
#include "measure/matrix.h"
#include "measure/picture.h"

#define NODES	128	/* of a network, at most */
#define FLOWS	512	/* of a round, at most */
#define NEVER	SIZE_MAX

/* A true network, in which flows share links max-min fairly, and what it is asked. */
struct truth {
	const struct hbp_platform *platform;
	struct luck luck;
	double noise;			/* of rates, a part of them */
	double trip_noise_us;
	size_t dead;			/* a host that answers nothing, or NEVER */
	size_t liar;			/* a host that says ten times as much, or NEVER */
	size_t last;			/* the call that somebody ends, or NEVER */
	size_t calls;
	size_t rounds;
	size_t hop[NODES][NODES];	/* the next link on the way */
	double rate[FLOWS];
	bool stopped[FLOWS];
	double left[4 * NODES];
	size_t rising[4 * NODES];
};

static double draw(struct luck *luck)
{
	return (draw_below(luck, 1 << 24) + 0.5) / (1 << 24);
}

/* Sum of twelve: near enough to a normal distribution. */
static double draw_normal(struct luck *luck)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += draw(luck);
	return sum;
}

/* The ways to a node, breadth first. */
static void find_hops_to(struct truth *t, size_t to)
{
	const struct hbp_platform *p = t->platform;
	size_t todo[NODES] = { to }, n = 1, i, k;
	bool seen[NODES] = { false };

	seen[to] = true;
	for (i = 0; i < n; i++)
		for (k = 0; k < p->n_links; k++) {
			if (p->links[k].to != todo[i] || seen[p->links[k].from])
				continue;
			seen[p->links[k].from] = true;
			t->hop[p->links[k].from][to] = k;
			todo[n++] = p->links[k].from;
		}
}

static double one_way_us(const struct truth *t, size_t from, size_t to)
{
	double us = 0;

	for (; from != to; from = t->platform->links[t->hop[from][to]].to)
		us += hbp_us_from_ns(t->platform->links[t->hop[from][to]].latency_ns);
	return us;
}

/* The least of eight, each with some delay; and what is between that and the next. */
static void time_trip(struct truth *t, struct hbp_trip *trip)
{
	size_t a = t->platform->hosts[trip->from], b = t->platform->hosts[trip->to];
	double least = INFINITY, second = INFINITY, us;
	int i;

	for (i = 0; i < 8; i++) {
		us = -log(draw(&t->luck)) * t->trip_noise_us;
		second = fmin(second, fmax(us, least));
		least = fmin(us, least);
	}
	trip->least_us = one_way_us(t, a, b) + one_way_us(t, b, a) + least;
	trip->noise_us = second - least;
}

static int trips(void *arg, struct hbp_trip *trips, size_t n)
{
	struct truth *t = arg;
	size_t i;

	if (t->calls++ == t->last)
		return -EINTR;
	for (i = 0; i < n; i++)
		if (trips[i].from != t->dead && trips[i].to != t->dead)
			time_trip(t, &trips[i]);
	return 0;
}

/* Counts what rises on each link: how many flows. */
static size_t count_rising(struct truth *t, const struct hbp_flow *flows, size_t n)
{
	const struct hbp_platform *p = t->platform;
	size_t i, at, to, alive = 0;

	memset(t->rising, 0, sizeof(t->rising));
	for (i = 0; i < n; i++) {
		to = p->hosts[flows[i].to];
		alive += !t->stopped[i];
		for (at = p->hosts[flows[i].from]; !t->stopped[i] && at != to;
		     at = p->links[t->hop[at][to]].to)
			t->rising[t->hop[at][to]]++;
	}
	return alive;
}

/* All that rise get as much more as the next link has that is full then. */
static void rise(struct truth *t, const struct hbp_flow *flows, size_t n)
{
	const struct hbp_platform *p = t->platform;
	double step = INFINITY;
	size_t i, k, at, to;

	for (k = 0; k < p->n_links; k++)
		if (t->rising[k])
			step = fmin(step, t->left[k] / (double)t->rising[k]);
	for (k = 0; k < p->n_links; k++)
		t->left[k] -= step * (double)t->rising[k];
	for (i = 0; i < n; i++) {
		if (t->stopped[i])
			continue;
		t->rate[i] += step;
		to = p->hosts[flows[i].to];
		for (at = p->hosts[flows[i].from]; at != to;
		     at = p->links[t->hop[at][to]].to)
			t->stopped[i] = t->stopped[i] || t->left[t->hop[at][to]] < 1;
	}
}

static int flows(void *arg, struct hbp_flow *flows, size_t n, bool longer)
{
	struct truth *t = arg;
	double noise = longer ? t->noise / 2 : t->noise, mbps;
	size_t i;

	if (t->calls++ == t->last)
		return -EINTR;
	t->rounds++;
	for (i = 0; i < t->platform->n_links; i++)
		t->left[i] = (double)t->platform->links[i].bandwidth_bps;
	for (i = 0; i < n; i++) {
		t->rate[i] = 0;
		t->stopped[i] = flows[i].from == t->dead || flows[i].to == t->dead;
	}
	while (count_rising(t, flows, n))
		rise(t, flows, n);
	for (i = 0; i < n; i++) {
		mbps = t->rate[i] / 1e6 * (1 + noise * draw_normal(&t->luck));
		flows[i].sent_mbps = flows[i].from == t->liar ? 10 * mbps : mbps;
		flows[i].received_mbps = flows[i].to == t->liar ? 10 * mbps : mbps;
	}
	return 0;
}

/* The network, as it is asked from the beginning. */
static void begin(struct truth *t, const struct hbp_input *in, uint64_t seed)
{
	size_t i;

	memset(t, 0, sizeof(*t));
	t->platform = in->platform;
	t->luck.state = seed;
	t->dead = NEVER;
	t->liar = NEVER;
	t->last = NEVER;
	for (i = 0; i < in->platform->n; i++)
		find_hops_to(t, i);
}

static void find(struct truth *t, struct hbp_inferred *found)
{
	struct hbp_prober prober = { .arg = t, .trips = trips, .flows = flows };
	const struct hbp_platform *p = t->platform;
	struct hbp_error err;
	uint32_t ids[NODES];
	size_t i;

	for (i = 0; i < p->n_hosts; i++)
		ids[i] = p->nodes[p->hosts[i]].id;
	if (hbp_infer(ids, p->n_hosts, 1, &prober, 1, found, &err))
		tap_bail_out("%s", err.text);
}

/* The capacity, in Mbit/s, of what a host sends or receives by. */
static double of_host(struct hbp_inferred *found, size_t host, bool sends)
{
	struct hbp_sketch *s = found->sketch;
	size_t lower = host ? host : hbp_sketch_neighbour(s, 0);

	return s->nodes[lower].link[sends == !!host ? HBP_UP : HBP_DOWN].mbps;
}

static bool near(double got, double want, double part)
{
	if (fabs(got - want) <= part * want)
		return true;
	printf("# %g is not %g\n", got, want);
	return false;
}

/* Hosts 1 to 4 at one switch; 4 sends at 30 and receives at 60 Mbit/s. */
#define FOUR \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'}," \
	"{'id':4,'kind':'host'},{'id':9,'kind':'switch'}],'links':[" \
	"{'from':1,'to':9,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':2,'to':9,'bandwidth_mbps':100,'latency_us':1000,'symmetric':true}," \
	"{'from':3,'to':9,'bandwidth_mbps':100,'latency_us':1500,'symmetric':true}," \
	"{'from':4,'to':9,'bandwidth_mbps':30,'latency_us':3000}," \
	"{'from':9,'to':4,'bandwidth_mbps':60,'latency_us':1000}]}"

static void add_name(void *arg, uint32_t id, char *buf, size_t len)
{
	(void)arg;
	if (id == 4)
		snprintf(buf, len, "slow");
}

static bool is_drawn(const struct hbp_inferred *found, const char *want,
		     void (*draw)(const struct hbp_inferred *inferred,
				  hbp_label_fn label, void *arg, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool same;

	draw(found, add_name, NULL, out);
	fclose(out);
	same = !strcmp(text, want);
	if (!same)
		printf("# %s", text);
	free(text);
	return same;
}

static void test_four(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(FOUR);
	struct hbp_inferred found;
	size_t i;
	bool good = true;

	begin(&t, in, 1);
	find(&t, &found);
	ok(found.complete && found.tree && found.sketch->n == 5 && !found.n_lost,
	   "four hosts: a tree with one switch");
	for (i = 0; i < 3; i++)
		good = good && near(of_host(&found, i, true), 100, 0.01) &&
		       near(of_host(&found, i, false), 100, 0.01);
	ok(good && near(of_host(&found, 3, true), 30, 0.01) &&
	   near(of_host(&found, 3, false), 60, 0.01), "four hosts: their links");
	ok(near(hbp_sketch_rtt(found.sketch, 0, 1), 3000, 0.000001) &&
	   near(hbp_sketch_rtt(found.sketch, 2, 3), 7000, 0.000001) &&
	   found.misfit_us < 0.001, "four hosts: round trips");
	ok(is_drawn(&found, "switch 5\n"
			    "|- 1  100 / 100 Mbit/s, 0.50 ms\n"
			    "|- 2  100 / 100 Mbit/s, 1.00 ms\n"
			    "|- 3  100 / 100 Mbit/s, 1.50 ms\n"
			    "`- 4 slow  60.0 / 30.0 Mbit/s, 2.00 ms\n",
		    hbp_picture_text), "four hosts: as text");
	ok(is_drawn(&found, "graph network {\n"
			    "\t0 [shape=box, label=\"1\"];\n"
			    "\t1 [shape=box, label=\"2\"];\n"
			    "\t2 [shape=box, label=\"3\"];\n"
			    "\t3 [shape=box, label=\"4 slow\"];\n"
			    "\t4 [shape=ellipse, label=\"switch 5\"];\n"
			    "\t4 -- 1 [label=\"100 / 100 Mbit/s, 1.00 ms\"];\n"
			    "\t4 -- 2 [label=\"100 / 100 Mbit/s, 1.50 ms\"];\n"
			    "\t4 -- 3 [label=\"60.0 / 30.0 Mbit/s, 2.00 ms\"];\n"
			    "\t0 -- 4 [label=\"100 / 100 Mbit/s, 0.50 ms\"];\n}\n",
		    hbp_picture_dot), "four hosts: for Graphviz");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

/* Six hosts in two racks that are 400 and 100 Mbit/s apart, as far as all others. */
#define RACKS \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'}," \
	"{'id':4,'kind':'host'},{'id':5,'kind':'host'},{'id':6,'kind':'host'}," \
	"{'id':7,'kind':'switch'},{'id':8,'kind':'switch'}],'links':[" \
	"{'from':1,'to':7,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':2,'to':7,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':3,'to':7,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':4,'to':8,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':5,'to':8,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':6,'to':8,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':7,'to':8,'bandwidth_mbps':150,'latency_us':0}," \
	"{'from':8,'to':7,'bandwidth_mbps':60,'latency_us':0}]}"

static void test_racks(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(RACKS);
	struct hbp_inferred found;
	const struct hbp_sketch_node *inner = NULL;
	size_t i;

	begin(&t, in, 1);
	find(&t, &found);
	for (i = 6; i < found.sketch->n; i++)
		if (hbp_sketch_inner(found.sketch, i))
			inner = &found.sketch->nodes[i];
	ok(found.hidden && found.sketch->n == 8 && inner && inner->hidden,
	   "two racks: their link is found by what hosts do to one another");
	ok(hbp_sketch_neighbour(found.sketch, 0) == hbp_sketch_neighbour(found.sketch, 2) &&
	   hbp_sketch_neighbour(found.sketch, 3) == hbp_sketch_neighbour(found.sketch, 5),
	   "two racks: who is in which");
	ok(inner && near(inner->link[HBP_DOWN].mbps, 150, 0.01) &&
	   near(inner->link[HBP_UP].mbps, 60, 0.01), "two racks: what is between them");
	/* The new switch is the upper one, since the tree is held at host 1. */
	ok(is_drawn(&found, "switch 8\n"
			    "|- 1  100 / 100 Mbit/s, 0.50 ms\n"
			    "|- 2  100 / 100 Mbit/s, 0.50 ms\n"
			    "|- 3  100 / 100 Mbit/s, 0.50 ms\n"
			    "`- switch 7  150 / 60.0 Mbit/s, 0.00 ms, seen in rates only\n"
			    "   |- 4 slow  100 / 100 Mbit/s, 0.50 ms\n"
			    "   |- 5  100 / 100 Mbit/s, 0.50 ms\n"
			    "   `- 6  100 / 100 Mbit/s, 0.50 ms\n",
		    hbp_picture_text), "two racks: as text");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

static void test_faults(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(FOUR);
	struct hbp_inferred found;
	size_t last;
	bool good = true;

	begin(&t, in, 1);
	t.dead = 1;
	find(&t, &found);
	ok(found.n_lost == 1 && found.lost[0] == 2 && found.sketch->n_hosts == 3 &&
	   found.ids[1] == 3, "a dead host is named, and the others are found");
	ok(near(of_host(&found, 2, true), 30, 0.01), "and so are their links");
	hbp_inferred_clear(&found);
	begin(&t, in, 1);
	t.liar = 1;
	find(&t, &found);
	ok(near(of_host(&found, 0, true), 100, 0.01) &&
	   near(of_host(&found, 0, false), 100, 0.01) &&
	   near(of_host(&found, 3, false), 60, 0.01),
	   "a host that says ten times as much makes nobody faster");
	hbp_inferred_clear(&found);
	for (last = 0; last < 10; last++) {
		begin(&t, in, 1);
		t.last = last;
		find(&t, &found);
		good = good && found.complete == (t.calls <= last);
		hbp_inferred_clear(&found);
	}
	ok(good, "whoever ends it gets what is known, and that it is not all");
	hbp_input_free(in);
}

/* The rate of each pair is that of the slower end; node 2 is dead. */
static void test_matrix(void)
{
	static const double want[4][4] = {
		{ NAN, NAN, 100, 60 }, { NAN, NAN, NAN, NAN },
		{ 100, NAN, NAN, 60 }, { 30, NAN, 30, NAN },
	};
	static const uint32_t ids[] = { 1, 2, 3, 4 };
	static struct truth t;
	struct hbp_prober prober = { .arg = &t, .trips = trips, .flows = flows };
	struct hbp_input *in = make_input(FOUR);
	struct hbp_costs *costs;
	struct hbp_matrix m;
	struct hbp_error err;
	bool good = true;
	size_t i;

	begin(&t, in, 1);
	t.dead = 1;
	if (hbp_matrix_find(ids, 4, &prober, &m, &err) || hbp_matrix_costs(&m, &costs, &err))
		tap_bail_out("%s", err.text);
	for (i = 0; i < 16; i++)
		good = good && (isnan(want[i / 4][i % 4]) ? isnan(m.mbps[i]) :
				near(m.mbps[i], want[i / 4][i % 4], 0.001));
	ok(good && m.complete, "a matrix: rates of pairs");
	ok(costs->latency_ns[3] == 2500000 && costs->bandwidth_bps[3] == 60000000 &&
	   costs->latency_ns[1] == INT64_MAX && !costs->bandwidth_bps[1],
	   "a matrix: costs, and no links of a dead host");
	hbp_costs_free(costs);
	hbp_matrix_clear(&m);
	hbp_input_free(in);
}

/* Of six pairs at once up to three cross what is between the racks. */
static void test_matrix_racks(void)
{
	static const uint32_t ids[] = { 1, 2, 3, 4, 5, 6 };
	static struct truth t;
	struct hbp_prober prober = { .arg = &t, .trips = trips, .flows = flows };
	struct hbp_input *in = make_input(RACKS);
	struct hbp_matrix m;
	struct hbp_error err;
	bool inside = false;
	size_t a, b, crossing = 0;

	begin(&t, in, 1);
	if (hbp_matrix_find(ids, 6, &prober, &m, &err))
		tap_bail_out("%s", err.text);
	for (a = 0; a < 6; a++)
		for (b = 0; b < 6; b++) {
			if (a / 3 == b / 3)
				inside = inside || m.slowed[a * 6 + b];
			else
				crossing += m.slowed[a * 6 + b];
		}
	ok(!inside && crossing >= 9, "a matrix of racks: who slows whom down");
	ok(near(m.mbps[3], 100, 0.001) && near(m.mbps[18], 60, 0.001),
	   "a matrix of racks: what pairs get alone");
	hbp_matrix_clear(&m);
	hbp_input_free(in);
}

static double seconds(struct hbp_input *truth, struct hbp_plan *plan)
{
	struct hbp_evaluation *e = evaluate_by(HBP_MODEL_FLUID, plan, truth);
	double s = (double)hbp_evaluation_slowest(e)->completion_ns / 1e9;

	hbp_evaluation_free(e);
	return s;
}

/* How much longer a plan takes that is made of what was found. */
static double worse(struct hbp_input *truth, struct hbp_input *found, const char *name)
{
	struct hbp_plan *best = make_plan(truth, name, 1, 16 << 20);
	struct hbp_plan *plan = make_plan(found, name, 1, 16 << 20);
	double ratio = seconds(truth, plan) / seconds(truth, best);

	hbp_plan_free(best);
	hbp_plan_free(plan);
	return ratio;
}

/* A link of any speed from 10 to 500 Mbit/s; half of them are alike both ways. */
static void put_link(struct luck *luck, FILE *f, size_t from, size_t to, double us)
{
	double there = 10 * pow(50, draw(luck)), back = 10 * pow(50, draw(luck));

	if (draw_below(luck, 2))
		back = there;
	fprintf(f, "{'from':%zu,'to':%zu,'bandwidth_mbps':%.3f,'latency_us':%.0f},", from,
		to, there, us);
	fprintf(f, "{'from':%zu,'to':%zu,'bandwidth_mbps':%.3f,'latency_us':%.0f},", to,
		from, back, us);
}

/* A tree of switches, each with hosts; with @room none of them is far from another. */
static struct hbp_input *network(struct luck *luck, bool room)
{
	size_t hosts = 4 + draw_below(luck, 27), switches = 1 + draw_below(luck, hosts / 3);
	char *text = NULL;
	size_t len, i, at;
	FILE *f = open_memstream(&text, &len);

	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':101,'kind':'switch'}", f);
	for (i = 1; i < switches; i++)
		fprintf(f, ",{'id':%zu,'kind':'switch'}", i + 101);
	for (i = 1; i <= hosts; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
	fputs("],'links':[", f);
	for (i = 1; i < switches; i++)
		put_link(luck, f, 101 + i, room ? 101 : 101 + draw_below(luck, i),
			 room ? 0 : 200 * pow(100, draw(luck)));
	for (i = 1; i <= hosts; i++) {
		at = i <= 2 * switches ? (i - 1) / 2 : draw_below(luck, switches);
		put_link(luck, f, i, 101 + at, room ? 100 : 100 * pow(250, draw(luck)));
	}
	return close_links(f, &text);
}

#define SOME	12
#define MANY	1000
#define PLANNERS	3

static struct hbp_input *input_of(const struct hbp_inferred *found)
{
	struct hbp_platform *platform;
	struct hbp_input *in;
	struct hbp_error err;
	char *text;

	if (hbp_inferred_platform(found, &platform, &err))
		tap_bail_out("%s", err.text);
	text = hbp_platform_text(platform);
	in = make_input(text);
	free(text);
	hbp_platform_free(platform);
	return in;
}

static int compare_reals(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Plans of what was found in networks, in order; @noise of rates. */
static void try_networks(double noise, bool room, size_t n,
			 double ratio[PLANNERS][MANY])
{
	static const char *const names[PLANNERS] = { "stable", "mtp", "auto" };
	static struct truth t;
	struct luck luck = { 1 };
	struct hbp_input *in, *guess;
	struct hbp_inferred found;
	size_t i, k, rounds = 0;

	for (i = 0; i < n; i++) {
		in = network(&luck, room);
		begin(&t, in, i + 1);
		t.noise = noise;
		t.trip_noise_us = 30;
		find(&t, &found);
		guess = input_of(&found);
		for (k = 0; k < PLANNERS; k++)
			ratio[k][i] = worse(in, guess, names[k]);
		rounds += t.rounds;
		hbp_input_free(guess);
		hbp_inferred_clear(&found);
		hbp_input_free(in);
	}
	for (k = 0; k < PLANNERS; k++) {
		qsort(ratio[k], n, sizeof(**ratio), compare_reals);
		printf("# noise %.0f %%%s, %s: %.3f (median), %.3f (90 %%), %.3f (all)\n",
		       100 * noise, room ? ", one room" : "", names[k],
		       ratio[k][n / 2], ratio[k][n * 9 / 10], ratio[k][n - 1]);
	}
	printf("# %zu networks in %zu rounds of flows\n", n, rounds);
}

static void test_random(void)
{
	static double ratio[PLANNERS][MANY];
	size_t n = getenv("HBCAST_THOROUGH") ? MANY : SOME, nine = n * 9 / 10;

	try_networks(0, false, n, ratio);
	ok(ratio[0][n - 1] < 1.03 && ratio[1][n - 1] < 1.03 && ratio[2][n - 1] < 1.03,
	   "random networks, exact figures: plans are as good as those of the truth");
	try_networks(0.01, false, n, ratio);
	ok(ratio[0][nine] < 1.03 && ratio[1][nine] < 1.03 && ratio[2][nine] < 1.03,
	   "random networks, figures 1 %% off: nine of ten plans are, too");
	try_networks(0.01, true, n, ratio);
	ok(ratio[1][nine] < 1.03 && ratio[2][nine] < 1.03,
	   "racks in one room: nine of ten plans of mtp and auto are, too");
}

int main(void)
{
	test_four();
	test_racks();
	test_faults();
	test_matrix();
	test_matrix_racks();
	test_random();
	return tap_done();
}
