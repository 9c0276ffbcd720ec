/* SPDX-License-Identifier: GPL-2.0 */
/* AF_HBCAST: what an application holds. */
#ifndef _HBC_SOCKET_H
#define _HBC_SOCKET_H

#include <linux/hbcast.h>
#include <linux/types.h>
#include <net/sock.h>

#include "session/receiver.h"

struct hbc_file;
struct hbc_source;

/**
 * struct hbc_sock - a socket of the family; freed after an RCU grace period
 * @sk: the kernel's part
 * @r: receiving side
 * @notify: completions go to the error queue, and failed messages are told by
 *	a control message; the socket's lock
 * @source: sending side, a reference; set once by smp_store_release() with the
 *	socket's lock held
 */
struct hbc_sock {
	struct sock sk;		/* the first: sk_alloc() makes the whole */
	struct hbc_receiver r;
	bool notify;
	struct hbc_source *source;
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

/* Options, ioctls and the error queue. Context: process. */
int hbc_socket_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
			  unsigned int len);
int hbc_socket_getsockopt(struct socket *sock, int level, int name, char __user *val,
			  int __user *len);
int hbc_socket_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int hbc_socket_recv_error(struct sock *sk, struct msghdr *msg);

/**
 * hbc_reader_recv() - hand out a message or a part of one
 * @hs: a bound socket
 * @msg: where to; name, control messages and flags are set
 * @len: bytes wanted
 * @flags: MSG_DONTWAIT, MSG_PEEK, MSG_TRUNC
 *
 * Context: process, the socket's lock held; it is released while waiting.
 * Return: bytes (with MSG_TRUNC what is left of the message), or a negative
 * errno: -EAGAIN, what the message ended with, -ENOBUFS after a stall,
 * -ENODEV once when the group was removed, -EFAULT, a signal's.
 */
ssize_t hbc_reader_recv(struct hbc_sock *hs, struct msghdr *msg, size_t len, int flags);

/**
 * hbc_reader_take() - put a message into a file
 * @hs: a bound socket with HBCAST_SINKS
 * @file: for the next message, or the one that @s names; takes over the reference; NULL: it is
 *	about one that has its file, or HBCAST_SINK_LOOK
 * @s: what the message is, and how far, is set
 * @has: of each piece a bit: @file has it already; or NULL
 * @nonblock: do not wait
 *
 * Context: process, the socket's lock held; it is released while waiting.
 * Return: 0 when all is in the file, or what HBCIOCRECVFILE says.
 */
int hbc_reader_take(struct hbc_sock *hs, struct hbc_file *file, struct hbcast_sink *s,
		    const u64 *has, bool nonblock);

/* Bytes from which on a socket counts as readable, though its message is not all there. */
size_t hbc_reader_least(const struct hbc_sock *hs);

/*
 * Registers the family. -EEXIST, with a line in the log, when the number is taken.
 */
int hbc_socket_init(void);
void hbc_socket_exit(void);

#endif /* _HBC_SOCKET_H */
