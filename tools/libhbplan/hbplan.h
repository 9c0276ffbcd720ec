/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libhbplan: cost matrices, platforms, HNOWs, planners and models of hbcast. Where it
 * is installed, programs include <hbplan/hbplan.h> and ask pkg-config for
 * libhbplan.
 *
 * Functions return 0 or a negative errno value and then fill a struct
 * hbp_error; the library prints nothing and keeps no state of its own, so that
 * different objects may be used by different threads at once.
 */
#ifndef HBPLAN_H
#define HBPLAN_H

#include "age.h"
#include "bound.h"
#include "certificate.h"
#include "costs.h"
#include "critical.h"
#include "draw.h"
#include "error.h"
#include "evaluate.h"
#include "explain.h"
#include "flow.h"
#include "hnow.h"
#include "import.h"
#include "input.h"
#include "linkage.h"
#include "node.h"
#include "objective.h"
#include "plan.h"
#include "planners.h"
#include "platform.h"
#include "replan.h"
#include "route.h"
#include "tree.h"
#include "units.h"

#endif /* HBPLAN_H */
