/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan is made from and judged on: a cost matrix, a platform, an HNOW. */
#ifndef HBPLAN_INPUT_H
#define HBPLAN_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "age.h"
#include "costs.h"
#include "error.h"
#include "hnow.h"
#include "platform.h"

/* Kinds of input; a planner names those that it takes. */
#define HBP_INPUT_COSTS		(1u << 0)
#define HBP_INPUT_PLATFORM	(1u << 1)
#define HBP_INPUT_HNOW		(1u << 2)

/**
 * struct hbp_input - a cost matrix, a platform or an HNOW
 * @name: what error sentences call it; owned
 * @kind: HBP_INPUT_COSTS, HBP_INPUT_PLATFORM, or for an HNOW, which tells what
 *	pairs cost, HBP_INPUT_HNOW | HBP_INPUT_COSTS
 * @costs: the cost matrix; of a platform NULL until hbp_input_costs() makes it;
 *	owned
 * @platform: the platform, or NULL; owned
 * @hnow: the HNOW, whose hosts' places are those of members, or NULL; owned
 * @n: number of members: nodes of the matrix, hosts of the platform or HNOW
 * @members: their ids in ascending order; a member's place here is also its
 *	row in @costs; owned
 * @age: when its bandwidths were measured
 */
struct hbp_input {
	char *name;
	unsigned int kind;
	struct hbp_costs *costs;
	struct hbp_platform *platform;
	struct hbp_hnow *hnow;
	size_t n;
	uint32_t *members;
	struct hbp_age age;
};

int hbp_input_load(const char *path, const struct hbp_warn *warn,
		   struct hbp_input **out, struct hbp_error *err);
int hbp_input_parse(const char *text, size_t len, const char *name,
		    const struct hbp_warn *warn, struct hbp_input **out,
		    struct hbp_error *err);
int hbp_input_make(const char *name, struct hbp_costs *costs,
		   struct hbp_platform *platform, struct hbp_input **out,
		   struct hbp_error *err);
void hbp_input_free(struct hbp_input *in);
const char *hbp_kind_name(unsigned int kind);
int hbp_input_drop(struct hbp_input *in, uint32_t id, struct hbp_error *err);
void hbp_input_count(struct hbp_input *in);
size_t hbp_input_find(const struct hbp_input *in, uint32_t id);
const char *hbp_input_label(const struct hbp_input *in, uint32_t id);
int hbp_input_costs(struct hbp_input *in, const struct hbp_costs **out,
		    struct hbp_error *err);

#endif /* HBPLAN_INPUT_H */
