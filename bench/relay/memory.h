/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>

/**
 * struct memory - the most that was in use at once, in bytes
 * @used: memory that is not available for a new program, without files in memory; the page
 *	cache of files on disk is, since the kernel can drop it
 * @slab: the part of it that is unreclaimable slab
 * @tcp: what TCP accounts for in all namespaces
 */
struct memory {
	uint64_t used;
	uint64_t slab;
	uint64_t tcp;
};

struct memory memory_now(void);
void memory_peak(struct memory *peak);

#endif
