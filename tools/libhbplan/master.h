/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the master program, which weighs the trees that are known. */
#ifndef HBPLAN_MASTER_H
#define HBPLAN_MASTER_H

#include <stddef.h>
#include <stdint.h>

#include "colgen.h"
#include "error.h"
#include "packing.h"

/**
 * struct hbp_master - trees, their weights, and the rows that hold them back
 * @cg: whose trees they are; receives their rate in units of weight
 * @packing: the program; a column is a tree, by number
 * @unit: Mbit/s of one unit of weight
 * @over: by how much weights are too large, 1 if they are not
 * @room: for how many trees @cg has room
 * @place: of each row: its place in the program, HBP_NONE if it is not there
 * @n_placed: how many are
 * @price: of each row, by the program
 * @busy: of each row, its load by the program's weights
 * @load: of each row, 0 between uses
 * @loaded: rows whose load is not 0
 * @n_loaded: how many
 * @index: room for a row or column
 * @value: likewise
 */
struct hbp_master {
	struct hbp_colgen *cg;
	struct hbp_packing *packing;
	double unit;
	double over;
	size_t room;
	size_t *place;
	size_t n_placed;
	double *price;
	double *busy;
	double *load;
	size_t *loaded;
	size_t n_loaded;
	size_t *index;
	double *value;
};

int hbp_master_init(struct hbp_master *m, struct hbp_colgen *cg, size_t most);
void hbp_master_clear(struct hbp_master *m);
int hbp_master_scale(struct hbp_master *m, const size_t *into, double *busy,
		     struct hbp_error *err);
int hbp_master_add(struct hbp_master *m, const size_t *into, struct hbp_error *err);
void hbp_master_sum(struct hbp_master *m, double *sum);
int hbp_master_solve(struct hbp_master *m, struct hbp_error *err);
double hbp_master_cost(const struct hbp_master *m, const size_t *into);
double hbp_master_mbps(const struct hbp_master *m, size_t tree);

#endif /* HBPLAN_MASTER_H */
