// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What broadcasts have shown of a network that is known from before.
 *
 * Some link of the route of a lane that the network limits is full then: it carries what
 * the lane gets, and what all others that cross it bring at that time. If a link is known
 * that carries about that, nothing is new. Else some link of the route carries less than
 * was known. Links are taken one after the other, always the one that explains most lanes
 * that are not explained yet, each by the part of its time that it was limited. A link does
 * not limit a lane that gets much less of it than others do. Lanes that cross it and are
 * hardly ever limited speak against it, and a little those that have another explanation.
 * Lanes that share a link end one after the other, and then it is not full any more: a link
 * that is known to carry what crossed it in most of the time that a lane was limited is what
 * limited it.
 * Among equals it is the one that was nearest to full: where the same lanes cross several
 * links, nothing tells which of them it is, and one is enough for the plans that use them
 * together.
 * No link carries less than what was seen to cross it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/news.h"
#include "measure/steps.h"
#include "measure/update.h"
#include "node.h"
#include "route.h"
#include "units.h"

/* Of its time a lane is limited that needs an explanation. */
#define LIMITED	0.4
/* Of less, a lane says that nothing limits it. */
#define HARDLY	0.1
/* Lanes tell means: so much of what a link carries, and more, may be all that it carries. */
#define FULL	0.9
#define FOUND	0.8	/* likewise of what crosses a new one on average */
/* Of the time that a lane was limited, a link that limits it was full. */
#define MOSTLY	0.7
/* What crosses a link when most does is no more than this too much. */
#define PEAK	0.85
#define SURE	0.95	/* of what a link carries, on average, is all that it carries */
/* For how many lanes that a link explains another one counts that crosses it, but is not
 * limited, or is explained.
 */
#define AGAINST		0.5
/* At a full link none that it limits gets less than this part of what another one gets. */
#define FAIR		0.7
#define NEEDLESS	0.1
#define MORE	1.1	/* times its part, a lane gets more than headers add to it */
#define NOISE	1.02	/* times what a link carries is no more than that */

/**
 * struct evidence - lanes, and where they go
 * @platform: the network
 * @seen: the lanes
 * @n: how many
 * @crosses: whether a lane crosses a link, [lane * n_links + link]
 * @load: what crosses a link while it limits a lane, [lane * n_links + link], Mbit/s; 0 for
 *	a lane that is hardly ever limited, or does not cross it
 * @level: the same on average over lanes; 0 without such a lane
 * @most: what each link has carried at least, for some time
 * @mbps: what each link carries, as far as is known by now
 * @explained: lanes that need no other explanation
 * @crossing: room for all lanes
 * @steps: room for theirs
 */
struct evidence {
	const struct hbp_platform *platform;
	const struct hbp_seen *seen;
	size_t n;
	bool *crosses;
	double *load;
	double *level;
	double *most;
	double *mbps;
	bool *explained;
	const struct hbp_seen **crossing;
	struct hbp_step *steps;
};

static bool is_limited(const struct hbp_seen *lane)
{
	return lane->limited >= LIMITED;
}

static bool crosses(const struct evidence *e, size_t lane, size_t link)
{
	return e->crosses[lane * e->platform->n_links + link];
}

/*
 * Whether some link may carry less than was known: plans are of what is known, so a lane that
 * gets more than its part does not tell.
 */
static bool falls_short(const struct hbp_seen *lane)
{
	return is_limited(lane) && (!lane->planned_mbps || lane->mbps < MORE * lane->planned_mbps);
}

/* What one lane brought on average in the time of another one. */
static double at_once(const struct hbp_seen *lane, const struct hbp_seen *with)
{
	double both = fmin(lane->ended_s, with->ended_s) - fmax(lane->begun_s, with->begun_s);
	double length = with->ended_s - with->begun_s;

	if (both <= 0 || length <= 0)
		return 0;
	return lane->mbps * fmin(both / length, 1);
}

/*
 * What crosses a link while it limits a lane: what the lane gets then, and what all others
 * bring on average in its time.
 */
