/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lanes of a group have shown at some nodes: lists that "show lane" has written. */
#ifndef HBCASTCTL_LANE_LIST_H
#define HBCASTCTL_LANE_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <jansson.h>

#include "cmd.h"

/**
 * struct hblanes - lanes of a group
 * @ctl: the run
 * @group: the group's id
 * @now: the time
 * @files: of lanes, by name; without any the lanes of this node are read
 * @n_files: how many
 * @rows: lanes of the group that the node sends on, of all nodes; owned
 * @nodes: ids of the nodes whose lanes are known, as keys; owned
 */
struct hblanes {
	struct hbctl *ctl;
	uint32_t group;
	time_t now;
	const char **files;
	size_t n_files;
	json_t *rows;
	json_t *nodes;
};

int hblanes_parse(struct hbctl *ctl, const char *key, const char *word, void *dest);
int hblanes_read(struct hblanes *l);
double hblanes_number(const json_t *row, const char *key);
void hblanes_clear(struct hblanes *l);

#endif /* HBCASTCTL_LANE_LIST_H */
