// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: HNOWs, and their ways that go up before down. */
#include <math.h>
#include <string.h>

#include "verify.h"

#define HOSTS_MAX	((size_t)4096)
#define FAR		UINT32_MAX
#define MBPS_MAX	1e7
#define MBPS_MIN	(1 / 1e6)

/* The spanning tree of switches. */
struct spanning {
	size_t *queue;		/* breadth-first */
	size_t n;
	size_t *parent;
	size_t *level;		/* HBVERIFY_NONE for what is not in it */
	size_t *number;		/* in postorder */
	size_t numbered;
};

static double us_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : -1;
}

static int read_speeds(struct hbverify *v, const json_t *json,
		       const size_t *place, struct hbverify_hnow *h)
{
	const json_t *nodes = json_object_get(json, "nodes"), *speed;
	const json_t *wormhole = json_object_get(json, "wormhole");
	struct hbverify_speed *s;
	size_t i;

	h->fixed = us_of(wormhole, "const_us");
	h->byte = us_of(wormhole, "byte_us");
	if (h->fixed < 0 || h->byte < 0)
		return hbverify_fail(v,
				     "%s: wormhole must have const_us and byte_us of 0 or more",
				     v->net.file);
	for (i = 0; i < v->net.n; i++) {
		if (!v->net.host[place[i]])
			continue;
		speed = json_object_get(json_array_get(nodes, i), "speed");
		s = &h->speed[place[i]];
		s->send = us_of(speed, "send_const_us");
		s->send_byte = us_of(speed, "send_byte_us");
		s->receive = us_of(speed, "recv_const_us");
		s->receive_byte = us_of(speed, "recv_byte_us");
		if (s->send < 0 || s->send_byte < 0 || s->receive < 0 ||
		    s->receive_byte < 0)
			return hbverify_fail(v,
					     "%s: nodes[%zu].speed must have four times of 0 or more",
					     v->net.file, i);
	}
	return 0;
}

/* The switch of a host, HBVERIFY_NONE if it has not exactly one link out. */
static size_t switch_of(const struct hbverify_net *net, size_t host)
{
	size_t to;

	if (net->first[host + 1] - net->first[host] != 1)
		return HBVERIFY_NONE;
	to = net->links[net->first[host]].to;
	return net->host[to] ? HBVERIFY_NONE : to;
}

/* Numbers a subtree in postorder, children by ascending id. */
static void number_below(const struct hbverify_net *net, struct spanning *t,
			 size_t at)
{
	size_t i, to;

	for (i = net->first[at]; i < net->first[at + 1]; i++) {
		to = net->links[i].to;
		if (!net->host[to] && t->parent[to] == at)
			number_below(net, t, to);
	}
	t->number[at] = t->numbered++;
}

static void span(struct hbverify *v, struct spanning *t)
{
	const struct hbverify_net *net = &v->net;
	size_t i, at, to, head, root = HBVERIFY_NONE, most = 0;

	t->queue = hbverify_alloc(v, net->n, sizeof(*t->queue));
	t->parent = hbverify_alloc(v, net->n, sizeof(*t->parent));
	t->level = hbverify_alloc(v, net->n, sizeof(*t->level));
	t->number = hbverify_alloc(v, net->n, sizeof(*t->number));
	for (i = 0; i < net->n; i++) {
		t->parent[i] = HBVERIFY_NONE;
		t->level[i] = HBVERIFY_NONE;
		if (!net->host[i] && net->first[i + 1] - net->first[i] > most) {
			most = net->first[i + 1] - net->first[i];
			root = i;
		}
	}
	if (root == HBVERIFY_NONE)
		return;
	t->level[root] = 0;
	t->queue[t->n++] = root;
	for (head = 0; head < t->n; head++) {
		at = t->queue[head];
		for (i = net->first[at]; i < net->first[at + 1]; i++) {
			to = net->links[i].to;
			if (net->host[to] || t->level[to] != HBVERIFY_NONE)
				continue;
			t->parent[to] = at;
			t->level[to] = t->level[at] + 1;
			t->queue[t->n++] = to;
		}
	}
	number_below(net, t, root);
}

static bool is_up(const struct spanning *t, size_t from, size_t to)
{
	if (t->level[from] == t->level[to])
		return t->number[to] < t->number[from];
	return t->level[to] < t->level[from];
}

/*
 * Steps from a switch to all others: while it goes up, and with ways down behind;
 * link after link, until nothing becomes shorter.
 */
