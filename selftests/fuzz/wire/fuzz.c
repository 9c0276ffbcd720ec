// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes its input as a stream of frames, as a lane does, until one is cut or
 * refused. What is accepted must be written again byte by byte.
 */
#include <stddef.h>
#include <stdlib.h>
#include "again.h"

/* Under the name that libFuzzer calls. */
int take_stream(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

static u8 out[HBC_FRAGMENT_MAX];

/* Return: bytes of the frame at the start of @data, 0 if there is no whole good one. */
static unsigned int one_frame(const u8 *data, size_t size)
{
	u32 claimed = size;
	u8 *frame;
	int len;

	if (size >= HBC_HDR_LEN) {
		memcpy(&claimed, data + 4, sizeof(claimed));
		claimed = be32_to_cpu(claimed);
	}
	/* Memory that ends where the frame does, so that a read behind it is seen. */
	if (size > claimed && claimed >= HBC_HDR_LEN)
		size = claimed;
	frame = malloc(size ?: 1);
	if (!frame)
		abort();
	memcpy(frame, data, size);
	len = again(frame, size, out);
	if (len == -EAGAIN || len == -EBADMSG || len == -EPROTONOSUPPORT)
		len = 0;
	else if (len <= 0 || (size_t)len != size || memcmp(out, frame, len))
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
