// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes its input as a stream of frames, as a lane does, until one is cut or refused. What is
 * accepted must be what the users of frames rely on.
 */
#include <stddef.h>
#include <stdlib.h>

#include "look.h"

/* Under the name that libFuzzer calls. */
int take_stream(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

/* Return: bytes of the frame at the start of @data, 0 if there is no whole good one. */
static unsigned int one_frame(const u8 *data, size_t size)
{
	size_t claimed = size >= HBC_HDR_LEN ? (size_t)data[2] << 8 | data[3] : size;
	u8 *frame;
	int len;

	/* Memory that ends where the frame does, so that a read behind it is seen. */
	if (size > claimed && claimed >= HBC_HDR_LEN)
		size = claimed;
	frame = malloc(size ?: 1);
	if (!frame)
		abort();
	memcpy(frame, data, size);
	len = look(frame, size);
	if (len == -EAGAIN || len == -EBADMSG || len == -EPROTONOSUPPORT)
		len = 0;
	else if (len <= 0 || (size_t)len != size)
		abort();
	free(frame);
	return len;
}

int take_stream(const u8 *data, size_t size)
{
	unsigned int len;

	do {
		len = one_frame(data, size);
		data += len;
		size -= len;
	} while (len && size);
	return 0;
}
