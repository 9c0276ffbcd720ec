/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The planners, one registry for all. */
#ifndef HBPLAN_PLANNERS_H
#define HBPLAN_PLANNERS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"
#include "objective.h"
#include "plan.h"

struct hbp_like;

/* Parameters of a request that not every planner takes. */
#define HBP_TAKES_PORTS		(1u << 0)
#define HBP_TAKES_SEED		(1u << 1)
#define HBP_TAKES_TREES		(1u << 2)
#define HBP_TAKES_REPLICAS	(1u << 3)
#define HBP_TAKES_UPDATE	(1u << 4)
#define HBP_TAKES_TOLERANCE	(1u << 5)

/* The work, as in struct hbp_planner, that takes prune and the like about a second. */
#define HBP_PRUNE_WORK_MAX	10000000

/**
 * struct hbp_request - what is to be planned
 * @in: the input; its cost matrix may be made on the way
 * @root: id of the root, a member of @in
 * @message_bytes: message size, 1 to HBP_MESSAGE_MAX
 * @ports: how nodes send, for planners that take it
 * @objective: what the plan is to do best; of no effect on planners that serve
 *	one only
 * @tolerance: what part of its rate each node may lose so that trees that bring hardly
 *	anything are left out; of auto also what part of the objective it may give up for
 *	what that leaves open, see hbp_objective_other(); 0 to 1
 * @seed: of planners that draw lots, 0 to INT64_MAX
 * @update: how a planner counts what a sender does already
 * @trees: the most trees that the plan may have, up to HBP_PLAN_TREES_MAX; 0
 *	leaves it to the planner
 * @strict: no lane is to be faster than its rate; makes no difference to the trees
 * @whole: likewise, a node hands on a message when it has all of it
 * @n_replicas: number of @replicas
 * @replicas: ids of members besides the root that have the message to begin with,
 *	in the order in which they are used
 * @like: of mtp: what was found for this network at other rates, to begin with,
 *	or NULL
 */
struct hbp_request {
	struct hbp_input *in;
	uint32_t root;
	uint64_t message_bytes;
	enum hbp_ports ports;
	enum hbp_objective objective;
	double tolerance;
	uint64_t seed;
	enum hbp_update update;
	unsigned int trees;
	bool strict;
	bool whole;
	size_t n_replicas;
	uint32_t replicas[HBP_REPLICAS_MAX];
	const struct hbp_like *like;
};

/**
 * struct hbp_planner - a planner
 * @name: what users call it
 * @paper: where it comes from
 * @inputs: HBP_INPUT_* that it takes
 * @takes: HBP_TAKES_* that it takes; the others make no difference to it
 * @serves: HBP_FOR() each objective that it plans for
 * @objective: what it tries to make small or large, in words
 * @most_work: auto leaves it out if hosts times links of a platform, or nodes
 *	times pairs of a cost matrix, are more, as it takes long; 0 for never
 * @make: fills a plan that has no tree yet; every pair that it joins need not
 *	have a link, which is checked afterwards; 0 or a negative errno value
 */
struct hbp_planner {
	const char *name;
	const char *paper;
	unsigned int inputs;
	unsigned int takes;
	unsigned int serves;
	const char *objective;
	size_t most_work;
	int (*make)(const struct hbp_request *rq, struct hbp_plan *plan,
		    struct hbp_error *err);
};

/* The most trees that a request allows. */
static inline size_t hbp_trees_max(const struct hbp_request *rq)
{
	return rq->trees ? rq->trees : HBP_PLAN_TREES_MAX;
}

extern const struct hbp_planner hbp_flat;
extern const struct hbp_planner hbp_chain;
extern const struct hbp_planner hbp_binomial;
extern const struct hbp_planner hbp_balanced_path;
extern const struct hbp_planner hbp_spoc;
extern const struct hbp_planner hbp_fnf;
extern const struct hbp_planner hbp_fef;
extern const struct hbp_planner hbp_ecef;
extern const struct hbp_planner hbp_lookahead;
extern const struct hbp_planner hbp_ttcc;
extern const struct hbp_planner hbp_hlot;
extern const struct hbp_planner hbp_tps;
extern const struct hbp_planner hbp_stable;
extern const struct hbp_planner hbp_fpfr;
extern const struct hbp_planner hbp_dijkstra;
extern const struct hbp_planner hbp_random_pipeline;
extern const struct hbp_planner hbp_balanced_multicast;
extern const struct hbp_planner hbp_simple_prune;
extern const struct hbp_planner hbp_refined_prune;
extern const struct hbp_planner hbp_grow_planner;
extern const struct hbp_planner hbp_multiport_grow;
extern const struct hbp_planner hbp_lp_prune;
extern const struct hbp_planner hbp_lp_grow;
extern const struct hbp_planner hbp_mtp;
extern const struct hbp_planner hbp_doubling;
extern const struct hbp_planner hbp_ebs;
extern const struct hbp_planner hbp_vbbs;
extern const struct hbp_planner hbp_vbbswf;
extern const struct hbp_planner hbp_two_ebs;
extern const struct hbp_planner hbp_two_vbbs;
extern const struct hbp_planner hbp_cfoot;
extern const struct hbp_planner hbp_stable_graph;
extern const struct hbp_planner hbp_auto;

const struct hbp_planner *const *hbp_planners(size_t *n);
const struct hbp_planner *hbp_planner_find(const char *name);
enum hbp_model hbp_request_model(const struct hbp_request *rq);
int hbp_plan_make(const struct hbp_planner *planner,
		  const struct hbp_request *rq, struct hbp_plan **out,
		  struct hbp_error *err);
int hbp_plan_finish(struct hbp_plan *plan, struct hbp_input *in,
		    enum hbp_model model, struct hbp_error *err);

#endif /* HBPLAN_PLANNERS_H */
