/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The handshake's proofs: HMAC-SHA256 with the group's key over both nonces
 * and the whole transcript. Pure functions over a keyed hash; who sends what
 * when is lane/handshake.c's.
 */
#ifndef _HBC_AUTH_H
#define _HBC_AUTH_H

#include "wire/wire.h"

struct crypto_shash;

/**
 * hbc_auth_key_new() - prepare a group's key
 * @key: secret bytes
 * @len: HBCAST_KEY_LEN_MIN to HBCAST_KEY_LEN_MAX
 *
 * Context: process, may sleep.
 * Return: the key, for crypto_free_shash(), which wipes it, or an ERR_PTR: -EINVAL for a length
 * out of range, -ENOMEM, or what the crypto layer says where HMAC-SHA256 is missing.
 */
struct crypto_shash *hbc_auth_key_new(const u8 *key, unsigned int len);

enum hbc_auth_side {
	HBC_AUTH_ACCEPTOR,	/* CHALLENGE's proof */
	HBC_AUTH_CONNECTOR,	/* AUTH's proof */
};

/**
 * hbc_auth_mac() - one side's proof
 * @key: the group's key
 * @side: whose proof; part of the input, so that neither can be reflected
 * @hello: the HELLO as sent
 * @challenge: the CHALLENGE; node and nonce enter, its mac enters the
 *	connector's proof only
 * @mac: HBC_MAC_LEN bytes, filled in
 *
 * Context: any; any number at once with the same key.
 * Return: 0, or the crypto layer's error.
 */
int hbc_auth_mac(struct crypto_shash *key, enum hbc_auth_side side,
		 const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		 u8 *mac);

/* Like hbc_auth_mac(), then compares in constant time: 0 or -EKEYREJECTED. */
int hbc_auth_check(struct crypto_shash *key, enum hbc_auth_side side,
		   const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		   const u8 *mac);

#endif /* _HBC_AUTH_H */
