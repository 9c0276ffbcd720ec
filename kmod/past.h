/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The past: how far roots had come in a group when their schedules here ended, so
 * that a message that has had its turn is not given once more when a root is back.
 */
#ifndef _HBC_PAST_H
#define _HBC_PAST_H

#include <linux/types.h>

struct hbc_group;

/* All that follows: hn->lock held, but for hbc_past_free(). */

/*
 * Messages of @root up to @id have begun here. Without memory, or when there are
 * too many roots, the oldest is forgotten.
 */
void hbc_past_note(struct hbc_group *group, u32 root, u64 id);
/* Up to which id they have, or 0. */
u64 hbc_past_of(const struct hbc_group *group, u32 root);
/* The group ends; nobody else knows it. */
void hbc_past_free(struct hbc_group *group);

#endif /* _HBC_PAST_H */
