// SPDX-License-Identifier: GPL-2.0-or-later
#include <err.h>
#include <stdlib.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/hbcast_netlink.h>
#include <linux/netlink.h>
#include "coverage.h"
#include "message.h"
#include "netlink.h"
#include "world.h"

#define PATIENCE_MS	300	/* the group's intervals */

static u8 answer[1 << 16];
static u32 events;	/* number of the multicast group */

/* The attribute of that number among @len bytes, or NULL. */
static const struct nlattr *find(const void *data, int len, int number)
{
	const struct nlattr *a = data;

	while (len >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN && a->nla_len <= len) {
		if ((a->nla_type & NLA_TYPE_MASK) == number)
			return a;
		len -= NLA_ALIGN(a->nla_len);
		a = (const void *)a + NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

static const struct nlattr *find_in(const struct nlattr *a, int number)
{
	return a ? find(a + 1, a->nla_len - NLA_HDRLEN, number) : NULL;
}

static u64 number_of(const struct nlattr *a)
{
	u64 value = 0;

	if (a)
		memcpy(&value, a + 1, a->nla_len - NLA_HDRLEN < 8 ? a->nla_len - NLA_HDRLEN : 8);
	return value;
}

static void netlink_socket(unsigned int place)
{
	if (world.netlink[place])
		close(world.netlink[place]);
	world.netlink[place] = world_socket(world.ns[place], AF_NETLINK, SOCK_RAW,
					    NETLINK_GENERIC);
	if (world.netlink[place] < 0)
		err(EXIT_FAILURE, "a netlink socket");
}

static void find_family(void)
{
	const struct nlattr *groups, *name;
	struct message *m = message_start(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	int len;

	message_put(m, CTRL_ATTR_FAMILY_NAME, HBCAST_FAMILY_NAME, sizeof(HBCAST_FAMILY_NAME));
	message_end(m);
	send(world.netlink[0], m->data, m->len, 0);
	len = recv(world.netlink[0], answer, sizeof(answer), 0) - NLMSG_HDRLEN - GENL_HDRLEN;
	name = find(answer + NLMSG_HDRLEN + GENL_HDRLEN, len, CTRL_ATTR_FAMILY_ID);
	groups = find(answer + NLMSG_HDRLEN + GENL_HDRLEN, len, CTRL_ATTR_MCAST_GROUPS);
	if (!name || !groups)
		errx(EXIT_FAILURE, "the kernel has no netlink family " HBCAST_FAMILY_NAME);
	world.family = number_of(name);
	events = number_of(find_in(find_in(groups, 1), CTRL_ATTR_MCAST_GRP_ID));
}

void netlink_open(void)
{
	unsigned int i;

	for (i = 0; i < PLACES; i++)
		netlink_socket(i);
	find_family();
}

/* What has come; at times only some of it, and dumps go on later. */
static void take_answers(struct choices *c, int fd)
{
	size_t room = rarely(c, 4) ? 1 + choose(c, 2000) : sizeof(answer);
	unsigned int most = rarely(c, 8) ? choose(c, 3) : 50;

	while (most-- && recv(fd, answer, room, MSG_DONTWAIT) > 0)
		;
}

/* For requests that are right: they may be refused, as all may. */
static void say(unsigned int place, struct message *m)
{
	int fd = world.netlink[place];

	message_end(m);
	send(fd, m->data, m->len, 0);
	while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
		;
}

static struct message *about_peer(u8 cmd, u32 node)
{
	struct message *m = message_start(world.family, cmd);

	message_put_u32(m, HBCAST_A_NODE_ID, node);
	return m;
}

static struct message *about_node(u8 cmd, u32 node)
{
	struct message *m = about_peer(cmd, node);

	message_put_u32(m, HBCAST_A_NODE_IPV4, htonl(0x0a090000 + node));
	return m;
}

static struct message *about_plan(u8 cmd)
{
	struct message *m = message_start(world.family, cmd);

	message_put_u32(m, HBCAST_A_PLAN_GROUP, GROUP);
	return m;
}

static void put_edge(struct message *m, u32 parent, u32 child)
{
	unsigned int nest = message_nest(m, HBCAST_A_PLAN_EDGE);

	message_put_u32(m, HBCAST_A_EDGE_PARENT, parent);
	message_put_u32(m, HBCAST_A_EDGE_CHILD, child);
	message_nest_end(m, nest);
}

static void make_node(unsigned int place)
{
	struct message *m;
	unsigned int i;

	say(place, message_start(world.family, HBCAST_CMD_NODE_DEL));
	/* Without a node there may be peers, even one of its name. */
	say(place, about_peer(HBCAST_CMD_PEER_DEL, world_node(place)));
	say(place, about_node(HBCAST_CMD_NODE_SET, world_node(place)));
	m = message_start(world.family, HBCAST_CMD_GROUP_NEW);
	message_put_u32(m, HBCAST_A_GROUP_ID, GROUP);
	message_put(m, HBCAST_A_GROUP_KEY, world_key, sizeof(world_key));
	message_put_u32(m, HBCAST_A_GROUP_DEAD_MS, PATIENCE_MS);
	message_put_u32(m, HBCAST_A_GROUP_STALL_MS, PATIENCE_MS);
	say(place, m);
	for (i = 0; i < HONEST; i++) {
		if (i != place)
			say(place, about_node(HBCAST_CMD_PEER_NEW, world_node(i)));
	}
	say(place, about_node(HBCAST_CMD_PEER_NEW, NODE_EVIL));
}

/* In each slot the same tree. */
static void make_plan(unsigned int place, const u32 (*edges)[2], unsigned int nr, u8 slots)
{
	struct message *m;
	unsigned int i;
	u8 slot;

	say(place, about_plan(HBCAST_CMD_PLAN_BEGIN));
	for (slot = 0; slot < slots; slot++) {
		m = about_plan(HBCAST_CMD_PLAN_TREE);
		message_put(m, HBCAST_A_PLAN_SLOT, &slot, sizeof(slot));
		for (i = 0; i < nr; i++)
			put_edge(m, edges[i][0], edges[i][1]);
		say(place, m);
	}
	say(place, about_plan(HBCAST_CMD_PLAN_COMMIT));
}

void netlink_reset(void)
{
	static const u32 chain[][2] = { { 4, 5 }, { 4, NODE_EVIL }, { NODE_EVIL, 6 } };
	static const u32 star[][2] = { { 5, 4 }, { 5, 6 }, { 4, NODE_EVIL } };
	unsigned int i;

	for (i = 0; i < PLACES; i++) {
		netlink_socket(i);
		if (i != HONEST)
			make_node(i);
	}
	setsockopt(world.netlink[0], SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &events, sizeof(events));
	make_plan(0, chain, 3, 2);
	make_plan(1, star, 3, 1);
}

void call_node(struct choices *c)
{
	make_node(choose(c, HONEST));
}

/* A tree, of whom we know: each one's parent is an earlier one. */
void call_plan(struct choices *c)
{
	unsigned int place = choose(c, HONEST), nr = 0, i;
	u32 nodes[HONEST + 1], edges[HONEST][2];

	nodes[0] = world_node(place);
	if (rarely(c, 2))
		nodes[++nr] = rarely(c, 8) ? choose_node(c) : NODE_EVIL;
	for (i = 0; i < HONEST; i++) {
		if (i != place && !rarely(c, 8))
			nodes[++nr] = world_node(i);
	}
	for (i = 0; i < nr; i++) {
		edges[i][0] = nodes[choose(c, i + 1)];
		edges[i][1] = nodes[i + 1];
	}
	make_plan(place, edges, nr, 1 + choose(c, 3));
}

/* Whoever may: the honest node only answers questions. */
static const struct command_spec *choose_command(struct choices *c, unsigned int place, bool dump)
{
	unsigned int at = choose(c, spec_nr_commands);

	while ((place == HONEST && spec_commands[at].admin) || (dump && !spec_commands[at].dump))
		at = (at + 1) % spec_nr_commands;
	return &spec_commands[at];
}

static void request_at(struct choices *c, unsigned int place, const struct command_spec *cmd,
		       bool spoilt)
{
	struct message *m = message_start(world.family, cmd->cmd);

	message_put_request(c, m, cmd, spoilt);
	message_end(m);
	/* The honest node's settings stay: there the command must be the one that was chosen. */
	if (spoilt && place != HONEST && rarely(c, 3))
		message_spoil(c, m);
	send(world.netlink[place], m->data, m->len, 0);
	take_answers(c, world.netlink[place]);
}

static void request(struct choices *c, bool spoilt)
{
	unsigned int place = rarely(c, 8) ? HONEST : choose(c, HONEST);

	request_at(c, place, choose_command(c, place, false), spoilt);
}

void call_request(struct choices *c)
{
	request(c, false);
}

void call_spoilt(struct choices *c)
{
	request(c, true);
}

/* What nobody would upload. */
void call_upload(struct choices *c)
{
	unsigned int place = choose(c, HONEST), count = choose(c, 4), i;
	const struct command_spec *tree = spec_commands;

	for (i = 0; i < spec_nr_commands; i++) {
		if (spec_commands[i].cmd == HBCAST_CMD_PLAN_TREE)
			tree = &spec_commands[i];
	}
	say(place, about_plan(HBCAST_CMD_PLAN_BEGIN));
	while (count--)
		request_at(c, place, tree, rarely(c, 2));
	say(place, about_plan(HBCAST_CMD_PLAN_COMMIT));
}

void call_batch(struct choices *c)
{
	unsigned int place = choose(c, HONEST), count = 2 + choose(c, 6);
	struct message *m = message_start(world.family, 0);

	while (count--) {
		const struct command_spec *cmd = choose_command(c, place, false);

		message_next(m, world.family, cmd->cmd);
		message_put_request(c, m, cmd, rarely(c, 4));
		message_end(m);
	}
	send(world.netlink[place], m->data, m->len, 0);
	take_answers(c, world.netlink[place]);
}

void call_dump(struct choices *c)
{
	unsigned int place = choose(c, PLACES);
	const struct command_spec *cmd = choose_command(c, place, true);
	struct message *m = message_start(world.family, cmd->cmd);

	if (rarely(c, 8))
		message_put_request(c, m, cmd, rarely(c, 2));
	message_end(m);
	((struct nlmsghdr *)m->data)->nlmsg_flags |= NLM_F_DUMP;
	send(world.netlink[place], m->data, m->len, 0);
	take_answers(c, world.netlink[place]);
}

void call_netlink_close(struct choices *c)
{
	netlink_socket(choose(c, HONEST));
}

/* Signals have the place of what they are about in the upper half. */
static void look_at(unsigned int place, u8 cmd, const void *attrs, int len)
{
	const struct nlattr *drops;
	unsigned int i;
	u64 value;

	if (cmd == HBCAST_CMD_LANE_GET)
		coverage_signal(1ull << 32 |
				number_of(find(attrs, len, HBCAST_A_LANE_DIRECTION)) << 24 |
				number_of(find(attrs, len, HBCAST_A_LANE_STATE)) << 16 |
				number_of(find(attrs, len, HBCAST_A_LANE_REJECT)) << 8 |
				number_of(find(attrs, len, HBCAST_A_LANE_ERROR)));
	drops = cmd == HBCAST_CMD_GROUP_GET ? find(attrs, len, HBCAST_A_GROUP_DROPS) : NULL;
	for (i = 1; drops && i <= HBCAST_A_DROPS_MAX; i++) {
		value = number_of(find_in(drops, i));
		if (value)
			coverage_signal(2ull << 32 | place << 16 | i << 8 |
					(63 - __builtin_clzll(value)));
	}
}

static void look(unsigned int place, int fd, u8 cmd)
{
	struct message *m = message_start(world.family, cmd);
	struct nlmsghdr *h;
	int len;

	message_end(m);
	((struct nlmsghdr *)m->data)->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	send(fd, m->data, m->len, 0);
	while ((len = recv(fd, answer, sizeof(answer), MSG_DONTWAIT)) > 0) {
		for (h = (void *)answer; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
			if (h->nlmsg_type == world.family)
				look_at(place, cmd, (u8 *)h + NLMSG_HDRLEN + GENL_HDRLEN,
					h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
		}
	}
}

void netlink_look(void)
{
	unsigned int i;

	for (i = 0; i < PLACES; i++) {
		look(i, world.netlink[i], HBCAST_CMD_LANE_GET);
		look(i, world.netlink[i], HBCAST_CMD_GROUP_GET);
	}
}
