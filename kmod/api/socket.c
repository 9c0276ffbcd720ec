// SPDX-License-Identifier: GPL-2.0
/* AF_HBCAST: what an application holds. */
#include <linux/compat.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "api/socket.h"
#include "config/group.h"
#include "config/node.h"
#include "root/origin.h"
#include "root/source.h"
#include "session/session.h"

static struct proto hbc_proto = {
	.name = "HBCAST",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct hbc_sock),
};

/* Addresses. */

static int hbc_socket_check(const struct sockaddr *addr, int len)
{
	const struct sockaddr_hbcast *a = (const struct sockaddr_hbcast *)addr;

	if (len < (int)sizeof(*a))
		return -EINVAL;
	if (a->shb_family != AF_HBCAST)
		return -EAFNOSUPPORT;
	return a->shb_port && a->shb_group && !a->shb_node && !a->shb_zero ? 0 : -EINVAL;
}

/*
 * The group that the caller may bind (@mask 4) or connect (2) to; hn->lock
 * held. ERR_PTR: -EADDRNOTAVAIL, -EACCES.
 */
static struct hbc_group *hbc_socket_group(struct hbc_net *hn, u32 id, int mask)
{
	struct hbc_group *group = hbc_group_find(hn, id);
	int err;

	lockdep_assert_held(&hn->lock);
	if (!group || group->gone)
		return ERR_PTR(-EADDRNOTAVAIL);
	err = hbc_group_permission(group, mask);
	return err ? ERR_PTR(err) : group;
}

static int hbc_socket_bind(struct socket *sock, struct sockaddr *addr, int len)
{
	const struct sockaddr_hbcast *a = (const struct sockaddr_hbcast *)addr;
	struct hbc_net *hn = hbc_net(sock_net(sock->sk));
	struct hbc_sock *hs = hbc_sk(sock->sk);
	struct hbc_group *group;
	int err;

	err = hbc_socket_check(addr, len);
	if (err)
		return err;
	lock_sock(&hs->sk);
	mutex_lock(&hn->lock);
	if (hs->r.group || hs->sk.sk_shutdown & RCV_SHUTDOWN)
		group = ERR_PTR(-EINVAL);
	else
		group = hbc_socket_group(hn, a->shb_group, 4);
	err = PTR_ERR_OR_ZERO(group);
	if (!err)
		err = hbc_receiver_bind(&hs->r, group, a->shb_port);
	if (!err)
		hs->sk.sk_userlocks |= SOCK_BINDPORT_LOCK;
	mutex_unlock(&hn->lock);
	release_sock(&hs->sk);
	return err;
}

/* This node's own session in the group, with a reference, or ERR_PTR. */
static struct hbc_session *hbc_socket_session(struct hbc_net *hn, u32 id)
{
	struct hbc_group *group;
	struct hbc_session *s;

	mutex_lock(&hn->lock);
	group = hbc_socket_group(hn, id, 2);
	s = IS_ERR(group) ? ERR_CAST(group) : hbc_origin_session(group);
	mutex_unlock(&hn->lock);
	return s;
}

static int hbc_socket_connect(struct socket *sock, struct sockaddr *addr, int len, int flags)
{
	const struct sockaddr_hbcast *a = (const struct sockaddr_hbcast *)addr;
	struct hbc_net *hn = hbc_net(sock_net(sock->sk));
	struct hbc_sock *hs = hbc_sk(sock->sk);
	struct hbc_source *source;
	struct hbc_session *s;
	int err;

	err = hbc_socket_check(addr, len);
	if (err)
		return err;
	lock_sock(&hs->sk);
	if (hs->source)
		s = ERR_PTR(-EISCONN);
	else if (hs->sk.sk_shutdown & SEND_SHUTDOWN)
		s = ERR_PTR(-EINVAL);
	else
		s = hbc_socket_session(hn, a->shb_group);
	source = IS_ERR(s) ? ERR_CAST(s) : hbc_source_new(s, a->shb_port, &hs->sk);
	err = PTR_ERR_OR_ZERO(source);
	if (!err) {
		source->notify = hs->notify;
		smp_store_release(&hs->source, source); /* see hbc_socket_source() */
		sock->state = SS_CONNECTED;
		hs->sk.sk_state = TCP_ESTABLISHED;
	}
	release_sock(&hs->sk);
	return err;
}

