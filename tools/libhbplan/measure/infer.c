// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A network from tests between its hosts: a tree from round trips, capacities from
 * flows that fill its links, what only flows show, and what bursts cost its hosts.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/binding.h"
#include "measure/duplex.h"
#include "measure/fill.h"
#include "measure/hidden.h"
#include "measure/infer.h"
#include "measure/neighbour.h"
#include "measure/outlier.h"
#include "measure/overheads.h"
#include "measure/spread.h"
#include "measure/tests.h"
#include "node.h"
#include "units.h"

/* Noise of a pair that counts: that of all but a tenth. */
#define QUANTILE	0.9
/* A link between switches is longer than so many times that, and than this. */
#define NOISES		3
#define NOISE_MIN_US	10
/* A tree fits if no round trip is further from it, in noises, of it, and of the longest. */
#define MISFIT_NOISES	6
#define MISFIT_PART	0.05
#define MISFIT_LONGEST	0.01
/* Of all hosts at most so many may not fit. */
#define OUTLIERS	0.2
/* Capacities that differ by less can, or cannot, be told apart, whatever the noise. */
#define ALIKE_MIN	0.005
#define ALIKE_MAX	0.04

/**
 * struct work - a measurement under way
 * @prober: the network
 * @root: id of the host that will send
 * @err: the caller's
 * @n: hosts
 * @trips: of all pairs
 * @n_trips: how many
 * @lost: of each host, whether nobody reaches it
 * @rtt_us: round trips of those that are left, both ways
 * @odd: of each of them, whether its round trips fit nowhere
 * @tests: all tests
 * @host: of each that is left, which one it was
 */
struct work {
	const struct hbp_prober *prober;
	uint32_t root;
	struct hbp_error *err;
	size_t n;
	struct hbp_trip *trips;
	size_t n_trips;
	bool *lost;
	double *rtt_us;
	bool *odd;
	struct hbp_tests tests;
	size_t *host;
};

/* Who is not reached by anybody; with two of them, and no other, both are lost. */
static void find_lost(struct work *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		w->lost[i] = true;
	for (i = 0; i < w->n_trips; i++)
		if (hbp_trip_usable(&w->trips[i])) {
			w->lost[w->trips[i].from] = false;
			w->lost[w->trips[i].to] = false;
		}
}

