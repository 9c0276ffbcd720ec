/* SPDX-License-Identifier: GPL-2.0 */
/* CRC32C of fragments. */
#ifndef _HBC_CRC_H
#define _HBC_CRC_H

#include "wire/wire.h"

/* CRC32C (seed and result not inverted) of @len bytes. Context: any. */
u32 hbc_crc(u32 crc, const void *data, unsigned int len);
/* The seed for a fragment's payload: over its header without the checksum. Context: any. */
u32 hbc_crc_seed(const struct hbc_wire_data *header);

int hbc_crc_init(void);
void hbc_crc_exit(void);

#endif /* _HBC_CRC_H */
