// SPDX-License-Identifier: GPL-2.0-or-later
/* The progress of a message: a live display, or a line now and then. */
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attrs.h"
#include "clock.h"
#include "completion.h"
#include "output.h"
#include "progress.h"

#define LINE_NS		INT64_C(250000000)
#define FAILED_LEN	9	/* "failed: ", and the last place of a line */

/**
 * hbprogress_begin() - a message has been accepted
 * @p: how progress is shown
 * @ctl: the run
 * @lines: lines are wanted instead of a live display
 */
void hbprogress_begin(struct hbprogress *p, struct hbctl *ctl, bool lines)
{
	p->ctl = ctl;
	p->lines = lines;
	p->live = !lines && isatty(STDERR_FILENO);
	p->start = hbclock_now();
	p->last = p->start;
	p->drawn = 0;
}

static void size_text(uint64_t bytes, char *buf, size_t len)
{
	json_t *value = json_integer(bytes);

	hbout_size(value, buf, len);
	json_decref(value);
}

static double part_of(const struct hbcast_completion *c, uint64_t bytes)
{
	return c->total ? (double)bytes / c->total : 1;
}

/* The member that has least of those that have not failed, or NULL. */
static const struct hbcast_member *slowest(const struct hbcast_completion *c)
{
	const struct hbcast_member *found = NULL;
	uint32_t i;

	for (i = 0; i < c->members; i++) {
		if (c->member[i].state != HBCAST_FAILED &&
		    (!found || c->member[i].bytes < found->bytes))
			found = &c->member[i];
	}
	return found;
}

static void draw_member(const struct hbprogress *p,
			const struct hbcast_completion *c,
			const struct hbcast_member *m)
{
	double seconds = m->time_ns ? m->time_ns / 1e9 :
				      (p->last - p->start) / 1e9;
	char bar[64], size[32];

	hbout_bar(part_of(c, m->bytes), bar, sizeof(bar));
	size_text(m->bytes, size, sizeof(size));
	fprintf(stderr, "node %-10u %s %10s %8.1f Mbit/s  %s\033[K\n", m->node,
		bar, size, seconds > 0 ? m->bytes * 8 / seconds / 1e6 : 0,
		m->state == HBCAST_PENDING ? "" :
		m->state == HBCAST_DELIVERED ? "delivered" :
		hbfield_name(hbattrs_reasons, m->reason) ? : "failed");
}

/* In no more lines than are told: a longer one would be two. Returns how many these are. */
static unsigned int draw_summary(const struct hbcast_completion *c, int width)
{
	const struct hbcast_member *m = slowest(c);
	char bar[64], failed[512];
	json_t *row;

	hbout_bar(m ? part_of(c, m->bytes) : 0, bar, sizeof(bar));
	fprintf(stderr, "%s at least at each of %u nodes, %u delivered, %u failed\033[K\n",
		bar, c->members - c->failed, c->delivered, c->failed);
	if (!c->failed)
		return 1;
	row = hbcompletion_json(c);
	hbcompletion_list(json_object_get(row, "nodes"), true, failed, sizeof(failed));
	json_decref(row);
	fprintf(stderr, "failed: %.*s\033[K\n", width - FAILED_LEN, failed);
	return 2;
}

/* A line for each member, or one for all if the terminal has too few. */
static void draw(struct hbprogress *p, const struct hbcast_completion *c)
{
	struct winsize size = { };
	uint32_t i;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		size.ws_row = 24;
	if (size.ws_col <= FAILED_LEN)
		size.ws_col = 80;
	if (p->drawn)
		fprintf(stderr, "\033[%uA", p->drawn);
	if (c->members < size.ws_row) {
		for (i = 0; i < c->members; i++)
			draw_member(p, c, &c->member[i]);
		p->drawn = c->members;
	} else {
		p->drawn = draw_summary(c, size.ws_col);
	}
	fflush(stderr);
}

static void line_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	const json_t *row = json_object_get(result, "progress");
	const json_t *part = json_object_get(row, "slowest_part");
	json_int_t failed = json_integer_value(json_object_get(row, "failed"));
	char sent[32], total[32], list[512];

	(void)ctl;
	hbout_size(json_object_get(row, "sent_bytes"), sent, sizeof(sent));
	hbout_size(json_object_get(row, "bytes"), total, sizeof(total));
	fprintf(out, "%.1f s: %s of %s sent, ",
		json_number_value(json_object_get(row, "elapsed_us")) / 1e6, sent, total);
	if (part)
		fprintf(out, "every %snode has at least %.0f %%, ", failed ? "other " : "",
			json_number_value(part) * 100);
	fprintf(out, "%lld of %lld delivered, %lld failed",
		json_integer_value(json_object_get(row, "delivered")),
		json_integer_value(json_object_get(row, "members")), failed);
	hbcompletion_list(json_object_get(row, "nodes"), true, list, sizeof(list));
	fprintf(out, "%s%s\n", failed ? ": " : "", list);
}

static int print_line(struct hbprogress *p, const struct hbcast_completion *c)
{
	const struct hbcast_member *m = slowest(c);
	json_t *row = hbcompletion_json(c);

	json_object_set_new(row, "elapsed_us",
			    json_real((p->last - p->start) / 1e3));
	if (m) {
		json_object_set_new(row, "slowest", json_integer(m->node));
		json_object_set_new(row, "slowest_part",
				    json_real(part_of(c, m->bytes)));
	}
	return hbout_print(p->ctl, json_pack("{s:o}", "progress", row),
			   line_text);
}

/**
 * hbprogress_show() - show how far the message is
 * @p: how progress is shown
 * @c: how far it is
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL if standard output takes no more.
 */
int hbprogress_show(struct hbprogress *p, const struct hbcast_completion *c)
{
	int64_t now = hbclock_now();

	if (p->lines && now - p->last < LINE_NS)
		return HBCTL_OK;
	p->last = now;
	if (p->lines)
		return print_line(p, c);
	if (p->live)
		draw(p, c);
	return HBCTL_OK;
}

/**
 * hbprogress_end() - take the live display away
 * @p: how progress was shown
 */
void hbprogress_end(struct hbprogress *p)
{
	if (p->drawn)
		fprintf(stderr, "\033[%uA\033[J", p->drawn);
	p->drawn = 0;
}
