/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs: sequences of calls, made at random or out of others. */
#ifndef _HBC_FUZZ_PROGRAM_H
#define _HBC_FUZZ_PROGRAM_H

#include "wire/wire.h"

#define CALLS_MAX	12
#define CALL_BYTES	24

struct call {
	u8 kind;	/* which function, modulo their number */
	u8 byte[CALL_BYTES];	/* what it decides by */
};

struct program {
	unsigned int nr;
	struct call calls[CALLS_MAX];
};

/* What is kept because it reached something new; it grows. */
struct corpus {
	struct program *programs;
	unsigned int nr;
	unsigned int room;
};

void corpus_add(struct corpus *corpus, const struct program *p);

/* Program @number of a run: by the seed, and what has been kept before it. */
void program_make(struct program *p, const struct corpus *corpus, u64 seed, u64 number);

#endif /* _HBC_FUZZ_PROGRAM_H */
