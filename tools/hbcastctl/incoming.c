// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A message on its way into a file: written in place, under a name of its own
 * in the directory where it will be, and renamed when it is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "incoming.h"
#include "output.h"
#include "partial.h"

static int refuse(struct hbctl *ctl, const char *path, const char *what)
{
	return hbctl_error(ctl, HBCTL_KERNEL, "\"%s\" cannot be %s: %s", path,
			   what, strerror(errno));
}

/* "dir/.name.XXXXXX" for "dir/name". */
static void name_part(char *part, const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? slash - path + 1 : 0;

	snprintf(part, PATH_MAX, "%.*s.%.200s.XXXXXX", dir, path, path + dir);
}

static int open_part(struct hbctl *ctl, struct hbincoming *in, const char *path)
{
	mode_t mask = umask(0);

	umask(mask);
	name_part(in->part, path);
	in->fd = mkostemp(in->part, O_CLOEXEC);
	if (in->fd < 0) {
		*in->part = '\0';
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "no file can be made beside \"%s\": %s", path,
				   strerror(errno));
	}
	if (fchmod(in->fd, 0666 & ~mask))
		return refuse(ctl, in->part, "given its mode");
	return HBCTL_OK;
}

/**
 * hbincoming_search() - a message that is on its way
 * @list: the messages that are
 * @root: who sent it
 * @message: its id
 *
 * Return: the message, or NULL.
 */
struct hbincoming *hbincoming_search(struct hbincoming *list, uint32_t root,
				     uint64_t message)
{
	while (list && (list->root != root || list->message != message))
		list = list->next;
	return list;
}

static struct hbincoming *add(struct hbincoming **list)
{
	struct hbincoming *in = calloc(1, sizeof(*in));

	if (!in)
		abort();
	in->fd = -1;
	in->next = *list;
	*list = in;
	return in;
}

/* Of the file at the sender: the same for each message that it is. */
static uint64_t identity(const struct hbcast_sink *sink)
{
	uint64_t hash = 0xcbf29ce484222325 ^ sink->total ^ sink->time_ns << 17;
	const char *c;

	for (c = sink->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
	return hash;
}

/* "dir/.name.part" for "dir/name", and in a directory what the message has each time it comes. */
static void name_kept(struct hbincoming *in, const char *path, bool dir)
{
	const char *slash = strrchr(path, '/');
	int len = slash ? slash - path + 1 : 0;
	char name[201];

	snprintf(name, sizeof(name), "%s", path + len);
	if (dir)
		snprintf(name, sizeof(name), "%016llx", (unsigned long long)identity(&in->sink));
	snprintf(in->part, PATH_MAX, "%.*s.%s.part", len, path, name);
	snprintf(in->list, PATH_MAX, "%.*s.%s.list", len, path, name);
}

/* Whether pieces are in the file. */
static bool has_any(const struct hbincoming *in)
{
	size_t i;

	for (i = 0; in->map && i <= in->sink.pieces / 64; i++)
		if (in->map[i])
			return true;
	return false;
}

/**
 * hbincoming_begin() - a file for a message that the kernel is to write
 * @ctl: the run
 * @list: the messages that are on their way, which this is one of from now on
 * @path: the file that it will be beside
 * @dir: @path is not the message's own name
 * @sink: what the kernel says of it
 * @out: gets the message, with the pieces that the file has
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbincoming_begin(struct hbctl *ctl, struct hbincoming **list, const char *path, bool dir,
		     const struct hbcast_sink *sink, struct hbincoming **out)
{
	struct hbincoming *in = add(list);

	*out = in;
	in->root = sink->root;
	in->message = sink->message;
	in->total = sink->total;
	in->sink = *sink;
	in->map = calloc(sink->pieces / 64 + 1, sizeof(*in->map));
	if (!in->map)
		abort();
	name_kept(in, path, dir);
	/* One that cannot be told from another is of no use later. */
	if (sink->time_ns && sink->total)
		in->fd = hbpartial_open(ctl, in->part, in->list, sink, in->map);
	if (in->fd >= 0) {
		in->listed = has_any(in);
		return HBCTL_OK;
	}
	*in->list = '\0';
	return open_part(ctl, in, path);
}

