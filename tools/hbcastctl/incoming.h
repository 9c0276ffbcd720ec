/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message on its way into a file, which this command writes, or the kernel. What the kernel
 * has written can be kept for when the message comes again.
 */
#ifndef HBCASTCTL_INCOMING_H
#define HBCASTCTL_INCOMING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/hbcast.h>

#include "cmd.h"

#define INCOMING_WHY	(2 * PATH_MAX + 256)

/**
 * struct hbincoming - a message that has a file
 * @next: another one
 * @root: who sent it
 * @message: its id
 * @total: its length
 * @have: bytes that have come
 * @fd: the file
 * @lock: keeps other commands away from one that can be kept
 * @part: the file's name while it is not whole
 * @list: name of the list of what is in it, if that can be kept
 * @stays: the file stays when the message is dropped, under whatever name it has
 * @listed: there is such a list
 * @unsaved: the last one could not be written
 * @due: a list is to be written, or the file is to get its name
 * @over: all has come, or with @error not all will
 * @error: why not
 * @reason: why not, as an enum hbcast_reason
 * @sink: what the kernel says of a message that it writes
 * @map: of such a one, the pieces that are in the file; else NULL; owned
 */
struct hbincoming {
	struct hbincoming *next;
	uint32_t root;
	uint64_t message;
	uint64_t total;
	uint64_t have;
	int fd;
	int lock;
	char part[PATH_MAX];
	char list[PATH_MAX];
	bool stays;
	bool listed;
	bool unsaved;
	bool due;
	bool over;
	int error;
	uint16_t reason;
	struct hbcast_sink sink;
	uint64_t *map;
};

struct hbincoming *hbincoming_search(struct hbincoming *list, uint32_t root,
				     uint64_t message);
int hbincoming_begin(struct hbctl *ctl, struct hbincoming **list, const char *path, bool dir,
		     const struct hbcast_sink *sink, struct hbincoming **out);
int hbincoming_save(const struct hbincoming *in);
void hbincoming_saved(struct hbctl *ctl, struct hbincoming *in, int err);
void hbincoming_why(const struct hbincoming *in, char *buf, size_t len);
bool hbincoming_keep(struct hbincoming *in);
int hbincoming_find(struct hbctl *ctl, struct hbincoming **list,
		    const char *path, uint32_t root,
		    const struct hbcast_piece *piece, struct hbincoming **out);
int hbincoming_write(struct hbctl *ctl, struct hbincoming *in, const void *data,
		     size_t len, uint64_t offset);
int hbincoming_finish(struct hbctl *ctl, struct hbincoming *in, const char *path);
void hbincoming_drop(struct hbincoming **list, struct hbincoming *in);

#endif /* HBCASTCTL_INCOMING_H */
