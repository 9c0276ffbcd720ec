// SPDX-License-Identifier: GPL-2.0-or-later
/* What hbcastctl recv believes of a partial file and its list, and what it writes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "partial.h"

#define TOTAL	400000
#define PIECE	8192
#define TIME	1764360058123456789

static struct hbctl ctl;
static char part[64], list[64], new[80];

static const struct hbcast_sink message = {
	.total = TOTAL, .time_ns = TIME, .pieces = (TOTAL - 1) / PIECE + 1, .piece_bytes = PIECE,
	.name = "large",
};

static void put(const char *path, const char *text, off_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || (size && ftruncate(fd, size)))
		tap_bail_out("%s cannot be written", path);
	close(fd);
}

/* Pieces that are used of a file of @size bytes; -1: what the file had is gone with its list. */
static int used(const struct hbcast_sink *of, const char *text, off_t size, uint64_t *map)
{
	uint64_t own[2 * (TOTAL / PIECE / 64 + 1)] = { };
	struct stat st;
	unsigned int p;
	int n = 0, fd, lock;

	map = map ?: own;
	if (text)
		put(list, text, 0);
	put(part, "x", size);
	fd = hbpartial_open(&ctl, part, list, of, map, &lock);
	if (fd < 0 && !access(new, F_OK))
		return -3;
	if (fd < 0 || fstat(fd, &st))
		tap_bail_out("there is no file");
	close(fd);
	close(lock);
	for (p = 0; p < 64 * sizeof(own) / 8; p++)
		n += map[p / 64] >> p % 64 & 1;
	if (!st.st_size && access(list, F_OK) && !n)
		return -1;
	return st.st_size == size ? n : -2;
}

static const struct {
	const char *name;
	const char *ranges;
	int used;
	off_t size;
} ranges[] = {
	{ "one piece", "[[0, 8192]]", 1, 200000 },
	{ "a byte less", "[[0, 8191]]", 0, 200000 },
	{ "from the second byte on", "[[1, 16384]]", 1, 200000 },
	{ "two that touch", "[[0, 8192], [8192, 16384]]", 2, 200000 },
	{ "all", "[[0, 400000]]", 49, TOTAL },
	{ "the last piece, which is shorter", "[[393216, 400000]]", 1, TOTAL },
	{ "none", "[]", 0, 200000 },
	{ "beyond the file", "[[0, 200001]]", -1, 200000 },
	{ "beyond the message", "[[0, 400001]]", -1, TOTAL },
	{ "a file that is longer", "[[0, 8192]]", -1, TOTAL + 1 },
	{ "ranges that overlap", "[[0, 16384], [8192, 32768]]", -1, 200000 },
	{ "ranges that descend", "[[16384, 32768], [0, 8192]]", -1, 200000 },
	{ "a range of nothing", "[[0, 8192], [8192, 8192]]", -1, 200000 },
	{ "backwards", "[[8192, 0]]", -1, 200000 },
	{ "below 0", "[[-1, 8192]]", -1, 200000 },
	{ "a fraction", "[[0, 8192.5]]", -1, 200000 },
	{ "words", "[[\"0\", \"8192\"]]", -1, 200000 },
	{ "three ends", "[[0, 8192, 16384]]", -1, 200000 },
	{ "no pairs", "[0, 8192]", -1, 200000 },
	{ "no array", "{\"0\": 8192}", -1, 200000 },
	{ "the largest", "[[0, 9223372036854775807]]", -1, 200000 },
	{ "larger", "[[0, 18446744073709551616]]", -1, 200000 },
};

static const char good[] = "{\"hbcast\": \"partial\", \"version\": 1, \"name\": \"large\",\n"
			   "\"bytes\": 400000, \"time_ns\": 1764360058123456789,\n"
			   "\"ranges\": [[0, 8192], [16384, 200000]]}";

