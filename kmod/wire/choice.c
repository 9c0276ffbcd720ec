// SPDX-License-Identifier: GPL-2.0
/* Weighted rendezvous of slots, in integers, so that all nodes choose alike. */
#include "wire/choice.h"

#define LOG_BITS	24	/* logarithms count in 2^-24 */
#define TABLE_BITS	7

/* log2(1 + i / 128) */
static const u32 log_table[(1 << TABLE_BITS) + 1] = {
	0, 188362, 375270, 560745, 744810, 927485, 1108793, 1288752,
	1467383, 1644705, 1820738, 1995500, 2169009, 2341283, 2512340, 2682196,
	2850868, 3018374, 3184728, 3349946, 3514044, 3677038, 3838941, 3999768,
	4159533, 4318251, 4475935, 4632599, 4788255, 4942916, 5096595, 5249305,
	5401057, 5551864, 5701737, 5850688, 5998727, 6145867, 6292118, 6437490,
	6581994, 6725641, 6868440, 7010402, 7151536, 7291852, 7431359, 7570066,
	7707984, 7845119, 7981483, 8117082, 8251926, 8386022, 8519380, 8652008,
	8783912, 8915102, 9045584, 9175366, 9304457, 9432863, 9560591, 9687648,
	9814042, 9939780, 10064867, 10189312, 10313120, 10436298, 10558852, 10680789,
	10802114, 10922835, 11042956, 11162484, 11281425, 11399784, 11517568, 11634780,
	11751428, 11867517, 11983051, 12098037, 12212479, 12326382, 12439752, 12552593,
	12664911, 12776710, 12887994, 12998770, 13109041, 13218811, 13328087, 13436871,
	13545168, 13652983, 13760320, 13867183, 13973576, 14079503, 14184969, 14289978,
	14394532, 14498638, 14602297, 14705514, 14808293, 14910637, 15012551, 15114037,
	15215099, 15315742, 15415967, 15515779, 15615181, 15714177, 15812769, 15910962,
	16008758, 16106160, 16203172, 16299796, 16396036, 16491896, 16587377, 16682482,
	16777216,
};

/* -log2(u / 2^64), u not 0: at most 64, in 2^-24. */
static u32 minus_log(u64 u)
{
	unsigned int lead = __builtin_clzll(u);
	u32 index, part, low;

	/* Behind the leading one: the table's index, and what is between two of its entries. */
	u = u << lead << 1;
	index = u >> (64 - TABLE_BITS);
	part = u << TABLE_BITS >> (64 - LOG_BITS);
	low = log_table[index];
	low += (u64)(log_table[index + 1] - low) * part >> LOG_BITS;
	return ((lead + 1) << LOG_BITS) - low;
}

void hbc_slots_fill(struct hbc_slots *slots, const struct hbc_wire_plan *plan)
{
	unsigned int slot, shift = 0, n = 0;
	u64 set = be64_to_cpu(plan->slots);
	u64 rate, most = 0;

	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		if (set >> slot & 1)
			most |= be64_to_cpu(plan->slot[n++].rate);
	while (most >> shift > U32_MAX)
		shift++;
	memset(slots, 0, sizeof(*slots));
	slots->set = set;
	for (n = 0, slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		if (!(set >> slot & 1))
			continue;
		rate = be64_to_cpu(plan->slot[n].rate) >> shift;
		slots->weight[slot] = rate ? rate : 1;
		slots->step[slot] = be64_to_cpu(plan->slot[n++].step);
	}
}

u8 hbc_choice(const struct hbc_slots *slots, u64 set, u32 piece)
{
	u8 slot, least = HBC_MAX_SLOTS;
	u32 key, best = 0;
	u64 u;

	for (set &= slots->set; set; set &= set - 1) {
		slot = __builtin_ctzll(set);
		u = ((u64)piece + 1) * slots->step[slot] + (1ULL << 63);
		key = minus_log(u ? u : 1);
		/* Keys are compared without a division: both sides times both weights. */
		if (least == HBC_MAX_SLOTS ||
		    (u64)key * slots->weight[least] < (u64)best * slots->weight[slot]) {
			least = slot;
			best = key;
		}
	}
	return least;
}
