/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hbcastctl show message explain: what a plan predicted, and what became of it. */
#ifndef HBCASTCTL_SHOW_EXPLAIN_H
#define HBCASTCTL_SHOW_EXPLAIN_H

#include <stdio.h>

#include <jansson.h>

#include "cmd.h"

struct hblanes;

int hbexplain_add(struct hblanes *lanes, const char *path, json_t *message);
void hbexplain_text(struct hbctl *ctl, const json_t *result, FILE *out);

#endif /* HBCASTCTL_SHOW_EXPLAIN_H */
