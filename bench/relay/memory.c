// SPDX-License-Identifier: GPL-2.0-or-later
/* How much memory the machine uses. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "memory.h"

/* The sum of the numbers of all lines of @path that match @format. */
static uint64_t number_in(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	uint64_t number, found = 0;
	char line[256];

	if (!f)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, format, &number) == 1)
			found += number;
	fclose(f);
	return found;
}

/**
 * memory_now() - what is in use at this moment
 *
 * Return: bytes, as in struct memory.
 */
struct memory memory_now(void)
{
	const char *meminfo = "/proc/meminfo";
	uint64_t total = number_in(meminfo, "MemTotal: %" SCNu64);
	uint64_t available = number_in(meminfo, "MemAvailable: %" SCNu64);
	uint64_t files = number_in(meminfo, "Shmem: %" SCNu64);

	return (struct memory){
		.used = (total - available - files) << 10,
		.slab = number_in(meminfo, "SUnreclaim: %" SCNu64) << 10,
		.tcp = number_in("/proc/net/sockstat",
				 "TCP: %*s %*s %*s %*s %*s %*s %*s %*s mem %"
				 SCNu64) * sysconf(_SC_PAGESIZE),
	};
}

/**
 * memory_peak() - remember the highest figures
 * @peak: raised to what is in use at this moment
 */
void memory_peak(struct memory *peak)
{
	struct memory now = memory_now();

	if (now.used > peak->used)
		peak->used = now.used;
	if (now.slab > peak->slab)
		peak->slab = now.slab;
	if (now.tcp > peak->tcp)
		peak->tcp = now.tcp;
}
