// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each pair of hosts costs: rounds of a tournament in which each host meets each
 * other one, so that no host is in two pairs at once. A pair that is slower than both
 * of its hosts can be is tested once more, alone.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/matrix.h"
#include "units.h"

/* A pair that gets less of what its hosts can do may have been slowed down. */
#define LOW	0.85
/* And was, if it gets so much more alone. */
#define MORE	1.1
#define AGAIN	2	/* pairs that are tested alone, for each host */

/**
 * struct tournament - rounds of pairs
 * @m: the matrix
 * @prober: the network
 * @flows: of one round
 * @n: how many
 */
struct tournament {
	struct hbp_matrix *m;
	const struct hbp_prober *prober;
	struct hbp_flow *flows;
	size_t n;
};

static double *rate_of(const struct hbp_matrix *m, size_t from, size_t to)
{
	return &m->mbps[from * m->n + to];
}

static bool meets(const struct hbp_matrix *m, size_t a, size_t b)
{
	return a < m->n && b < m->n && isfinite(m->rtt_us[a * m->n + b]);
}

static void add_pair(struct tournament *t, size_t from, size_t to)
{
	if (!meets(t->m, from, to))
		return;
	t->flows[t->n] = (struct hbp_flow){
		.from = from, .to = to, .test = t->n,
		.sent_mbps = NAN, .received_mbps = NAN
	};
	t->n++;
}

static int run_round(struct tournament *t, bool longer)
{
	if (!t->n)
		return 0;
	t->m->rounds++;
	return t->prober->flows(t->prober->arg, t->flows, t->n, longer);
}

/*
 * The circle method: the last host stays, all others move on by one place. With an odd
 * number a host that is not there makes it even, and whoever meets it has a rest.
 */
static int play(struct tournament *t, size_t round, bool back)
{
	size_t even = t->m->n + t->m->n % 2, i, a, b;
	double mbps;
	int ret;

	t->n = 0;
	for (i = 0; i < even / 2; i++) {
		a = i ? (round + i) % (even - 1) : even - 1;
		b = (round + even - 1 - i) % (even - 1);
		if (back)
			add_pair(t, b, a);
		else
			add_pair(t, a, b);
	}
	ret = run_round(t, false);
	for (i = 0; i < t->n; i++) {
		mbps = hbp_flow_mbps(&t->flows[i]);
		if (mbps > 0)
			*rate_of(t->m, t->flows[i].from, t->flows[i].to) = mbps;
	}
	return ret;
}

/* The most that a host was seen to send, or receive. */
static double most_of(const struct hbp_matrix *m, size_t host, bool sends)
{
	double most = 0;
	size_t i;

	for (i = 0; i < m->n; i++)
		most = fmax(most, sends ? *rate_of(m, host, i) : *rate_of(m, i, host));
	return most;
}

static int test_alone(struct tournament *t, size_t from, size_t to)
{
	double before = *rate_of(t->m, from, to), alone;
	int ret;

	t->n = 0;
	add_pair(t, from, to);
	ret = run_round(t, true);
	alone = hbp_flow_mbps(&t->flows[0]);
	if (!ret && alone > 0) {
		t->m->slowed[from * t->m->n + to] = alone > MORE * before;
		*rate_of(t->m, from, to) = alone;
	}
	return ret;
}

/* The pairs that may have been slowed down. */
static int play_again(struct tournament *t)
{
	double *sends = calloc(2 * t->m->n, sizeof(*sends)), *receives, least;
	size_t from, to, again = 0;
	int ret = sends ? 0 : -ENOMEM;

	receives = sends ? sends + t->m->n : NULL;
	for (from = 0; !ret && from < t->m->n; from++) {
		sends[from] = most_of(t->m, from, true);
		receives[from] = most_of(t->m, from, false);
	}
	for (from = 0; !ret && from < t->m->n; from++)
		for (to = 0; !ret && to < t->m->n; to++) {
			least = fmin(sends[from], receives[to]);
			if (!(*rate_of(t->m, from, to) < LOW * least))
				continue;
			t->m->slowed[from * t->m->n + to] = true;
			if (again++ < AGAIN * t->m->n)
				ret = test_alone(t, from, to);
		}
	free(sends);
	return ret;
}

