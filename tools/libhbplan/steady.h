/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the steady state of many messages, and what it keeps busy. */
#ifndef HBPLAN_STEADY_H
#define HBPLAN_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arborescence.h"
#include "error.h"
#include "evaluate.h"
#include "input.h"

struct hbp_switched;

/* Paper 001: a transfer over several ports keeps its sender busy for so much of the fastest one. */
#define HBP_SEND_PART	0.8

/**
 * struct hbp_uses - what a pair keeps busy
 * @n: number of rows
 * @rows: those rows: links of the way, the last first; ports; links that only
 *	acknowledgements pass
 * @uses: for which part of the time each is busy if the pair carries 1 Mbit/s
 */
struct hbp_uses {
	size_t n;
	const uint32_t *rows;
	const double *uses;
};

/**
 * struct hbp_steady - who can send to whom, and what that keeps busy
 * @ports: what holds nodes back; HBP_ANY_PORTS if the links of a platform alone do
 * @acks: acknowledgements count
 * @n: number of members; their places in the input are their numbers here
 * @switched: hosts behind switches whose pairs are not listed: the pair of hosts i
 *	and j has number i * n + j, and there is nothing below but @n_rows, @sends,
 *	@ports_least and @own; else NULL
 * @n_arcs: number of pairs that can send
 * @arcs: those pairs, ascending by sender, then receiver
 * @mbps: what each pair reaches alone
 * @n_rows: number of ports and links that can be busy
 * @sends: the first of @n rows that are ports that send; HBP_NONE if none are
 * @first: index of each arc's first use; @n_arcs + 1 entries
 * @back: of each arc, the first of its uses that only acknowledgements have
 * @rows: what it keeps busy
 * @uses: for which part of the time, if it carries 1 Mbit/s
 * @ports_least: of each port, as their rows stand, what one of its pairs that are not
 *	listed uses at least if it carries 1 Mbit/s; 0 if it has none
 * @own: of a pair that is not listed: room for what it keeps busy, and for the way back;
 *	for which part of the time 1 Mbit/s keeps each link busy, and which part of that
 *	acknowledgements take on the way back
 */
struct hbp_steady {
	enum hbp_ports ports;
	bool acks;
	size_t n;
	struct hbp_switched *switched;
	size_t n_arcs;
	struct hbp_arc *arcs;
	double *mbps;
	size_t n_rows;
	size_t sends;
	size_t *first;
	size_t *back;
	uint32_t *rows;
	double *uses;
	double *ports_least;
	struct hbp_own {
		uint32_t *rows;
		double *uses;
		uint32_t *back;
		double *link_uses;
		double acks;
	} own;
};

int hbp_steady_alloc(struct hbp_input *in, enum hbp_ports ports,
		     struct hbp_steady **out, struct hbp_error *err);
int hbp_steady_switched(struct hbp_input *in, enum hbp_ports ports,
			struct hbp_steady **out, struct hbp_error *err);
void hbp_steady_free(struct hbp_steady *steady);
void hbp_steady_costs(const struct hbp_steady *steady, const double *prices,
		      double mbps, double *costs);
void hbp_steady_least(const struct hbp_steady *steady, double mbps, double *least);
int64_t *hbp_steady_times(const struct hbp_steady *steady);
int hbp_steady_idle(struct hbp_steady *steady, size_t root, const double *mbps);
void hbp_steady_heads(const struct hbp_steady *steady, size_t *first,
		      size_t *arcs);
struct hbp_arc hbp_steady_pair(const struct hbp_steady *steady, size_t arc);
struct hbp_uses hbp_steady_uses(const struct hbp_steady *steady, size_t arc);
size_t hbp_steady_into(const struct hbp_steady *steady, size_t to, size_t *arcs);
size_t hbp_steady_arc(const struct hbp_steady *steady, size_t from, size_t to);

#endif /* HBPLAN_STEADY_H */
