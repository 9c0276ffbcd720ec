// SPDX-License-Identifier: GPL-2.0
/*
 * The handshake's proofs. A proof is the HMAC of, in this order:
 *
 *   label      24 bytes, zero-padded: each side has its own
 *   HELLO      the whole frame as it was sent
 *   node       be32, who answered
 *   nonce      the acceptor's
 *   mac        the acceptor's proof; in the connector's proof only
 *
 * All parts have fixed sizes, so no two transcripts make the same input.
 */
#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/string.h>

#include "wire/auth.h"

#define LABEL_LEN	24

struct transcript {
	u8 label[LABEL_LEN];
	struct hbc_wire_hello hello;
	__be32 node;
	u8 nonce[HBC_NONCE_LEN];
	u8 mac[HBC_MAC_LEN];
} __packed;

struct crypto_shash *hbc_auth_key_new(const u8 *key, unsigned int len)
{
	struct crypto_shash *hmac;
	int err;

	if (len < HBCAST_KEY_LEN_MIN || len > HBCAST_KEY_LEN_MAX)
		return ERR_PTR(-EINVAL);
	hmac = crypto_alloc_shash("hmac(sha256)", 0, 0);
	if (IS_ERR(hmac))
		return hmac;
	err = crypto_shash_setkey(hmac, key, len);
	if (!err)
		return hmac;
	crypto_free_shash(hmac);
	return ERR_PTR(err);
}

int hbc_auth_mac(struct crypto_shash *key, enum hbc_auth_side side,
		 const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		 u8 *mac)
{
	static const u8 labels[][LABEL_LEN] = {
		[HBC_AUTH_ACCEPTOR] = "hbcast acceptor",
		[HBC_AUTH_CONNECTOR] = "hbcast connector",
	};
	unsigned int len = sizeof(struct transcript);
	struct transcript t;

	memcpy(t.label, labels[side], sizeof(t.label));
	t.hello = *hello;
	t.node = challenge->node;
	memcpy(t.nonce, challenge->nonce, sizeof(t.nonce));
	if (side == HBC_AUTH_CONNECTOR)
		memcpy(t.mac, challenge->mac, sizeof(t.mac));
	else
		len -= sizeof(t.mac);
	return crypto_shash_tfm_digest(key, (const u8 *)&t, len, mac);
}

int hbc_auth_check(struct crypto_shash *key, enum hbc_auth_side side,
		   const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		   const u8 *mac)
{
	u8 expected[HBC_MAC_LEN];
	int err;

	err = hbc_auth_mac(key, side, hello, challenge, expected);
	if (err)
		return err;
	err = crypto_memneq(expected, mac, sizeof(expected)) ? -EKEYREJECTED : 0;
	memzero_explicit(expected, sizeof(expected));
	return err;
}
