/* SPDX-License-Identifier: GPL-2.0 */
/* The TCP connection of a lane: made, taken over, given up. */
#ifndef _HBC_CONN_H
#define _HBC_CONN_H

struct hbc_lane;
struct socket;

/* All of these: context process, tx_mutex and the socket's lock not held. */

/* Begins to connect to lane->addr; if it cannot, the lane fails. Life work. */
void hbc_conn_open(struct hbc_lane *lane);
/* The lane takes @sock over: its callbacks run the lane's work from now on. */
void hbc_conn_adopt(struct hbc_lane *lane, struct socket *sock);
/* Gives lane->sock up, if it has one; the receive and send work have ended. Life work. */
void hbc_conn_end(struct hbc_lane *lane);
/* Releases a connection that is no lane's. */
void hbc_conn_drop(struct socket *sock);

/* Sends bytes by MSG_* flags: how many, or -errno. tx_mutex may be held. */
int hbc_conn_send(struct socket *sock, const void *data, unsigned int len, int flags);

#endif /* _HBC_CONN_H */
