/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AF_HBCAST: what an application holds.
 *
 * Lock order of the sending and the receiving side, outermost first:
 *
 *	lock_sock(sk), source->writer
 *	hn->lock
 *	origin->pump
 *	origin->lock, sched->lock, group->socks_lock
 *	hs->queue_lock
 *
 * Functions of message.c and schedule.c are called with none of the spinlocks.
 */
#ifndef _HBC_SOCKET_H
#define _HBC_SOCKET_H

#include <linux/hbcast.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <net/sock.h>

struct hbc_burst;
struct hbc_group;
struct hbc_source;

/**
 * struct hbc_sock - a socket of the family; freed after an RCU grace period
 * @sk: the kernel's part
 * @group: that it is bound to, a reference; set once with the socket's lock
 *	held, as @port and @unordered
 * @group_link: group->socks; group->socks_lock
 * @port: that it is bound to
 * @unordered: pieces are handed out as they come
 * @notify: completions go to the error queue, and failed messages are told by
 *	a control message; the socket's lock
 * @source: sending side, a reference; set once by smp_store_release() with the
 *	socket's lock held
 * @queue_lock: all that follows, and the deliveries' fields; innermost
 * @deliveries: struct hbc_delivery that are linked, in order of their first
 *	fragments
 * @nr_deliveries: their number
 * @charged: truesize of all that is queued
 * @last: burst that was charged last, if pieces of it are queued; only compared
 * @want: bytes that the least demanding of the blocked readers waits for
 * @waiters: blocked readers
 * @denied: some delivery is denied
 * @clocked: @stall is on its way
 * @cut: was cut off, and no reader has been told yet
 * @closed: no new messages
 * @deadline: jiffies when somebody is cut off unless something moves
 * @stall: looks at @deadline while somebody is denied
 */
struct hbc_sock {
	struct sock sk;		/* the first: sk_alloc() makes the whole */
	struct hbc_group *group;
	struct hlist_node group_link;
	u16 port;
	bool unordered;
	bool notify;
	struct hbc_source *source;

	spinlock_t queue_lock;	/* deliveries */
	struct list_head deliveries;
	unsigned int nr_deliveries;
	unsigned int charged;
	const struct hbc_burst *last;
	size_t want;
	unsigned int waiters;
	bool denied;
	bool clocked;
	bool cut;
	bool closed;
	unsigned long deadline;
	struct delayed_work stall;
};

static inline struct hbc_sock *hbc_sk(const struct sock *sk)
{
	return (struct hbc_sock *)sk;
}

/* The sending side without a lock, NULL before connect(). */
static inline struct hbc_source *hbc_socket_source(const struct hbc_sock *hs)
{
	return smp_load_acquire(&hs->source); /* pairs with hbc_socket_connect() */
}

/*
 * Nothing comes (RCV_SHUTDOWN in @how) or goes (SEND_SHUTDOWN) any more: the
 * socket gets ENODEV once. Context: process.
 */
void hbc_socket_hang_up(struct sock *sk, int how);
/* @group is being removed: its receivers hang up. hn->lock held. */
void hbc_socket_group_gone(struct hbc_group *group);

/* Options, ioctls and the error queue. Context: process. */
int hbc_socket_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
			  unsigned int len);
int hbc_socket_getsockopt(struct socket *sock, int level, int name, char __user *val,
			  int __user *len);
int hbc_socket_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int hbc_socket_recv_error(struct sock *sk, struct msghdr *msg);

/*
 * Registers the family; needs hbc_source_init() first. -EEXIST, with a line
 * in the log, when the number is taken.
 */
int hbc_socket_init(void);
void hbc_socket_exit(void);

#endif /* _HBC_SOCKET_H */
