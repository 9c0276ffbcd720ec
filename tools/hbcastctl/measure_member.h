/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who can have a part in a measurement of a group. */
#ifndef HBCASTCTL_MEASURE_MEMBER_H
#define HBCASTCTL_MEASURE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd.h"

/**
 * struct hbmeas_members - nodes
 * @n: how many
 * @ids: theirs, in ascending order once all are there; owned
 * @listed: the group has a list of them
 */
struct hbmeas_members {
	size_t n;
	uint32_t *ids;
	bool listed;
};

void hbmeas_members_add(struct hbmeas_members *members, uint32_t id);
void hbmeas_members_sort(struct hbmeas_members *members);
bool hbmeas_members_have(const struct hbmeas_members *members, uint32_t id);
int hbmeas_members_parse(struct hbctl *ctl, const char *key, const char *word, void *dest);
int hbmeas_members_check(struct hbctl *ctl, uint32_t own, struct hbmeas_members *members);
int hbmeas_members_find(struct hbctl *ctl, uint32_t group, uint32_t own,
			struct hbmeas_members *members);
int hbmeas_own_id(struct hbctl *ctl, uint32_t *own);

#endif /* HBCASTCTL_MEASURE_MEMBER_H */
