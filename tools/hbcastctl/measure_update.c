// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl measure update: what broadcasts have shown goes into a file. */
#include <math.h>
#include <stdlib.h>

#include "args.h"
#include "hbplan.h"
#include "lane_list.h"
#include "measure/update.h"
#include "measure_update.h"
#include "output.h"
#include "plan.h"
#include "plan_age.h"
#include "stamp.h"
#include "wire.h"

#define LIMITED_US	100000	/* for so long a lane was limited that says how much it got */
#define SPELL_US	1000	/* less tells nothing, and times are told by seconds since 1970 */

/**
 * struct updating - an update
 * @ctl: the run
 * @path: the file
 * @lanes: what they have shown
 * @n: of @seen
 * @seen: those that have carried something
 */
struct updating {
	struct hbctl *ctl;
	const char *path;
	struct hblanes lanes;
	size_t n;
	struct hbp_seen *seen;
};

/*
 * What a lane has shown; false if it has carried nothing. @frames are the bytes on the link
 * for each byte that the file counts.
 */
static bool see(const json_t *row, double frames, struct hbp_seen *seen)
{
	double spell = hblanes_number(row, "spell_us"), limited = hblanes_number(row, "limited_us");

	if (spell < SPELL_US)
		return false;
	hbp_stamp_seconds(json_string_value(json_object_get(row, "time")), &seen->ended_s);
	seen->ended_s -= hblanes_number(row, "spell_age_us") / 1e6;
	seen->from = (uint32_t)hblanes_number(row, "node");
	seen->to = (uint32_t)hblanes_number(row, "peer");
	seen->begun_s = seen->ended_s - spell / 1e6;
	seen->mbps = 8 * hblanes_number(row, "spell_bytes") / spell / frames;
	seen->planned_mbps = hblanes_number(row, "planned_mbps");
	seen->limited_mbps = 0;
	seen->limited = 0;
	if (limited >= LIMITED_US) {
		seen->limited_mbps = 8 * hblanes_number(row, "limited_bytes") / limited / frames;
		seen->limited = fmin(limited / spell, 1);
	}
	return true;
}

static int look(struct updating *u, bool bare)
{
	double frames = bare ? hbp_wire_frames(HBP_MTU) : 1;
	json_t *row;
	size_t i;

	u->seen = calloc(json_array_size(u->lanes.rows) + 1, sizeof(*u->seen));
	if (!u->seen)
		abort();
	json_array_foreach(u->lanes.rows, i, row)
		u->n += see(row, frames, &u->seen[u->n]);
	if (u->n)
		return HBCTL_OK;
	return hbctl_error(u->ctl, HBCTL_USAGE,
			   "no lane of group %u has carried anything that tells of the network: broadcast some megabytes first",
			   u->lanes.group);
}

static void update_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "FROM", "from", NULL }, { "TO", "to", NULL },
		{ "BEFORE", "before_mbps", hbout_mbps }, { "NOW", "mbps", hbout_mbps },
		{ "LANES", "lanes", NULL }, { "AGE", "age_us", hbout_usec },
		{ }
	};
	json_int_t older = json_integer_value(json_object_get(result, "older"));
	const json_t *links = json_object_get(result, "links");

	(void)ctl;
	if (json_array_size(links))
		hbout_table(out, links, columns);
	else if (!older)
		fputs("nothing that is not known already\n", out);
	if (older)
		fprintf(out, "left as the file has them, as it is newer: %lld figures\n", older);
}

static json_t *news_json(const struct updating *u, const struct hbp_news *news)
{
	/* By another node's clock it may be seen in a moment. */
	double age = fmax((double)u->lanes.now - news->seen_s, 0);

	return json_pack("{s:I, s:I, s:f, s:f, s:I, s:f}", "from", (json_int_t)news->from,
			 "to", (json_int_t)news->to, "before_mbps", news->before_mbps,
			 "mbps", news->mbps, "lanes", (json_int_t)news->lanes,
			 "age_us", 1e6 * age);
}

static int write_news(struct updating *u, struct hbp_news *news, size_t n)
{
	json_t *links = json_array();
	size_t i, found = n;
	struct hbp_error err;

	if (n && hbp_news_save(news, &n, u->path, &err)) {
		json_decref(links);
		return hbctl_error(u->ctl, HBCTL_USAGE, "%s", err.text);
	}
	for (i = 0; i < n; i++)
		json_array_append_new(links, news_json(u, &news[i]));
	return hbout_print(u->ctl, json_pack("{s:I, s:o, s:I}", "lanes", (json_int_t)u->n,
					     "links", links, "older", (json_int_t)(found - n)),
			   update_text);
}

/* Bandwidths stay as the file tells them. */
static int load(struct updating *u, struct hbp_input **in)
{
	struct hbp_warn warn = hbplan_warnings(u->ctl);
	struct hbp_error err;

	if (hbp_input_load(u->path, &warn, in, &err))
		return hbctl_error(u->ctl, HBCTL_USAGE, "%s", err.text);
	if ((*in)->kind & HBP_INPUT_HNOW)
		return hbctl_error(u->ctl, HBCTL_USAGE,
				   "%s is an HNOW, of which broadcasts show nothing: give a platform or a cost matrix",
				   u->path);
	return HBCTL_OK;
}

static int update(struct updating *u)
{
	struct hbp_input *in = NULL;
	struct hbp_news *news = NULL;
	struct hbp_error err;
	size_t n = 0;
	int ret;

	ret = load(u, &in);
	if (!ret) {
		hbplan_tell_age(u->ctl, in);
		ret = hblanes_read(&u->lanes);
	}
	if (!ret)
		ret = look(u, in->platform ? in->platform->bare : in->costs->bare);
	if (ret)
		goto out;
	ret = in->platform ? hbp_update_platform(in->platform, u->seen, u->n, &news, &n, &err) :
			     hbp_update_costs(in->costs, u->seen, u->n, &news, &n, &err);
	if (ret)
		ret = hbctl_error(u->ctl, HBCTL_USAGE, "%s: %s", u->path, err.text);
	else
		ret = write_news(u, news, n);
out:
	free(news);
	hbp_input_free(in);
	return ret;
}

/**
 * hbmeas_update() - hbcastctl measure update
 * @ctl: the run
 * @argc: number of words after "update"
 * @argv: the words, the first being the name of a file
 *
 * Return: an exit code.
 */
int hbmeas_update(struct hbctl *ctl, int argc, char **argv)
{
	struct updating u = {
		.ctl = ctl, .lanes = { .ctl = ctl, .now = time(NULL) },
	};
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &u.lanes.group, HBARG_REQUIRED, 0 },
		{ "lanes", hblanes_parse, &u.lanes, HBARG_MANY, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse_file(ctl, "measure update", "platform or matrix", keys, argc, argv);
	if (!ret) {
		u.path = argv[0];
		ret = update(&u);
	}
	free(u.seen);
	hblanes_clear(&u.lanes);
	return ret;
}