static double load_with(const struct evidence *e, size_t link, size_t lane)
{
	double sum = e->seen[lane].limited_mbps;
	size_t i;

	for (i = 0; i < e->n; i++)
		if (i != lane && crosses(e, i, link))
			sum += at_once(&e->seen[i], &e->seen[lane]);
	return sum;
}

/*
 * The most that all lanes which begin with @first or later bring on average until one of
 * them ends: so much has crossed for sure, however it was spread. @crossing are sorted by
 * their ends.
 */
static double most_since(const struct hbp_seen *const *crossing, size_t n,
			 const struct hbp_seen *first)
{
	double most = 0, sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (crossing[i]->begun_s < first->begun_s)
			continue;
		sum += crossing[i]->mbps * (crossing[i]->ended_s - crossing[i]->begun_s);
		most = fmax(most, sum / (crossing[i]->ended_s - first->begun_s));
	}
	return most;
}

static int compare_ends(const void *a, const void *b)
{
	const struct hbp_seen *one = *(const struct hbp_seen *const *)a;
	const struct hbp_seen *other = *(const struct hbp_seen *const *)b;

	return (one->ended_s > other->ended_s) - (one->ended_s < other->ended_s);
}

/*
 * A lane that was limited for longer tells more: another one may have had the link to itself
 * for a moment. Nor does a link carry much less than what crosses it when most does.
 */
static void find_level(struct evidence *e, size_t link)
{
	double sum = 0, weights = 0, weight, peak = 0, load;
	size_t i;

	for (i = 0; i < e->n; i++) {
		if (!crosses(e, i, link) || e->seen[i].limited < HARDLY)
			continue;
		load = load_with(e, link, i);
		e->load[i * e->platform->n_links + link] = load;
		weight = e->seen[i].limited * (e->seen[i].ended_s - e->seen[i].begun_s);
		sum += weight * load;
		weights += weight;
		peak = fmax(peak, load);
	}
	e->level[link] = weights > 0 ? fmax(sum / weights, PEAK * peak) : 0;
}

/* Lanes that cross a link: e->crossing. Return: how many. */
static size_t find_crossing(struct evidence *e, size_t link)
{
	size_t i, n = 0;

	for (i = 0; i < e->n; i++)
		if (crosses(e, i, link))
			e->crossing[n++] = &e->seen[i];
	return n;
}

static void find_load(struct evidence *e, size_t link)
{
	size_t i, n = find_crossing(e, link);

	find_level(e, link);
	qsort(e->crossing, n, sizeof(*e->crossing), compare_ends);
	for (i = 0; i < n; i++)
		e->most[link] = fmax(e->most[link], most_since(e->crossing, n, e->crossing[i]));
}

static int find_host(const struct hbp_platform *platform, uint32_t id, size_t *at,
		     struct hbp_error *err)
{
	*at = hbp_platform_find(platform, id);
	if (*at != HBP_NONE && platform->nodes[*at].host)
		return 0;
	return hbp_fail(err, -EINVAL,
			 "node %u has a lane but is no host of the platform: it is one of other nodes; measure again, or choose the right file",
			 id);
}

static int find_route(struct evidence *e, size_t lane, struct hbp_routes *routes,
		      struct hbp_error *err)
{
	const struct hbp_platform *p = e->platform;
	size_t from, to, at;
	int ret;

	ret = find_host(p, e->seen[lane].from, &from, err);
	if (!ret)
		ret = find_host(p, e->seen[lane].to, &to, err);
	if (ret)
		return ret;
	hbp_routes_find(p, from, false, routes);
	if (routes->last[to] == HBP_NONE)
		return hbp_fail(err, -EINVAL,
				 "a lane leads from node %u to node %u, but no links of the platform do: measure again",
				 e->seen[lane].from, e->seen[lane].to);
	for (at = to; at != from; at = p->links[routes->last[at]].from)
		e->crosses[lane * p->n_links + routes->last[at]] = true;
	return 0;
}

static int find_routes(struct evidence *e, struct hbp_error *err)
{
	struct hbp_routes *routes = hbp_routes_alloc(e->platform);
	int ret = routes ? 0 : hbp_nomem(err);
	size_t i;

	for (i = 0; !ret && i < e->n; i++)
		ret = find_route(e, i, routes, err);
	hbp_routes_free(routes);
	return ret;
}

