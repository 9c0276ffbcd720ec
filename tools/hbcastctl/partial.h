/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of which a message's beginning, or other parts, have come, and beside it the list of
 * these parts, which outlives the command, and the machine.
 */
#ifndef HBCASTCTL_PARTIAL_H
#define HBCASTCTL_PARTIAL_H

#include <stdint.h>

#include <linux/hbcast.h>

#include "cmd.h"

int hbpartial_open(struct hbctl *ctl, const char *part, const char *list,
		   const struct hbcast_sink *message, uint64_t *map, int *lock);
int hbpartial_save(int fd, const char *list, const struct hbcast_sink *message,
		   const uint64_t *map);

#endif /* HBCASTCTL_PARTIAL_H */
