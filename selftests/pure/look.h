/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _HBC_SELFTESTS_LOOK_H
#define _HBC_SELFTESTS_LOOK_H

#include "wire/probe.h"

/**
 * look() - read a frame as a lane does, and its fields as their users do
 * @frame: @len bytes, a frame at the start
 * @len: bytes that may be read
 *
 * The fields of a frame that is accepted must be what its users rely on: else the program
 * aborts.
 *
 * Return: the frame's length; -EAGAIN where @len ends before the frame does; what wire.c says
 * against it.
 */
int look(const u8 *frame, unsigned int len);

#endif /* _HBC_SELFTESTS_LOOK_H */
