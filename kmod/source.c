// SPDX-License-Identifier: GPL-2.0
/* A source: the sending side of one socket. */
#include <linux/err.h>
#include <linux/errqueue.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "burst.h"
#include "cut.h"
#include "origin.h"
#include "outgoing.h"
#include "repair.h"
#include "schedule.h"
#include "socket.h"
#include "source.h"
#include "stage.h"

static struct workqueue_struct *hbc_source_wq;

bool hbc_source_work(struct work_struct *work)
{
	return queue_work(hbc_source_wq, work);
}

bool hbc_source_work_after(struct delayed_work *work, unsigned long delay)
{
	return !mod_delayed_work(hbc_source_wq, work, delay);
}

/* References. */

static void hbc_source_free(struct work_struct *work)
{
	struct hbc_source *source = container_of(work, struct hbc_source, free);

	hbc_schedule_put(source->sched);
	mutex_destroy(&source->writer);
	kfree(source);
}

void hbc_source_get(struct hbc_source *source)
{
	kref_get(&source->ref);
}

/* The last one may go in softirq; the rest of the end cannot. */
static void hbc_source_release(struct kref *ref)
{
	struct hbc_source *source = container_of(ref, struct hbc_source, ref);

	hbc_source_work(&source->free);
}

void hbc_source_put(struct hbc_source *source)
{
	kref_put(&source->ref, hbc_source_release);
}

/* The send buffer. */

unsigned int hbc_source_sndbuf(struct hbc_source *source)
{
	const struct sock *sk;
	unsigned int size;

	rcu_read_lock();
	sk = rcu_dereference(source->sk);
	size = sk ? READ_ONCE(sk->sk_sndbuf) : source->sndbuf;
	rcu_read_unlock();
	return size;
}

static bool hbc_source_messages(const struct hbc_source *source)
{
	return READ_ONCE(source->nr_messages) < HBC_SOURCE_MESSAGES;
}

/* Whether the send buffer is not full. */
static bool hbc_source_open(struct hbc_source *source)
{
	return atomic_read(&source->charged) < hbc_source_sndbuf(source);
}

/* Whether a third of it is free, so that going on is worth waking up for. */
static bool hbc_source_room(struct hbc_source *source)
{
	unsigned int size = hbc_source_sndbuf(source);

	return atomic_read(&source->charged) <= size - size / 3;
}

bool hbc_source_writable(struct hbc_source *source)
{
	unsigned int size = hbc_source_sndbuf(source);
	unsigned int need = READ_ONCE(source->need) ?: size / 3;

	return hbc_source_messages(source) && atomic_read(&source->charged) + need <= size;
}

bool hbc_source_poll(struct hbc_source *source)
{
	if (hbc_source_writable(source))
		return true;
	/* Pairs with the barrier of wq_has_sleeper() in hbc_source_tell_room(). */
	smp_store_mb(source->nospace, true);
	if (hbc_source_writable(source))
		return true;
	hbc_repair_press(source);
	return false;
}

void hbc_source_charge(struct hbc_source *source, unsigned int truesize)
{
	atomic_add(truesize, &source->charged);
}

static void hbc_source_tell_writable(struct hbc_source *source)
{
	struct sock *sk;

	if (!READ_ONCE(source->nospace) || !hbc_source_writable(source) ||
	    !xchg(&source->nospace, false))
		return;
	rcu_read_lock();
	sk = rcu_dereference(source->sk);
	if (sk)
		sk->sk_write_space(sk);
	rcu_read_unlock();
}

void hbc_source_tell_room(struct hbc_source *source)
{
	if (wq_has_sleeper(&source->wait) && hbc_source_room(source))
		wake_up(&source->wait);
	hbc_source_tell_writable(source);
	if (READ_ONCE(source->reading) && hbc_source_room(source))
		hbc_source_read_on(source);
}

void hbc_source_uncharge(struct hbc_source *source, unsigned int truesize)
{
	atomic_sub(truesize, &source->charged);
	hbc_source_tell_room(source);
	hbc_source_put(source);
}

