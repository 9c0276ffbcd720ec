/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the experiments share. */
#ifndef HBC_SELFTESTS_FIGURES_H
#define HBC_SELFTESTS_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "hbplan.h"

/**
 * enum scale - how large an experiment is
 * @TINY: a second, for tests
 * @USUAL: some minutes
 * @FULL: as the paper has it
 * @SCALES: how many there are
 */
enum scale { TINY, USUAL, FULL, SCALES };

/**
 * struct run - what was asked for
 * @dir: where tables go
 * @scale: how large
 * @seed: of all that is drawn
 * @data: directory of measured networks, or NULL
 */
struct run {
	const char *dir;
	enum scale scale;
	uint64_t seed;
	const char *data;
};

void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
size_t pick(const struct run *run, size_t tiny, size_t usual, size_t full);
struct hbp_plan *plan_by(const char *name, const struct hbp_request *rq);
struct hbp_evaluation *evaluate_by(enum hbp_model model,
				   const struct hbp_plan *plan,
				   struct hbp_input *in);

void churn(const struct run *run);
void hnow(const struct run *run);
void measured(const struct run *run);
void ports(const struct run *run);
void stable(const struct run *run);
void swapping(const struct run *run);
void wan(const struct run *run);

#endif /* HBC_SELFTESTS_FIGURES_H */
