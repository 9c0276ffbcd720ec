/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: hosts in the order in which a depth-first walk meets them. */
#ifndef HBPLAN_VISIT_H
#define HBPLAN_VISIT_H

#include <stddef.h>
#include <stdint.h>

#include "platform.h"

int hbp_visit(const struct hbp_platform *platform, size_t root,
	      const int64_t *left, size_t *hosts, size_t *n);

#endif /* HBPLAN_VISIT_H */
