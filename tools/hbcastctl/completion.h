/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a message is, asked from the socket that sends it. */
#ifndef HBCASTCTL_COMPLETION_H
#define HBCASTCTL_COMPLETION_H

#include <stdbool.h>

#include <jansson.h>

#include <linux/hbcast.h>

#include "cmd.h"

int hbcompletion_get(struct hbctl *ctl, int fd, struct hbcast_completion **c);
json_t *hbcompletion_json(const struct hbcast_completion *c);
void hbcompletion_list(const json_t *nodes, bool failed, char *buf, size_t len);

#endif /* HBCASTCTL_COMPLETION_H */
