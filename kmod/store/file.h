/* SPDX-License-Identifier: GPL-2.0 */
/* A file that pieces are read from, or written to, by work that holds a store and nothing else. */
#ifndef _HBC_FILE_H
#define _HBC_FILE_H

#include <linux/kref.h>
#include <linux/types.h>

struct cred;
struct file;
struct hbc_store;
struct mem_cgroup;
struct work_struct;

#define HBC_FILE_AHEAD	(512 * 1024)	/* bytes of a root's file that are read ahead */

/**
 * struct hbc_file - where a message's payload lies
 * @ref: references
 * @file: the file, a reference
 * @pos: where in it the message begins
 * @cred: of the process that gave the file, a reference
 * @memcg: of that process, too
 * @size: of the file when it was given, for a root
 * @changed: when it had changed last by then, in ns
 */
struct hbc_file {
	struct kref ref;
	struct file *file;
	loff_t pos;
	const struct cred *cred;
	struct mem_cgroup *memcg;
	u64 size;
	u64 changed;
};

/**
 * hbc_file_new() - a file of the current process
 * @fd: of that process
 * @pos: where the message begins
 * @length: bytes of the message; it is to be read, unless @write
 * @write: it is to be written, and read again
 *
 * Context: process. Return: with a reference; ERR_PTR: -EBADF, -EINVAL for what is no ordinary
 * file, -EOVERFLOW, -ENODATA for one that is too short, -ENOMEM.
 */
struct hbc_file *hbc_file_new(int fd, u64 pos, u64 length, bool write);
void hbc_file_put(struct hbc_file *f);

/* Whether a piece has been read or written for longer than @limit jiffies. Context: any. */
bool hbc_file_is_stuck(const struct hbc_store *store, unsigned long limit);

/* The work of struct hbc_store. */
void hbc_file_work(struct work_struct *work);
/* It has something to do. store->lock held. */
void hbc_file_kick(struct hbc_store *store);

int hbc_file_init(void);
void hbc_file_exit(void);
/* The queue of what may take long, but waits for no file. */
extern struct workqueue_struct *hbc_slow_wq;

#endif /* _HBC_FILE_H */
