// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that hold a group's key: its bytes as they are, nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/hbcast_netlink.h>

#include "key.h"
#include "output.h"

#define NEW_LEN	32

static int check_mode(struct hbctl *ctl, const char *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return hbctl_error(ctl, HBCTL_USAGE,
				   "key file \"%s\" cannot be looked at: %s",
				   file, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return hbctl_error(ctl, HBCTL_USAGE,
				   "key file \"%s\" is a directory: name a file",
				   file);
	if (st.st_mode & 0077)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "key file \"%s\" has mode %04o, so others than its owner can read or change it: chmod 600 it and make a new key if it has been read",
				   file, st.st_mode & 07777);
	return HBCTL_OK;
}

/* Reads until @room bytes or the end; returns the number, -1 on errors. */
static ssize_t read_all(int fd, unsigned char *buf, size_t room)
{
	size_t have = 0;
	ssize_t n;

	do {
		n = read(fd, buf + have, room - have);
		if (n > 0)
			have += n;
	} while ((n > 0 && have < room) || (n < 0 && errno == EINTR));
	return n < 0 ? -1 : (ssize_t)have;
}

/**
 * hbkey_read() - read a key
 * @ctl: the run
 * @file: its file, which nobody but the owner may read
 * @key: gets up to HBCAST_KEY_LEN_MAX bytes; the caller wipes them
 * @len: gets their number
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
int hbkey_read(struct hbctl *ctl, const char *file, unsigned char *key,
	       size_t *len)
{
	unsigned char buf[HBCAST_KEY_LEN_MAX + 1];
	ssize_t n;
	int fd, ret;

	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "key file \"%s\" cannot be opened (%s): name a file that you may read, or make one with \"hbcastctl group keygen\"",
				   file, strerror(errno));
	ret = check_mode(ctl, file, fd);
	if (ret)
		goto out;
	n = read_all(fd, buf, sizeof(buf));
	if (n < 0)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "key file \"%s\" cannot be read: %s", file,
				  strerror(errno));
	else if (n < HBCAST_KEY_LEN_MIN || n > HBCAST_KEY_LEN_MAX)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "key file \"%s\" holds %s%zd bytes and a key has %d to %d: make one with \"hbcastctl group keygen\"",
				  file, n > HBCAST_KEY_LEN_MAX ? "at least " : "",
				  n, HBCAST_KEY_LEN_MIN, HBCAST_KEY_LEN_MAX);
	if (ret)
		goto wipe;
	memcpy(key, buf, n);
	*len = n;
wipe:
	explicit_bzero(buf, sizeof(buf));
out:
	close(fd);
	return ret;
}

/**
 * hbkey_make() - make a file with a new random key
 * @ctl: the run
 * @file: its name; nothing may be there
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
int hbkey_make(struct hbctl *ctl, const char *file)
{
	unsigned char key[NEW_LEN];
	bool done;
	int fd, ret = HBCTL_OK;

	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "\"%s\" is there already and may be a key in use: remove it first or name another file",
				   file);
	if (fd < 0)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "key file \"%s\" cannot be made: %s", file,
				   strerror(errno));
	errno = 0;
	done = getrandom(key, sizeof(key), 0) == sizeof(key) &&
	       write(fd, key, sizeof(key)) == sizeof(key);
	explicit_bzero(key, sizeof(key));
	if (close(fd) || !done) {
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "key file \"%s\" cannot be written: %s", file,
				  errno ? strerror(errno) : "the disk is full");
		unlink(file);
	}
	return ret;
}
