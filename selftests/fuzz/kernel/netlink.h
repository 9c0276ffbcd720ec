/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink messages, made by the tables of the spec, and spoilt. */
#ifndef _HBC_FUZZ_NETLINK_H
#define _HBC_FUZZ_NETLINK_H

#include "choices.h"

void netlink_open(void);

/* New sockets, nodes, a group and plans: 4 to 5 to 6, 5 to 4 and 6, both to 9. */
void netlink_reset(void);

/* Makes signals of what the nodes say of lanes and of what was dropped. */
void netlink_look(void);

/* One call of a program. */
void call_request(struct choices *c);	/* one that may be good */
void call_spoilt(struct choices *c);	/* one that is not */
void call_batch(struct choices *c);	/* several in one datagram */
void call_dump(struct choices *c);
void call_plan(struct choices *c);	/* a good upload */
void call_upload(struct choices *c);	/* one that may be bad */
void call_node(struct choices *c);	/* a node as it was at the beginning */
void call_netlink_close(struct choices *c);

#endif /* _HBC_FUZZ_NETLINK_H */
