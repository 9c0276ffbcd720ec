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
	json_t *name = name_json(message->name);
	uint64_t bytes, time;
	int ret = -1;

	if (hbp_json_says(json_object_get(root, "hbcast"), "partial") &&
	    json_integer_value(json_object_get(root, "version")) == 1 &&
	    json_is_string(json_object_get(root, "name")) &&
	    hbp_json_uint(json_object_get(root, "bytes"), INT64_MAX, &bytes) &&
	    hbp_json_uint(json_object_get(root, "time_ns"), INT64_MAX, &time))
		ret = json_equal(json_object_get(root, "name"), name) &&
		      bytes == message->total && time == message->time_ns;
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

/* Why the file cannot be used, or NULL: it is locked. @gone: another command has finished it. */
static const char gone[] = "it is gone";

static const char *lock(int fd, const char *part, struct stat *st)
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

/**
 * hbpartial_open() - the file that a message is to come into
 * @ctl: the run
 * @part: its name
 * @list: name of the list
 * @message: what the kernel says of the message
 * @map: gets the pieces that the file has, all clear before
 *
 * What is in it of another message goes, with its list. The lock on the file keeps others away.
 *
 * Return: the file, or -1 after a warning: it is in use, not this user's, or cannot be made.
 */
int hbpartial_open(struct hbctl *ctl, const char *part, const char *list,
		   const struct hbcast_sink *message, uint64_t *map)
{
	const char *why;
	struct stat st;
	int fd;

	do {
		fd = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
		why = fd < 0 ? strerror(errno) : lock(fd, part, &st);
		if (fd >= 0 && why)
			close(fd);
	} while (fd >= 0 && why == gone);
	if (!why && st.st_size && load(ctl, list, message, st.st_size, map))
		return fd;
	if (!why) {
		memset(map, 0, 8 * ((size_t)message->pieces / 64 + 1));
		/* Without its list first: that may not be taken for what comes now. */
		if ((unlink(list) && errno != ENOENT) || ftruncate(fd, 0)) {
			why = strerror(errno);
			close(fd);
		}
	}
	if (!why)
		return fd;
	hbctl_warning(ctl, "\"%s\" cannot be used: %s; what comes now is not kept for later", part,
		      why);
	return -1;
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
	char name[PATH_MAX + 8];
	int fd, err = 0;

	snprintf(name, sizeof(name), "%s.XXXXXX", list);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (json_dumpfd(root, fd, JSON_COMPACT) || fsync(fd))
		err = errno ?: EIO;
	if (close(fd) && !err)
		err = errno;
	if (!err && rename(name, list))
		err = errno;
	if (err)
		unlink(name);
	return err;
}

/**
 * hbpartial_save() - write down what the file has
 * @ctl: the run
 * @fd: the file
 * @list: name of the list
 * @message: what the kernel says of the message
 * @map: the pieces that it has written
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after a warning.
 */
int hbpartial_save(struct hbctl *ctl, int fd, const char *list,
		   const struct hbcast_sink *message, const uint64_t *map)
{
	json_t *root;
	int err;

	err = fdatasync(fd) ? errno : 0;
	if (!err) {
		root = json_pack("{s:s, s:i, s:o, s:I, s:I, s:o}", "hbcast", "partial",
				 "version", 1, "name", name_json(message->name),
				 "bytes", (json_int_t)message->total,
				 "time_ns", (json_int_t)message->time_ns,
				 "ranges", ranges_json(message, map));
		err = root ? write_list(list, root) : ENOMEM;
		json_decref(root);
	}
	if (!err)
		return HBCTL_OK;
	hbctl_warning(ctl, "\"%s\" cannot be written: %s; what comes now is not kept for later",
		      list, strerror(err));
	return HBCTL_KERNEL;
}