static int hbc_socket_getname(struct socket *sock, struct sockaddr *addr, int peer)
{
	struct sockaddr_hbcast *a = (struct sockaddr_hbcast *)addr;
	struct hbc_sock *hs = hbc_sk(sock->sk);
	int ret = sizeof(*a);

	memset(a, 0, sizeof(*a));
	a->shb_family = AF_HBCAST;
	lock_sock(&hs->sk);
	if (peer && hs->source) {
		a->shb_group = hs->source->s->group->id;
		a->shb_port = hs->source->port;
	} else if (peer) {
		ret = -ENOTCONN;
	} else if (hs->r.group) {
		a->shb_group = hs->r.group->id;
		a->shb_port = hs->r.port;
	}
	release_sock(&hs->sk);
	return ret;
}

/* Birth and end. */

static long hbc_socket_linger(const struct sock *sk)
{
	if (!sock_flag(sk, SOCK_LINGER))
		return -1;
	/* A process that ends does not wait. */
	return sk->sk_lingertime && current->flags & PF_EXITING ? -1 : (long)sk->sk_lingertime;
}

static int hbc_socket_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct hbc_sock *hs;

	if (!sk)
		return 0;
	hs = hbc_sk(sk);
	lock_sock(sk);
	hbc_receiver_unbind(&hs->r);
	hbc_receiver_close(&hs->r, false);
	release_sock(sk);
	hbc_receiver_free(&hs->r);
	if (hs->source)
		hbc_source_close(hs->source, hbc_socket_linger(sk));
	sock_orphan(sk);
	sock->sk = NULL;
	sock_put(sk);
	return 0;
}

static void hbc_socket_destruct(struct sock *sk)
{
	skb_queue_purge(&sk->sk_error_queue);
	WARN_ON_ONCE(!skb_queue_empty(&sk->sk_receive_queue));
}

static int hbc_socket_shutdown(struct socket *sock, int how)
{
	struct hbc_sock *hs = hbc_sk(sock->sk);
	int err = 0;

	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	lock_sock(&hs->sk);
	if (!hs->r.group && !hs->source)
		err = -ENOTCONN;
	if (!err && how != SHUT_WR) {
		hbc_receiver_unbind(&hs->r);
		hbc_receiver_close(&hs->r, true);
	}
	/* Their bits are those of RCV_SHUTDOWN and SEND_SHUTDOWN. */
	if (!err)
		hbc_receiver_shut(&hs->sk, how + 1);
	release_sock(&hs->sk);
	if (!err)
		hs->sk.sk_state_change(&hs->sk);
	return err;
}

/* Messages. */

static int hbc_socket_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct hbc_sock *hs = hbc_sk(sock->sk);
	struct hbc_source *source = hbc_socket_source(hs);
	int err;

	if (msg->msg_flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (len > INT_MAX)
		return -EMSGSIZE;
	err = sock_error(&hs->sk);
	if (err)
		return err;
	if (READ_ONCE(hs->sk.sk_shutdown) & SEND_SHUTDOWN) {
		if (!(msg->msg_flags & MSG_NOSIGNAL))
			send_sig(SIGPIPE, current, 0);
		return -EPIPE;
	}
	if (!source)
		return -ENOTCONN;
	if (msg->msg_namelen)
		return -EISCONN;
	return hbc_source_send(source, msg, len,
			       sock_sndtimeo(&hs->sk, msg->msg_flags & MSG_DONTWAIT));
}

