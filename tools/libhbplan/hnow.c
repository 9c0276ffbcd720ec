// SPDX-License-Identifier: GPL-2.0-or-later
/* HNOWs: heterogeneous networks of workstations, joined by wormhole switches. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hnow.h"
#include "json.h"
#include "node.h"
#include "spanning.h"
#include "units.h"

#define BYTE_MAX_US	1e3	/* 1 kB/s */
#define MUST_BE_BYTE	"microseconds from 0 to 1000"
#define WHY_HNOW	"as wormhole makes this an HNOW"
#define LINKS_BACK	"links: the link from %u to %u must have one back, " WHY_HNOW
#define LINKS_OF_HOST	"links: host %u must be joined to one switch and nothing else, " \
			WHY_HNOW
#define LINKS_AWAY	"links: no way leads from host %u to the switch with most links"

/**
 * hbp_hnow_free() - release an HNOW
 * @hnow: the HNOW or NULL
 */
void hbp_hnow_free(struct hbp_hnow *hnow)
{
	if (!hnow)
		return;
	hbp_platform_free(hnow->platform);
	hbp_spanning_free(hnow->tree);
	free(hnow->speeds);
	free(hnow->at);
	free(hnow->home);
	free(hnow->links);
	free(hnow);
}

/* What an overhead is made of: a constant, and so much for each byte. */
static int read_cost(struct hbp_reader *rd, json_t *object, const char *where,
		     const char *name, int64_t *const_ns, int64_t *byte_ps)
{
	const json_t *value;
	char key[32];
	double us;

	snprintf(key, sizeof(key), "%sconst_us", name);
	value = json_object_get(object, key);
	if (!hbp_json_real(value, 0, HBP_LATENCY_MAX_US, &us))
		return hbp_json_bad(rd, value, HBP_MUST_BE_LATENCY, "%s.%s",
				    where, key);
	*const_ns = hbp_ns_from_us(us);
	snprintf(key, sizeof(key), "%sbyte_us", name);
	value = json_object_get(object, key);
	if (!hbp_json_real(value, 0, BYTE_MAX_US, &us))
		return hbp_json_bad(rd, value, MUST_BE_BYTE, "%s.%s", where,
				    key);
	*byte_ps = llround(us * 1e6);
	return 0;
}

static int read_speed(struct hbp_reader *rd, json_t *value, size_t i,
		      struct hbp_speed *speed)
{
	static const char *const known[] = {
		"send_const_us", "send_byte_us", "recv_const_us",
		"recv_byte_us", NULL
	};
	char where[48];
	int ret;

	snprintf(where, sizeof(where), "nodes[%zu].speed", i);
	if (!json_is_object(value))
		return hbp_json_bad(rd, value, "an object, " WHY_HNOW, "%s",
				    where);
	ret = read_cost(rd, value, where, "send_", &speed->send_const_ns,
			&speed->send_byte_ps);
	if (!ret)
		ret = read_cost(rd, value, where, "recv_",
				&speed->recv_const_ns, &speed->recv_byte_ps);
	if (!ret)
		hbp_json_unknown(rd, value, known, "%s.", where);
	return ret;
}

/* Place of a host among the hosts, HBP_NONE for a switch. */
static size_t place_of(const struct hbp_platform *platform, size_t node)
{
	size_t low = 0, n = platform->n_hosts, half;

	while (n > 1) {
		half = n / 2;
		low += platform->hosts[low + half] <= node ? half : 0;
		n -= half;
	}
	return platform->hosts[low] == node ? low : HBP_NONE;
}

static int read_speeds(struct hbp_reader *rd, json_t *root,
		       struct hbp_hnow *hnow)
{
	json_t *object;
	size_t i, host;
	uint32_t id;
	int ret;

