/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The labs that are up: one file each under /run. */
#ifndef HBCASTCTL_LAB_STATE_H
#define HBCASTCTL_LAB_STATE_H

#include <stdbool.h>

#include <jansson.h>

#include "lab_net.h"

#define HBLAB_STATE_DIR		"/run/hbcast/lab"

int hblab_state_add(struct hbctl *ctl, const struct hblab_net *net);
int hblab_state_read(struct hbctl *ctl, const char *name, json_t **state);
int hblab_state_load(struct hbctl *ctl, const char *name,
		     struct hblab_net **out);
int hblab_state_remove(struct hbctl *ctl, const char *name);
int hblab_state_names(struct hbctl *ctl, json_t **names);

#endif /* HBCASTCTL_LAB_STATE_H */