/**
 * hbincoming_save() - write down which pieces are in the file
 * @ctl: the run
 * @in: a message
 */
void hbincoming_save(struct hbctl *ctl, struct hbincoming *in)
{
	if (!*in->list || in->unsaved)
		return;
	in->unsaved = hbpartial_save(ctl, in->fd, in->list, &in->sink, in->map);
	in->listed |= !in->unsaved;
}

/**
 * hbincoming_keep() - what is in the file stays when the message is dropped
 * @ctl: the run
 * @in: a message that is not whole
 *
 * Return: whether it does.
 */
bool hbincoming_keep(struct hbctl *ctl, struct hbincoming *in)
{
	if (!has_any(in))
		return false;
	hbincoming_save(ctl, in);
	if (in->listed)
		*in->part = '\0';
	return in->listed;
}

/**
 * hbincoming_find() - the message that a piece belongs to, new if need be
 * @ctl: the run
 * @list: the messages that are on their way
 * @path: the file that it will be
 * @root: who sent it
 * @piece: the piece
 * @out: gets the message
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbincoming_find(struct hbctl *ctl, struct hbincoming **list,
		    const char *path, uint32_t root,
		    const struct hbcast_piece *piece, struct hbincoming **out)
{
	struct hbincoming *in = hbincoming_search(*list, root, piece->message);
	int ret;

	*out = in;
	if (in)
		return HBCTL_OK;
	in = add(list);
	*out = in;
	ret = open_part(ctl, in, path);
	in->root = root;
	in->message = piece->message;
	in->total = piece->total;
	/* Not every file system can; then writing tells whether there is room. */
	if (!ret && in->total && fallocate(in->fd, 0, 0, in->total) &&
	    errno != EOPNOTSUPP)
		return refuse(ctl, in->part, "made as long as the message");
	return ret;
}

/**
 * hbincoming_write() - put a piece in its place
 * @ctl: the run
 * @in: the message
 * @data: the piece
 * @len: its bytes
 * @offset: where in the message it belongs
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbincoming_write(struct hbctl *ctl, struct hbincoming *in, const void *data,
		     size_t len, uint64_t offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pwrite(in->fd, (const char *)data + done, len - done,
			   offset + done);
		if (n < 0 && errno != EINTR)
			return refuse(ctl, in->part, "written");
		if (n > 0)
			done += n;
	}
	in->have += len;
	return HBCTL_OK;
}

/**
 * hbincoming_finish() - give the whole file its name
 * @ctl: the run
 * @in: the message, all of which has come
 * @path: the file's name; what has that name is replaced
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbincoming_finish(struct hbctl *ctl, struct hbincoming *in,
		      const char *path)
{
	int fd = in->fd;

	if (in->have != in->total)
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "message %llu of node %u ended after %llu of %llu bytes: this is a fault of the module, please report it",
				   (unsigned long long)in->message, in->root,
				   (unsigned long long)in->have,
				   (unsigned long long)in->total);
	/*
	 * Its name survives a crash only with all that is in it. Some file systems tell only at the
	 * end that there was no room. The lock goes after the name.
	 */
	if (*in->list && fdatasync(fd))
		return refuse(ctl, in->part, "written");
	if (!*in->list) {
		in->fd = -1;
		if (close(fd))
			return refuse(ctl, in->part, "written");
	}
	if (rename(in->part, path)) {
		refuse(ctl, path, "given to what was received");
		if (in->listed)
			*in->part = '\0';
		return HBCTL_KERNEL;
	}
	*in->part = '\0';
	if (*in->list)
		unlink(in->list);
	return HBCTL_OK;
}

/**
 * hbincoming_drop() - forget a message; what is neither whole nor kept is removed
 * @list: the messages that are on their way
 * @in: one of them
 */
void hbincoming_drop(struct hbincoming **list, struct hbincoming *in)
{
	while (*list != in)
		list = &(*list)->next;
	*list = in->next;
	if (*in->part && *in->list)
		unlink(in->list);
	if (*in->part)
		unlink(in->part);
	/* Its lock goes last. */
	if (in->fd >= 0)
		close(in->fd);
	free(in->map);
	free(in);
}
