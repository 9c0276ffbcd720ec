/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family: what its operations, one file for each noun,
 * share. Documentation/netlink/specs/hbcast.yaml says what they do.
 */
#ifndef _HBC_NETLINK_H
#define _HBC_NETLINK_H

#include <net/genetlink.h>
#include <net/netlink.h>

#include "api/netlink_gen.h"

struct hbc_group;
struct hbc_net;
struct hbc_session;
struct sockaddr_storage;

extern struct genl_family hbc_nl_family;

/*
 * The node of a do operation, which runs with hn->lock held, and the group that the request
 * names, if the operation is about one that has to be there (hbc_nl_needs).
 */
static inline struct hbc_net *hbc_nl_net(const struct genl_info *info)
{
	return info->user_ptr[0];
}

static inline struct hbc_group *hbc_nl_group(const struct genl_info *info)
{
	return info->user_ptr[1];
}

/* Why a request is refused: what is wrong with its @attr, a literal sentence. Return: @err. */
#define hbc_nl_refuse(extack, attr, err, text) ({	\
	NL_SET_ERR_MSG_ATTR(extack, attr, text);	\
	(err);						\
})

/*
 * Whether the caller may know what goes on in @group: who may bind or connect there may.
 * What it may not know of is to it as if it were not there. Process, no locks.
 */
bool hbc_nl_may(const struct hbc_group *group);

/* The request's attributes of one kind that may come more than once: their number. */
unsigned int hbc_nl_count(const struct genl_info *info, int type);

/**
 * struct hbc_nl_kind - a kind of what a get or a dump tells
 * @put: writes its own attributes: 0 or -EMSGSIZE
 * @put_entries: writes what it has many of, from entry *@next on, which it moves on: 0 when all
 *	have been put, or -EMSGSIZE; NULL where there are none
 */
struct hbc_nl_kind {
	int (*put)(struct sk_buff *skb, const void *of);
	int (*put_entries)(struct sk_buff *skb, const void *of, u32 *next);
};

/*
 * Tells one socket of @of: 0; -ENOMEM; what sending says. Context: process, mutexes may be held.
 */
int hbc_nl_send(struct net *net, u32 portid, u32 seq, u8 cmd, const struct hbc_nl_kind *kind,
		const void *of);

/* Answers a do request: as above. */
static inline int hbc_nl_reply(struct genl_info *info, const struct hbc_nl_kind *kind,
			       const void *of)
{
	return hbc_nl_send(genl_info_net(info), info->snd_portid, info->snd_seq,
			   info->genlhdr->cmd, kind, of);
}

/**
 * hbc_nl_dump() - one message of a dump
 * @skb: of the dump
 * @cb: of the dump
 * @kind: of @of
 * @of: what it tells
 * @next: the first entry that has not been put; 0 after all of them
 *
 * Return: 0, or -EMSGSIZE when @skb is full.
 */
int hbc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, const struct hbc_nl_kind *kind,
		const void *of, u32 *next);

/*
 * What a dumpit begins and ends with. hbc_nl_dump_begin() takes hn->lock, or returns why not;
 * hbc_nl_dump_end() lets it go, and returns what netlink_dump() is to know: @err is 0 after the
 * last object, or what has stopped it.
 */
int hbc_nl_dump_begin(struct netlink_callback *cb);
int hbc_nl_dump_end(const struct sk_buff *skb, const struct netlink_callback *cb, int err);
struct hbc_net *hbc_nl_dump_net(const struct netlink_callback *cb);

/* Where a dump over sessions is: entry @next of what @put calls @item of a session. */
struct hbc_nl_place {
	u32 group;
	u32 next;
	u64 root;
	u64 item;
};

/*
 * A dumpit: @put puts what a session has from @at on, of the newest session of each root in all
 * groups that the caller may know of.
 */
int hbc_nl_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb,
			 int (*put)(struct sk_buff *skb, struct netlink_callback *cb,
				    struct hbc_session *s, struct hbc_nl_place *at));

/*
 * The end of a nest that holds all its attributes, or nothing where @err says so. Where there
 * was no room for the nest, @nest is NULL, and there was none for attributes. Return: @err.
 */
static inline int hbc_nl_nest_end(struct sk_buff *skb, struct nlattr *nest, int err)
{
	if (err)
		nla_nest_cancel(skb, nest);
	else
		nla_nest_end(skb, nest);
	return err;
}

/* In each set of attributes the first pads others to 64 bits. */
static inline int hbc_nl_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, HBCAST_A_GROUP_PAD);
}

/* A flag, if it is set. */
static inline int hbc_nl_put_flag(struct sk_buff *skb, int attr, bool set)
{
	return set ? nla_put_flag(skb, attr) : 0;
}

/* An address and port to attributes: 0 or -EMSGSIZE. */
int hbc_nl_put_addr(struct sk_buff *skb, const struct sockaddr_storage *addr, int ipv4, int ipv6,
		    int port);

int hbc_netlink_init(void);
void hbc_netlink_exit(void);

#endif /* _HBC_NETLINK_H */
