// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A host whose round trips fit nowhere: it says what is not so, or has a way of its own to
 * some others. Nobody else's place follows from them: the host is put beside the nearest
 * one.
 */
#include <math.h>

#include "measure/outlier.h"
#include "node.h"

/**
 * hbp_outlier_find() - the host whose round trips are furthest from a tree
 * @sketch: the tree
 * @rtt_us: as for hbp_neighbour_join()
 * @odd: of each host, whether it has been found before: then it does not count
 *
 * Return: the host; of those that are alike the first.
 */
size_t hbp_outlier_find(const struct hbp_sketch *sketch, const double *rtt_us,
			const bool *odd)
{
	size_t n = sketch->n_hosts, a, b, worst = 0;
	double most = -1, off, us;

	for (a = 0; a < n; a++) {
		off = 0;
		for (b = 0; b < n; b++) {
			us = rtt_us[a * n + b];
			if (a != b && !odd[b] && isfinite(us))
				off += fabs(us - hbp_sketch_rtt(sketch, a, b));
		}
		if (!odd[a] && off > most) {
			most = off;
			worst = a;
		}
	}
	return worst;
}

static size_t nearest(const double *rtt_us, size_t n, size_t host, const bool *odd)
{
	size_t i, best = HBP_NONE;

	for (i = 0; i < n; i++)
		if (i != host && !odd[i] && isfinite(rtt_us[host * n + i]) &&
		    (best == HBP_NONE || rtt_us[host * n + i] < rtt_us[host * n + best]))
			best = i;
	return best;
}

/* What a host's own link adds to a round trip, by all that are not odd; not negative. */
static double link_us(const double *rtt_us, size_t n, size_t host, const bool *odd)
{
	double least = INFINITY, us;
	size_t a, b;

	for (a = 0; a < n; a++)
		for (b = a + 1; b < n; b++) {
			if (a == host || odd[a] || b == host || odd[b])
				continue;
			us = rtt_us[host * n + a] + rtt_us[host * n + b] - rtt_us[a * n + b];
			least = fmin(least, us / 2);
		}
	return isfinite(least) ? fmax(least, 0) : 0;
}

/**
 * hbp_outlier_place() - put a host beside the nearest one
 * @rtt_us: as for hbp_neighbour_join(); the host's are replaced
 * @n: number of hosts, at least 4
 * @host: the host
 * @odd: of each host, whether its round trips fit nowhere; @host is among them
 *
 * They become those that the nearest host would have if it were there twice.
 */
void hbp_outlier_place(double *rtt_us, size_t n, size_t host, const bool *odd)
{
	size_t near = nearest(rtt_us, n, host, odd), i;
	double us;

	if (near == HBP_NONE)
		return;
	for (i = 0; i < n; i++) {
		us = i == near ? 2 * link_us(rtt_us, n, near, odd) : rtt_us[near * n + i];
		if (i == host)
			continue;
		rtt_us[host * n + i] = us;
		rtt_us[i * n + host] = us;
	}
}