/* What a lane gets, as a part of its plan, or else as it is. */
static double share(const struct hbp_seen *lane, double mbps)
{
	return mbps / (lane->planned_mbps > 0 ? lane->planned_mbps : 1);
}

/* The most that a lane gets on average that a link may limit. */
static double largest_share(const struct evidence *e, size_t link)
{
	double most = 0;
	size_t i;

	for (i = 0; i < e->n; i++)
		if (crosses(e, i, link) && is_limited(&e->seen[i]))
			most = fmax(most, share(&e->seen[i], e->seen[i].mbps));
	return most;
}

/* What crosses a link while it limits a lane, or 0; @most is the largest share that it gives. */
static double load_if_fair(const struct evidence *e, size_t lane, size_t link, double most)
{
	const struct hbp_seen *seen = &e->seen[lane];

	return share(seen, fmax(seen->mbps, seen->limited_mbps)) >= FAIR * most ?
	       e->load[lane * e->platform->n_links + link] : 0;
}

/* Whether a link may be what limits a lane, if it is full with @least Mbit/s or more. */
static bool may_limit(const struct evidence *e, size_t lane, size_t link, double least,
		      double most)
{
	double load = load_if_fair(e, lane, link, most);

	return load > 0 && load >= least;
}

/* Whether it was full for long enough; e->steps are those of the link. */
static bool was_full(const struct evidence *e, size_t lane, size_t n_steps, double least)
{
	const struct hbp_seen *seen = &e->seen[lane];

	return hbp_steps_time(e->steps, n_steps, seen, least) >=
	       MOSTLY * seen->limited * (seen->ended_s - seen->begun_s);
}

/* Lanes that a link explains, if @least of what is known by now is all that it carries. */
static void explain_by(struct evidence *e, size_t link, double least)
{
	double most = largest_share(e, link), mbps = least * e->mbps[link];
	size_t i, n = find_crossing(e, link);

	hbp_steps_find(e->crossing, n, e->steps);
	for (i = 0; i < e->n; i++)
		if (may_limit(e, i, link, mbps, most) ||
		    (load_if_fair(e, i, link, most) > 0 && was_full(e, i, 2 * n, mbps)))
			e->explained[i] = true;
}

/* What a link carries if it is full. */
static double level(const struct evidence *e, size_t link)
{
	return fmax(e->level[link], e->most[link]);
}

/* How much says that a link carries less than was known. */
static double score(const struct evidence *e, size_t link)
{
	double sum = 0, most = largest_share(e, link), mbps = level(e, link);
	bool any = false;
	size_t i;

	if (mbps >= SURE * e->mbps[link])
		return -INFINITY;
	for (i = 0; i < e->n; i++) {
		if (!crosses(e, i, link))
			continue;
		if (e->seen[i].limited < HARDLY) {
			sum -= AGAINST;
		} else if (e->explained[i] || !may_limit(e, i, link, FOUND * mbps, most)) {
			sum -= NEEDLESS;
		} else {
			sum += e->seen[i].limited;
			any = any || falls_short(&e->seen[i]);
		}
	}
	return any ? sum : -INFINITY;
}

/* The link that is full, or HBP_NONE if all lanes are explained. */
static size_t choose(const struct evidence *e)
{
	double best = -INFINITY, nearest = 0, s, near;
	size_t k, found = HBP_NONE;

	for (k = 0; k < e->platform->n_links; k++) {
		s = score(e, k);
		near = e->level[k] / e->mbps[k];
		if (s > best || (s > -INFINITY && s == best && near > nearest)) {
			best = s;
			nearest = near;
			found = k;
		}
	}
	return found;
}

/* What was seen of something that should carry @mbps may be more. */
static double raised(double mbps, double most)
{
	return most > NOISE * mbps ? fmin(most, HBP_BANDWIDTH_MAX_MBPS) : mbps;
}

