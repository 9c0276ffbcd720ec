/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that delete something. */
#ifndef HBCASTCTL_DELETE_H
#define HBCASTCTL_DELETE_H

#include <stdint.h>

#include "cmd.h"

int hbdelete_run(struct hbctl *ctl, uint8_t cmd, int attr, const char *what,
		 int argc, char **argv);

#endif /* HBCASTCTL_DELETE_H */
