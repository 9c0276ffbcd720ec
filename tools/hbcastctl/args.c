// SPDX-License-Identifier: GPL-2.0-or-later
/* The "key value" words of a command line. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "output.h"

static struct hbarg_key *find_key(struct hbarg_key *keys, const char *word)
{
	struct hbarg_key *k;

	for (k = keys; k->name; k++) {
		if (!strcmp(k->name, word))
			return k;
	}
	return NULL;
}

/* The first key not yet given whose value may stand alone. */
static struct hbarg_key *next_bare(struct hbarg_key *keys)
{
	struct hbarg_key *k;

	for (k = keys; k->name; k++) {
		if ((k->flags & HBARG_BARE) && !k->seen)
			return k;
	}
	return NULL;
}

/* Takes the value at argv[0], or sets the flag; returns an exit code. */
static int take_value(struct hbctl *ctl, struct hbarg_key *k,
		      int argc, char **argv)
{
	if (k->seen && !(k->flags & HBARG_MANY))
		return hbctl_error(ctl, HBCTL_USAGE,
				   "\"%s\" is given twice: give it once",
				   k->name);
	k->seen = true;
	if (!k->parse) {
		if (k->dest)
			*(bool *)k->dest = true;
		return HBCTL_OK;
	}
	if (!argc)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "\"%s\" has no value: write one after it",
				   k->name);
	return k->parse(ctl, k->name, argv[0], k->dest);
}

/**
 * hbarg_parse() - read the keys and values of a command
 * @ctl: the run
 * @keys: what the command understands; their seen and dest are filled
 * @argc: number of words
 * @argv: the words
 *
 * A word that is a key's name is that key; any other word is the value of the
 * first bare key that has none yet.
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
int hbarg_parse(struct hbctl *ctl, struct hbarg_key *keys,
		int argc, char **argv)
{
	struct hbarg_key *k;
	int i = 0, ret;

	while (i < argc) {
		k = find_key(keys, argv[i]);
		if (k)
			i++;
		else
			k = next_bare(keys);
		if (!k)
			return hbctl_error(ctl, HBCTL_USAGE,
					   "\"%s\" is not known here: the object's help lists the keys",
					   argv[i]);
		ret = take_value(ctl, k, argc - i, argv + i);
		if (ret)
			return ret;
		if (k->parse)
			i++;
	}
	for (k = keys; k->name; k++) {
		if ((k->flags & HBARG_REQUIRED) && !k->seen)
			return hbctl_error(ctl, HBCTL_USAGE,
					   "\"%s\" is missing: it must be given",
					   k->name);
	}
	return HBCTL_OK;
}

/**
 * hbarg_parse_file() - read the words of a command whose first is a file
 * @ctl: the run
 * @command: the command, for the error sentence
 * @what: what the file is, likewise
 * @keys: what the command understands, as for hbarg_parse()
 * @argc: number of words
 * @argv: the words, of which argv[0] is the file; it may have any name
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
int hbarg_parse_file(struct hbctl *ctl, const char *command, const char *what,
		     struct hbarg_key *keys, int argc, char **argv)
{
	if (!argc)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s needs the name of a %s: hbcastctl %s help tells more",
				   command, what, command);
	return hbarg_parse(ctl, keys, argc - 1, argv + 1);
}

/* A whole decimal or 0x number not above @max. */
static int parse_number(struct hbctl *ctl, const char *key, const char *word,
			uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, 0);
	if (!isdigit((unsigned char)*word) || *end || errno || *value < min ||
	    *value > max)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is no whole number from %llu to %llu: write one",
				   key, word, (unsigned long long)min,
				   (unsigned long long)max);
	return HBCTL_OK;
}

