// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * look-frames: reads frames, each a line in hexadecimal, and prints for each what look()
 * makes of it. For test-spoken.py.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include "look.h"

static unsigned int from_hex(const char *hex, u8 *out, unsigned int max)
{
	unsigned int len = 0;

	for (; sscanf(hex, "%2hhx", &out[len]) == 1; hex += 2)
		if (++len == max)
			errx(EXIT_FAILURE, "a frame is longer than %u bytes", max - 1);
	return len;
}

int main(void)
{
	static char line[2 * HBC_FRAME_MAX + 16];
	static u8 frame[HBC_FRAME_MAX + 2];

	while (fgets(line, sizeof(line), stdin))
		printf("%d\n", look(frame, from_hex(line, frame, sizeof(frame))));
	return EXIT_SUCCESS;
}
