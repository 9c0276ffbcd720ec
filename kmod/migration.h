/* SPDX-License-Identifier: GPL-2.0 */
/* Migration: messages that are on their way take the trees of a newer plan. */
#ifndef _HBC_MIGRATION_H
#define _HBC_MIGRATION_H

#include <linux/types.h>

struct hbc_origin;
struct list_head;

/* Whether there may be something to do, soon: a look is due. origin->lock held. */
bool hbc_migration_due(struct hbc_origin *origin);
/*
 * Messages of older epochs go on along the newest one's trees, if all members have them
 * and nobody who waits for the message is left out; what is complete by that moves to
 * @finished. Context: process, origin->pump held.
 */
void hbc_migration_run(struct hbc_origin *origin, struct list_head *finished);

#endif /* _HBC_MIGRATION_H */
