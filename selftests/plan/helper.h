/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of libhbplan share. */
#ifndef HBC_SELFTESTS_PLAN_HELPER_H
#define HBC_SELFTESTS_PLAN_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "hbplan.h"

/*
 * In these tests JSON is written with ' for ", and bad texts are good ones with
 * @find replaced by @put. What is said then must be "x: " and the sentence.
 */
struct refusal {
	const char *what;
	const char *find;
	const char *put;
	const char *sentence;
};

typedef int (*text_loader)(const char *text, const struct hbp_warn *warn,
			   struct hbp_error *err);
typedef int (*file_loader)(const char *path, struct hbp_error *err);

char *quoted(const char *text);
void is_refused(int ret, const struct hbp_error *err, const char *what,
		const char *sentence);
void check_refusals(text_loader load, const char *good,
		    const struct refusal *list, size_t n);
void check_broken(text_loader load, file_loader load_file, const char *good);
void check_warnings(text_loader load, const char *text,
		    const char *const *want, size_t n);

struct hbp_input *make_input(const char *text);
struct hbp_input *close_input(FILE *f, char **text);
struct hbp_input *close_links(FILE *f, char **text);
struct hbp_plan *plan_by(const char *name, const struct hbp_request *rq);
struct hbp_plan *make_plan(struct hbp_input *in, const char *name,
			   uint32_t root, uint64_t bytes);
struct hbp_evaluation *evaluate_by(enum hbp_model model,
				   const struct hbp_plan *plan,
				   struct hbp_input *in);
bool same_again(struct hbp_input *in, const struct hbp_plan *plan);
bool text_is(const char *of, char *got, const char *want);
bool edges_are(const struct hbp_plan *plan, const char *want);
const char *add_edges(struct hbp_tree *tree, const char *text);
int64_t planned_rate(const struct hbp_plan *plan, uint32_t id);
int64_t predicted_rate(const struct hbp_plan *plan, uint32_t id);
double sum_of_rates(const struct hbp_plan *plan);

/* A generator that gives the same numbers everywhere. */
struct luck {
	uint64_t state;
};

uint32_t draw_below(struct luck *luck, uint32_t n);

struct hbp_input *random_costs(struct luck *luck, size_t n, bool holes);
struct hbp_input *random_platform(struct luck *luck, size_t hosts,
				  size_t switches, size_t extra, bool even);

struct hbp_input *random_hnow(struct luck *luck, size_t hosts, size_t switches,
			      size_t extra);

uint32_t other_id(uint32_t id);
void relabel(struct hbp_input *in);
void stretch(struct hbp_input *in, int64_t times);

#endif /* HBC_SELFTESTS_PLAN_HELPER_H */
