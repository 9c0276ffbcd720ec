// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl monitor: what happens, as it happens. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "attrs.h"
#include "genl.h"
#include "json.h"
#include "output.h"
#include "show.h"
#include "stop.h"

/* "2026-01-31T12:00:00.123456+01:00" */
static json_t *time_json(void)
{
	char day[32], zone[8], text[64];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(text, sizeof(text), "%s.%06ld%.3s:%s", day,
		 now.tv_nsec / 1000, zone, zone + 3);
	return json_string(text);
}

static void value_text(const char *key, const json_t *value, FILE *out)
{
	const json_t *item;
	char text[64];
	size_t i;

	if (!json_is_array(value)) {
		hbout_plain(value, text, sizeof(text));
		fprintf(out, " %s %s", key, text);
		return;
	}
	json_array_foreach((json_t *)value, i, item) {
		hbout_plain(item, text, sizeof(text));
		fprintf(out, "%s%s", i ? "," : json_array_size(value) > 1 ? " nodes " : " node ",
			text);
	}
}

/* A lane that one of its ends has left in order has not failed, so there is no error to tell. */
static void error_text(const json_t *event, int error, FILE *out)
{
	bool ended = hbp_json_says(event, "lane-down");

	if (ended && !error)
		fputs(" as planned", out);
	else if (ended && error == ESHUTDOWN)
		fputs(" as planned by the other side", out);
	else if (error)
		fprintf(out, " error %d (%s)", error, strerror(error));
}

/* The time, the event, and "key value" for the rest. */
static void event_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	const char *time = json_string_value(json_object_get(result, "time"));
	const json_t *event = json_object_get(result, "event");
	const char *key;
	json_t *value;

	(void)ctl;
	fprintf(out, "%.10s %.15s", time, strchr(time, 'T') + 1);
	value_text("", event, out);
	json_object_foreach((json_t *)result, key, value) {
		if (!strcmp(key, "time") || !strcmp(key, "event") ||
		    json_is_false(value) || json_is_null(value))
			continue;
		if (!strcmp(key, "error"))
			error_text(event, json_integer_value(value), out);
		else
			value_text(key, value, out);
	}
	/* No peer is meant. */
	if (hbp_json_says(event, "node-up") || hbp_json_says(event, "node-down"))
		fputs(" (this node)", out);
	fputc('\n', out);
}

static int print_event(struct hbctl *ctl, json_t *event)
{
	json_object_set_new(event, "time", time_json());
	return hbout_print(ctl, json_incref(event), event_text);
}

/* What is there now, a line for each thing, after events were lost. */
static int print_state(struct hbctl *ctl, const struct hbshow_noun *noun,
		       const char *what)
{
	json_t *rows, *row;
	size_t i;
	int ret;

	ret = hbshow_get(ctl, noun, &rows);
	if (ret)
		return ret;
	json_array_foreach(rows, i, row) {
		json_object_set_new(row, "event", json_string(what));
		json_object_del(row, "edges");
		json_object_del(row, "children");
		ret = print_event(ctl, row);
		if (ret)
			break;
	}
	json_decref(rows);
	return ret;
}

static int resynchronise(struct hbctl *ctl)
{
	json_t *event = json_pack("{s:s}", "event", "events-lost");
	int ret;

	ret = print_event(ctl, event);
	json_decref(event);
	if (!ret)
		ret = print_state(ctl, &hbshow_plans, "plan");
	if (!ret)
		ret = print_state(ctl, &hbshow_lanes, "lane");
	return ret;
}

/* Prints all events that have come. */
static int hear(struct hbctl *ctl, struct hbgenl *g)
{
	enum hbgenl_heard heard;
	json_t *events, *event;
	int ret = HBCTL_OK;
	size_t i;

	do {
		events = json_array();
		heard = hbgenl_events(ctl, g, hbattrs_event, events);
		json_array_foreach(events, i, event) {
			if (!ret)
				ret = print_event(ctl, event);
		}
		json_decref(events);
		if (!ret && heard == HBGENL_LOST)
			ret = resynchronise(ctl);
		if (heard == HBGENL_FAILED)
			ret = HBCTL_KERNEL;
	} while (!ret && heard != HBGENL_NONE);
	return ret;
}

static int monitor(struct hbctl *ctl, struct hbgenl *g)
{
	struct hbstop stop;
	struct pollfd fds[2] = { };
	int ret;

	hbstop_catch(&stop);
	fds[0].fd = nl_socket_get_fd(g->sock);
	fds[0].events = POLLIN;
	fds[1].fd = stop.fd;
	fds[1].events = POLLIN;
	do {
		poll(fds, 2, -1);
		ret = hear(ctl, g);
	} while (!ret && !fds[1].revents);
	hbstop_release(&stop);
	return ret;
}

static int run(struct hbctl *ctl, int argc, char **argv)
{
	struct hbarg_key keys[] = { { } };
	struct hbgenl g;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (ret)
		return ret;
	ret = hbgenl_listen(ctl, &g);
	if (!ret)
		ret = monitor(ctl, &g);
	hbgenl_close(&g);
	return ret;
}

/**
 * hbctl_cmd_monitor() - print events until a signal comes
 * @ctl: the run
 * @argc: number of words after "monitor"
 * @argv: the words after "monitor"
 *
 * Return: an exit code.
 */
int hbctl_cmd_monitor(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"monitor", run, "", "print what happens, until interrupted",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
