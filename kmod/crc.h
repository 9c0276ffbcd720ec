/* SPDX-License-Identifier: GPL-2.0 */
/* CRC32C over fragments. */
#ifndef _HBC_CRC_H
#define _HBC_CRC_H

#include <linux/types.h>

#define HBC_CRC_AT	16

/**
 * struct hbc_crc_seed - checksum of a header's part up to the checksum
 * @hdr: the part, of HBC_CRC_AT bytes; its checksum counts as 0
 * @crc: over it, not inverted
 *
 * It is the same for nearly all fragments of a message, so that one pass over
 * what follows it does for a fragment.
 */
struct hbc_crc_seed {
	u8 hdr[HBC_CRC_AT];
	u32 crc;
};

/* CRC32C (seed and result not inverted) of @len bytes. Context: any. */
u32 hbc_crc(u32 crc, const void *data, unsigned int len);
/* The seed for the fragment whose header is at @header; kept if it fits. */
u32 hbc_crc_seed(struct hbc_crc_seed *seed, const u8 *header);

int hbc_crc_init(void);
void hbc_crc_exit(void);

#endif /* _HBC_CRC_H */
