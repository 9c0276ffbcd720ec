// SPDX-License-Identifier: GPL-2.0
/* A probe to another node: the connection, and the connector's side of the handshake. */
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/net.h>
#include <linux/random.h>

#include "config/addr.h"
#include "config/group.h"
#include "config/node.h"
#include "probe/connect.h"
#include "probe/probe.h"
#include "wire/auth.h"

#define HBC_PROBE_CONNECT_MS	5000

/* What both proofs are made of. */
struct hbc_probe_proof {
	struct hbc_wire_hello hello;
	struct hbc_wire_challenge challenge;
};

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

static int hbc_probe_hello(struct hbc_probe *probe, struct hbc_probe_proof *proof)
{
	__be32 id = cpu_to_be32(READ_ONCE(probe->hn->id));
	struct hbc_wire_hello *hello = &proof->hello;

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
static int hbc_probe_prove(struct hbc_probe *probe, struct hbc_probe_proof *proof,
			   struct hbc_wire_auth *auth)
{
	struct hbc_auth_key *key = hbc_group_key(probe->group);
	int err;

	hbc_wire_put_hdr(&auth->hdr, HBC_FRAME_AUTH, 0, sizeof(*auth));
	err = hbc_auth_check(key, HBC_AUTH_ACCEPTOR, &proof->hello, &proof->challenge,
			     proof->challenge.mac) ?:
	      hbc_auth_mac(key, HBC_AUTH_CONNECTOR, &proof->hello, &proof->challenge, auth->mac);
	hbc_auth_key_put(key);
	if (err == -EKEYREJECTED)
		probe->reject = HBC_REJECT_KEY;
	return err;
}

static int hbc_probe_greet(struct hbc_probe *probe)
{
	struct hbc_probe_proof proof;
	struct hbc_wire_auth auth;
	int err;

	err = hbc_probe_hello(probe, &proof) ?: hbc_probe_expect(probe, HBC_FRAME_CHALLENGE);
	if (err)
		return err;
	memcpy(&proof.challenge, probe->frame, sizeof(proof.challenge));
	if (be32_to_cpu(proof.challenge.node) != probe->peer)
		return -EPROTO;
	err = hbc_probe_prove(probe, &proof, &auth);
	if (err)
		return err;
	return hbc_probe_send(probe, &auth, sizeof(auth)) ?:
	       hbc_probe_expect(probe, HBC_FRAME_READY);
}

int hbc_probe_connect(struct hbc_probe *probe, const struct sockaddr_storage *addr)
{
	return hbc_probe_open(probe, addr) ?: hbc_probe_greet(probe);
}