static int compare_reals(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What is no link between switches but noise, in microseconds. */
static double find_noise(const struct work *w, double *noise)
{
	size_t i, n = 0;
	double us;

	for (i = 0; i < w->n_trips; i++) {
		us = w->trips[i].noise_us;
		if (hbp_trip_usable(&w->trips[i]) && us >= 0 && us < w->trips[i].least_us)
			noise[n++] = us;
	}
	if (!n)
		return NOISE_MIN_US;
	qsort(noise, n, sizeof(*noise), compare_reals);
	return fmax(NOISES * noise[(size_t)(QUANTILE * (double)(n - 1))],
		    NOISE_MIN_US);
}

/* Round trips of those that are left: the longest. */
static double fill_matrix(struct work *w, size_t left)
{
	size_t i, a, b, *place = calloc(w->n, sizeof(*place));
	double most = 0;

	if (!place)
		return -1;
	for (i = 0; i < left; i++)
		place[w->host[i]] = i;
	for (i = 0; i < left * left; i++)
		w->rtt_us[i] = NAN;
	for (i = 0; i < w->n_trips; i++) {
		if (!hbp_trip_usable(&w->trips[i]))
			continue;
		a = place[w->trips[i].from];
		b = place[w->trips[i].to];
		w->rtt_us[a * left + b] = w->trips[i].least_us;
		w->rtt_us[b * left + a] = w->trips[i].least_us;
		most = fmax(most, w->trips[i].least_us);
	}
	free(place);
	return most;
}

/* The tree of round trips, and whether it fits; those that differ by less fit. */
static int join(struct work *w, size_t left, double least_us, struct hbp_inferred *out)
{
	hbp_sketch_free(out->sketch);
	out->sketch = hbp_neighbour_join(w->rtt_us, left, out->noise_us);
	if (!out->sketch)
		return -ENOMEM;
	out->tree = hbp_neighbour_fits(out->sketch, w->rtt_us, least_us, MISFIT_PART);
	out->misfit_us = hbp_neighbour_misfit(out->sketch, w->rtt_us);
	return 0;
}

/* All that are odd, each beside one that is not, as far as is known by now. */
static int place_odd(struct work *w, size_t left)
{
	size_t i;

	if (fill_matrix(w, left) < 0)
		return -ENOMEM;
	for (i = 0; i < left; i++)
		if (w->odd[i])
			hbp_outlier_place(w->rtt_us, left, i, w->odd);
	return 0;
}

/*
 * A tree that fits all but a few hosts, each of which is put beside another one: so
 * nobody's word about round trips makes others' links disappear. Four hosts must be left,
 * as a tree fits any three.
 */
static int leave_out(struct work *w, size_t left, double least_us, struct hbp_inferred *out)
{
	size_t host, most = (size_t)(OUTLIERS * (double)left);
	double misfit_us = out->misfit_us;
	int ret = 0;

	while (!ret && !out->tree && out->n_odd < most && left >= out->n_odd + 5) {
		host = hbp_outlier_find(out->sketch, w->rtt_us, w->odd);
		out->odd[out->n_odd++] = out->ids[host];
		w->odd[host] = true;
		ret = place_odd(w, left) ?: join(w, left, least_us, out);
	}
	if (!out->tree) {
		out->n_odd = 0;
		out->misfit_us = misfit_us;
	}
	return ret;
}

/* The tree of round trips, or one switch where none fits. */
static int find_tree(struct work *w, size_t left, struct hbp_inferred *out)
{
	double most = fill_matrix(w, left), least_us;
	double *noise = calloc(w->n_trips, sizeof(*noise));
	int ret;

	if (!noise || most < 0) {
		free(noise);
		return -ENOMEM;
	}
	out->noise_us = find_noise(w, noise);
	free(noise);
	least_us = fmax(MISFIT_NOISES * out->noise_us, MISFIT_LONGEST * most);
	ret = join(w, left, least_us, out) ?: leave_out(w, left, least_us, out);
	if (ret || out->tree)
		return ret;
	hbp_sketch_free(out->sketch);
	fill_matrix(w, left);
	out->sketch = hbp_neighbour_star(w->rtt_us, left);
	return out->sketch ? 0 : -ENOMEM;
}

/* Flows of hosts by their places in the tree, for a prober that has all of them. */
static int run_flows(void *arg, struct hbp_flow *flows, size_t n, bool longer)
{
	struct work *w = arg;
	struct hbp_flow *asked = calloc(n, sizeof(*asked));
	size_t i;
	int ret;

	if (!asked)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		asked[i] = flows[i];
		asked[i].from = w->host[flows[i].from];
		asked[i].to = w->host[flows[i].to];
	}
	ret = w->prober->flows(w->prober->arg, asked, n, longer);
	for (i = 0; i < n; i++) {
		flows[i].sent_mbps = asked[i].sent_mbps;
		flows[i].received_mbps = asked[i].received_mbps;
	}
	free(asked);
	return ret;
}

/* Bursts likewise. */
static int run_bursts(void *arg, struct hbp_burst *bursts, size_t n)
{
	struct work *w = arg;
	struct hbp_burst *asked = calloc(n, sizeof(*asked));
	size_t i;
	int ret;

	if (!asked)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		asked[i] = bursts[i];
		asked[i].from = w->host[bursts[i].from];
		asked[i].to = w->host[bursts[i].to];
	}
	ret = w->prober->bursts(w->prober->arg, asked, n);
	for (i = 0; i < n; i++) {
		bursts[i].sent_us = asked[i].sent_us;
		bursts[i].arrived_us = asked[i].arrived_us;
	}
	free(asked);
	return ret;
}

static int compare_capacities(const void *a, const void *b)
{
	struct hbp_capacity *const *x = a, *const *y = b;

	return ((*x)->mbps > (*y)->mbps) - ((*x)->mbps < (*y)->mbps);
}

/* The part by which tests of one capacity differ: that of the middle one. */
static double find_spread(struct hbp_capacity **capacities, size_t n, double *spread)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (capacities[i]->tests > 1)
			spread[k++] = capacities[i]->spread_mbps / capacities[i]->mbps;
	if (!k)
		return ALIKE_MIN;
	qsort(spread, k, sizeof(*spread), compare_reals);
	return fmin(fmax(2 * spread[k / 2], ALIKE_MIN), ALIKE_MAX);
}

