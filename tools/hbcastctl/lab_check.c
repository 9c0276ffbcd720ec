// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does an emulated network give what it was asked for? What can be measured is
 * the route from one host to another, and its bandwidth is that of its slowest
 * link. So routes are chosen such that every link is, where that is possible,
 * the slowest of a measured route, alone or with its equals.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "lab_check.h"
#include "lab_probe.h"
#include "node.h"
#include "output.h"
#include "route.h"
#include "units.h"

#define TOLERANCE	0.05
/* What waking up and a few microseconds of work cost at each link. */
#define SLACK_NS	200000
/* Ethernet, IP and UDP headers and the payload of a latency probe. */
#define PROBE_BYTES	50

#define BUSY_HINT	"the processors were busy all the time, so ask for less bandwidth or use a faster machine"
#define IDLE_HINT	"let nothing else use the lab or its machine while it is checked"

/* How well a route tells the bandwidth of one of its links. */
enum rank {
	ALONE,		/* the link alone is the slowest */
	EQUAL,		/* so are others */
	FASTER,		/* another is slower */
	UNUSED,		/* the link is not on the route */
};

/**
 * struct check - one check at work
 * @ctl: the run
 * @net: the network
 * @routes: from each host, in the order of @net's hosts
 * @best: for each link the best rank that any route gives it
 * @given: for each link the rank that the routes chosen so far give it
 * @passed: for each link whether the routes that give it its rank passed
 * @chosen: the routes to measure, as source * number of hosts + destination
 * @n_chosen: how many
 */
struct check {
	struct hbctl *ctl;
	const struct hblab_net *net;
	struct hbp_routes **routes;
	enum rank *best;
	enum rank *given;
	bool *passed;
	size_t *chosen;
	size_t n_chosen;
};

static void check_free(struct check *check)
{
	size_t i;

	for (i = 0; i < check->net->platform->n_hosts; i++)
		hbp_routes_free(check->routes[i]);
	free(check->routes);
	free(check->best);
	free(check->given);
	free(check->passed);
	free(check->chosen);
}

static void check_init(struct check *check)
{
	const struct hbp_platform *p = check->net->platform;
	size_t i;

	check->routes = calloc(p->n_hosts, sizeof(*check->routes));
	check->best = calloc(p->n_links + 1, sizeof(*check->best));
	check->given = calloc(p->n_links + 1, sizeof(*check->given));
	check->passed = calloc(p->n_links + 1, sizeof(*check->passed));
	check->chosen = calloc(p->n_links + 1, sizeof(*check->chosen));
	if (!check->routes || !check->best || !check->given ||
	    !check->passed || !check->chosen)
		abort();
	for (i = 0; i < p->n_links; i++) {
		check->best[i] = UNUSED;
		check->given[i] = UNUSED;
		check->passed[i] = true;
	}
	for (i = 0; i < p->n_hosts; i++) {
		check->routes[i] = hbp_routes_alloc(p);
		if (!check->routes[i])
			abort();
		hbp_routes_find(p, p->hosts[i], false, check->routes[i]);
	}
}

/* The link before @link on a route, or HBP_NONE; begin with the last one. */
static size_t link_before(const struct hbp_platform *p,
			  const struct hbp_routes *routes, size_t link)
{
	return routes->last[p->links[link].from];
}

static enum rank link_rank(const struct hbp_platform *p,
			   const struct hbp_routes *routes, size_t node,
			   size_t link)
{
	int64_t least = routes->bandwidth_bps[node];
	unsigned int slowest = 0;
	size_t i;

	if (p->links[link].bandwidth_bps > least)
		return FASTER;
	for (i = routes->last[node]; i != HBP_NONE;
	     i = link_before(p, routes, i))
		slowest += p->links[i].bandwidth_bps == least;
	return slowest == 1 ? ALONE : EQUAL;
}

/*
 * Gives all links of the route from host @s to host @d the rank that they have
 * on it, if that is better. True if a link gets its best rank by that.
 */
static bool rank_links(struct check *check, size_t s, size_t d,
		       enum rank *ranks)
{
	const struct hbp_platform *p = check->net->platform;
	const struct hbp_routes *routes = check->routes[s];
	size_t node = p->hosts[d], i;
	bool news = false;
	enum rank rank;

	for (i = routes->last[node]; i != HBP_NONE;
	     i = link_before(p, routes, i)) {
		rank = link_rank(p, routes, node, i);
		if (rank >= ranks[i])
			continue;
		ranks[i] = rank;
		news |= rank == check->best[i];
	}
	return news;
}

/*
 * Chooses routes that give every link its best rank. Going from every host to
 * its next, then to the one after that, and so on makes the routes meet most
 * links with few of them.
 */
