/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A message on its way into a file, which this command writes, or the kernel. */
#ifndef HBCASTCTL_INCOMING_H
#define HBCASTCTL_INCOMING_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/hbcast.h>

#include "cmd.h"

/**
 * struct hbincoming - a message that has a file
 * @next: another one
 * @root: who sent it
 * @message: its id
 * @total: its length
 * @have: bytes that have come
 * @fd: the file
 * @part: the file's name while it is not whole
 */
struct hbincoming {
	struct hbincoming *next;
	uint32_t root;
	uint64_t message;
	uint64_t total;
	uint64_t have;
	int fd;
	char part[PATH_MAX];
};

struct hbincoming *hbincoming_search(struct hbincoming *list, uint32_t root,
				     uint64_t message);
int hbincoming_begin(struct hbctl *ctl, struct hbincoming **list,
		     const char *path, struct hbincoming **out);
int hbincoming_find(struct hbctl *ctl, struct hbincoming **list,
		    const char *path, uint32_t root,
		    const struct hbcast_piece *piece, struct hbincoming **out);
int hbincoming_write(struct hbctl *ctl, struct hbincoming *in, const void *data,
		     size_t len, uint64_t offset);
int hbincoming_finish(struct hbctl *ctl, struct hbincoming *in,
		      const char *path);
void hbincoming_drop(struct hbincoming **list, struct hbincoming *in);

#endif /* HBCASTCTL_INCOMING_H */
