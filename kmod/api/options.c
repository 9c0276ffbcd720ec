// SPDX-License-Identifier: GPL-2.0
/* AF_HBCAST: options, ioctls and the error queue. */
#include <linux/err.h>
#include <linux/errqueue.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/sockios.h>
#include <linux/uaccess.h>
#include <net/sock.h>
#include <asm/ioctls.h>

#include "api/socket.h"
#include "root/source.h"
#include "store/file.h"
#include "store/geometry.h"

int hbc_socket_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
			  unsigned int len)
{
	struct hbc_sock *hs = hbc_sk(sock->sk);
	int on, err = 0;

	if (level != SOL_HBCAST)
		return -ENOPROTOOPT;
	if (name != HBCAST_UNORDERED && name != HBCAST_NOTIFY && name != HBCAST_SINKS)
		return -ENOPROTOOPT;
	if (len < sizeof(on))
		return -EINVAL;
	if (copy_from_sockptr(&on, val, sizeof(on)))
		return -EFAULT;
	lock_sock(&hs->sk);
	if (name == HBCAST_NOTIFY) {
		WRITE_ONCE(hs->notify, on);
		if (hs->source)
			WRITE_ONCE(hs->source->notify, on);
	} else if (hs->r.group) {
		err = -EINVAL;
	} else if (name == HBCAST_SINKS) {
		hs->r.sinks = on;
	} else {
		hs->r.unordered = on;
	}
	release_sock(&hs->sk);
	return err;
}

static int hbc_socket_put_option(const void *from, unsigned int size, char __user *val,
				 int __user *len, int room)
{
	size = min_t(unsigned int, size, room);
	return put_user(size, len) || copy_to_user(val, from, size) ? -EFAULT : 0;
}

static int hbc_socket_get_completion(struct hbc_source *source, char __user *val,
				     int __user *len, unsigned int room)
{
	struct hbcast_completion *c;
	u32 max;
	u64 id;
	int err;

	if (room < sizeof(*c))
		return -EINVAL;
	if (copy_from_user(&id, val, sizeof(id)))
		return -EFAULT;
	max = (room - sizeof(*c)) / sizeof(c->member[0]);
	c = hbc_source_completion(source, id, max);
	if (IS_ERR(c))
		return PTR_ERR(c);
	err = hbc_socket_put_option(c, struct_size(c, member, min(max, c->members)), val, len,
				    room);
	kvfree(c);
	return err;
}

int hbc_socket_getsockopt(struct socket *sock, int level, int name, char __user *val,
			  int __user *len)
{
	struct hbc_sock *hs = hbc_sk(sock->sk);
	struct hbc_source *source = hbc_socket_source(hs);
	int room, on;
	u64 id;

	if (level != SOL_HBCAST)
		return -ENOPROTOOPT;
	if (get_user(room, len))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	if (!source && (name == HBCAST_LAST_MESSAGE || name == HBCAST_COMPLETION))
		return -ENOTCONN;
	switch (name) {
	case HBCAST_UNORDERED:
		on = hs->r.unordered;
		return hbc_socket_put_option(&on, sizeof(on), val, len, room);
	case HBCAST_SINKS:
		on = hs->r.sinks;
		return hbc_socket_put_option(&on, sizeof(on), val, len, room);
	case HBCAST_NOTIFY:
		on = READ_ONCE(hs->notify);
		return hbc_socket_put_option(&on, sizeof(on), val, len, room);
	case HBCAST_LAST_MESSAGE:
		id = READ_ONCE(source->last);
		return hbc_socket_put_option(&id, sizeof(id), val, len, room);
	case HBCAST_COMPLETION:
		return hbc_socket_get_completion(source, val, len, room);
	}
	return -ENOPROTOOPT;
}

static int hbc_socket_send_file(struct socket *sock, struct hbc_source *source,
				struct hbcast_file __user *arg)
{
	struct sock *sk = sock->sk;
	bool nonblock = sock->file && sock->file->f_flags & O_NONBLOCK;
	struct hbcast_file f;
	int err;

