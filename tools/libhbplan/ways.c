// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Routes between the hosts of a platform, as route.c finds them. Where there is
 * one way only they are read from the tree; elsewhere they are looked for once
 * for each host that sends, and kept as long as that is not too much. Hosts with
 * one link, to the same switch, share the routes of the switch.
 */
#include <errno.h>
#include <stdlib.h>

#include "node.h"
#include "ways.h"
#include "wire.h"

/* At most so many last links are kept, 64 MiB. */
#define KEPT_MAX	((size_t)1 << 24)
#define NO_LINK		UINT32_MAX

/* Each node's links in the other direction: who sends to it. */
struct into {
	size_t *first;
	size_t *links;
};

static int list_into(const struct hbp_platform *p, struct into *into)
{
	size_t i, node;

	into->first = calloc(p->n + 2, sizeof(*into->first));
	into->links = calloc(p->n_links + 1, sizeof(*into->links));
	if (!into->first || !into->links)
		return -ENOMEM;
	for (i = 0; i < p->n_links; i++)
		into->first[p->links[i].to + 2]++;
	for (i = 2; i < p->n + 2; i++)
		into->first[i] += into->first[i - 1];
	for (i = 0; i < p->n_links; i++) {
		node = p->links[i].to;
		into->links[into->first[node + 1]++] = i;
	}
	return 0;
}

static size_t link_index(const struct hbp_platform *p, size_t from, size_t to)
{
	const struct hbp_link *link = hbp_platform_link(p, from, to);

	return link ? (size_t)(link - p->links) : HBP_NONE;
}

/* Is a neighbour of @at new, above it, or the end of a second way to it? */
static bool visit(struct hbp_ways *w, size_t at, size_t to, size_t *tail)
{
	if (w->depth[to] != HBP_NONE)
		return w->above[at] == to || w->above[to] == at;
	w->above[to] = at;
	w->depth[to] = w->depth[at] + 1;
	w->up[to] = link_index(w->platform, to, at);
	w->down[to] = link_index(w->platform, at, to);
	w->queue[(*tail)++] = to;
	return true;
}

/* Walks all trees breadth-first; false if they are none. */
static bool walk(struct hbp_ways *w, const struct into *into)
{
	const struct hbp_platform *p = w->platform;
	size_t head = 0, tail = 0, first, at, i;

	for (i = 0; i < p->n; i++)
		w->depth[i] = HBP_NONE;
	for (first = 0; first < p->n; first++) {
		if (w->depth[first] != HBP_NONE)
			continue;
		w->depth[first] = 0;
		w->above[first] = HBP_NONE;
		w->up[first] = HBP_NONE;
		w->down[first] = HBP_NONE;
		w->queue[tail++] = first;
		for (; head < tail; head++) {
			at = w->queue[head];
			for (i = p->first[at]; i < p->first[at + 1]; i++)
				if (!visit(w, at, p->links[i].to, &tail))
					return false;
			for (i = into->first[at]; i < into->first[at + 1]; i++)
				if (!visit(w, at, p->links[into->links[i]].from,
					   &tail))
					return false;
		}
	}
	return true;
}

static bool is_even(const struct hbp_ways *w)
{
	const struct hbp_link *links = w->platform->links;
	size_t i;

	for (i = 0; i < w->platform->n; i++)
		if (w->depth[i] &&
		    (w->up[i] == HBP_NONE || w->down[i] == HBP_NONE ||
		     links[w->up[i]].bandwidth_bps !=
		     links[w->down[i]].bandwidth_bps))
			return false;
	return true;
}

static int look_at_shape(struct hbp_ways *w)
{
	size_t n = w->platform->n;
	struct into into = { 0 };
	int ret;

	w->above = calloc(n, sizeof(*w->above));
	w->up = calloc(n, sizeof(*w->up));
	w->down = calloc(n, sizeof(*w->down));
	w->depth = calloc(n, sizeof(*w->depth));
	w->queue = calloc(n, sizeof(*w->queue));
	ret = list_into(w->platform, &into);
	if (!w->above || !w->up || !w->down || !w->depth || !w->queue)
		ret = -ENOMEM;
	if (!ret) {
		w->forest = walk(w, &into);
		w->even = w->forest && is_even(w);
	}
	free(into.first);
	free(into.links);
	return ret;
}

/**
 * hbp_ways_alloc() - prepare to find ways
 * @platform: the platform; must outlive the result
 *
 * Return: to be released with hbp_ways_free(); NULL if memory has run out.
 */
struct hbp_ways *hbp_ways_alloc(const struct hbp_platform *platform)
{
	struct hbp_ways *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->platform = platform;
	w->source = HBP_NONE;
	if (platform->counted) {
		w->place = calloc(platform->n_links + 1, sizeof(*w->place));
		if (!w->place)
			goto fail;
	}
	if (look_at_shape(w))
		goto fail;
	if (w->forest)
		return w;
	w->routes = hbp_routes_alloc(platform);
	w->kept = calloc(platform->n, sizeof(*w->kept));
	if (w->routes && w->kept)
		return w;
fail:
	hbp_ways_free(w);
	return NULL;
}

