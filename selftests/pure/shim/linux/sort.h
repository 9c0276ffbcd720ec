/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_SORT_H
#define _SHIM_LINUX_SORT_H

#include <stdlib.h>

static inline void sort(void *base, size_t nr, size_t size,
			int (*compare)(const void *, const void *), void *swap)
{
	qsort(base, nr, size, compare);
}

#endif /* _SHIM_LINUX_SORT_H */
