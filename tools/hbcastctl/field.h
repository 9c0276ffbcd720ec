/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink attributes as JSON: tables say which attribute is what. */
#ifndef HBCASTCTL_FIELD_H
#define HBCASTCTL_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <netlink/attr.h>

/**
 * enum hbfield_type - what an attribute holds and what JSON makes of it
 * @HBFIELD_U8: a number
 * @HBFIELD_U16: a number
 * @HBFIELD_U32: a number
 * @HBFIELD_U64: a number
 * @HBFIELD_ID64: u64; a string of digits, for readers whose numbers are doubles
 * @HBFIELD_TEXT: a string
 * @HBFIELD_FLAG: true if the attribute is there, else false
 * @HBFIELD_IP: an address of 4 or 16 bytes; a string
 * @HBFIELD_MODE: u32, permission bits; a string of octal digits
 * @HBFIELD_NAME: u32, a place in the table of names; a string, or the number
 *	if the table is shorter
 * @HBFIELD_MBPS: u64, bytes/s; Mbit/s, or null for 0
 * @HBFIELD_NS: u64, nanoseconds; microseconds
 * @HBFIELD_NEST: an object
 * @HBFIELD_NUMBERS: u32, many times; an array of numbers
 * @HBFIELD_OBJECTS: a nest, many times; an array of objects
 * @HBFIELD_PAIRS: a nest, many times; an array of arrays, each with the values
 *	of the nest's fields
 */
enum hbfield_type {
	HBFIELD_U8,
	HBFIELD_U16,
	HBFIELD_U32,
	HBFIELD_U64,
	HBFIELD_ID64,
	HBFIELD_TEXT,
	HBFIELD_FLAG,
	HBFIELD_IP,
	HBFIELD_MODE,
	HBFIELD_NAME,
	HBFIELD_MBPS,
	HBFIELD_NS,
	HBFIELD_NEST,
	HBFIELD_NUMBERS,
	HBFIELD_OBJECTS,
	HBFIELD_PAIRS,
};

/**
 * struct hbfield - one attribute of a set
 * @attr: its number
 * @type: what it holds
 * @key: the JSON object's key
 * @names: for HBFIELD_NAME, ends with NULL
 * @nest: for HBFIELD_NEST, HBFIELD_OBJECTS and HBFIELD_PAIRS
 *
 * Tables end with an entry whose @key is NULL.
 */
struct hbfield {
	uint16_t attr;
	enum hbfield_type type;
	const char *key;
	const char * const *names;
	const struct hbfield *nest;
};

json_t *hbfield_id64(uint64_t id);
const char *hbfield_name(const char * const *names, uint32_t value);
json_t *hbfield_json(const struct hbfield *fields, const struct nlattr *head,
		     int len);
void hbfield_merge(json_t *rows, json_t *row, const char * const *identity);

#endif /* HBCASTCTL_FIELD_H */