/**
 * hbp_ways_free() - release what hbp_ways_alloc() made
 * @ways: it, or NULL
 */
void hbp_ways_free(struct hbp_ways *ways)
{
	size_t i;

	if (!ways)
		return;
	for (i = 0; ways->kept && i < ways->platform->n; i++)
		free(ways->kept[i]);
	free(ways->above);
	free(ways->up);
	free(ways->down);
	free(ways->depth);
	free(ways->queue);
	hbp_routes_free(ways->routes);
	free(ways->kept);
	free(ways->path);
	free(ways->loads);
	free(ways->place);
	free(ways);
}

static int add_link(struct hbp_ways *w, size_t link)
{
	size_t room, *path;

	if (w->n_path == w->room) {
		room = w->room ? 2 * w->room : 64;
		path = realloc(w->path, room * sizeof(*path));
		if (!path)
			return -ENOMEM;
		w->path = path;
		w->room = room;
	}
	w->path[w->n_path++] = link;
	return 0;
}

/* Where the ways meet that lead up from two nodes of a tree, HBP_NONE in two trees. */
static size_t meeting_of(const struct hbp_ways *w, size_t a, size_t b)
{
	while (a != b && a != HBP_NONE && b != HBP_NONE) {
		if (w->depth[a] > w->depth[b])
			a = w->above[a];
		else
			b = w->above[b];
	}
	return a == b ? a : HBP_NONE;
}

/* Adds the links between a node and one above it; hosts between them bar the way. */
static int climb_to(struct hbp_ways *w, size_t node, size_t top, const size_t *links)
{
	size_t at;
	int ret = 0;

	for (at = node; !ret && at != top; at = w->above[at]) {
		if (links[at] == HBP_NONE ||
		    (at != node && w->platform->nodes[at].host))
			return -ENOENT;
		ret = add_link(w, links[at]);
	}
	return ret;
}

static int climb(struct hbp_ways *w, size_t from, size_t to)
{
	size_t top = meeting_of(w, from, to), low, high, link;
	int ret;

	if (top == HBP_NONE ||
	    (top != from && top != to && w->platform->nodes[top].host))
		return -ENOENT;
	ret = climb_to(w, to, top, w->down);
	low = w->n_path;
	if (!ret)
		ret = climb_to(w, from, top, w->up);
	/* These stand the other way round. */
	for (high = w->n_path; low + 1 < high; low++) {
		link = w->path[low];
		w->path[low] = w->path[--high];
		w->path[high] = link;
	}
	return ret;
}

/**
 * hbp_ways_direct() - are all neighbours of a node hosts
 * @ways: from hbp_ways_alloc()
 * @at: index of the node
 *
 * Return: true if its links are all ways that begin there.
 */
bool hbp_ways_direct(const struct hbp_ways *ways, size_t at)
{
	const struct hbp_platform *p = ways->platform;
	size_t i;

	for (i = p->first[at]; i < p->first[at + 1]; i++)
		if (!p->nodes[p->links[i].to].host)
			return false;
	return true;
}

/* Where the routes of a host part: its switch if it has no other link. */
static size_t origin_of(const struct hbp_platform *p, size_t from)
{
	size_t first = p->first[from], to;

	if (p->first[from + 1] - first != 1)
		return from;
	to = p->links[first].to;
	return p->nodes[to].host ? from : to;
}

/* Keeps the last links of the routes that have just been found. */
static void keep(struct hbp_ways *w)
{
	size_t n = w->platform->n, i;
	uint32_t *last = calloc(n, sizeof(*last));

	/* Without memory they are only found again. */
	w->kept[w->source] = last;
	w->n_kept += !!last;
	for (i = 0; last && i < n; i++)
		last[i] = w->routes->last[i] == HBP_NONE ? NO_LINK :
			  (uint32_t)w->routes->last[i];
}

static size_t last_link(const struct hbp_ways *w, size_t from, size_t to)
{
	const uint32_t *last = w->kept[from];

	if (!last)
		return w->routes->last[to];
	return last[to] == NO_LINK ? HBP_NONE : last[to];
}

/* Sees to it that the last links of a route are known. */
static void look_for(struct hbp_ways *w, size_t from, size_t to)
{
	bool keeps = w->n_kept < KEPT_MAX / w->platform->n;

	if (w->kept[from])
		return;
	if (w->source != from)
		hbp_routes_begin(w->platform, from, w->routes);
	w->source = from;
	hbp_routes_extend(w->platform, keeps ? HBP_NONE : to, false, w->routes);
	if (keeps)
		keep(w);
}

