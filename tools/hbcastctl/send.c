// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl send: a file to every member of a group. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/hbcast.h>

#include "args.h"
#include "clock.h"
#include "completion.h"
#include "output.h"
#include "progress.h"
#include "show.h"
#include "sock.h"
#include "stop.h"

/* How often the progress is asked for. */
#define LOOK_MS	100

/**
 * struct send - one run of the command
 * @ctl: the run
 * @name: name of the file, "-" for standard input
 * @group: to which group
 * @port: to which of its receivers
 * @timeout_ns: how long it may take; 0 for ever
 * @progress: how progress is shown
 * @stop: caught signals
 * @file: the file
 * @sock: the socket
 * @c: how far the message is; owned
 * @complete: it will get no further
 */
struct send {
	struct hbctl *ctl;
	const char *name;
	uint32_t group;
	uint16_t port;
	uint64_t timeout_ns;
	struct hbprogress progress;
	struct hbstop stop;
	int file;
	int sock;
	struct hbcast_completion *c;
	bool complete;
};

static int refuse_file(const struct send *s, const char *what)
{
	return hbctl_error(s->ctl, HBCTL_USAGE, "\"%s\" cannot be %s: %s",
			   s->name, what, strerror(errno));
}

/* Standard input goes through a file that has no name. */
static int copy_input(struct send *s)
{
	char buf[65536];
	FILE *copy;
	ssize_t n;

	copy = tmpfile();
	if (!copy)
		return hbctl_error(s->ctl, HBCTL_USAGE,
				   "a file to keep standard input in cannot be made: %s",
				   strerror(errno));
	while ((n = read(STDIN_FILENO, buf, sizeof(buf)))) {
		if (n < 0 || fwrite(buf, 1, n, copy) != (size_t)n)
			break;
	}
	if (!n && !fflush(copy))
		s->file = dup(fileno(copy));
	if (s->file < 0)
		hbctl_error(s->ctl, HBCTL_USAGE,
			    "standard input cannot be copied to a file: %s",
			    strerror(errno));
	fclose(copy);
	return s->file < 0 ? HBCTL_USAGE : HBCTL_OK;
}

static int open_file(struct send *s, struct hbcast_file *message)
{
	struct stat st;

	if (!strcmp(s->name, "-")) {
		if (copy_input(s))
			return HBCTL_USAGE;
	} else {
		s->file = open(s->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (s->file < 0)
			return refuse_file(s, "opened");
	}
	if (fstat(s->file, &st))
		return refuse_file(s, "looked at");
	if (!S_ISREG(st.st_mode))
		return hbctl_error(s->ctl, HBCTL_USAGE,
				   "\"%s\" is no regular file, so its length is not known: name a file, or - to send standard input",
				   s->name);
	message->fd = s->file;
	message->length = st.st_size;
	return HBCTL_OK;
}

static int start(struct send *s)
{
	struct hbcast_file message = { };
	int ret;

	ret = open_file(s, &message);
	if (!ret)
		ret = hbsock_sender(s->ctl, s->group, s->port, &s->sock);
	if (ret)
		return ret;
	if (!ioctl(s->sock, HBCIOCSENDFILE, &message))
		return HBCTL_OK;
	return hbctl_error(s->ctl, HBCTL_KERNEL,
			   "\"%s\" cannot be sent to group %u: %s", s->name,
			   s->group, errno == ENETUNREACH ?
			   "this node has no plan for it, give it one with \"hbcastctl apply\"" :
			   strerror(errno));
}

/* Waits for a moment; whether there is nothing more to wait for. */
static int wait_some(struct send *s)
{
	struct hbcast_wait wait = { .timeout_ms = LOOK_MS };

	if (!ioctl(s->sock, HBCIOCWAIT, &wait)) {
		s->complete = true;
		return HBCTL_OK;
	}
	if (errno == ETIMEDOUT || errno == EINTR)
		return HBCTL_OK;
	return hbctl_error(s->ctl, HBCTL_KERNEL,
			   "\"%s\" was not sent to the end: %s", s->name,
			   errno == ECONNABORTED ?
			   "the plan or the group was removed" :
			   strerror(errno));
}

/* Until all members have the message or never will, the time is over, or a signal. */
static int follow(struct send *s)
{
	int64_t end = s->timeout_ns ? s->progress.start + s->timeout_ns :
				      INT64_MAX;
	int ret = HBCTL_OK;
	bool over;

	do {
		over = hbstop_asked(&s->stop) || hbclock_now() >= end;
		if (!over)
			ret = wait_some(s);
		if (!ret)
			ret = hbcompletion_get(s->ctl, s->sock, &s->c);
		if (!ret)
			ret = hbprogress_show(&s->progress, s->c);
	} while (!ret && !over && !s->complete);
	hbprogress_end(&s->progress);
	return ret;
}

/* Whether there are members that were not reached. */
static bool has_dead(const struct hbcast_completion *c)
{
	uint32_t i;

	for (i = 0; i < c->members; i++)
		if (c->member[i].state == HBCAST_FAILED &&
		    c->member[i].reason == HBCAST_REASON_NODE_DEAD)
			return true;
	return false;
}

static int verdict(const struct send *s)
{
	static const char * const advice[] = {
		"",
		"; when one that is node-dead is back, start \"hbcastctl recv\" there and send again: it resumes",
	};
	uint32_t missing = s->c->members - s->c->delivered;
	char list[512];
	const char *why;
	json_t *result;

	if (!missing && (s->complete || s->c->members))
		return HBCTL_OK;
	result = hbcompletion_json(s->c);
	hbcompletion_list(json_object_get(result, "nodes"), false, list, sizeof(list));
	json_decref(result);
	if (!s->c->members)
		snprintf(list, sizeof(list), "it was not its turn yet");
	if (s->complete)
		why = "";
	else if (hbstop_asked(&s->stop))
		why = "interrupted, so the message is given up: ";
	else
		why = "the time is over, so the message is given up: ";
	return hbctl_error(s->ctl, HBCTL_KERNEL,
			   "%s\"%s\" did not reach %u of %u members: %s%s", why,
			   s->name, missing, s->c->members, list, advice[has_dead(s->c)]);
}

static void result_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	char size[32], time[32];

	(void)ctl;
	hbout_size(json_object_get(result, "bytes"), size, sizeof(size));
	hbout_usec(json_object_get(result, "time_us"), time, sizeof(time));
	fprintf(out, "message %s, %s: %lld of %lld members have it, %s\n",
		json_string_value(json_object_get(result, "id")), size,
		json_integer_value(json_object_get(result, "delivered")),
		json_integer_value(json_object_get(result, "members")), time);
	hbshow_members(out, json_object_get(result, "nodes"));
}

