/* SPDX-License-Identifier: GPL-2.0 */
/* The coordinator's side of a measurement: it asks nodes for rounds, and hears how they are. */
#ifndef _HBC_PROBE_ASK_H
#define _HBC_PROBE_ASK_H

#include "probe/probe.h"

/**
 * struct hbc_probe_asker - who asks a node, and what
 * @group: in which group
 * @node: the node, which may be this one
 * @portid: the netlink socket that hears of it
 * @addr: where the node listens
 */
struct hbc_probe_asker {
	struct hbc_group *group;
	u32 node;
	u32 portid;
	const struct sockaddr_storage *addr;
};

/**
 * hbc_probe_ask() - ask a node for its part in a round
 * @asker: who, and whom
 * @ask: PROBE_ASK, with tasks
 *
 * What comes of it is told to the netlink socket, also that the node is not reached.
 *
 * Context: process.
 * Return: 0; -ENOMEM; -EBUSY for too many probes; -ESHUTDOWN where the group goes.
 */
int hbc_probe_ask(const struct hbc_probe_asker *asker, const struct hbc_wire_ask *ask);
/* Nodes end the rounds that the socket has asked for in @group. Context: process. */
void hbc_probe_ask_stop(struct hbc_group *group, u32 portid);
/*
 * The netlink socket has gone. Nodes end what they do for it as soon as they notice.
 * Context: process.
 */
void hbc_probe_ask_end(struct hbc_net *hn, u32 portid);

/* What a node says of a round, with so many @figures; without @w that it is not reached. */
struct hbc_probe_news {
	const struct hbc_probe *probe;
	u32 round;
	int error;	/* why not, a positive errno */
	const struct hbc_wire_sample *w;
	unsigned int figures;
};

/*
 * Tells the netlink socket @portid alone. Without memory, or room in the socket, the socket is
 * told that something is missing. api/ has it. Context: @news->probe->run.
 */
void hbc_probe_tell(const struct hbc_probe_news *news, u32 portid);

#endif /* _HBC_PROBE_ASK_H */