/* Waits unless the send buffer is open, and for a @new message until it may be one more. */
static int hbc_source_wait_room(struct hbc_source *source, bool new, long *timeo)
{
	long left;

	if (hbc_source_open(source) && (!new || hbc_source_messages(source)))
		return 0;
	hbc_repair_press(source);
	if (!*timeo)
		return -EAGAIN;
	left = wait_event_interruptible_timeout(source->wait,
						(hbc_source_room(source) &&
						 (!new || hbc_source_messages(source))) ||
						READ_ONCE(source->origin->ended), *timeo);
	if (left < 0)
		return sock_intr_errno(*timeo);
	*timeo = left;
	return left ? 0 : -EAGAIN;
}

/* Messages in memory. */

static int hbc_source_lock(struct hbc_source *source, long timeo)
{
	if (!timeo)
		return mutex_trylock(&source->writer) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(&source->writer) ? sock_intr_errno(timeo) : 0;
}

/* Room for the first burst, or at once for all. */
static int hbc_source_admit(struct hbc_source *source, const struct hbc_outgoing *m, long *timeo)
{
	u64 need = hbc_cut_truesize(&m->cut);
	unsigned int size = hbc_source_sndbuf(source);

	if (*timeo)
		return hbc_source_wait_room(source, true, timeo);
	if (need > size)
		return -EMSGSIZE;
	if (!hbc_source_messages(source) || atomic_read(&source->charged) + need > size) {
		WRITE_ONCE(source->need, need);
		hbc_repair_press(source);
		return -EAGAIN;
	}
	return 0;
}

static void hbc_source_accepted(struct hbc_source *source, const struct hbc_outgoing *m)
{
	WRITE_ONCE(source->need, 0);
	spin_lock(&source->origin->lock);
	source->last = m->cut.message;
	spin_unlock(&source->origin->lock);
}

/* Cuts and sends all of @m. */
static int hbc_source_write(struct hbc_source *source, struct hbc_outgoing *m,
			    struct iov_iter *from, long timeo)
{
	bool wait = timeo;
	int err = 0;

	do {
		if (m->offset && wait)
			err = hbc_source_wait_room(source, false, &timeo);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		if (err || READ_ONCE(m->abort))
			break;
		err = hbc_outgoing_cut(m, m->offset, from, NULL);
		if (err)
			break;
		hbc_origin_pump(source->origin);
		cond_resched();
	} while (m->offset < m->cut.total);
	/* Members that all have failed are the completion's concern. */
	if (!err && READ_ONCE(source->origin->ended))
		err = -ENODEV;
	if (err)
		hbc_outgoing_abort(m, HBCAST_REASON_ABORTED, true);
	return err;
}

ssize_t hbc_source_send(struct hbc_source *source, struct msghdr *msg, size_t len, long timeo)
{
	struct hbc_outgoing *m;
	int err;

	err = hbc_source_lock(source, timeo);
	if (err)
		return err;
	m = hbc_outgoing_new(source, len, NULL, 0);
	err = m ? hbc_outgoing_prepare(m) : -ENOMEM;
	if (!err)
		err = hbc_source_admit(source, m, &timeo);
	if (!err)
		err = hbc_outgoing_accept(m);
	if (!err)
		err = hbc_source_write(source, m, &msg->msg_iter, timeo);
	if (!err)
		hbc_source_accepted(source, m);
	if (m)
		hbc_outgoing_put(m);
	mutex_unlock(&source->writer);
	return err ?: len;
}

/* File-backed messages. */

/*
 * Whether a burst of the file is to be read now; its place is set. One that all its
 * stages are over of has been sent. origin->lock held.
 */
static bool hbc_source_due(struct hbc_outgoing *m, u64 *offset, struct list_head *finished)
{
	u64 number;

	*offset = m->offset;
	if (!m->used || m->offset < m->cut.total)
		return true;
	if (hbc_stage_next(m, &number)) {
		*offset = number * hbc_cut_full(&m->cut);
		return true;
	}
	if (m->whole)
		hbc_outgoing_sent(m, finished);
	return false;
}

/*
 * The file-backed message of which a burst may be read, with references, or
 * NULL. The first of the queue always may have one burst, so that those behind
 * it that fill the buffer cannot keep it back.
 */
