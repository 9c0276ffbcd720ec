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
struct sockaddr_storage;

extern struct genl_family hbc_nl_family;

/* Whether attribute @attr is missing, which is said then; @what is its name. */
#define hbc_nl_missing(info, attr, what) ({			\
	struct genl_info *__request = (info);			\
	bool __missing = GENL_REQ_ATTR_CHECK(__request, attr);	\
								\
	if (__missing)						\
		GENL_SET_ERR_MSG(__request, what " is needed");	\
	__missing;						\
})

struct hbc_net *hbc_nl_net(const struct genl_info *info);
/* The group that the request's @attr names, or NULL, which is said. hn->lock held. */
struct hbc_group *hbc_nl_group(const struct genl_info *info, int attr);
/*
 * Whether the caller may know what goes on in @group: who may bind or connect there may.
 * What it may not know of is to it as if it were not there. Process, no locks.
 */
bool hbc_nl_may(const struct hbc_group *group);
struct hbc_net *hbc_nl_dump_net(const struct netlink_callback *cb);

/*
 * Where an object's attributes go to: 0, or -EMSGSIZE when they do not fit.
 * @next is for objects that may go on in another message: in and out, the
 * number of list entries that have been put.
 */
typedef int (*hbc_nl_fill)(struct sk_buff *skb, const void *object, unsigned int *next);

/**
 * hbc_nl_reply() - answer a do request
 * @info: the request
 * @size: bytes for all of the object's attributes
 * @fill: writes them
 * @object: for @fill
 *
 * Return: 0; -ENOMEM; what sending says.
 */
int hbc_nl_reply(struct genl_info *info, size_t size, hbc_nl_fill fill, const void *object);

/* Whether the dump was asked for with attributes, which is refused: 0 or -EINVAL. */
int hbc_nl_dump_check(struct netlink_callback *cb);

/**
 * hbc_nl_dump() - one message of a dump
 * @skb: of the dump
 * @cb: of the dump
 * @fill: writes the object's attributes
 * @object: for @fill
 * @next: as in hbc_nl_fill
 *
 * Return: 0, or -EMSGSIZE when @skb is full.
 */
int hbc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, hbc_nl_fill fill,
		const void *object, unsigned int *next);

/**
 * hbc_nl_dump_end() - what a dumpit returns
 * @skb: of the dump
 * @err: 0 when all has been put, else the error that stopped it
 *
 * Return: for netlink_dump(): 0 at the end, a length to be called again, or
 * an error.
 */
int hbc_nl_dump_end(const struct sk_buff *skb, int err);

/* An address and port to attributes: 0 or -EMSGSIZE. */
int hbc_nl_put_addr(struct sk_buff *skb, const struct sockaddr_storage *addr, int ipv4, int ipv6,
		    int port);

/* Measurements are told. Context: hbc_netlink_init(). */
void hbc_nl_sample_init(void);

int hbc_netlink_init(void);
void hbc_netlink_exit(void);

#endif /* _HBC_NETLINK_H */
