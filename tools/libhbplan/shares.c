// SPDX-License-Identifier: GPL-2.0-or-later
/* What takes how much of the time until the last node is done. */
#include <stdlib.h>

#include "shares.h"
#include "ways.h"

struct share {
	enum hbp_limited what;
	uint32_t from;
	uint32_t to;
	size_t path;
	int64_t ns;
};

struct sharing {
	struct hbp_input *in;
	struct hbp_ways *ways;	/* of a platform */
	struct share *shares;
	size_t n;
	size_t room;
	struct hbp_error *err;
};

static int add(struct sharing *s, enum hbp_limited what, uint32_t from,
	       uint32_t to, size_t path, int64_t ns)
{
	size_t room = 2 * s->room + 64;
	struct share *shares;

	/* What takes no time cannot take less. */
	if (!ns)
		return 0;
	if (s->n == s->room) {
		shares = realloc(s->shares, room * sizeof(*shares));
		if (!shares)
			return hbp_nomem(s->err);
		s->shares = shares;
		s->room = room;
	}
	s->shares[s->n++] = (struct share){ what, from, to, path, ns };
	return 0;
}

/* The latencies of a route's links, and the narrowest of them. */
static int add_way(struct sharing *s, const struct hbp_hop *hop, size_t path)
{
	const struct hbp_platform *p = s->in->platform;
	size_t from = hbp_platform_find(p, hop->from);
	size_t to = hbp_platform_find(p, hop->to), i;
	const struct hbp_link *link;
	const struct hbp_load *load;
	uint32_t a, b;
	int ret;

	if (hbp_ways_loads(s->ways, from, to))
		return hbp_nomem(s->err);
	for (i = 0; i < s->ways->n_way; i++) {
		load = &s->ways->loads[i];
		link = &p->links[load->link];
		a = p->nodes[link->from].id;
		b = p->nodes[link->to].id;
		ret = add(s, HBP_LIMITED_LATENCY, a, b, path, link->latency_ns);
		if (!ret && hbp_load_bps(link, load) == s->ways->width_bps)
			ret = add(s, HBP_LIMITED_LINK, a, b, path,
				  hop->transfer_ns);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_hop(struct sharing *s, const struct hbp_hop *hop, size_t path)
{
	int ret;

	if (s->in->platform)
		return add_way(s, hop, path);
	ret = add(s, HBP_LIMITED_SEND_OVERHEAD, hop->from, 0, path,
		  hop->send_ns);
	if (!ret)
		ret = add(s, HBP_LIMITED_RECV_OVERHEAD, hop->to, 0, path,
			  hop->recv_ns);
	if (ret)
		return ret;
	if (s->in->hnow)
		return add(s, HBP_LIMITED_WORMHOLE, 0, 0, path,
			   hop->latency_ns + hop->transfer_ns);
	ret = add(s, HBP_LIMITED_LATENCY, hop->from, hop->to, path,
		  hop->latency_ns);
	return ret ? ret : add(s, HBP_LIMITED_LINK, hop->from, hop->to, path,
			       hop->transfer_ns);
}

static int compare_things(const struct share *x, const struct share *y)
{
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int ret = compare_things(x, y);

	return ret ? ret : (x->path > y->path) - (x->path < y->path);
}

/* What stands on several paths counts by that on which it takes most. */
static size_t add_up(struct sharing *s, int64_t all, struct hbp_limit *limits)
{
	const struct share *share = s->shares;
	struct hbp_limit *limit;
	size_t i, n = 0;
	int64_t ns = 0;
	double busy;

	qsort(s->shares, s->n, sizeof(*s->shares), compare_shares);
	for (i = 0; i < s->n; i++, share++) {
		if (!i || compare_things(share - 1, share)) {
			limit = &limits[n++];
			limit->what = share->what;
			limit->from = share->from;
			limit->to = share->to;
			ns = 0;
		} else if (share[-1].path != share->path) {
			ns = 0;
		}
		ns += share->ns;
		busy = (double)ns / (double)all;
		limit->busy = busy > limit->busy ? busy : limit->busy;
	}
	return n;
}

/**
 * hbp_shares_limits() - what takes the time until the last node is done
 * @in: the network
 * @paths: what the nodes that are done last have waited for
 * @n_paths: how many, at least 1
 * @limits: receives latencies and bandwidths of links or pairs, and overheads of
 *	hosts, with the part of the time that they take; to be released with free()
 * @n: receives how many
 * @err: receives the reason of a failure
 *
 * Of a route's links those that are as narrow as the route take all the time that
 * the message takes to pass.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_shares_limits(struct hbp_input *in, const struct hbp_path *paths,
		      size_t n_paths, struct hbp_limit **limits, size_t *n,
		      struct hbp_error *err)
{
	struct sharing s = { .in = in, .err = err };
	size_t i, k;
	int ret = 0;

	if (in->platform) {
		s.ways = hbp_ways_alloc(in->platform);
		ret = s.ways ? 0 : hbp_nomem(err);
	}
	for (i = 0; i < n_paths; i++)
		for (k = 0; !ret && k < paths[i].n; k++)
			ret = add_hop(&s, &paths[i].hops[k], i);
	if (!ret) {
		*limits = calloc(s.n + 1, sizeof(**limits));
		ret = *limits ? 0 : hbp_nomem(err);
	}
	if (!ret)
		*n = add_up(&s, paths->hops[paths->n - 1].done_ns, *limits);
	hbp_ways_free(s.ways);
	free(s.shares);
	return ret;
}