static int follow(struct hbp_ways *w, size_t from, size_t to)
{
	size_t at = to, origin = origin_of(w->platform, from), link;
	int ret = 0;

	if (hbp_ways_direct(w, from)) {
		link = link_index(w->platform, from, to);
		return link == HBP_NONE ? -ENOENT : add_link(w, link);
	}
	look_for(w, origin, to);
	while (!ret && at != origin) {
		link = last_link(w, origin, at);
		if (link == HBP_NONE)
			return -ENOENT;
		at = w->platform->links[link].from;
		ret = add_link(w, link);
	}
	return ret || origin == from ? ret : add_link(w, w->platform->first[from]);
}

/**
 * hbp_ways_find() - the links between two hosts
 * @ways: from hbp_ways_alloc(); its path receives the links, the last first
 * @from: index of the sending node
 * @to: index of the receiving node
 *
 * Return: 0; -ENOENT if no route leads there without passing another host;
 * -ENOMEM.
 */
int hbp_ways_find(struct hbp_ways *ways, size_t from, size_t to)
{
	ways->n_path = 0;
	return ways->forest ? climb(ways, from, to) : follow(ways, from, to);
}

static int grow_loads(struct hbp_ways *w, size_t n)
{
	size_t room = 2 * n + 64;
	struct hbp_load *loads;

	if (n <= w->load_room)
		return 0;
	loads = realloc(w->loads, room * sizeof(*loads));
	if (!loads)
		return -ENOMEM;
	w->loads = loads;
	w->load_room = room;
	return 0;
}

/* What data takes of the links of its way. */
static void load_way(struct hbp_ways *w)
{
	const struct hbp_link *links = w->platform->links;
	struct hbp_load *load;
	unsigned int its;
	int64_t bps;
	size_t i;

	w->mtu = w->place ? HBP_MTU_MAX : HBP_MTU;
	for (i = 0; w->place && i < w->n_path; i++) {
		its = hbp_link_mtu(&links[w->path[i]]);
		w->mtu = its < w->mtu ? its : w->mtu;
	}
	w->width_bps = INT64_MAX;
	for (i = 0; i < w->n_path; i++) {
		load = &w->loads[i];
		load->link = w->path[i];
		load->part = w->place ?
			     hbp_wire_data(w->mtu, hbp_link_mtu(&links[load->link])) : 1;
		bps = hbp_load_bps(&links[load->link], load);
		w->width_bps = bps < w->width_bps ? bps : w->width_bps;
	}
}

/* Adds what acknowledgements take; a link that data passes, too, is there already. */
static void load_back(struct hbp_ways *w)
{
	size_t i, link, *place;

	for (i = 0; i < w->n_way; i++)
		w->place[w->loads[i].link] = i + 1;
	for (i = 0; i < w->n_path; i++) {
		link = w->path[i];
		place = &w->place[link];
		if (!*place)
			w->loads[w->n_loads++] = (struct hbp_load){ .link = link };
		w->loads[*place ? *place - 1 : w->n_loads - 1].part +=
			hbp_wire_acks(w->mtu, hbp_link_mtu(&w->platform->links[link]));
	}
	for (i = 0; i < w->n_way; i++)
		w->place[w->loads[i].link] = 0;
}

/**
 * hbp_ways_loads() - what an edge between two hosts takes of links
 * @ways: from hbp_ways_alloc(); its loads are filled, its path serves for that
 * @from: index of the sending node
 * @to: index of the receiving node
 *
 * Where headers count, acknowledgements take their part of the links of the way back,
 * if there is one.
 *
 * Return: as hbp_ways_find().
 */
int hbp_ways_loads(struct hbp_ways *ways, size_t from, size_t to)
{
	int ret;

	ret = hbp_ways_find(ways, from, to);
	if (!ret)
		ret = grow_loads(ways, ways->n_path);
	if (ret)
		return ret;
	load_way(ways);
	ways->n_way = ways->n_path;
	ways->n_loads = ways->n_path;
	if (!ways->place)
		return 0;
	ret = hbp_ways_find(ways, to, from);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = grow_loads(ways, ways->n_way + ways->n_path);
	if (!ret)
		load_back(ways);
	return ret;
}

/**
 * hbp_ways_edge() - what an edge of a plan takes of links
 * @ways: from hbp_ways_alloc(), as for hbp_ways_loads()
 * @from: id of the sending host, which the platform has
 * @to: id of the receiving host, which it has as well
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if there is no way; -ENOMEM.
 */
int hbp_ways_edge(struct hbp_ways *ways, uint32_t from, uint32_t to, struct hbp_error *err)
{
	const struct hbp_platform *p = ways->platform;
	int ret;

	ret = hbp_ways_loads(ways, hbp_platform_find(p, from), hbp_platform_find(p, to));
	if (ret == -ENOENT)
		return hbp_fail(err, -EINVAL,
				"links: no route leads from node %u to node %u without passing another host",
				from, to);
	return ret ? hbp_nomem(err) : 0;
}
