// SPDX-License-Identifier: GPL-2.0
/* A probe: one connection of a measurement. */
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "config/addr.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/conn.h"
#include "probe/probe.h"

#define HBC_PROBES_MAX		4096	/* per node */
#define HBC_PROBE_CONNECT_MS	5000

static struct workqueue_struct *hbc_probe_wq;

static void hbc_probe_free(struct kref *ref)
{
	struct hbc_probe *probe = container_of(ref, struct hbc_probe, ref);
	struct hbc_net *hn = probe->hn;

	hbc_group_put(probe->group);
	mutex_destroy(&probe->lock);
	kfree(probe);
	hbc_node_end(hn, &hn->nr_probes);
}

void hbc_probe_put(struct hbc_probe *probe)
{
	kref_put(&probe->ref, hbc_probe_free);
}

void hbc_probe_drop_sock(struct hbc_probe *probe)
{
	struct socket *sock;

	mutex_lock(&probe->lock);
	sock = probe->sock;
	probe->sock = NULL;
	mutex_unlock(&probe->lock);
	/* What has not been sent by now is of no use to anybody. */
	if (sock)
		hbc_conn_drop(sock);
}

/* Its life is behind it, or will not begin. The reference of @work goes. */
static void hbc_probe_over(struct hbc_probe *probe)
{
	spin_lock(&probe->hn->probes_lock);
	WRITE_ONCE(probe->ended, true);
	list_del(&probe->link);
	spin_unlock(&probe->hn->probes_lock);
	hbc_probe_drop_sock(probe);
	hbc_probe_put(probe);
}

static void hbc_probe_work(struct work_struct *work)
{
	struct hbc_probe *probe = container_of(work, struct hbc_probe, work);

	probe->run(probe);
	hbc_probe_over(probe);
}

void *hbc_probe_new(size_t size, struct hbc_group *group, u32 peer,
		    void (*run)(struct hbc_probe *probe))
{
	struct hbc_probe *probe = kzalloc(size, GFP_KERNEL);

	if (!probe)
		return NULL;
	kref_init(&probe->ref);
	mutex_init(&probe->lock);
	INIT_WORK(&probe->work, hbc_probe_work);
	kref_get(&group->ref);
	probe->group = group;
	probe->hn = group->hn;
	probe->peer = peer;
	probe->run = run;
	atomic_inc(&probe->hn->nr_probes);
	return probe;
}

int hbc_probe_begin(struct hbc_probe *probe)
{
	struct hbc_net *hn = probe->hn;
	int err = 0;

	spin_lock(&hn->probes_lock);
	/* Who ends those of a group that goes has said so before. */
	if (READ_ONCE(probe->group->gone))
		err = -ESHUTDOWN;
	else if (atomic_read(&hn->nr_probes) > HBC_PROBES_MAX)
		err = -EBUSY;
	if (!err) {
		/* Who finds it on the list finds its work, too. */
		list_add_tail(&probe->link, &hn->probes);
		kref_get(&probe->ref);
		queue_work(hbc_probe_wq, &probe->work);
	}
	spin_unlock(&hn->probes_lock);
	if (err)
		hbc_probe_drop_sock(probe);
	return err;
}

int hbc_probe_set_sock(struct hbc_probe *probe, struct socket *sock)
{
	bool ended;

	mutex_lock(&probe->lock);
	ended = READ_ONCE(probe->ended);
	if (!ended)
		probe->sock = sock;
	mutex_unlock(&probe->lock);
	if (ended) {
		sock_release(sock);
		return -ESHUTDOWN;
	}
	tcp_sock_set_nodelay(sock->sk);
	return 0;
}

void hbc_probe_patience(struct hbc_probe *probe, unsigned int ms)
{
	struct sock *sk = probe->sock->sk;

	lock_sock(sk);
	sk->sk_rcvtimeo = msecs_to_jiffies(ms);
	sk->sk_sndtimeo = msecs_to_jiffies(ms);
	release_sock(sk);
}

