// SPDX-License-Identifier: GPL-2.0
/* A peer: another node that this node knows. */
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/netlink.h"
#include "config/node.h"
#include "config/peer.h"

struct hbc_peer *hbc_peer_find(struct hbc_net *hn, u32 id)
{
	lockdep_assert_held(&hn->lock);
	return xa_load(&hn->peers, id);
}

int hbc_peer_add(struct hbc_net *hn, u32 id, const struct sockaddr_storage *addr,
		 struct netlink_ext_ack *extack)
{
	struct hbc_peer *peer = hbc_peer_find(hn, id);
	int err;

	lockdep_assert_held(&hn->lock);
	if (id == hn->id)
		return hbc_refuse(extack, -EINVAL, "this is the node's own id");
	if (peer && memcmp(&peer->addr, addr, sizeof(*addr)))
		return hbc_refuse(extack, -EEXIST, "the peer has another address; delete it first");
	if (peer)
		return 0;
	if (hn->nr_peers >= HBC_PEERS_MAX)
		return hbc_refuse(extack, -ENOSPC, "the node has as many peers as it can");
	peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
	if (!peer)
		return -ENOMEM;
	peer->id = id;
	peer->addr = *addr;
	err = xa_insert(&hn->peers, id, peer, GFP_KERNEL_ACCOUNT);
	if (err) {
		kfree(peer);
		return err;
	}
	hn->nr_peers++;
	hbc_node_changed(hn);
	return 0;
}

static void hbc_peer_free(struct hbc_net *hn, struct hbc_peer *peer)
{
	xa_erase(&hn->peers, peer->id);
	hn->nr_peers--;
	hbc_node_changed(hn);
	kfree(peer);
}

int hbc_peer_del(struct hbc_net *hn, u32 id, struct netlink_ext_ack *extack)
{
	struct hbc_peer *peer = hbc_peer_find(hn, id);

	if (!peer)
		return hbc_refuse(extack, -ENOENT, "there is no such peer");
	hbc_peer_free(hn, peer);
	return 0;
}

void hbc_peer_flush(struct hbc_net *hn)
{
	struct hbc_peer *peer;
	unsigned long id;

	lockdep_assert_held(&hn->lock);
	xa_for_each(&hn->peers, id, peer)
		hbc_peer_free(hn, peer);
}
