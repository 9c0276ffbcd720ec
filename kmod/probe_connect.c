// SPDX-License-Identifier: GPL-2.0
/* A probe to another node: the connection, and the connector's side of the handshake. */
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/random.h>

#include "auth.h"
#include "group.h"
#include "node.h"
#include "probe.h"
#include "probe_connect.h"

#define HBC_PROBE_CONNECT_MS	5000

/* What both proofs are made of. */
struct hbc_probe_proof {
	u8 hello[HBC_HELLO_LEN];
	struct hbc_challenge challenge;
};

static int hbc_probe_open(struct hbc_probe *probe, const struct sockaddr_storage *to)
{
	struct sockaddr_storage from = probe->hn->addr;
	struct socket *sock;
	int err;

	if (from.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&from)->sin6_port = 0;
	else
		((struct sockaddr_in *)&from)->sin_port = 0;
	err = sock_create_kern(probe->hn->net, to->ss_family, SOCK_STREAM, IPPROTO_TCP, &sock) ?:
	      hbc_probe_set_sock(probe, sock);
	if (err)
		return err;
	hbc_probe_patience(probe, HBC_PROBE_CONNECT_MS);
	err = kernel_bind(sock, (struct sockaddr *)&from, sizeof(from)) ?:
	      kernel_connect(sock, (struct sockaddr *)to, sizeof(*to), 0);
	return err == -EINPROGRESS ? -ETIMEDOUT : err;
}

/* The next frame, which is to be of @type. */
static int hbc_probe_expect(struct hbc_probe *probe, u8 type, struct hbc_hdr *h)
{
	struct hbc_reject reject;
	int err = hbc_probe_next(probe, h);

	if (err)
		return err == -EAGAIN ? -ETIMEDOUT : err;
	if (h->type == HBC_FRAME_REJECT && !hbc_wire_get_reject(probe->frame, h, &reject)) {
		probe->reject = reject.reason;
		return -EKEYREJECTED;
	}
	return h->type == type ? 0 : -EPROTO;
}

static int hbc_probe_hello(struct hbc_probe *probe, struct hbc_probe_proof *proof)
{
	u32 id = READ_ONCE(probe->hn->id);
	struct hbc_hello hello = {
		.group = probe->group->id, .from = id, .to = probe->peer, .root = id,
		.probe = true,
	};

	if (!id)
		return -ESHUTDOWN;
	get_random_bytes(hello.nonce, sizeof(hello.nonce));
	hbc_wire_put_hello(proof->hello, 0, &hello);
	return hbc_probe_send(probe, proof->hello, sizeof(proof->hello));
}

/* The acceptor proves itself, then this node. The key may be replaced meanwhile. */
static int hbc_probe_prove(struct hbc_probe *probe, struct hbc_probe_proof *proof,
			   struct hbc_auth *auth)
{
	struct hbc_auth_key *key;
	int err;

	mutex_lock(&probe->hn->lock);
	key = probe->group->key;
	err = hbc_auth_check(key, HBC_AUTH_ACCEPTOR, proof->hello, sizeof(proof->hello),
			     &proof->challenge, proof->challenge.mac) ?:
	      hbc_auth_mac(key, HBC_AUTH_CONNECTOR, proof->hello, sizeof(proof->hello),
			   &proof->challenge, auth->mac);
	mutex_unlock(&probe->hn->lock);
	if (err == -EKEYREJECTED)
		probe->reject = HBC_REJECT_KEY;
	return err;
}

static int hbc_probe_greet(struct hbc_probe *probe)
{
	struct hbc_probe_proof proof;
	u8 out[HBC_AUTH_LEN];
	struct hbc_auth auth;
	struct hbc_hdr h;
	int err;

	err = hbc_probe_hello(probe, &proof) ?:
	      hbc_probe_expect(probe, HBC_FRAME_CHALLENGE, &h);
	if (err)
		return err;
	if (hbc_wire_get_challenge(probe->frame, &h, &proof.challenge) ||
	    proof.challenge.node != probe->peer)
		return -EPROTO;
	err = hbc_probe_prove(probe, &proof, &auth);
	if (err)
		return err;
	return hbc_probe_send(probe, out, hbc_wire_put_auth(out, &auth)) ?:
	       hbc_probe_expect(probe, HBC_FRAME_READY, &h);
}

int hbc_probe_connect(struct hbc_probe *probe, const struct sockaddr_storage *addr)
{
	return hbc_probe_open(probe, addr) ?: hbc_probe_greet(probe);
}
