// SPDX-License-Identifier: GPL-2.0-or-later
/* The handshake's proofs: what they depend on and what is refused. */
#include <crypto/hash.h>
#include <linux/err.h>
#include "../lib/tap.h"
#include "auth.h"

/*
 * HMAC-SHA256 with the key 1, 2, … 32 over "hbcast acceptor" or "hbcast
 * connector" padded to 24 bytes and the frames of setup(), by openssl(1).
 */
static const u8 known[][HBC_MAC_LEN] = {
	[HBC_AUTH_ACCEPTOR] = {
		0x0e, 0x89, 0x42, 0xa1, 0xe5, 0xdf, 0xe3, 0x6d,
		0xa7, 0x74, 0x96, 0xac, 0x92, 0x10, 0x19, 0xa4,
		0x1a, 0x5c, 0x72, 0x6e, 0x6a, 0x6d, 0x61, 0xff,
		0xee, 0x92, 0xd0, 0xc2, 0xdf, 0x4c, 0x8e, 0x5a,
	},
	[HBC_AUTH_CONNECTOR] = {
		0x92, 0x21, 0xbe, 0xc0, 0x4e, 0x3a, 0x84, 0x39,
		0x79, 0x5c, 0xa2, 0x58, 0xa2, 0x28, 0x95, 0x54,
		0x69, 0x03, 0x0d, 0x5c, 0xc6, 0x9c, 0xba, 0x21,
		0xa3, 0xfb, 0x2d, 0xb5, 0x31, 0xe6, 0x83, 0x6a,
	},
};

struct handshake {
	u8 hello[HBC_HELLO_LEN];
	struct hbc_challenge challenge;
};

static struct hbc_auth_key *key;

static void setup(struct handshake *s)
{
	struct hbc_hello hello = { .group = 7, .from = 1, .to = 2, .root = 1 };
	unsigned int i;

	for (i = 0; i < HBC_NONCE_LEN; i++) {
		hello.nonce[i] = 0x40 + i;
		s->challenge.nonce[i] = 0x80 + i;
		s->challenge.mac[i] = 0xc0 + i;
	}
	s->challenge.node = 2;
	hbc_wire_put_hello(s->hello, 3, &hello);
}

static struct hbc_auth_key *make_key(u8 first, unsigned int len)
{
	u8 bytes[HBC_KEY_LEN_MAX + 1];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = first + i;
	return hbc_auth_key_new(bytes, len);
}

static int check(enum hbc_auth_side side, const struct handshake *s, const u8 *mac)
{
	return hbc_auth_check(key, side, s->hello, HBC_HELLO_LEN, &s->challenge, mac);
}

static void test_key(void)
{
	struct hbc_auth_key *k;

	k = make_key(1, HBC_KEY_LEN_MIN - 1);
	ok(IS_ERR(k) && PTR_ERR(k) == -EINVAL, "a key of 15 bytes refused");
	k = make_key(1, HBC_KEY_LEN_MAX + 1);
	ok(IS_ERR(k) && PTR_ERR(k) == -EINVAL, "a key of 65 bytes refused");
	k = make_key(1, 0);
	ok(IS_ERR(k) && PTR_ERR(k) == -EINVAL, "an empty key refused");
	k = make_key(1, HBC_KEY_LEN_MIN);
	ok(!IS_ERR(k), "a key of 16 bytes accepted");
	hbc_auth_key_free(k);
	k = make_key(1, HBC_KEY_LEN_MAX);
	ok(!IS_ERR(k), "a key of 64 bytes accepted");
	hbc_auth_key_free(k);
	hbc_auth_key_free(NULL);
}

