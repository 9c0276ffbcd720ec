// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl recv: messages of a group into files. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/hbcast.h>

#include "args.h"
#include "clock.h"
#include "failure.h"
#include "field.h"
#include "incoming.h"
#include "job.h"
#include "output.h"
#include "sock.h"
#include "stop.h"

#define BUFFER	(1 << 20)
#define SAVE_MS	1000	/* between two lists of what is in a file */

/**
 * struct recv - one run of the command
 * @ctl: the run
 * @name: file or directory that the command line names
 * @dir: it is a directory
 * @group: from which group
 * @port: at which port
 * @count: how many messages
 * @timeout_ns: how long it may take; 0 for ever
 * @sock: the socket
 * @readable: poll() has said that there is something
 * @buffer: room for a piece, of BUFFER bytes; owned
 * @list: the messages that are on their way; owned
 * @done: messages that are files now
 * @failed: messages that failed
 * @save_ns: when what files have is to be written down, of hbclock_now()
 * @busy: the message that @job is about, or NULL
 * @job: a disk may be slow, and nothing else is to wait for it
 * @stop: caught signals
 */
struct recv {
	struct hbctl *ctl;
	const char *name;
	bool dir;
	uint32_t group;
	uint16_t port;
	uint32_t count;
	uint64_t timeout_ns;
	int sock;
	bool readable;
	char *buffer;
	struct hbincoming *list;
	uint32_t done;
	uint32_t failed;
	int64_t save_ns;
	struct hbincoming *busy;
	struct hbjob job;
	struct hbstop stop;
};

/* What has been read: a part of a message, or that one has failed. */
struct piece {
	ssize_t len;
	bool last;
	bool failed;
	uint32_t root;
	union {
		struct hbcast_piece at;
		struct hbcast_failure failure;
	};
};

static void path_of(const struct recv *r, uint32_t root, uint64_t message, char *path)
{
	if (r->dir)
		snprintf(path, PATH_MAX, "%s/%u-%llu", r->name, root,
			 (unsigned long long)message);
	else
		snprintf(path, PATH_MAX, "%s", r->name);
}

static void file_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	const json_t *resumed = json_object_get(result, "resumed");
	char size[32], here[32];

	(void)ctl;
	hbout_size(json_object_get(result, "bytes"), size, sizeof(size));
	hbout_size(resumed, here, sizeof(here));
	fprintf(out, "message %s of node %lld, %s%s%s%s: %s\n",
		json_string_value(json_object_get(result, "id")),
		json_integer_value(json_object_get(result, "root")), size,
		json_integer_value(resumed) ? ", of which " : "",
		json_integer_value(resumed) ? here : "",
		json_integer_value(resumed) ? " were here" : "",
		json_string_value(json_object_get(result, "file")));
}

static int print_whole(struct recv *r, const struct hbincoming *in)
{
	char path[PATH_MAX];

	path_of(r, in->root, in->message, path);
	return hbout_print(r->ctl, json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:s}",
					     "group", (json_int_t)r->group,
					     "port", (json_int_t)r->port,
					     "root", (json_int_t)in->root,
					     "id", hbfield_id64(in->message),
					     "bytes", (json_int_t)in->total,
					     "resumed", (json_int_t)in->sink.resumed,
					     "file", path), file_text);
}

static void report_lost(struct recv *r, uint32_t root, uint64_t message,
			uint64_t have, uint64_t total, const char *why, bool kept)
{
	r->failed++;
	hbctl_error(r->ctl, HBCTL_KERNEL,
		    "message %llu of node %u failed after %llu of %llu bytes%s: %s",
		    (unsigned long long)message, root, (unsigned long long)have,
		    (unsigned long long)total, kept ? ", which are kept" : "",
		    why);
}

static int give_name(struct recv *r, struct hbincoming *in)
{
	char path[PATH_MAX];

	path_of(r, in->root, in->message, path);
	return hbincoming_finish(r->ctl, in, path);
}

/* Of what has come nothing may be right, or be sent again. */
static bool is_useless(const struct hbincoming *in)
{
	return in->reason == HBCAST_REASON_CHECKSUM || in->reason == HBCAST_REASON_CHANGED;
}

/* The message has ended; @status: 0, or it is whole and has not got its name. */
static int settle(struct recv *r, struct hbincoming *in, int status)
{
	int ret = status ? HBCTL_KERNEL : HBCTL_OK;
	char why[INCOMING_WHY];
	bool kept = false;

	if (status && status != HBCTL_KERNEL)
		hbctl_error(r->ctl, ret, "\"%s\" is whole, but its renaming was killed; rename it",
			    in->part);
	if (in->error || status) {
		kept = !is_useless(in) && hbincoming_keep(in);
	} else {
		in->stays = true;
		r->done++;
		ret = print_whole(r, in);
	}
	if (in->error) {
		hbincoming_why(in, why, sizeof(why));
		report_lost(r, in->root, in->message, in->have, in->total, why, kept);
	}
	hbincoming_drop(&r->list, in);
	return ret;
}

