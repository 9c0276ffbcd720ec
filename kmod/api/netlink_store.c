// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on stores: what this node has of messages, and how far its children are. */
#include <linux/bitmap.h>
#include <linux/hbcast.h>

#include "api/netlink.h"
#include "config/group.h"
#include "lane/lane.h"
#include "session/child.h"
#include "session/message.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/cursor.h"
#include "store/store.h"

/* Why the child gets nothing now. session->lock and store->lock held. */
static u32 hbc_nl_cursor_wait(const struct hbc_child *child, const struct hbc_cursor *c)
{
	lockdep_assert_held(&child->s->lock);
	if (c && c->nr_sent == c->store->nr)
		return HBCAST_WAIT_OVER;
	if (!c || !child->up || !child->agreed)
		return HBCAST_WAIT_LANE;
	if (test_bit(HBC_LANE_CONGESTED, &child->lane->flags))
		return HBCAST_WAIT_NETWORK;
	/* Other lanes bring the rest. */
	return c->wait == HBCAST_WAIT_DATA && c->last ? HBCAST_WAIT_OVER : c->wait;
}

/* How far a child is. session->lock held. */
static int hbc_nl_put_cursor(struct sk_buff *skb, struct hbc_child *child, struct hbc_store *store)
{
	const struct hbc_cursor *c = hbc_child_cursor(child, store);
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_STORE_CURSOR);
	unsigned int i;
	u32 behind;
	int err;

	lockdep_assert_held(&child->s->lock);
	spin_lock(&store->lock);
	behind = store->nr_whole;
	for (i = 0; c && i < BITS_TO_LONGS(store->nr); i++)
		behind -= hweight_long(store->whole[i] & c->sent[i]);
	err = nla_put_u32(skb, HBCAST_A_CURSOR_NODE, child->lane->peer) ?:
	      nla_put_u8(skb, HBCAST_A_CURSOR_SLOT, child->slot) ?:
	      nla_put_u32(skb, HBCAST_A_CURSOR_SENT, c ? c->nr_sent : 0) ?:
	      nla_put_u32(skb, HBCAST_A_CURSOR_BEHIND, behind) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_CURSOR_ARRIVED, c ? c->arrived : 0) ?:
	      nla_put_u32(skb, HBCAST_A_CURSOR_WAIT, hbc_nl_cursor_wait(child, c));
	spin_unlock(&store->lock);
	return hbc_nl_nest_end(skb, nest, err);
}

static int hbc_nl_store_put_cursors(struct sk_buff *skb, const void *of, u32 *next)
{
	const struct hbc_message *m = of;
	struct hbc_session *s = m->s;
	struct hbc_child *child;
	int err = 0;
	u32 i = 0;

	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link) {
		if (i++ < *next)
			continue;
		err = hbc_nl_put_cursor(skb, child, m->store);
		if (err)
			break;
		++*next;
	}
	spin_unlock_bh(&s->lock);
	return err;
}

/* What became of the message at nodes from here on, but at the root. session->lock held. */
static int hbc_nl_put_outcomes(struct sk_buff *skb, const struct hbc_message *m)
{
	const struct hbc_tree *tree = m->s->tree[HBC_SLOT_ALL];
	u32 delivered = 0, failed = 0;
	unsigned int i;

	lockdep_assert_held(&m->s->lock);
	if (m->s->origin)
		return 0;
	for (i = 0; i < m->outcomes.nr; i++)
		*(m->outcomes.of[i].reason ? &failed : &delivered) += m->outcomes.of[i].count;
	return nla_put_u32(skb, HBCAST_A_STORE_NODES, tree ? tree->nr : 1) ?:
	       nla_put_u32(skb, HBCAST_A_STORE_DELIVERED, delivered) ?:
	       nla_put_u32(skb, HBCAST_A_STORE_FAILED, failed);
}

static int hbc_nl_store_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_message *m = of;
	struct hbc_store *store = m->store;
	const struct hbc_message_info *info = &store->info;
	struct hbc_session *s = m->s;
	u64 filed;
	int err;

	spin_lock_bh(&s->lock);
	spin_lock(&store->lock);
	filed = hbc_store_bytes(store, store->filed, bitmap_weight(store->filed, store->nr));
	err = nla_put_u32(skb, HBCAST_A_STORE_GROUP, s->group->id) ?:
	      nla_put_u32(skb, HBCAST_A_STORE_ROOT, s->root) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_STORE_ID, info->number) ?:
	      nla_put_u16(skb, HBCAST_A_STORE_PORT, info->port) ?:
	      hbc_nl_put_flag(skb, HBCAST_A_STORE_FILE, info->kind == HBC_MESSAGE_FILE) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_STORE_TOTAL, info->cut.total) ?:
	      nla_put_u32(skb, HBCAST_A_STORE_PIECES, store->nr) ?:
	      nla_put_u32(skb, HBCAST_A_STORE_WHOLE, store->nr_whole) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_STORE_MEMORY, store->memory) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_STORE_FILED, filed) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_STORE_RESUMED, store->resumed) ?:
	      nla_put_u32(skb, HBCAST_A_STORE_REASON, m->reason ?: store->error) ?:
	      hbc_nl_put_outcomes(skb, m);
	spin_unlock(&store->lock);
	spin_unlock_bh(&s->lock);
	return err;
}

static const struct hbc_nl_kind hbc_nl_stores = { hbc_nl_store_put, hbc_nl_store_put_cursors };

int hbcast_nl_store_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	u32 root = nla_get_u32(info->attrs[HBCAST_A_STORE_ROOT]);
	const struct nlattr *id = info->attrs[HBCAST_A_STORE_ID];
	struct hbc_group *group = hbc_nl_group(info);
	struct hbc_session *s = hbc_nl_may(group) ? hbc_session_find(group, root, 0) : NULL;
	struct hbc_message *m = s ? hbc_message_lookup(s, nla_get_u64(id)) : NULL;
	int err;

	if (!m)
		return hbc_nl_refuse(info->extack, id, -ENOENT,
				     "this node has no such message that is not over");
	err = hbc_nl_reply(info, &hbc_nl_stores, m);
	hbc_message_put(m);
	return err;
}

static int hbc_nl_store_dump(struct sk_buff *skb, struct netlink_callback *cb,
			     struct hbc_session *s, struct hbc_nl_place *at)
{
	struct hbc_message *m;
	int err = 0;

	while (!err) {
		spin_lock_bh(&s->lock);
		m = hbc_message_after(s, at->item);
		spin_unlock_bh(&s->lock);
		if (!m)
			break;
		err = hbc_nl_dump(skb, cb, &hbc_nl_stores, m, &at->next);
		if (!err)
			at->item = hbc_message_number(m);
		hbc_message_put(m);
	}
	return err;
}

int hbcast_nl_store_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbc_nl_dump_sessions(skb, cb, hbc_nl_store_dump);
}
