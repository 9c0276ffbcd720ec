/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models that predict when each node has the whole message. */
#ifndef HBPLAN_EVALUATE_H
#define HBPLAN_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct hbp_input;
struct hbp_plan;

/**
 * enum hbp_ports - what holds a node back in the steady state of many messages
 * @HBP_ANY_PORTS: whatever the input tells of: the links of a platform, where
 *	nodes themselves are fast enough; one port for each node of a cost matrix
 * @HBP_ONE_PORT: paper 001, the bidirectional one-port model: a node sends to
 *	one child and receives from one parent at a time, each at the pair's
 *	bandwidth
 * @HBP_MULTI_PORT: paper 001: a node begins one transfer after the other, each
 *	of which takes it 0.8 of the time of its fastest transfer; transfers to
 *	different children go on at once
 */
enum hbp_ports {
	HBP_ANY_PORTS,
	HBP_ONE_PORT,
	HBP_MULTI_PORT,
};

/**
 * enum hbp_model - how a broadcast is thought to go on
 * @HBP_MODEL_COMPLETION: paper 002, section 4: a node sends on once it has the
 *	whole message, to all children at once, each pair as fast as if alone
 * @HBP_MODEL_PATH: paper 000, section 3: the sum of the distances on the path
 *	from the root, a distance being what a message of no length costs
 * @HBP_MODEL_ONE_PORT: paper 001: many messages follow each other, and nodes are
 *	held back as by HBP_ONE_PORT
 * @HBP_MODEL_MULTI_PORT: likewise, as by HBP_MULTI_PORT
 * @HBP_MODEL_FLUID: every node sends on what it receives while it receives it;
 *	the edges of all trees share the capacity of links max-min fairly; for
 *	platforms
 * @HBP_MODEL_HNOW: paper 004, sections 2.1.4 and 5.1: a node sends on once it has
 *	the whole message, or half of it in two sub-networks, to one child after
 *	the other; for HNOWs
 * @HBP_MODELS: how many there are
 */
enum hbp_model {
	HBP_MODEL_COMPLETION,
	HBP_MODEL_PATH,
	HBP_MODEL_ONE_PORT,
	HBP_MODEL_MULTI_PORT,
	HBP_MODEL_FLUID,
	HBP_MODEL_HNOW,
	HBP_MODELS
};

/**
 * struct hbp_figure - what is predicted for a node
 * @id: the node, never the root
 * @rate_bps: rate at which it receives; 0 if the model has no rates
 * @completion_ns: when it has the whole message, counted from the root's start
 * @bound_ns: no plan can be earlier, see hbp_bounds()
 */
struct hbp_figure {
	uint32_t id;
	int64_t rate_bps;
	int64_t completion_ns;
	int64_t bound_ns;
};

/**
 * struct hbp_evaluation - what is predicted for a plan
 * @model: by which model
 * @n: number of nodes without the root
 * @nodes: in ascending order of id
 */
struct hbp_evaluation {
	enum hbp_model model;
	size_t n;
	struct hbp_figure *nodes;
};

const char *hbp_model_name(enum hbp_model model);
enum hbp_model hbp_model_find(const char *name);
enum hbp_model hbp_model_of(const struct hbp_input *in);
bool hbp_model_applies(enum hbp_model model, const struct hbp_input *in,
		       const struct hbp_plan *plan);
int hbp_evaluate(const struct hbp_plan *plan, struct hbp_input *in,
		 enum hbp_model model, struct hbp_evaluation **out,
		 struct hbp_error *err);
struct hbp_evaluation *hbp_evaluation_alloc(size_t n);
void hbp_evaluation_free(struct hbp_evaluation *evaluation);
const struct hbp_figure *
hbp_evaluation_slowest(const struct hbp_evaluation *evaluation);
int64_t hbp_evaluation_bound(const struct hbp_evaluation *evaluation);
int64_t hbp_evaluation_mean(const struct hbp_evaluation *evaluation);
int64_t hbp_evaluation_rate(const struct hbp_evaluation *evaluation);
double hbp_ratio(int64_t completion_ns, int64_t bound_ns);
double hbp_figure_ratio(const struct hbp_figure *figure);

#endif /* HBPLAN_EVALUATE_H */
