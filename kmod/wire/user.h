/* SPDX-License-Identifier: GPL-2.0 */
/* What pure files need of the kernel's headers, in userspace. */
#ifndef _HBC_WIRE_USER_H
#define _HBC_WIRE_USER_H

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define __packed		__attribute((packed, may_alias))
#define likely(x)		__builtin_expect(!!(x), 1)
#define U8_MAX			UINT8_MAX
#define U16_MAX			UINT16_MAX
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define S32_MAX			INT32_MAX
#define S64_MAX			INT64_MAX
#define BIT_ULL(nr)		(1ULL << (nr))

#define div_u64(n, by)		((n) / (by))

#define cpu_to_be16(x)		htobe16(x)
#define cpu_to_be32(x)		htobe32(x)
#define cpu_to_be64(x)		htobe64(x)
#define be16_to_cpu(x)		be16toh(x)
#define be32_to_cpu(x)		be32toh(x)
#define be64_to_cpu(x)		be64toh(x)

#endif /* _HBC_WIRE_USER_H */
