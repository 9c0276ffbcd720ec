/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One datagram for netlink, in the making. There is one at a time. */
#ifndef _HBC_FUZZ_MESSAGE_H
#define _HBC_FUZZ_MESSAGE_H

#include "choices.h"
#include "spec.h"

#define MESSAGE_MAX	(1 << 16)

/**
 * struct message - a datagram
 * @len: bytes in it
 * @first: where its last message starts
 * @data: what does not fit any more is left out
 */
struct message {
	unsigned int len;
	unsigned int first;
	u8 data[MESSAGE_MAX];
};

/* A datagram that begins with a request; message_end() before it is sent. */
struct message *message_start(u16 family, u8 cmd);

/* Another request behind what has ended; an empty one before is overwritten. */
void message_next(struct message *m, u16 family, u8 cmd);

void message_put(struct message *m, u16 number, const void *value, unsigned int len);
void message_put_u32(struct message *m, u16 number, u32 value);
unsigned int message_nest(struct message *m, u16 number);
void message_nest_end(struct message *m, unsigned int nest);
void message_end(struct message *m);

/* Attributes that are good, or nearly; some of which are not if it is @spoilt. */
void message_put_request(struct choices *c, struct message *m, const struct command_spec *cmd,
			 bool spoilt);

/* Changes bytes of it at random, and its length. */
void message_spoil(struct choices *c, struct message *m);

#endif /* _HBC_FUZZ_MESSAGE_H */
