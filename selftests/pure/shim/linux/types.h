/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's short names as well. */
#ifndef _SHIM_LINUX_TYPES_H
#define _SHIM_LINUX_TYPES_H

#include_next <linux/types.h>
#include "wire/user.h"

#endif /* _SHIM_LINUX_TYPES_H */
