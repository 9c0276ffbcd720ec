// SPDX-License-Identifier: GPL-2.0
/*
 * The receive side of a lane.
 *
 * A turn drains the socket under its lock into a burst without copying, lets go of it, and
 * then gives what came to the owner: the locks of two sockets are never held together.
 */
#include <linux/slab.h>
#include <net/tcp.h>

#include "lane/burst.h"
#include "lane/handshake.h"
#include "lane/lane.h"
#include "lane/rx.h"

#define HBC_RX_TURN	(4 * HBC_BURST_BYTES)	/* read before the owner gets it */

void hbc_rx_init(struct hbc_rx *rx)
{
	rx->head = rx->early;
}

int hbc_rx_ready(struct hbc_rx *rx)
{
	u8 *head = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL);

	if (!head)
		return -ENOMEM;
	rx->head = head;
	rx->run = kcalloc(HBC_RX_RUNS, sizeof(*rx->run), GFP_KERNEL);
	return rx->run ? 0 : -ENOMEM;
}

static void hbc_rx_clear(struct hbc_rx *rx)
{
	while (rx->nr)
		hbc_burst_put(rx->run[--rx->nr].burst);
}

void hbc_rx_reset(struct hbc_rx *rx)
{
	hbc_rx_clear(rx);
	if (rx->burst)
		hbc_burst_put(rx->burst);
	if (rx->head != rx->early)
		kfree(rx->head);
	kfree(rx->run);
	memset(rx, 0, sizeof(*rx));
	hbc_rx_init(rx);
}

/* Another burst with @need free vectors; the half frame at the end of the last one goes over. */
static int hbc_rx_carry(struct hbc_rx *rx, unsigned int need)
{
	struct hbc_burst *b = hbc_burst_carry(rx->burst, rx->whole, need);

	if (!b)
		return -ENOMEM;
	if (rx->burst)
		hbc_burst_put(rx->burst);
	rx->burst = b;
	rx->whole = 0;
	return 0;
}

/**
 * struct hbc_read - one call of the actor: one skb
 * @lane: the lane
 * @rx: its receive side
 * @skb: bytes of the stream
 * @need: vectors that all of @skb takes in a burst, at the most
 * @span: first byte of @skb that belongs to the burst but is not there
 * @span_len: bytes there
 * @area: bytes of @skb that lie together in memory; NULL if they cannot be read in place
 * @area_start: offset in @skb of @area
 * @area_end: and of its end
 * @next_frag: number of the skb's fragment that comes behind @area
 */
struct hbc_read {
	struct hbc_lane *lane;
	struct hbc_rx *rx;
	struct sk_buff *skb;
	unsigned int need;
	unsigned int span;
	unsigned int span_len;
	const u8 *area;
	unsigned int area_start;
	unsigned int area_end;
	unsigned int next_frag;
};

static int hbc_read_flush(struct hbc_read *r)
{
	int err = r->span_len ? hbc_burst_add_skb(r->rx->burst, r->skb, r->span, r->span_len) : 0;

	r->span_len = 0;
	/* Runs have bytes that are not there. */
	if (err)
		hbc_rx_clear(r->rx);
	return err;
}

/* Another burst with room for the skb. */
static int hbc_read_burst(struct hbc_read *r)
{
	/* Short skbs come in numbers; others come alone. */
	unsigned int least = r->skb->len < HBC_BURST_BYTES / 2 ? HBC_BURST_VECTORS : 0;

	return hbc_read_flush(r) ?: hbc_rx_carry(r->rx, max(r->need + 2, least));
}

/* Whether all of the skb has room in the burst at hand. */
static bool hbc_read_fits(const struct hbc_read *r)
{
	const struct hbc_burst *b = r->rx->burst;

	return b && b->nr + r->need + 2 <= b->max && b->len + r->span_len < HBC_BURST_BYTES;
}