/*
 * Capacities that cannot be told apart become one, so that planners meet no
 * differences that are not there: their plans have fewer and simpler trees. It is
 * the least of them, see hbp_inferred_platform().
 */
static int make_alike(struct hbp_sketch *sketch, double *part)
{
	size_t n = 0, i, first = 0;
	struct hbp_capacity **capacities = calloc(hbp_arcs(sketch), sizeof(*capacities));
	double *spread = calloc(hbp_arcs(sketch), sizeof(*spread)), least;

	for (i = 2; capacities && spread && i < 2 * sketch->n; i++)
		capacities[n++] = hbp_sketch_capacity(sketch, i);
	for (i = 0; capacities && spread && i < sketch->n_hosts; i++)
		if (sketch->nodes[i].shared)
			capacities[n++] = &sketch->nodes[i].both;
	if (n) {
		qsort(capacities, n, sizeof(*capacities), compare_capacities);
		*part = find_spread(capacities, n, spread);
	}
	for (i = 1; n && i <= n; i++) {
		if (i < n && capacities[i]->mbps <= capacities[first]->mbps * (1 + *part))
			continue;
		least = capacities[first]->mbps;
		for (; first < i; first++)
			capacities[first]->mbps = least;
	}
	free(capacities);
	free(spread);
	return n ? 0 : -ENOMEM;
}

/* Once more, and for longer, what keeps plans from being faster. */
static int test_binding(struct work *w, const struct hbp_prober *prober,
			struct hbp_inferred *out)
{
	bool *arcs = calloc(hbp_arcs(out->sketch), sizeof(*arcs));
	int ret = arcs ? hbp_binding_find(out, w->root, arcs, w->err) : -ENOMEM;

	if (!ret)
		ret = hbp_fill(&w->tests, out->sketch, prober, arcs, true);
	free(arcs);
	return ret;
}

/*
 * A frame takes its time on each link, both ways. A platform's latency is what is left:
 * planners add the time that frames of their own take.
 */
static void take_frames_off(struct hbp_sketch *sketch)
{
	struct hbp_sketch_node *node;
	size_t i, k;

	for (i = 1; i < sketch->n; i++) {
		node = &sketch->nodes[i];
		for (k = 0; k < 2; k++)
			if (node->link[k].mbps > 0)
				node->rtt_us -= HBP_SHORT_BYTES * 8 / node->link[k].mbps;
		node->rtt_us = fmax(node->rtt_us, 0);
	}
}

/*
 * At hidden links, with what is known by now of hosts. Where none was found these may have
 * been what all pairs were waiting for.
 */
static int look_again(struct work *w, const struct hbp_prober *prober, uint64_t seed,
		      struct hbp_inferred *out)
{
	if (out->hidden)
		return hbp_hidden_review(&w->tests, out->sketch, prober, &out->hidden);
	return hbp_hidden_find(&w->tests, out->sketch, prober, seed + 1, &out->hidden);
}

static int find_capacities(struct work *w, const struct hbp_prober *prober, uint64_t seed,
			   struct hbp_inferred *out)
{
	int ret = hbp_fill_all(&w->tests, out->sketch, prober), alike;
	bool open;

	if (!ret)
		ret = hbp_duplex_find(&w->tests, out->sketch, prober, true, &open);
	if (!ret)
		ret = hbp_hidden_find(&w->tests, out->sketch, prober, seed,
				      &out->hidden);
	if (!ret && open)
		ret = hbp_duplex_find(&w->tests, out->sketch, prober, false, &open) ?:
		      look_again(w, prober, seed, out);
	alike = make_alike(out->sketch, &out->alike);
	if (!ret && !alike) {
		ret = test_binding(w, prober, out);
		alike = make_alike(out->sketch, &out->alike);
	}
	alike = hbp_spread_find(&w->tests, out->sketch) ?: alike;
	take_frames_off(out->sketch);
	out->rounds = w->tests.rounds;
	return alike ?: ret;
}