static void choose_routes(struct check *check)
{
	const struct hbp_platform *p = check->net->platform;
	enum rank *trial;
	size_t s, d, step;

	for (s = 0; s < p->n_hosts; s++) {
		for (d = 0; d < p->n_hosts; d++) {
			if (d != s)
				rank_links(check, s, d, check->best);
		}
	}
	trial = calloc(p->n_links + 1, sizeof(*trial));
	if (!trial)
		abort();
	for (step = 1; step < p->n_hosts; step++) {
		for (s = 0; s < p->n_hosts; s++) {
			d = (s + step) % p->n_hosts;
			memcpy(trial, check->given,
			       p->n_links * sizeof(*trial));
			if (!rank_links(check, s, d, trial))
				continue;
			memcpy(check->given, trial,
			       p->n_links * sizeof(*trial));
			check->chosen[check->n_chosen++] = s * p->n_hosts + d;
		}
	}
	free(trial);
}

static void set_place(const struct hblab_host *host, struct hblab_place *place)
{
	struct sockaddr_in *address = (struct sockaddr_in *)&place->address;

	memset(place, 0, sizeof(*place));
	place->netns = host->netns;
	address->sin_family = AF_INET;
	inet_pton(AF_INET, host->address, &address->sin_addr);
}

/* Latency with the time that the probe itself takes on each wire. */
static void expect(const struct check *check, size_t s, size_t d,
		   struct hblab_wish *wish)
{
	const struct hbp_platform *p = check->net->platform;
	const struct hbp_routes *routes = check->routes[s];
	size_t i;

	wish->latency_ns = routes->latency_ns[p->hosts[d]];
	wish->round_ns = wish->latency_ns +
			 check->routes[d]->latency_ns[p->hosts[s]] +
			 check->net->queue_ns;
	wish->bps = routes->bandwidth_bps[p->hosts[d]];
	for (i = routes->last[p->hosts[d]]; i != HBP_NONE;
	     i = link_before(p, routes, i))
		wish->latency_ns += 8.0 * PROBE_BYTES * 1e9 /
				    p->links[i].bandwidth_bps;
}

/* Share of the processors' time spent idle since the last call. */
static double idle_share(void)
{
	static double last_idle, last_all;
	double field[8] = { 0 }, all = 0, idle, share;
	FILE *f = fopen("/proc/stat", "r");
	int i;

	if (!f)
		return 1;
	if (fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &field[0],
		   &field[1], &field[2], &field[3], &field[4], &field[5],
		   &field[6], &field[7]) < 4)
		field[3] = last_idle + 1;
	fclose(f);
	for (i = 0; i < 8; i++)
		all += field[i];
	idle = field[3] + field[4];
	share = all > last_all ? (idle - last_idle) / (all - last_all) : 1;
	last_idle = idle;
	last_all = all;
	return share;
}

/* Marks the links whose verdict rests on this route. */
static void fail_links(struct check *check, size_t s, size_t d)
{
	const struct hbp_platform *p = check->net->platform;
	const struct hbp_routes *routes = check->routes[s];
	size_t node = p->hosts[d], i;

	for (i = routes->last[node]; i != HBP_NONE;
	     i = link_before(p, routes, i)) {
		if (link_rank(p, routes, node, i) == check->best[i])
			check->passed[i] = false;
	}
}

static json_t *route_json(const struct check *check, size_t s, size_t d,
			  const struct hblab_wish *wish, int64_t latency_ns,
			  int64_t bps)
{
	const struct hbp_platform *p = check->net->platform;
	size_t hops = check->routes[s]->hops[p->hosts[d]];
	double off_ns = fabs((double)latency_ns - wish->latency_ns);
	double off_bps = fabs((double)bps - wish->bps);
	bool latency_ok, bandwidth_ok;
	json_t *obj;

	latency_ok = latency_ns >= 0 &&
		     off_ns <= TOLERANCE * wish->latency_ns + hops * SLACK_NS;
	bandwidth_ok = off_bps <= TOLERANCE * wish->bps;
	obj = json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:b, s:b}",
			"from", (json_int_t)p->nodes[p->hosts[s]].id,
			"to", (json_int_t)p->nodes[p->hosts[d]].id,
			"links", (json_int_t)hops,
			"asked_latency_us", hbp_us_from_ns(wish->latency_ns),
			"asked_mbps", hbp_mbps_from_bps(wish->bps),
			"mbps", hbp_mbps_from_bps(bps),
			"latency_ok", latency_ok,
			"bandwidth_ok", bandwidth_ok);
	json_object_set_new(obj, "latency_us", latency_ns < 0 ? json_null() :
			    json_real(hbp_us_from_ns(latency_ns)));
	json_object_set_new(obj, "verdict",
			    json_string(latency_ok && bandwidth_ok ?
					"as asked" : latency_ok ?
					"wrong bandwidth" : bandwidth_ok ?
					"wrong latency" : "wrong"));
	return obj;
}

