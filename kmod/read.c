// SPDX-License-Identifier: GPL-2.0
/* Reading: bytes off a lane's socket to bursts of whole frames. */
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "burst.h"
#include "cursor.h"
#include "group.h"
#include "lane.h"
#include "message.h"
#include "read.h"
#include "receive.h"
#include "schedule.h"
#include "shortcut.h"

#define HBC_TAIL_VECTORS	256	/* a half frame in more pieces is copied together */

struct hbc_inflow *hbc_read_last(struct hbc_receive *rx)
{
	return rx->nr ? &rx->inflow[rx->nr - 1] : NULL;
}

/* A half frame in very many pieces: one copy, so that its vectors stay bounded. */
static struct hbc_burst *hbc_read_compact(struct hbc_burst *b, u32 pos, unsigned int need)
{
	u32 len = b->len - pos;
	struct hbc_burst *to = hbc_burst_alloc(need + len / PAGE_SIZE + 1, GFP_KERNEL);
	u8 *page = kmalloc(PAGE_SIZE, GFP_KERNEL);
	int err = to && page ? 0 : -ENOMEM;
	struct hbc_cursor from;

	hbc_cursor_init(&from, b, pos);
	while (len && !err) {
		u32 n = min_t(u32, len, PAGE_SIZE);

		hbc_cursor_read(&from, page, n);
		err = hbc_burst_add_copy(to, page, n, GFP_KERNEL);
		len -= n;
	}
	kfree(page);
	if (err && to) {
		hbc_burst_put(to);
		to = NULL;
	}
	if (to)
		hbc_burst_trim(b, b->len - to->len);
	return to;
}

struct hbc_burst *hbc_read_carry(struct hbc_burst *b, u32 pos, unsigned int need)
{
	unsigned int tail = b && b->len > pos ? b->nr : 0;
	struct hbc_burst *to;

	if (tail > HBC_TAIL_VECTORS)
		return hbc_read_compact(b, pos, need);
	to = hbc_burst_alloc(need + tail, GFP_KERNEL);
	if (to && tail && hbc_burst_split(b, pos, to)) {
		hbc_burst_put(to);
		to = NULL;
	}
	return to;
}

/*
 * Starts another burst with room for @need vectors; the half frame at the end
 * of the last one goes over. A frame begins only while less than HBC_INFLOWS
 * are in use, and takes two more at the most. Return: 0 or -ENOMEM.
 */
static int hbc_read_burst(struct hbc_receive *rx, unsigned int need)
{
	struct hbc_inflow *last = hbc_read_last(rx);
	struct hbc_burst *b;

	b = hbc_read_carry(last ? last->burst : NULL, rx->whole, need);
	if (!b)
		return -ENOMEM;
	if (last && !rx->whole) {
		/* Nothing but the half frame was in it. */
		hbc_burst_put(last->burst);
		last->burst = b;
		return 0;
	}
	if (WARN_ON_ONCE(rx->nr == HBC_INFLOWS + 2)) {
		hbc_burst_put(b);
		return -EPROTO;
	}
	rx->inflow[rx->nr].burst = b;
	rx->inflow[rx->nr].ahead = rx->sent;
	rx->inflow[rx->nr].used = rx->frag.used;
	rx->inflow[rx->nr].repair = rx->hdr.flags & HBC_FRAGMENT_REPAIR;
	if (rx->tree) {
		rx->inflow[rx->nr].tree = rx->tree;
		refcount_inc(&rx->tree->ref);
	}
	rx->nr++;
	rx->whole = 0;
	return 0;
}

/**
 * struct hbc_read - one call of the actor: one skb
 * @lane: the lane
 * @rx: its receive side
 * @skb: bytes of the stream
 * @need: vectors that all of @skb takes in a burst, at the most
 * @span: first byte of @skb that belongs to the last burst but is not there
 * @span_len: bytes there
 * @frame: offset in @skb of the frame at hand, -1 if it began before
 * @ask: bytes of @skb until the first of them is in a burst, then 0
 * @area: bytes of @skb that lie together in memory; NULL if they cannot be read
 *	in place
 * @area_start: offset in @skb of @area
 * @area_end: and of its end
 * @next_frag: number of the skb's fragment that comes behind @area
 */
