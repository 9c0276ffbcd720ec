/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of keys that several of the commands on plans have. */
#ifndef HBCASTCTL_PLAN_VALUE_H
#define HBCASTCTL_PLAN_VALUE_H

#include "cmd.h"

int hbplan_parse_bytes(struct hbctl *ctl, const char *key, const char *word,
		       void *dest);
int hbplan_parse_ports(struct hbctl *ctl, const char *key, const char *word,
		       void *dest);
int hbplan_parse_objective(struct hbctl *ctl, const char *key, const char *word,
			   void *dest);
int hbplan_parse_seed(struct hbctl *ctl, const char *key, const char *word,
		      void *dest);
int hbplan_parse_trees(struct hbctl *ctl, const char *key, const char *word,
		       void *dest);
int hbplan_parse_graph(struct hbctl *ctl, const char *key, const char *word,
		       void *dest);

#endif /* HBCASTCTL_PLAN_VALUE_H */
