// SPDX-License-Identifier: GPL-2.0-or-later
/* The handshake's proofs: what they depend on and what is refused. */
#include <crypto/hash.h>
#include <linux/err.h>

#include "../lib/tap.h"
#include "wire/auth.h"

/*
 * HMAC-SHA256 with the key 1, 2, … 32 over "hbcast acceptor" or "hbcast
 * connector" padded to 24 bytes and the frames of setup(), by openssl(1).
 */
static const u8 known[][HBC_MAC_LEN] = {
	[HBC_AUTH_ACCEPTOR] = {
		0x02, 0x0a, 0x0f, 0x5f, 0x48, 0xa4, 0xed, 0xc1,
		0x8a, 0x22, 0xfc, 0x1e, 0x36, 0xf2, 0x8e, 0x9f,
		0x64, 0x4e, 0x71, 0x5a, 0x51, 0x74, 0x6f, 0xa3,
		0xd1, 0x7a, 0x8e, 0x1a, 0xd2, 0xc2, 0x3d, 0x51,
	},
	[HBC_AUTH_CONNECTOR] = {
		0x54, 0x4d, 0x3a, 0xbc, 0xe5, 0x87, 0x71, 0x11,
		0x16, 0x0f, 0x7d, 0xf9, 0xff, 0xfa, 0x71, 0xc3,
		0x16, 0x11, 0x1b, 0xfb, 0xe5, 0xba, 0x89, 0x97,
		0xe5, 0xab, 0xf0, 0xe7, 0x08, 0xae, 0x5b, 0xb2,
	},
};

struct handshake {
	struct hbc_wire_hello hello;
	struct hbc_wire_challenge challenge;
};

static struct crypto_shash *key;

static void setup(struct handshake *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->hello = (struct hbc_wire_hello){
		.group = cpu_to_be32(7), .from = cpu_to_be32(1), .to = cpu_to_be32(2),
		.root = cpu_to_be32(1), .incarnation = cpu_to_be64(0x0123456789abcdefULL),
		.slot = 3,
	};
	hbc_wire_put_hdr(&s->hello.hdr, HBC_FRAME_HELLO, HBC_WIRE_VERSION, sizeof(s->hello));
	hbc_wire_put_hdr(&s->challenge.hdr, HBC_FRAME_CHALLENGE, 0, sizeof(s->challenge));
	s->challenge.node = cpu_to_be32(2);
	for (i = 0; i < HBC_NONCE_LEN; i++) {
		s->hello.nonce[i] = 0x40 + i;
		s->challenge.nonce[i] = 0x80 + i;
		s->challenge.mac[i] = 0xc0 + i;
	}
}

static struct crypto_shash *make_key(u8 first, unsigned int len)
{
	u8 bytes[HBCAST_KEY_LEN_MAX + 1];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = first + i;
	return hbc_auth_key_new(bytes, len);
}

static int check(enum hbc_auth_side side, const struct handshake *s, const u8 *mac)
{
	return hbc_auth_check(key, side, &s->hello, &s->challenge, mac);
}

static void test_key(void)
{
	struct crypto_shash *k;

	k = make_key(1, HBCAST_KEY_LEN_MIN - 1);
	ok(IS_ERR(k) && PTR_ERR(k) == -EINVAL, "a key of 15 bytes refused");
	k = make_key(1, HBCAST_KEY_LEN_MAX + 1);
	ok(IS_ERR(k) && PTR_ERR(k) == -EINVAL, "a key of 65 bytes refused");
	k = make_key(1, 0);
	ok(IS_ERR(k) && PTR_ERR(k) == -EINVAL, "an empty key refused");
	k = make_key(1, HBCAST_KEY_LEN_MIN);
	ok(!IS_ERR(k), "a key of 16 bytes accepted");
	crypto_free_shash(k);
	k = make_key(1, HBCAST_KEY_LEN_MAX);
	ok(!IS_ERR(k), "a key of 64 bytes accepted");
	crypto_free_shash(k);
}

