// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links of a platform that carry less than it says. A rehearsal shows which edges fall
 * short, and by how much. A link explains those that cross it, unless others that cross it
 * have reached more: a link that is full does not let these pass and hold those up. The
 * link that explains most is lowered to what was seen to cross it; so is another one for
 * what is left, until all is explained or nothing explains it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/correction.h"
#include "measure/direction.h"
#include "json.h"
#include "node.h"
#include "stamp.h"
#include "ways.h"
#include "wire.h"

/* A link that a plan fills to that part can be held up by a few acknowledgements more. */
#define FILLED	0.97
/* What explains at least this part of what the best one does is as good. */
#define AS_GOOD	0.98
/* A capacity is lowered by at least this part: less is a test's spread. */
#define STEP	0.01
/* Links that a plan fills about as much: what acknowledgements take is a guess. */
#define ALIKE	0.05
/* What has carried so much more before was not full. */
#define OUTDONE	0.9

/**
 * struct use - a link that an edge crosses
 * @edge: the edge
 * @load: the link, and what the edge takes of it
 * @acks: only its acknowledgements do
 */
struct use {
	size_t edge;
	struct hbp_load load;
	bool acks;
};

/**
 * struct crossing - what crosses a link
 * @planned_bps: by the plan, acknowledgements counted
 * @seen_bps: in the rehearsal, likewise
 * @lost_bps: payload that edges which cross it fell short of and nothing explains yet
 * @level_bps: the most that one of these has reached
 * @over_bps: by how much edges that did not fall short have reached more
 * @data: one of those that fell short sends over it
 * @n: edges whose data crosses it
 */
struct crossing {
	double planned_bps;
	double seen_bps;
	double lost_bps;
	double level_bps;
	double over_bps;
	bool data;
	size_t n;
};

/**
 * struct search - the search for links that carry less
 * @rehearsal: the edges
 * @platform: the links
 * @found: what was found before, and is added
 * @n: number of @uses
 * @uses: of all edges
 * @room: entries that there is room for
 * @open: of each edge, whether it falls short and nothing explains it
 * @crossings: of each link
 * @done: of each link, whether it has been lowered
 */
struct search {
	const struct hbp_rehearsal *rehearsal;
	struct hbp_platform *platform;
	struct hbp_corrections *found;
	size_t n;
	struct use *uses;
	size_t room;
	bool *open;
	struct crossing *crossings;
	bool *done;
};

static int add_loads(struct search *s, const struct hbp_ways *ways, size_t edge,
		     struct hbp_error *err)
{
	size_t i, room = 2 * (s->n + ways->n_loads) + 64;
	struct use *uses;

	if (s->n + ways->n_loads > s->room) {
		uses = realloc(s->uses, room * sizeof(*uses));
		if (!uses)
			return hbp_nomem(err);
		s->uses = uses;
		s->room = room;
	}
	for (i = 0; i < ways->n_loads; i++)
		s->uses[s->n++] = (struct use){ edge, ways->loads[i], i >= ways->n_way };
	return 0;
}

static int find_uses(struct search *s, struct hbp_error *err)
{
	struct hbp_ways *ways = hbp_ways_alloc(s->platform);
	const struct hbp_rehearsed *edge;
	size_t i;
	int ret = ways ? 0 : hbp_nomem(err);

	for (i = 0; !ret && i < s->rehearsal->n; i++) {
		edge = &s->rehearsal->edges[i];
		ret = hbp_ways_edge(ways, edge->from, edge->to, err);
		if (!ret)
			ret = add_loads(s, ways, i, err);
	}
	hbp_ways_free(ways);
	return ret;
}

static double bps(double mbps)
{
	return mbps * 1e6;
}

/* What crosses links, and what those have lost that nothing explains yet. */
static void cross(struct search *s)
{
	const struct hbp_rehearsed *edge;
	const struct use *use;
	struct crossing *c;

	memset(s->crossings, 0, s->platform->n_links * sizeof(*s->crossings));
	for (use = s->uses; use < s->uses + s->n; use++) {
		edge = &s->rehearsal->edges[use->edge];
		c = &s->crossings[use->load.link];
		c->planned_bps += use->load.part * bps(edge->planned_mbps);
		c->seen_bps += use->load.part * bps(edge->reached_mbps);
		c->n += !use->acks;
		if (!s->open[use->edge])
			continue;
		c->lost_bps += bps(edge->planned_mbps - edge->reached_mbps);
		c->data |= !use->acks;
		if (!use->acks)
			c->level_bps = fmax(c->level_bps, bps(edge->reached_mbps));
	}
	for (use = s->uses; use < s->uses + s->n; use++) {
		edge = &s->rehearsal->edges[use->edge];
		c = &s->crossings[use->load.link];
		if (!use->acks && c->data && !hbp_rehearsed_short(edge))
			c->over_bps += fmax(bps(edge->reached_mbps) - c->level_bps, 0);
	}
}

