/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where all decisions come from. What a call of a program does is decided by
 * the bytes of its record, one after another, so that a changed byte changes
 * one decision; when they are used up, by numbers that follow from them.
 */
#ifndef _HBC_FUZZ_CHOICES_H
#define _HBC_FUZZ_CHOICES_H

#include "wire/wire.h"

struct choices {
	const u8 *byte;
	unsigned int left;
	u64 state;
};

/* The next of a sequence of numbers (splitmix64). */
u64 random_next(u64 *state);

void choices_start(struct choices *c, const u8 *byte, unsigned int len);

/* A number below @n, which is not 0. */
u32 choose(struct choices *c, u32 n);

/* True once in @n times. */
bool rarely(struct choices *c, u32 n);

/* Any number; those at the edges of the usual types are likelier. */
u64 choose_number(struct choices *c);

void choose_bytes(struct choices *c, u8 *out, unsigned int len);

/* Changes some bytes, of those that there are, here and there. */
void spoil_bytes(struct choices *c, u8 *data, unsigned int len);

#define choose_from(c, list)	((list)[choose(c, sizeof(list) / sizeof((list)[0]))])

#endif /* _HBC_FUZZ_CHOICES_H */
