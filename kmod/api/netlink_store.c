// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on stores: what this node has of messages, and how far its children are. */
#include <linux/bitmap.h>
#include <linux/hbcast.h>
#include <linux/mm.h>

#include "api/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "session/child.h"
#include "session/message.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/cursor.h"
#include "store/store.h"

static_assert((int)HBC_WAIT_NONE == (int)HBCAST_WAIT_NONE);
static_assert((int)HBC_WAIT_DATA == (int)HBCAST_WAIT_DATA);
static_assert((int)HBC_WAIT_FILE == (int)HBCAST_WAIT_FILE);
static_assert((int)HBC_WAIT_OVER == (int)HBCAST_WAIT_OVER);

struct hbc_nl_cursor {
	u32 node;
	u8 slot;
	u32 sent;
	u32 behind;
	u64 arrived;
	u32 wait;
};

/* A message as it is now. */
struct hbc_nl_store {
	const struct hbc_message *m;
	u32 whole;
	u64 memory;
	u64 filed;
	u32 reason;
	u32 nodes;
	u32 delivered;
	u32 failed;
	struct hbc_nl_cursor *cursor;
	unsigned int nr;
};

#define HBC_NL_CURSOR_SIZE nla_total_size(5 * nla_total_size(sizeof(u32)) +		\
					  nla_total_size_64bit(sizeof(u64)))
#define HBC_NL_STORE_SIZE (10 * nla_total_size(sizeof(u32)) +				\
			   4 * nla_total_size_64bit(sizeof(u64)))

/* Bytes of the pieces of a set. store->lock held. */
static u64 hbc_nl_store_bytes(const struct hbc_store *store, const unsigned long *set)
{
	const struct hbc_geometry *cut = &store->info.cut;
	u64 piece = (u64)cut->per_piece * cut->payload;
	u64 bytes = bitmap_weight(set, store->nr) * piece;

	if (store->nr && test_bit(store->nr - 1, set))
		bytes -= store->nr * piece - cut->total;
	return bytes;
}

/* Why the child gets nothing now. session->lock and store->lock held. */
static u32 hbc_nl_cursor_wait(const struct hbc_child *child, const struct hbc_cursor *c)
{
	if (c && c->nr_sent == c->store->nr)
		return HBCAST_WAIT_OVER;
	if (!c || !child->up || !child->agreed)
		return HBCAST_WAIT_LANE;
	if (test_bit(HBC_LANE_CONGESTED, &child->lane->flags))
		return HBCAST_WAIT_NETWORK;
	/* Other lanes bring the rest. */
	return c->wait == HBC_WAIT_DATA && c->last ? HBCAST_WAIT_OVER : c->wait;
}

/* session->lock held. */
static void hbc_nl_cursor_look(struct hbc_child *child, struct hbc_store *store,
			       struct hbc_nl_cursor *now)
{
	const struct hbc_cursor *c = hbc_child_cursor(child, store);
	unsigned int i;

	spin_lock_bh(&store->lock);
	*now = (struct hbc_nl_cursor) {
		.node = child->node, .slot = child->slot, .behind = store->nr_whole,
		.arrived = c ? c->arrived : 0, .sent = c ? c->nr_sent : 0,
		.wait = hbc_nl_cursor_wait(child, c),
	};
	for (i = 0; c && i < BITS_TO_LONGS(store->nr); i++)
		now->behind -= hweight_long(store->whole[i] & c->sent[i]);
	spin_unlock_bh(&store->lock);
}

/* What became of the message at nodes from here on. session->lock held. */
static void hbc_nl_store_outcomes(struct hbc_nl_store *now)
{
	const struct hbc_outcomes *o = &now->m->outcomes;
	const struct hbc_tree *tree = now->m->s->tree[HBC_SLOT_ALL];
	unsigned int i;

	now->nodes = tree ? tree->nr : 1;
	for (i = 0; i < o->nr; i++)
		*(o->of[i].reason ? &now->failed : &now->delivered) += o->of[i].count;
}

