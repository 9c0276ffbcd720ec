// SPDX-License-Identifier: GPL-2.0-or-later
/* Networks that a seed determines. */
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "network.h"
#include "random.h"

/**
 * draw_between() - draw a number
 * @seed: changed
 * @least: the least that may come
 * @most: the most that may come
 */
int64_t draw_between(uint64_t *seed, int64_t least, int64_t most)
{
	return least + (int64_t)hbp_random_below(seed, (size_t)(most - least) + 1);
}

/**
 * draw_normal() - draw a number that is nearly normally distributed
 * @seed: changed
 * @mean: mean
 * @deviation: standard deviation
 *
 * The sum of twelve equally distributed numbers, which is exact everywhere.
 */
int64_t draw_normal(uint64_t *seed, int64_t mean, int64_t deviation)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < 12; i++)
		sum += draw_between(seed, -500000, 500000);
	return mean + sum * deviation / 1000000;
}

/**
 * shuffle() - numbers in an order of luck
 * @order: receives 0 to @n - 1, each once
 * @n: how many
 * @seed: changed
 */
void shuffle(size_t *order, size_t n, uint64_t *seed)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		k = (size_t)draw_between(seed, 0, (int64_t)i);
		order[i] = order[k];
		order[k] = i;
	}
}

/**
 * costs_of() - a cost matrix of nodes 1 to @n without any links
 * @n: number of nodes
 *
 * Return: an input, to be released with hbp_input_free().
 */
struct hbp_input *costs_of(size_t n)
{
	struct hbp_costs *costs = hbp_costs_alloc(n);
	struct hbp_input *in;
	struct hbp_error err;
	size_t i;

	if (!costs)
		die("out of memory");
	for (i = 0; i < n; i++)
		costs->nodes[i].id = (uint32_t)i + 1;
	for (i = 0; i < n; i++)
		costs->latency_ns[i * n + i] = 0;
	if (hbp_input_make("costs", costs, NULL, &in, &err))
		die("%s", err.text);
	return in;
}

/**
 * hops_of() - a cost matrix of random distances
 * @n: number of nodes
 * @most: no two are farther apart
 * @seed: changed
 *
 * Distances are the same in both directions, equally distributed from no hops,
 * as in the paper's tables, to @most; a hop is a microsecond.
 *
 * Return: an input, to be released with hbp_input_free().
 */
struct hbp_input *hops_of(size_t n, int64_t most, uint64_t *seed)
{
	struct hbp_input *in = costs_of(n);
	struct hbp_costs *costs = in->costs;
	size_t a, b;

	for (a = 0; a < n; a++) {
		for (b = a + 1; b < n; b++) {
			costs->latency_ns[a * n + b] =
				1000 * draw_between(seed, 0, most);
			costs->latency_ns[b * n + a] = costs->latency_ns[a * n + b];
			costs->bandwidth_bps[a * n + b] = 1000000000;
			costs->bandwidth_bps[b * n + a] = 1000000000;
		}
	}
	return in;
}

/**
 * sketch_link() - draw one direction of a link
 * @sketch: the sketch; its links are to be released with free()
 * @from: the sending node
 * @to: the receiving node
 * @bps: bandwidth in bit/s
 * @ns: latency in nanoseconds
 */
void sketch_link(struct sketch *sketch, size_t from, size_t to, int64_t bps,
		 int64_t ns)
{
	if (sketch->n == sketch->room) {
		sketch->room = sketch->room ? 2 * sketch->room : 64;
		sketch->links = reallocarray(sketch->links, sketch->room,
					     sizeof(*sketch->links));
		if (!sketch->links)
			die("out of memory");
	}
	sketch->links[sketch->n++] = (struct hbp_link){
		.from = from, .to = to, .bandwidth_bps = bps, .latency_ns = ns
	};
}

/**
 * sketch_input() - make a platform of a sketch
 * @sketch: the sketch, which stays
 * @switches: number of switches, which get the ids from 1
 * @hosts: number of hosts, which get those that follow
 *
 * Return: an input, to be released with hbp_input_free().
 */
struct hbp_input *sketch_input(const struct sketch *sketch, size_t switches,
			       size_t hosts)
{
	struct hbp_platform *platform;
	struct hbp_input *in;
	struct hbp_error err;
	size_t i;

	platform = hbp_platform_alloc(switches + hosts, sketch->n);
	if (!platform)
		die("out of memory");
	for (i = 0; i < platform->n; i++) {
		platform->nodes[i].id = (uint32_t)i + 1;
		platform->nodes[i].host = i >= switches;
	}
	platform->n_links = sketch->n;
	memcpy(platform->links, sketch->links,
	       sketch->n * sizeof(*sketch->links));
	if (hbp_platform_finish(platform))
		die("a link is there twice");
	if (hbp_input_make("platform", NULL, platform, &in, &err))
		die("%s", err.text);
	return in;
}
