// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbbench: one transfer of the benchmark, measured.
 *
 * Prints one line of tab-separated figures; bench.sh makes the tables. All
 * connections are made first, so the clocks run over the transfer only.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "busy.h"
#include "crew.h"
#include "latency.h"
#include "net.h"
#include "relay.h"
#include "stream.h"

static const char usage[] =
	"say one of\n"
	"  hbbench bulk direct|epoll|splice CHILDREN BYTES discard|copy|verify\n"
	"  hbbench latency direct|epoll|splice RELAYS MESSAGES";

static relay_fn *relay_named(const char *name)
{
	if (!strcmp(name, "epoll"))
		return relay_epoll;
	if (!strcmp(name, "splice"))
		return relay_splice;
	if (!strcmp(name, "direct"))
		return NULL;
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

static uint64_t number(const char *text, uint64_t least, uint64_t most)
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
		if (crew_fork(crew)) {
			stream_sink(fd[i], bytes, mode);
			exit(0);
		}
	}
}

static void start_relay(struct crew *crew, relay_fn *relay, int parent,
			const int *child, int children)
{
	if (crew_fork(crew)) {
		relay(parent, child, children);
		exit(0);
	}
}

/* The source waits for a byte of @go, so that only its work is measured. */
static void start_source(struct crew *crew, int go, int fd, uint64_t bytes,
			 enum stream_mode mode)
{
	char byte;

	if (crew_fork(crew)) {
		if (read(go, &byte, 1) != 1)
			err(1, "source: go");
		stream_source(fd, bytes, mode);
		shutdown(fd, SHUT_WR);
		exit(0);
	}
}

/* Prints busy and idle nanoseconds of sending @bytes to every sink. */
static void bulk(relay_fn *relay, int children, uint64_t bytes,
		 enum stream_mode mode)
{
	int out[RELAY_CHILDREN], in[RELAY_CHILDREN], go[2];
	struct net_pair first, pair;
	struct crew crew = { 0 };
	struct busy_mark mark;
	uint64_t busy_ns, idle_ns;

	if (pipe(go))
		err(1, "pipe");
	for (int i = 0; i < children; i++) {
		pair = net_connect(relay ? NET_RELAY : NET_ROOT, NET_SINK + i);
		out[i] = pair.from;
		in[i] = pair.to;
	}
	start_sinks(&crew, in, children, bytes, mode);
	if (relay) {
		first = net_connect(NET_ROOT, NET_RELAY);
		start_relay(&crew, relay, first.to, out, children);
		start_source(&crew, go[0], first.from, bytes, mode);
	} else {
		for (int i = 0; i < children; i++)
			start_source(&crew, go[0], out[i], bytes, mode);
	}
	crew_settle();
	busy_start(&mark);
	for (int i = children; i < crew.count; i++)
		if (write(go[1], "", 1) != 1)
			err(1, "go");
	crew_wait(&crew, 0, children);
	busy_ns = busy_stop(&mark, &idle_ns);
	crew_wait(&crew, children, crew.count);
	printf("%" PRIu64 "\t%" PRIu64 "\n", busy_ns, idle_ns);
}

static void latency(relay_fn *relay, int relays, int messages)
{
	struct net_pair pair = net_connect(0, 1);
	struct crew crew = { 0 };
	int source = pair.from;

	for (int node = 1; node <= relays; node++) {
		struct net_pair next = net_connect(node, node + 1);

		start_relay(&crew, relay, pair.to, &next.from, 1);
		pair = next;
	}
	if (crew_fork(&crew)) {
		latency_sink(pair.to, messages);
		exit(0);
	}
	latency_source(source, messages);
	shutdown(source, SHUT_WR);
	crew_wait(&crew, 0, crew.count);
}

int main(int argc, char **argv)
{
	busy_check();
	if (argc == 6 && !strcmp(argv[1], "bulk"))
		bulk(relay_named(argv[2]), number(argv[3], 1, 4),
		     number(argv[4], 8, UINT64_MAX) & ~7ull,
		     mode_named(argv[5]));
	else if (argc == 5 && !strcmp(argv[1], "latency"))
		latency(relay_named(argv[2]),
			relay_named(argv[2]) ? number(argv[3], 1, 8) : 0,
			number(argv[4], 1, 100000));
	else
		errx(1, "%s", usage);
	return 0;
}
