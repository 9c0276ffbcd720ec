/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the largest rate of weighted trees, by column generation. */
#ifndef HBPLAN_COLGEN_H
#define HBPLAN_COLGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "plan.h"
#include "steady.h"

struct hbp_search;

/**
 * struct hbp_colgen - trees, weights, and the proof that there are no better
 * @steady: what holds trees back
 * @root: number of the root
 * @n_trees: number of trees that have been tried
 * @trees: each an array of @steady->n - 1 arcs, by number
 * @mbps: their weights
 * @rate: sum of the weights, Mbit/s
 * @bound: no weights have a larger sum
 * @prices: of each row; the cheapest tree at these prices costs the sum of all
 *	prices over @bound
 * @rounds: how many trees were asked for
 * @search: what finds them
 */
struct hbp_colgen {
	const struct hbp_steady *steady;
	size_t root;
	size_t n_trees;
	uint32_t **trees;
	double *mbps;
	double rate;
	double bound;
	double *prices;
	size_t rounds;
	struct hbp_search *search;
};

/**
 * struct hbp_like - what was found where transfers take other times
 * @n_trees: number of trees
 * @trees: arcs of each, as of struct hbp_colgen, the heaviest first
 * @prices: of each row
 */
struct hbp_like {
	size_t n_trees;
	const uint32_t **trees;
	const double *prices;
};

double hbp_colgen_gap(const struct hbp_steady *steady);
int hbp_colgen_run(const struct hbp_steady *steady, size_t root,
		   const struct hbp_like *like, struct hbp_colgen **out,
		   struct hbp_error *err);
void hbp_colgen_free(struct hbp_colgen *cg);
int hbp_colgen_choose(struct hbp_colgen *cg, const bool *chosen, double *rate,
		      struct hbp_error *err);
int hbp_colgen_even(struct hbp_colgen *cg, size_t most, struct hbp_error *err);

#endif /* HBPLAN_COLGEN_H */