static int do_job(void *data)
{
	struct recv *r = data;
	struct hbincoming *in = r->busy;

	if (is_useless(in))
		return 0;
	return in->over && !in->error ? give_name(r, in) : hbincoming_save(in);
}

/* Ends the job that runs, if there is one, and starts the next one, if something is due. */
static int next_job(struct recv *r)
{
	struct hbincoming *in = r->busy;
	int ret = HBCTL_OK, status;
	bool last;

	if (in) {
		status = hbjob_end(&r->job);
		r->busy = NULL;
		/* If it has ended meanwhile, that is due, and this was a list. */
		last = in->over && !in->due;
		if (!last || in->error) {
			hbincoming_saved(r->ctl, in, status);
			status = 0;
		}
		if (last)
			ret = settle(r, in, status);
	}
	for (in = r->list; in && !in->due; in = in->next)
		;
	if (!in || ret)
		return ret;
	in->due = false;
	r->busy = in;
	hbjob_start(&r->job, do_job, r);
	return HBCTL_OK;
}

/* The message has ended: with @err, or whole. */
static int finish(struct recv *r, struct hbincoming *in, int err)
{
	in->over = true;
	in->error = err;
	in->due = *in->list;
	if (in->due)
		return HBCTL_OK;
	return settle(r, in, err ? 0 : give_name(r, in));
}

static int take(struct recv *r, const struct piece *p)
{
	struct hbincoming *in;
	char path[PATH_MAX];
	int ret;

	path_of(r, p->root, p->at.message, path);
	/* Its file was given up before. */
	if (!p->len && p->at.total && !hbincoming_search(r->list, p->root, p->at.message))
		return hbctl_error(r->ctl, HBCTL_KERNEL,
				   "message %llu of node %u has no file any more",
				   (unsigned long long)p->at.message, p->root);
	ret = hbincoming_find(r->ctl, &r->list, path, p->root, &p->at, &in);
	/* The kernel has written what ends behind its last byte. */
	if (!ret && !p->len)
		in->have = p->at.offset;
	else if (!ret)
		ret = hbincoming_write(r->ctl, in, r->buffer, p->len,
				       p->at.offset);
	if (!ret && p->last)
		ret = finish(r, in, 0);
	return ret;
}

/* One that is on its way has failed. */
static int lost_one(struct recv *r, struct hbincoming *in, uint64_t have, uint16_t reason,
		    int err)
{
	in->have = have;
	in->reason = reason;
	return finish(r, in, err);
}

/* A message has failed, of which perhaps nothing had come. */
static int lost(struct recv *r, const struct piece *p)
{
	struct hbincoming *in;

	in = hbincoming_search(r->list, p->root, p->failure.message);
	if (in)
		return lost_one(r, in, p->failure.read, p->failure.reason, p->failure.error);
	report_lost(r, p->root, p->failure.message, p->failure.read, p->failure.total,
		    hbfailure_text(p->failure.reason, p->failure.error), false);
	return HBCTL_OK;
}

/* Who is cut off has lost all that was on its way. Returns HBCTL_OK to go on. */
static int lost_all(struct recv *r, int err)
{
	struct hbincoming *in, *next;
	bool any = false;
	int ret = HBCTL_OK;

	for (in = r->list; in && !ret; in = next) {
		next = in->next;
		if (in->over)
			continue;
		any = true;
		ret = lost_one(r, in, in->have, HBCAST_REASON_NONE, err);
	}
	if (!any) {
		r->failed++;
		hbctl_error(r->ctl, HBCTL_KERNEL,
			    "receiving from group %u at port %u failed: %s",
			    r->group, r->port, hbfailure_text(HBCAST_REASON_NONE, err));
	}
	return err == ENODEV ? HBCTL_KERNEL : ret;
}

/* Returns 0, or -1 with errno. */
static int read_piece(struct recv *r, struct piece *p)
{
	union {
		struct cmsghdr hdr;
		char room[CMSG_SPACE(sizeof(struct hbcast_failure))];
	} control;
	struct iovec iov = { .iov_base = r->buffer, .iov_len = BUFFER };
	struct sockaddr_hbcast from = { };
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	const struct cmsghdr *c;

	p->len = recvmsg(r->sock, &msg, MSG_DONTWAIT);
	if (p->len < 0)
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	p->failed = msg.msg_flags & HBCAST_MSG_NOTIFICATION;
	/* The end of the socket, not an empty message. */
	if (!c || c->cmsg_level != SOL_HBCAST ||
	    c->cmsg_type != (p->failed ? HBCAST_FAILURE : HBCAST_PIECE)) {
		errno = ENODEV;
		return -1;
	}
	if (p->failed)
		memcpy(&p->failure, CMSG_DATA(c), sizeof(p->failure));
	else
		memcpy(&p->at, CMSG_DATA(c), sizeof(p->at));
	p->root = from.shb_node;
	p->last = msg.msg_flags & MSG_EOR;
	return 0;
}

