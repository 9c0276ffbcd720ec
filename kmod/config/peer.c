// SPDX-License-Identifier: GPL-2.0
/* A peer: another node that this node knows. */
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/extack.h"
#include "config/node.h"
#include "config/peer.h"

struct hbc_peer *hbc_peer_find(struct hbc_net *hn, u32 id)
{
	struct hbc_peer *peer;

	lockdep_assert_held(&hn->lock);
	list_for_each_entry(peer, &hn->peers, link) {
		if (peer->id >= id)
			return peer->id == id ? peer : NULL;
	}
	return NULL;
}

/* The last peer whose id is not above @id, or the list's head. */
static struct list_head *hbc_peer_place(struct hbc_net *hn, u32 id)
{
	struct hbc_peer *peer;

	/* Backwards, because most lists are filled in ascending order. */
	list_for_each_entry_reverse(peer, &hn->peers, link) {
		if (peer->id <= id)
			return &peer->link;
	}
	return &hn->peers;
}

static int hbc_peer_same(const struct hbc_peer *peer, const struct sockaddr_storage *addr,
			 struct netlink_ext_ack *extack)
{
	if (!memcmp(&peer->addr, addr, sizeof(*addr)))
		return 0;
	return hbc_refuse(extack, -EEXIST, "the peer has another address; delete it first");
}

int hbc_peer_add(struct hbc_net *hn, u32 id, const struct sockaddr_storage *addr,
		 struct netlink_ext_ack *extack)
{
	struct list_head *place;
	struct hbc_peer *peer;

	lockdep_assert_held(&hn->lock);
	if (id == hn->id)
		return hbc_refuse(extack, -EINVAL, "this is the node's own id");
	place = hbc_peer_place(hn, id);
	if (place != &hn->peers) {
		peer = list_entry(place, struct hbc_peer, link);
		if (peer->id == id)
			return hbc_peer_same(peer, addr, extack);
	}
	if (hn->nr_peers >= HBC_PEERS_MAX)
		return hbc_refuse(extack, -ENOSPC, "the node has as many peers as it can");
	peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
	if (!peer)
		return -ENOMEM;
	peer->id = id;
	peer->addr = *addr;
	list_add(&peer->link, place);
	hn->nr_peers++;
	hbc_node_changed(hn);
	return 0;
}

static void hbc_peer_free(struct hbc_net *hn, struct hbc_peer *peer)
{
	list_del(&peer->link);
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
	struct hbc_peer *peer, *next;

	lockdep_assert_held(&hn->lock);
	list_for_each_entry_safe(peer, next, &hn->peers, link)
		hbc_peer_free(hn, peer);
}