static int print_result(const struct send *s)
{
	json_t *result = hbcompletion_json(s->c);
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < s->c->members; i++) {
		if (s->c->member[i].time_ns > last)
			last = s->c->member[i].time_ns;
	}
	json_object_set_new(result, "file", json_string(s->name));
	json_object_set_new(result, "group", json_integer(s->group));
	json_object_set_new(result, "port", json_integer(s->port));
	json_object_set_new(result, "time_us", json_real(last / 1e3));
	return hbout_print(s->ctl, result, result_text);
}

static int send_file(struct send *s, bool lines)
{
	int ret, printed;

	ret = start(s);
	if (ret)
		return ret;
	hbprogress_begin(&s->progress, s->ctl, lines);
	hbstop_catch(&s->stop);
	ret = follow(s);
	if (!ret) {
		printed = print_result(s);
		ret = verdict(s);
		ret = ret ? ret : printed;
	}
	hbstop_release(&s->stop);
	return ret;
}

static int run(struct hbctl *ctl, int argc, char **argv)
{
	struct send s = { .ctl = ctl, .file = -1, .sock = -1 };
	bool lines = false;
	struct hbarg_key keys[] = {
		{ "file", hbarg_string, &s.name, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "group", hbarg_id, &s.group, HBARG_REQUIRED, 0 },
		{ "port", hbarg_port, &s.port, HBARG_REQUIRED, 0 },
		{ "timeout", hbarg_duration, &s.timeout_ns, 0, 0 },
		{ "progress", NULL, &lines, 0, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (ret)
		return ret;
	ret = send_file(&s, lines);
	free(s.c);
	if (s.sock >= 0)
		close(s.sock);
	if (s.file >= 0)
		close(s.file);
	return ret;
}

/**
 * hbctl_cmd_send() - send a file to a group
 * @ctl: the run
 * @argc: number of words after "send"
 * @argv: the words after "send"
 *
 * Return: an exit code; HBCTL_OK only if every member has the whole file.
 */
int hbctl_cmd_send(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"send", run,
		"FILE|- group GROUP port PORT [ timeout TIME ] [ progress ]",
		"send a file, or standard input, to every member of a group",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
