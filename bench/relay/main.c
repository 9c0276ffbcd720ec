// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbbench: one transfer of the benchmark, measured.
 *
 * Prints one line of tab-separated figures; bench.sh makes the tables. All
 * connections are made first, so the clocks run over the transfer only.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "busy.h"
#include "crew.h"
#include "hbcast.h"
#include "latency.h"
#include "memory.h"
#include "net.h"
#include "plain.h"
#include "relay.h"
#include "stream.h"
#include "twin.h"

static const char usage[] =
	"say one of\n"
	"  hbbench bulk PATH CHILDREN BYTES discard|copy|verify\n"
	"  hbbench plain GROUP BYTES discard|copy EPOCH:FD...\n"
	"  hbbench chain PATH BYTES\n"
	"  hbbench latency PATH MESSAGES\n"
	"  hbbench twin BYTES\n"
	"  hbbench fill FILE BYTES\n"
	"  hbbench memory FILE\n"
	"PATH is direct, epoll, splice, hbcast-direct or hbcast";

/**
 * struct path - how the data get from the root to the sinks
 * @name: on the command line
 * @relay: what runs on a relay, NULL without one
 * @group: for AF_HBCAST the group of one child, 0 for TCP
 * @chain: for AF_HBCAST the group of the chain of relays
 * @direct: there is one sink, joined with the root
 */
struct path {
	const char *name;
	relay_fn *relay;
	uint32_t group;
	uint32_t chain;
	bool direct;
};

static const struct path paths[] = {
	{ .name = "direct", .direct = true },
	{ .name = "epoll", .relay = relay_epoll },
	{ .name = "splice", .relay = relay_splice },
	{ .name = "hbcast-direct", .group = HBCAST_GROUP_DIRECT,
	  .chain = HBCAST_GROUP_DIRECT, .direct = true },
	{ .name = "hbcast", .group = HBCAST_GROUP_RELAY,
	  .chain = HBCAST_GROUP_CHAIN },
};

static const struct path *path_named(const char *name)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!strcmp(name, paths[i].name))
			return &paths[i];
	errx(1, "%s", usage);
}

static enum stream_mode mode_named(const char *name)
{
	if (!strcmp(name, "discard"))
		return STREAM_DISCARD;
	if (!strcmp(name, "copy"))
		return STREAM_COPY;
	if (!strcmp(name, "verify"))
		return STREAM_VERIFY;
	errx(1, "%s", usage);
}

static uint64_t parse_number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (*end || value < least || value > most)
		errx(1, "%s is not a number from %" PRIu64 " to %" PRIu64,
		     text, least, most);
	return value;
}

static void start_sinks(struct crew *crew, const int *fd, int sinks,
			uint64_t bytes, enum stream_mode mode)
{
	for (int i = 0; i < sinks; i++) {
		if (crew_fork(crew, "bench-sink")) {
			stream_sink(fd[i], bytes, mode);
			exit(0);
		}
	}
}

static void start_relay(struct crew *crew, relay_fn *relay, int parent,
			const int *child, int children)
{
	if (crew_fork(crew, "bench-relay")) {
		relay(parent, child, children);
		exit(0);
	}
}

/* Returns once the parent says go, so that only the transfer is measured. */
static void await_go(int go)
{
	char byte;

	if (read(go, &byte, 1) != 1)
		err(1, "source: go");
}

static void start_source(struct crew *crew, int go, int fd, uint64_t bytes,
			 enum stream_mode mode)
{
	if (crew_fork(crew, "bench-source")) {
		await_go(go);
		stream_source(fd, bytes, mode);
		shutdown(fd, SHUT_WR);
		exit(0);
	}
}

/* Connects the root with every sink over TCP, and starts all but the clock. */
static void start_tcp(struct crew *crew, relay_fn *relay, int go, int children,
		      uint64_t bytes, enum stream_mode mode)
{
	int out[RELAY_CHILDREN], in[RELAY_CHILDREN];
	int source;

	for (int i = 0; i < children; i++) {
		struct net_pair pair = net_connect(relay ? NET_RELAY : NET_ROOT,
						   NET_SINK + i);

		out[i] = pair.from;
		in[i] = pair.to;
	}
	start_sinks(crew, in, children, bytes, mode);
	source = out[0];
	if (relay) {
		struct net_pair pair = net_connect(NET_ROOT, NET_RELAY);

		start_relay(crew, relay, pair.to, out, children);
		source = pair.from;
	}
	start_source(crew, go, source, bytes, mode);
}

