// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include "message.h"
#include "world.h"

static struct message message;

struct message *message_start(u16 family, u8 cmd)
{
	message.len = 0;
	message_next(&message, family, cmd);
	return &message;
}

void message_next(struct message *m, u16 family, u8 cmd)
{
	struct nlmsghdr h = {
		.nlmsg_type = family,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
	};
	struct genlmsghdr g = { .cmd = cmd, .version = 1 };

	if (m->len <= NLMSG_HDRLEN + GENL_HDRLEN)
		m->len = 0;
	if (m->len + NLMSG_HDRLEN + GENL_HDRLEN > MESSAGE_MAX)
		return;
	m->first = m->len;
	memcpy(m->data + m->len, &h, sizeof(h));
	memcpy(m->data + m->len + NLMSG_HDRLEN, &g, sizeof(g));
	m->len += NLMSG_HDRLEN + GENL_HDRLEN;
}

void message_put(struct message *m, u16 number, const void *value, unsigned int len)
{
	struct nlattr a = { .nla_len = NLA_HDRLEN + len, .nla_type = number };

	if (m->len + NLA_HDRLEN + NLA_ALIGN(len) > MESSAGE_MAX)
		return;
	memcpy(m->data + m->len, &a, sizeof(a));
	memset(m->data + m->len + NLA_HDRLEN, 0, NLA_ALIGN(len));
	memcpy(m->data + m->len + NLA_HDRLEN, value, len);
	m->len += NLA_HDRLEN + NLA_ALIGN(len);
}

void message_put_u32(struct message *m, u16 number, u32 value)
{
	message_put(m, number, &value, sizeof(value));
}

unsigned int message_nest(struct message *m, u16 number)
{
	unsigned int nest = m->len;

	message_put(m, number | NLA_F_NESTED, NULL, 0);
	return nest;
}

void message_nest_end(struct message *m, unsigned int nest)
{
	u16 len = m->len - nest;

	if (len)
		memcpy(m->data + nest, &len, sizeof(len));
}

void message_end(struct message *m)
{
	u32 len = m->len - m->first;

	memcpy(m->data + m->first, &len, sizeof(len));
}

static u64 choose_in_range(struct choices *c, const struct attr_spec *a)
{
	u64 near = choose(c, rarely(c, 2) ? 8 : 1000), value = choose_number(c);

	if (rarely(c, 3))
		return a->min;
	if (rarely(c, 2))
		return a->max - a->min > near ? a->min + near : a->max;
	if (rarely(c, 4))
		return a->max - a->min > near ? a->max - near : a->min;
	if (rarely(c, 4) || a->max - a->min == UINT64_MAX)
		return value;
	return a->min + value % (a->max - a->min + 1);
}

static unsigned int choose_key(struct choices *c, u8 *out)
{
	memcpy(out, world_key, sizeof(world_key));
	if (!rarely(c, 8))
		return sizeof(world_key);
	choose_bytes(c, out, 100);
	return choose(c, 100);
}

/* A value for an attribute in at least 128 bytes; returns its length. */
static unsigned int choose_value(struct choices *c, const struct attr_spec *a, u8 *out)
{
	static const u8 sizes[] = { [TYPE_U8] = 1, [TYPE_U16] = 2, [TYPE_U32] = 4, [TYPE_U64] = 8 };
	u64 number;

	switch (a->means) {
	case MEANS_KEY:
		return choose_key(c, out);
	case MEANS_IPV6:
		choose_ipv6(c, out);
		return 16;
	case MEANS_NODE:
		number = choose_node(c);
		break;
	case MEANS_GROUP:
		number = choose_group(c);
		break;
	case MEANS_MESSAGE:
		number = choose_message(c);
		break;
	case MEANS_IPV4:
		number = choose_ipv4(c);
		break;
	case MEANS_PORT:
		number = rarely(c, 6) ? choose_number(c) : 7310;
		break;
	default:
		number = choose_in_range(c, a);
		break;
	}
	memcpy(out, &number, sizeof(number));
	return a->type < sizeof(sizes) ? sizes[a->type] : 0;
}

/* An attribute that says one thing and is another. */
static void put_bad(struct choices *c, struct message *m, const struct attr_spec *a)
{
	unsigned int at = m->len, len, depth = choose(c, 60);
	u8 value[256] = {};
	struct nlattr h;

	len = choose_value(c, a, value);
	switch (choose(c, 6)) {
	case 0:
		message_put(m, a->number, value, choose(c, sizeof(value)));
		break;
	case 1:
		message_put(m, a->number | 1 << (14 + choose(c, 2)), value, len);
		break;
	case 2:
		message_put(m, choose_number(c), value, len);
		break;
	case 3:
		message_put(m, a->number, world.data, choose(c, 60000));
		break;
	case 4:
		/* It holds itself, and so on. */
		while (depth--)
			message_nest(m, a->number);
		for (; at < m->len; at += NLA_HDRLEN)
			message_nest_end(m, at);
		break;
	case 5:
		message_put(m, a->number, value, len);
		if (m->len > at) {
			h.nla_len = choose_number(c);
			memcpy(m->data + at, &h.nla_len, sizeof(h.nla_len));
		}
		break;
	}
}

static void put_attrs(struct choices *c, struct message *m, const struct set_spec *set,
		      const struct attr_spec *a, bool spoilt);

static void put_attr(struct choices *c, struct message *m, const struct attr_spec *a, bool spoilt)
{
	const struct set_spec *set = &spec_sets[a->nested];
	u8 value[128] = {};
	unsigned int nest, i;

	if (spoilt && rarely(c, 8)) {
		put_bad(c, m, a);
	} else if (a->type == TYPE_NEST) {
		nest = message_nest(m, a->number);
		for (i = 0; i < set->nr_attrs; i++)
			put_attrs(c, m, set, &set->attrs[i], spoilt);
		message_nest_end(m, nest);
	} else {
		nest = choose_value(c, a, value);
		message_put(m, a->number, value, nest);
	}
}

/* None, one, or several of them. */
static void put_attrs(struct choices *c, struct message *m, const struct set_spec *set,
		      const struct attr_spec *a, bool spoilt)
{
	unsigned int count = 1;

	if (a->type == TYPE_PAD)
		count = spoilt && rarely(c, 16);
	else if (a->means == MEANS_IPV6 || a->type == TYPE_FLAG)
		count = rarely(c, 4);
	else if (rarely(c, 12))
		count = 0;
	else if (rarely(c, 12))
		count = choose(c, 4);
	if (rarely(c, 100))
		count = choose(c, 5000);
	while (count--)
		put_attr(c, m, a, spoilt);
}

void message_put_request(struct choices *c, struct message *m, const struct command_spec *cmd,
			 bool spoilt)
{
	const struct set_spec *set = &spec_sets[cmd->set];
	unsigned int i;

	for (i = 0; i < cmd->nr_attrs; i++)
		put_attrs(c, m, set, &set->attrs[cmd->attrs[i]], spoilt);
	/* One that the command does not know. */
	if (spoilt && rarely(c, 4))
		put_attrs(c, m, set, &set->attrs[choose(c, set->nr_attrs)], spoilt);
}

void message_spoil(struct choices *c, struct message *m)
{
	struct nlmsghdr *h = (struct nlmsghdr *)m->data;

	spoil_bytes(c, m->data + NLMSG_HDRLEN, m->len - NLMSG_HDRLEN);
	if (rarely(c, 4))
		h->nlmsg_flags = choose_number(c);
	if (rarely(c, 4))
		h->nlmsg_len = choose_number(c);
	if (rarely(c, 4))
		m->len = 1 + choose(c, m->len);
}
