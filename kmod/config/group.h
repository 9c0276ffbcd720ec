/* SPDX-License-Identifier: GPL-2.0 */
/* A group: a key, members, sessions (one per root) and the bound sockets. */
#ifndef _HBC_GROUP_H
#define _HBC_GROUP_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "wire/auth.h"

struct hbc_net;
struct mem_cgroup;
struct netlink_ext_ack;

#define HBC_DEAD_MS_DEFAULT	5000
#define HBC_STALL_MS_DEFAULT	10000
#define HBC_MODE_DEFAULT	0600
#define HBC_WINDOW_DEFAULT	(4 * 1024 * 1024)
#define HBC_SPOOL_DEFAULT	(1024 * 1024 * 1024ULL)

/**
 * struct hbc_group_config - what an administrator sets
 * @uid: owner; may bind and connect as @mode says
 * @gid: owning group
 * @mode: bits of 0666: read is bind, write is connect
 * @dead_ms: after this a silent neighbour counts as dead
 * @stall_ms: after this a receiver that does not read is cut off
 * @window: bytes of short messages that a root has under way, and so the longest one's
 * @spool: bytes that files may take here in memory
 * @max_nodes: a tree of more nodes is refused
 * @probe: whether members may measure with this node
 * @probe_rate: bytes/s that it sends at most for that, 0 for no limit
 * @probe_total: bytes that it sends at most for that, 0 for no limit
 */
struct hbc_group_config {
	kuid_t uid;
	kgid_t gid;
	u32 mode;
	u32 dead_ms;
	u32 stall_ms;
	u32 window;
	u32 max_nodes;
	u64 spool;
	u32 probe;
	u64 probe_rate;
	u64 probe_total;
};

/**
 * struct hbc_group - one group at this node
 * @ref: references; the node's list holds one
 * @rcu: its end
 * @hn: the node
 * @id: never 0
 * @memcg: cgroup of who added it: what others send is charged to that
 * @config: written under hn->lock, single fields read without it
 * @lock: @key, @members and @nr_members, which are replaced under hn->lock, too
 * @key: for the handshake
 * @members: ids in ascending order, this node's own included
 * @nr_members: entries of @members; 0: anybody with the key, and a plan's
 *	nodes are the members
 * @sessions: struct hbc_session; hn->lock
 * @nr_sessions: their number; hn->lock, read without it
 * @spooled: their charge of pieces in memory, as far as it is counted
 * @socks_lock: @socks and @nr_socks
 * @socks: receivers (struct hbc_sock) that are bound to the group
 * @nr_socks: their number
 * @gone: removed from the node; written under hn->lock
 * @drops: what was thrown away, by HBCAST_A_DROPS_*, the reasons
 * @probed: bytes that this node has sent for measurements since the total was set
 */
struct hbc_group {
	struct kref ref;
	struct rcu_head rcu;
	struct hbc_net *hn;
	u32 id;
	struct mem_cgroup *memcg;
	struct hbc_group_config config;
	spinlock_t lock; /* key and members */
	struct crypto_shash *key;
	u32 *members;
	u32 nr_members;
	struct list_head sessions;
	unsigned int nr_sessions;
	atomic64_t spooled;
	struct mutex socks_lock; /* receivers */
	struct hlist_head socks;
	u32 nr_socks;
	bool gone;
	atomic64_t drops[__HBCAST_A_DROPS_MAX];
	atomic64_t probed;
};

#define HBC_GROUPS_MAX	1024	/* per node */

/* For what others send: it fails before processes of the cgroup are ended for it. */
#define HBC_GFP_GROUP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * struct hbc_group_setup - what hbc_group_add() and hbc_group_change() are told
 * @config: all of it
 * @key: the key, not here any more if it was taken over; NULL leaves it as it is
 * @members: kvmalloc()ed ids in ascending order, likewise
 * @nr_members: entries of @members
 * @set_members: the members change; else the two above do not count
 * @set_total: what has been sent for measurements counts from here on
 */
