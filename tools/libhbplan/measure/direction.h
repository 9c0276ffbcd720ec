/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: one direction of a link in a platform's file. */
#ifndef HBPLAN_DIRECTION_H
#define HBPLAN_DIRECTION_H

#include <stdint.h>

#include <jansson.h>

json_t *hbp_direction_of(json_t *links, uint32_t from, uint32_t to);
json_t *hbp_direction_measured(json_t *object, const char *method, const char *time);

#endif /* HBPLAN_DIRECTION_H */
