/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_ERR_H
#define _SHIM_LINUX_ERR_H

#include <stdint.h>

#define ERR_PTR(err)	((void *)(intptr_t)(err))
#define PTR_ERR(ptr)	((intptr_t)(ptr))
#define IS_ERR(ptr)	((uintptr_t)(ptr) >= (uintptr_t)-4095)

#endif /* _SHIM_LINUX_ERR_H */