	if (copy_from_user(&f, arg, sizeof(f)))
		return -EFAULT;
	if (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	err = hbc_source_send_file(source, &f, sock_sndtimeo(sk, nonblock));
	if (!err && put_user(f.message, &arg->message))
		err = -EFAULT;
	return err;
}

/* With the socket's lock. */
static int hbc_socket_take(struct socket *sock, struct hbcast_sink *s, const u64 *has)
{
	bool nonblock = sock->file && sock->file->f_flags & O_NONBLOCK;
	bool gives = s->flags ? s->flags == HBCAST_SINK_GIVE : !s->message;
	struct hbc_sock *hs = hbc_sk(sock->sk);
	struct hbc_file *file = NULL;

	if (!hs->r.group)
		return -ENOTCONN;
	if (!hs->r.sinks)
		return -EINVAL;
	if (gives)
		file = hbc_file_new(s->fd, s->offset, 0, true);
	if (IS_ERR(file))
		return PTR_ERR(file);
	return hbc_reader_take(hs, file, s, has, nonblock);
}

static int hbc_socket_recv_file(struct socket *sock, struct hbcast_sink __user *arg)
{
	struct hbcast_sink s;
	u64 *has = NULL;
	bool gives;
	int err;

	if (copy_from_user(&s, arg, sizeof(s)))
		return -EFAULT;
	gives = s.flags == HBCAST_SINK_GIVE;
	/* One looks for any message, and gives to one. */
	if (s.flags > HBCAST_SINK_GIVE || s.pieces > HBC_PIECES_MAX ||
	    (s.flags && gives != !!s.message))
		return -EINVAL;
	if (gives && s.map)
		has = vmemdup_user(u64_to_user_ptr(s.map),
				   DIV_ROUND_UP(s.pieces, 64) * sizeof(*has));
	if (IS_ERR(has))
		return PTR_ERR(has);
	s.total = 0;
	s.bytes = 0;
	s.reason = 0;
	memset(s.name, 0, sizeof(s.name));
	lock_sock(sock->sk);
	err = hbc_socket_take(sock, &s, has);
	release_sock(sock->sk);
	kvfree(has);
	return s.message && copy_to_user(arg, &s, sizeof(s)) ? -EFAULT : err;
}

static int hbc_socket_wait(struct hbc_source *source, struct hbcast_wait __user *arg)
{
	struct hbcast_wait w;
	int err;

	if (copy_from_user(&w, arg, sizeof(w)))
		return -EFAULT;
	err = hbc_source_wait(source, &w);
	return !err && copy_to_user(arg, &w, sizeof(w)) ? -EFAULT : err;
}

int hbc_socket_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct hbc_sock *hs = hbc_sk(sock->sk);
	struct hbc_source *source = hbc_socket_source(hs);
	void __user *user = (void __user *)arg;
	u64 bytes;

	switch (cmd) {
	case SIOCINQ:
		bytes = hbc_receiver_avail(&hs->r);
		break;
	case SIOCOUTQ:
		bytes = source ? READ_ONCE(source->outstanding) : 0;
		break;
	case HBCIOCSENDFILE:
		return source ? hbc_socket_send_file(sock, source, user) : -ENOTCONN;
	case HBCIOCRECVFILE:
		return hbc_socket_recv_file(sock, user);
	case HBCIOCWAIT:
		return source ? hbc_socket_wait(source, user) : -ENOTCONN;
	default:
		return -ENOIOCTLCMD;
	}
	return put_user((int)min_t(u64, bytes, INT_MAX), (int __user *)user);
}

int hbc_socket_recv_error(struct sock *sk, struct msghdr *msg)
{
	struct sk_buff *skb = sock_dequeue_err_skb(sk);

	if (!skb)
		return -EAGAIN;
	put_cmsg(msg, SOL_HBCAST, HBCAST_NOTIFY, sizeof(struct sock_extended_err),
		 &SKB_EXT_ERR(skb)->ee);
	put_cmsg(msg, SOL_HBCAST, HBCAST_COMPLETION, skb->len, skb->data);
	msg->msg_flags |= MSG_ERRQUEUE;
	kfree_skb(skb);
	return 0;
}
