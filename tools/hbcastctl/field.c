// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink attributes as JSON: tables say which attribute is what. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "field.h"

static json_t *text_json(const struct nlattr *attr)
{
	const char *text = nla_data(attr);

	return json_stringn_nocheck(text, strnlen(text, nla_len(attr)));
}

static json_t *ip_json(const struct nlattr *attr)
{
	char text[INET6_ADDRSTRLEN];
	int family = nla_len(attr) == 4 ? AF_INET : AF_INET6;

	if (nla_len(attr) != 4 && nla_len(attr) != 16)
		return json_null();
	return json_string(inet_ntop(family, nla_data(attr), text,
				     sizeof(text)));
}

static json_t *mode_json(uint32_t mode)
{
	char text[16];

	snprintf(text, sizeof(text), "%04o", mode);
	return json_string(text);
}

/**
 * hbfield_id64() - an id of 64 bits
 * @id: the id
 *
 * Return: a new string, as HBFIELD_ID64 makes.
 */
json_t *hbfield_id64(uint64_t id)
{
	return json_sprintf("%llu", (unsigned long long)id);
}

/**
 * hbfield_name() - the name of an enum's value
 * @names: the names, ends with NULL
 * @value: the value
 *
 * Return: its name, or NULL if the table is shorter.
 */
const char *hbfield_name(const char * const *names, uint32_t value)
{
	uint32_t i;

	for (i = 0; names[i]; i++) {
		if (i == value)
			return names[i];
	}
	return NULL;
}

static json_t *name_json(const char * const *names, uint32_t value)
{
	const char *name = hbfield_name(names, value);

	return name ? json_string(name) : json_integer(value);
}

/* The whole number in @attr, whatever its width; 0 if it is too short. */
static uint64_t number(const struct nlattr *attr)
{
	switch (nla_len(attr)) {
	case 1:
		return nla_get_u8(attr);
	case 2:
		return nla_get_u16(attr);
	case 4:
		return nla_get_u32(attr);
	case 8:
		return nla_get_u64((struct nlattr *)attr);
	}
	return 0;
}

static json_t *nest_json(const struct hbfield *f, const struct nlattr *attr)
{
	return hbfield_json(f->nest, nla_data(attr), nla_len(attr));
}

static json_t *pair_json(const struct hbfield *f, const struct nlattr *attr)
{
	json_t *object = nest_json(f, attr);
	json_t *array = json_array();
	const struct hbfield *part;

	for (part = f->nest; part->key; part++)
		json_array_append(array, json_object_get(object, part->key));
	json_decref(object);
	return array;
}

static json_t *value_json(const struct hbfield *f, const struct nlattr *attr)
{
	switch (f->type) {
	case HBFIELD_TEXT:
		return text_json(attr);
	case HBFIELD_FLAG:
		return json_true();
	case HBFIELD_IP:
		return ip_json(attr);
	case HBFIELD_ID64:
		return hbfield_id64(number(attr));
	case HBFIELD_MODE:
		return mode_json(number(attr));
	case HBFIELD_NAME:
		return name_json(f->names, number(attr));
	case HBFIELD_MBPS:
		return number(attr) ? json_real(number(attr) * 8 / 1e6) :
				      json_null();
	case HBFIELD_NS:
		return json_real(number(attr) / 1e3);
	case HBFIELD_NEST:
	case HBFIELD_OBJECTS:
		return nest_json(f, attr);
	case HBFIELD_PAIRS:
		return pair_json(f, attr);
	default:
		return json_integer(number(attr));
	}
}

static bool is_list(const struct hbfield *f)
{
	return f->type == HBFIELD_NUMBERS || f->type == HBFIELD_OBJECTS ||
	       f->type == HBFIELD_PAIRS;
}

static void put_value(json_t *object, const struct hbfield *f, json_t *value)
{
	json_t *list;

	if (!is_list(f)) {
		json_object_set_new(object, f->key, value);
		return;
	}
	list = json_object_get(object, f->key);
	if (!list) {
		list = json_array();
		json_object_set_new(object, f->key, list);
	}
	json_array_append_new(list, value);
}

/**
 * hbfield_json() - attributes as an object
 * @fields: which attribute is what; others are left out
 * @head: the first attribute
 * @len: bytes of all of them
 *
 * A flag or a list that is not there is false or empty; whatever else is not
 * there has no key in the object. Keys are in the order of the table.
 *
 * Return: a new object.
 */
json_t *hbfield_json(const struct hbfield *fields, const struct nlattr *head,
		     int len)
{
	json_t *found = json_object(), *object = json_object();
	const struct hbfield *f;
	struct nlattr *attr;
	int rem;

	nla_for_each_attr(attr, (struct nlattr *)head, len, rem) {
		for (f = fields; f->key; f++) {
			if (f->attr == nla_type(attr))
				break;
		}
		if (f->key)
			put_value(found, f, value_json(f, attr));
	}
	for (f = fields; f->key; f++) {
		json_t *value = json_object_get(found, f->key);

		if (value)
			json_object_set(object, f->key, value);
		else if (is_list(f))
			json_object_set_new(object, f->key, json_array());
		else if (f->type == HBFIELD_FLAG)
			json_object_set_new(object, f->key, json_false());
	}
	json_decref(found);
	return object;
}

static bool same(const json_t *a, const json_t *b, const char * const *identity)
{
	for (; *identity; identity++) {
		if (!json_equal(json_object_get(a, *identity),
				json_object_get(b, *identity)))
			return false;
	}
	return true;
}

/**
 * hbfield_merge() - append an object to the rows of a dump
 * @rows: an array of objects
 * @row: the object; the reference is taken over
 * @identity: the keys that name an object, ends with NULL
 *
 * An object that goes on in another message is one row: its lists grow.
 */
void hbfield_merge(json_t *rows, json_t *row, const char * const *identity)
{
	size_t n = json_array_size(rows);
	json_t *last, *value, *list;
	const char *key;

	last = n ? json_array_get(rows, n - 1) : NULL;
	if (!last || !same(last, row, identity)) {
		json_array_append_new(rows, row);
		return;
	}
	json_object_foreach(row, key, value) {
		list = json_object_get(last, key);
		if (json_is_array(list) && json_is_array(value))
			json_array_extend(list, value);
		else if (!list || json_is_true(value))
			json_object_set(last, key, value);
	}
	json_decref(row);
}
