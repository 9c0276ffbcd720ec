/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that plan and judge plans share. */
#ifndef HBCASTCTL_PLAN_H
#define HBCASTCTL_PLAN_H

#include "cmd.h"
#include "hbplan.h"

/* Message size that is planned for if none is given. */
#define HBPLAN_DEFAULT_BYTES	(64ull << 20)
/* What a plan of auto may be worse by than the best one, likewise. */
#define HBPLAN_DEFAULT_TOLERANCE	0.02

/* What the key "graph" asks for. */
enum hbplan_graph {
	HBPLAN_GRAPH_NONE,
	HBPLAN_GRAPH_TEXT,
	HBPLAN_GRAPH_DOT,
};

struct hbp_warn hbplan_warnings(struct hbctl *ctl);
int hbplan_open(struct hbctl *ctl, const char *path, struct hbp_input **in);
int hbplan_load(struct hbctl *ctl, const char *path, struct hbp_plan **plan);
int hbplan_load_on(struct hbctl *ctl, const char *path, const char *on,
		   struct hbp_plan **plan, struct hbp_input **in);
int hbplan_print(struct hbctl *ctl, const char *what, char *text);
int hbplan_deliver(struct hbctl *ctl, const struct hbp_plan *plan,
		   const struct hbp_input *in, const char *output,
		   enum hbplan_graph graph);
int hbplan_draw(struct hbctl *ctl, const struct hbp_plan *plan,
		hbp_label_fn label, void *arg, enum hbplan_graph graph);

#endif /* HBCASTCTL_PLAN_H */
