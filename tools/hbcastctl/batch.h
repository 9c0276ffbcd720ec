/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of commands, one a line. */
#ifndef HBCASTCTL_BATCH_H
#define HBCASTCTL_BATCH_H

#include "cmd.h"

int hbatch_run(struct hbctl *ctl, const char *path, bool force,
	       int (*run)(struct hbctl *ctl, int argc, char **argv));

#endif /* HBCASTCTL_BATCH_H */