static void start_hbcast_source(struct crew *crew, int out, int go, int file, uint64_t bytes)
{
	if (crew_fork(crew, "bench-source")) {
		await_go(go);
		hbcast_source(out, file, bytes);
		exit(0);
	}
}

static void start_hbcast(struct crew *crew, uint32_t group, int go, int file,
			 int children, uint64_t bytes, enum stream_mode mode)
{
	int out = hbcast_sender(NET_ROOT, group);
	int in[RELAY_CHILDREN];

	for (int i = 0; i < children; i++)
		in[i] = hbcast_receiver(NET_SINK + i, group);
	start_sinks(crew, in, children, bytes, mode);
	start_hbcast_source(crew, out, go, file, bytes);
}

/*
 * Lets the source go and prints the busy and idle nanoseconds until all sinks
 * have it all.
 */
static void measure(struct crew *crew, int go, int sinks)
{
	uint64_t busy_ns, idle_ns;
	struct busy_mark mark;

	crew_settle();
	busy_start(&mark);
	if (write(go, "", 1) != 1)
		err(1, "go");
	crew_wait(crew, 0, sinks);
	busy_ns = busy_stop(&mark, &idle_ns);
	crew_wait(crew, sinks, crew->count);
	printf("%" PRIu64 "\t%" PRIu64 "\n", busy_ns, idle_ns);
}

static void bulk(const struct path *path, int children, uint64_t bytes,
		 enum stream_mode mode)
{
	struct crew crew = { 0 };
	int go[2];

	if (pipe(go))
		err(1, "pipe");
	if (path->direct && children != 1)
		errx(1, "a direct transfer has one sink");
	if (path->group)
		start_hbcast(&crew, path->group + children - 1, go[0],
			     hbcast_file(bytes), children, bytes, mode);
	else
		start_tcp(&crew, path->relay, go[0], children, bytes, mode);
	measure(&crew, go[1], children);
}

/* To children that only read: plain.py has connected them. */
static void plain(uint32_t group, uint64_t bytes, enum stream_mode mode, int children,
		  char **child)
{
	int out = hbcast_sender(NET_ROOT, group);
	struct crew crew = { 0 };
	uint32_t epoch;
	int go[2], fd;

	if (pipe(go))
		err(1, "pipe");
	for (int i = 0; i < children; i++) {
		if (sscanf(child[i], "%" SCNu32 ":%d", &epoch, &fd) != 2)
			errx(1, "%s", usage);
		if (crew_fork(&crew, "bench-sink")) {
			plain_sink(fd, epoch, bytes, mode);
			exit(0);
		}
	}
	start_hbcast_source(&crew, out, go[0], hbcast_file(bytes), bytes);
	measure(&crew, go[1], children);
}

/* A direct transfer over TCP with a sink and its twin. */
static void twin(uint64_t bytes)
{
	struct net_pair pair = net_connect(NET_ROOT, NET_SINK);
	int in[2] = { pair.to, twin_of(pair.to, NET_TWIN) };
	struct crew crew = { 0 };
	int go[2];

	if (pipe(go))
		err(1, "pipe");
	start_sinks(&crew, in, 2, bytes, STREAM_COPY);
	start_source(&crew, go[0], pair.from, bytes, STREAM_COPY);
	measure(&crew, go[1], 2);
}

static void start_chain(struct crew *crew, relay_fn *relay, int *in, int *out)
{
	struct net_pair pair = net_connect(0, 1);

	*out = pair.from;
	for (int node = 1; relay && node < NET_LAST; node++) {
		struct net_pair next = net_connect(node, node + 1);

		start_relay(crew, relay, pair.to, &next.from, 1);
		pair = next;
	}
	*in = pair.to;
}

