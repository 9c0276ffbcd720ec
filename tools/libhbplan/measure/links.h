/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that fill the links of a tree. */
#ifndef HBPLAN_LINKS_H
#define HBPLAN_LINKS_H

#include <stddef.h>

#include "measure/sketch.h"
#include "measure/tests.h"

int hbp_links_host(struct hbp_tests *tests, const struct hbp_sketch *sketch,
		   size_t host, enum hbp_direction direction);
int hbp_links_inner(struct hbp_tests *tests, const struct hbp_sketch *sketch,
		    size_t node, enum hbp_direction direction);
int hbp_links_between(struct hbp_tests *tests, const struct hbp_sketch *sketch,
		      size_t at, size_t from, size_t to);
int hbp_links_arc(struct hbp_tests *tests, const struct hbp_sketch *sketch, size_t arc);
int hbp_links_all(struct hbp_tests *tests, struct hbp_sketch *sketch,
		  const struct hbp_prober *prober);

#endif /* HBPLAN_LINKS_H */
