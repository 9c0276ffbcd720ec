// SPDX-License-Identifier: GPL-2.0-or-later
/* A simulated network that answers what measuring asks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "truth.h"

/* A number between 0 and 1, of which it is neither. */
double draw(struct luck *luck)
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

/* Latency, and the time that a small frame takes on each link. */
static double one_way_us(const struct truth *t, size_t from, size_t to)
{
	const struct hbp_link *link;
	double us = 0;

	for (; from != to; from = link->to) {
		link = &t->platform->links[t->hop[from][to]];
		us += hbp_us_from_ns(link->latency_ns) +
		      HBP_SHORT_BYTES * 8e6 / (double)link->bandwidth_bps;
	}
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
	trip->least_us *= trip->from == t->liar ? 10 : 1;
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

/* As much more as the next link has that is full then, or the next flow wants. */
static double find_step(const struct truth *t, const struct hbp_flow *flows, size_t n)
{
	double step = INFINITY;
	size_t i, k;

	for (k = 0; k < t->platform->n_links; k++)
		if (t->rising[k])
			step = fmin(step, t->left[k] / (double)t->rising[k]);
	for (i = 0; i < n; i++)
		if (!t->stopped[i] && flows[i].rate_mbps > 0)
			step = fmin(step, flows[i].rate_mbps * 1e6 - t->rate[i]);
	return step;
}

static void rise(struct truth *t, const struct hbp_flow *flows, size_t n)
{
	const struct hbp_platform *p = t->platform;
	double step = find_step(t, flows, n);
	size_t i, k, at, to;

	for (k = 0; k < p->n_links; k++)
		t->left[k] -= step * (double)t->rising[k];
	for (i = 0; i < n; i++) {
		if (t->stopped[i])
			continue;
		t->rate[i] += step;
		t->stopped[i] = flows[i].rate_mbps > 0 &&
				t->rate[i] >= flows[i].rate_mbps * 1e6 - 1;
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
	if (t->changing != NEVER && t->rounds >= t->changes)
		t->left[t->changing] /= 3;
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

/* They are as fast as they get at once. */
static int rates(void *arg, struct hbp_flow *asked, size_t n, bool (*enough)(void *of), void *of)
{
	(void)enough;
	(void)of;
	return flows(arg, asked, n, true);
}

/*
 * What the slowest of sender, links and receiver makes of it. Every sixteenth burst or so has
 * been disturbed, in its sending, its arrival, or both.
 */
static void time_burst(struct truth *t, struct hbp_burst *burst)
{
	const struct hbp_platform *p = t->platform;
	size_t at = p->hosts[burst->from], to = p->hosts[burst->to];
	double us = hbp_us_from_ns(p->nodes[at].send_overhead_ns);
	bool disturbed = t->noise > 0 && !draw_below(&t->luck, 16);

	burst->sent_us = us * (1 + t->noise * draw_normal(&t->luck));
	us = fmax(us, hbp_us_from_ns(p->nodes[to].recv_overhead_ns));
	for (; at != to; at = p->links[t->hop[at][to]].to)
		us = fmax(us, HBP_SHORT_BYTES * 8e6 /
			  (double)p->links[t->hop[at][to]].bandwidth_bps);
	burst->arrived_us = us * (1 + t->noise * draw_normal(&t->luck));
	if (disturbed && draw_below(&t->luck, 2))
		burst->sent_us *= 3;
	if (disturbed)
		burst->arrived_us *= 3;
	burst->sent_us *= burst->from == t->liar ? 10 : 1;
	burst->arrived_us *= burst->to == t->liar ? 10 : 1;
}

static int bursts(void *arg, struct hbp_burst *bursts, size_t n)
{
	struct truth *t = arg;
	size_t i;

	if (t->calls++ == t->last)
		return -EINTR;
	t->burst_rounds++;
	for (i = 0; i < n; i++)
		if (bursts[i].from != t->dead && bursts[i].to != t->dead)
			time_burst(t, &bursts[i]);
	return 0;
}

/* A figure is as it should be, but for a part of that. */
bool near(double got, double want, double part)
{
	if (fabs(got - want) <= part * want)
		return true;
	printf("# %g is not %g\n", got, want);
	return false;
}

/*
 * A platform's text, up to its links: hosts from 1 on, and switches from another id on. It is
 * finished by close_links().
 */
FILE *open_links(char **text, size_t hosts, size_t first, size_t switches)
{
	/* It is written to until the end. */
	static size_t len;
	FILE *f = open_memstream(text, &len);
	size_t i;

	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':1,'kind':'host'}", f);
	for (i = 2; i <= hosts; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
	for (i = first; i < first + switches; i++)
		fprintf(f, ",{'id':%zu,'kind':'switch'}", i);
	fputs("],'links':[", f);
	return f;
}

/* A link of a platform's text, before another one. */
void put_link(FILE *f, size_t from, size_t to, double mbps, double us)
{
	fprintf(f, "{'from':%zu,'to':%zu,'bandwidth_mbps':%.3f,'latency_us':%.0f},", from, to,
		mbps, us);
}

/*
 * A host that sends @mbps[0] and receives @mbps[1], but @both together: by two switches of
 * its own, of which @in is the first one.
 */
void put_shared(FILE *f, size_t host, size_t at, size_t in, const double *mbps, double both,
		double us)
{
	put_link(f, host, in, mbps[0], 0);
	put_link(f, at, in, mbps[1], 0);
	put_link(f, in, in + 1, both, us);
	put_link(f, in + 1, host, mbps[1], 0);
	put_link(f, in + 1, at, mbps[0], 0);
}

/* The network, as it is asked from the beginning. */
void truth_begin(struct truth *t, const struct hbp_input *in, uint64_t seed)
{
	size_t i;

	memset(t, 0, sizeof(*t));
	t->platform = in->platform;
	t->luck.state = seed;
	t->dead = NEVER;
	t->liar = NEVER;
	t->last = NEVER;
	t->changing = NEVER;
	for (i = 0; i < in->platform->n; i++)
		find_hops_to(t, i);
}

struct hbp_prober truth_prober(struct truth *t)
{
	return (struct hbp_prober){ .arg = t, .trips = trips, .flows = flows, .rates = rates,
				     .bursts = bursts };
}

/* What hbp_infer() finds for node 1 as the root. */
void truth_find(struct truth *t, struct hbp_inferred *found)
{
	struct hbp_prober prober = truth_prober(t);
	const struct hbp_platform *p = t->platform;
	struct hbp_error err;
	uint32_t ids[NODES];
	size_t i;

	for (i = 0; i < p->n_hosts; i++)
		ids[i] = p->nodes[p->hosts[i]].id;
	if (hbp_infer(ids, p->n_hosts, 1, &prober, 1, found, &err))
		tap_bail_out("%s", err.text);
}

/* What planners take of what was found. */
struct hbp_input *input_of(const struct hbp_inferred *found)
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
