/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a message has failed at this node, in words. */
#ifndef HBCASTCTL_FAILURE_H
#define HBCASTCTL_FAILURE_H

#include <stdint.h>

const char *hbfailure_text(uint16_t reason, int err);

#endif /* HBCASTCTL_FAILURE_H */
