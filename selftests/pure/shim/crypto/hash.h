/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's hashes as kmod/wire/auth.c and crc.c use them, the keyed one done by OpenSSL. */
#ifndef _SHIM_CRYPTO_HASH_H
#define _SHIM_CRYPTO_HASH_H

#include "wire/wire.h"

struct crypto_shash;

struct shash_desc {
	struct crypto_shash *tfm;
	u32 state[];
};

/* The call of one of these that fails next, counted from 1; 0: none. */
extern unsigned int shim_fail_at;
bool shim_fails(void);

struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask);
int crypto_shash_setkey(struct crypto_shash *tfm, const u8 *key, unsigned int len);
int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out);
unsigned int crypto_shash_descsize(struct crypto_shash *tfm);
int crypto_shash_update(struct shash_desc *desc, const u8 *data, unsigned int len);
void crypto_free_shash(struct crypto_shash *tfm);

#endif /* _SHIM_CRYPTO_HASH_H */
