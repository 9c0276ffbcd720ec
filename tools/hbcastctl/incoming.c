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
#include <sys/statvfs.h>
#include <unistd.h>

#include "failure.h"
#include "incoming.h"
#include "output.h"
#include "partial.h"

#define LONG	200	/* bytes of a name, so that there is room for what is added to it */

/* "dir/" for "dir/name". */
static void name_dir(char *dir, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(dir, PATH_MAX, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
}

/* The error, and if there is no room, how much is needed and what to do; else nothing more. */
static void describe(const struct hbincoming *in, int err, char *buf, size_t len)
{
	uint64_t needed = in->total, has;
	char dir[PATH_MAX];
	struct statvfs fs;
	struct stat st;
	size_t at;

	at = snprintf(buf, len, "%s", strerror(err));
	if (err != ENOSPC && err != EDQUOT)
		return;
	has = in->fd >= 0 && !fstat(in->fd, &st) ? st.st_blocks * UINT64_C(512) : 0;
	needed -= has < needed ? has : needed;
	name_dir(dir, in->part);
	at += snprintf(buf + at, len - at, " (%llu bytes more are needed",
		       (unsigned long long)needed);
	/* Of a quota that tells nothing. */
	if (err == ENOSPC && !statvfs(dir, &fs))
		at += snprintf(buf + at, len - at, ", %llu are free",
			       (unsigned long long)fs.f_bavail * fs.f_frsize);
	snprintf(buf + at, len - at, "): make room in \"%s\", then start recv and send again%s",
		 dir, in->stays && in->listed ? ": it resumes" : "");
}

static int refuse(struct hbctl *ctl, const struct hbincoming *in, const char *path,
		  const char *what)
{
	char why[INCOMING_WHY];

	describe(in, errno, why, sizeof(why));
	return hbctl_error(ctl, HBCTL_KERNEL, "\"%s\" cannot be %s: %s", path, what, why);
}

/**
 * hbincoming_why() - why a message has failed
 * @in: the message
 * @buf: gets a clause about it, with what to do if its file finds no room
 * @len: room in @buf, INCOMING_WHY for all of it
 */
void hbincoming_why(const struct hbincoming *in, char *buf, size_t len)
{
	size_t at;

	if (in->reason != HBCAST_REASON_FILE) {
		snprintf(buf, len, "%s", hbfailure_text(in->reason, in->error));
		return;
	}
	at = snprintf(buf, len, "\"%s\" cannot be written: ", in->part);
	describe(in, in->error, buf + at, len - at);
}

/* "dir/.name.XXXXXX" for "dir/name". */
static void name_part(char *part, const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? slash - path + 1 : 0;

	snprintf(part, PATH_MAX, "%.*s.%.*s.XXXXXX", dir, path, LONG, path + dir);
}

/* As a new file has it, whatever made this one. */
static int give_mode(struct hbctl *ctl, const struct hbincoming *in)
{
	mode_t mask = umask(0);

	umask(mask);
	if (!fchmod(in->fd, 0666 & ~mask))
		return HBCTL_OK;
	return refuse(ctl, in, in->part, "given its mode");
}

static int open_part(struct hbctl *ctl, struct hbincoming *in, const char *path)
{
	char why[INCOMING_WHY];

	name_part(in->part, path);
	in->fd = mkostemp(in->part, O_CLOEXEC);
	if (in->fd >= 0)
		return give_mode(ctl, in);
	/* What has the last name that was tried is another one's. */
	in->stays = true;
	describe(in, errno, why, sizeof(why));
	return hbctl_error(ctl, HBCTL_KERNEL, "no file can be made beside \"%s\": %s", path,
			   why);
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
	in->lock = -1;
	in->next = *list;
	*list = in;
	return in;
}

static unsigned long long hash_of(const char *name, uint64_t more)
{
	uint64_t hash = 0xcbf29ce484222325 ^ more;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash;
}

/*
 * "dir/.name.part" for "dir/name", and in a directory what the message has each time it comes. A
 * name that leaves no room is told from others like it by its hash.
 */
static void name_kept(struct hbincoming *in, const char *path, bool dir)
{
	const char *slash = strrchr(path, '/');
	int len = slash ? slash - path + 1 : 0;
	char name[NAME_MAX + 1];

	snprintf(name, sizeof(name), "%s", path + len);
	if (dir)
		snprintf(name, sizeof(name), "%016llx",
			 hash_of(in->sink.name, in->sink.total ^ in->sink.time_ns << 17));
	else if (strlen(name) > LONG)
		snprintf(name + LONG - 16, 17, "%016llx", hash_of(path + len, 0));
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
		in->fd = hbpartial_open(ctl, in->part, in->list, sink, in->map, &in->lock);
	if (in->fd >= 0) {
		in->listed = has_any(in);
		return give_mode(ctl, in);
	}
	*in->list = '\0';
	return open_part(ctl, in, path);
}

/**
 * hbincoming_save() - write down which pieces are in the file
 * @in: a message that can be kept
 *
 * Changes nothing but files, so that another process can do it.
 *
 * Return: 0 or an errno.
 */
int hbincoming_save(const struct hbincoming *in)
{
	return hbpartial_save(in->fd, in->list, &in->sink, in->map);
}

/**
 * hbincoming_saved() - hbincoming_save() has ended
 * @ctl: the run
 * @in: the message
 * @err: what it has returned
 */
void hbincoming_saved(struct hbctl *ctl, struct hbincoming *in, int err)
{
	if (err && !in->unsaved)
		hbctl_warning(ctl, "\"%s\" cannot be written: %s; what comes now is kept for later only if it can be written then",
			      in->list, strerror(err));
	in->unsaved = err;
	in->listed |= !err;
}

/**
 * hbincoming_keep() - what is listed stays when the message is dropped
 * @in: a message that is not whole
 *
 * Return: whether that is all that is in the file.
 */
bool hbincoming_keep(struct hbincoming *in)
{
	if (!in->listed || !has_any(in))
		return false;
	in->stays = true;
	return !in->unsaved;
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
		return refuse(ctl, in, in->part, "made as long as the message");
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
			return refuse(ctl, in, in->part, "written");
		if (n > 0)
			done += n;
	}
	in->have += len;
	return HBCTL_OK;
}