/* Bytes of the skb go to the burst; neighbours are added at once. */
static int hbc_read_keep(struct hbc_read *r, unsigned int off, unsigned int len)
{
	int err = 0;

	if (r->span_len && r->span + r->span_len == off) {
		r->span_len += len;
		return 0;
	}
	err = hbc_read_flush(r);
	r->span = off;
	r->span_len = len;
	return err;
}

/* @nr fragments of @frame bytes, the first with @header, end where the burst does. */
static void hbc_read_whole(struct hbc_read *r, const struct hbc_wire_data *header, u32 frame,
			   u32 nr)
{
	struct hbc_rx *rx = r->rx;
	struct hbc_run *run = rx->nr ? &rx->run[rx->nr - 1] : NULL;
	u32 message = be32_to_cpu(header->message), first = be32_to_cpu(header->fragment);

	if (!run || run->burst != rx->burst || run->message != message || run->frame != frame ||
	    run->tag != header->hdr.tag || run->first + run->nr != first ||
	    run->pos + run->nr * frame != rx->whole) {
		run = &rx->run[rx->nr++];
		hbc_burst_get(rx->burst);
		*run = (struct hbc_run) {
			.burst = rx->burst, .pos = rx->whole, .message = message, .first = first,
			.frame = frame, .tag = header->hdr.tag,
		};
	}
	run->nr += nr;
	rx->whole += nr * frame;
	WRITE_ONCE(r->lane->stats.rx_fragments, r->lane->stats.rx_fragments + nr);
}

/* From the next fragment of the skb on, as many as lie together are the area. */
static void hbc_read_advance(struct hbc_read *r)
{
	const struct skb_shared_info *info = skb_shinfo(r->skb);
	const skb_frag_t *frag = &info->frags[r->next_frag];
	const u8 *end;

	r->area = skb_frag_address_safe(frag);
	r->area_start = r->area_end;
	end = r->area;
	do {
		end += skb_frag_size(frag);
		r->area_end += skb_frag_size(frag);
		frag++;
	} while (++r->next_frag < info->nr_frags && r->area && skb_frag_address_safe(frag) == end);
}

/*
 * What lies at @off of the skb, if that is a header in one piece, or NULL; *@len is how many
 * bytes lie there together. Never asked for a lower @off than before.
 */
static const u8 *hbc_read_peek(struct hbc_read *r, unsigned int off, unsigned int *len)
{
	while (off >= r->area_end) {
		if (r->next_frag >= skb_shinfo(r->skb)->nr_frags)
			return NULL;
		hbc_read_advance(r);
	}
	*len = r->area_end - off;
	return r->area && *len >= HBC_DATA_LEN ? r->area + (off - r->area_start) : NULL;
}

/*
 * How many whole fragments at @off follow each other like the first, whose header is @head, with
 * @here bytes that lie together, in @len bytes. Most data comes this way. Not inline, so that what
 * is compared stays in registers.
 */
static noinline u32 hbc_read_alike(struct hbc_read *r, const u8 *head, unsigned int here,
				   unsigned int off, unsigned int len, u32 frame)
{
	u32 next = be32_to_cpu(((const struct hbc_wire_data *)head)->fragment);
	u32 nr, most = len / frame;
	u64 like;	/* what fragments of a message have in common in their headers */

	memcpy(&like, head, sizeof(like));
	for (nr = 1; nr < most; nr++) {
		if (here < frame + HBC_DATA_LEN) {
			head = hbc_read_peek(r, off + nr * frame, &here);
			if (!head)
				break;
		} else {
			head += frame;
			here -= frame;
		}
		if (memcmp(head, &like, sizeof(like)) ||
		    be32_to_cpu(((const struct hbc_wire_data *)head)->fragment) != next + nr)
			break;
	}
	return nr;
}

