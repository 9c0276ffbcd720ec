// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A partial file and the list of what it has.
 *
 * Whatever is in the list lies on the disk, as the file is synchronized before the list takes
 * another one's place. Who else may write to the directory can put both there, or links; so
 * they have to be this user's, and are not trusted beyond their own length.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "output.h"
#include "partial.h"

#define LIST_MAX	(256 << 20)	/* bytes: more than the pieces of a message make */

/* JSON is UTF-8, names may be anything. */
static json_t *name_json(const char *name)
{
	json_t *text = json_string(name);
	char plain[HBCAST_NAME_LEN];
	size_t i;

	if (text)
		return text;
	for (i = 0; name[i]; i++)
		plain[i] = name[i] & 0x80 ? '?' : name[i];
	plain[i] = '\0';
	return json_string(plain);
}

/* Whether the list is of this message: 1, 0, or -1 if it is none. */
static int compare(const json_t *root, const struct hbcast_sink *message)
{
	json_t *name = name_json(message->name), *time = json_object_get(root, "time_ns");
	uint64_t bytes;
	int ret = -1;

	if (hbp_json_says(json_object_get(root, "hbcast"), "partial") &&
	    json_integer_value(json_object_get(root, "version")) == 1 &&
	    json_is_string(json_object_get(root, "name")) &&
	    hbp_json_uint(json_object_get(root, "bytes"), INT64_MAX, &bytes) &&
	    json_is_integer(time))
		ret = json_equal(json_object_get(root, "name"), name) &&
		      bytes == message->total &&
		      json_integer_value(time) == (json_int_t)message->time_ns;
	json_decref(name);
	return ret;
}

/* Pieces of which all bytes lie in the range. */
static void set_pieces(const struct hbcast_sink *message, uint64_t from, uint64_t to,
		       uint64_t *map)
{
	uint64_t size = message->piece_bytes, p = from / size + !!(from % size);
	uint64_t end = to == message->total ? message->pieces : to / size;

	for (; p < end; p++)
		map[p / 64] |= UINT64_C(1) << p % 64;
}

/* Whether the ranges ascend within the first @size bytes; if so, they are in the map. */
static bool take_ranges(const json_t *ranges, const struct hbcast_sink *message, uint64_t size,
			uint64_t *map)
{
	uint64_t most = size < message->total ? size : message->total, from, to, before = 0;
	const json_t *range;
	size_t i;

	if (!json_is_array(ranges))
		return false;
	json_array_foreach((json_t *)ranges, i, range) {
		if (json_array_size(range) != 2 ||
		    !hbp_json_uint(json_array_get(range, 0), most, &from) ||
		    !hbp_json_uint(json_array_get(range, 1), most, &to) ||
		    from < before || from >= to)
			return false;
		set_pieces(message, from, to, map);
		before = to;
	}
	return true;
}

/* Whether it is a file that nobody else has put there. */
static bool is_own(int fd, struct stat *st)
{
	return !fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       st->st_nlink == 1;
}

