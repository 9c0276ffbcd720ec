/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: what a column of a foreign file tells, and in which unit. */
#ifndef HBPLAN_QUANTITY_H
#define HBPLAN_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A latency or a bandwidth that the file does not tell. */
#define HBP_UNTOLD	(-1)

/**
 * struct hbp_quantity - what numbers mean
 * @name: with the unit, such as "rtt_ms"
 * @bandwidth: is it a bandwidth, or a latency
 * @factor: makes it microseconds one way, or Mbit/s
 * @zero: does 0 say that there is none or that it was not measured
 */
struct hbp_quantity {
	const char *name;
	bool bandwidth;
	double factor;
	bool zero;
};

const struct hbp_quantity *hbp_quantity_find(const char *name);
void hbp_quantity_names(char *buf, size_t len);
const char *hbp_quantity_read(const struct hbp_quantity *quantity,
			      const char *text, int64_t *value);

#endif /* HBPLAN_QUANTITY_H */
