/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does an emulated network give what it was asked for? */
#ifndef HBCASTCTL_LAB_CHECK_H
#define HBCASTCTL_LAB_CHECK_H

#include <stdio.h>

#include <jansson.h>

#include "lab_net.h"

int hblab_check(struct hbctl *ctl, const struct hblab_net *net,
		json_t **result);
void hblab_check_text(struct hbctl *ctl, const json_t *result, FILE *out);
int hblab_check_verdict(struct hbctl *ctl, const json_t *result);

#endif /* HBCASTCTL_LAB_CHECK_H */
