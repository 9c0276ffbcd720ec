// SPDX-License-Identifier: GPL-2.0-or-later
#include "choices.h"

u64 random_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

void choices_start(struct choices *c, const u8 *byte, unsigned int len)
{
	unsigned int i;

	c->byte = byte;
	c->left = len;
	c->state = len;
	for (i = 0; i < len; i++)
		c->state = c->state * 0x100000001b3ull ^ byte[i];
}

static u8 next_byte(struct choices *c)
{
	if (!c->left)
		return random_next(&c->state) >> 56;
	c->left--;
	return *c->byte++;
}

u32 choose(struct choices *c, u32 n)
{
	u32 value = next_byte(c);

	if (n > 0x100)
		value = value << 8 | next_byte(c);
	if (n > 0x10000)
		value = value << 16 | next_byte(c) << 8 | next_byte(c);
	return value % n;
}

bool rarely(struct choices *c, u32 n)
{
	return choose(c, n) == n - 1;
}

u64 choose_number(struct choices *c)
{
	unsigned int bit = choose(c, 64);

	switch (choose(c, 6)) {
	case 0:
		return choose(c, 16);
	case 1:
		return 1ull << bit;
	case 2:
		return (1ull << bit) - 1;
	case 3:
		return -(u64)choose(c, 16);
	case 4:
		return (1ull << bit) + 1;
	}
	return random_next(&c->state) >> bit;
}

void choose_bytes(struct choices *c, u8 *out, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		out[i] = random_next(&c->state);
}

void spoil_bytes(struct choices *c, u8 *data, unsigned int len)
{
	unsigned int count = 1 + choose(c, 4);
	unsigned int i, at;
	u64 value;

	for (i = 0; i < count && len; i++) {
		at = choose(c, len);
		value = choose_number(c);
		switch (choose(c, 4)) {
		case 0:
			data[at] ^= 1 << choose(c, 8);
			break;
		case 1:
			data[at] = value;
			break;
		case 2:
			value = htobe32(value);
			at &= ~3u;
			memcpy(data + at, &value, len - at < 4 ? len - at : 4);
			break;
		case 3:
			value = htobe64(value);
			at &= ~3u;
			memcpy(data + at, &value, len - at < 8 ? len - at : 8);
			break;
		}
	}
}
