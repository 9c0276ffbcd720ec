/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <stddef.h>
#include <string.h>

#define memzero_explicit(mem, len)	explicit_bzero(mem, len)

#endif /* _SHIM_LINUX_STRING_H */