struct hbc_read {
	struct hbc_lane *lane;
	struct hbc_receive *rx;
	struct sk_buff *skb;
	unsigned int need;
	unsigned int span;
	unsigned int span_len;
	int frame;
	u32 ask;
	const u8 *area;
	unsigned int area_start;
	unsigned int area_end;
	unsigned int next_frag;
};

/*
 * The last burst does not have all of what its runs tell of: it goes nowhere.
 * The lane ends, and with it all its messages that are not whole.
 */
static void hbc_read_spoil(struct hbc_receive *rx)
{
	hbc_inflow_clear(&rx->inflow[--rx->nr]);
	rx->whole = rx->nr ? hbc_read_last(rx)->burst->len : 0;
	rx->placed = false;
}

static int hbc_read_flush(struct hbc_read *r)
{
	unsigned int len = r->span_len;
	int err;

	if (!len)
		return 0;
	r->span_len = 0;
	err = hbc_burst_add_skb(hbc_read_last(r->rx)->burst, r->skb, r->span, len);
	if (err)
		hbc_read_spoil(r->rx);
	return err;
}

/* Bytes of the skb that go to the last burst; neighbours are added at once. */
static int hbc_read_keep(struct hbc_read *r, unsigned int off, unsigned int len)
{
	int err;

	r->ask = 0;
	if (r->span_len && r->span + r->span_len == off) {
		r->span_len += len;
		return 0;
	}
	err = hbc_read_flush(r);
	if (err)
		return err;
	r->span = off;
	r->span_len = len;
	return 0;
}

/* Where whole messages are handed on, each has bursts of its own. */
static bool hbc_read_parts(const struct hbc_receive *rx, const struct hbc_inflow *in)
{
	return hbc_tree_whole(in->tree) && in->nr_runs &&
	       in->run[in->nr_runs - 1].message != rx->message;
}

/*
 * Whether the fragment at hand, or one like the last, may go on in the last
 * burst. A skb that it cannot take whole begins another one: what came
 * together goes on together.
 */
static bool hbc_read_fits(const struct hbc_read *r)
{
	const struct hbc_inflow *in = hbc_read_last(r->rx);
	const struct hbc_receive *rx = r->rx;

	if (!in)
		return false;
	if (in->tree != rx->tree || in->ahead != rx->sent || in->used != rx->frag.used ||
	    in->repair != !!(rx->hdr.flags & HBC_FRAGMENT_REPAIR) ||
	    in->burst->nr + r->need + 2 > in->burst->max)
		return false;
	if (in->burst->len + r->span_len + max(rx->hdr.length, r->ask) > HBC_BURST_BYTES)
		return false;
	return in->nr_runs < HBC_RUNS && !hbc_read_parts(rx, in);
}

/* Short skbs come in numbers; others come alone. */
static unsigned int hbc_read_vectors(const struct hbc_read *r)
{
	unsigned int least = r->skb->len < HBC_BURST_BYTES / 2 ? HBC_BURST_VECTORS : 0;

	return max(r->need + 2, least);
}

static int hbc_read_next(struct hbc_read *r)
{
	return hbc_read_flush(r) ?: hbc_read_burst(r->rx, hbc_read_vectors(r));
}

/* Finds a burst for the fragment at hand: 0 or -errno. */
static int hbc_read_place(struct hbc_read *r)
{
	struct hbc_receive *rx = r->rx;
	int err;

	if (!hbc_read_fits(r)) {
		err = hbc_read_next(r);
		if (err)
			return err;
	}
	rx->placed = true;
	if (r->frame >= 0)
		return hbc_read_keep(r, r->frame, HBC_FRAGMENT_LEN);
	err = hbc_read_flush(r);
	return err ?: hbc_burst_add_copy(hbc_read_last(rx)->burst, rx->head,
					 HBC_FRAGMENT_LEN, GFP_KERNEL);
}