/**
 * hbarg_string() - any text but the empty one
 * @ctl: the run
 * @key: the key
 * @word: the value's text
 * @dest: const char *, set to @word
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_string(struct hbctl *ctl, const char *key, const char *word,
		 void *dest)
{
	if (!*word)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s is empty: write a value", key);
	*(const char **)dest = word;
	return HBCTL_OK;
}

/**
 * hbarg_output() - a file for what takes a while, in a folder in which it can be made
 * @ctl: the run
 * @key: the key
 * @word: the value's text
 * @dest: const char *, set to @word
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_output(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	char *copy = strdup(word);
	struct stat st;
	int ret = HBCTL_OK;

	if (!copy)
		abort();
	if (!stat(word, &st) && S_ISDIR(st.st_mode))
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s is a folder: give a file in it with %s", word, key);
	else if (access(dirname(copy), W_OK | X_OK))
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s cannot be written: %s; give another file with %s", word,
				  strerror(errno), key);
	free(copy);
	return ret ? ret : hbarg_string(ctl, key, word, dest);
}

/**
 * hbarg_port() - a port: 1 to 65535
 * @ctl: the run
 * @key: the key
 * @word: the value's text
 * @dest: uint16_t
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_port(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	uint64_t value;
	int ret;

	ret = parse_number(ctl, key, word, 1, UINT16_MAX, &value);
	if (!ret)
		*(uint16_t *)dest = value;
	return ret;
}

/**
 * hbarg_u32() - a number from 0 to 4294967295
 * @ctl: the run
 * @key: the key
 * @word: the value's text
 * @dest: uint32_t
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_u32(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	uint64_t value;
	int ret;

	ret = parse_number(ctl, key, word, 0, UINT32_MAX, &value);
	if (!ret)
		*(uint32_t *)dest = value;
	return ret;
}

/**
 * hbarg_u64() - a number of up to 64 bits
 * @ctl: the run
 * @key: the key
 * @word: the value's text
 * @dest: uint64_t
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_u64(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	return parse_number(ctl, key, word, 0, UINT64_MAX, dest);
}

/**
 * hbarg_id() - the id of a node or a group: 1 to 4294967295
 * @ctl: the run
 * @key: the key
 * @word: the value's text
 * @dest: uint32_t
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_id(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	uint64_t value;
	int ret;

	ret = parse_number(ctl, key, word, 1, UINT32_MAX, &value);
	if (!ret)
		*(uint32_t *)dest = value;
	return ret;
}

struct unit {
	const char *name;
	double factor;
};

/* A number with one of the units, which end with a NULL name. */
static int parse_units(struct hbctl *ctl, const char *key, const char *word,
		       const struct unit *units, const char *example,
		       uint64_t *value)
{
	const struct unit *u;
	char *end;
	double v;

	v = strtod(word, &end);
	for (u = units; u->name; u++) {
		if (!strcasecmp(u->name, end))
			break;
	}
	if (!isdigit((unsigned char)*word) || !u->name || !isfinite(v) ||
	    v * u->factor >= 0x1p63)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is not understood: write a number with a unit, for example %s",
				   key, word, example);
	*value = v * u->factor + 0.5;
	return HBCTL_OK;
}