static const struct {
	const char *name;
	const char *from;
	const char *to;
} other[] = {
	{ "another name", "large", "Large" },
	{ "another length", "400000", "400001" },
	{ "another time", "456789", "456788" },
	{ "no time", "time_ns", "time" },
	{ "a length of text", "400000", "\"400000\"" },
	{ "another kind", "partial", "plan" },
	{ "another version", "1,", "2," },
	{ "no ranges", "ranges", "range" },
	{ "a key twice", "\"name\"", "\"version\": 1, \"name\"" },
	{ "a zero in the name", "large", "la\\u0000rge" },
	{ "no object", "{", "[{" },
	{ "more behind it", "]]}", "]]} {}" },
};

static void test_lists(void)
{
	char text[512], *at;
	unsigned int i;

	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		at = strstr(good, "[[");
		snprintf(text, sizeof(text), "%.*s%s}", (int)(at - good), good, ranges[i].ranges);
		ok(used(&message, text, ranges[i].size, NULL) == ranges[i].used, "%s",
		   ranges[i].name);
	}
	for (i = 0; i < sizeof(other) / sizeof(*other); i++) {
		at = strstr(good, other[i].from);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, other[i].to,
			 at + strlen(other[i].from));
		ok(used(&message, text, 200000, NULL) == -1, "%s", other[i].name);
	}
	unlink(list);
	ok(used(&message, NULL, 200000, NULL) == -1, "no list");
	ok(used(&message, "", 200000, NULL) == -1, "an empty list");
}

/* However a list is damaged, nothing is used that is not there. */
static void test_damage(void)
{
	uint64_t map[2 * (TOTAL / PIECE / 64 + 1)];
	unsigned int i, wrong = 0, p;
	char text[sizeof(good)];

	if (!freopen("/dev/null", "w", stderr))
		tap_bail_out("no /dev/null");
	for (i = 0; i < sizeof(good) - 1; i++) {
		snprintf(text, sizeof(text), "%.*s", (int)i, good);
		wrong += used(&message, text, 200000, NULL) != -1;
	}
	ok(!wrong, "a list that is cut off anywhere");
	for (wrong = 0, i = 0; i < 16 * (sizeof(good) - 1); i++) {
		memcpy(text, good, sizeof(text));
		text[i / 16] = "0123456789[],- \x80"[i % 16];
		memset(map, 0, sizeof(map));
		used(&message, text, 200000, map);
		for (p = 200000 / PIECE; p < 64 * sizeof(map) / 8; p++)
			wrong += map[p / 64] >> p % 64 & 1;
	}
	ok(!wrong, "a list of which any byte is another one");
}

static void test_written(void)
{
	uint64_t map[2] = { 0x8000fffe00000005, 0 }, got[4] = { };
	struct hbcast_sink odd = message;
	int fd;

	strcpy(odd.name, "gr\xf6\337e");
	put(part, "x", TOTAL);
	fd = open(part, O_RDWR);
	map[0] &= (UINT64_C(1) << message.pieces) - 1;
	ok(!hbpartial_save(fd, list, &message, map), "a list is written");
	ok(used(&message, NULL, TOTAL, got) == 17 && got[0] == map[0], "and read again");
	map[0] |= UINT64_C(1) << (message.pieces - 1);
	ok(!hbpartial_save(fd, list, &odd, map), "with another name, and the last piece");
	memset(got, 0, sizeof(got));
	ok(used(&odd, NULL, TOTAL, got) == 18 && got[0] == map[0], "and read again");
	odd.piece_bytes = 2 * PIECE;
	odd.pieces = (TOTAL - 1) / odd.piece_bytes + 1;
	/* Pieces 33 to 47 in eight, of which the first is not whole, and the last of them all. */
	ok(used(&odd, NULL, TOTAL, NULL) == 8, "by a message in larger pieces");
	odd.time_ns = -TIME;
	ok(!hbpartial_save(fd, list, &odd, map), "of a file from before 1970");
	ok(used(&odd, NULL, TOTAL, NULL) == 2, "and read again");
	odd.time_ns++;
	ok(used(&odd, NULL, TOTAL, NULL) == -1, "but not for another time");
	put(part, "x", TOTAL);
	ok(!hbpartial_save(fd, list, &odd, map) && !mkdir(new, 0700) &&
	   hbpartial_save(fd, list, &odd, map) == EISDIR, "a list that cannot be written is told");
	ok(used(&odd, NULL, TOTAL, NULL) == -3, "nor is one begun then");
	rmdir(new);
	put(new, "a command was killed here", 0);
	ok(used(&odd, NULL, TOTAL, NULL) == 2 && access(new, F_OK),
	   "what another command has left goes, and the list before it is used");
	close(fd);
	ok(hbpartial_save(fd, list, &odd, map), "not of a file that is closed");
	ok(hbpartial_save(open(part, O_RDWR), "/nowhere/list", &odd, map), "nor nowhere");
}

