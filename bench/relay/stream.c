// SPDX-License-Identifier: GPL-2.0-or-later
/* The two ends of a bulk transfer over TCP. */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream.h"

static uint64_t word_at(uint64_t index)
{
	return (index + 1) * 0x9e3779b97f4a7c15u;
}

/**
 * stream_fill() - write the words that belong to a place
 * @data: to be filled
 * @offset: its place in the stream in bytes, a multiple of 8
 * @bytes: its length, a multiple of 8
 */
void stream_fill(void *data, uint64_t offset, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / 8; i++) {
		uint64_t word = word_at(offset / 8 + i);

		memcpy((char *)data + 8 * i, &word, 8);
	}
}

static void check_byte(unsigned char got, uint64_t offset)
{
	uint64_t word = word_at(offset / 8);
	unsigned char expected;

	memcpy(&expected, (char *)&word + offset % 8, 1);
	if (got != expected)
		errx(1, "sink: byte %" PRIu64 " is 0x%02x, not 0x%02x", offset,
		     got, expected);
}

/**
 * stream_check() - compare with what stream_fill() writes
 * @data: what has arrived
 * @offset: its place in the stream in bytes, any
 * @bytes: its length, any
 *
 * Exits with a sentence at the first byte that differs.
 */
void stream_check(const void *data, uint64_t offset, uint64_t bytes)
{
	const unsigned char *at = data;
	uint64_t end = offset + bytes;

	while (offset < end) {
		uint64_t word;

		memcpy(&word, at, end - offset < 8 ? end - offset : 8);
		if (offset % 8 == 0 && end - offset >= 8 &&
		    word == word_at(offset / 8)) {
			offset += 8;
			at += 8;
		} else {
			check_byte(*at++, offset++);
		}
	}
}

/**
 * stream_buffer() - what an end of a stream reads into, or writes from
 *
 * Return: STREAM_CHUNK bytes, for free(3).
 */
void *stream_buffer(void)
{
	void *data = malloc(STREAM_CHUNK);

	if (!data)
		err(1, "malloc");
	stream_fill(data, 0, STREAM_CHUNK);
	return data;
}

/**
 * stream_source() - send a number of bytes
 * @fd: a blocking socket
 * @bytes: how many, a multiple of 8
 * @mode: STREAM_VERIFY makes every word depend on its place
 */
void stream_source(int fd, uint64_t bytes, enum stream_mode mode)
{
	void *data = stream_buffer();
	uint64_t sent = 0;

	while (sent < bytes) {
		size_t len = STREAM_CHUNK;

		if (bytes - sent < len)
			len = bytes - sent;
		if (mode == STREAM_VERIFY)
			stream_fill(data, sent, len);
		if (send(fd, data, len, 0) != (ssize_t)len)
			err(1, "source: send");
		sent += len;
	}
	free(data);
}

/**
 * stream_sink() - receive a number of bytes
 * @fd: a blocking socket
 * @bytes: how many; the sink exits with a sentence if the stream ends earlier
 * @mode: what to do with them
 */
void stream_sink(int fd, uint64_t bytes, enum stream_mode mode)
{
	int flags = mode == STREAM_DISCARD ? MSG_TRUNC : 0;
	void *data = stream_buffer();
	uint64_t got = 0;

	while (got < bytes) {
		ssize_t n = recv(fd, data, STREAM_CHUNK, flags);

		if (n < 0)
			err(1, "sink: recv");
		if (!n)
			errx(1, "sink: the stream ended after %" PRIu64
			     " of %" PRIu64 " bytes", got, bytes);
		if (mode == STREAM_VERIFY)
			stream_check(data, got, n);
		got += n;
	}
	if (got != bytes)
		errx(1, "sink: %" PRIu64 " bytes too many", got - bytes);
	free(data);
}