struct hbc_group_setup {
	struct hbc_group_config config;
	struct crypto_shash *key;
	u32 *members;
	u32 nr_members;
	bool set_members;
	bool set_total;
};

/**
 * hbc_group_add() - take part in a group
 * @hn: the node
 * @id: never 0
 * @setup: with a key
 * @extack: why not
 *
 * Context: process, hn->lock held.
 * Return: 0; -EEXIST; -ENODEV where no node is configured; -EINVAL for members
 * without this node; -ENOSPC, -ENOMEM.
 */
int hbc_group_add(struct hbc_net *hn, u32 id, struct hbc_group_setup *setup,
		  struct netlink_ext_ack *extack);

/**
 * hbc_group_change() - change a group as a whole or not at all
 * @group: the group
 * @setup: what it shall be
 * @extack: why not
 *
 * Lanes and plans of nodes that are no members any more end, and all lanes if the key changes.
 *
 * Context: process, hn->lock held.
 * Return: 0; -EINVAL for members without this node; -EBUSY when this node's
 * own plan has nodes that would be no members.
 */
int hbc_group_change(struct hbc_group *group, struct hbc_group_setup *setup,
		     struct netlink_ext_ack *extack);

/* What layers above do when a group changes, each in its own files; hn->lock held. */

/* Whether this node's plan has none but members then: 0 or -EBUSY, and why. */
int hbc_session_may_change(struct hbc_group *group, const struct hbc_group_setup *setup,
			   struct netlink_ext_ack *extack);
/* It has changed: lanes end, or connect anew, of all or of those that are no members any more. */
void hbc_lane_changed(struct hbc_group *group, bool key);
/* Its members have: sessions end that have others. */
void hbc_session_changed(struct hbc_group *group);
/* It is removed: sessions end, and receivers are told. */
void hbc_session_group_gone(struct hbc_group *group);
/* It has changed, or is removed: measurements end, and begin again if that is still allowed. */
void hbc_probe_group_gone(struct hbc_group *group);

/* hn->lock held. hbc_group_find() takes no reference. */
struct hbc_group *hbc_group_find(struct hbc_net *hn, u32 id);
/* Under RCU, with a reference; NULL if there is none. Context: any. */
struct hbc_group *hbc_group_get(struct hbc_net *hn, u32 id);
void hbc_group_put(struct hbc_group *group);
/* hbc_auth_mac() and hbc_auth_check() with the group's key. Context: process. */
int hbc_group_prove(struct hbc_group *group, enum hbc_auth_side side,
		    const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		    u8 *mac);
int hbc_group_verify(struct hbc_group *group, enum hbc_auth_side side,
		     const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		     const u8 *mac);
/* Whether @node is in ascending @members, or there are none. Context: any. */
bool hbc_group_lists(const u32 *members, u32 nr, u32 node);
/* Whether @node may take part. Context: any. */
bool hbc_group_is_member(struct hbc_group *group, u32 node);
/* Remove: ends sessions and lanes, fails messages, tells bound sockets. hn->lock held. */
void hbc_group_remove(struct hbc_group *group);
/* Whether the current task may bind (@mask 4) or connect (@mask 2): 0 or -EACCES. */
int hbc_group_permission(const struct hbc_group *group, int mask);

/* Something has been thrown away; @reason is one of HBCAST_A_DROPS_*. Context: any. */
static inline void hbc_group_drop(struct hbc_group *group, unsigned int reason)
{
	atomic64_inc(&group->drops[reason]);
}

/* Whether this node may send more for a measurement. Context: any. */
static inline bool hbc_group_probe_allows(const struct hbc_group *group)
{
	u64 total = READ_ONCE(group->config.probe_total);

	return READ_ONCE(group->config.probe) && (!total || atomic64_read(&group->probed) < total);
}

#endif /* _HBC_GROUP_H */
