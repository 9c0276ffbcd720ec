/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans: what one root uses. */
#ifndef HBPLAN_PLAN_H
#define HBPLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "age.h"
#include "certificate.h"
#include "error.h"
#include "evaluate.h"
#include "objective.h"
#include "replan.h"
#include "tree.h"

#define HBP_PLAN_TREES_MAX	64
#define HBP_PLAN_NODES_MAX	32768
#define HBP_REPLICAS_MAX	(HBP_PLAN_TREES_MAX - 1)

/**
 * struct hbp_replanned - what hbp_replan() did to get a plan
 * @done: it was hbp_replan()
 * @change: what had happened, and how a better tree was looked for
 * @filled: somebody has filled the position of a node that has left
 * @moved: who, if @filled
 * @swapped: two nodes have been swapped
 * @swap: which, if @swapped; the one at the lower position before first
 * @steps: how many swaps it has tried
 * @previous_ns: what the tree cost before the network changed, which is good
 *	enough; HBP_NEVER if nothing tells it or a link was missing, so that all
 *	swaps were tried
 * @increased_ns: what it cost after the change, before any swap; HBP_NEVER if a
 *	link is missing
 */
struct hbp_replanned {
	bool done;
	struct hbp_change change;
	bool filled;
	uint32_t moved;
	bool swapped;
	uint32_t swap[2];
	size_t steps;
	int64_t previous_ns;
	int64_t increased_ns;
};

/**
 * enum hbp_update - how grow counts what a sender does already (paper 001)
 * @HBP_UPDATE_WEIGHTED: by its weighted out-degree
 * @HBP_UPDATE_LITERAL: as the slides' pseudocode has it, earlier children again
 *	with each further one
 */
enum hbp_update {
	HBP_UPDATE_WEIGHTED,
	HBP_UPDATE_LITERAL,
};

/**
 * struct hbp_asked - what a plan's planner was asked for, as far as it takes it
 * @objective: what the plan was to do best
 * @seed: of planners that draw lots, 0 to INT64_MAX
 * @update: of grow
 * @trees: the most trees that it was to have; 0 if the planner could choose
 * @tolerance: what part of the best it might lose for a plan that is better to use
 * @automatic: auto was asked, and has chosen the planner
 */
struct hbp_asked {
	enum hbp_objective objective;
	uint64_t seed;
	enum hbp_update update;
	unsigned int trees;
	double tolerance;
	bool automatic;
};

/**
 * struct hbp_tried - a planner that has been tried
 * @algorithm: its name
 * @made: it has made a plan; if not, the rest says nothing
 * @completion_ns: when the last node has the message
 * @mean_ns: when a node has it on average
 * @rate_bps: what the slowest node receives
 */
struct hbp_tried {
	const char *algorithm;
	bool made;
	int64_t completion_ns;
	int64_t mean_ns;
	int64_t rate_bps;
};

/**
 * struct hbp_why - why a plan was taken, and not another planner's
 * @objective: what it does best
 * @tolerance: or nearly: what part of that it may give up for what it leaves open
 * @model: by which model
 * @chosen: whose it is, an index of @tried
 * @n: number of planners that have been tried
 * @tried: they and their plans
 */
struct hbp_why {
	enum hbp_objective objective;
	double tolerance;
	enum hbp_model model;
	size_t chosen;
	size_t n;
	struct hbp_tried *tried;
};

/**
 * struct hbp_plan - what one root uses
 * @algorithm: name of the planner that made it; owned
 * @root: id of the root
 * @n_replicas: number of nodes besides the root that have the message to begin
 *	with, up to HBP_REPLICAS_MAX
 * @replicas: their ids, ascending
 * @message_bytes: message size that it was made for, 1 to HBP_MESSAGE_MAX
 * @asked: what else it was made for
 * @strict: no lane is to be faster than its rate, even where others leave room
 * @whole: a node hands on a message when it has all of it, to one child after the
 *	other; with one tree only
 * @n_trees: number of trees, 1 to HBP_PLAN_TREES_MAX
 * @trees: in ascending order of slot; the first has slot 0, begins at the root
 *	and spans all members but the replicas; others may span fewer and begin at
 *	a replica
 * @cost_ns: of a binomial tree: the largest sum of distances from the root to
 *	a leaf when it was made; HBP_NEVER if the plan does not tell
 * @replanned: how it came about, if by hbp_replan()
 * @bound_bps: no plan has a larger sum of rates of trees that span all, in the
 *	model that it was made by; 0 if the planner does not tell
 * @uncapped_bps: sum of rates that trees which were found have together if a plan
 *	may have any number of them; 0 if it may, or if the planner does not tell
 * @certificate: what proves @bound_bps, or what no node can receive more than,
 *	or NULL; owned
 * @predicted: what the planner's models predict, or NULL; owned
 * @age: when the bandwidths were measured that it was made from; not read from files
 * @why: why it was taken, if by auto, else NULL; owned
 */
struct hbp_plan {
	char *algorithm;
	uint32_t root;
	size_t n_replicas;
	uint32_t replicas[HBP_REPLICAS_MAX];
	uint64_t message_bytes;
	struct hbp_asked asked;
	bool strict;
	bool whole;
	size_t n_trees;
	struct hbp_tree *trees;
	int64_t cost_ns;
	struct hbp_replanned replanned;
	int64_t bound_bps;
	int64_t uncapped_bps;
	struct hbp_certificate *certificate;
	struct hbp_evaluation *predicted;
	struct hbp_age age;
	struct hbp_why *why;
};

struct hbp_plan *hbp_plan_alloc(const char *algorithm, uint32_t root,
				uint64_t message_bytes);
void hbp_plan_free(struct hbp_plan *plan);
struct hbp_why *hbp_why_alloc(size_t n);
void hbp_why_free(struct hbp_why *why);
struct hbp_tree *hbp_plan_add_tree(struct hbp_plan *plan, unsigned int slot);
void hbp_plan_drop_tree(struct hbp_plan *plan);
bool hbp_plan_is_source(const struct hbp_plan *plan, uint32_t id);
int hbp_plan_check(struct hbp_plan *plan, struct hbp_error *err);
int64_t hbp_plan_edge_rate(const struct hbp_plan *plan,
			   const struct hbp_tree *tree, uint32_t child);
double hbp_plan_kept_part(const struct hbp_plan *plan,
			  const struct hbp_evaluation *evaluation);
int hbp_plan_check_members(const struct hbp_plan *plan, const uint32_t *members,
			   size_t n, struct hbp_error *err);
int hbp_plan_load(const char *path, const struct hbp_warn *warn,
		  struct hbp_plan **out, struct hbp_error *err);
int hbp_plan_parse(const char *text, size_t len, const char *name,
		   const struct hbp_warn *warn, struct hbp_plan **out,
		   struct hbp_error *err);
char *hbp_plan_text(const struct hbp_plan *plan);
int hbp_plan_save(const struct hbp_plan *plan, const char *path,
		  struct hbp_error *err);

#endif /* HBPLAN_PLAN_H */
