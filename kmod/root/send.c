// SPDX-License-Identifier: GPL-2.0
/* Sending: what a socket gives becomes a message of the session. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "config/group.h"
#include "lane/burst.h"
#include "root/origin.h"
#include "root/sent.h"
#include "root/source.h"
#include "session/message.h"
#include "session/session.h"
#include "store/cut.h"
#include "store/file.h"
#include "store/give.h"

static int hbc_send_lock(struct hbc_source *source, long timeo)
{
	if (!timeo)
		return mutex_trylock(&source->writer) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(&source->writer) ? sock_intr_errno(timeo) : 0;
}

/* A message that is on no list, for the members of the newest plan. */
static struct hbc_message *hbc_send_new(struct hbc_source *source, struct hbc_message_info *info,
					u64 total)
{
	struct hbc_message *m;
	struct hbc_sent *sent;
	int err;

	err = hbc_geometry_set(&info->cut, total, hbc_origin_payload(source->s));
	if (err)
		return ERR_PTR(err);
	info->port = source->port;
	sent = hbc_sent_new(source, total);
	if (IS_ERR(sent))
		return ERR_CAST(sent);
	m = hbc_message_new(source->s, info, false);
	if (!m) {
		hbc_sent_put(sent);
		return ERR_PTR(-ENOMEM);
	}
	m->sent = sent;
	return m;
}

/*
 * It goes on the lists with the next number: 0, -ESTALE if there is a newer plan, or others have
 * taken the room, -errno.
 */
static int hbc_send_accept(struct hbc_source *source, struct hbc_message *m)
{
	struct hbc_origin *origin = source->s->origin;
	struct hbc_session *s = source->s;
	struct hbc_sent *sent = m->sent;
	u64 charge = hbc_message_is_file(m) ? 0 : hbc_source_charge(sent->total);
	int err = 0;

	spin_lock_bh(&s->lock);
	spin_lock(&origin->lock);
	if (s->ended)
		err = -ENODEV;
	else if (origin->epoch != sent->epoch || !hbc_source_room(source, charge))
		err = -ESTALE;
	if (!err) {
		m->store->info.number = s->last + 1;
		err = hbc_message_insert(m);
	}
	if (!err) {
		kref_get(&m->ref);	/* the list's */
		sent->number = s->last;
		sent->accepted = ktime_get_ns();
		kref_get(&m->ref);
		sent->message = m;
		kref_get(&sent->ref);
		list_add_tail(&sent->link, &source->messages);
		sent->charged = charge;
		WRITE_ONCE(source->charged, source->charged + sent->charged);
		WRITE_ONCE(source->nr_messages, source->nr_messages + 1);
		WRITE_ONCE(source->outstanding, source->outstanding + sent->total);
		WRITE_ONCE(source->last, sent->number);
	}
	spin_unlock(&origin->lock);
	spin_unlock_bh(&s->lock);
	return err;
}

/* Short messages. */

/* The payload of a piece goes from the sender's memory to the store: 0 or -errno. */
static int hbc_send_piece(struct hbc_source *source, struct hbc_message *m, u32 piece,
			  struct iov_iter *from)
{
	struct hbc_burst *b = hbc_cut_new(&m->store->info, piece, &source->pages);
	struct hbc_held held;
	struct bio_vec *bv;
	int nr, i, err = 0;

	if (!b)
		return -ENOMEM;
	held = (struct hbc_held) { .burst = b, .len = b->len };
	nr = hbc_cut_payload(&m->store->info, piece, &held, 1, &bv);
	if (nr < 0)
		err = nr;
	for (i = 0; i < nr && !err; i++)
		if (copy_from_iter(page_address(bv[i].bv_page) + bv[i].bv_offset, bv[i].bv_len,
				   from) != bv[i].bv_len)
			err = -EFAULT;
	if (nr >= 0)
		kvfree(bv);
	err = err ?: hbc_store_fill(m->store, piece, b);
	if (err)
		hbc_burst_put(b);
	return err;
}

