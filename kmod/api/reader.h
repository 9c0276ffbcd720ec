/* SPDX-License-Identifier: GPL-2.0 */
/* The reader: recvmsg() on a receiving socket. */
#ifndef _HBC_READER_H
#define _HBC_READER_H

#include <linux/types.h>

struct hbc_file;
struct hbc_sock;
struct hbcast_sink;
struct msghdr;

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
 * @file: for the next message; takes over the reference; NULL: it is about the one that @s names
 * @s: what the message is, and how far, is set
 * @nonblock: do not wait
 *
 * Context: process, the socket's lock held; it is released while waiting.
 * Return: 0 when all is in the file, or what HBCIOCRECVFILE says.
 */
int hbc_reader_take(struct hbc_sock *hs, struct hbc_file *file, struct hbcast_sink *s,
		    bool nonblock);

/* Bytes from which on a socket counts as readable, though its message is not all there. */
size_t hbc_reader_least(const struct hbc_sock *hs);

#endif /* _HBC_READER_H */