static void weigh(struct evidence *e)
{
	size_t k;

	for (k = 0; k < e->platform->n_links; k++) {
		e->mbps[k] = raised(hbp_mbps_from_bps(e->platform->links[k].bandwidth_bps),
				    e->most[k]);
		explain_by(e, k, FULL);
	}
	while ((k = choose(e)) != HBP_NONE) {
		e->mbps[k] = level(e, k);
		explain_by(e, k, FOUND);
	}
}

static struct hbp_news update_of(const struct evidence *e, size_t link)
{
	const struct hbp_link *l = &e->platform->links[link];
	struct hbp_news update = {
		.from = e->platform->nodes[l->from].id, .to = e->platform->nodes[l->to].id,
		.before_mbps = hbp_mbps_from_bps(l->bandwidth_bps), .mbps = e->mbps[link],
	};
	size_t i;

	for (i = 0; i < e->n; i++) {
		if (!crosses(e, i, link))
			continue;
		update.lanes++;
		update.seen_s = fmax(update.seen_s, e->seen[i].ended_s);
	}
	return update;
}

/* A file can say so. */
static bool can_be(double mbps)
{
	return mbps >= HBP_BANDWIDTH_MIN_MBPS && mbps <= HBP_BANDWIDTH_MAX_MBPS;
}

/* What differs, and what is as it was and full: that is known anew. */
static int tell(const struct evidence *e, struct hbp_news **out, size_t *n_out,
		struct hbp_error *err)
{
	size_t k;

	*out = calloc(e->platform->n_links, sizeof(**out));
	*n_out = 0;
	if (!*out)
		return hbp_nomem(err);
	for (k = 0; k < e->platform->n_links; k++)
		if (can_be(e->mbps[k]) &&
		    (e->level[k] >= SURE * e->mbps[k] ||
		     e->mbps[k] != hbp_mbps_from_bps(e->platform->links[k].bandwidth_bps)))
			(*out)[(*n_out)++] = update_of(e, k);
	return 0;
}

/**
 * hbp_update_platform() - what broadcasts say of the links of a platform
 * @platform: as it was known
 * @seen: what lanes have shown
 * @n: how many
 * @out: the links that carry something else than was known, or were full; owned by the
 *	caller
 * @n_out: how many
 * @err: filled in on failure
 *
 * Return: 0; -EINVAL for a lane between nodes that the platform does not join; -ENOMEM.
 */
int hbp_update_platform(const struct hbp_platform *platform, const struct hbp_seen *seen,
			size_t n, struct hbp_news **out, size_t *n_out,
			struct hbp_error *err)
{
	struct evidence e = { .platform = platform, .seen = seen, .n = n };
	size_t links = platform->n_links, k;
	int ret;

	*out = NULL;
	e.crosses = calloc(n * links + 1, sizeof(*e.crosses));
	e.load = calloc(n * links + 1, sizeof(*e.load));
	e.level = calloc(links, sizeof(*e.level));
	e.most = calloc(links, sizeof(*e.most));
	e.mbps = calloc(links, sizeof(*e.mbps));
	e.explained = calloc(n + 1, sizeof(*e.explained));
	e.crossing = calloc(n + 1, sizeof(*e.crossing));
	e.steps = calloc(2 * n + 1, sizeof(*e.steps));
	if (e.crosses && e.load && e.level && e.most && e.mbps && e.explained && e.crossing &&
	    e.steps)
		ret = find_routes(&e, err);
	else
		ret = hbp_nomem(err);
	if (!ret) {
		for (k = 0; k < links; k++)
			find_load(&e, k);
		weigh(&e);
		ret = tell(&e, out, n_out, err);
	}
	free(e.crosses);
	free(e.load);
	free(e.level);
	free(e.most);
	free(e.mbps);
	free(e.explained);
	free(e.crossing);
	free(e.steps);
	return ret;
}

/* Pairs of a matrix. */

static bool is_pair(const struct hbp_seen *lane, const struct hbp_seen *other)
{
	return lane->from == other->from && lane->to == other->to;
}

/*
 * What crosses the way of a lane's pair in its time; *@alone: its ends have nothing else to
 * send or to receive then.
 */