/* One try: what hbc_send_accept() says. */
static int hbc_send_try(struct hbc_source *source, struct iov_iter *from, size_t len)
{
	struct hbc_message_info info = { .kind = HBC_MESSAGE_SHORT };
	struct hbc_message *m = hbc_send_new(source, &info, len);
	int err = 0;
	u8 slot;
	u32 i;

	if (IS_ERR(m))
		return PTR_ERR(m);
	for (i = 0; i < m->store->nr && !err; i++)
		err = hbc_send_piece(source, m, i, from);
	err = err ?: hbc_send_accept(source, m);
	if (!err) {
		slot = hbc_origin_slot(source->s, len);
		while (hbc_store_give(m->store, slot, false))
			;
		hbc_session_kick(source->s);
	}
	hbc_message_put(m);
	return err;
}

static int hbc_send_checked(struct hbc_source *source, struct msghdr *msg, size_t len, long timeo)
{
	struct iov_iter from = msg->msg_iter;
	int err;

	if (hbc_source_charge(len) > hbc_source_sndbuf(source) ||
	    len > READ_ONCE(source->s->group->config.window))
		return -EMSGSIZE;
	/* Without a plan there is nothing to wait for. */
	if (!READ_ONCE(source->s->origin->epoch))
		return READ_ONCE(source->s->ended) ? -ENODEV : -ENETUNREACH;
	do {
		err = hbc_source_wait_room(source, hbc_source_charge(len), &timeo);
		if (err)
			return err;
		msg->msg_iter = from;
		err = hbc_send_try(source, &msg->msg_iter, len);
	} while (err == -ESTALE);
	return err;
}

ssize_t hbc_source_send(struct hbc_source *source, struct msghdr *msg, size_t len, long timeo)
{
	int err = hbc_send_lock(source, timeo);

	if (err)
		return err;
	err = hbc_send_checked(source, msg, len, timeo);
	mutex_unlock(&source->writer);
	return err ?: len;
}

/* Files. */

/* The file's own name, without a path, as far as it has room. */
static void hbc_send_name(const struct file *file, struct hbc_message_info *info)
{
	struct name_snapshot name;

	take_dentry_name_snapshot(&name, file->f_path.dentry);
	strscpy(info->name, name.name.name, sizeof(info->name));
	release_dentry_name_snapshot(&name);
	/* Files without a directory may be called anything, others may not. */
	strreplace(info->name, '/', '!');
}

static int hbc_send_file_try(struct hbc_source *source, struct hbc_file *file,
			     struct hbcast_file *f)
{
	bool whole = !f->offset && f->length == file->size;
	struct hbc_message_info info = {
		/* Parts of a file have nothing to tell one from another. */
		.kind = HBC_MESSAGE_FILE, .time_ns = whole ? file->changed : 0,
	};
	struct hbc_message *m;
	int err;

	hbc_send_name(file->file, &info);
	m = hbc_send_new(source, &info, f->length);
	if (IS_ERR(m))
		return PTR_ERR(m);
	err = hbc_send_accept(source, m);
	if (!err) {
		f->message = hbc_message_number(m);
		kref_get(&file->ref);
		hbc_store_set_source(m->store, file);
		hbc_session_kick(source->s);
	}
	hbc_message_put(m);
	return err;
}

int hbc_source_send_file(struct hbc_source *source, struct hbcast_file *f, long timeo)
{
	struct hbc_file *file;
	int err;

	if (f->flags)
		return -EINVAL;
	file = hbc_file_new(f->fd, f->offset, f->length, false);
	if (IS_ERR(file))
		return PTR_ERR(file);
	err = hbc_send_lock(source, timeo);
	if (!err) {
		err = READ_ONCE(source->s->origin->epoch) ? -ESTALE : -ENETUNREACH;
		while (err == -ESTALE)
			err = hbc_source_wait_room(source, 0, &timeo) ?:
			      hbc_send_file_try(source, file, f);
		mutex_unlock(&source->writer);
	}
	hbc_file_put(file);
	return err;
}
