// SPDX-License-Identifier: GPL-2.0-or-later
/* Checksums of fragments: what they cover. */
#include <errno.h>
#include <crypto/hash.h>

#include "../lib/tap.h"
#include "samples.h"
#include "wire/crc.h"

/* CRC32C as catalogues of checksums have it. */
static void test_known(void)
{
	ok(~hbc_crc(~0, "123456789", 9) == 0xe3069283, "crc32c of 123456789");
	ok(~hbc_crc(hbc_crc(~0, "1234", 4), "56789", 5) == 0xe3069283, "in two parts");
	ok(~hbc_crc(~0, NULL, 0) == 0, "of nothing");
}

static u32 crc_of(const u8 *bytes, unsigned int len)
{
	const struct hbc_wire_data *data = (const void *)bytes;

	return ~hbc_crc(hbc_crc_seed(data), data->payload, len - HBC_DATA_LEN);
}

/* All that is before the checksum, and the payload, but not the checksum itself. */
static void test_fragment(void)
{
	const struct sample *s = &samples[SAMPLE_DATA];
	bool covered = true;
	u8 bytes[32];
	u32 crc;
	unsigned int i;

	memcpy(bytes, s->bytes, s->len);
	crc = crc_of(bytes, s->len);
	ok(crc == 0xe7803f3f, "the sample's checksum is right");
	for (i = 0; i < 8 * s->len; i++) {
		bytes[i / 8] ^= 1 << i % 8;
		covered &= (crc_of(bytes, s->len) == crc) == (i / 8 >= 12 && i / 8 < 16);
		bytes[i / 8] ^= 1 << i % 8;
	}
	ok(covered, "any other bit makes it another one");
}

static void test_init(void)
{
	shim_fail_at = 1;
	ok(hbc_crc_init() == -ENOENT, "no such hash is told");
	shim_fail_at = 2;
	ok(hbc_crc_init() == -EOPNOTSUPP, "a hash with another state is refused");
	ok(!hbc_crc_init(), "the hash is there");
}

int main(void)
{
	test_init();
	test_known();
	test_fragment();
	hbc_crc_exit();
	return tap_done();
}
