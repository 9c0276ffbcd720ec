/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stdint.h>

#define STREAM_CHUNK (512 << 10)	/* bytes of a call */

/**
 * enum stream_mode - what the ends of a stream do with the payload
 * @STREAM_DISCARD: the sink drops it inside TCP, uncopied (MSG_TRUNC)
 * @STREAM_COPY: the sink copies it to its buffer
 * @STREAM_VERIFY: every word is a function of its place, and the sink checks
 */
enum stream_mode {
	STREAM_DISCARD,
	STREAM_COPY,
	STREAM_VERIFY,
};

void *stream_buffer(void);
void stream_source(int fd, uint64_t bytes, enum stream_mode mode);
void stream_sink(int fd, uint64_t bytes, enum stream_mode mode);
void stream_fill(void *data, uint64_t offset, uint64_t bytes);
void stream_check(const void *data, uint64_t offset, uint64_t bytes);

#endif
