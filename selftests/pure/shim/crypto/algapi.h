/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_CRYPTO_ALGAPI_H
#define _SHIM_CRYPTO_ALGAPI_H

#include <openssl/crypto.h>

#define crypto_memneq(a, b, len)	(!!CRYPTO_memcmp(a, b, len))

#endif /* _SHIM_CRYPTO_ALGAPI_H */