static int hbc_socket_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct hbc_sock *hs = hbc_sk(sock->sk);
	int ret = -ENOTCONN;

	msg->msg_namelen = 0;
	if (flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (flags & MSG_ERRQUEUE)
		return hbc_socket_recv_error(&hs->sk, msg);
	lock_sock(&hs->sk);
	if (hs->r.group)
		ret = hbc_reader_recv(hs, msg, len, flags);
	release_sock(&hs->sk);
	return ret;
}

static __poll_t hbc_socket_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	struct hbc_sock *hs = hbc_sk(sock->sk);
	struct hbc_source *source;
	__poll_t mask = 0;
	u8 shutdown;

	sock_poll_wait(file, sock, wait);
	shutdown = READ_ONCE(hs->sk.sk_shutdown);
	source = hbc_socket_source(hs);
	if (READ_ONCE(hs->sk.sk_err) || !skb_queue_empty_lockless(&hs->sk.sk_error_queue))
		mask |= EPOLLERR;
	if (shutdown == SHUTDOWN_MASK)
		mask |= EPOLLHUP;
	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLRDHUP | EPOLLIN | EPOLLRDNORM;
	else if (hbc_receiver_ready(&hs->r, hbc_reader_least(hs)) || hbc_receiver_wants(&hs->r))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (source && !(shutdown & SEND_SHUTDOWN) && hbc_source_poll(source))
		mask |= EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
	return mask;
}

#ifdef CONFIG_COMPAT
/* All structures are laid out alike. */
static int hbc_socket_compat_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	return hbc_socket_ioctl(sock, cmd, (unsigned long)compat_ptr(arg));
}
#endif

static const struct proto_ops hbc_socket_ops = {
	.family = PF_HBCAST,
	.owner = THIS_MODULE,
	.release = hbc_socket_release,
	.bind = hbc_socket_bind,
	.connect = hbc_socket_connect,
	.socketpair = sock_no_socketpair,
	.accept = sock_no_accept,
	.getname = hbc_socket_getname,
	.poll = hbc_socket_poll,
	.ioctl = hbc_socket_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = hbc_socket_compat_ioctl,
#endif
	.gettstamp = sock_gettstamp,
	.listen = sock_no_listen,
	.shutdown = hbc_socket_shutdown,
	.setsockopt = hbc_socket_setsockopt,
	.getsockopt = hbc_socket_getsockopt,
	.sendmsg = hbc_socket_sendmsg,
	.recvmsg = hbc_socket_recvmsg,
	.mmap = sock_no_mmap,
};

static int hbc_socket_create(struct net *net, struct socket *sock, int protocol, int kern)
{
	struct hbc_sock *hs;
	struct sock *sk;

	if (sock->type != SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	sk = sk_alloc(net, PF_HBCAST, GFP_KERNEL, &hbc_proto, kern);
	if (!sk)
		return -ENOMEM;
	sock->ops = &hbc_socket_ops;
	sock_init_data(sock, sk);
	sk->sk_sndbuf = max_t(int, sk->sk_sndbuf, HBC_SNDBUF_DEFAULT);
	sock_set_flag(sk, SOCK_RCU_FREE);
	sk->sk_destruct = hbc_socket_destruct;
	hs = hbc_sk(sk);
	hbc_receiver_init(&hs->r, sk);
	return 0;
}

static const struct net_proto_family hbc_socket_family = {
	.family = PF_HBCAST,
	.create = hbc_socket_create,
	.owner = THIS_MODULE,
};

int hbc_socket_init(void)
{
	int err = proto_register(&hbc_proto, 1);

	if (err)
		return err;
	err = sock_register(&hbc_socket_family);
	if (!err)
		return 0;
	if (err == -EEXIST)
		pr_err("hbcast: address family %d is taken by another module\n", PF_HBCAST);
	proto_unregister(&hbc_proto);
	return err;
}

void hbc_socket_exit(void)
{
	sock_unregister(PF_HBCAST);
	/* Sockets are freed after a grace period, and into this cache. */
	rcu_barrier();
	proto_unregister(&hbc_proto);
}
