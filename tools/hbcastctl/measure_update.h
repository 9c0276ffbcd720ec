/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hbcastctl measure update: what broadcasts have shown goes into a file. */
#ifndef HBCASTCTL_MEASURE_UPDATE_H
#define HBCASTCTL_MEASURE_UPDATE_H

#include "cmd.h"

int hbmeas_update(struct hbctl *ctl, int argc, char **argv);

#endif /* HBCASTCTL_MEASURE_UPDATE_H */
