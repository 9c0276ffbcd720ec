/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Certificates: what proves that no plan is better. */
#ifndef HBPLAN_CERTIFICATE_H
#define HBPLAN_CERTIFICATE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "evaluate.h"
#include "tree.h"

/**
 * enum hbp_priced - what can be busy
 * @HBP_PRICED_SENDER: a node's port that sends
 * @HBP_PRICED_RECEIVER: a node's port that receives
 * @HBP_PRICED_LINK: one direction of a link of a platform; of a cost matrix,
 *	what a pair of nodes has for itself
 */
enum hbp_priced {
	HBP_PRICED_SENDER,
	HBP_PRICED_RECEIVER,
	HBP_PRICED_LINK,
};

/**
 * struct hbp_price - what it costs to keep something busy all the time
 * @what: what it is
 * @from: id of the node whose port it is, or that the link leaves
 * @to: id of the node that the link enters
 * @mbps: positive; what a tree of 1 Mbit/s pays is this for each part of the
 *	time in which it keeps it busy
 */
struct hbp_price {
	enum hbp_priced what;
	uint32_t from;
	uint32_t to;
	double mbps;
};

/**
 * struct hbp_cut - links that all data for some nodes must pass
 * @n_nodes: number of nodes, at least 1
 * @nodes: their ids, ascending; without the links the root reaches none of them
 * @n_links: number of links, at least 1
 * @links: directions of links, ascending
 * @capacity_bps: of the links together
 */
struct hbp_cut {
	size_t n_nodes;
	uint32_t *nodes;
	size_t n_links;
	struct hbp_edge *links;
	int64_t capacity_bps;
};

/**
 * struct hbp_certificate - what proves that no plan is better
 * @model: what holds trees back: HBP_MODEL_ONE_PORT, HBP_MODEL_MULTI_PORT, or
 *	HBP_MODEL_FLUID, where links alone do
 * @n_prices: number of prices, maybe 0
 * @prices: if there are some, every tree that spans all members pays at least 1,
 *	so that no trees are faster together than the sum of all prices
 * @n_cuts: number of cuts, maybe 0
 * @cuts: no node of a cut receives more than its links together have; no node
 *	is in two of them
 */
struct hbp_certificate {
	enum hbp_model model;
	size_t n_prices;
	struct hbp_price *prices;
	size_t n_cuts;
	struct hbp_cut *cuts;
};

struct hbp_certificate *hbp_certificate_alloc(enum hbp_model model,
					      size_t n_prices, size_t n_cuts);
double hbp_certificate_gap(const struct hbp_certificate *certificate,
			   const struct hbp_evaluation *predicted);
void hbp_certificate_free(struct hbp_certificate *certificate);

#endif /* HBPLAN_CERTIFICATE_H */
