/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_KREF_H
#define _SHIM_LINUX_KREF_H

#include <stddef.h>

#define container_of(ptr, type, member)	((type *)((char *)(ptr) - offsetof(type, member)))

struct kref {
	unsigned int count;
};

static inline void kref_init(struct kref *ref)
{
	ref->count = 1;
}

static inline void kref_get(struct kref *ref)
{
	ref->count++;
}

static inline void kref_put(struct kref *ref, void (*release)(struct kref *ref))
{
	if (!--ref->count)
		release(ref);
}

#endif /* _SHIM_LINUX_KREF_H */
