/* SPDX-License-Identifier: GPL-2.0 */
/* Progress of files: how much of them has come to a node and all below it, told up slot 0. */
#ifndef _HBC_PROGRESS_H
#define _HBC_PROGRESS_H

#include <linux/types.h>

#include "wire/wire.h"

struct hbc_child;
struct hbc_message;
struct hbc_session;

/**
 * struct hbc_progress - which files are looked at for what is to be told; session->lock
 * @at: low half of the number at which the look goes on
 * @again: one before it is to be looked at, too
 * @left: files that may be looked at until some time has passed
 * @since: jiffies since when
 */
struct hbc_progress {
	unsigned long at;
	bool again;
	unsigned int left;
	unsigned long since;
};

/*
 * More of the message is here, or none is to come: the parent is told now and then. Context:
 * process, no spinlocks.
 */
void hbc_progress_arrived(struct hbc_message *m);
/* ACK of a file has come from a child: 0 or why its lane must end. Context: receive work. */
int hbc_progress_come(struct hbc_child *child, const struct hbc_wire_ack *w);
/* ACK of the next file whose progress is due. Return: its length, or 0. session->lock held. */
unsigned int hbc_progress_frame(struct hbc_session *s, u64 known, struct hbc_wire_ack *w);
/* There is another parent or tree, or a child is dead: all is told anew. session->lock held. */
void hbc_progress_again(struct hbc_session *s);

#endif /* _HBC_PROGRESS_H */
