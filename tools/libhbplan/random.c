// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers that a seed determines: splitmix64. */
#include "random.h"

/**
 * hbp_random_below() - draw a number
 * @state: the seed at first; changed
 * @n: up to 2^32
 *
 * Return: 0 to @n - 1, the same for the same seed everywhere.
 */
size_t hbp_random_below(uint64_t *state, size_t n)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return (size_t)((z >> 32) * n >> 32);
}