static struct hbc_outgoing *hbc_source_next_file(struct hbc_source *source, struct file **file,
						 u64 *offset, struct list_head *finished)
{
	struct hbc_outgoing *m, *tmp, *found = NULL;
	bool room = hbc_source_room(source), tell;

	spin_lock(&source->origin->lock);
	source->reading = false;
	list_for_each_entry_safe(m, tmp, &source->queue, queue_link) {
		bool first = list_is_first(&m->queue_link, &source->queue);

		if (!m->file || m->whole || m->abort)
			continue;
		if (!room && !(first && list_empty(&m->bursts))) {
			source->reading = true;
			break;
		}
		if (!hbc_source_due(m, offset, finished))
			continue;
		hbc_outgoing_get(m);
		*file = get_file(m->file);
		found = m;
		break;
	}
	tell = !found && !list_empty(&source->origin->due);
	spin_unlock(&source->origin->lock);
	/* That a stage is over. */
	if (tell)
		hbc_origin_kick(source->origin);
	return found;
}

static void hbc_source_read(struct work_struct *work)
{
	struct hbc_source *source = container_of(work, struct hbc_source, read);
	struct hbc_outgoing *m;
	LIST_HEAD(finished);
	struct file *file;
	u64 offset;
	int err;

	while (hbc_repair_read(source))
		cond_resched();
	while ((m = hbc_source_next_file(source, &file, &offset, &finished))) {
		err = READ_ONCE(m->member) ? 0 : hbc_outgoing_plan(m);
		if (!err)
			err = hbc_outgoing_cut(m, offset, NULL, file);
		if (err)
			hbc_outgoing_abort(m, HBCAST_REASON_ABORTED, false);
		fput(file);
		hbc_outgoing_put(m);
		hbc_origin_pump(source->origin);
	}
	hbc_outgoing_finish(&finished);
	hbc_source_put(source);
}

bool hbc_source_starved(struct hbc_source *source)
{
	const struct hbc_outgoing *m = list_first_entry_or_null(&source->queue,
								struct hbc_outgoing, queue_link);

	return m && m->file && !m->whole && !m->abort && list_empty(&m->bursts);
}

void hbc_source_read_on(struct hbc_source *source)
{
	hbc_source_get(source);
	if (!hbc_source_work(&source->read))
		hbc_source_put(source);
}

static int hbc_source_check_file(const struct file *file, const struct hbcast_file *f)
{
	const struct inode *inode = file_inode(file);

	if (!(file->f_mode & FMODE_READ))
		return -EBADF;
	if (!file->f_op->read_iter || !(S_ISREG(inode->i_mode) || S_ISBLK(inode->i_mode)))
		return -EINVAL;
	if (f->offset > LLONG_MAX || f->length > LLONG_MAX - f->offset)
		return -EOVERFLOW;
	if (S_ISREG(inode->i_mode) && f->offset + f->length > i_size_read(inode))
		return -ENODATA;
	return 0;
}

static int hbc_source_queue_file(struct hbc_source *source, struct hbc_outgoing *m, long timeo)
{
	struct hbc_tree *tree = hbc_tree_get(source->sched, 0, HBC_SLOT_ALL);
	int err;

	if (!tree)
		return -ENETUNREACH;
	hbc_tree_put(tree);
	err = hbc_source_wait_room(source, true, &timeo);
	if (!err)
		err = hbc_outgoing_accept(m);
	return err;
}

/* With the writer's lock held; takes over the reference on @file. */
static int hbc_source_take_file(struct hbc_source *source, struct file *file,
				struct hbcast_file *f, long timeo)
{
	struct hbc_outgoing *m = hbc_outgoing_new(source, f->length, file, f->offset);
	int err;

	if (!m) {
		fput(file);
		return -ENOMEM;
	}
	err = hbc_source_queue_file(source, m, timeo);
	if (!err) {
		f->message = m->cut.message;
		hbc_source_accepted(source, m);
		hbc_source_read_on(source);
	}
	hbc_outgoing_put(m);
	return err;
}

int hbc_source_send_file(struct hbc_source *source, struct hbcast_file *f, long timeo)
{
	struct file *file;
	int err;

	if (f->flags)
		return -EINVAL;
	file = fget(f->fd);
	if (!file)
		return -EBADF;
	err = hbc_source_check_file(file, f);
	if (!err)
		err = hbc_source_lock(source, timeo);
	if (err) {
		fput(file);
		return err;
	}
	err = hbc_source_take_file(source, file, f, timeo);
	mutex_unlock(&source->writer);
	return err;
}

/* What has become of messages. */

