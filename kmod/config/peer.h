/* SPDX-License-Identifier: GPL-2.0 */
/* A peer: another node that this node knows. */
#ifndef _HBC_PEER_H
#define _HBC_PEER_H

#include <linux/socket.h>
#include <linux/types.h>

struct hbc_net;
struct netlink_ext_ack;

#define HBC_PEERS_MAX	16384	/* per node */

/* All fields: hn->lock. */
struct hbc_peer {
	u32 id;
	struct sockaddr_storage addr;
};

/*
 * All of these: context process, hn->lock held.
 *
 * hbc_peer_add() returns 0, also when the peer is there with this address;
 * -EEXIST with another one; -EINVAL for the node's own id; -ENOSPC, -ENOMEM.
 * hbc_peer_del() returns 0 or -ENOENT. @extack says why not.
 */
int hbc_peer_add(struct hbc_net *hn, u32 id, const struct sockaddr_storage *addr,
		 struct netlink_ext_ack *extack);
int hbc_peer_del(struct hbc_net *hn, u32 id, struct netlink_ext_ack *extack);
struct hbc_peer *hbc_peer_find(struct hbc_net *hn, u32 id);
void hbc_peer_flush(struct hbc_net *hn);

#endif /* _HBC_PEER_H */
