/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan that is tried before it is trusted. */
#ifndef HBCASTCTL_REHEARSAL_H
#define HBCASTCTL_REHEARSAL_H

#include "cmd.h"

int hbmeas_plan(struct hbctl *ctl, int argc, char **argv);

#endif /* HBCASTCTL_REHEARSAL_H */
