/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making an emulated network, and taking it down. */
#ifndef HBCASTCTL_LAB_BUILD_H
#define HBCASTCTL_LAB_BUILD_H

#include <jansson.h>

#include "lab_net.h"

int hblab_check_free(struct hbctl *ctl, const struct hblab_net *net);
int hblab_build(struct hbctl *ctl, const struct hblab_net *net);
int hblab_demolish(struct hbctl *ctl, const json_t *namespaces);

#endif /* HBCASTCTL_LAB_BUILD_H */
