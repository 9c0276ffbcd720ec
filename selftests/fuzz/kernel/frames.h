/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that a lane might carry next. */
#ifndef _HBC_FUZZ_FRAMES_H
#define _HBC_FUZZ_FRAMES_H

#include "choices.h"
#include "world.h"

#define FRAME_ROOM	HBC_FRAME_MAX

/* A frame of one of the types a parent (or a child) says; FRAME_ROOM bytes at most. */
unsigned int frame_choose(struct choices *c, struct lane *lane, u8 *out);

/* Makes the checksum of DATA right again. */
void frame_mend_crc(u8 *frame, unsigned int len);

#endif /* _HBC_FUZZ_FRAMES_H */
