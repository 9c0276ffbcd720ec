/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The "key value" words of a command line. */
#ifndef HBCASTCTL_ARGS_H
#define HBCASTCTL_ARGS_H

#include <stdbool.h>

#include "cmd.h"

#define HBARG_DEFAULT_PORT	7310

/**
 * typedef hbarg_parser - turns one word into a value
 * @ctl: for hbctl_error()
 * @key: the key, for the error sentence
 * @word: the value's text
 * @dest: where the value goes; its type is the parser's affair
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
typedef int (*hbarg_parser)(struct hbctl *ctl, const char *key,
			    const char *word, void *dest);

/* The key must be given. */
#define HBARG_REQUIRED	(1u << 0)
/* The value may be given without its key: "add 3" for "add id 3". */
#define HBARG_BARE	(1u << 1)
/* The key may be given several times. */
#define HBARG_MANY	(1u << 2)

/**
 * struct hbarg_key - one key that a command understands
 * @name: the key; never abbreviated
 * @parse: one of the parsers below, or NULL for a flag, a key without value
 * @dest: what @parse fills; a bool for a flag; may be NULL for a flag of
 *	which only @seen matters
 * @flags: HBARG_*
 * @seen: set by hbarg_parse() if the key was given
 *
 * Tables end with an entry whose @name is NULL.
 */
struct hbarg_key {
	const char *name;
	hbarg_parser parse;
	void *dest;
	unsigned int flags;
	bool seen;
};

int hbarg_parse(struct hbctl *ctl, struct hbarg_key *keys,
		int argc, char **argv);
int hbarg_parse_file(struct hbctl *ctl, const char *command, const char *what,
		     struct hbarg_key *keys, int argc, char **argv);

/* Values; each comment names the type of @dest. */
int hbarg_string(struct hbctl *ctl, const char *key, const char *word,
		 void *dest);	/* const char *, points into argv */
int hbarg_output(struct hbctl *ctl, const char *key, const char *word,
		 void *dest);	/* const char *, a file that can be written */
int hbarg_port(struct hbctl *ctl, const char *key, const char *word,
	       void *dest);	/* uint16_t, not 0 */
int hbarg_u32(struct hbctl *ctl, const char *key, const char *word,
	      void *dest);	/* uint32_t */
int hbarg_u64(struct hbctl *ctl, const char *key, const char *word,
	      void *dest);	/* uint64_t */
int hbarg_id(struct hbctl *ctl, const char *key, const char *word,
	     void *dest);	/* uint32_t, not 0 */
int hbarg_percent(struct hbctl *ctl, const char *key, const char *word, void *dest);
int hbarg_size(struct hbctl *ctl, const char *key, const char *word,
	       void *dest);	/* uint64_t, bytes: 100k = 100000, 8MiB */
int hbarg_bandwidth(struct hbctl *ctl, const char *key, const char *word,
		    void *dest);	/* uint64_t, bit/s: 94mbit, 10gbit */
int hbarg_duration(struct hbctl *ctl, const char *key, const char *word,
		   void *dest);	/* uint64_t, ns: 5s, 200ms, 30us, 10ns */
int hbarg_endpoint(struct hbctl *ctl, const char *key, const char *word,
		   void *dest);	/* struct sockaddr_storage; the port is
				 * HBARG_DEFAULT_PORT if none is given
				 */

#endif /* HBCASTCTL_ARGS_H */
