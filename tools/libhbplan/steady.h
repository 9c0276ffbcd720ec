/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the steady state of many messages, and what it keeps busy. */
#ifndef HBPLAN_STEADY_H
#define HBPLAN_STEADY_H

#include <stddef.h>
#include <stdint.h>

#include "arborescence.h"
#include "certificate.h"
#include "error.h"
#include "evaluate.h"
#include "input.h"

/**
 * struct hbp_steady - who can send to whom, and what that keeps busy
 * @ports: what holds nodes back; HBP_ANY_PORTS if the links of a platform alone do
 * @n: number of members; their places in the input are their numbers here
 * @n_arcs: number of pairs that can send
 * @arcs: those pairs, ascending by sender, then receiver
 * @mbps: what each pair reaches alone
 * @n_rows: number of ports and links that can be busy
 * @sends: the first of @n rows that are ports that send; HBP_NONE if none are
 * @first: index of each arc's first use; @n_arcs + 1 entries
 * @rows: what it keeps busy
 * @uses: for which part of the time, if it carries 1 Mbit/s
 */
struct hbp_steady {
	enum hbp_ports ports;
	size_t n;
	size_t n_arcs;
	struct hbp_arc *arcs;
	double *mbps;
	size_t n_rows;
	size_t sends;
	size_t *first;
	uint32_t *rows;
	double *uses;
};

int hbp_steady_alloc(struct hbp_input *in, enum hbp_ports ports,
		     struct hbp_steady **out, struct hbp_error *err);
void hbp_steady_free(struct hbp_steady *steady);
struct hbp_price hbp_steady_price(const struct hbp_steady *steady,
				  const struct hbp_input *in, size_t row,
				  double mbps);
int64_t *hbp_steady_times(const struct hbp_steady *steady);
int hbp_steady_idle(struct hbp_steady *steady, size_t root, const double *mbps);
void hbp_steady_heads(const struct hbp_steady *steady, size_t *first,
		      size_t *arcs);
size_t hbp_steady_arc(const struct hbp_steady *steady, size_t from, size_t to);

#endif /* HBPLAN_STEADY_H */
