/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network that was found. */
#ifndef HBPLAN_INFERRED_H
#define HBPLAN_INFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "measure/overheads.h"
#include "measure/sketch.h"
#include "platform.h"

#define HBP_INFER_HOSTS_MAX	256
/* Switches of a platform for each host, at most: one of the tree, and two of its own. */
#define HBP_INFERRED_SWITCHES	3

/**
 * struct hbp_inferred - a network as tests show it
 * @ids: of the hosts that were reached, in ascending order; host i of @sketch has the
 *	i-th
 * @n_lost: hosts that were not reached
 * @lost: their ids, in ascending order
 * @n_odd: hosts that were left out of the tree, and put beside the nearest one
 * @odd: their ids
 * @sketch: the tree, with capacities; NULL where fewer than two hosts were reached
 * @overheads: of each host of @sketch, in its order
 * @noise_us: a link between switches that takes less is not seen
 * @misfit_us: how far the tree is from the round trips, at most
 * @tree: whether a tree fits; else @sketch has one switch in the middle
 * @hidden: links that were found by what hosts do to one another
 * @alike: a part; capacities that differ by less cannot be told apart, and are one
 * @rounds: how often flows have begun
 * @complete: nobody has ended it before it was done
 */
struct hbp_inferred {
	uint32_t *ids;
	size_t n_lost;
	uint32_t *lost;
	size_t n_odd;
	uint32_t *odd;
	struct hbp_sketch *sketch;
	struct hbp_overheads *overheads;
	double noise_us;
	double misfit_us;
	bool tree;
	size_t hidden;
	double alike;
	size_t rounds;
	bool complete;
};

void hbp_inferred_clear(struct hbp_inferred *inferred);
uint32_t hbp_inferred_id(const struct hbp_inferred *inferred, size_t node);
size_t hbp_inferred_arc(const struct hbp_inferred *inferred, size_t from, size_t to);
int hbp_inferred_platform(const struct hbp_inferred *inferred,
			  struct hbp_platform **out, struct hbp_error *err);

#endif /* HBPLAN_INFERRED_H */