static double pair_load(const struct hbp_seen *seen, size_t n, size_t lane, bool *alone)
{
	double sum = 0, part;
	size_t i;

	*alone = true;
	for (i = 0; i < n; i++) {
		part = i == lane && is_limited(&seen[i]) ? seen[i].limited_mbps :
							   at_once(&seen[i], &seen[lane]);
		if (is_pair(&seen[i], &seen[lane]))
			sum += part;
		else if (part > 0 && (seen[i].from == seen[lane].from ||
				      seen[i].to == seen[lane].to))
			*alone = false;
	}
	return sum;
}

/* Return: whether the lane has shown all that its pair carries; *@most: what has crossed. */
static bool update_pair(const struct hbp_seen *seen, size_t n, size_t lane,
			struct hbp_news *update, double *most)
{
	bool alone;
	double load = pair_load(seen, n, lane, &alone);

	update->lanes++;
	update->seen_s = fmax(update->seen_s, seen[lane].ended_s);
	*most = fmax(*most, load);
	if (!alone || !is_limited(&seen[lane]))
		return false;
	update->mbps = load;
	return true;
}

static int find_pair(const struct hbp_costs *costs, const struct hbp_seen *lane,
		     struct hbp_news *update, struct hbp_error *err)
{
	size_t from = hbp_costs_find(costs, lane->from), to = hbp_costs_find(costs, lane->to);
	int64_t bps;

	if (from == HBP_NONE || to == HBP_NONE)
		return hbp_fail(err, -EINVAL,
				"node %u has a lane but is not in the matrix: it is one of other nodes; measure again, or choose the right file",
				from == HBP_NONE ? lane->from : lane->to);
	bps = costs->bandwidth_bps[from * costs->n + to];
	if (!bps)
		return hbp_fail(err, -EINVAL,
				"a lane leads from node %u to node %u, but the matrix has no link there: measure again",
				lane->from, lane->to);
	*update = (struct hbp_news){ .from = lane->from, .to = lane->to,
				       .before_mbps = hbp_mbps_from_bps(bps),
				       .mbps = hbp_mbps_from_bps(bps) };
	return 0;
}

/* Whether a lane is the first one of its pair. */
static bool is_first(const struct hbp_seen *seen, size_t lane)
{
	size_t i;

	for (i = 0; i < lane && !is_pair(&seen[i], &seen[lane]); i++)
		;
	return i == lane;
}

/*
 * What all lanes of a pair have shown, of which @first is one. Return: whether that is another
 * figure than was known, or the same known anew.
 */
static bool update_by_all(const struct hbp_seen *seen, size_t n, size_t first,
			  struct hbp_news *update)
{
	double most = 0;
	bool full = false;
	size_t i;

	for (i = first; i < n; i++)
		if (is_pair(&seen[i], &seen[first]))
			full |= update_pair(seen, n, i, update, &most);
	update->mbps = raised(update->mbps, most);
	return can_be(update->mbps) && (full || update->mbps != update->before_mbps);
}

/**
 * hbp_update_costs() - what broadcasts say of the pairs of a cost matrix
 * @costs: as it was known
 * @seen: what lanes have shown
 * @n: how many
 * @out: the pairs that carry something else than was known, or were full; owned by the
 *	caller
 * @n_out: how many
 * @err: filled in on failure
 *
 * A matrix does not tell what pairs share. So a pair carries less than was known only
 * if neither of its nodes had anything else to send, or to receive.
 *
 * Return: 0; -EINVAL for a lane between nodes that the matrix does not join; -ENOMEM.
 */
int hbp_update_costs(const struct hbp_costs *costs, const struct hbp_seen *seen, size_t n,
		     struct hbp_news **out, size_t *n_out, struct hbp_error *err)
{
	struct hbp_news *update;
	int ret = 0;
	size_t i;

	*n_out = 0;
	*out = calloc(n + 1, sizeof(**out));
	if (!*out)
		return hbp_nomem(err);
	for (i = 0; !ret && i < n; i++) {
		if (!is_first(seen, i))
			continue;
		update = &(*out)[*n_out];
		ret = find_pair(costs, &seen[i], update, err);
		*n_out += !ret && update_by_all(seen, n, i, update);
	}
	return ret;
}