static void test_places(void)
{
	char third[80];
	uint64_t map[4] = { };
	struct stat st;
	int fd, lock, again;

	snprintf(third, sizeof(third), "%s.other", part);
	put(list, good, 0);
	put(third, "x", 200000);
	unlink(part);
	ok(!symlink(third, part) && hbpartial_open(&ctl, part, list, &message, map, &again) < 0,
	   "a link is not followed");
	unlink(part);
	ok(!link(third, part) && hbpartial_open(&ctl, part, list, &message, map, &again) < 0,
	   "a file of two names is not used");
	unlink(part);
	ok(!mkdir(part, 0700) && hbpartial_open(&ctl, part, list, &message, map, &again) < 0,
	   "nor a directory");
	rmdir(part);
	ok(!mkfifo(part, 0600) && hbpartial_open(&ctl, part, list, &message, map, &again) < 0,
	   "nor a pipe, nor is it waited for");
	unlink(part);
	put(part, "x", 200000);
	fd = hbpartial_open(&ctl, part, list, &message, map, &lock);
	ok(fd >= 0 && map[0], "a file is used");
	ok(hbpartial_open(&ctl, part, list, &message, map, &again) < 0, "but not twice");
	close(lock);
	ok(used(&message, NULL, 200000, NULL) > 0, "another command can while the kernel has it");
	ok(used(&message, "{}", 100000, NULL) == -1 && !fstat(fd, &st) && st.st_size == 100000,
	   "and if it begins anew, the kernel's stays as it was");
	close(fd);
	put(third, good, 0);
	unlink(list);
	ok(!symlink(third, list) && used(&message, NULL, 200000, NULL) == -1,
	   "a list is not looked for elsewhere");
	ok(!access(third, F_OK), "nor removed there");
	unlink(list);
	ok(!mkfifo(list, 0600) && used(&message, NULL, 200000, NULL) == -1,
	   "nor waited for at a pipe");
	unlink(third);
	unlink(part);
}

/* Receives the whole message at once, unless another one is at it: 0, or 1 for a wrong file. */
static int race(void)
{
	uint64_t map[2] = { };
	struct stat st, now;
	int lock, fd = hbpartial_open(&ctl, part, list, &message, map, &lock), wrong;

	if (fd < 0)
		return 0;
	wrong = fstat(fd, &st) || lstat(part, &now) || st.st_ino != now.st_ino ||
		hbpartial_save(fd, list, &message, map) || unlink(part) || unlink(list);
	close(fd);
	close(lock);
	return wrong;
}

static void test_race(void)
{
	int wrong = 0, status, i;
	pid_t other;

	/* What has been printed is not the other's, too. */
	fflush(stdout);
	for (i = 0; i < 500; i++) {
		other = fork();
		if (!other)
			_exit(race());
		wrong += race();
		wrong += other < 0 || waitpid(other, &status, 0) != other || status;
	}
	ok(!wrong, "who has the file has the one of that name, however many want it");
}

int main(void)
{
	char dir[] = "/tmp/hbcast-partial-XXXXXX";

	if (!mkdtemp(dir))
		tap_bail_out("no directory");
	snprintf(part, sizeof(part), "%s/.large.part", dir);
	snprintf(list, sizeof(list), "%s/.large.list", dir);
	snprintf(new, sizeof(new), "%s.new", list);
	test_lists();
	test_damage();
	test_written();
	test_places();
	test_race();
	rmdir(dir);
	return tap_done();
}