/* All of @m, whose reference the caller holds: 0 or -ENOMEM; kvfree() now->cursor. */
static int hbc_nl_store_look(struct hbc_message *m, struct hbc_nl_store *now)
{
	struct hbc_store *store = m->store;
	struct hbc_session *s = m->s;
	struct hbc_child *child;
	unsigned int max = 0;

	memset(now, 0, sizeof(*now));
	now->m = m;
	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link)
		max++;
	spin_unlock_bh(&s->lock);
	now->cursor = kvcalloc(max + 1, sizeof(*now->cursor), GFP_KERNEL);
	if (!now->cursor)
		return -ENOMEM;
	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link)
		if (now->nr < max)
			hbc_nl_cursor_look(child, store, &now->cursor[now->nr++]);
	if (!s->origin)
		hbc_nl_store_outcomes(now);
	now->reason = m->reason;
	spin_lock(&store->lock);
	now->whole = store->nr_whole;
	now->memory = store->memory;
	now->filed = store->filed ? hbc_nl_store_bytes(store, store->filed) : 0;
	now->reason = now->reason ?: store->error;
	spin_unlock(&store->lock);
	spin_unlock_bh(&s->lock);
	return 0;
}

static int hbc_nl_put_cursor(struct sk_buff *skb, const struct hbc_nl_cursor *c)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_STORE_CURSOR);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, HBCAST_A_CURSOR_NODE, c->node) ?:
	      nla_put_u8(skb, HBCAST_A_CURSOR_SLOT, c->slot) ?:
	      nla_put_u32(skb, HBCAST_A_CURSOR_SENT, c->sent) ?:
	      nla_put_u32(skb, HBCAST_A_CURSOR_BEHIND, c->behind) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_CURSOR_ARRIVED, c->arrived, HBCAST_A_CURSOR_PAD) ?:
	      nla_put_u32(skb, HBCAST_A_CURSOR_WAIT, c->wait);
	if (err)
		nla_nest_cancel(skb, nest);
	else
		nla_nest_end(skb, nest);
	return err;
}

static int hbc_nl_store_put64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, HBCAST_A_STORE_PAD);
}

static int hbc_nl_store_put(struct sk_buff *skb, const struct hbc_nl_store *now)
{
	const struct hbc_message_info *info = &now->m->store->info;
	const struct hbc_session *s = now->m->s;

	return nla_put_u32(skb, HBCAST_A_STORE_GROUP, s->group->id) ?:
	       nla_put_u32(skb, HBCAST_A_STORE_ROOT, s->root) ?:
	       hbc_nl_store_put64(skb, HBCAST_A_STORE_ID, info->number) ?:
	       nla_put_u16(skb, HBCAST_A_STORE_PORT, info->port) ?:
	       (info->kind == HBC_MESSAGE_FILE ? nla_put_flag(skb, HBCAST_A_STORE_FILE) : 0) ?:
	       hbc_nl_store_put64(skb, HBCAST_A_STORE_TOTAL, info->cut.total) ?:
	       nla_put_u32(skb, HBCAST_A_STORE_PIECES, now->m->store->nr) ?:
	       nla_put_u32(skb, HBCAST_A_STORE_WHOLE, now->whole) ?:
	       hbc_nl_store_put64(skb, HBCAST_A_STORE_MEMORY, now->memory) ?:
	       hbc_nl_store_put64(skb, HBCAST_A_STORE_FILED, now->filed) ?:
	       nla_put_u32(skb, HBCAST_A_STORE_REASON, now->reason);
}

static int hbc_nl_store_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_nl_store *now = object;
	unsigned int first = *next;
	int err;

	err = hbc_nl_store_put(skb, now);
	if (!err && now->nodes)
		err = nla_put_u32(skb, HBCAST_A_STORE_NODES, now->nodes) ?:
		      nla_put_u32(skb, HBCAST_A_STORE_DELIVERED, now->delivered) ?:
		      nla_put_u32(skb, HBCAST_A_STORE_FAILED, now->failed);
	while (!err && *next < now->nr) {
		err = hbc_nl_put_cursor(skb, &now->cursor[*next]);
		if (!err)
			++*next;
	}
	/* The others go into another message. */
	return err == -EMSGSIZE && *next > first ? 0 : err;
}