static bool begin(struct work *w, size_t n, struct hbp_inferred *out)
{
	size_t a, b;

	w->n = n;
	w->trips = calloc(n * n, sizeof(*w->trips));
	w->lost = calloc(n, sizeof(*w->lost));
	w->rtt_us = calloc(n * n, sizeof(*w->rtt_us));
	w->odd = calloc(n, sizeof(*w->odd));
	w->host = calloc(n, sizeof(*w->host));
	out->ids = calloc(n, sizeof(*out->ids));
	out->lost = calloc(n, sizeof(*out->lost));
	out->odd = calloc(n, sizeof(*out->odd));
	out->overheads = calloc(n, sizeof(*out->overheads));
	if (!w->trips || !w->lost || !w->rtt_us || !w->odd || !w->host || !out->ids ||
	    !out->lost || !out->odd || !out->overheads)
		return false;
	for (a = 0; a < n; a++)
		for (b = a + 1; b < n; b++)
			w->trips[w->n_trips++] = (struct hbp_trip){
				.from = a, .to = b, .least_us = NAN, .noise_us = NAN
			};
	return true;
}

static void end(struct work *w)
{
	free(w->trips);
	free(w->lost);
	free(w->rtt_us);
	free(w->odd);
	free(w->host);
	hbp_tests_clear(&w->tests);
}

static int infer(struct work *w, const uint32_t *ids, uint64_t seed,
		 struct hbp_inferred *out)
{
	const struct hbp_prober prober = { .arg = w, .flows = run_flows, .bursts = run_bursts };
	int ret = w->prober->trips(w->prober->arg, w->trips, w->n_trips), tree;
	size_t i, left = 0;

	find_lost(w);
	for (i = 0; i < w->n; i++)
		if (w->lost[i]) {
			out->lost[out->n_lost++] = ids[i];
		} else {
			out->ids[left] = ids[i];
			w->host[left++] = i;
		}
	if (left < 2)
		return ret;
	/* It is measured for another root if this one is not reached. */
	if (hbp_node_find(out->ids, left, sizeof(*out->ids), w->root) == HBP_NONE)
		w->root = out->ids[0];
	tree = find_tree(w, left, out);
	if (tree || ret)
		return tree ?: ret;
	ret = find_capacities(w, &prober, seed, out);
	return ret ?: hbp_overheads_find(out->sketch, &prober, out->overheads);
}

/**
 * hbp_infer() - find a network
 * @ids: of the hosts, in ascending order
 * @n: how many, 2 to HBP_INFER_HOSTS_MAX
 * @root: of the host that will send: what keeps it from being faster is tested twice
 * @prober: the network
 * @seed: what tests are drawn with
 * @out: receives what was found, to be released with hbp_inferred_clear()
 * @err: receives the reason of a failure
 *
 * The same answers give the same network. What somebody has ended is not complete,
 * but holds what was found until then.
 *
 * Return: 0, or a negative errno value; -EINVAL for a number of hosts that is out of
 * range or ids that leave none for switches, -ENOMEM, or what the prober failed with,
 * but not -EINTR.
 */
int hbp_infer(const uint32_t *ids, size_t n, uint32_t root,
	      const struct hbp_prober *prober, uint64_t seed, struct hbp_inferred *out,
	      struct hbp_error *err)
{
	struct work w = { .prober = prober, .root = root, .err = err };
	int ret;

	memset(out, 0, sizeof(*out));
	if (n < 2 || n > HBP_INFER_HOSTS_MAX)
		return hbp_fail(err, -EINVAL, "nodes: 2 to %d can be measured, not %zu",
				HBP_INFER_HOSTS_MAX, n);
	if (ids[n - 1] > UINT32_MAX - HBP_INFERRED_SWITCHES * n)
		return hbp_fail(err, -EINVAL,
				"nodes: no ids are left for switches behind %u", ids[n - 1]);
	ret = begin(&w, n, out) ? infer(&w, ids, seed, out) : -ENOMEM;
	end(&w);
	out->complete = !ret;
	if (!ret || ret == -EINTR)
		return 0;
	hbp_inferred_clear(out);
	return ret == -ENOMEM ? hbp_nomem(err) :
				hbp_fail(err, ret, "the measurement ended: %s",
					 strerror(-ret));
}
