/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's keyed hash as kmod/auth.c uses it, done by OpenSSL. */
#ifndef _SHIM_CRYPTO_HASH_H
#define _SHIM_CRYPTO_HASH_H

#include "wire.h"

struct crypto_shash;

/* The call of one of these that fails next, counted from 1; 0: none. */
extern unsigned int shim_fail_at;
bool shim_fails(void);

struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask);
int crypto_shash_setkey(struct crypto_shash *tfm, const u8 *key, unsigned int len);
int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out);
void crypto_free_shash(struct crypto_shash *tfm);

#endif /* _SHIM_CRYPTO_HASH_H */