/* Why not to go on, or NULL. */
static const char *why_end(const struct recv *r, int64_t end)
{
	if (hbstop_asked(&r->stop))
		return "interrupted";
	return hbclock_now() >= end ? "the time is over" : NULL;
}

/* Whether more messages are wanted than have come to their end. */
static bool wants_more(const struct recv *r)
{
	uint32_t n = r->done + r->failed;
	const struct hbincoming *in;

	for (in = r->list; in; in = in->next)
		n += in->over;
	return n < r->count;
}

/* Until there is something to receive, a signal, a job's end, or the end: whether there is. */
static bool wait_readable(const struct recv *r, int64_t end)
{
	struct pollfd fds[] = {
		{ .fd = wants_more(r) ? r->sock : -1, .events = POLLIN },
		{ .fd = r->stop.fd, .events = POLLIN },
		{ .fd = r->busy ? r->job.fd : -1, .events = POLLIN },
	};
	int64_t left_ms = (end - hbclock_now()) / 1000000 + 1;

	if (left_ms > (r->list ? SAVE_MS : INT_MAX))
		left_ms = r->list ? SAVE_MS : INT_MAX;
	return poll(fds, 3, left_ms < 0 ? 0 : left_ms) > 0 && fds[0].revents;
}

/* What the kernel has said of a message that it writes; it may be over then. */
static int told(struct recv *r, struct hbincoming *in, int err)
{
	in->have = in->sink.bytes;
	if (err == EINPROGRESS)
		return HBCTL_OK;
	return err ? lost_one(r, in, in->have, in->sink.reason, err) : finish(r, in, 0);
}

/* Gives the kernel a file for a message that is one at its sender. */
static int take_file(struct recv *r)
{
	struct hbcast_sink sink = { .flags = HBCAST_SINK_LOOK };
	struct hbincoming *in;
	char path[PATH_MAX];
	int ret, err;

	err = ioctl(r->sock, HBCIOCRECVFILE, &sink) ? errno : 0;
	if (!err) {
		snprintf(path, sizeof(path), r->dir ? "%s/message" : "%s", r->name);
		ret = hbincoming_begin(r->ctl, &r->list, path, r->dir, &sink, &in);
		if (ret)
			return ret;
		sink.flags = HBCAST_SINK_GIVE;
		sink.fd = in->fd;
		sink.map = (uintptr_t)in->map;
		err = ioctl(r->sock, HBCIOCRECVFILE, &sink) ? errno : 0;
		if (err != ENOENT && sink.message == in->message && sink.root == in->root) {
			in->sink = sink;
			return told(r, in, err);
		}
		/* It has failed meanwhile, or another one that comes before it. */
		hbincoming_keep(in);
		hbincoming_drop(&r->list, in);
	}
	if (err && err != ENOENT && sink.message)
		report_lost(r, sink.root, sink.message, sink.bytes, sink.total,
			    hbfailure_text(sink.reason, err), false);
	else if (err && err != ENOENT && err != EAGAIN && err != EINTR)
		return lost_all(r, err);
	return HBCTL_OK;
}

/* Asks how far the files are that the kernel writes, and writes that down if it is time. */
static int follow_files(struct recv *r, bool save)
{
	struct hbincoming *in, *next;
	int ret = HBCTL_OK, err;

	for (in = r->list; in && !ret; in = next) {
		next = in->next;
		if (!in->map || in->over)
			continue;
		in->due |= save && *in->list;
		in->sink.flags = 0;
		err = ioctl(r->sock, HBCIOCRECVFILE, &in->sink) ? errno : 0;
		/* Of all messages it is told by reading. */
		if (err == ENOENT || err == ESHUTDOWN || err == ENODEV || err == ENOBUFS)
			continue;
		ret = told(r, in, err);
	}
	if (save)
		r->save_ns = hbclock_now() + SAVE_MS * INT64_C(1000000);
	return ret;
}

/* Reads one piece, or finds that there is none or that a message has failed. */
static int receive_piece(struct recv *r, int64_t end)
{
	struct piece p;
	bool wants;
	int err;

	if (!read_piece(r, &p)) {
		r->readable = false;
		return p.failed ? lost(r, &p) : take(r, &p);
	}
	err = errno;
	if (err != EAGAIN && err != EINTR)
		return lost_all(r, err);
	/* What is there and is not to be read wants a file. */
	wants = r->readable;
	r->readable = !wants && wait_readable(r, end);
	return wants ? take_file(r) : HBCTL_OK;
}

