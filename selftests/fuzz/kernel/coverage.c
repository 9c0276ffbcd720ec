// SPDX-License-Identifier: GPL-2.0-or-later
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kcov.h>
#include "coverage.h"

#define AREA	(1 << 18)	/* words that the kernel writes for one call */
#define SLOTS	(1 << 18)
#define BLOCK	(1ull << 63)	/* what is seen: a block ... */
#define WAY	(1ull << 62)	/* ... or from which block to which, or a signal */

static u64 *area;
static u64 seen[SLOTS];
static unsigned int blocks, ways, signals;
static bool news;

bool coverage_open(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR);

	if (fd < 0 && errno == ENOENT)
		return false;
	if (fd < 0)
		err(EXIT_FAILURE, "/sys/kernel/debug/kcov");
	if (ioctl(fd, KCOV_INIT_TRACE, AREA))
		err(EXIT_FAILURE, "KCOV_INIT_TRACE");
	area = mmap(NULL, AREA * sizeof(*area), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (area == MAP_FAILED)
		err(EXIT_FAILURE, "memory of KCOV");
	if (ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		err(EXIT_FAILURE, "KCOV_ENABLE");
	return true;
}

/* Whether it was seen for the first time. */
static bool see(u64 what)
{
	u32 at = what * 0x9e3779b97f4a7c15ull >> 46;

	while (seen[at] && seen[at] != what)
		at = (at + 1) % SLOTS;
	if (seen[at])
		return false;
	if (blocks + ways + signals > SLOTS / 2)
		errx(EXIT_FAILURE, "more was seen than can be remembered");
	seen[at] = what;
	news = true;
	return true;
}

void coverage_begin(void)
{
	if (area)
		__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}

void coverage_end(void)
{
	u64 count = area ? __atomic_load_n(&area[0], __ATOMIC_RELAXED) : 0;
	u64 last = 0, pc, i;

	for (i = 1; i <= count; i++) {
		pc = area[i] & 0xffffffff;
		blocks += see(BLOCK | pc);
		ways += see(WAY | (last << 30 ^ pc));
		last = pc;
	}
}

void coverage_signal(u64 what)
{
	signals += see(1 + what);
}

unsigned int coverage_blocks(void)
{
	return blocks;
}

unsigned int coverage_signals(void)
{
	return signals;
}

bool coverage_news(void)
{
	bool found = news;

	news = false;
	return found;
}