void hbc_probe_end(struct hbc_probe *probe)
{
	spin_lock(&probe->hn->probes_lock);
	WRITE_ONCE(probe->ended, true);
	spin_unlock(&probe->hn->probes_lock);
	/* All workers may be busy with probes of other nodes, for long. */
	if (cancel_work(&probe->work)) {
		hbc_probe_over(probe);
		return;
	}
	/* Its socket, if it has one, says so to who waits on it. */
	mutex_lock(&probe->lock);
	if (probe->sock)
		kernel_sock_shutdown(probe->sock, SHUT_RDWR);
	mutex_unlock(&probe->lock);
}

struct hbc_probe *hbc_probe_find(struct hbc_net *hn,
				 bool (*match)(const struct hbc_probe *probe, const void *arg),
				 const void *arg)
{
	struct hbc_probe *probe, *found = NULL;

	spin_lock(&hn->probes_lock);
	list_for_each_entry(probe, &hn->probes, link) {
		if (!match(probe, arg))
			continue;
		kref_get(&probe->ref);
		found = probe;
		break;
	}
	spin_unlock(&hn->probes_lock);
	return found;
}

void hbc_probe_end_each(struct hbc_net *hn,
			bool (*match)(const struct hbc_probe *probe, const void *arg),
			const void *arg)
{
	struct hbc_probe *probe;

	while ((probe = hbc_probe_find(hn, match, arg))) {
		hbc_probe_end(probe);
		hbc_probe_put(probe);
	}
}

/* Sending and receiving. */

int hbc_probe_send_ping(struct hbc_probe *probe, u8 type, u64 token)
{
	struct hbc_wire_ping w = { .token = cpu_to_be64(token) };

	return hbc_probe_send(probe, &w, hbc_wire_put_hdr(&w.hdr, type, 0, sizeof(w)));
}

int hbc_probe_send_locked(struct hbc_probe *probe, const void *frame, unsigned int len)
{
	int n;

	lockdep_assert_held(&probe->lock);
	if (!probe->sock)
		return -ENOTCONN;
	/* All of it or nothing. */
	if (sk_stream_wspace(probe->sock->sk) < (int)len)
		return -EAGAIN;
	n = hbc_conn_send(probe->sock, frame, len, MSG_DONTWAIT);
	if (n < 0)
		return n;
	return n == len ? 0 : -ENOBUFS;
}

int hbc_probe_send(struct hbc_probe *probe, const void *frame, unsigned int len)
{
	int err;

	mutex_lock(&probe->lock);
	err = hbc_probe_send_locked(probe, frame, len);
	mutex_unlock(&probe->lock);
	return err;
}

/* Receives until there are @need bytes of the frame; without @buf they go nowhere. */
static int hbc_probe_fill(struct hbc_probe *probe, u8 *buf, unsigned int need)
{
	struct msghdr msg = {};
	struct kvec vec;
	int n;

	while (probe->have < need) {
		vec.iov_base = buf ? buf + probe->have : NULL;
		vec.iov_len = need - probe->have;
		n = kernel_recvmsg(probe->sock, &msg, &vec, 1, vec.iov_len,
				   MSG_WAITALL | (buf ? 0 : MSG_TRUNC));
		if (n <= 0)
			return n ?: -ECONNRESET;
		probe->have += n;
	}
	return 0;
}

int hbc_probe_next(struct hbc_probe *probe, struct hbc_hdr *h)
{
	int err;

	err = hbc_probe_fill(probe, probe->frame, HBC_HDR_LEN) ?:
	      hbc_wire_get_hdr(probe->frame, h);
	if (err)
		return err;
	if (h->type == HBC_FRAME_PROBE)
		err = hbc_probe_fill(probe, probe->frame, sizeof(struct hbc_wire_probe)) ?:
		      hbc_probe_fill(probe, NULL, h->length);
	else if (h->length <= sizeof(probe->frame))
		err = hbc_probe_fill(probe, probe->frame, h->length);
	else
		err = -EBADMSG;
	if (err)
		return err;
	probe->have = 0;
	return hbc_wire_check(probe->frame, h);
}

