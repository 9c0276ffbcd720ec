// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Neighbour joining (Saitou and Nei 1987): the two nodes that are neighbours for
 * certain, since nobody else is as near to both, become one, until two are left.
 * What links take is then fitted to all round trips at once.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/neighbour.h"
#include "node.h"

/* Rounds of the fitting; each link moves to its best place while the others stay. */
#define FITS	64

/**
 * struct joining - what is left to be joined
 * @width: nodes that there may be: rows and columns of @us
 * @us: round trips between nodes that are left
 * @total: of each node that is left the sum of its row
 * @live: nodes that are left
 * @n: how many
 * @sketch: the tree; the parent of a node that is left is not known yet
 */
struct joining {
	size_t width;
	double *us;
	double *total;
	size_t *live;
	size_t n;
	struct hbp_sketch *sketch;
};

static double *between(const struct joining *j, size_t a, size_t b)
{
	return &j->us[a * j->width + b];
}

static void add_up(struct joining *j)
{
	size_t i, k;

	for (i = 0; i < j->n; i++) {
		j->total[j->live[i]] = 0;
		for (k = 0; k < j->n; k++)
			j->total[j->live[i]] += *between(j, j->live[i], j->live[k]);
	}
}

/* The places in @live of the pair that is nearest, the first of several. */
static void nearest(struct joining *j, size_t *first, size_t *second)
{
	double least = INFINITY, q;
	size_t i, k, a, b;

	for (i = 0; i < j->n; i++)
		for (k = i + 1; k < j->n; k++) {
			a = j->live[i];
			b = j->live[k];
			q = (double)(j->n - 2) * *between(j, a, b) - j->total[a] -
			    j->total[b];
			if (q < least) {
				least = q;
				*first = i;
				*second = k;
			}
		}
}

/* @lower's link leads to @upper. */
static void join(struct joining *j, size_t lower, size_t upper, double us)
{
	j->sketch->nodes[lower].parent = upper;
	j->sketch->nodes[lower].rtt_us = us;
}

/* Two of those that are left get a switch above them, which takes their place. */
static void join_two(struct joining *j)
{
	size_t first = 0, second = 0, new = j->sketch->n++, i, a, b, c;
	double ab, us;

	add_up(j);
	nearest(j, &first, &second);
	a = j->live[first];
	b = j->live[second];
	ab = *between(j, a, b);
	us = ab / 2 + (j->total[a] - j->total[b]) / (2 * (double)(j->n - 2));
	us = fmin(fmax(us, 0), ab);
	join(j, a, new, us);
	join(j, b, new, ab - us);
	for (i = 0; i < j->n; i++) {
		c = j->live[i];
		us = fmax((*between(j, a, c) + *between(j, b, c) - ab) / 2, 0);
		*between(j, c, new) = us;
		*between(j, new, c) = us;
	}
	j->live[first] = new;
	j->live[second] = j->live[--j->n];
}

/* So far links lead away from where the joining has ended; now they lead to node 0. */
static void turn(struct hbp_sketch *sketch)
{
	size_t at = 0, next = sketch->nodes[0].parent, after;
	double us = sketch->nodes[0].rtt_us, keep;

	while (next != HBP_NONE) {
		after = sketch->nodes[next].parent;
		keep = sketch->nodes[next].rtt_us;
		sketch->nodes[next].parent = at;
		sketch->nodes[next].rtt_us = us;
		at = next;
		next = after;
		us = keep;
	}
	sketch->nodes[0].parent = HBP_NONE;
	sketch->nodes[0].rtt_us = 0;
	hbp_sketch_deepen(sketch);
}

/**
 * struct fitting - what links do not explain yet
 * @sketch: the tree
 * @rtt_us: round trips
 * @left: what is left of each, once for each pair
 * @above: hosts above the link at hand
 * @below: hosts below it
 * @n_above: how many
 * @n_below: how many
 */
struct fitting {
	struct hbp_sketch *sketch;
	const double *rtt_us;
	double *left;
	size_t *above;
	size_t *below;
	size_t n_above;
	size_t n_below;
};

static size_t pair_at(const struct fitting *f, size_t a, size_t b)
{
	return a < b ? a * f->sketch->n_hosts + b : b * f->sketch->n_hosts + a;
}

static void find_sides(struct fitting *f, size_t node)
{
	size_t i;

	f->n_above = 0;
	f->n_below = 0;
	for (i = 0; i < f->sketch->n_hosts; i++)
		if (hbp_sketch_below(f->sketch, node, i))
			f->below[f->n_below++] = i;
		else
			f->above[f->n_above++] = i;
}

/* The link above a node moves to where the sum of squares is least. */
static void fit_link(struct fitting *f, size_t node)
{
	double sum = 0, *us = &f->sketch->nodes[node].rtt_us, step;
	size_t pairs = 0, i, k, at;

	find_sides(f, node);
	for (i = 0; i < f->n_above; i++)
		for (k = 0; k < f->n_below; k++) {
			at = pair_at(f, f->above[i], f->below[k]);
			if (isfinite(f->rtt_us[at])) {
				sum += f->left[at];
				pairs++;
			}
		}
	if (!pairs)
		return;
	step = fmax(sum / (double)pairs, -*us);
	*us += step;
	for (i = 0; i < f->n_above; i++)
		for (k = 0; k < f->n_below; k++)
			f->left[pair_at(f, f->above[i], f->below[k])] -= step;
}

