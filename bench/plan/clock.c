// SPDX-License-Identifier: GPL-2.0-or-later
/* Processor time, measured by what other work takes on the same machine at the same time. */
#include <stdlib.h>
#include <time.h>

#include "bench.h"

#define NUMBERS		(1 << 18)
/* What sorting them takes on the machine that limits are for. */
#define SORT_MS		50

/**
 * cpu_ms() - the processor time of this process, ms
 */
double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How many times slower this machine is at this time; a busy neighbour counts. */
static double slower(void)
{
	double *numbers = calloc(NUMBERS, sizeof(*numbers));
	uint64_t seed = 1;
	double ms;
	size_t i;

	if (!numbers)
		die("out of memory");
	for (i = 0; i < NUMBERS; i++)
		numbers[i] = (double)draw_below(&seed, UINT32_MAX);
	ms = cpu_ms();
	qsort(numbers, NUMBERS, sizeof(*numbers), compare);
	ms = cpu_ms() - ms;
	free(numbers);
	return ms / SORT_MS;
}

/**
 * within() - whether something took no more than its limit
 * @ms: the processor time that it took
 * @limit: what it may take on the machine that limits are for, ms
 */
bool within(double ms, double limit)
{
	return ms <= limit || ms <= limit * slower();
}