/* The connector's side of the handshake. */

static int hbc_probe_open(struct hbc_probe *probe, const struct sockaddr_storage *to)
{
	struct socket *sock;
	int err;

	err = sock_create_kern(probe->hn->net, to->ss_family, SOCK_STREAM, IPPROTO_TCP, &sock) ?:
	      hbc_probe_set_sock(probe, sock);
	if (err)
		return err;
	hbc_probe_patience(probe, HBC_PROBE_CONNECT_MS);
	err = hbc_addr_bind(sock, &probe->hn->addr) ?:
	      kernel_connect(sock, (struct sockaddr *)to, sizeof(*to), 0);
	return err == -EINPROGRESS ? -ETIMEDOUT : err;
}

/* The next frame, which is to be of @type. */
static int hbc_probe_expect(struct hbc_probe *probe, u8 type)
{
	const struct hbc_wire_reject *reject = (const struct hbc_wire_reject *)probe->frame;
	struct hbc_hdr h;
	int err = hbc_probe_next(probe, &h);

	if (err)
		return err == -EAGAIN ? -ETIMEDOUT : err;
	if (h.type == HBC_FRAME_REJECT) {
		probe->reject = be16_to_cpu(reject->reason);
		return -EKEYREJECTED;
	}
	return h.type == type ? 0 : -EPROTO;
}

static int hbc_probe_hello(struct hbc_probe *probe, struct hbc_wire_hello *hello)
{
	__be32 id = cpu_to_be32(READ_ONCE(probe->hn->id));

	if (!id)
		return -ESHUTDOWN;
	*hello = (struct hbc_wire_hello) {
		.group = cpu_to_be32(probe->group->id), .from = id,
		.to = cpu_to_be32(probe->peer), .root = id, .flags = HBC_HELLO_PROBE,
	};
	hbc_wire_put_hdr(&hello->hdr, HBC_FRAME_HELLO, HBC_WIRE_VERSION, sizeof(*hello));
	get_random_bytes(hello->nonce, sizeof(hello->nonce));
	return hbc_probe_send(probe, hello, sizeof(*hello));
}

/* The acceptor proves itself, then this node. */
int hbc_probe_connect(struct hbc_probe *probe, const struct sockaddr_storage *addr)
{
	const struct hbc_wire_challenge *w = (const struct hbc_wire_challenge *)probe->frame;
	struct hbc_wire_hello hello;
	struct hbc_wire_auth auth;
	int err;

	err = hbc_probe_open(probe, addr) ?: hbc_probe_hello(probe, &hello) ?:
	      hbc_probe_expect(probe, HBC_FRAME_CHALLENGE);
	if (err)
		return err;
	if (be32_to_cpu(w->node) != probe->peer)
		return -EPROTO;
	err = hbc_group_verify(probe->group, HBC_AUTH_ACCEPTOR, &hello, w, w->mac);
	if (err == -EKEYREJECTED)
		probe->reject = HBCAST_REJECT_KEY;
	err = err ?: hbc_group_prove(probe->group, HBC_AUTH_CONNECTOR, &hello, w, auth.mac);
	if (err)
		return err;
	hbc_wire_put_hdr(&auth.hdr, HBC_FRAME_AUTH, 0, sizeof(auth));
	return hbc_probe_send(probe, &auth, sizeof(auth)) ?:
	       hbc_probe_expect(probe, HBC_FRAME_READY);
}

/* Groups. */

static bool hbc_probe_lives(const struct hbc_probe *probe, const void *group)
{
	return !probe->ended && probe->group == group;
}

void hbc_probe_group_gone(struct hbc_group *group)
{
	hbc_probe_end_each(group->hn, hbc_probe_lives, group);
}

int hbc_probe_init(void)
{
	/* Each of them waits for most of its life. */
	hbc_probe_wq = alloc_workqueue("hbcast_probe", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return hbc_probe_wq ? 0 : -ENOMEM;
}

void hbc_probe_exit(void)
{
	destroy_workqueue(hbc_probe_wq);
}
