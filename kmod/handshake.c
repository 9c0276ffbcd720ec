// SPDX-License-Identifier: GPL-2.0
/*
 * The handshake: HELLO, CHALLENGE, AUTH, READY, or REJECT at any point.
 *
 * The acceptor learns the group from HELLO and proves itself first; nothing
 * is made for the connector before its own proof has been checked.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "auth.h"
#include "event.h"
#include "group.h"
#include "handshake.h"
#include "lane.h"
#include "node.h"
#include "schedule.h"
#include "transmit.h"

#define HBC_HELLO_FRAME_MAX	128

/**
 * struct hbc_handshake - what both proofs are made of
 * @hello: the HELLO as it was on the wire
 * @hello_len: its length in bytes
 * @root: from HELLO
 * @group: the group; a reference
 * @challenge: the acceptor's
 * @challenged: CHALLENGE has been sent or checked
 * @probe: the connection is for measuring
 */
struct hbc_handshake {
	u8 hello[HBC_HELLO_FRAME_MAX];
	unsigned int hello_len;
	u32 root;
	struct hbc_group *group;
	struct hbc_challenge challenge;
	bool challenged;
	bool probe;
};

void hbc_handshake_free(struct hbc_lane *lane)
{
	if (!lane->handshake)
		return;
	if (lane->handshake->group)
		hbc_group_put(lane->handshake->group);
	kfree_sensitive(lane->handshake);
	lane->handshake = NULL;
}

struct hbc_group *hbc_handshake_group(const struct hbc_lane *lane)
{
	return lane->handshake->group;
}

int hbc_handshake_start(struct hbc_lane *lane)
{
	struct hbc_schedule *sched = lane->sched;
	struct hbc_hello hello = {
		.group = sched->group->id,
		.from = READ_ONCE(lane->hn->id),
		.to = lane->peer,
		.root = sched->root,
	};
	struct hbc_handshake *hs;

	hs = kzalloc(sizeof(*hs), GFP_KERNEL);
	if (!hs)
		return -ENOMEM;
	kref_get(&sched->group->ref);
	hs->group = sched->group;
	hs->root = sched->root;
	get_random_bytes(hello.nonce, sizeof(hello.nonce));
	hs->hello_len = hbc_wire_put_hello(hs->hello, lane->slot, &hello);
	lane->handshake = hs;
	return hbc_transmit_now(lane, hs->hello, hs->hello_len);
}

/* Tells the other side why, and ends the lane. */
static int hbc_handshake_reject(struct hbc_lane *lane, u16 reason)
{
	struct hbc_reject reject = { .reason = reason };
	u8 frame[HBC_HDR_LEN + 8];

	lane->stats.rejects++;
	hbc_transmit_now(lane, frame, hbc_wire_put_reject(frame, &reject));
	return -EKEYREJECTED;
}

/* Under hn->lock, because the key may be replaced. */
static int hbc_handshake_mac(struct hbc_lane *lane, enum hbc_auth_side side, u8 *mac)
{
	struct hbc_handshake *hs = lane->handshake;
	int err;

	mutex_lock(&lane->hn->lock);
	err = hbc_auth_mac(hs->group->key, side, hs->hello, hs->hello_len, &hs->challenge, mac);
	mutex_unlock(&lane->hn->lock);
	return err;
}

static int hbc_handshake_check(struct hbc_lane *lane, enum hbc_auth_side side, const u8 *mac)
{
	struct hbc_handshake *hs = lane->handshake;
	int err;

	mutex_lock(&lane->hn->lock);
	err = hbc_auth_check(hs->group->key, side, hs->hello, hs->hello_len, &hs->challenge,
			     mac);
	mutex_unlock(&lane->hn->lock);
	return err;
}

/* Who may open a lane for whose plan: enum hbc_reject_reason. */
static u16 hbc_handshake_judge(struct hbc_lane *lane, const struct hbc_hello *hello,
			       struct hbc_group *group)
{
	u32 id = READ_ONCE(lane->hn->id);
	bool member;

	if (!group)
		return HBC_REJECT_GROUP;
	if (hello->to != id)
		return HBC_REJECT_NODE;
	/* A node may measure with itself: it is a coordinator's own part. */
	if (!hello->probe && (hello->root == id || hello->from == id))
		return HBC_REJECT_PROTOCOL;
	if (hello->probe && !READ_ONCE(group->config.probe))
		return HBC_REJECT_POLICY;
	mutex_lock(&lane->hn->lock);
	member = hbc_group_is_member(group, hello->from) &&
		 hbc_group_is_member(group, hello->root);
	mutex_unlock(&lane->hn->lock);
	return member ? HBC_REJECT_NONE : HBC_REJECT_MEMBER;
}