static void find_steps(const struct hbverify_net *net, const struct spanning *t,
		       size_t from, uint32_t *up, uint32_t *all)
{
	const struct hbverify_link *link;
	bool shorter = true;
	size_t i;

	for (i = 0; i < net->n; i++) {
		up[i] = FAR;
		all[i] = FAR;
	}
	up[from] = 0;
	all[from] = 0;
	while (shorter) {
		shorter = false;
		for (i = 0; i < net->n_links; i++) {
			link = &net->links[i];
			if (net->host[link->from] || net->host[link->to])
				continue;
			if (is_up(t, link->from, link->to) &&
			    up[link->from] != FAR &&
			    up[link->from] + 1 < up[link->to]) {
				up[link->to] = up[link->from] + 1;
				shorter = true;
			}
			if (up[link->to] < all[link->to]) {
				all[link->to] = up[link->to];
				shorter = true;
			}
			if (!is_up(t, link->from, link->to) &&
			    all[link->from] != FAR &&
			    all[link->from] + 1 < all[link->to]) {
				all[link->to] = all[link->from] + 1;
				shorter = true;
			}
		}
	}
}

static int find_ways(struct hbverify *v, struct hbverify_hnow *h,
		     const struct spanning *t)
{
	uint32_t *up = hbverify_alloc(v, v->net.n, sizeof(*up));
	uint32_t *all = hbverify_alloc(v, v->net.n, sizeof(*all));
	size_t from, to, home;

	for (from = 0; from < v->net.n; from++) {
		if (!v->net.host[from])
			continue;
		home = switch_of(&v->net, from);
		if (home == HBVERIFY_NONE || t->level[home] == HBVERIFY_NONE)
			return hbverify_fail(v,
					     "%s: links: host %u must be at one switch, from which there is a way to all others",
					     v->net.file, v->net.id[from]);
		find_steps(&v->net, t, home, up, all);
		for (to = 0; to < v->net.n; to++) {
			home = v->net.host[to] ? switch_of(&v->net, to) :
			       HBVERIFY_NONE;
			if (home != HBVERIFY_NONE)
				h->steps[h->number[from] * h->hosts + h->number[to]] =
					all[home] + 2;
		}
	}
	return 0;
}

/* Pairs of hosts take the place of links. */
static void make_pairs(struct hbverify *v, const struct hbverify_hnow *h)
{
	struct hbverify_net *net = &v->net;
	struct hbverify_link *pairs, *pair;
	size_t from, to, n = 0;
	double us;

	pairs = hbverify_alloc(v, h->hosts * h->hosts, sizeof(*pairs));
	for (from = 0; from < net->n; from++) {
		net->send_ns[from] = llround(h->speed[from].send * 1e3);
		net->recv_ns[from] = llround(h->speed[from].receive * 1e3);
		for (to = 0; net->host[from] && to < net->n; to++) {
			if (from == to || !net->host[to])
				continue;
			pair = &pairs[n++];
			pair->from = from;
			pair->to = to;
			us = h->speed[from].send_byte + h->byte +
			     h->speed[to].receive_byte;
			pair->mbps = us > 0 ? fmin(8 / us, MBPS_MAX) : MBPS_MAX;
			pair->mbps = fmax(rint(pair->mbps * 1e6) / 1e6, MBPS_MIN);
			us = h->steps[h->number[from] * h->hosts + h->number[to]];
			pair->ns = llround((h->fixed + us * h->byte) * 1e3);
		}
	}
	net->links = pairs;
	net->n_links = n;
	net->costs = true;
}

/**
 * hbverify_read_hnow() - read what makes a platform an HNOW
 * @v: its net is there, as a platform
 * @json: the file
 * @place: index of each of the file's nodes
 *
 * The net has pairs of hosts instead of links afterwards, in no order.
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_read_hnow(struct hbverify *v, const json_t *json,
		       const size_t *place)
{
	struct hbverify_hnow *h = hbverify_alloc(v, 1, sizeof(*h));
	struct spanning tree = { 0 };
	size_t i;

	if (v->net.hosts > HOSTS_MAX)
		return hbverify_fail(v,
				     "%s: nodes must hold at most %zu hosts of an HNOW, not %zu",
				     v->net.file, HOSTS_MAX, v->net.hosts);
	v->net.hnow = h;
	h->speed = hbverify_alloc(v, v->net.n, sizeof(*h->speed));
	h->number = hbverify_alloc(v, v->net.n, sizeof(*h->number));
	for (i = 0; i < v->net.n; i++)
		if (v->net.host[i])
			h->number[i] = h->hosts++;
	h->steps = hbverify_alloc(v, h->hosts * h->hosts, sizeof(*h->steps));
	if (read_speeds(v, json, place, h))
		return -1;
	span(v, &tree);
	if (find_ways(v, h, &tree))
		return -1;
	make_pairs(v, h);
	return 0;
}
