/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_LIMITS_H
#define _SHIM_LINUX_LIMITS_H

#include <stdint.h>
#include_next <linux/limits.h>

#define U64_MAX		UINT64_MAX

#endif /* _SHIM_LINUX_LIMITS_H */