/* As many whole fragments as are alike: bytes used, 0 if the next frame is not one, or -errno. */
static int hbc_read_fast(struct hbc_read *r, unsigned int off, unsigned int len)
{
	struct hbc_wire_data header;
	struct hbc_hdr h;
	unsigned int here, room;
	const u8 *head;
	u32 nr;
	int err;

	head = hbc_read_peek(r, off, &here);
	if (!head || head[0] != HBC_FRAME_DATA || hbc_wire_get_hdr(head, &h) || h.length > len)
		return 0;
	err = hbc_read_fits(r) ? 0 : hbc_read_burst(r);
	if (err)
		return err;
	memcpy(&header, head, sizeof(header));
	/* TCP joins more in an skb than pieces should keep together. */
	room = HBC_BURST_BYTES - r->rx->burst->len - r->span_len;
	len = min(len, max_t(unsigned int, room, h.length));
	nr = hbc_read_alike(r, head, here, off, len, h.length);
	err = hbc_read_keep(r, off, nr * h.length);
	if (err)
		return err;
	hbc_read_whole(r, &header, h.length, nr);
	return nr * h.length;
}

/* How many first bytes of the frame at hand go to rx->head. */
static u32 hbc_read_want(const struct hbc_rx *rx)
{
	if (rx->have < HBC_HDR_LEN)
		return HBC_HDR_LEN;
	return rx->hdr.type == HBC_FRAME_DATA ? HBC_DATA_LEN : rx->hdr.length;
}

static int hbc_read_hdr(struct hbc_read *r)
{
	struct hbc_rx *rx = r->rx;
	int err = hbc_wire_get_hdr(rx->head, &rx->hdr);

	if (err)
		return err;
	if (rx->hdr.type == HBC_FRAME_DATA)
		return 0;
	return rx->hdr.length > (rx->run ? HBC_CONTROL_MAX : HBC_RX_HEAD) ? -EBADMSG : 0;
}

/* The next bytes of a frame that is not whole in the skb, or of a control frame. */
static int hbc_read_slow(struct hbc_read *r, unsigned int off, unsigned int len)
{
	struct hbc_rx *rx = r->rx;
	bool data = (rx->have ? rx->head[0] : 0) == HBC_FRAME_DATA;
	u32 want = hbc_read_want(rx), n;
	int err = 0;
	u8 type;

	if (!rx->have && !skb_copy_bits(r->skb, off, &type, 1)) {
		data = type == HBC_FRAME_DATA;
		/* Who has not proved who he is gets no memory. */
		if (data && !rx->run)
			return -EPROTO;
		if (data && !hbc_read_fits(r))
			err = hbc_read_burst(r);
	}
	n = min(len, rx->have < want ? want - rx->have : (u32)rx->hdr.length - rx->have);
	if (!err && rx->have < want && skb_copy_bits(r->skb, off, rx->head + rx->have, n))
		err = -EFAULT;
	if (!err && data)
		err = hbc_read_keep(r, off, n);
	rx->have += n;
	if (!err && rx->have == HBC_HDR_LEN)
		err = hbc_read_hdr(r);
	if (err)
		return err;
	if (rx->have < HBC_HDR_LEN || rx->have < rx->hdr.length)
		return n;
	if (data)
		hbc_read_whole(r, (const struct hbc_wire_data *)rx->head, rx->hdr.length, 1);
	else
		rx->control = true;
	rx->have = 0;
	return n;
}

static int hbc_rx_actor(read_descriptor_t *desc, struct sk_buff *skb, unsigned int off, size_t len)
{
	struct hbc_lane *lane = desc->arg.data;
	struct hbc_rx *rx = &lane->rx;
	struct hbc_read r = {
		.lane = lane, .rx = rx, .skb = skb, .need = hbc_burst_need(skb),
		.area = skb->data, .area_end = skb_headlen(skb),
	};
	unsigned int used = 0;
	int n, err = 0;

	/* TCP comes again with the rest of an skb, whatever desc says. */
	if (!desc->count)
		return 0;
	/* A half frame goes on in a burst with room for the skb. */
	if (rx->have && rx->head[0] == HBC_FRAME_DATA && rx->burst->nr + r.need > rx->burst->max)
		err = hbc_read_burst(&r);
	while (!err && desc->count && !rx->control && used < len) {
		n = !rx->have && rx->run ? hbc_read_fast(&r, off + used, len - used) : 0;
		if (!n)
			n = hbc_read_slow(&r, off + used, len - used);
		if (n < 0)
			err = n;
		else
			used += n;
		if (rx->nr == HBC_RX_RUNS || used >= HBC_RX_TURN)
			desc->count = 0;
	}
	n = hbc_read_flush(&r);
	desc->error = err ?: n;
	if (desc->error || rx->control)
		desc->count = 0;
	WRITE_ONCE(lane->stats.rx_bytes, lane->stats.rx_bytes + used);
	return used;
}

