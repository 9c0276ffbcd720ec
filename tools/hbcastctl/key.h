/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that hold a group's key. */
#ifndef HBCASTCTL_KEY_H
#define HBCASTCTL_KEY_H

#include <stddef.h>

#include "cmd.h"

int hbkey_read(struct hbctl *ctl, const char *file, unsigned char *key,
	       size_t *len);
int hbkey_make(struct hbctl *ctl, const char *file);

#endif /* HBCASTCTL_KEY_H */
