// SPDX-License-Identifier: GPL-2.0-or-later
#include <err.h>
#include <stdlib.h>
#include "choices.h"
#include "program.h"

void corpus_add(struct corpus *corpus, const struct program *p)
{
	if (corpus->nr == corpus->room) {
		corpus->room = corpus->room ? 2 * corpus->room : 64;
		corpus->programs = realloc(corpus->programs, corpus->room * sizeof(*p));
		if (!corpus->programs)
			err(EXIT_FAILURE, "no memory for the corpus");
	}
	corpus->programs[corpus->nr++] = *p;
}

static void random_call(u64 *state, struct call *call)
{
	struct choices c = { .state = random_next(state) };

	choose_bytes(&c, (u8 *)call, sizeof(*call));
}

static void random_program(u64 *state, struct program *p)
{
	unsigned int i;

	p->nr = 1 + random_next(state) % CALLS_MAX;
	for (i = 0; i < p->nr; i++)
		random_call(state, &p->calls[i]);
}

static void insert_call(struct program *p, unsigned int at, const struct call *call)
{
	if (p->nr == CALLS_MAX)
		p->nr--;
	if (at > p->nr)
		at = p->nr;
	memmove(&p->calls[at + 1], &p->calls[at], (p->nr - at) * sizeof(*call));
	p->calls[at] = *call;
	p->nr++;
}

static void remove_call(struct program *p, unsigned int at)
{
	if (p->nr == 1)
		return;
	p->nr--;
	memmove(&p->calls[at], &p->calls[at + 1], (p->nr - at) * sizeof(p->calls[0]));
}

/* Goes on with the rest of another one. */
static void splice(u64 *state, struct program *p, const struct program *other)
{
	unsigned int at = random_next(state) % p->nr + 1;
	unsigned int from = random_next(state) % other->nr;

	while (at < CALLS_MAX && from < other->nr)
		p->calls[at++] = other->calls[from++];
	p->nr = at;
}

static void mutate(u64 *state, struct program *p, const struct corpus *corpus)
{
	const struct program *other = &corpus->programs[random_next(state) % corpus->nr];
	unsigned int at = random_next(state) % p->nr;
	struct call call = p->calls[random_next(state) % p->nr];

	switch (random_next(state) % 8) {
	case 0:
		splice(state, p, other);
		break;
	case 1:
		random_call(state, &call);
		insert_call(p, at, &call);
		break;
	case 2:
		insert_call(p, at, &call);
		break;
	case 3:
		insert_call(p, at, &other->calls[random_next(state) % other->nr]);
		break;
	case 4:
		remove_call(p, at);
		break;
	case 5:
		random_call(state, &p->calls[at]);
		break;
	default:
		p->calls[at].byte[random_next(state) % CALL_BYTES] = random_next(state);
		break;
	}
}

void program_make(struct program *p, const struct corpus *corpus, u64 seed, u64 number)
{
	u64 state = seed + number * 0x2545f4914f6cdd1dull;
	unsigned int times;

	if (!corpus->nr || random_next(&state) % 8 == 0) {
		random_program(&state, p);
		return;
	}
	*p = corpus->programs[random_next(&state) % corpus->nr];
	for (times = 1 + random_next(&state) % 6; times; times--)
		mutate(&state, p, corpus);
}
