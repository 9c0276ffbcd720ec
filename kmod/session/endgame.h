/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a file at a node: lanes that have nothing left are asked for a part of what the
 * latest one owes.
 */
#ifndef _HBC_ENDGAME_H
#define _HBC_ENDGAME_H

#include <linux/types.h>

#include "wire/wire.h"

struct hbc_message;
struct hbc_parent;
struct hbc_run;

/**
 * struct hbc_endgame - who is to bring what has not begun to come
 * @nr: pieces of the message
 * @owed: by each slot: pieces that have not begun to come
 * @tail: of each slot: nothing from it on is left to be asked for elsewhere
 * @asking: of each slot: pieces in @ask that its lane is to be asked for
 * @telling: of each slot: pieces in @tell of which its lane is to be told
 * @slot: of each piece: brings it, or HBC_TAG_NONE once it has begun to come
 * @from: of each piece: brought it before another slot was asked, or HBC_TAG_NONE; once it has
 *	begun to come, the one of both that does not bring it
 * @tell: pieces of which @from's lane is to be told
 * @ask: pieces that @slot's lane is to be asked for; @tell, @slot and @from lie behind it
 *
 * All fields but @nr: session->lock.
 */
struct hbc_endgame {
	u32 nr;
	u32 owed[HBC_MAX_SLOTS];
	u32 tail[HBC_MAX_SLOTS];
	u32 asking[HBC_MAX_SLOTS];
	u32 telling[HBC_MAX_SLOTS];
	u8 *slot;
	u8 *from;
	unsigned long *tell;
	unsigned long ask[];
};

/*
 * LAST has come in another slot; or with @again pieces that have begun to come do not count.
 * Without memory the file ends without it. Context: process, no spinlocks.
 */
void hbc_endgame_begin(struct hbc_message *m, bool again);
/* Lanes, or slots, have changed: it begins anew. Context: as above. */
void hbc_endgame_again(struct hbc_message *m);
/* Pieces of the run have begun to come on a lane of @slot. Context: as above. */
void hbc_endgame_begun(struct hbc_message *m, const struct hbc_run *run, u8 slot);
/* It ends, as the message goes. Context: as above. */
void hbc_endgame_end(struct hbc_message *m);
/* WANT or HAVE of some message for the lane of @slot: its length, or 0. session->lock held. */
unsigned int hbc_endgame_frame(struct hbc_parent *parent, struct hbc_wire_have *w);

#endif /* _HBC_ENDGAME_H */