/* ASan's leak check says whether the rest was given back. */
static void test_failures(void)
{
	static const int expected[] = { -ENOENT, -ENOKEY };
	struct handshake s;
	u8 mac[HBC_MAC_LEN];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct crypto_shash *k;

		shim_fail_at = i + 1;
		k = make_key(1, 32);
		ok(IS_ERR(k) && PTR_ERR(k) == expected[i], "failure %u of 2 told", i + 1);
	}
	setup(&s);
	shim_fail_at = 1;
	ok(hbc_auth_mac(key, HBC_AUTH_ACCEPTOR, &s.hello, &s.challenge, mac) == -EIO,
	   "a hash that fails is told");
	shim_fail_at = 1;
	ok(check(HBC_AUTH_ACCEPTOR, &s, known[HBC_AUTH_ACCEPTOR]) == -EIO,
	   "a hash that fails proves nothing");
}

static void test_known(void)
{
	struct handshake s;
	u8 mac[HBC_MAC_LEN];
	int side;

	setup(&s);
	for (side = HBC_AUTH_ACCEPTOR; side <= HBC_AUTH_CONNECTOR; side++) {
		ok(!hbc_auth_mac(key, side, &s.hello, &s.challenge, mac) &&
		   !memcmp(mac, known[side], sizeof(mac)), "side %d: known proof", side);
		ok(!check(side, &s, known[side]), "side %d: own proof accepted", side);
	}
	ok(check(HBC_AUTH_CONNECTOR, &s, known[HBC_AUTH_ACCEPTOR]) == -EKEYREJECTED,
	   "the acceptor's proof reflected to it refused");
	ok(check(HBC_AUTH_ACCEPTOR, &s, known[HBC_AUTH_CONNECTOR]) == -EKEYREJECTED,
	   "the connector's proof reflected to it refused");
}

/* Any bit of some bytes makes a proof another one, or has no part in it. */
static bool each_bit(enum hbc_auth_side side, struct handshake *s, u8 *bytes, unsigned int len,
		     int expected)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < 8 * len; i++) {
		bytes[i / 8] ^= 1 << i % 8;
		good &= check(side, s, known[side]) == expected;
		bytes[i / 8] ^= 1 << i % 8;
	}
	return good;
}

static void test_changed(enum hbc_auth_side side)
{
	struct handshake s;
	u8 changed[HBC_MAC_LEN];
	bool proof = true;
	unsigned int i;

	setup(&s);
	ok(each_bit(side, &s, (u8 *)&s.hello, sizeof(s.hello), -EKEYREJECTED),
	   "side %d: a HELLO with any bit changed refused", side);
	ok(each_bit(side, &s, (u8 *)&s.challenge.node, 4, -EKEYREJECTED),
	   "side %d: another node refused", side);
	ok(each_bit(side, &s, s.challenge.nonce, HBC_NONCE_LEN, -EKEYREJECTED),
	   "side %d: another nonce refused", side);
	ok(each_bit(side, &s, s.challenge.mac, HBC_MAC_LEN,
		    side == HBC_AUTH_CONNECTOR ? -EKEYREJECTED : 0),
	   "side %d: the acceptor's proof enters the connector's only", side);
	for (i = 0; i < 8 * HBC_MAC_LEN; i++) {
		memcpy(changed, known[side], sizeof(changed));
		changed[i / 8] ^= 1 << i % 8;
		proof &= check(side, &s, changed) == -EKEYREJECTED;
	}
	ok(proof, "side %d: a proof with any bit changed refused", side);
}

static void test_wrong(void)
{
	struct crypto_shash *other = make_key(2, 32);
	struct handshake s;

	setup(&s);
	ok(hbc_auth_check(other, HBC_AUTH_ACCEPTOR, &s.hello, &s.challenge,
			  known[HBC_AUTH_ACCEPTOR]) == -EKEYREJECTED, "another key refused");
	crypto_free_shash(other);
}

int main(void)
{
	key = make_key(1, 32);
	if (IS_ERR(key))
		tap_bail_out("no key: %ld", (long)PTR_ERR(key));
	test_key();
	test_failures();
	test_known();
	test_changed(HBC_AUTH_ACCEPTOR);
	test_changed(HBC_AUTH_CONNECTOR);
	test_wrong();
	crypto_free_shash(key);
	return tap_done();
}