/* ASan's leak check says whether the rest was given back. */
static void test_failures(void)
{
	static const int expected[] = { -ENOMEM, -ENOENT, -ENOKEY };
	struct handshake s;
	u8 mac[HBC_MAC_LEN];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct hbc_auth_key *k;

		shim_fail_at = i + 1;
		k = make_key(1, 32);
		ok(IS_ERR(k) && PTR_ERR(k) == expected[i], "failure %u of 3 told", i + 1);
	}
	setup(&s);
	shim_fail_at = 1;
	ok(hbc_auth_mac(key, HBC_AUTH_ACCEPTOR, s.hello, HBC_HELLO_LEN, &s.challenge, mac) == -EIO,
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
		ok(!hbc_auth_mac(key, side, s.hello, HBC_HELLO_LEN, &s.challenge, mac) &&
		   !memcmp(mac, known[side], sizeof(mac)), "side %d: known proof", side);
		ok(!check(side, &s, known[side]), "side %d: own proof accepted", side);
	}
	ok(check(HBC_AUTH_CONNECTOR, &s, known[HBC_AUTH_ACCEPTOR]) == -EKEYREJECTED,
	   "the acceptor's proof reflected to it refused");
	ok(check(HBC_AUTH_ACCEPTOR, &s, known[HBC_AUTH_CONNECTOR]) == -EKEYREJECTED,
	   "the connector's proof reflected to it refused");
}

/* Any bit of the transcript, or of the proof itself. */
static void test_changed(enum hbc_auth_side side)
{
	bool hello = true, node = true, nonce = true, mac = true, proof = true;
	u8 changed[HBC_MAC_LEN];
	struct handshake s;
	unsigned int i;

	setup(&s);
	for (i = 0; i < 8 * HBC_HELLO_LEN; i++) {
		s.hello[i / 8] ^= 1 << i % 8;
		hello &= check(side, &s, known[side]) == -EKEYREJECTED;
		s.hello[i / 8] ^= 1 << i % 8;
	}
	for (i = 0; i < 32; i++) {
		s.challenge.node ^= 1U << i;
		node &= check(side, &s, known[side]) == -EKEYREJECTED;
		s.challenge.node ^= 1U << i;
	}
	for (i = 0; i < 8 * HBC_MAC_LEN; i++) {
		s.challenge.nonce[i / 8] ^= 1 << i % 8;
		nonce &= check(side, &s, known[side]) == -EKEYREJECTED;
		s.challenge.nonce[i / 8] ^= 1 << i % 8;
		s.challenge.mac[i / 8] ^= 1 << i % 8;
		mac &= check(side, &s, known[side]) ==
			(side == HBC_AUTH_CONNECTOR ? -EKEYREJECTED : 0);
		s.challenge.mac[i / 8] ^= 1 << i % 8;
		memcpy(changed, known[side], sizeof(changed));
		changed[i / 8] ^= 1 << i % 8;
		proof &= check(side, &s, changed) == -EKEYREJECTED;
	}
	ok(hello, "side %d: a HELLO with any bit changed refused", side);
	ok(node, "side %d: another node refused", side);
	ok(nonce, "side %d: another nonce refused", side);
	ok(mac, "side %d: the acceptor's proof enters the connector's only", side);
	ok(proof, "side %d: a proof with any bit changed refused", side);
}

static void test_wrong(void)
{
	struct handshake s;
	u8 mac[HBC_MAC_LEN];
	struct hbc_auth_key *other = make_key(2, 32);

	setup(&s);
	ok(hbc_auth_check(other, HBC_AUTH_ACCEPTOR, s.hello, HBC_HELLO_LEN, &s.challenge,
			  known[HBC_AUTH_ACCEPTOR]) == -EKEYREJECTED, "another key refused");
	hbc_auth_key_free(other);
	ok(hbc_auth_mac(key, HBC_AUTH_ACCEPTOR, s.hello, HBC_HELLO_LEN - 1, &s.challenge,
			mac) == -EINVAL, "a HELLO too short refused");
	ok(hbc_auth_check(key, HBC_AUTH_ACCEPTOR, s.hello, HBC_HELLO_LEN + 1, &s.challenge,
			  known[HBC_AUTH_ACCEPTOR]) == -EINVAL, "a HELLO too long refused");
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
	hbc_auth_key_free(key);
	return tap_done();
}
