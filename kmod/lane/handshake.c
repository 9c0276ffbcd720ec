// SPDX-License-Identifier: GPL-2.0
/*
 * The handshake: HELLO, CHALLENGE, AUTH, READY, or REJECT at any point.
 *
 * The acceptor learns the group from HELLO and proves itself first; nothing is made for the
 * connector before its own proof has been checked.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/handshake.h"
#include "lane/lane.h"
#include "lane/life.h"
#include "lane/tx.h"

/**
 * struct hbc_handshake - what both proofs are made of
 * @hello: HELLO as it was on the wire
 * @challenge: CHALLENGE once it has been made or checked; its node is 0 before
 */
struct hbc_handshake {
	struct hbc_wire_hello hello;
	struct hbc_wire_challenge challenge;
};

void hbc_handshake_free(struct hbc_lane *lane)
{
	kfree_sensitive(lane->handshake);
	lane->handshake = NULL;
}

int hbc_handshake_start(struct hbc_lane *lane)
{
	struct hbc_handshake *hs = kzalloc(sizeof(*hs), GFP_KERNEL);
	struct hbc_wire_hello *hello;

	if (!hs)
		return -ENOMEM;
	hello = &hs->hello;
	hbc_wire_put_hdr(&hello->hdr, HBC_FRAME_HELLO, HBC_WIRE_VERSION, sizeof(*hello));
	hello->group = cpu_to_be32(lane->group->id);
	hello->from = cpu_to_be32(READ_ONCE(lane->hn->id));
	hello->to = cpu_to_be32(lane->peer);
	hello->root = cpu_to_be32(lane->root);
	hello->incarnation = cpu_to_be64(lane->incarnation);
	hello->slot = lane->slot;
	get_random_bytes(hello->nonce, sizeof(hello->nonce));
	lane->handshake = hs;
	return hbc_tx_now(lane, hello, sizeof(*hello));
}

/* Tells the other side why, and ends the lane. */
static int hbc_handshake_reject(struct hbc_lane *lane, u16 reason)
{
	struct hbc_wire_reject reject = { .reason = cpu_to_be16(reason) };

	WRITE_ONCE(lane->stats.rejects, lane->stats.rejects + 1);
	hbc_wire_put_hdr(&reject.hdr, HBC_FRAME_REJECT, 0, sizeof(reject));
	hbc_tx_now(lane, &reject, sizeof(reject));
	return -EKEYREJECTED;
}

/* Who may open a lane for whose plan: enum hbcast_reject_reason. */
static u16 hbc_handshake_judge(struct hbc_lane *lane, const struct hbc_wire_hello *hello)
{
	u32 id = READ_ONCE(lane->hn->id);
	struct hbc_group *group = lane->group;
	bool probe = hello->flags & HBC_HELLO_PROBE;

	if (!group || READ_ONCE(group->gone))
		return HBCAST_REJECT_GROUP;
	if (be32_to_cpu(hello->to) != id)
		return HBCAST_REJECT_NODE;
	/* A node may measure with itself: it is a coordinator's own part. */
	if (!probe && be32_to_cpu(hello->from) == id)
		return HBCAST_REJECT_PROTOCOL;
	if (probe && !READ_ONCE(group->config.probe))
		return HBCAST_REJECT_POLICY;
	if (!hbc_group_is_member(group, be32_to_cpu(hello->from)) ||
	    !hbc_group_is_member(group, be32_to_cpu(hello->root)))
		return HBCAST_REJECT_MEMBER;
	return HBCAST_REJECT_NONE;
}

static int hbc_handshake_hello(struct hbc_lane *lane, const struct hbc_wire_hello *hello)
{
	struct hbc_group *group = hbc_group_get(lane->hn, be32_to_cpu(hello->group));
	struct hbc_wire_challenge *challenge;
	struct hbc_handshake *hs;
	u16 reason;

	/* Who removes it, or changes its members, finds the lane from now on. */
	spin_lock(&lane->hn->lanes_lock);
	WRITE_ONCE(lane->group, group);
	WRITE_ONCE(lane->peer, be32_to_cpu(hello->from));
	spin_unlock(&lane->hn->lanes_lock);
	reason = hbc_handshake_judge(lane, hello);
	if (reason)
		return hbc_handshake_reject(lane, reason);
	hs = kzalloc(sizeof(*hs), GFP_KERNEL);
	if (!hs)
		return -ENOMEM;
	lane->handshake = hs;
	lane->slot = hello->slot;
	WRITE_ONCE(lane->root, be32_to_cpu(hello->root));
	lane->incarnation = be64_to_cpu(hello->incarnation);
	hs->hello = *hello;
	challenge = &hs->challenge;
	hbc_wire_put_hdr(&challenge->hdr, HBC_FRAME_CHALLENGE, 0, sizeof(*challenge));
	challenge->node = hello->to;
	get_random_bytes(challenge->nonce, sizeof(challenge->nonce));
	return hbc_group_prove(group, HBC_AUTH_ACCEPTOR, &hs->hello, challenge, challenge->mac) ?:
	       hbc_tx_now(lane, challenge, sizeof(*challenge));
}