/**
 * hbarg_percent() - a part, of which there is no more than all
 * @ctl: the run
 * @key: the key
 * @word: the value's text: a number with %
 * @dest: double, 0 to 1
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_percent(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	static const struct unit units[] = { { "%", 1e6 }, { } };
	uint64_t value;
	int ret = parse_units(ctl, key, word, units, "2%", &value);

	if (!ret && value > 100000000)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s \"%s\" is more than all: write 0%% to 100%%", key, word);
	if (!ret)
		*(double *)dest = (double)value / 1e8;
	return ret;
}

/**
 * hbarg_size() - a number of bytes
 * @ctl: the run
 * @key: the key
 * @word: the value's text: no unit, b, k, kb, kib, m, mb, mib,
 *        g, gb, gib, t, tb or tib
 * @dest: uint64_t
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_size(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	static const struct unit units[] = {
		{ "", 1 }, { "b", 1 },
		{ "k", 1e3 }, { "kb", 1e3 }, { "kib", 1024.0 },
		{ "m", 1e6 }, { "mb", 1e6 }, { "mib", 1048576.0 },
		{ "g", 1e9 }, { "gb", 1e9 }, { "gib", 1073741824.0 },
		{ "t", 1e12 }, { "tb", 1e12 }, { "tib", 1099511627776.0 },
		{ }
	};

	return parse_units(ctl, key, word, units, "8MiB or 64M", dest);
}

/**
 * hbarg_bandwidth() - an argument parser for bit/s with a unit
 * @ctl: the run
 * @key: key
 * @word: value
 * @dest: uint64_t, bit/s
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_bandwidth(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	static const struct unit units[] = {
		{ "bit", 1 }, { "kbit", 1e3 }, { "mbit", 1e6 }, { "gbit", 1e9 },
		{ }
	};

	return parse_units(ctl, key, word, units, "94mbit or 10gbit", dest);
}

/**
 * hbarg_duration() - a time
 * @ctl: the run
 * @key: the key
 * @word: the value's text; its unit is s, ms, us, ns, m or h
 * @dest: uint64_t, nanoseconds
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_duration(struct hbctl *ctl, const char *key, const char *word,
		   void *dest)
{
	static const struct unit units[] = {
		{ "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
		{ "m", 60e9 }, { "h", 3600e9 },
		{ }
	};

	return parse_units(ctl, key, word, units, "5s or 200ms", dest);
}

/*
 * Cuts "ADDRESS", "ADDRESS:PORT", "[ADDRESS]" or "[ADDRESS]:PORT" in two; an
 * IPv6 address with a port needs its brackets. False if it has no such form.
 */
static bool split_endpoint(char *text, char **host, char **port)
{
	char *colon = strchr(text, ':');
	char *end;

	*host = text;
	*port = NULL;
	if (*text == '[') {
		end = strchr(text, ']');
		if (!end)
			return false;
		*host = text + 1;
		*end++ = '\0';
		if (!*end)
			return true;
		if (*end != ':')
			return false;
		*port = end + 1;
	} else if (colon && !strchr(colon + 1, ':')) {
		*colon = '\0';
		*port = colon + 1;
	}
	return !*port || isdigit((unsigned char)**port);
}

/**
 * hbarg_endpoint() - an IPv4 or IPv6 address, with or without a port
 * @ctl: the run
 * @key: the key
 * @word: the value's text: 10.0.0.1, 10.0.0.1:7310, fe80::1%eth0, [::1]:7310
 * @dest: struct sockaddr_storage; HBARG_DEFAULT_PORT is its port if @word has
 *	none
 *
 * Names are not looked up.
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbarg_endpoint(struct hbctl *ctl, const char *key, const char *word,
		   void *dest)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *found = NULL;
	char text[128], port_text[8];
	struct in_addr in;
	char *host, *port;

	snprintf(port_text, sizeof(port_text), "%d", HBARG_DEFAULT_PORT);
	if (strlen(word) >= sizeof(text))
		goto bad;
	strcpy(text, word);
	if (!split_endpoint(text, &host, &port) || !*host)
		goto bad;
	if (port && (strlen(port) > 5 || atoi(port) < 1 || atoi(port) > 65535))
		goto bad;
	if (getaddrinfo(host, port ? port : port_text, &hints, &found))
		goto bad;
	/* "10.1" and "0x7f000001" are addresses to getaddrinfo(). */
	if (found->ai_family == AF_INET && inet_pton(AF_INET, host, &in) != 1) {
		freeaddrinfo(found);
		goto bad;
	}
	memset(dest, 0, sizeof(struct sockaddr_storage));
	memcpy(dest, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return HBCTL_OK;
bad:
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s \"%s\" is no address: write 10.0.0.1, 10.0.0.1:%d, ::1 or [::1]:%d",
			   key, word, HBARG_DEFAULT_PORT, HBARG_DEFAULT_PORT);
}
