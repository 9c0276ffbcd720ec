// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames drawn at random: nothing is read that is not there, and what is accepted is good. */
#include "../lib/tap.h"
#include "look.h"
#include "samples.h"

#define SEED	12
#define ROUNDS	400000

static u8 frame[HBC_FRAME_MAX];
static u64 state = SEED;

static u64 draw(u64 below)
{
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) % below;
}

/* Of just that size, so that the sanitizer sees what is beyond. */
static int look_alone(unsigned int len)
{
	u8 *copy = malloc(len);
	int ret;

	if (!copy)
		tap_bail_out("no memory");
	memcpy(copy, frame, len);
	ret = look(copy, len);
	free(copy);
	return ret;
}

/* A value that is an edge of what a field allows, more often than by chance. */
static u8 draw_byte(void)
{
	static const u8 edges[] = { 0, 1, 2, 4, 6, 63, 64, 127, 128, 255 };

	return draw(2) ? edges[draw(sizeof(edges))] : draw(256);
}

/* Good frames of which some bytes are others. */
static void test_changed(void)
{
	unsigned int good = 0, wrong = 0, i, k;
	const struct sample *s;
	int ret;

	for (i = 0; i < ROUNDS; i++) {
		s = &samples[i % NR_SAMPLES];
		memcpy(frame, s->bytes, s->len);
		for (k = 0; k < 1 + i % 3 && s->len > HBC_HDR_LEN; k++)
			frame[HBC_HDR_LEN + draw(s->len - HBC_HDR_LEN)] = draw_byte();
		ret = look_alone(s->len);
		good += ret > 0;
		wrong += ret > 0 ? ret != (int)s->len : ret != -EBADMSG;
	}
	printf("# %u of %u were good\n", good, ROUNDS);
	ok(!wrong && good > ROUNDS / 10 && good < ROUNDS, "frames with some other bytes");
}

/* Headers that are good, and anything behind them. */
static void test_bodies(void)
{
	unsigned int good = 0, wrong = 0, i, k, len, type;
	struct hbc_hdr h;
	int ret;

	for (i = 0; i < ROUNDS; i++) {
		type = 1 + draw(__HBC_FRAME_MAX - 1);
		len = HBC_HDR_LEN + draw(i % 8 ? 128 : 4200);
		hbc_wire_put_hdr((void *)frame, type, type == HBC_FRAME_HELLO ? 4 : draw(3), len);
		if (hbc_wire_get_hdr(frame, &h))
			continue;
		for (k = HBC_HDR_LEN; k < len; k++)
			frame[k] = draw(3) ? 0 : draw_byte();
		ret = look_alone(len);
		good += ret > 0;
		wrong += ret > 0 ? ret != (int)len : ret != -EBADMSG;
	}
	printf("# %u were good\n", good);
	ok(!wrong && good > 1000, "frames with any bytes behind their headers");
}

int main(void)
{
	printf("# seed %d\n", SEED);
	test_changed();
	test_bodies();
	return tap_done();
}
