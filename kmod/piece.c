// SPDX-License-Identifier: GPL-2.0
/* A piece: fragments of one message in one burst, on their way to a reader. */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>

#include "burst.h"
#include "compat/user.h"
#include "crc.h"
#include "message.h"
#include "piece.h"
#include "wire.h"

struct hbc_piece *hbc_piece_new(struct hbc_burst *burst, u32 pos, u32 len, u64 offset,
				u32 bytes)
{
	struct hbc_piece *p = kmalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	hbc_burst_get(burst);
	p->burst = burst;
	hbc_cursor_init(&p->at, burst, pos);
	p->offset = offset;
	p->left = len;
	p->bytes = bytes;
	p->verified = 0;
	p->truesize = sizeof(*p);
	return p;
}

void hbc_piece_free(struct hbc_piece *p)
{
	hbc_burst_put(p->burst);
	kfree(p);
}

/* Whether @buf is the header of the fragment that comes next. */
static bool hbc_piece_expects(const struct hbc_piece *p, const struct hbc_message *m,
			      struct hbc_piece_model *model, const u8 *buf, struct hbc_hdr *h)
{
	const struct hbc_wire_words *like = (const struct hbc_wire_words *)model->header;
	struct hbc_fragment f;

	if (hbc_wire_get_hdr(buf, h) || h->type != HBC_FRAME_FRAGMENT ||
	    h->flags & ~HBC_FRAGMENT_REPAIR ||
	    h->length > min(p->left, p->bytes + HBC_FRAGMENT_LEN))
		return false;
	if (model->frame && hbc_wire_continues(buf, like, p->offset))
		return true;
	if (hbc_wire_get_fragment(buf, h, &f) || f.message != m->id || f.offset != p->offset ||
	    f.total != m->total || f.port != m->port)
		return false;
	memcpy(model->header, buf, sizeof(model->header));
	model->frame = h->length;
	return true;
}

/* Over the next header, if it and the checksum are right. */
static int hbc_piece_verify(struct hbc_piece *p, const struct hbc_message *m,
			    struct hbc_piece_model *model)
{
	struct hbc_cursor body = p->at, sum = p->at;
	u8 buf[HBC_FRAGMENT_LEN];
	struct hbc_hdr h;
	u32 crc;

	if (p->left < sizeof(buf))
		return -EBADMSG;
	hbc_cursor_read(&body, buf, sizeof(buf));
	if (!hbc_piece_expects(p, m, model, buf, &h))
		return -EBADMSG;
	hbc_cursor_move(&sum, HBC_CRC_AT);
	crc = hbc_cursor_crc(&sum, hbc_crc_seed(&model->seed, buf), h.length - HBC_CRC_AT);
	if (~crc != hbc_wire_get_crc(buf))
		return -EBADMSG;
	p->at = body;
	p->left -= sizeof(buf);
	p->verified = h.length - sizeof(buf);
	return 0;
}

/*
 * Whether the fragment at @head is as long as the model, and its checksum right. All
 * of its header is part of the sum, so it is the one that was looked at when it came;
 * or its sender has put another one there, as he could have done with the payload.
 */
static bool hbc_piece_intact(const struct hbc_piece_model *model, const u8 *head)
{
	return !memcmp(head, model->header, HBC_HDR_LEN) &&
	       ~hbc_crc(model->seed.crc, head + HBC_CRC_AT, model->frame - HBC_CRC_AT) ==
	       hbc_wire_get_crc(head);
}

/* Over @moved bytes of the burst, @copied of which have gone to the user. */
static void hbc_piece_advance(struct hbc_piece *p, u32 moved, u32 copied)
{
	p->left -= moved;
	p->offset += copied;
	p->bytes -= copied;
}

/*
 * As many fragments as lie together and are wanted whole in one place, which is
 * nearly every one. Return: bytes copied; who gets less than he asks for tries the slow way.
 */
static size_t hbc_piece_read_fast(struct hbc_piece *p, const struct hbc_piece_model *model,
				  struct iov_iter *to, size_t len)
{
	u32 frame = model->frame, bytes = frame - HBC_FRAGMENT_LEN, copied = bytes, moved = 0;
	u32 there;
	const u8 *head = hbc_cursor_peek(&p->at, &there);
	void __user *user;
	size_t done = 0;

	there = min(there, p->left);
	len = min_t(size_t, len, p->bytes);
	user = hbc_compat_user_span(to, &len);
	while (there - moved >= frame && len - done >= bytes && copied == bytes &&
	       hbc_piece_intact(model, head + moved)) {
		copied -= hbc_compat_copy_out(user + done, head + moved + HBC_FRAGMENT_LEN, bytes);
		moved += HBC_FRAGMENT_LEN + copied;
		done += copied;
	}
	p->verified = bytes - copied;
	iov_iter_advance(to, done);
	hbc_piece_advance(p, moved, done);
	hbc_cursor_move(&p->at, moved);
	return done;
}

ssize_t hbc_piece_read(struct hbc_piece *p, const struct hbc_message *m,
		       struct hbc_piece_model *model, struct iov_iter *to, size_t len)
{
	size_t done = 0;

	do {
		u32 n, copied;

		if (!p->verified && model->frame) {
			done += hbc_piece_read_fast(p, model, to, len - done);
			if (done == len || !p->bytes)
				break;
		}
		if (!p->verified) {
			int err = hbc_piece_verify(p, m, model);

			if (err)
				return done ?: err;
		}
		n = min_t(size_t, len - done, p->verified);
		copied = hbc_cursor_to_iter(&p->at, to, n);
		p->verified -= copied;
		hbc_piece_advance(p, copied, copied);
		done += copied;
		if (copied < n)
			return done ?: -EFAULT;
	} while (done < len && p->bytes);
	return done;
}
