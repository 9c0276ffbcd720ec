// SPDX-License-Identifier: GPL-2.0
/*
 * Files: what a store's work reads and writes.
 *
 * The work holds the store and its worker alone: a file system that never answers keeps back
 * that message, and with very many of them others of that namespace, but nothing else.
 */
#include <linux/bvec.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hbcast.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <linux/wait_bit.h>

#include "compat/file.h"
#include "config/node.h"
#include "lane/burst.h"
#include "store/cursor.h"
#include "store/cut.h"
#include "store/file.h"
#include "store/sink.h"
#include "store/store.h"

/**
 * struct hbc_files - a namespace's workers for files
 * @ref: the namespace's, and one of each work item that is queued or runs
 * @wq: theirs, 256 at most
 * @free: after the last reference, which work of @wq may have held
 */
struct hbc_files {
	refcount_t ref;
	struct workqueue_struct *wq;
	struct work_struct free;
};

struct workqueue_struct *hbc_slow_wq;
static atomic_t hbc_nr_files; /* of struct hbc_files */

static u64 hbc_file_changed_ns(const struct file *file)
{
	struct timespec64 t = hbc_compat_mtime(file_inode(file));

	return timespec64_to_ns(&t);
}

static int hbc_file_check(const struct file *file, u64 pos, u64 length, bool write)
{
	const struct inode *inode = file_inode(file);

	if (!(file->f_mode & (write ? FMODE_WRITE : FMODE_READ)) ||
	    (write && !(file->f_mode & FMODE_READ)))
		return -EBADF;
	if (!S_ISREG(inode->i_mode) || !file->f_op->read_iter || file->f_flags & O_DIRECT ||
	    (write && (!file->f_op->write_iter || file->f_flags & O_APPEND)))
		return -EINVAL;
	if (pos > LLONG_MAX || length > LLONG_MAX - pos)
		return -EOVERFLOW;
	return !write && pos + length > i_size_read(inode) ? -ENODATA : 0;
}

struct hbc_file *hbc_file_new(int fd, u64 pos, u64 length, bool write)
{
	struct file *file = fget(fd);
	int err = file ? hbc_file_check(file, pos, length, write) : -EBADF;
	struct hbc_file *f = err ? NULL : kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

	if (!f) {
		if (file)
			fput(file);
		return ERR_PTR(err ?: -ENOMEM);
	}
	kref_init(&f->ref);
	f->file = file;
	f->pos = pos;
	f->cred = get_current_cred();
	f->memcg = get_mem_cgroup_from_mm(current->mm);
	f->size = i_size_read(file_inode(file));
	f->changed = hbc_file_changed_ns(file);
	return f;
}

static void hbc_file_free(struct kref *ref)
{
	struct hbc_file *f = container_of(ref, struct hbc_file, ref);

	fput(f->file);
	put_cred(f->cred);
	mem_cgroup_put(f->memcg);
	kfree(f);
}

void hbc_file_put(struct hbc_file *f)
{
	kref_put(&f->ref, hbc_file_free);
}

/* All of @iter, to or from @pos, by the rights of who gave the file: 0 or -errno. */
static int hbc_file_io(struct hbc_file *f, struct iov_iter *iter, loff_t pos, bool write)
{
	struct mem_cgroup *old = set_active_memcg(f->memcg);
	const struct cred *own = override_creds(f->cred);
	struct kiocb kiocb;
	ssize_t n = 0;

	init_sync_kiocb(&kiocb, f->file);
	kiocb.ki_pos = pos;
	if (write)
		file_start_write(f->file);
	while (iov_iter_count(iter)) {
		n = write ? f->file->f_op->write_iter(&kiocb, iter) :
			    f->file->f_op->read_iter(&kiocb, iter);
		if (n <= 0)
			break;
	}
	if (write)
		file_end_write(f->file);
	revert_creds(own);
	set_active_memcg(old);
	if (!iov_iter_count(iter))
		return 0;
	return n < 0 ? n : -ENODATA;
}