/* What the file's directory says of it is on the disk, too. */
static int sync_dir(const char *path)
{
	char dir[PATH_MAX];
	int fd, err;

	name_dir(dir, path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = fsync(fd);
	close(fd);
	return err;
}

/**
 * hbincoming_finish() - give the whole file its name
 * @ctl: the run
 * @in: the message, all of which has come
 * @path: the file's name; what has that name is replaced
 *
 * Changes nothing but files, so that another process can do it.
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbincoming_finish(struct hbctl *ctl, struct hbincoming *in, const char *path)
{
	if (in->have != in->total)
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "message %llu of node %u ended after %llu of %llu bytes: this is a fault of the module, please report it",
				   (unsigned long long)in->message, in->root,
				   (unsigned long long)in->have,
				   (unsigned long long)in->total);
	/*
	 * Its name survives a crash only with all that is in it. Some file systems tell only when
	 * it is closed that there was no room.
	 */
	if ((*in->list && fdatasync(in->fd)) || close(dup(in->fd)))
		return refuse(ctl, in, in->part, "written");
	if (rename(in->part, path))
		return refuse(ctl, in, path, "given to what was received");
	if (*in->list && sync_dir(path))
		hbctl_warning(ctl, "the name of \"%s\" may be lost with the machine's power: %s",
			      path, strerror(errno));
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
	if (!in->stays && *in->list)
		unlink(in->list);
	if (!in->stays)
		unlink(in->part);
	/* Its lock goes last. */
	if (in->fd >= 0)
		close(in->fd);
	if (in->lock >= 0)
		close(in->lock);
	free(in->map);
	free(in);
}