/* An end, not by who has the say: whose child this node has not been for a while, perhaps. */
static bool hbc_read_stray(const struct hbc_read *r)
{
	return r->rx->hdr.flags & HBC_FRAGMENT_ABORT &&
	       READ_ONCE(r->rx->tree->from) != r->lane;
}

/* What becomes of the fragment whose header has come: 0 or why the lane ends. */
static int hbc_read_judge(struct hbc_read *r)
{
	struct hbc_schedule *sched = r->lane->sched;
	struct hbc_receive *rx = r->rx;
	int err;

	err = hbc_wire_get_fragment(rx->head, &rx->hdr, &rx->frag);
	if (err || rx->hdr.slot != r->lane->slot)
		return -EBADMSG;
	if (!rx->tree || rx->tree->epoch != rx->frag.epoch || READ_ONCE(rx->tree->gone)) {
		if (rx->tree)
			hbc_tree_put(rx->tree);
		rx->tree = hbc_tree_get(sched, rx->frag.epoch, rx->hdr.slot);
	}
	rx->skip = !rx->tree || hbc_read_stray(r);
	if (rx->skip) {
		hbc_group_drop(sched->group, rx->tree ? HBC_DROP_STALE : HBC_DROP_NO_TREE);
	} else {
		err = hbc_message_fragment(r->lane, &rx->hdr, &rx->frag, &rx->message);
		if (err)
			return err;
	}
	rx->sent = rx->tree == rx->ahead_tree ? rx->ahead : 0;
	hbc_shortcut_reset(rx);
	rx->left = rx->hdr.length - HBC_FRAGMENT_LEN;
	rx->judged = true;
	r->lane->stats.rx_fragments++;
	return 0;
}

/* Whether fragments like the one at hand, the first at @offset, go on the run. */
static bool hbc_read_runs_on(const struct hbc_receive *rx, const struct hbc_run *run, u64 offset)
{
	return run->message == rx->message && !run->end && !(run->len % run->frame) &&
	       run->offset + run->bytes == offset && run->pos + run->len == rx->whole &&
	       rx->hdr.length <= run->frame;
}

/* The run that takes fragments like the one at hand, the first at @offset of its message. */
static struct hbc_run *hbc_read_run(struct hbc_receive *rx, u64 offset)
{
	struct hbc_inflow *in = hbc_read_last(rx);
	struct hbc_run *run = in->nr_runs ? &in->run[in->nr_runs - 1] : NULL;

	if (run && hbc_read_runs_on(rx, run, offset))
		return run;
	run = &in->run[in->nr_runs++];
	hbc_message_get(rx->message);
	run->message = rx->message;
	run->id = rx->message->id;
	run->pos = rx->whole;
	run->len = 0;
	run->offset = offset;
	run->bytes = 0;
	run->frame = rx->hdr.length;
	run->end = 0;
	return run;
}

/* The last byte of a fragment that is kept has come. */
static void hbc_read_whole(struct hbc_read *r)
{
	struct hbc_receive *rx = r->rx;
	u32 bytes = rx->hdr.length - HBC_FRAGMENT_LEN;
	struct hbc_run *run = NULL;

	if (rx->message)
		run = hbc_read_run(rx, rx->frag.offset);
	if (run && rx->frag.reason) {
		run->end = rx->frag.reason;
	} else if (run) {
		run->len += rx->hdr.length;
		run->bytes += bytes;
	}
	rx->next = rx->frag.offset + bytes;
	rx->whole = hbc_read_last(rx)->burst->len + r->span_len;
}

/* The next bytes of a fragment: how many were used, 0 to stop, or -errno. */
static int hbc_read_payload(struct hbc_read *r, unsigned int off, unsigned int len)
{
	struct hbc_receive *rx = r->rx;
	unsigned int n = min(len, rx->left);
	int err;

	if (n && !rx->skip) {
		err = hbc_read_keep(r, off, n);
		if (err)
			return err;
	}
	rx->left -= n;
	if (rx->left)
		return n;
	if (!rx->skip)
		hbc_read_whole(r);
	rx->alike = !rx->skip && !rx->hdr.flags && rx->hdr.length > HBC_FRAGMENT_LEN;
	rx->have = 0;
	rx->judged = false;
	rx->placed = false;
	r->frame = off + n;
	return n;
}

