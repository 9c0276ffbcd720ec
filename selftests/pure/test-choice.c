// SPDX-License-Identifier: GPL-2.0-or-later
/* Weighted rendezvous: by the formula in floating point, and by what it is for. */
#include <math.h>

#include "../lib/tap.h"
#include "wire/choice.h"

#define SEED	4711
#define ERROR	0.00002	/* of a logarithm */

static u64 state = SEED;

static u64 draw(void)
{
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* The multipliers of @n slots: powers of the root of x^(n+1) = x + 1. */
static void fill_steps(struct hbc_slots *s, unsigned int n)
{
	double x = 2, a = 1;
	unsigned int i;

	for (i = 0; i < 200; i++)
		x = pow(1 + x, 1.0 / (n + 1));
	for (i = 0; i < n; i++)
		s->step[i] = (u64)((a /= x) * 18446744073709551616.0);
	s->set = n < 64 ? (1ULL << n) - 1 : ~0ULL;
}

static double key_of(const struct hbc_slots *s, unsigned int slot, u32 piece)
{
	u64 u = ((u64)piece + 1) * s->step[slot] + (1ULL << 63);

	return -log2(((double)u + 0.5) / 18446744073709551616.0) / s->weight[slot];
}

/* Slots whose keys differ by less than a logarithm's error may be either. */
static bool is_least(const struct hbc_slots *s, u64 set, u32 piece, u8 chosen)
{
	double key = key_of(s, chosen, piece);
	unsigned int k;

	for (k = 0; k < 64; k++)
		if (set >> k & 1 &&
		    key_of(s, k, piece) < key - ERROR / s->weight[k] - ERROR / s->weight[chosen])
			return false;
	return set >> chosen & 1;
}

static void test_formula(void)
{
	struct hbc_slots s = { 0 };
	unsigned int wrong = 0, n, i, k;
	u64 set;

	for (n = 1; n <= 64; n++) {
		fill_steps(&s, n);
		for (k = 0; k < n; k++)
			s.weight[k] = 1 + draw() % 100000000;
		for (i = 0; i < 500; i++) {
			u32 piece = i < 250 ? i : (u32)draw();

			set = (draw() & s.set) | 1ULL << draw() % n;
			wrong += !is_least(&s, set, piece, hbc_choice(&s, set, piece));
		}
	}
	ok(!wrong, "the least key wins, of 1 to 64 slots");
}

/* A parent, whose set is larger, chooses the child's slot or one with a lesser key. */
static void test_order(void)
{
	struct hbc_slots s = { 0 };
	unsigned int wrong = 0, i, k;
	u64 child, parent;
	u8 mine, its;

	fill_steps(&s, 20);
	for (k = 0; k < 20; k++)
		s.weight[k] = 1 + draw() % 1000;
	for (i = 0; i < 100000; i++) {
		child = (draw() & s.set) | 1;
		parent = child | (draw() & s.set);
		mine = hbc_choice(&s, child, i);
		its = hbc_choice(&s, parent, i);
		/* What is least of all is least of those that have it. */
		wrong += child >> its & 1 && its != mine;
	}
	ok(!wrong, "what is chosen of more slots is chosen of fewer");
}

/* Of 300 pieces no lane has more than its share, a tenth of it, and two. */
static void test_shares(void)
{
	static const u32 weights[] = { 400, 200, 100, 100, 50, 25 };
	struct hbc_slots s = { 0 };
	unsigned int count[6] = { 0 }, sum = 0, i;
	bool good = true;
	double share;

	fill_steps(&s, 6);
	for (i = 0; i < 6; i++) {
		s.weight[i] = weights[i];
		sum += weights[i];
	}
	for (i = 0; i < 300; i++)
		count[hbc_choice(&s, s.set, i)]++;
	for (i = 0; i < 6; i++) {
		share = 300.0 * weights[i] / sum;
		good = good && count[i] <= 1.1 * share + 2;
		printf("# slot %u: %u of %.1f pieces\n", i, count[i], share);
	}
	ok(good, "each slot brings its share");
}

static void test_edges(void)
{
	struct hbc_slots s = { .set = 5, .weight = { 7, 0, 7 }, .step = { 0, 0, 1ULL << 63 } };

	ok(hbc_choice(&s, 0, 0) == 64 && hbc_choice(&s, 2, 0) == 64,
	   "of no slots, or of some that the plan lacks, none");
	/* Slot 0 has always one half, slot 2 nothing for even pieces: an endless key. */
	ok(hbc_choice(&s, 5, 0) == 0 && hbc_choice(&s, 5, 2) == 0, "a fraction of nothing loses");
	ok(hbc_choice(&s, 5, 1) == 0, "of equal keys the lowest slot's wins");
	ok(hbc_choice(&s, 4, 0) == 2, "one that is alone wins");
}

/* What @set chooses for the first pieces is as the text says, a digit for each. */
static bool chooses(const struct hbc_slots *s, u64 set, const char *text)
{
	u32 piece;

	for (piece = 0; text[piece]; piece++)
		if (hbc_choice(s, set, piece) != text[piece] - '0')
			return false;
	return true;
}

/* The examples of Documentation/wire-format.md. */
static void test_examples(void)
{
	static const struct hbc_slots eighths = {
		.set = 7, .weight = { 4, 2, 1 },
		.step = { 1ULL << 62, 1ULL << 61, 1ULL << 60 },
	};
	static const struct hbc_slots three = {
		.set = 7, .weight = { 4000000, 2000000, 1000000 },
		.step = { 0xd1b54a32d192ecc0, 0xabc98388fb8fab90, 0x8cb92ba72f3d8d40 },
	};

	ok(chooses(&eighths, 7, "01100220") && chooses(&eighths, 6, "11122221") &&
	   chooses(&eighths, 5, "02000220"), "by hand, of steps that are powers of two");
	ok(chooses(&three, 7, "0100100102102000"), "of three trees: a node in all of them");
	ok(chooses(&three, 6, "1112121112112111"), "a node in the second and the third");
	ok(chooses(&three, 5, "0000000202002000"), "a node in the first and the third");
	ok(chooses(&three, 3, "0100100100100000"), "a node in the first and the second");
}

/* As Documentation/wire-format.md tells it. */
static void test_plan(void)
{
	struct {
		struct hbc_wire_plan plan;
		struct hbc_wire_slot slot[3];
	} w = { .plan.slots = htobe64(0x8000000000000009) };
	struct hbc_slots s;

	w.slot[0] = (struct hbc_wire_slot){ htobe64(3ULL << 40), htobe64(11) };
	w.slot[1] = (struct hbc_wire_slot){ htobe64(1ULL << 40), htobe64(12) };
	w.slot[2] = (struct hbc_wire_slot){ htobe64(5), htobe64(13) };
	hbc_slots_fill(&s, &w.plan);
	/* 3 * 2^40 has 42 bits, so all are taken by 2^10. */
	ok(s.set == 0x8000000000000009 && s.weight[0] == 3U << 30 && s.weight[3] == 1U << 30 &&
	   s.weight[63] == 1 && !s.weight[1], "rates become weights of 32 bits, none of them 0");
	ok(s.step[0] == 11 && s.step[3] == 12 && s.step[63] == 13, "multipliers stay");
	w.slot[0].rate = htobe64(U32_MAX);
	w.slot[1].rate = htobe64(17);
	hbc_slots_fill(&s, &w.plan);
	ok(s.weight[0] == U32_MAX && s.weight[3] == 17, "rates of 32 bits are the weights");
}

int main(void)
{
	printf("# seed %d\n", SEED);
	test_formula();
	test_order();
	test_shares();
	test_edges();
	test_examples();
	test_plan();
	return tap_done();
}
