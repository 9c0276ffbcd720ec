/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

#include <stddef.h>

#define GFP_KERNEL	0

void *kzalloc(size_t size, unsigned int gfp);
void kfree(void *mem);

#endif /* _SHIM_LINUX_SLAB_H */