/* Which part of a link the plan takes, by what the platform says of it. */
static double filled(const struct search *s, size_t link)
{
	return s->crossings[link].planned_bps /
	       (double)s->platform->links[link].bandwidth_bps;
}

/* Less than it is said to carry was seen to cross it. */
static bool is_less(const struct search *s, size_t link)
{
	return s->crossings[link].seen_bps <
	       (1 - STEP) * (double)s->platform->links[link].bandwidth_bps;
}

/*
 * What is seen to cross a link is what it carries. Of a link that a plan fills beyond what
 * the platform says the planner does not count all, so it is told as much less.
 */
static double lowered(const struct search *s, size_t link)
{
	double before = (double)s->platform->links[link].bandwidth_bps;

	return fmax(fmin(s->crossings[link].seen_bps, before) / fmax(filled(s, link), 1), 1);
}

/*
 * How much a link explains, in bit/s; 0 for nothing. One that has carried what it is said to
 * does so if the plan fills it beyond that.
 */
static double explains(const struct search *s, size_t link)
{
	const struct crossing *c = &s->crossings[link];

	/* It has carried more before. */
	if (c->seen_bps < OUTDONE * s->found->most_bps[link])
		return 0;
	if (s->done[link] || (!is_less(s, link) && filled(s, link) < 1 + STEP) ||
	    (!c->data && filled(s, link) < FILLED))
		return 0;
	return fmax(c->lost_bps - c->over_bps, 0);
}

/*
 * What a link was seen to carry: as much as it is said to, while the plan wants more of it;
 * less; or more, so that something else held it up.
 */
static int suspicion(const struct search *s, size_t link)
{
	const struct crossing *c = &s->crossings[link];

	if (is_less(s, link))
		return 1;
	if (c->seen_bps < (1 + STEP) * (double)s->platform->links[link].bandwidth_bps && c->data)
		return 0;
	return c->data ? 2 : 3;
}

/* Of links that explain as much: also the one that is filled more, between switches, for more. */
static bool is_likelier(const struct search *s, size_t a, size_t b)
{
	const struct hbp_platform *p = s->platform;
	const struct hbp_link *x = &p->links[a], *y = &p->links[b];
	int x_hosts = p->nodes[x->from].host + p->nodes[x->to].host;
	int y_hosts = p->nodes[y->from].host + p->nodes[y->to].host;

	if (suspicion(s, a) != suspicion(s, b))
		return suspicion(s, a) < suspicion(s, b);
	if (fabs(filled(s, a) - filled(s, b)) > ALIKE)
		return filled(s, a) > filled(s, b);
	return x_hosts != y_hosts ? x_hosts < y_hosts : s->crossings[a].n > s->crossings[b].n;
}

/* The link that explains most of what nothing explains yet, HBP_NONE if none does. */
static size_t find_link(struct search *s)
{
	size_t i, link = HBP_NONE;
	double most = 0;

	cross(s);
	for (i = 0; i < s->platform->n_links; i++)
		most = fmax(most, explains(s, i));
	for (i = 0; most > 0 && i < s->platform->n_links; i++)
		if (explains(s, i) >= AS_GOOD * most &&
		    (link == HBP_NONE || is_likelier(s, i, link)))
			link = i;
	return link;
}

/* Which part of its rate an edge has reached. */
static double part_of(const struct search *s, const struct use *use)
{
	const struct hbp_rehearsed *edge = &s->rehearsal->edges[use->edge];

	return edge->reached_mbps / edge->planned_mbps;
}

/*
 * What crosses the link is explained. Behind data that is held up there acknowledgements
 * are as well, and so are edges that these are of, but no worse than that data.
 */
static void close_edges(struct search *s, size_t link)
{
	bool data = s->crossings[link].data;
	const struct use *use;
	double least = 1;

	for (use = s->uses; use < s->uses + s->n; use++)
		if (use->load.link == link && use->acks != data) {
			s->open[use->edge] = false;
			least = fmin(least, part_of(s, use));
		}
	for (use = s->uses; data && use < s->uses + s->n; use++)
		if (use->load.link == link && part_of(s, use) > least)
			s->open[use->edge] = false;
}

/* As a file tells it, which counts headers. */
static int64_t as_told(const struct search *s, const struct hbp_link *link)
{
	double frames = s->platform->counted ? hbp_wire_frames(hbp_link_mtu(link)) : 1;

	return (int64_t)((double)link->bandwidth_bps * frames + 0.5);
}