/* How many first bytes of the frame at hand go to rx->head. */
static u32 hbc_read_want(const struct hbc_receive *rx)
{
	if (rx->have < HBC_HDR_LEN)
		return HBC_HDR_LEN;
	return rx->hdr.type == HBC_FRAME_FRAGMENT ? HBC_FRAGMENT_LEN : rx->hdr.length;
}

/* Gathers the frame's first bytes: how many were used, or -errno. */
static int hbc_read_head(struct hbc_read *r, unsigned int off, unsigned int len)
{
	struct hbc_receive *rx = r->rx;
	unsigned int n = min(len, hbc_read_want(rx) - rx->have);
	int err;

	rx->alike = false;
	if (skb_copy_bits(r->skb, off, rx->head + rx->have, n))
		return -EFAULT;
	rx->have += n;
	if (rx->have == HBC_HDR_LEN && n) {
		err = hbc_wire_get_hdr(rx->head, &rx->hdr);
		if (err)
			return err;
	}
	rx->control = rx->have >= HBC_HDR_LEN && rx->hdr.type != HBC_FRAME_FRAGMENT &&
		      rx->have == rx->hdr.length;
	return n;
}

static bool hbc_read_takes_fragments(const struct hbc_lane *lane)
{
	return !lane->connector && READ_ONCE(lane->state) == HBC_LANE_READY;
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
 * What lies at @off of the skb, if that is a fragment's header in one piece, or
 * NULL; *@len is how many bytes lie there together. Never asked for a lower
 * @off than before: the walk goes on where it was.
 */
static const u8 *hbc_read_peek(struct hbc_read *r, unsigned int off, unsigned int *len)
{
	while (off >= r->area_end) {
		if (r->next_frag >= skb_shinfo(r->skb)->nr_frags)
			return NULL;
		hbc_read_advance(r);
	}
	*len = r->area_end - off;
	return r->area && *len >= HBC_FRAGMENT_LEN ? r->area + (off - r->area_start) : NULL;
}

/*
 * How many fragments at @head, @max at the most, follow each other like the one
 * before them, the first from @next of the message on. @len bytes, the first
 * header at least, can be read. Not inline, so that all that a header is
 * compared with stays in registers.
 */
static noinline unsigned int hbc_read_alike(const struct hbc_receive *rx, const u8 *head,
					    unsigned int len, u64 next, unsigned int max)
{
	const struct hbc_wire_words like = *(const struct hbc_wire_words *)rx->head;
	u32 frame = rx->hdr.length, bytes = frame - HBC_FRAGMENT_LEN;
	unsigned int nr = 0;

	max = min(max, (len - HBC_FRAGMENT_LEN) / frame + 1);
	while (nr < max && hbc_wire_continues(head, &like, next)) {
		next += bytes;
		head += frame;
		nr++;
	}
	return nr;
}

/*
 * How many fragments at @off go on where the last one ended, @max at the most.
 */
static unsigned int hbc_read_count(struct hbc_read *r, unsigned int off, unsigned int max)
{
	u32 frame = r->rx->hdr.length, bytes = frame - HBC_FRAGMENT_LEN;
	u64 next = r->rx->next;
	unsigned int nr = 0, n, len;
	const u8 *head;

	do {
		head = hbc_read_peek(r, off + nr * frame, &len);
		n = head ? hbc_read_alike(r->rx, head, len, next + (u64)nr * bytes, max - nr) : 0;
		nr += n;
	} while (n && nr < max);
	return nr;
}

/*
 * As many whole fragments as go on where the last one ended; never the
 * message's last. Most fragments come this way, so it is short: how many bytes
 * were used, -EAGAIN without a burst for them, or another -errno.
 */
static int hbc_read_fast(struct hbc_read *r, unsigned int off, unsigned int len)
{
	struct hbc_receive *rx = r->rx;
	u32 frame = rx->hdr.length, bytes = frame - HBC_FRAGMENT_LEN;
	u64 left = rx->frag.total - rx->next;
	unsigned int room = HBC_BURST_BYTES, nr;
	bool fits = hbc_read_fits(r);
	int err;

	if (fits)
		room -= hbc_read_last(rx)->burst->len + r->span_len;
	if (len < frame || room < frame || left <= bytes)
		return 0;
	nr = hbc_read_count(r, off, min(min(len, room) / frame,
					(u32)min_t(u64, left - 1, U32_MAX) / bytes));
	if (!nr)
		return 0;
	if (!fits && rx->nr >= HBC_INFLOWS)
		return -EAGAIN;
	err = fits ? 0 : hbc_read_next(r);
	if (!err)
		err = hbc_read_keep(r, off, nr * frame);
	if (err)
		return err;
	if (rx->message) {
		struct hbc_run *run = hbc_read_run(rx, rx->next);

		run->len += nr * frame;
		run->bytes += nr * bytes;
	}
	rx->next += (u64)nr * bytes;
	rx->whole = hbc_read_last(rx)->burst->len + r->span_len;
	r->lane->stats.rx_fragments += nr;
	r->frame = off + nr * frame;
	return nr * frame;
}

/* One step through the stream: bytes used, -EAGAIN to stop here, or -errno. */
static int hbc_read_step(struct hbc_read *r, unsigned int off, unsigned int len)
{
	struct hbc_receive *rx = r->rx;
	int err;

	if (!rx->have && rx->alike && !READ_ONCE(rx->tree->gone)) {
		err = hbc_read_fast(r, off, len);
		if (err)
			return err;
	}
	if (!rx->have && rx->nr >= HBC_INFLOWS)
		return -EAGAIN;
	if (rx->have < hbc_read_want(rx))
		return hbc_read_head(r, off, len);
	if (!hbc_read_takes_fragments(r->lane))
		return -EPROTO;
	if (!rx->judged) {
		err = hbc_read_judge(r);
		if (err)
			return err;
	}
	if (!rx->skip && !rx->placed) {
		err = hbc_read_place(r);
		if (err)
			return err;
	}
	return hbc_read_payload(r, off, len);
}

/* A fragment's header is there and needs no more bytes to go on. */
static bool hbc_read_pending(const struct hbc_receive *rx)
{
	return rx->have == HBC_FRAGMENT_LEN && rx->hdr.type == HBC_FRAME_FRAGMENT &&
	       (!rx->judged || !rx->left);
}

/* Before the first byte of a skb that goes on with a half fragment. */
static int hbc_read_begin(struct hbc_read *r)
{
	const struct hbc_inflow *last = hbc_read_last(r->rx);

	if (r->rx->placed && last->burst->nr + r->need > last->burst->max)
		return hbc_read_burst(r->rx, hbc_read_vectors(r));
	return 0;
}

int hbc_read_actor(read_descriptor_t *desc, struct sk_buff *skb, unsigned int off, size_t len)
{
	struct hbc_lane *lane = desc->arg.data;
	struct hbc_receive *rx = &lane->rx;
	struct hbc_read r = {
		.lane = lane,
		.rx = rx,
		.skb = skb,
		.need = hbc_burst_need(skb),
		.frame = rx->have ? -1 : off,
		.ask = rx->have ? 0 : len,
		.area = skb->data,
		.area_end = skb_headlen(skb),
	};
	unsigned int used = 0;
	int n, err;

	if (!desc->count)
		return 0;
	err = hbc_read_begin(&r);
	while (!err && !rx->control && (used < len || hbc_read_pending(rx))) {
		n = hbc_read_step(&r, off + used, len - used);
		if (n < 0)
			err = n;
		else
			used += n;
	}
	/* What came before an error is accounted for, so it must be in the burst. */
	n = hbc_read_flush(&r);
	/* No other skb may come and clear the error. */
	if (err || n || rx->control)
		desc->count = 0;
	if (err == -EAGAIN)
		err = 0;
	desc->error = err ?: n;
	lane->stats.rx_bytes += used;
	return used;
}