/* A transfer over TCP through the chain of all nodes. */
static void chain(const struct path *path, uint64_t bytes)
{
	struct crew crew = { 0 }, relays = { 0 };
	int in, out, go[2];

	if (pipe(go))
		err(1, "pipe");
	start_chain(&relays, path->relay, &in, &out);
	start_sinks(&crew, &in, 1, bytes, STREAM_COPY);
	start_source(&crew, go[0], out, bytes, STREAM_COPY);
	measure(&crew, go[1], 1);
}

/* Prints what latency_sink() does, of a chain of all nodes or of one link. */
static void latency(const struct path *path, int messages)
{
	struct crew crew = { 0 };
	int in, out;

	if (path->group) {
		out = hbcast_sender(NET_ROOT, path->chain);
		in = hbcast_receiver(path->direct ? NET_SINK : NET_LAST, path->chain);
	} else {
		start_chain(&crew, path->relay, &in, &out);
	}
	if (crew_fork(&crew, "bench-sink")) {
		latency_sink(in, messages);
		exit(0);
	}
	latency_source(out, messages);
	shutdown(out, SHUT_WR);
	crew_wait(&crew, 0, crew.count);
}

static void fill(const char *name, uint64_t bytes)
{
	int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (file < 0)
		err(1, "%s", name);
	hbcast_fill(file, bytes);
	close(file);
}

/* Each node but the root has a file for what comes. */
static void start_files(struct crew *crew, int go, int file, uint64_t bytes)
{
	uint32_t group = HBCAST_GROUP_RELAY + 3;
	int out = hbcast_sender(NET_ROOT, group);

	for (int node = NET_RELAY; node < NET_SINK + 4; node++) {
		int in = hbcast_sink_receiver(node, group);

		if (crew_fork(crew, "bench-sink")) {
			hbcast_sink(in, bytes);
			exit(0);
		}
	}
	start_hbcast_source(crew, out, go, file, bytes);
}

/*
 * Sends a file of fill() through a relay to four sinks and prints by how many
 * bytes the memory in use, slab and TCP's have risen at most, files not counted.
 */
static void memory(const char *name)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int file = open(name, O_RDONLY | O_CLOEXEC);
	struct memory before, peak = { 0 };
	struct crew crew = { 0 };
	struct stat st;
	int go[2];

	if (file < 0 || fstat(file, &st) || pipe(go))
		err(1, "%s", name);
	start_files(&crew, go[0], file, st.st_size);
	crew_settle();
	before = memory_now();
	if (write(go[1], "", 1) != 1)
		err(1, "go");
	while (crew_running(&crew)) {
		memory_peak(&peak);
		nanosleep(&pause, NULL);
	}
	printf("%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n",
	       peak.used - before.used, peak.slab - before.slab,
	       peak.tcp - before.tcp);
}

/* The commands that measure time. */
static bool run_timed(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "bulk"))
		bulk(path_named(argv[2]), parse_number(argv[3], 1, 4),
		     parse_number(argv[4], 8, UINT64_MAX) & ~7ull,
		     mode_named(argv[5]));
	else if (argc > 5 && !strcmp(argv[1], "plain"))
		plain(parse_number(argv[2], 1, UINT32_MAX),
		      parse_number(argv[3], 8, UINT64_MAX) & ~7ull, mode_named(argv[4]), argc - 5,
		      argv + 5);
	else if (argc == 4 && !strcmp(argv[1], "chain"))
		chain(path_named(argv[2]), parse_number(argv[3], 8, UINT64_MAX) & ~7ull);
	else if (argc == 4 && !strcmp(argv[1], "latency"))
		latency(path_named(argv[2]), parse_number(argv[3], 1, 100000));
	else if (argc == 3 && !strcmp(argv[1], "twin"))
		twin(parse_number(argv[2], 8, UINT64_MAX) & ~7ull);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "fill")) {
		fill(argv[2], parse_number(argv[3], 8, UINT64_MAX) & ~7ull);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "memory")) {
		memory(argv[2]);
		return 0;
	}
	/* A transfer takes a second at most; whoever waits longer waits in vain. */
	alarm(120);
	busy_check();
	if (!run_timed(argc, argv))
		errx(1, "%s", usage);
	return 0;
}