/* Forget what nobody can ask for any more; the last of a closed one goes. */
static void hbc_source_trim(struct hbc_source *source)
{
	struct hbc_origin *origin = source->origin;
	struct hbc_outgoing *m, *tmp;
	bool unlinked = false;
	LIST_HEAD(old);

	spin_lock(&origin->lock);
	list_for_each_entry_safe(m, tmp, &source->done, source_link) {
		if (!source->closed && source->nr_done <= HBC_SOURCE_KEEP &&
		    (source->done_bytes <= HBC_SOURCE_KEEP_BYTES || source->nr_done == 1))
			break;
		list_move_tail(&m->source_link, &old);
		source->nr_done--;
		source->done_bytes -= hbc_outgoing_size(m);
	}
	if (source->closed && list_empty(&source->messages) && !list_empty(&source->link)) {
		list_del_init(&source->link);
		origin->nr_sources--;
		unlinked = true;
	}
	spin_unlock(&origin->lock);
	list_for_each_entry_safe(m, tmp, &old, source_link) {
		list_del_init(&m->source_link);
		hbc_outgoing_put(m);
	}
	if (unlinked)
		hbc_source_put(source);
}

/* With a reference, or NULL. @id 0: the last one. */
static struct hbc_outgoing *hbc_source_find(struct hbc_source *source, u64 id)
{
	struct hbc_outgoing *m, *found = NULL;

	/* Whoever has completed the last one may not have come to it yet. */
	hbc_source_trim(source);
	spin_lock(&source->origin->lock);
	id = id ?: source->last;
	list_for_each_entry(m, &source->messages, source_link)
		if (m->cut.message == id)
			found = m;
	list_for_each_entry(m, &source->done, source_link)
		if (m->cut.message == id)
			found = m;
	if (found)
		hbc_outgoing_get(found);
	spin_unlock(&source->origin->lock);
	return found;
}

int hbc_source_wait(struct hbc_source *source, struct hbcast_wait *w)
{
	long timeo = w->timeout_ms ? msecs_to_jiffies(w->timeout_ms) : MAX_SCHEDULE_TIMEOUT;
	struct hbc_outgoing *m = hbc_source_find(source, w->message);
	long left;
	int err = 0;

	if (!m)
		return -ENOENT;
	left = wait_event_interruptible_timeout(source->wait, READ_ONCE(m->complete), timeo);
	w->message = m->cut.message;
	w->failed = READ_ONCE(m->failed);
	if (left < 0)
		err = sock_intr_errno(timeo);
	else if (!left)
		err = -ETIMEDOUT;
	else if (READ_ONCE(m->abort) && !m->nr)
		err = -ECONNABORTED;
	hbc_outgoing_put(m);
	return err;
}

int hbc_source_completion(struct hbc_source *source, u64 id, u32 max,
			  struct hbcast_completion **c)
{
	struct hbc_outgoing *m = hbc_source_find(source, id);
	int nr = -ENOMEM;

	if (!m)
		return -ENOENT;
	max = min(max, READ_ONCE(m->nr));
	*c = kvzalloc(struct_size(*c, member, max), GFP_KERNEL);
	if (*c) {
		spin_lock(&source->origin->lock);
		hbc_outgoing_describe(m, *c);
		nr = min(max, m->nr);
		if (nr)
			memcpy((*c)->member, m->member, nr * sizeof(m->member[0]));
		spin_unlock(&source->origin->lock);
	}
	hbc_outgoing_put(m);
	return nr;
}

u64 hbc_source_outstanding(struct hbc_source *source)
{
	const struct hbc_outgoing *m;
	u64 bytes = 0;

	spin_lock(&source->origin->lock);
	list_for_each_entry(m, &source->messages, source_link)
		bytes += m->cut.total;
	spin_unlock(&source->origin->lock);
	return bytes;
}

u64 hbc_source_last(struct hbc_source *source)
{
	u64 id;

	spin_lock(&source->origin->lock);
	id = source->last;
	spin_unlock(&source->origin->lock);
	return id;
}

/* The socket, with a reference, or NULL. */
static struct sock *hbc_source_sock(struct hbc_source *source)
{
	struct sock *sk;

	rcu_read_lock();
	sk = rcu_dereference(source->sk);
	if (sk && !refcount_inc_not_zero(&sk->sk_refcnt))
		sk = NULL;
	rcu_read_unlock();
	return sk;
}