/* With a reference, or NULL. hn->lock held. */
static struct hbc_message *hbc_nl_store_find(struct genl_info *info, struct hbc_net *hn)
{
	u32 id = nla_get_u32(info->attrs[HBCAST_A_STORE_GROUP]);
	struct hbc_group *group = hbc_group_find(hn, id);
	u64 number = nla_get_u64(info->attrs[HBCAST_A_STORE_ID]);
	struct hbc_session *s = NULL;

	if (group && hbc_nl_may(group))
		s = hbc_session_find(group, nla_get_u32(info->attrs[HBCAST_A_STORE_ROOT]), 0);
	return s ? hbc_message_lookup(s, number) : NULL;
}

int hbcast_nl_store_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_nl_store now;
	struct hbc_message *m;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_STORE_GROUP, "group") ||
	    hbc_nl_missing(info, HBCAST_A_STORE_ROOT, "root") ||
	    hbc_nl_missing(info, HBCAST_A_STORE_ID, "id"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	m = hbc_nl_store_find(info, hn);
	mutex_unlock(&hn->lock);
	if (!m) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HBCAST_A_STORE_ID],
				    "this node has no such message that is not over");
		return -ENOENT;
	}
	err = hbc_nl_store_look(m, &now);
	if (!err)
		err = hbc_nl_reply(info, HBC_NL_STORE_SIZE + now.nr * HBC_NL_CURSOR_SIZE,
				   hbc_nl_store_fill, &now);
	kvfree(now.cursor);
	hbc_message_put(m);
	return err;
}

/* A dump goes on behind message @last of @root in @group, with cursor @next of the one after. */
struct hbc_nl_store_dump {
	u32 group;
	unsigned int next;
	u64 root;
	u64 last;
};

/* The newest session of the first root from @root on, or NULL. hn->lock held. */
static struct hbc_session *hbc_nl_store_session(struct hbc_group *group, u64 root)
{
	struct hbc_session *s, *found = NULL;

	list_for_each_entry(s, &group->sessions, link)
		if (s->root >= root && (!found || s->root < found->root))
			found = s;
	return found;
}

static int hbc_nl_store_dump(struct sk_buff *skb, struct netlink_callback *cb,
			     struct hbc_session *s, struct hbc_nl_store_dump *at)
{
	struct hbc_nl_store now;
	struct hbc_message *m;
	int err = 0;

	while (!err && (m = hbc_message_after(s, at->last))) {
		err = hbc_nl_store_look(m, &now);
		if (!err)
			err = hbc_nl_dump(skb, cb, hbc_nl_store_fill, &now, &at->next);
		if (!err && at->next < now.nr)
			err = -EMSGSIZE;
		if (!err) {
			at->last = hbc_message_number(m);
			at->next = 0;
		}
		kvfree(now.cursor);
		hbc_message_put(m);
	}
	return err;
}

/* All of a group. */
static int hbc_nl_store_dump_group(struct sk_buff *skb, struct netlink_callback *cb,
				   struct hbc_group *group, struct hbc_nl_store_dump *at)
{
	struct hbc_session *s;
	int err = 0;

	while (!err && (s = hbc_nl_store_session(group, at->root))) {
		if (s->root != at->root) {
			at->root = s->root;
			at->last = 0;
			at->next = 0;
		}
		err = hbc_nl_store_dump(skb, cb, s, at);
		if (!err)
			*at = (struct hbc_nl_store_dump) {
				.group = at->group, .root = at->root + 1,
			};
	}
	return err;
}

int hbcast_nl_store_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_nl_store_dump *at = (struct hbc_nl_store_dump *)cb->ctx;
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	struct hbc_group *group;
	int err;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->ctx));
	err = hbc_nl_dump_check(cb);
	if (err)
		return err;
	mutex_lock(&hn->lock);
	cb->seq = 1;
	list_for_each_entry(group, &hn->groups, link) {
		if (group->id < at->group || !hbc_nl_may(group))
			continue;
		if (group->id > at->group)
			*at = (struct hbc_nl_store_dump) { .group = group->id };
		err = hbc_nl_store_dump_group(skb, cb, group, at);
		if (err)
			break;
	}
	mutex_unlock(&hn->lock);
	return hbc_nl_dump_end(skb, err);
}
