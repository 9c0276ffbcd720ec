// SPDX-License-Identifier: GPL-2.0-or-later
/* A child of a relay of hbcast that is no node: it only reads (plain.py). */
#include <endian.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "plain.h"
#include "stream.h"

/* From Documentation/wire-format.md. */
enum { MESSAGE = 8, ACK = 17, REPORT = 18, ACK_FILE = 1, DATA_LEN = 16, CONTROL_MAX = 4096 };

struct header {
	uint8_t type;
	uint8_t tag;
	uint16_t length;
} __attribute__((packed));

struct message {
	uint64_t number;
	uint64_t total;
	uint16_t port;
	uint16_t payload;
} __attribute__((packed));

struct ack {
	struct header header;
	uint32_t epoch;
	uint64_t number;
	uint64_t bytes;
} __attribute__((packed));

struct report {
	struct header header;
	uint32_t epoch;
	uint64_t number;
	uint32_t first;
	uint32_t count;
	uint32_t reason;
} __attribute__((packed));

static void take(int fd, void *data, size_t len)
{
	if (recv(fd, data, len, MSG_WAITALL) != (ssize_t)len)
		err(1, "child: recv");
}

static void say(int fd, const void *frame, size_t len)
{
	if (send(fd, frame, len, 0) != (ssize_t)len)
		err(1, "child: send");
}

/* Reads until it is told of a message. */
static struct message begin(int fd)
{
	char body[CONTROL_MAX];
	struct header header;
	struct message told;

	do {
		take(fd, &header, sizeof(header));
		take(fd, body, be16toh(header.length) - sizeof(header));
	} while (header.type != MESSAGE);
	memcpy(&told, body, sizeof(told));
	return told;
}

/* As a node does: how much it has, 256 times, and in the end what became of it. */
static void arrived(int fd, uint32_t epoch, uint64_t number, uint64_t bytes)
{
	const struct ack ack = {
		.header = { ACK, ACK_FILE, htobe16(sizeof(ack)) },
		.epoch = htobe32(epoch), .number = number, .bytes = htobe64(bytes),
	};

	say(fd, &ack, sizeof(ack));
}

static void delivered(int fd, uint32_t epoch, uint64_t number)
{
	const struct report report = {
		.header = { REPORT, 0, htobe16(sizeof(report)) },
		.epoch = htobe32(epoch), .number = number, .count = htobe32(1),
	};

	say(fd, &report, sizeof(report));
}

/**
 * plain_sink() - take a file from a parent
 * @fd: the connection, ready
 * @epoch: of the parent's tree
 * @bytes: of the file
 * @mode: STREAM_DISCARD or STREAM_COPY
 */
void plain_sink(int fd, uint32_t epoch, uint64_t bytes, enum stream_mode mode)
{
	int flags = mode == STREAM_DISCARD ? MSG_TRUNC : 0;
	struct message told = begin(fd);
	uint32_t payload = be16toh(told.payload);
	uint64_t all = bytes + (bytes + payload - 1) / payload * DATA_LEN;
	uint64_t step = bytes >> 8 > 65536 ? bytes >> 8 : 65536, got = 0, next = step;
	void *data = stream_buffer();

	if (be64toh(told.total) != bytes)
		errx(1, "child: a file of %" PRIu64 " bytes", be64toh(told.total));
	while (got < all) {
		uint64_t left = all - got;
		ssize_t n = recv(fd, data, left < STREAM_CHUNK ? left : STREAM_CHUNK, flags);

		if (n <= 0)
			err(1, "child: %" PRIu64 " bytes of %" PRIu64, got, all);
		got += n;
		if (got < next && got < all)
			continue;
		arrived(fd, epoch, told.number,
			got == all ? bytes : got / (payload + DATA_LEN) * payload);
		next = got + step;
	}
	delivered(fd, epoch, told.number);
	free(data);
}