static int measure(struct check *check, size_t s, size_t d, json_t *rows)
{
	struct hblab_place from, to;
	struct hblab_wish wish;
	int64_t latency_ns, bps;
	double idle;
	json_t *row;
	int ret;

	set_place(&check->net->hosts[s], &from);
	set_place(&check->net->hosts[d], &to);
	expect(check, s, d, &wish);
	ret = hblab_probe_latency(check->ctl, &from, &to, &wish, &latency_ns);
	if (ret)
		return ret;
	idle_share();
	ret = hblab_probe_bandwidth(check->ctl, &from, &to, &wish, &bps);
	if (ret)
		return ret;
	idle = idle_share();
	row = route_json(check, s, d, &wish, latency_ns, bps);
	json_object_set_new(row, "idle", json_real(idle));
	if (strcmp(json_string_value(json_object_get(row, "verdict")),
		   "as asked"))
		fail_links(check, s, d);
	json_array_append_new(rows, row);
	return HBCTL_OK;
}

static const char *link_verdict(const struct check *check, size_t link)
{
	if (!check->passed[link])
		return "failed";
	if (check->best[link] == FASTER)
		return "never the slowest";
	if (check->best[link] == UNUSED)
		return "not used";
	return "as asked";
}

static json_t *links_json(const struct check *check)
{
	const struct hbp_platform *p = check->net->platform;
	json_t *links = json_array(), *link;
	size_t i;

	for (i = 0; i < p->n_links; i++) {
		link = json_pack("{s:I, s:I, s:s}",
				 "from",
				 (json_int_t)p->nodes[p->links[i].from].id,
				 "to",
				 (json_int_t)p->nodes[p->links[i].to].id,
				 "verdict", link_verdict(check, i));
		json_array_append_new(links, link);
	}
	return links;
}

/**
 * hblab_check() - measure whether a network gives what it was asked for
 * @ctl: the run
 * @net: the network, which is up
 * @result: gets a new object with the routes measured and a verdict on every
 *	link
 *
 * Return: HBCTL_OK if it could be measured, whatever the verdicts, or an exit
 * code after it has reported the error.
 */
int hblab_check(struct hbctl *ctl, const struct hblab_net *net,
		json_t **result)
{
	struct check check = { .ctl = ctl, .net = net };
	size_t i, n_hosts = net->platform->n_hosts;
	json_t *rows = json_array();
	int ret = HBCTL_OK;

	check_init(&check);
	choose_routes(&check);
	for (i = 0; i < check.n_chosen && !ret; i++) {
		hbout_progress(ctl, "checking", i, check.n_chosen);
		ret = measure(&check, check.chosen[i] / n_hosts,
			      check.chosen[i] % n_hosts, rows);
	}
	hbout_progress_end(ctl);
	if (ret)
		json_decref(rows);
	else
		*result = json_pack("{s:s, s:o, s:o}", "name", net->name,
				    "routes", rows, "links",
				    links_json(&check));
	check_free(&check);
	return ret;
}

/**
 * hblab_check_text() - write what hblab_check() found as text
 * @ctl: the run
 * @result: the object
 * @out: where
 */
void hblab_check_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column routes[] = {
		{ "FROM", "from", NULL },
		{ "TO", "to", NULL },
		{ "LATENCY", "latency_us", hbout_usec },
		{ "ASKED", "asked_latency_us", hbout_usec },
		{ "BANDWIDTH", "mbps", hbout_mbps },
		{ "ASKED", "asked_mbps", hbout_mbps },
		{ "VERDICT", "verdict", NULL },
		{ }
	};
	static const struct hbout_column links[] = {
		{ "LINK FROM", "from", NULL },
		{ "TO", "to", NULL },
		{ "VERDICT", "verdict", NULL },
		{ }
	};

	(void)ctl;
	hbout_table(out, json_object_get(result, "routes"), routes);
	putc('\n', out);
	hbout_table(out, json_object_get(result, "links"), links);
}

static double number(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

/**
 * hblab_check_verdict() - the exit code that follows from a check
 * @ctl: the run
 * @result: what hblab_check() found; borrowed
 *
 * Return: HBCTL_OK if all routes are as asked, else HBCTL_KERNEL after a
 * sentence about the first that is not.
 */
int hblab_check_verdict(struct hbctl *ctl, const json_t *result)
{
	const json_t *routes = json_object_get(result, "routes");
	const json_t *row, *first = NULL;
	size_t i, wrong = 0;
	bool busy;

	json_array_foreach((json_t *)routes, i, row) {
		if (json_is_true(json_object_get(row, "latency_ok")) &&
		    json_is_true(json_object_get(row, "bandwidth_ok")))
			continue;
		if (!wrong++)
			first = row;
	}
	if (!wrong)
		return HBCTL_OK;
	busy = number(first, "idle") < 0.05;
	return hbctl_error(ctl, HBCTL_KERNEL,
			   "%zu of %zu routes are not as asked within 5 %%, first that from %.0f to %.0f with %.1f of %.1f Mbit/s and %.0f of %.0f us: %s",
			   wrong, json_array_size(routes),
			   number(first, "from"), number(first, "to"),
			   number(first, "mbps"), number(first, "asked_mbps"),
			   number(first, "latency_us"),
			   number(first, "asked_latency_us"),
			   busy ? BUSY_HINT : IDLE_HINT);
}