static int lower(struct search *s, size_t at)
{
	struct hbp_corrections *found = s->found;
	struct hbp_link *link = &s->platform->links[at];
	struct hbp_correction *links;

	links = realloc(found->links, (found->n + 1) * sizeof(*links));
	if (!links)
		return -ENOMEM;
	found->links = links;
	links[found->n] = (struct hbp_correction){
		.from = s->platform->nodes[link->from].id,
		.to = s->platform->nodes[link->to].id, .before_bps = as_told(s, link),
		.acks = !s->crossings[at].data,
	};
	s->done[at] = true;
	close_edges(s, at);
	link->bandwidth_bps = (int64_t)lowered(s, at);
	links[found->n++].after_bps = as_told(s, link);
	return 0;
}

static int search_alloc(struct search *s)
{
	size_t i;

	s->open = calloc(s->rehearsal->n, sizeof(*s->open));
	s->crossings = calloc(s->platform->n_links, sizeof(*s->crossings));
	s->done = calloc(s->platform->n_links, sizeof(*s->done));
	if (!s->found->most_bps)
		s->found->most_bps = calloc(s->platform->n_links, sizeof(double));
	if (!s->open || !s->crossings || !s->done || !s->found->most_bps)
		return -ENOMEM;
	for (i = 0; i < s->rehearsal->n; i++)
		s->open[i] = hbp_rehearsed_short(&s->rehearsal->edges[i]);
	return 0;
}

/**
 * hbp_correct() - lower the links that explain why edges fell short
 * @rehearsal: a plan's edges, as they were rehearsed
 * @in: the platform, all hosts of the plan in it; changed
 * @found: zeros before the first rehearsal on it; those that were lowered are added, none
 *	if no link explains it; to be released with hbp_corrections_clear()
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if there is no way from one of the nodes to another one; -ENOMEM.
 */
int hbp_correct(const struct hbp_rehearsal *rehearsal, struct hbp_input *in,
		struct hbp_corrections *found, struct hbp_error *err)
{
	struct search s = { .rehearsal = rehearsal, .platform = in->platform, .found = found };
	size_t link;
	int ret;

	ret = search_alloc(&s) ? hbp_nomem(err) : find_uses(&s, err);
	while (!ret && (link = find_link(&s)) != HBP_NONE)
		ret = lower(&s, link) ? hbp_nomem(err) : 0;
	for (link = 0; !ret && link < in->platform->n_links; link++)
		found->most_bps[link] = fmax(found->most_bps[link], s.crossings[link].seen_bps);
	/* It was made of the platform as it was. */
	hbp_costs_free(in->costs);
	in->costs = NULL;
	free(s.uses);
	free(s.open);
	free(s.crossings);
	free(s.done);
	return ret;
}

/**
 * hbp_corrections_clear() - release what corrections own
 * @corrections: the corrections
 */
void hbp_corrections_clear(struct hbp_corrections *corrections)
{
	free(corrections->links);
	free(corrections->most_bps);
	memset(corrections, 0, sizeof(*corrections));
}

/* A file that is written with links corrected. */
struct saving {
	const struct hbp_corrections *corrections;
	const char *path;
};

static int correct_link(struct hbp_reader *rd, json_t *links, const struct hbp_correction *c)
{
	json_t *link = hbp_direction_of(links, c->from, c->to);
	double mbps = json_number_value(json_object_get(link, "bandwidth_mbps"));
	char now[HBP_STAMP_LEN];

	if (!link)
		return hbp_json_fault(rd, "links: that from %u to %u is not there any more",
				      c->from, c->to);
	mbps *= (double)c->after_bps / (double)c->before_bps;
	json_object_set_new(link, "bandwidth_mbps", json_real(mbps));
	hbp_stamp_text(time(NULL), now);
	hbp_direction_measured(link, "rehearsal", now);
	return 0;
}

static int save(struct hbp_reader *rd, json_t *root, void *out)
{
	const struct saving *saving = out;
	size_t i;
	int ret;

	for (i = 0; i < saving->corrections->n; i++) {
		ret = correct_link(rd, json_object_get(root, "links"),
				   &saving->corrections->links[i]);
		if (ret)
			return ret;
	}
	return hbp_json_save(json_incref(root), saving->path, rd->err);
}

/**
 * hbp_corrections_save() - write a platform with links corrected
 * @corrections: the corrections, in the order in which they were found
 * @platform: the file that the platform is from; all else in it stays as it is
 * @path: the new file, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_corrections_save(const struct hbp_corrections *corrections, const char *platform,
			 const char *path, struct hbp_error *err)
{
	struct saving saving = { .corrections = corrections, .path = path };

	return hbp_json_load(platform, NULL, save, &saving, err);
}