/* The payload of a piece between memory and a file: 0 or -errno. */
static int hbc_file_piece(struct hbc_store *store, struct hbc_file *file, u32 piece,
			  const struct hbc_held *held, unsigned int nr, bool write)
{
	const struct hbc_geometry *cut = &store->info.cut;
	u32 f = piece * cut->per_piece;
	u32 bytes = hbc_geometry_bytes(cut, f, hbc_geometry_count(cut, piece));
	struct iov_iter iter;
	struct bio_vec *bv;
	int n, err;

	n = hbc_cut_payload(&store->info, piece, held, nr, &bv);
	if (n < 0)
		return n;
	iov_iter_bvec(&iter, write ? ITER_SOURCE : ITER_DEST, bv, n, bytes);
	err = hbc_file_io(file, &iter, file->pos + hbc_geometry_offset(cut, f), write);
	kvfree(bv);
	return err;
}

/* Reading. */

static int hbc_file_load(struct hbc_store *store, u32 piece, struct hbc_pages *pages)
{
	struct hbc_burst *b = hbc_cut_new(&store->info, piece, pages);
	const struct hbc_file *f = store->file;
	struct hbc_held held;
	u32 sum = 0;
	int err;
	u8 tag;

	if (!b)
		return -ENOMEM;
	held = (struct hbc_held) { .burst = b, .len = b->len };
	err = hbc_file_piece(store, store->file, piece, &held, 1, false);
	/* Whether it is not as it was when it was given. */
	if (!err && store->reads_ahead && (i_size_read(file_inode(f->file)) != f->size ||
					   hbc_file_changed_ns(f->file) != f->changed))
		err = -ESTALE;
	spin_lock_bh(&store->lock);
	tag = store->tag[piece];
	spin_unlock_bh(&store->lock);
	/* Else the header is written when the piece gets its slot. */
	if (!err && (tag != HBC_TAG_NONE || !store->reads_ahead))
		sum = hbc_cut_stamp(&store->info, piece, tag, b);
	/* The file is its owner's, who may have written to it, after it was read first. */
	if (!err && store->sum && tag != HBC_TAG_NONE && !store->sum[piece])
		store->sum[piece] = sum;
	else if (!err && store->sum && tag != HBC_TAG_NONE && sum != store->sum[piece])
		err = -ESTALE;
	spin_lock_bh(&store->lock);
	if (!err && (tag != store->tag[piece] || store->closed)) {
		/* It has got its slot meanwhile, or is of no use any more. */
		hbc_store_want(store, piece);
		err = -ESHUTDOWN;
	}
	err = err ?: hbc_store_put_piece(store, piece, b);
	if (!err)
		hbc_cursors_note(store, piece, false);
	spin_unlock_bh(&store->lock);
	if (err)
		hbc_burst_put(b);
	return err == -ESHUTDOWN ? 0 : err;
}

/* A piece that somebody waits for, or is to be read ahead. store->lock held. */
static bool hbc_file_next_load(struct hbc_store *store, u32 *piece)
{
	u32 ahead = max_t(u32, HBC_FILE_AHEAD / (store->info.cut.payload *
						 store->info.cut.per_piece), 2);

	lockdep_assert_held(&store->lock);
	while (store->nr_load) {
		*piece = find_first_bit(store->load, store->nr);
		__clear_bit(*piece, store->load);
		store->nr_load--;
		if (!hbc_store_piece(store, *piece))
			return true;
	}
	store->ahead = max(store->ahead, store->given);
	if (store->ahead >= store->nr || store->ahead >= store->given + ahead ||
	    !store->reads_ahead)
		return false;
	*piece = store->ahead++;
	return true;
}

/* Writing. */

/* Writes one piece: 1 if it has, 0 if there is none, -errno if the message is of no use. */
static int hbc_file_store(struct hbc_store *store, struct hbc_pages *pages, bool *tell)
{
	struct hbc_write w;
	unsigned int i;
	int err = 0;

	if (!hbc_sink_next(store, &w))
		return 0;
	if (!w.held)
		return hbc_file_load(store, w.piece, pages) ?: 1;
	if (IS_ERR(w.held)) {
		*tell = hbc_sink_wrote(store, &w, PTR_ERR(w.held));
		return 1;
	}
	for (i = 0; i < w.nr && !err; i++)
		if (!hbc_cut_check(&store->info, &w.held[i], &w.sum))
			err = -EBADMSG;
	if (!err)
		*tell = hbc_sink_wrote(store, &w, hbc_file_piece(store, w.sink->file, w.piece,
								 w.held, w.nr, true));
	for (i = 0; i < w.nr; i++)
		hbc_burst_put(w.held[i].burst);
	kfree(w.held);
	return err ?: 1;
}

