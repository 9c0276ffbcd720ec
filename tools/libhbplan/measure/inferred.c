// SPDX-License-Identifier: GPL-2.0-or-later
/* A network that was found: its names, and as a platform for planners. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/inferred.h"
#include "units.h"

/**
 * hbp_inferred_clear() - release what was found
 * @inferred: what hbp_infer() has filled
 */
void hbp_inferred_clear(struct hbp_inferred *inferred)
{
	free(inferred->ids);
	free(inferred->lost);
	free(inferred->odd);
	free(inferred->overheads);
	hbp_sketch_free(inferred->sketch);
	memset(inferred, 0, sizeof(*inferred));
}

/**
 * hbp_inferred_id() - the id of a node
 * @inferred: a network that has been found
 * @node: a host or switch of its sketch
 *
 * Return: a host's own; switches have those behind the largest of a host.
 */
uint32_t hbp_inferred_id(const struct hbp_inferred *inferred, size_t node)
{
	size_t n = inferred->sketch->n_hosts;

	return node < n ? inferred->ids[node] :
			  inferred->ids[n - 1] + 1 + (uint32_t)(node - n);
}

/* Which host it is; there are more than @n that share. */
static size_t nth_shared(const struct hbp_sketch *sketch, size_t n)
{
	size_t host = 0;

	while (!sketch->nodes[host].shared || n--)
		host++;
	return host;
}

static size_t count_shared(const struct hbp_sketch *sketch)
{
	size_t i, n = 0;

	for (i = 0; i < sketch->n_hosts; i++)
		n += sketch->nodes[i].shared;
	return n;
}

/**
 * hbp_inferred_arc() - the arc that a link of the platform stands for
 * @inferred: a network that has been found
 * @from: index of the node of hbp_inferred_platform() that the link leaves
 * @to: index of the one that it comes to
 *
 * Return: the arc's number in the sketch.
 */
size_t hbp_inferred_arc(const struct hbp_inferred *inferred, size_t from, size_t to)
{
	const struct hbp_sketch *sketch = inferred->sketch;
	size_t host;

	if (from < sketch->n && to < sketch->n)
		return sketch->nodes[from].parent == to ? hbp_arc(from, HBP_UP) :
							  hbp_arc(to, HBP_DOWN);
	host = nth_shared(sketch, ((from < sketch->n ? to : from) - sketch->n) / 2);
	if (from >= sketch->n && to >= sketch->n)
		return hbp_arc_both(sketch, host);
	return hbp_sketch_host_arc(sketch, host, from == host ||
				   (from >= sketch->n && to != host));
}

static void fill_node(struct hbp_platform_node *node, const struct hbp_overheads *overheads)
{
	node->host = true;
	node->send_overhead_ns = hbp_ns_from_us(overheads->send.us);
	node->recv_overhead_ns = hbp_ns_from_us(overheads->recv.us);
}

/* Half of what cannot be told apart below what was found, see hbp_inferred_platform(). */
static void fill_link(const struct hbp_inferred *inferred, struct hbp_platform *platform,
		      size_t from, size_t to, double rtt_us)
{
	size_t arc = hbp_inferred_arc(inferred, from, to);
	double mbps = hbp_sketch_capacity(inferred->sketch, arc)->mbps;

	/* Liars together can be faster than any link there is. */
	mbps = fmin(mbps * (1 - inferred->alike / 2), HBP_BANDWIDTH_MAX_MBPS);
	mbps = fmax(mbps, HBP_BANDWIDTH_MIN_MBPS);
	platform->links[platform->n_links++] = (struct hbp_link){
		.from = from, .to = to, .bandwidth_bps = hbp_bps_from_mbps(mbps),
		.latency_ns = hbp_ns_from_us(rtt_us / 2)
	};
}

/* Both directions of a link. */
static void fill_links(const struct hbp_inferred *inferred, struct hbp_platform *platform,
		       size_t a, size_t b, double rtt_us)
{
	fill_link(inferred, platform, a, b, rtt_us);
	fill_link(inferred, platform, b, a, rtt_us);
}

/*
 * What a host sends and what it receives go through two switches of its own, always from
 * the first to the second: the link between them is what both share.
 */
static void fill_shared(const struct hbp_inferred *inferred, struct hbp_platform *platform,
			size_t host, size_t neighbour, double rtt_us)
{
	size_t in = platform->n, out = in + 1;

	platform->nodes[in].id = hbp_inferred_id(inferred, in);
	platform->nodes[out].id = hbp_inferred_id(inferred, out);
	platform->n += 2;
	fill_link(inferred, platform, host, in, 0);
	fill_link(inferred, platform, neighbour, in, 0);
	fill_link(inferred, platform, in, out, rtt_us);
	fill_link(inferred, platform, out, host, 0);
	fill_link(inferred, platform, out, neighbour, 0);
}

/**
 * hbp_inferred_platform() - a platform for planners
 * @inferred: a network that has been found, of two hosts or more
 * @out: receives the platform, to be released with hbp_platform_free()
 * @err: receives the reason of a failure
 *
 * A link that is planned fuller than it can be holds up all that crosses it, and one
 * that is not full costs no more than that part: so capacities are half of what cannot
 * be told apart below what was found. A direction that nothing has crossed has the
 * least bandwidth there is.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_inferred_platform(const struct hbp_inferred *inferred,
			  struct hbp_platform **out, struct hbp_error *err)
{
	const struct hbp_sketch *sketch = inferred->sketch;
	size_t shared = count_shared(sketch), i, other;
	struct hbp_platform *platform;

	platform = hbp_platform_alloc(sketch->n + 2 * shared, 2 * sketch->n + 3 * shared);
	if (!platform)
		return hbp_nomem(err);
	platform->n = sketch->n;
	for (i = 0; i < sketch->n; i++) {
		platform->nodes[i].id = hbp_inferred_id(inferred, i);
		if (i < sketch->n_hosts)
			fill_node(&platform->nodes[i], &inferred->overheads[i]);
	}
	for (i = 0; i < sketch->n_hosts; i++)
		if (sketch->nodes[i].shared)
			fill_shared(inferred, platform, i, hbp_sketch_neighbour(sketch, i),
				    hbp_sketch_rtt(sketch, i, hbp_sketch_neighbour(sketch, i)));
	for (i = 1; i < sketch->n; i++) {
		other = sketch->nodes[i].parent;
		if (!sketch->nodes[i].shared && (other || !sketch->nodes[0].shared))
			fill_links(inferred, platform, i, other, sketch->nodes[i].rtt_us);
	}
	hbp_platform_finish(platform);
	*out = platform;
	return 0;
}
