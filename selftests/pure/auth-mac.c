// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * auth-mac SIDE KEY HELLO NODE NONCE MAC: prints the proof that kmod/wire/auth.c
 * makes of these, for test-auth-known.py. SIDE is acceptor or connector, NODE a
 * decimal number, the others are hexadecimal.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <crypto/hash.h>
#include <linux/err.h>

#include "wire/auth.h"

static unsigned int from_hex(const char *hex, u8 *out, unsigned int max)
{
	unsigned int len = strlen(hex) / 2;
	unsigned int i;

	if (len > max || strlen(hex) % 2)
		errx(EXIT_FAILURE, "%s: not up to %u bytes in hexadecimal", hex, max);
	for (i = 0; i < len; i++) {
		if (sscanf(hex + 2 * i, "%2hhx", &out[i]) != 1)
			errx(EXIT_FAILURE, "%s: not hexadecimal", hex);
	}
	return len;
}

int main(int argc, char **argv)
{
	struct hbc_wire_challenge challenge = { };
	u8 key[HBCAST_KEY_LEN_MAX], mac[HBC_MAC_LEN];
	struct hbc_wire_hello hello;
	struct crypto_shash *k;
	unsigned int i;
	int side;

	if (argc != 7)
		errx(EXIT_FAILURE, "usage: auth-mac SIDE KEY HELLO NODE NONCE MAC");
	side = strcmp(argv[1], "acceptor") ? HBC_AUTH_CONNECTOR : HBC_AUTH_ACCEPTOR;
	k = hbc_auth_key_new(key, from_hex(argv[2], key, sizeof(key)));
	if (IS_ERR(k))
		errx(EXIT_FAILURE, "the key was refused: %ld", (long)PTR_ERR(k));
	if (from_hex(argv[3], (u8 *)&hello, sizeof(hello)) != sizeof(hello))
		errx(EXIT_FAILURE, "a HELLO has %zu bytes", sizeof(hello));
	challenge.node = cpu_to_be32(strtoul(argv[4], NULL, 10));
	from_hex(argv[5], challenge.nonce, sizeof(challenge.nonce));
	from_hex(argv[6], challenge.mac, sizeof(challenge.mac));
	if (hbc_auth_mac(k, side, &hello, &challenge, mac))
		errx(EXIT_FAILURE, "no proof");
	for (i = 0; i < sizeof(mac); i++)
		printf("%02x", mac[i]);
	putchar('\n');
	crypto_free_shash(k);
	return EXIT_SUCCESS;
}
