// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One-way latency of single messages of 1 KiB: the source writes the time into
 * the message, the sink compares with its own. Both run on one machine, so it
 * is the same clock.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "busy.h"
#include "crew.h"
#include "latency.h"

#define MESSAGE_BYTES 1024

struct message {
	uint64_t sent_ns;
	uint64_t number;
	char filler[MESSAGE_BYTES - 16];
};

/**
 * latency_source() - send messages, each when everything is at rest
 * @fd: a blocking socket
 * @messages: how many
 */
void latency_source(int fd, int messages)
{
	struct message m = { 0 };

	while (m.number < (uint64_t)messages) {
		crew_settle();
		m.number++;
		m.sent_ns = busy_now();
		if (send(fd, &m, sizeof(m), 0) != sizeof(m))
			err(1, "source: send");
	}
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/**
 * latency_sink() - receive messages and print what they took
 * @fd: a blocking socket
 * @messages: how many, at least 1
 *
 * Prints median, minimum and maximum in nanoseconds.
 */
void latency_sink(int fd, int messages)
{
	uint64_t *took_ns = calloc(messages, sizeof(*took_ns));
	struct message m;

	if (!took_ns)
		err(1, "calloc");
	for (int i = 0; i < messages; i++) {
		if (recv(fd, &m, sizeof(m), MSG_WAITALL) != sizeof(m))
			err(1, "sink: recv");
		took_ns[i] = busy_now() - m.sent_ns;
		if (m.number != (uint64_t)i + 1)
			errx(1, "sink: message %" PRIu64 " instead of %d",
			     m.number, i + 1);
	}
	qsort(took_ns, messages, sizeof(*took_ns), ascending);
	printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", took_ns[messages / 2],
	       took_ns[0], took_ns[messages - 1]);
	free(took_ns);
}