static int hbc_handshake_hello(struct hbc_lane *lane, const struct hbc_hdr *h, const u8 *frame)
{
	struct hbc_handshake *hs;
	struct hbc_hello hello;
	u8 out[HBC_CONTROL_MAX / 16];
	u16 reason;
	int err;

	if (lane->handshake || h->length > HBC_HELLO_FRAME_MAX ||
	    hbc_wire_get_hello(frame, h, &hello))
		return hbc_handshake_reject(lane, HBC_REJECT_PROTOCOL);
	hs = kzalloc(sizeof(*hs), GFP_KERNEL);
	if (!hs)
		return -ENOMEM;
	lane->handshake = hs;
	hs->group = hbc_group_get(lane->hn, hello.group);
	hs->root = hello.root;
	hs->probe = hello.probe;
	reason = hbc_handshake_judge(lane, &hello, hs->group);
	if (reason)
		return hbc_handshake_reject(lane, reason);
	lane->slot = h->slot;
	lane->peer = hello.from;
	memcpy(hs->hello, frame, h->length);
	hs->hello_len = h->length;
	hs->challenge.node = READ_ONCE(lane->hn->id);
	get_random_bytes(hs->challenge.nonce, sizeof(hs->challenge.nonce));
	err = hbc_handshake_mac(lane, HBC_AUTH_ACCEPTOR, hs->challenge.mac);
	if (err)
		return err;
	hs->challenged = true;
	return hbc_transmit_now(lane, out, hbc_wire_put_challenge(out, &hs->challenge));
}

static int hbc_handshake_challenge(struct hbc_lane *lane, const struct hbc_hdr *h,
				   const u8 *frame)
{
	struct hbc_handshake *hs = lane->handshake;
	u8 out[HBC_HDR_LEN + HBC_MAC_LEN];
	struct hbc_auth auth;
	int err;

	if (hs->challenged || hbc_wire_get_challenge(frame, h, &hs->challenge) ||
	    hs->challenge.node != lane->peer)
		return -EPROTO;
	if (hbc_handshake_check(lane, HBC_AUTH_ACCEPTOR, hs->challenge.mac)) {
		lane->reason = HBC_REJECT_KEY;
		hbc_event_reject(lane, HBC_REJECT_KEY);
		hbc_schedule_refused(lane, HBC_REJECT_KEY);
		return -EKEYREJECTED;
	}
	err = hbc_handshake_mac(lane, HBC_AUTH_CONNECTOR, auth.mac);
	if (err)
		return err;
	hs->challenged = true;
	return hbc_transmit_now(lane, out, hbc_wire_put_auth(out, &auth));
}

/* The connector has proved itself: only now it gets a schedule. */
static int hbc_handshake_admit(struct hbc_lane *lane)
{
	struct hbc_handshake *hs = lane->handshake;
	struct hbc_schedule *sched;

	mutex_lock(&lane->hn->lock);
	sched = hbc_schedule_get(hs->group, hs->root);
	if (!IS_ERR(sched) && hbc_schedule_crowded(sched)) {
		hbc_schedule_put(sched);
		sched = ERR_PTR(-ENOSPC);
	}
	mutex_unlock(&lane->hn->lock);
	if (IS_ERR(sched))
		return PTR_ERR(sched);
	lane->sched = sched;
	return 0;
}

static int hbc_handshake_auth(struct hbc_lane *lane, const struct hbc_hdr *h, const u8 *frame)
{
	struct hbc_handshake *hs = lane->handshake;
	struct hbc_auth auth;
	u8 out[HBC_HDR_LEN];
	int err;

	if (!hs || !hs->challenged || hbc_wire_get_auth(frame, h, &auth))
		return hbc_handshake_reject(lane, HBC_REJECT_PROTOCOL);
	if (hbc_handshake_check(lane, HBC_AUTH_CONNECTOR, auth.mac))
		return hbc_handshake_reject(lane, HBC_REJECT_KEY);
	if (hs->probe) {
		set_bit(HBC_LANE_PROBE, &lane->flags);
		return -ESHUTDOWN;
	}
	err = hbc_handshake_admit(lane);
	if (err == -ENOSPC)
		return hbc_handshake_reject(lane, HBC_REJECT_BUSY);
	if (err)
		return err;
	err = hbc_transmit_now(lane, out, hbc_wire_put_ready(out));
	if (!err)
		hbc_lane_ready(lane);
	return err;
}

static int hbc_handshake_rejected(struct hbc_lane *lane, const struct hbc_hdr *h,
				  const u8 *frame)
{
	struct hbc_reject reject;

	if (hbc_wire_get_reject(frame, h, &reject))
		return -EPROTO;
	lane->reason = reject.reason;
	lane->stats.rejects++;
	hbc_event_reject(lane, reject.reason);
	hbc_schedule_refused(lane, reject.reason);
	return -EKEYREJECTED;
}

int hbc_handshake_frame(struct hbc_lane *lane, const struct hbc_hdr *h, const u8 *frame)
{
	if (!lane->connector) {
		if (h->type == HBC_FRAME_HELLO)
			return hbc_handshake_hello(lane, h, frame);
		if (h->type == HBC_FRAME_AUTH)
			return hbc_handshake_auth(lane, h, frame);
		return hbc_handshake_reject(lane, HBC_REJECT_PROTOCOL);
	}
	if (!lane->handshake)
		return -EPROTO;
	if (h->type == HBC_FRAME_REJECT)
		return hbc_handshake_rejected(lane, h, frame);
	if (h->type == HBC_FRAME_CHALLENGE)
		return hbc_handshake_challenge(lane, h, frame);
	if (h->type == HBC_FRAME_READY && lane->handshake->challenged) {
		hbc_lane_ready(lane);
		return 0;
	}
	return -EPROTO;
}
