// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of a command line and the values that they mean. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#include "../lib/tap.h"
#include "args.h"
#include "output.h"

static struct hbctl ctl;

struct number {
	const char *word;
	uint64_t value;
};

#define REFUSED	UINT64_MAX

static void try_numbers(const char *what, hbarg_parser parse,
			const struct number *numbers)
{
	uint64_t value;
	int ret;

	for (; numbers->word; numbers++) {
		value = 77;
		ret = parse(&ctl, "key", numbers->word, &value);
		if (numbers->value == REFUSED)
			ok(ret == HBCTL_USAGE && value == 77,
			   "%s \"%s\" is refused", what, numbers->word);
		else
			ok(!ret && value == numbers->value,
			   "%s \"%s\" is %" PRIu64, what, numbers->word,
			   numbers->value);
	}
}

static void test_units(void)
{
	static const struct number sizes[] = {
		{ "0", 0 }, { "1500", 1500 }, { "100k", 100000 },
		{ "64M", 64000000 }, { "8MiB", 8388608 }, { "2kib", 2048 },
		{ "1.5GiB", 1610612736 }, { "3gb", UINT64_C(3000000000) },
		{ "2T", UINT64_C(2000000000000) },
		{ "1024TiB", UINT64_C(1) << 50 },
		{ "", REFUSED }, { "M", REFUSED }, { "-1", REFUSED },
		{ "1x", REFUSED }, { "nan", REFUSED }, { "inf", REFUSED },
		{ "1e30", REFUSED }, { "1 k", REFUSED }, { " 1", REFUSED },
		{ }
	};
	static const struct number durations[] = {
		{ "5s", UINT64_C(5000000000) }, { "200ms", 200000000 },
		{ "30us", 30000 }, { "7ns", 7 }, { "2m", UINT64_C(120000000000) },
		{ "1h", UINT64_C(3600000000000) }, { "0.5ms", 500000 },
		{ "5", REFUSED }, { "ms", REFUSED }, { "5 s", REFUSED },
		{ "-5s", REFUSED }, { "1e20s", REFUSED },
		{ }
	};

	try_numbers("size", hbarg_size, sizes);
	try_numbers("duration", hbarg_duration, durations);
}

static void test_ids(void)
{
	static const char *const bad[] = {
		"0", "-1", "4294967296", "1x", "", " 1", "0x", "one",
		"99999999999999999999", NULL
	};
	uint32_t id = 0;
	uint16_t port;
	int i;

	ok(!hbarg_id(&ctl, "id", "4294967295", &id) && id == 4294967295u,
	   "the largest id");
	ok(!hbarg_id(&ctl, "id", "0x10", &id) && id == 16, "a hexadecimal id");
	for (i = 0; bad[i]; i++)
		ok(hbarg_id(&ctl, "id", bad[i], &id) == HBCTL_USAGE && id == 16,
		   "id \"%s\" is refused", bad[i]);
	ok(!hbarg_u32(&ctl, "n", "0", &id) && !id, "a number may be 0");
	ok(!hbarg_port(&ctl, "port", "65535", &port) && port == 65535,
	   "the largest port");
	ok(hbarg_port(&ctl, "port", "65536", &port) == HBCTL_USAGE,
	   "a port above it is refused");
	ok(hbarg_port(&ctl, "port", "0", &port) == HBCTL_USAGE,
	   "port 0 is refused");
}

struct endpoint {
	const char *word;
	int family;
	const char *address;
	int port;
};

static void try_endpoint(const struct endpoint *e)
{
	struct sockaddr_storage got;
	const struct sockaddr_in *v4 = (void *)&got;
	const struct sockaddr_in6 *v6 = (void *)&got;
	char text[64] = "";
	int port;

	if (hbarg_endpoint(&ctl, "address", e->word, &got)) {
		ok(!e->address, "address \"%s\" is refused", e->word);
		return;
	}
	port = ntohs(v4->sin_port);
	inet_ntop(got.ss_family, got.ss_family == AF_INET ?
		  (const void *)&v4->sin_addr : (const void *)&v6->sin6_addr,
		  text, sizeof(text));
	ok(e->address && got.ss_family == e->family && port == e->port &&
	   !strcmp(text, e->address), "address \"%s\" is %s port %d", e->word,
	   text, port);
}

