/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes on lanes: connections to nodes as a parent who has the key, or from
 * them as a child. Work items of the module read them, where KCOV does not see
 * it; so what is answered to what, and how a lane ends, makes signals.
 */
#ifndef _HBC_FUZZ_LANE_H
#define _HBC_FUZZ_LANE_H

#include "choices.h"

void lane_open(void);

/* Ends all lanes, and takes none that comes from before. */
void lane_reset(void);

/* Prints how many frames of each type have been taken. */
void lane_show(void);

/* One call of a program. */
void call_lane_connect(struct choices *c);
void call_lane_accept(struct choices *c);
void call_lane_send(struct choices *c);
void call_lane_read(struct choices *c);
void call_lane_close(struct choices *c);

#endif /* _HBC_FUZZ_LANE_H */