/* The other side, or this one, does not accept the other: enum hbcast_reject_reason. */
static int hbc_handshake_refused(struct hbc_lane *lane, u16 reason)
{
	struct hbc_event e;

	WRITE_ONCE(lane->reason, reason);
	if (hbc_lane_event(&e, lane, HBCAST_EVENT_LANE_REFUSED)) {
		hbc_event_u32(&e, HBCAST_A_EVENT_REJECT, reason);
		hbc_event_send(&e);
	}
	hbc_owner_refused(lane, reason);
	return -EKEYREJECTED;
}

static int hbc_handshake_challenge(struct hbc_lane *lane, const struct hbc_wire_challenge *w)
{
	struct hbc_handshake *hs = lane->handshake;
	struct hbc_wire_auth auth;
	int err;

	if (hs->challenge.node || be32_to_cpu(w->node) != lane->peer)
		return -EPROTO;
	if (hbc_group_verify(lane->group, HBC_AUTH_ACCEPTOR, &hs->hello, w, w->mac))
		return hbc_handshake_refused(lane, HBCAST_REJECT_KEY);
	hbc_wire_put_hdr(&auth.hdr, HBC_FRAME_AUTH, 0, sizeof(auth));
	err = hbc_group_prove(lane->group, HBC_AUTH_CONNECTOR, &hs->hello, w, auth.mac);
	if (err)
		return err;
	hs->challenge = *w;
	return hbc_tx_now(lane, &auth, sizeof(auth));
}

/* The connector has proved itself: only now its lane gets an owner. */
static int hbc_handshake_auth(struct hbc_lane *lane, const struct hbc_wire_auth *w)
{
	struct hbc_handshake *hs = lane->handshake;
	struct hbc_wire_hdr ready;
	int err;

	if (!hs)
		return hbc_handshake_reject(lane, HBCAST_REJECT_PROTOCOL);
	if (hbc_group_verify(lane->group, HBC_AUTH_CONNECTOR, &hs->hello, &hs->challenge, w->mac))
		return hbc_handshake_reject(lane, HBCAST_REJECT_KEY);
	if (hs->hello.flags & HBC_HELLO_PROBE) {
		set_bit(HBC_LANE_PROBE, &lane->flags);
		return -ESHUTDOWN;
	}
	err = hbc_owner_admit(lane);
	if (err > 0)
		return hbc_handshake_reject(lane, err);
	if (err)
		return err;
	err = hbc_tx_now(lane, &ready, hbc_wire_put_hdr(&ready, HBC_FRAME_READY, 0, HBC_HDR_LEN));
	if (!err)
		hbc_life_ready(lane);
	return err;
}

int hbc_handshake_frame(struct hbc_lane *lane, const struct hbc_hdr *h, const void *frame)
{
	const struct hbc_wire_reject *reject = frame;

	if (!lane->connector) {
		if (frame && h->type == HBC_FRAME_HELLO && !lane->group)
			return hbc_handshake_hello(lane, frame);
		if (frame && h->type == HBC_FRAME_AUTH)
			return hbc_handshake_auth(lane, frame);
		return hbc_handshake_reject(lane, HBCAST_REJECT_PROTOCOL);
	}
	if (!frame || !lane->handshake)
		return -EPROTO;
	switch (h->type) {
	case HBC_FRAME_REJECT:
		WRITE_ONCE(lane->stats.rejects, lane->stats.rejects + 1);
		return hbc_handshake_refused(lane, be16_to_cpu(reject->reason));
	case HBC_FRAME_CHALLENGE:
		return hbc_handshake_challenge(lane, frame);
	case HBC_FRAME_READY:
		if (!lane->handshake->challenge.node)
			return -EPROTO;
		hbc_life_ready(lane);
		return 0;
	default:
		return -EPROTO;
	}
}
