/* SPDX-License-Identifier: GPL-2.0 */
/* Asks: what the child at the other end of a lane lacks, so that repairs find their way. */
#ifndef _HBC_ASK_H
#define _HBC_ASK_H

#include <linux/types.h>

struct hbc_lane;
struct hbc_nack;
struct hbc_range;

#define HBC_ASKS_MAX	256	/* messages per lane */

/*
 * What the child lacks of a message, beside what he has said before. What there
 * is no memory or no room for is forgotten: he will ask again. Context: process,
 * the lane's receive work.
 */
void hbc_ask_note(struct hbc_lane *lane, const struct hbc_nack *f, const struct hbc_range *range);
/* Whether he lacks some of @bytes bytes from @first of the message on. Context: any. */
bool hbc_ask_wants(struct hbc_lane *lane, u64 message, u64 first, u64 bytes);
/*
 * He is about to be told of a message: what he says then takes the place of what he
 * has said before. Context: process.
 */
void hbc_ask_age(struct hbc_lane *lane, u64 message);
/* Forget them all. Context: process. */
void hbc_ask_clear(struct hbc_lane *lane);

#endif /* _HBC_ASK_H */