/* What is not whole is kept, if it can be; says why the command ends, unless it has all. */
static int conclude(struct recv *r, int ret, const char *why)
{
	bool kept = false, lost = false;
	int err = follow_files(r, true);

	ret = ret ?: err;
	do {
		err = next_job(r);
		ret = ret ?: err;
	} while (r->busy);
	while (r->list) {
		if (hbincoming_keep(r->list))
			kept = true;
		else if (r->list->have)
			lost = true;
		hbincoming_drop(&r->list, r->list);
	}
	if (why && r->done + r->failed < r->count)
		return hbctl_error(r->ctl, HBCTL_KERNEL, "%s after %u of %u messages%s", why,
				   r->done, r->count,
				   kept && !lost ? "; what has come of files is kept" : "");
	return ret || !r->failed ? ret : HBCTL_KERNEL;
}

static int receive(struct recv *r)
{
	int64_t end = r->timeout_ns ? hbclock_now() + (int64_t)r->timeout_ns :
				      INT64_MAX;
	const char *why = NULL;
	int ret = HBCTL_OK;
	bool save;

	while (!ret && !why && r->done + r->failed < r->count) {
		why = why_end(r, end);
		save = hbclock_now() >= r->save_ns;
		if (!why && (r->readable || save))
			ret = follow_files(r, save);
		if (!ret && !why && (!r->busy || hbjob_has_ended(&r->job)))
			ret = next_job(r);
		if (ret || why || r->done + r->failed >= r->count)
			break;
		if (wants_more(r))
			ret = receive_piece(r, end);
		else
			wait_readable(r, end);
	}
	return conclude(r, ret, why);
}

static void ready_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	(void)ctl;
	fprintf(out, "ready to receive from group %lld at port %lld\n",
		json_integer_value(json_object_get(result, "group")),
		json_integer_value(json_object_get(result, "port")));
}

static int receive_files(struct recv *r)
{
	int ret;

	r->buffer = malloc(BUFFER);
	if (!r->buffer)
		abort();
	hbstop_catch(&r->stop);
	ret = hbout_print(r->ctl, json_pack("{s:b, s:I, s:I}", "ready", 1,
					    "group", (json_int_t)r->group,
					    "port", (json_int_t)r->port),
			  ready_text);
	if (!ret)
		ret = receive(r);
	hbstop_release(&r->stop);
	free(r->buffer);
	return ret;
}

/* Whether @name is a directory, and that files can go where it says. */
static int check_name(struct recv *r)
{
	const char *slash = strrchr(r->name, '/');
	struct stat st;

	r->dir = !stat(r->name, &st) && S_ISDIR(st.st_mode);
	if (strlen(r->name) > PATH_MAX - 64 || strlen(slash ? slash + 1 : r->name) > NAME_MAX)
		return hbctl_error(r->ctl, HBCTL_USAGE,
				   "the name of the file is too long: write a shorter one");
	if (!r->dir && r->count != 1)
		return hbctl_error(r->ctl, HBCTL_USAGE,
				   "%u messages do not fit into the one file \"%s\": name a directory that exists",
				   r->count, r->name);
	if (!r->dir && r->name[strlen(r->name) - 1] == '/')
		return hbctl_error(r->ctl, HBCTL_USAGE,
				   "\"%s\" is no directory: make it first or name a file",
				   r->name);
	return HBCTL_OK;
}

static int run(struct hbctl *ctl, int argc, char **argv)
{
	struct recv r = { .ctl = ctl, .sock = -1, .count = 1 };
	struct hbarg_key keys[] = {
		{ "file", hbarg_string, &r.name, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "group", hbarg_id, &r.group, HBARG_REQUIRED, 0 },
		{ "port", hbarg_port, &r.port, HBARG_REQUIRED, 0 },
		{ "count", hbarg_id, &r.count, 0, 0 },
		{ "timeout", hbarg_duration, &r.timeout_ns, 0, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = check_name(&r);
	if (!ret)
		ret = hbsock_receiver(ctl, r.group, r.port, &r.sock);
	if (!ret)
		ret = receive_files(&r);
	if (r.sock >= 0)
		close(r.sock);
	return ret;
}

/**
 * hbctl_cmd_recv() - receive messages of a group into files
 * @ctl: the run
 * @argc: number of words after "recv"
 * @argv: the words after "recv"
 *
 * Return: an exit code; HBCTL_OK only if all messages are whole files.
 */
int hbctl_cmd_recv(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"recv", run,
		"FILE|DIRECTORY group GROUP port PORT [ count N ] [ timeout TIME ]",
		"receive messages of a group; a file has its name only when it is whole",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
