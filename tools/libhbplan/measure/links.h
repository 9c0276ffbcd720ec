/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows that fill the links of a tree. */
#ifndef HBPLAN_LINKS_H
#define HBPLAN_LINKS_H

#include <stddef.h>

#include "measure/sketch.h"
#include "measure/tests.h"

int hbp_links_between(struct hbp_tests *tests, const struct hbp_sketch *sketch,
		      size_t at, size_t from, size_t to);
size_t hbp_links_most(const struct hbp_sketch *sketch, size_t arc);
int hbp_links_arc(struct hbp_tests *tests, const struct hbp_sketch *sketch, size_t arc,
		  size_t most);

#endif /* HBPLAN_LINKS_H */