bool hbc_file_is_stuck(const struct hbc_store *store, unsigned long limit)
{
	/* Pairs with hbc_file_kick(). */
	return smp_load_acquire(&store->working) &&
	       time_after(jiffies, READ_ONCE(store->begun_at) + limit);
}

/* One step: 1 if there may be more, 0 if nothing is to be done, -errno; *@tell: somebody waits. */
static int hbc_file_step(struct hbc_store *store, struct hbc_pages *pages, bool *tell)
{
	int ret = hbc_file_store(store, pages, tell);
	bool load, more;
	u32 piece;

	if (ret < 0)
		return ret;
	spin_lock_bh(&store->lock);
	load = !store->closed && hbc_file_next_load(store, &piece);
	/* What has come since is not forgotten. */
	more = ret || load || hbc_sinks_first(store, &(u32){ 0 });
	WRITE_ONCE(store->working, more);
	spin_unlock_bh(&store->lock);
	if (!load)
		return more;
	*tell = true;
	return hbc_file_load(store, piece, pages) ?: 1;
}

static void hbc_file_failed(struct hbc_store *store, int err)
{
	u8 error = err == -EBADMSG ? HBCAST_REASON_CHECKSUM :
		   err == -ENOMEM ? HBCAST_REASON_NO_MEMORY :
		   err == -ESTALE || (err == -ENODATA && store->reads_ahead) ?
			HBCAST_REASON_CHANGED : HBCAST_REASON_FILE;

	spin_lock_bh(&store->lock);
	WRITE_ONCE(store->error, error);
	store->closed = true;
	WRITE_ONCE(store->working, false);
	spin_unlock_bh(&store->lock);
}

void hbc_file_work(struct work_struct *work)
{
	struct hbc_store *store = container_of(work, struct hbc_store, work);
	struct hbc_files *files = store->files;
	struct hbc_message *owner;
	struct hbc_pages pages = {};
	bool tell;
	int ret;

	do {
		tell = false;
		WRITE_ONCE(store->begun_at, jiffies);
		ret = hbc_file_step(store, &pages, &tell);
		if (ret < 0)
			hbc_file_failed(store, ret);
		rcu_read_lock();
		owner = rcu_dereference(store->owner);
		if (owner)
			hbc_message_filed(owner, ret < 0 || tell);
		rcu_read_unlock();
		cond_resched();
	} while (ret > 0);
	hbc_pages_free(&pages);
	hbc_store_put(store);
	hbc_files_put(files);
}

void hbc_file_kick(struct hbc_store *store)
{
	lockdep_assert_held(&store->lock);
	if (store->working || store->closed)
		return;
	WRITE_ONCE(store->begun_at, jiffies);
	/* Pairs with hbc_file_is_stuck(). */
	smp_store_release(&store->working, true);
	kref_get(&store->ref);
	refcount_inc(&store->files->ref);
	queue_work(store->files->wq, &store->work);
}

/* Workers. */

static void hbc_files_free(struct work_struct *work)
{
	struct hbc_files *files = container_of(work, struct hbc_files, free);

	destroy_workqueue(files->wq);
	kfree(files);
	if (atomic_dec_and_test(&hbc_nr_files))
		wake_up_var(&hbc_nr_files);
}

void hbc_files_put(struct hbc_files *files)
{
	if (files && refcount_dec_and_test(&files->ref))
		queue_work(hbc_slow_wq, &files->free);
}

struct hbc_files *hbc_files_begin(void)
{
	struct hbc_files *files = kzalloc(sizeof(*files), GFP_KERNEL_ACCOUNT);

	if (files)
		files->wq = alloc_workqueue("hbcast_file", WQ_UNBOUND, 0);
	if (!files || !files->wq) {
		kfree(files);
		return NULL;
	}
	refcount_set(&files->ref, 1);
	INIT_WORK(&files->free, hbc_files_free);
	atomic_inc(&hbc_nr_files);
	return files;
}

int hbc_file_init(void)
{
	hbc_slow_wq = alloc_workqueue("hbcast_slow", WQ_UNBOUND, 0);
	return hbc_slow_wq ? 0 : -ENOMEM;
}

void hbc_file_exit(void)
{
	wait_var_event(&hbc_nr_files, !atomic_read(&hbc_nr_files));
	destroy_workqueue(hbc_slow_wq);
}
