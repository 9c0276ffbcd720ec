/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that live in a lab. */
#ifndef HBCASTCTL_LAB_USER_H
#define HBCASTCTL_LAB_USER_H

#include <jansson.h>

#include "cmd.h"

void hblab_warn_users(struct hbctl *ctl, const json_t *namespaces);

#endif /* HBCASTCTL_LAB_USER_H */