static int hbc_rx_ping(struct hbc_lane *lane)
{
	spin_lock_bh(&lane->lock);
	lane->pong = be64_to_cpu(((const struct hbc_wire_ping *)lane->rx.head)->token);
	WRITE_ONCE(lane->ponging, true);
	spin_unlock_bh(&lane->lock);
	hbc_lane_kick(lane);
	return 0;
}

static int hbc_rx_control(struct hbc_lane *lane)
{
	struct hbc_rx *rx = &lane->rx;
	int err;

	rx->control = false;
	err = hbc_wire_check(rx->head, &rx->hdr);
	if (READ_ONCE(lane->state) != HBCAST_LANE_STATE_READY)
		return hbc_handshake_frame(lane, &rx->hdr, err ? NULL : rx->head);
	if (err)
		return err;
	if (rx->hdr.type == HBC_FRAME_PING)
		return hbc_rx_ping(lane);
	if (rx->hdr.type == HBC_FRAME_PONG)
		return 0;
	return hbc_owner_frame(lane, &rx->hdr, rx->head);
}

/* What is whole goes to the owner. */
static int hbc_rx_dispatch(struct hbc_lane *lane)
{
	struct hbc_rx *rx = &lane->rx;
	int err;

	if (!rx->nr)
		return 0;
	if (lane->connector)
		return -EPROTO;
	err = hbc_owner_data(lane, rx->run, rx->nr);
	hbc_rx_clear(rx);
	return err;
}

/* What is not whole stays for the next turn, in a burst of its own. */
static int hbc_rx_part(struct hbc_rx *rx)
{
	if (!rx->burst || !rx->whole)
		return 0;
	if (rx->burst->len > rx->whole)
		return hbc_rx_carry(rx, HBC_BURST_VECTORS);
	hbc_burst_put(rx->burst);
	rx->burst = NULL;
	rx->whole = 0;
	return 0;
}

int hbc_rx_turn(struct hbc_lane *lane, u32 *bytes)
{
	read_descriptor_t desc = { .arg.data = lane, .count = 1 };
	struct sock *sk = lane->sock->sk;
	bool more, closed, urgent;
	int n, err;

	lock_sock(sk);
	n = tcp_read_sock(sk, &desc, hbc_rx_actor);
	more = !skb_queue_empty(&sk->sk_receive_queue);
	urgent = tcp_sk(sk)->urg_data;
	closed = sk->sk_shutdown & RCV_SHUTDOWN || sk->sk_state == TCP_CLOSE;
	release_sock(sk);
	if (n > 0) {
		WRITE_ONCE(lane->last_rx, jiffies);
		*bytes += n;
	}
	err = hbc_rx_part(&lane->rx) ?: hbc_rx_dispatch(lane);
	if (!err)
		err = desc.error ?: min(n, 0);
	/* Who speaks another version is told so. */
	if ((err == -EBADMSG || err == -EPROTONOSUPPORT) &&
	    READ_ONCE(lane->state) != HBCAST_LANE_STATE_READY)
		err = hbc_handshake_frame(lane, &lane->rx.hdr, NULL);
	/* Reading would stop at urgent data for ever; nobody sends any. */
	if (!err && urgent)
		err = -EPROTO;
	if (!err && lane->rx.control)
		err = hbc_rx_control(lane);
	if (err)
		return err;
	if (closed && !more)
		return -(READ_ONCE(sk->sk_err) ?: ESHUTDOWN);
	return more;
}