static int time_trips(struct hbp_matrix *m, const struct hbp_prober *prober)
{
	struct hbp_trip *trips = calloc(m->n * m->n, sizeof(*trips));
	size_t a, b, n = 0, i;
	int ret;

	if (!trips)
		return -ENOMEM;
	for (a = 0; a < m->n; a++)
		for (b = a + 1; b < m->n; b++)
			trips[n++] = (struct hbp_trip){
				.from = a, .to = b, .least_us = NAN, .noise_us = NAN
			};
	ret = prober->trips(prober->arg, trips, n);
	for (i = 0; i < n; i++) {
		if (!hbp_trip_usable(&trips[i]))
			continue;
		a = trips[i].from;
		b = trips[i].to;
		m->rtt_us[a * m->n + b] = trips[i].least_us;
		m->rtt_us[b * m->n + a] = trips[i].least_us;
	}
	free(trips);
	return ret;
}

static bool alloc_matrix(struct hbp_matrix *m, const uint32_t *ids, size_t n)
{
	size_t i;

	m->n = n;
	m->ids = calloc(n, sizeof(*m->ids));
	m->rtt_us = calloc(n * n, sizeof(*m->rtt_us));
	m->mbps = calloc(n * n, sizeof(*m->mbps));
	m->slowed = calloc(n * n, sizeof(*m->slowed));
	if (!m->ids || !m->rtt_us || !m->mbps || !m->slowed)
		return false;
	memcpy(m->ids, ids, n * sizeof(*ids));
	for (i = 0; i < n * n; i++) {
		m->rtt_us[i] = NAN;
		m->mbps[i] = NAN;
	}
	return true;
}

static int find(struct hbp_matrix *m, const struct hbp_prober *prober)
{
	struct tournament t = { .m = m, .prober = prober };
	size_t rounds = m->n + m->n % 2 - 1, i;
	int ret;

	t.flows = calloc(m->n, sizeof(*t.flows));
	ret = t.flows ? time_trips(m, prober) : -ENOMEM;
	for (i = 0; !ret && i < 2 * rounds; i++)
		ret = play(&t, i / 2, i % 2);
	if (!ret)
		ret = play_again(&t);
	free(t.flows);
	return ret;
}

/**
 * hbp_matrix_find() - find what each pair of hosts costs
 * @ids: of the hosts, in ascending order
 * @n: how many, 2 to HBP_MATRIX_HOSTS_MAX
 * @prober: the network
 * @out: receives the matrix, to be released with hbp_matrix_clear()
 * @err: receives the reason of a failure
 *
 * What somebody has ended is not complete, but holds what was found until then.
 *
 * Return: 0, or a negative errno value; -EINVAL for a number of hosts that is out of
 * range, -ENOMEM, or what the prober failed with, but not -EINTR.
 */
int hbp_matrix_find(const uint32_t *ids, size_t n, const struct hbp_prober *prober,
		    struct hbp_matrix *out, struct hbp_error *err)
{
	int ret;

	memset(out, 0, sizeof(*out));
	if (n < 2 || n > HBP_MATRIX_HOSTS_MAX)
		return hbp_fail(err, -EINVAL,
				"nodes: all pairs of 2 to %d can be measured, not of %zu",
				HBP_MATRIX_HOSTS_MAX, n);
	ret = alloc_matrix(out, ids, n) ? find(out, prober) : -ENOMEM;
	out->complete = !ret;
	if (!ret || ret == -EINTR)
		return 0;
	hbp_matrix_clear(out);
	return ret == -ENOMEM ? hbp_nomem(err) :
				hbp_fail(err, ret, "the measurement ended: %s",
					 strerror(-ret));
}

/**
 * hbp_matrix_clear() - release a matrix
 * @matrix: what hbp_matrix_find() has filled
 */
void hbp_matrix_clear(struct hbp_matrix *matrix)
{
	free(matrix->ids);
	free(matrix->rtt_us);
	free(matrix->mbps);
	free(matrix->slowed);
	memset(matrix, 0, sizeof(*matrix));
}

/**
 * hbp_matrix_costs() - a cost matrix for planners
 * @matrix: what was found
 * @out: receives the costs, to be released with hbp_costs_free()
 * @err: receives the reason of a failure
 *
 * A pair of which the round trip or the rate is not known has no link.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_matrix_costs(const struct hbp_matrix *matrix, struct hbp_costs **out,
		     struct hbp_error *err)
{
	struct hbp_costs *costs = hbp_costs_alloc(matrix->n);
	size_t i;

	if (!costs)
		return hbp_nomem(err);
	for (i = 0; i < matrix->n; i++)
		costs->nodes[i].id = matrix->ids[i];
	for (i = 0; i < matrix->n * matrix->n; i++) {
		if (!isfinite(matrix->rtt_us[i]) || !isfinite(matrix->mbps[i]))
			continue;
		costs->latency_ns[i] = hbp_ns_from_us(matrix->rtt_us[i] / 2);
		costs->bandwidth_bps[i] = hbp_bps_from_mbps(matrix->mbps[i]);
	}
	*out = costs;
	return 0;
}