/* Least squares, by one link after the other. Return: 0 or -ENOMEM. */
static int fit(struct hbp_sketch *sketch, const double *rtt_us)
{
	size_t n = sketch->n_hosts, a, b, i;
	struct fitting f = {
		.sketch = sketch,
		.rtt_us = rtt_us,
		.left = calloc(n * n, sizeof(*f.left)),
		.above = calloc(n, sizeof(*f.above)),
		.below = calloc(n, sizeof(*f.below)),
	};
	bool full = f.left && f.above && f.below;

	for (a = 0; full && a < n; a++)
		for (b = a + 1; b < n; b++)
			f.left[a * n + b] = rtt_us[a * n + b] -
					    hbp_sketch_rtt(sketch, a, b);
	for (i = 0; full && i < FITS * sketch->n; i++)
		if (i % sketch->n)
			fit_link(&f, i % sketch->n);
	free(f.left);
	free(f.above);
	free(f.below);
	return full ? 0 : -ENOMEM;
}

/* Links between switches that are no longer than what noise explains go. */
static void contract(struct hbp_sketch *sketch, double noise_us)
{
	size_t i = sketch->n_hosts;

	while (i < sketch->n) {
		if (hbp_sketch_inner(sketch, i) && sketch->nodes[i].rtt_us <= noise_us)
			hbp_sketch_contract(sketch, i);
		else
			i++;
	}
}

/* What is not known of a pair is at most the way over any third one. */
static double known(const double *rtt_us, size_t n, size_t a, size_t b)
{
	double us = rtt_us[a * n + b], least = INFINITY;
	size_t c;

	if (isfinite(us) || a == b)
		return a == b ? 0 : us;
	for (c = 0; c < n; c++)
		if (c != a && c != b)
			least = fmin(least, rtt_us[a * n + c] + rtt_us[c * n + b]);
	return isfinite(least) ? least : 0;
}

static bool begin(struct joining *j, const double *rtt_us, size_t n)
{
	size_t a, b;

	j->width = 2 * n;
	j->n = n;
	j->us = calloc(j->width * j->width, sizeof(*j->us));
	j->total = calloc(j->width, sizeof(*j->total));
	j->live = calloc(n, sizeof(*j->live));
	j->sketch = hbp_sketch_alloc(n);
	if (!j->us || !j->total || !j->live || !j->sketch)
		return false;
	for (a = 0; a < n; a++) {
		j->live[a] = a;
		for (b = 0; b < n; b++)
			*between(j, a, b) = known(rtt_us, n, a, b);
	}
	return true;
}

/**
 * hbp_neighbour_join() - the tree that explains round trips
 * @rtt_us: round trips in microseconds, positive, of each pair of hosts in both
 *	places; not a number where none is known
 * @n: number of hosts, at least 2
 * @noise_us: a link between switches that is no longer than this is none
 *
 * Return: the tree, to be released with hbp_sketch_free(), or NULL if memory has
 * run out.
 */
struct hbp_sketch *hbp_neighbour_join(const double *rtt_us, size_t n, double noise_us)
{
	struct joining j = { 0 };
	bool done = begin(&j, rtt_us, n);

	while (done && j.n > 2)
		join_two(&j);
	if (done) {
		join(&j, j.live[0], j.live[1], *between(&j, j.live[0], j.live[1]));
		turn(j.sketch);
		contract(j.sketch, noise_us);
		done = !fit(j.sketch, rtt_us);
	}
	free(j.us);
	free(j.total);
	free(j.live);
	if (!done) {
		hbp_sketch_free(j.sketch);
		j.sketch = NULL;
	}
	return j.sketch;
}

/**
 * hbp_neighbour_star() - one switch with all hosts around it
 * @rtt_us: as for hbp_neighbour_join()
 * @n: number of hosts, at least 2
 *
 * Return: as hbp_neighbour_join().
 */
struct hbp_sketch *hbp_neighbour_star(const double *rtt_us, size_t n)
{
	struct hbp_sketch *sketch = hbp_sketch_alloc(n);
	size_t i;

	if (!sketch)
		return NULL;
	sketch->n = n + 1;
	for (i = 1; i < n; i++)
		sketch->nodes[i].parent = n;
	sketch->nodes[n].parent = 0;
	hbp_sketch_deepen(sketch);
	if (fit(sketch, rtt_us)) {
		hbp_sketch_free(sketch);
		return NULL;
	}
	return sketch;
}

/**
 * hbp_neighbour_misfit() - how far a tree is from the round trips
 * @sketch: the tree
 * @rtt_us: as for hbp_neighbour_join()
 *
 * Return: the largest difference in microseconds.
 */
double hbp_neighbour_misfit(const struct hbp_sketch *sketch, const double *rtt_us)
{
	size_t n = sketch->n_hosts, a, b;
	double most = 0;

	for (a = 0; a < n; a++)
		for (b = a + 1; b < n; b++)
			if (isfinite(rtt_us[a * n + b]))
				most = fmax(most, fabs(rtt_us[a * n + b] -
						       hbp_sketch_rtt(sketch, a, b)));
	return most;
}

/**
 * hbp_neighbour_fits() - whether a tree explains the round trips
 * @sketch: the tree
 * @rtt_us: as for hbp_neighbour_join()
 * @least_us: a difference that says nothing
 * @part: likewise, as a part of the round trip
 *
 * Return: whether it is no further from any of them.
 */
bool hbp_neighbour_fits(const struct hbp_sketch *sketch, const double *rtt_us,
			double least_us, double part)
{
	size_t n = sketch->n_hosts, a, b;
	double us;

	for (a = 0; a < n; a++)
		for (b = a + 1; b < n; b++) {
			us = rtt_us[a * n + b];
			if (isfinite(us) && fabs(us - hbp_sketch_rtt(sketch, a, b)) >
			    fmax(least_us, part * us))
				return false;
		}
	return true;
}