/* An entry for the error queue; without memory there is still getsockopt(). */
static void hbc_source_notify(struct sock *sk, const struct hbc_outgoing *m)
{
	struct sk_buff *skb = alloc_skb(sizeof(struct hbcast_completion), GFP_KERNEL);
	struct sock_extended_err *ee;

	if (!skb)
		return;
	hbc_outgoing_describe(m, skb_put(skb, sizeof(struct hbcast_completion)));
	ee = &SKB_EXT_ERR(skb)->ee;
	memset(ee, 0, sizeof(*ee));
	ee->ee_errno = m->failed ? EIO : 0;
	ee->ee_origin = SO_EE_ORIGIN_HBCAST;
	ee->ee_info = m->failed;
	ee->ee_data = (u32)m->cut.message;
	if (sock_queue_err_skb(sk, skb))
		kfree_skb(skb);
}

void hbc_source_completed(struct hbc_source *source, struct hbc_outgoing *m)
{
	struct sock *sk = hbc_source_sock(source);

	if (sk) {
		if (READ_ONCE(hbc_sk(sk)->notify))
			hbc_source_notify(sk, m);
		sock_put(sk);
	}
	hbc_source_trim(source);
	wake_up_all(&source->wait);
	hbc_source_tell_room(source);
}

/* Birth and end. */

struct hbc_source *hbc_source_new(struct hbc_schedule *sched, u16 port, struct sock *sk)
{
	struct hbc_source *source = kzalloc(sizeof(*source), GFP_KERNEL);
	struct hbc_origin *origin = sched->origin;
	bool ended;

	if (!source) {
		hbc_schedule_put(sched);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&source->ref);
	INIT_LIST_HEAD(&source->link);
	source->sched = sched;
	source->origin = origin;
	source->port = port;
	RCU_INIT_POINTER(source->sk, sk);
	init_waitqueue_head(&source->wait);
	mutex_init(&source->writer);
	INIT_LIST_HEAD(&source->messages);
	INIT_LIST_HEAD(&source->queue);
	INIT_LIST_HEAD(&source->done);
	INIT_WORK(&source->read, hbc_source_read);
	INIT_WORK(&source->free, hbc_source_free);
	spin_lock(&origin->lock);
	ended = origin->ended;
	if (!ended) {
		hbc_source_get(source);
		list_add_tail(&source->link, &origin->sources);
		origin->nr_sources++;
	}
	spin_unlock(&origin->lock);
	if (!ended)
		return source;
	hbc_source_put(source);
	return ERR_PTR(-ENODEV);
}

static void hbc_source_abort_all(struct hbc_source *source)
{
	struct hbc_outgoing *m, *found;

	do {
		found = NULL;
		spin_lock(&source->origin->lock);
		list_for_each_entry(m, &source->queue, queue_link)
			if (!m->abort && !m->leaving) {
				found = m;
				hbc_outgoing_get(m);
				break;
			}
		spin_unlock(&source->origin->lock);
		if (found) {
			hbc_outgoing_abort(found, HBCAST_REASON_ABORTED, false);
			hbc_outgoing_put(found);
		}
	} while (found);
}

static bool hbc_source_idle(struct hbc_source *source)
{
	bool idle;

	spin_lock(&source->origin->lock);
	idle = list_empty(&source->messages);
	spin_unlock(&source->origin->lock);
	return idle;
}

void hbc_source_close(struct hbc_source *source, long linger)
{
	struct sock *sk = rcu_dereference_protected(source->sk, true);

	source->sndbuf = sk->sk_sndbuf;
	if (linger > 0)
		wait_event_interruptible_timeout(source->wait, hbc_source_idle(source), linger);
	else if (!linger)
		hbc_source_abort_all(source);
	RCU_INIT_POINTER(source->sk, NULL);
	spin_lock(&source->origin->lock);
	source->closed = true;
	spin_unlock(&source->origin->lock);
	hbc_source_trim(source);
	hbc_source_put(source);
}

void hbc_source_ended(struct hbc_source *source)
{
	struct sock *sk = hbc_source_sock(source);

	wake_up_all(&source->wait);
	if (!sk)
		return;
	hbc_socket_hang_up(sk, SEND_SHUTDOWN);
	sock_put(sk);
}

int hbc_source_init(void)
{
	hbc_source_wq = alloc_workqueue("hbcast_source", WQ_HIGHPRI, 0);
	return hbc_source_wq ? 0 : -ENOMEM;
}

void hbc_source_exit(void)
{
	destroy_workqueue(hbc_source_wq);
}
