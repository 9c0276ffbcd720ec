/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The netlink spec as tables, printed by spec-tables. */
#ifndef _HBC_FUZZ_SPEC_H
#define _HBC_FUZZ_SPEC_H

#include "wire/wire.h"

enum attr_type {
	TYPE_PAD,
	TYPE_U8,
	TYPE_U16,
	TYPE_U32,
	TYPE_U64,
	TYPE_BINARY,
	TYPE_STRING,
	TYPE_FLAG,
	TYPE_NEST,
};

enum attr_meaning {
	MEANS_NUMBER,
	MEANS_NODE,
	MEANS_GROUP,
	MEANS_MESSAGE,
	MEANS_KEY,
	MEANS_IPV4,
	MEANS_IPV6,
	MEANS_PORT,
};

/**
 * struct attr_spec - an attribute
 * @number: its type in struct nlattr
 * @type: what it carries
 * @means: what a good value is, beside being in its range
 * @nested: index in spec_sets of what a TYPE_NEST holds
 * @min: least number allowed
 * @max: largest
 */
struct attr_spec {
	u16 number;
	u8 type;
	u8 means;
	u8 nested;
	u64 min;
	u64 max;
};

struct set_spec {
	const struct attr_spec *attrs;
	unsigned int nr_attrs;
};

/**
 * struct command_spec - a request
 * @cmd: its number
 * @set: index in spec_sets
 * @dump: whether it can be dumped
 * @admin: whether it needs rights, and so may change something
 * @nr_attrs: how many attributes it knows
 * @attrs: their indices in the set
 */
struct command_spec {
	u8 cmd;
	u8 set;
	u8 dump;
	u8 admin;
	u8 nr_attrs;
	u8 attrs[32];
};

extern const struct set_spec spec_sets[];
extern const struct command_spec spec_commands[];
extern const unsigned int spec_nr_commands;

#endif /* _HBC_FUZZ_SPEC_H */
