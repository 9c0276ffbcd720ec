/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the cheapest arcs from hosts behind switches, by the place where they are. */
#ifndef HBPLAN_PLACES_H
#define HBPLAN_PLACES_H

#include <stdint.h>

#include "circles.h"
#include "evaluate.h"

struct hbp_places;
struct hbp_switched;

struct hbp_places *hbp_places_alloc(const struct hbp_switched *switched,
				    enum hbp_ports ports, struct hbp_circles *circles);
void hbp_places_free(struct hbp_places *p);
int hbp_places_begin(struct hbp_places *p, const double *costs);
uint32_t hbp_places_take(struct hbp_places *p, uint32_t node, double *cost);
double hbp_places_cost(const struct hbp_places *p, uint32_t arc);
void hbp_places_join(struct hbp_places *p, uint32_t node, uint32_t circle, double cost);

#endif /* HBPLAN_PLACES_H */
