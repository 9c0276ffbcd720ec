/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _HBC_SELFTESTS_AGAIN_H
#define _HBC_SELFTESTS_AGAIN_H

#include "wire_probe.h"

/**
 * again() - read a frame and write what was read
 * @frame: @len bytes, a frame at the start
 * @len: bytes that may be read
 * @out: HBC_FRAGMENT_MAX bytes; what the frame says, in wire form
 *
 * Return: bytes written, which is the frame's length; -EAGAIN where @len ends
 * before the frame does; what hbc_wire_get_hdr() or the type's own function
 * says against the frame.
 */
int again(const u8 *frame, unsigned int len, u8 *out);

#endif /* _HBC_SELFTESTS_AGAIN_H */
