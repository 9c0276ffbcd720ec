/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

#include <stddef.h>

#define GFP_KERNEL	0

void *kmalloc_array(size_t nr, size_t size, unsigned int gfp);
void kfree(void *mem);

#define kvmalloc_array(nr, size, gfp)	kmalloc_array(nr, size, gfp)
#define kvfree(mem)			kfree(mem)

#endif /* _SHIM_LINUX_SLAB_H */
