// SPDX-License-Identifier: GPL-2.0
/* CRC32C of fragments. */
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/string.h>

#include "wire/crc.h"

/*
 * The kernel's crc32c() makes room for the state of any hash, and clears it, at
 * each call; for pieces as short as a fragment that costs a fifth of the time.
 */
static struct crypto_shash *hbc_crc_hash;

u32 hbc_crc(u32 crc, const void *data, unsigned int len)
{
	struct {
		struct shash_desc shash;
		u32 state;
	} desc;

	desc.shash.tfm = hbc_crc_hash;
	desc.state = crc;
	/* It has no way to fail, as in every caller of crc32c(). */
	crypto_shash_update(&desc.shash, data, len);
	return desc.state;
}

u32 hbc_crc_seed(const struct hbc_wire_data *header)
{
	return hbc_crc(~0, header, offsetof(struct hbc_wire_data, crc));
}

int hbc_crc_init(void)
{
	struct crypto_shash *hash = crypto_alloc_shash("crc32c", 0, 0);

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	if (crypto_shash_descsize(hash) != sizeof(u32)) {
		crypto_free_shash(hash);
		return -EOPNOTSUPP;
	}
	hbc_crc_hash = hash;
	return 0;
}

void hbc_crc_exit(void)
{
	crypto_free_shash(hbc_crc_hash);
}