	json_array_foreach(json_object_get(root, "nodes"), i, object) {
		hbp_json_id(json_object_get(object, "id"), &id);
		host = place_of(hnow->platform,
				hbp_platform_find(hnow->platform, id));
		if (host == HBP_NONE)
			continue;
		ret = read_speed(rd, json_object_get(object, "speed"), i,
				 &hnow->speeds[host]);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_wormhole(struct hbp_reader *rd, json_t *root,
			 struct hbp_hnow *hnow)
{
	static const char *const known[] = { "const_us", "byte_us", NULL };
	json_t *value = json_object_get(root, "wormhole");
	int ret;

	if (!json_is_object(value))
		return hbp_json_bad(rd, value, "an object", "wormhole");
	ret = read_cost(rd, value, "wormhole", "", &hnow->const_ns,
			&hnow->byte_ps);
	if (!ret)
		hbp_json_unknown(rd, value, known, "wormhole.");
	return ret;
}

/* Every host must be at one switch, and every link have one back. */
static int check_links(struct hbp_reader *rd, struct hbp_hnow *hnow)
{
	const struct hbp_platform *p = hnow->platform;
	const struct hbp_link *link;
	size_t i, node;

	for (i = 0; i < p->n_links; i++) {
		link = &p->links[i];
		if (!hbp_platform_link(p, link->to, link->from))
			return hbp_json_fault(rd, LINKS_BACK, p->nodes[link->from].id,
					      p->nodes[link->to].id);
	}
	for (i = 0; i < p->n_hosts; i++) {
		node = p->hosts[i];
		link = &p->links[p->first[node]];
		if (p->first[node + 1] - p->first[node] != 1 ||
		    p->nodes[link->to].host)
			return hbp_json_fault(rd, LINKS_OF_HOST,
					      p->nodes[node].id);
		hnow->at[i] = link->to;
	}
	return 0;
}

/* Numbers for the switches that have hosts; returns them by number. */
static size_t *number_homes(struct hbp_hnow *hnow)
{
	const struct hbp_platform *p = hnow->platform;
	size_t *of = calloc(p->n, sizeof(*of));
	size_t *homes = calloc(p->n, sizeof(*homes));
	size_t i;

	for (i = 0; of && homes && i < p->n_hosts; i++) {
		if (!of[hnow->at[i]]) {
			homes[hnow->n_homes] = hnow->at[i];
			of[hnow->at[i]] = ++hnow->n_homes;
		}
		hnow->home[i] = of[hnow->at[i]] - 1;
	}
	if (!of) {
		free(homes);
		homes = NULL;
	}
	free(of);
	return homes;
}

/* The ways between all switches that have hosts. */
static int find_ways(struct hbp_reader *rd, struct hbp_hnow *hnow)
{
	const struct hbp_platform *p = hnow->platform;
	uint32_t *links = calloc(p->n, sizeof(*links));
	size_t *homes = number_homes(hnow);
	size_t n = hnow->n_homes, i, j;
	int ret = 0;

	if (homes)
		hnow->links = calloc(n * n, sizeof(*hnow->links));
	if (!links || !homes || !hnow->links)
		ret = hbp_nomem(rd->err);
	for (i = 0; !ret && i < n; i++) {
		if (hbp_spanning_ways(p, hnow->tree, homes[i], links))
			ret = hbp_nomem(rd->err);
		for (j = 0; !ret && j < n; j++)
			hnow->links[i * n + j] = links[homes[j]];
	}
	free(links);
	free(homes);
	return ret;
}

static int find_tree(struct hbp_reader *rd, struct hbp_hnow *hnow)
{
	const struct hbp_platform *p = hnow->platform;
	size_t i, met = HBP_NONE, lost = HBP_NONE;

	hnow->tree = hbp_spanning_alloc(p);
	if (!hnow->tree)
		return hbp_nomem(rd->err);
	for (i = 0; i < p->n_hosts; i++) {
		if (hnow->tree->level[hnow->at[i]] != HBP_NONE)
			met = i;
		else
			lost = i;
	}
	if (lost == HBP_NONE)
		return find_ways(rd, hnow);
	if (met == HBP_NONE)
		return hbp_json_fault(rd, LINKS_AWAY,
				      p->nodes[p->hosts[lost]].id);
	return hbp_json_fault(rd, "links: no way leads from host %u to host %u",
			      p->nodes[p->hosts[lost]].id,
			      p->nodes[p->hosts[met]].id);
}

static int fill(struct hbp_reader *rd, json_t *root, struct hbp_hnow *hnow)
{
	size_t n;
	int ret;

	ret = hbp_platform_read(rd, root, true, &hnow->platform);
	if (ret)
		return ret;
	n = hnow->platform->n_hosts;
	if (n > HBP_COSTS_NODES_MAX)
		return hbp_json_fault(rd, "nodes must hold at most %d hosts, "
				      WHY_HNOW ", not %zu",
				      HBP_COSTS_NODES_MAX, n);
	hnow->speeds = calloc(n, sizeof(*hnow->speeds));
	hnow->at = calloc(n, sizeof(*hnow->at));
	hnow->home = calloc(n, sizeof(*hnow->home));
	if (!hnow->speeds || !hnow->at || !hnow->home)
		return hbp_nomem(rd->err);
	ret = read_wormhole(rd, root, hnow);
	if (!ret)
		ret = read_speeds(rd, root, hnow);
	if (!ret)
		ret = check_links(rd, hnow);
	return ret ? ret : find_tree(rd, hnow);
}

/**
 * hbp_hnow_from_json() - an HNOW from its JSON object
 * @rd: the reader
 * @root: the object; borrowed
 * @out: a struct hbp_hnow **, receives the HNOW, to be released with hbp_hnow_free()
 *
 * Return: 0 or a negative errno value.
 */
int hbp_hnow_from_json(struct hbp_reader *rd, json_t *root, void *out)
{
	struct hbp_hnow *hnow = calloc(1, sizeof(*hnow));
	int ret;

	if (!hnow)
		return hbp_nomem(rd->err);
	ret = fill(rd, root, hnow);
	if (ret)
		hbp_hnow_free(hnow);
	else
		*(struct hbp_hnow **)out = hnow;
	return ret;
}

/**
 * hbp_hnow_parse() - read an HNOW from memory
 * @text: JSON, not terminated
 * @len: its length in bytes
 * @name: what error sentences call it
 * @warn: where warnings go, or NULL
 * @out: receives the HNOW, to be released with hbp_hnow_free()
 * @err: receives the reason of a failure
 *
 * From a file it is read with hbp_input_load(), as any input is.
 *
 * Return: 0 or a negative errno value.
 */
int hbp_hnow_parse(const char *text, size_t len, const char *name,
		   const struct hbp_warn *warn, struct hbp_hnow **out,
		   struct hbp_error *err)
{
	return hbp_json_load_text(text, len, name, warn, hbp_hnow_from_json, out,
				  err);
}

/**
 * hbp_hnow_drop() - take a host out
 * @hnow: the HNOW, of at least three hosts
 * @host: its place among the hosts
 *
 * Ways stay as they are, as if its cable were still plugged in.
 */
void hbp_hnow_drop(struct hbp_hnow *hnow, size_t host)
{
	size_t rest = hnow->platform->n_hosts - host - 1;

	memmove(&hnow->speeds[host], &hnow->speeds[host + 1],
		rest * sizeof(*hnow->speeds));
	memmove(&hnow->at[host], &hnow->at[host + 1], rest * sizeof(*hnow->at));
	memmove(&hnow->home[host], &hnow->home[host + 1],
		rest * sizeof(*hnow->home));
	hbp_platform_drop(hnow->platform, hnow->platform->hosts[host]);
}

static double us_from_ps(int64_t ps)
{
	return (double)ps / 1e6;
}

static json_t *hnow_to_json(const struct hbp_hnow *hnow)
{
	json_t *root = hbp_platform_to_json(hnow->platform), *object;
	const struct hbp_speed *speed;
	size_t i, host = 0;

	/* The platform's nodes, in its order; of these its hosts. */
	json_array_foreach(json_object_get(root, "nodes"), i, object) {
		if (!hnow->platform->nodes[i].host)
			continue;
		speed = &hnow->speeds[host++];
		json_object_set_new(object, "speed",
				    json_pack("{s:f, s:f, s:f, s:f}",
					      "send_const_us",
					      hbp_us_from_ns(speed->send_const_ns),
					      "send_byte_us",
					      us_from_ps(speed->send_byte_ps),
					      "recv_const_us",
					      hbp_us_from_ns(speed->recv_const_ns),
					      "recv_byte_us",
					      us_from_ps(speed->recv_byte_ps)));
	}
	json_object_set_new(root, "wormhole",
			    json_pack("{s:f, s:f}", "const_us",
				      hbp_us_from_ns(hnow->const_ns), "byte_us",
				      us_from_ps(hnow->byte_ps)));
	return root;
}

/**
 * hbp_hnow_text() - an HNOW as JSON text
 * @hnow: the HNOW
 *
 * Return: text ending in a newline, to be released with free(), or NULL if
 * memory has run out.
 */
char *hbp_hnow_text(const struct hbp_hnow *hnow)
{
	return hbp_json_dump(hnow_to_json(hnow));
}

/**
 * hbp_hnow_save() - write an HNOW to a file
 * @hnow: the HNOW
 * @path: the file, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_hnow_save(const struct hbp_hnow *hnow, const char *path,
		  struct hbp_error *err)
{
	return hbp_json_save(hnow_to_json(hnow), path, err);
}

/* A constant, and so much for each byte: never less for more bytes. */
static int64_t affine(int64_t const_ns, int64_t byte_ps, double bytes)
{
	double ns = bytes * (double)byte_ps / 1e3;

	return ns > (double)HBP_NS_MAX ? HBP_NEVER :
	       hbp_ns_add(const_ns, (int64_t)(ns + 0.5));
}

/**
 * hbp_hnow_path() - the length of the way between two hosts
 * @hnow: the HNOW
 * @from: place of the sending host
 * @to: place of the receiving host, another
 *
 * Return: the number of links, at least 2.
 */
size_t hbp_hnow_path(const struct hbp_hnow *hnow, size_t from, size_t to)
{
	return hnow->links[hnow->home[from] * hnow->n_homes + hnow->home[to]] + 2;
}

/**
 * hbp_hnow_send_ns() - how long sending takes a host (paper 004, equation 6)
 * @hnow: the HNOW
 * @host: place of the host
 * @bytes: size of the message
 *
 * Return: nanoseconds; HBP_NEVER if above HBP_NS_MAX.
 */
int64_t hbp_hnow_send_ns(const struct hbp_hnow *hnow, size_t host,
			 uint64_t bytes)
{
	return affine(hnow->speeds[host].send_const_ns,
		      hnow->speeds[host].send_byte_ps, (double)bytes);
}

/**
 * hbp_hnow_recv_ns() - how long receiving takes a host (paper 004, equation 8)
 * @hnow: the HNOW
 * @host: place of the host
 * @bytes: size of the message
 *
 * Return: nanoseconds; HBP_NEVER if above HBP_NS_MAX.
 */
int64_t hbp_hnow_recv_ns(const struct hbp_hnow *hnow, size_t host,
			 uint64_t bytes)
{
	return affine(hnow->speeds[host].recv_const_ns,
		      hnow->speeds[host].recv_byte_ps, (double)bytes);
}

/**
 * hbp_hnow_trans_ns() - how long the network takes (paper 004, equation 7)
 * @hnow: the HNOW
 * @from: place of the sending host
 * @to: place of the receiving host, another
 * @bytes: size of the message
 *
 * Return: nanoseconds; HBP_NEVER if above HBP_NS_MAX.
 */
int64_t hbp_hnow_trans_ns(const struct hbp_hnow *hnow, size_t from, size_t to,
			  uint64_t bytes)
{
	return affine(hnow->const_ns, hnow->byte_ps,
		      (double)bytes + (double)hbp_hnow_path(hnow, from, to));
}

/**
 * hbp_hnow_pair_ns() - how long a message takes (paper 004, equation 5)
 * @hnow: the HNOW
 * @from: place of the sending host
 * @to: place of the receiving host, another
 * @bytes: size of the message
 *
 * Return: nanoseconds, at least 1; HBP_NEVER if above HBP_NS_MAX.
 */
int64_t hbp_hnow_pair_ns(const struct hbp_hnow *hnow, size_t from, size_t to,
			 uint64_t bytes)
{
	int64_t ns = hbp_ns_add(hbp_hnow_send_ns(hnow, from, bytes),
				hbp_hnow_trans_ns(hnow, from, to, bytes));

	ns = hbp_ns_add(ns, hbp_hnow_recv_ns(hnow, to, bytes));
	return ns ? ns : 1;
}

/* The rate at which bytes of so many picoseconds follow each other. */
static int64_t byte_rate(int64_t byte_ps)
{
	double bps = byte_ps ? 8e12 / (double)byte_ps : HUGE_VAL;

	if (bps > HBP_BANDWIDTH_MAX_MBPS * 1e6)
		return (int64_t)(HBP_BANDWIDTH_MAX_MBPS * 1e6);
	return bps < 1 ? 1 : (int64_t)(bps + 0.5);
}

static void fill_row(const struct hbp_hnow *hnow, size_t from,
		     struct hbp_costs *costs)
{
	const struct hbp_speed *speeds = hnow->speeds;
	size_t to, cell;

	for (to = 0; to < costs->n; to++) {
		cell = from * costs->n + to;
		if (from == to)
			continue;
		costs->latency_ns[cell] = hbp_hnow_trans_ns(hnow, from, to, 0);
		costs->bandwidth_bps[cell] =
			byte_rate(speeds[from].send_byte_ps + hnow->byte_ps +
				  speeds[to].recv_byte_ps);
	}
}

/**
 * hbp_costs_from_hnow() - what every pair of an HNOW's hosts costs
 * @hnow: the HNOW
 * @out: receives the matrix, to be released with hbp_costs_free()
 * @err: receives the reason of a failure
 *
 * Overheads are the constants of sending and receiving, latency is the constant
 * of the network and the time for the way's links, and bandwidth what all that
 * is done for each byte comes to; so that hbp_costs_pair_ns() is
 * hbp_hnow_pair_ns(), but for rounding. It is of payload.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_costs_from_hnow(const struct hbp_hnow *hnow, struct hbp_costs **out,
			struct hbp_error *err)
{
	const struct hbp_platform *p = hnow->platform;
	struct hbp_costs *costs = hbp_costs_alloc(p->n_hosts);
	const char *name;
	size_t i;

	if (!costs)
		return hbp_nomem(err);
	costs->bare = true;
	for (i = 0; i < costs->n; i++) {
		costs->nodes[i].id = p->nodes[p->hosts[i]].id;
		costs->nodes[i].send_overhead_ns = hnow->speeds[i].send_const_ns;
		costs->nodes[i].recv_overhead_ns = hnow->speeds[i].recv_const_ns;
		fill_row(hnow, i, costs);
		name = p->nodes[p->hosts[i]].name;
		if (!name)
			continue;
		costs->nodes[i].name = strdup(name);
		if (!costs->nodes[i].name) {
			hbp_costs_free(costs);
			return hbp_nomem(err);
		}
	}
	*out = costs;
	return 0;
}
