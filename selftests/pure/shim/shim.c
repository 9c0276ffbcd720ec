// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <openssl/hmac.h>

struct crypto_shash {
	bool crc;
	u8 key[64];
	unsigned int key_len;
};

unsigned int shim_fail_at;

bool shim_fails(void)
{
	return shim_fail_at && !--shim_fail_at;
}

void *kmalloc_array(size_t nr, size_t size, unsigned int gfp)
{
	return shim_fails() ? NULL : malloc(nr * size);
}

void kfree(void *mem)
{
	free(mem);
}

struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask)
{
	bool crc = !strcmp(name, "crc32c");
	struct crypto_shash *tfm;

	if (shim_fails() || (!crc && strcmp(name, "hmac(sha256)")))
		return ERR_PTR(-ENOENT);
	tfm = calloc(1, sizeof(*tfm));
	if (!tfm)
		return ERR_PTR(-ENOMEM);
	tfm->crc = crc;
	return tfm;
}

int crypto_shash_setkey(struct crypto_shash *tfm, const u8 *key, unsigned int len)
{
	if (shim_fails() || len > sizeof(tfm->key))
		return -ENOKEY;
	memcpy(tfm->key, key, len);
	tfm->key_len = len;
	return 0;
}

int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out)
{
	unsigned int out_len = 0;

	if (shim_fails() || !HMAC(EVP_sha256(), tfm->key, tfm->key_len, data, len, out, &out_len))
		return -EIO;
	return out_len == 32 ? 0 : -EIO;
}

unsigned int crypto_shash_descsize(struct crypto_shash *tfm)
{
	return tfm->crc && !shim_fails() ? sizeof(u32) : 64;
}

/* Bit by bit, after the polynomial. */
int crypto_shash_update(struct shash_desc *desc, const u8 *data, unsigned int len)
{
	unsigned int bit;

	for (; len--; data++) {
		desc->state[0] ^= *data;
		for (bit = 0; bit < 8; bit++)
			desc->state[0] = desc->state[0] >> 1 ^ (desc->state[0] & 1) * 0x82f63b78;
	}
	return 0;
}

void crypto_free_shash(struct crypto_shash *tfm)
{
	free(tfm);
}