/* The list as JSON, or NULL: there is none, or it is none. */
static json_t *read_list(const char *list)
{
	int fd = open(list, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	json_t *root = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (is_own(fd, &st) && st.st_size <= LIST_MAX)
		root = json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
	close(fd);
	return root;
}

/* Whether the file of @size bytes is of the message; then what it has is in the map. */
static bool load(struct hbctl *ctl, const char *list, const struct hbcast_sink *message,
		 uint64_t size, uint64_t *map)
{
	json_t *root = read_list(list);
	int same = root ? compare(root, message) : -1;

	if (same == 1 && (size > message->total ||
			  !take_ranges(json_object_get(root, "ranges"), message, size, map)))
		same = -1;
	json_decref(root);
	if (same < 0 && !access(list, F_OK))
		hbctl_warning(ctl, "\"%s\" is damaged; the whole file comes again", list);
	return same == 1;
}

/* Why the file cannot be used, or NULL: it is locked. @gone: the name is another one's, or free. */
static const char gone[] = "it is gone";

static const char *lock_file(int fd, const char *part, struct stat *st)
{
	struct stat now;

	if (!is_own(fd, st))
		return "it is not this user's alone";
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? "it is in use" : strerror(errno);
	if (lstat(part, &now) || now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		return gone;
	/* It may have been written to before the lock. */
	return is_own(fd, st) ? NULL : gone;
}

/* "list.new", where a list is written before it takes another one's place. */
static void name_new(char *name, size_t len, const char *list)
{
	snprintf(name, len, "%s.new", list);
}

/* Whether there is no such file any more. */
static bool removed(const char *path)
{
	return !unlink(path) || errno == ENOENT;
}

/* As lock_file(); what the file has of @message is in the map, and of another one nothing. */
static const char *take(struct hbctl *ctl, int fd, const char *part, const char *list,
			const struct hbcast_sink *message, uint64_t *map)
{
	char new[PATH_MAX + 8];
	struct stat st;
	const char *why = lock_file(fd, part, &st);

	if (why)
		return why;
	name_new(new, sizeof(new), list);
	/* A command that was killed has left it. */
	if (!removed(new))
		return strerror(errno);
	if (st.st_size && load(ctl, list, message, st.st_size, map))
		return NULL;
	memset(map, 0, 8 * ((size_t)message->pieces / 64 + 1));
	/* Without its list first: that may not be taken for what comes now. */
	if (!removed(list))
		return strerror(errno);
	if (!st.st_size)
		return NULL;
	/* The kernel may still read it for other nodes, so it stays as it is, without a name. */
	return removed(part) ? gone : strerror(errno);
}

/* The same file as one that keeps no lock: the kernel may have it for longer than this command. */
static int open_again(int fd)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open(name, O_RDWR | O_CLOEXEC);
}

/**
 * hbpartial_open() - the file that a message is to come into
 * @ctl: the run
 * @part: its name
 * @list: name of the list
 * @message: what the kernel says of the message
 * @map: gets the pieces that the file has, all clear before
 * @lock: gets a file that keeps others away while it is open
 *
 * A file that is of another message goes, with its list.
 *
 * Return: the file, or -1 after a warning: it is in use, not this user's, or cannot be made.
 */
int hbpartial_open(struct hbctl *ctl, const char *part, const char *list,
		   const struct hbcast_sink *message, uint64_t *map, int *lock)
{
	const char *why;
	int fd;

	do {
		*lock = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
		why = *lock < 0 ? strerror(errno) : take(ctl, *lock, part, list, message, map);
		fd = why ? -1 : open_again(*lock);
		if (!why && fd < 0)
			why = strerror(errno);
		if (*lock >= 0 && why)
			close(*lock);
	} while (why == gone);
	if (why) {
		hbctl_warning(ctl, "\"%s\" cannot be used: %s; what comes now is not kept for later",
			      part, why);
		*lock = -1;
	}
	return fd;
}

/* Ranges of bytes that are there. */
static json_t *ranges_json(const struct hbcast_sink *message, const uint64_t *map)
{
	json_t *ranges = json_array();
	uint64_t end, p = 0, from;

	for (; p < message->pieces; p++) {
		if (!(map[p / 64] >> p % 64 & 1))
			continue;
		from = p * message->piece_bytes;
		while (p < message->pieces && map[p / 64] >> p % 64 & 1)
			p++;
		end = p == message->pieces ? message->total : p * message->piece_bytes;
		json_array_append_new(ranges, json_pack("[I, I]", (json_int_t)from,
							(json_int_t)end));
	}
	return ranges;
}

static int write_list(const char *list, json_t *root)
{
	char new[PATH_MAX + 8];
	int fd, err = 0;

	name_new(new, sizeof(new), list);
	if (!removed(new))
		return errno;
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	if (json_dumpfd(root, fd, JSON_COMPACT) || fsync(fd))
		err = errno ?: EIO;
	if (close(fd) && !err)
		err = errno;
	if (!err && rename(new, list))
		err = errno;
	if (err)
		unlink(new);
	return err;
}

/**
 * hbpartial_save() - write down what the file has
 * @fd: the file
 * @list: name of the list
 * @message: what the kernel says of the message
 * @map: the pieces that it has written
 *
 * Return: 0 or an errno.
 */
int hbpartial_save(int fd, const char *list, const struct hbcast_sink *message,
		   const uint64_t *map)
{
	json_t *root;
	int err;

	if (fdatasync(fd))
		return errno;
	root = json_pack("{s:s, s:i, s:o, s:I, s:I, s:o}", "hbcast", "partial",
			 "version", 1, "name", name_json(message->name),
			 "bytes", (json_int_t)message->total,
			 "time_ns", (json_int_t)message->time_ns,
			 "ranges", ranges_json(message, map));
	err = root ? write_list(list, root) : ENOMEM;
	json_decref(root);
	return err;
}
