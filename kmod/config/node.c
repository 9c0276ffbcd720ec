// SPDX-License-Identifier: GPL-2.0
/* A node: one network namespace with hbcast configured. */
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/ratelimit.h>
#include <linux/wait_bit.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include "compat/netlink.h"
#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "config/peer.h"

#define HBC_BACKLOG	1024
#define HBC_ACCEPTS	64	/* connections in one run of the accept work */
#define HBC_NODE_GAUGE_EVENTS	16	/* a second */

static unsigned int hbc_net_id __read_mostly;

struct hbc_net *hbc_net(struct net *net)
{
	return net_generic(net, hbc_net_id);
}

/* In softirq; connections that wait to be accepted have inherited it. */
static void hbc_node_data_ready(struct sock *sk)
{
	struct hbc_net *hn;

	read_lock_bh(&sk->sk_callback_lock);
	hn = sk->sk_user_data;
	if (hn && sk->sk_state == TCP_LISTEN)
		queue_work(system_unbound_wq, &hn->accept_work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void hbc_node_hook(struct sock *sk, void (*data_ready)(struct sock *sk),
			  struct hbc_net *hn)
{
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = data_ready;
	sk->sk_user_data = hn;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* Takes no lock of the node: hbc_node_unlisten() waits for it under hn->lock. */
static void hbc_node_accept(struct work_struct *work)
{
	struct hbc_net *hn = container_of(work, struct hbc_net, accept_work);
	struct socket *sock;
	unsigned int i;
	int err;

	for (i = 0; i < HBC_ACCEPTS; i++) {
		/* Without memory the others wait until the next one knocks. */
		err = kernel_accept(hn->listener, &sock, O_NONBLOCK);
		if (err)
			return;
		/* It has inherited the listener's. */
		hbc_node_hook(sock->sk, hn->data_ready, NULL);
		hbc_lane_accept(hn, sock);
	}
	queue_work(system_unbound_wq, work);
}

static int hbc_node_bind(struct socket *sock, const struct sockaddr_storage *addr,
			 struct netlink_ext_ack *extack)
{
	int err;

	sock_set_reuseaddr(sock->sk);
	err = kernel_bind(sock, (struct sockaddr *)addr, sizeof(*addr));
	if (err == -EADDRNOTAVAIL)
		NL_SET_ERR_MSG(extack, "the address is none of this namespace's; add it first");
	else if (err == -EADDRINUSE)
		NL_SET_ERR_MSG(extack, "something else listens on the address and port");
	else if (err)
		NL_SET_ERR_MSG(extack, "cannot bind to the address and port");
	return err;
}

static int hbc_node_listen(struct hbc_net *hn, const struct sockaddr_storage *addr,
			   struct netlink_ext_ack *extack)
{
	struct socket *sock;
	int err;

	err = sock_create_kern(hn->net, addr->ss_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (err)
		return hbc_refuse(extack, err, "cannot make a TCP socket of the address's family");
	err = hbc_node_bind(sock, addr, extack);
	if (err)
		goto release;
	hn->listener = sock;
	hn->data_ready = sock->sk->sk_data_ready;
	hbc_node_hook(sock->sk, hbc_node_data_ready, hn);
	err = kernel_listen(sock, HBC_BACKLOG);
	if (!err)
		return 0;
	NL_SET_ERR_MSG(extack, "cannot listen on the address and port");
	hn->listener = NULL;
release:
	sock_release(sock);
	return err;
}

/* Callbacks, work, release: nobody accepts afterwards. */
static void hbc_node_unlisten(struct hbc_net *hn)
{
	struct socket *sock = hn->listener;

	if (!sock)
		return;
	hbc_node_hook(sock->sk, hn->data_ready, NULL);
	cancel_work_sync(&hn->accept_work);
	hn->listener = NULL;
	sock_release(sock);
}

static bool hbc_node_reachable4(__be32 ip)
{
	return !ipv4_is_zeronet(ip) && !ipv4_is_multicast(ip) && !ipv4_is_lbcast(ip);
}

static bool hbc_node_reachable6(const struct in6_addr *ip)
{
	return !ipv6_addr_any(ip) && !ipv6_addr_v4mapped(ip) &&
	       !(ipv6_addr_type(ip) & (IPV6_ADDR_MULTICAST | IPV6_ADDR_LINKLOCAL));
}

int hbc_node_check_addr(const struct sockaddr_storage *addr, struct netlink_ext_ack *extack)
{
	bool good;

	if (addr->ss_family == AF_INET)
		good = hbc_node_reachable4(((struct sockaddr_in *)addr)->sin_addr.s_addr);
	else
		good = hbc_node_reachable6(&((struct sockaddr_in6 *)addr)->sin6_addr);
	return good ? 0 : hbc_refuse(extack, -EINVAL,
			"no other node can reach this address: a unicast, global one is needed");
}

int hbc_node_check(const struct hbc_net *hn, struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&hn->lock);
	return hn->id ? 0 : hbc_refuse(extack, -ENODEV,
				       "the namespace is no node; set the node first");
}

static void hbc_node_tell(struct hbc_net *hn, u32 id, enum hbcast_event_type type)
{
	struct hbc_event e;

	if (!hbc_event_begin(&e, hn, type, 1))
		return;
	hbc_event_u32(&e, HBCAST_A_EVENT_NODE, id);
	hbc_event_send(&e);
}

int hbc_node_set(struct hbc_net *hn, u32 id, const struct sockaddr_storage *addr,
		 struct netlink_ext_ack *extack)
{
	int err;

	lockdep_assert_held(&hn->lock);
	if (hn->leaving)
		return hbc_refuse(extack, -EBUSY, "the node is being taken down; try again");
	if (hn->id) {
		if (hn->id == id && !memcmp(&hn->addr, addr, sizeof(*addr)))
			return 0;
		return hbc_refuse(extack, -EEXIST,
				  "the namespace is another node already; delete that first");
	}
	if (hbc_peer_find(hn, id))
		return hbc_refuse(extack, -EEXIST, "a peer has this id; delete it first");
	hn->files = hn->files ?: hbc_files_begin();
	if (!hn->files)
		return -ENOMEM;
	/* Lanes that come at once find the node complete. */
	hn->addr = *addr;
	WRITE_ONCE(hn->id, id);
	err = hbc_node_listen(hn, addr, extack);
	if (err) {
		WRITE_ONCE(hn->id, 0);
		return err;
	}
	hbc_node_tell(hn, id, HBCAST_EVENT_NODE_UP);
	return 0;
}

/* A waiter may free @hn at once: it is no more than the name of what is waited for. */
void hbc_node_end(struct hbc_net *hn, atomic_t *n)
{
	if (atomic_dec_and_test(n))
		wake_up_var(hn);
}

/* All that hangs on the node but its lanes and probes, which are told to end. */
static void hbc_node_begin_clear(struct hbc_net *hn)
{
	struct hbc_group *group;
	unsigned long id;

	lockdep_assert_held(&hn->lock);
	hn->leaving = true;
	hbc_node_unlisten(hn);
	WRITE_ONCE(hn->id, 0);
	xa_for_each(&hn->groups, id, group)
		hbc_group_remove(group);
	hbc_peer_flush(hn);
	hbc_lane_clear(hn);
}

int hbc_node_clear(struct hbc_net *hn, struct netlink_ext_ack *extack)
{
	u32 id = hn->id;
	int err;

	lockdep_assert_held(&hn->lock);
	if (hn->leaving)
		return hbc_refuse(extack, -EBUSY, "the node is being taken down already");
	err = hbc_node_check(hn, extack);
	if (err)
		return err;
	hbc_node_begin_clear(hn);
	mutex_unlock(&hn->lock);
	wait_var_event(hn, !atomic_read(&hn->nr_lanes));
	wait_var_event(hn, !atomic_read(&hn->nr_probes));
	mutex_lock(&hn->lock);
	hn->leaving = false;
	hbc_node_tell(hn, id, HBCAST_EVENT_NODE_DOWN);
	return 0;
}

static int __net_init hbc_node_net_init(struct net *net)
{
	struct hbc_net *hn = hbc_net(net);

	hn->net = net;
	mutex_init(&hn->lock);
	INIT_WORK(&hn->accept_work, hbc_node_accept);
	xa_init(&hn->peers);
	xa_init(&hn->groups);
	INIT_LIST_HEAD(&hn->plans);
	hn->generation = 1;
	spin_lock_init(&hn->lanes_lock);
	INIT_LIST_HEAD(&hn->lanes);
	INIT_LIST_HEAD(&hn->half_open);
	spin_lock_init(&hn->probes_lock);
	/* What is left out is told later; the log has no part in it. */
	ratelimit_state_init(&hn->gauge_events, HZ, HBC_NODE_GAUGE_EVENTS);
	ratelimit_set_flags(&hn->gauge_events, RATELIMIT_MSG_ON_RELEASE);
	INIT_LIST_HEAD(&hn->probes);
	return 0;
}

/* All namespaces begin to end before the first one is waited for. */
static void __net_exit hbc_node_net_pre_exit(struct net *net)
{
	struct hbc_net *hn = hbc_net(net);

	mutex_lock(&hn->lock);
	hbc_node_begin_clear(hn);
	mutex_unlock(&hn->lock);
}

static void __net_exit hbc_node_net_exit(struct net *net)
{
	struct hbc_net *hn = hbc_net(net);

	wait_var_event(hn, !atomic_read(&hn->nr_lanes));
	wait_var_event(hn, !atomic_read(&hn->nr_sessions));
	wait_var_event(hn, !atomic_read(&hn->nr_probes));
	hbc_files_put(hn->files);
	mutex_destroy(&hn->lock);
}

static struct pernet_operations hbc_node_net_ops = {
	.init		= hbc_node_net_init,
	.pre_exit	= hbc_node_net_pre_exit,
	.exit		= hbc_node_net_exit,
	.id		= &hbc_net_id,
	.size		= sizeof(struct hbc_net),
};

/*
 * As a device's operations these run before the namespace's interfaces go, so
 * the neighbours learn from TCP's reset that this node has gone.
 */
int hbc_node_init(void)
{
	return register_pernet_device(&hbc_node_net_ops);
}

void hbc_node_exit(void)
{
	unregister_pernet_device(&hbc_node_net_ops);
}