static void test_endpoints(void)
{
	static const struct endpoint endpoints[] = {
		{ "10.0.0.1", AF_INET, "10.0.0.1", 7310 },
		{ "10.0.0.1:80", AF_INET, "10.0.0.1", 80 },
		{ "::1", AF_INET6, "::1", 7310 },
		{ "[::1]", AF_INET6, "::1", 7310 },
		{ "[2001:db8::7]:65535", AF_INET6, "2001:db8::7", 65535 },
		{ "10.0.0.1:", 0, NULL, 0 },
		{ "10.0.0.1:0", 0, NULL, 0 },
		{ "10.0.0.1:65536", 0, NULL, 0 },
		{ "10.0.0.1:http", 0, NULL, 0 },
		{ "10.0.0.1:80x", 0, NULL, 0 },
		{ "10.0.0.256", 0, NULL, 0 },
		{ "localhost", 0, NULL, 0 },
		{ "[::1", 0, NULL, 0 },
		{ "[::1]x", 0, NULL, 0 },
		{ "[]:80", 0, NULL, 0 },
		{ ":80", 0, NULL, 0 },
		{ "", 0, NULL, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(endpoints) / sizeof(*endpoints); i++)
		try_endpoint(&endpoints[i]);
}

/* Parses words with two keys and a flag; "id" may stand without its name. */
static int parse(int argc, char **argv, uint32_t *id, const char **name,
		 bool *flag)
{
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, id, HBARG_REQUIRED | HBARG_BARE, false },
		{ "name", hbarg_string, name, 0, false },
		{ "flag", NULL, flag, 0, false },
		{ }
	};

	return hbarg_parse(&ctl, keys, argc, argv);
}

static void test_keys(void)
{
	static const char *const bad[][5] = {
		{ NULL }, { "name", "x" }, { "7", "8" }, { "7", "id", "8" },
		{ "7", "name" }, { "7", "name", "" }, { "7", "flag", "flag" },
		{ "7", "nam", "x" },
	};
	static char *const good[] = { "flag", "7", "name", "id" };
	const char *name = NULL;
	bool flag = false;
	uint32_t id = 0;
	size_t i;
	int n;

	ok(!parse(4, (char **)good, &id, &name, &flag) && id == 7 && flag && name &&
	   !strcmp(name, "id"), "keys in any order, a bare value, a flag");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		for (n = 0; bad[i][n]; n++)
			;
		ok(parse(n, (char **)bad[i], &id, &name, &flag) == HBCTL_USAGE,
		   "words \"%s%s%s%s%s\" are refused", n ? bad[i][0] : "",
		   n > 1 ? " " : "", n > 1 ? bad[i][1] : "", n > 2 ? " " : "",
		   n > 2 ? bad[i][2] : "");
	}
}

static void check_text(const char *what, hbout_formatter format, json_t *value,
		       const char *text)
{
	char got[64];

	format(value, got, sizeof(got));
	ok(!strcmp(got, text), "%s is written \"%s\", here \"%s\"", what, text,
	   got);
	json_decref(value);
}

static void test_formats(void)
{
	check_text("1023 bytes", hbout_size, json_integer(1023), "1023 B");
	check_text("8 MiB", hbout_size, json_integer(8388608), "8.0 MiB");
	check_text("999 us", hbout_usec, json_integer(999), "999 us");
	check_text("1500 us", hbout_usec, json_real(1500), "1.50 ms");
	check_text("2 s", hbout_usec, json_integer(2000000), "2.000 s");
	check_text("a time", hbout_known_usec, json_integer(1500), "1.50 ms");
	check_text("no time yet", hbout_known_usec, json_integer(0), "-");
	check_text("no time at all", hbout_known_usec, NULL, "-");
	check_text("94 Mbit/s", hbout_mbps, json_real(94), "94.0 Mbit/s");
	check_text("null", hbout_mbps, json_null(), "-");
	check_text("true", hbout_plain, json_true(), "yes");
	check_text("nothing", hbout_plain, NULL, "-");
}

static void test_table(void)
{
	static const struct hbout_column columns[] = {
		{ "NAME", "name", NULL },
		{ "N", "n", NULL },
		{ "LAST", "last", NULL },
		{ }
	};
	json_t *rows = json_pack("[{s:s,s:i,s:s},{s:s,s:i}]",
				 "name", "\xc3\xa4", "n", 5, "last", "x",
				 "name", "long name", "n", 1234);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	hbout_table(out, rows, columns);
	fclose(out);
	ok(!strcmp(text,
		   "NAME          N  LAST\n"
		   "\xc3\xa4             5  x\n"
		   "long name  1234  -\n"),
	   "a table: text left, numbers right, letters counted, not bytes");
	free(text);
	json_decref(rows);
}

int main(void)
{
	test_units();
	test_ids();
	test_endpoints();
	test_keys();
	test_formats();
	test_table();
	return tap_done();
}
