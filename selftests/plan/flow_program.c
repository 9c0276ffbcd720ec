// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rate of the best trees as a flow, by another program: what passes an arc
 * is x; to each node leads a flow of the rate within x (Edmonds: then there are
 * trees). Arcs and what holds them back are made here once more.
 */
#include <glpk.h>
#include <stdbool.h>

#include "../lib/tap.h"
#include "flow_program.h"

#define MOST	8	/* nodes */

struct flow_lp {
	glp_prob *lp;
	size_t n, m, root;
	size_t from[MOST * MOST], to[MOST * MOST];
	double mbps[MOST * MOST];
};

static void set_row(struct flow_lp *f, int type, double limit, int n,
		    const int *columns, const double *values)
{
	int row = glp_add_rows(f->lp, 1);

	glp_set_row_bnds(f->lp, row, type, limit, limit);
	glp_set_mat_row(f->lp, row, n, columns, values);
}

/* Columns: the rate, x of each arc, then the flow to each node on each arc. */
static int flow_column(const struct flow_lp *f, size_t node, size_t arc)
{
	return (int)(2 + f->m + node * f->m + arc);
}

static void add_flow(struct flow_lp *f, size_t node)
{
	double values[2 * MOST * MOST + 2];
	int columns[2 * MOST * MOST + 2];
	size_t v, e;
	int n;

	for (v = 0; v < f->n; v++) {
		for (e = 0, n = 0; e < f->m; e++) {
			if (f->from[e] != v && f->to[e] != v)
				continue;
			columns[++n] = flow_column(f, node, e);
			values[n] = f->to[e] == v ? 1 : -1;
		}
		if (v == node || v == f->root) {
			columns[++n] = 1;
			values[n] = v == node ? -1 : 1;
		}
		set_row(f, GLP_FX, 0, n, columns, values);
	}
	for (e = 0; e < f->m; e++) {
		columns[1] = flow_column(f, node, e);
		values[1] = 1;
		columns[2] = (int)e + 2;
		values[2] = -1;
		set_row(f, GLP_UP, 0, 2, columns, values);
	}
}

/* Ports of a node: all its arcs of one direction share the time. */
static void add_port(struct flow_lp *f, size_t node, bool sends, bool multi)
{
	double values[MOST * MOST + 1], most = 0;
	int columns[MOST * MOST + 1], n = 0;
	size_t e;

	for (e = 0; e < f->m; e++)
		if ((sends ? f->from[e] : f->to[e]) == node && f->mbps[e] > most)
			most = f->mbps[e];
	for (e = 0; e < f->m; e++) {
		if ((sends ? f->from[e] : f->to[e]) != node)
			continue;
		columns[++n] = (int)e + 2;
		values[n] = multi ? 0.8 / most : 1 / f->mbps[e];
	}
	set_row(f, GLP_UP, 1, n, columns, values);
}

static double flow_rate(struct flow_lp *f, enum hbp_ports ports)
{
	glp_smcp how;
	double rate;
	size_t i;

	f->lp = glp_create_prob();
	glp_set_obj_dir(f->lp, GLP_MAX);
	glp_add_cols(f->lp, (int)(1 + f->m + f->n * f->m));
	for (i = 1; i <= 1 + f->m + f->n * f->m; i++)
		glp_set_col_bnds(f->lp, (int)i, GLP_LO, 0, 0);
	glp_set_obj_coef(f->lp, 1, 1);
	for (i = 0; ports != HBP_ONE_PORT && i < f->m; i++)
		glp_set_col_bnds(f->lp, (int)i + 2, GLP_DB, 0, f->mbps[i]);
	for (i = 0; i < f->n; i++) {
		if (i != f->root)
			add_flow(f, i);
		if (ports != HBP_ANY_PORTS)
			add_port(f, i, true, ports == HBP_MULTI_PORT);
		if (ports == HBP_ONE_PORT)
			add_port(f, i, false, false);
	}
	glp_init_smcp(&how);
	how.msg_lev = GLP_MSG_OFF;
	if (glp_simplex(f->lp, &how) || glp_get_status(f->lp) != GLP_OPT)
		tap_bail_out("the flow program has no solution");
	rate = glp_get_obj_val(f->lp);
	glp_delete_prob(f->lp);
	return rate;
}

double costs_rate(const struct hbp_input *in, size_t root, enum hbp_ports ports)
{
	const struct hbp_costs *c = in->costs;
	struct flow_lp f = { .n = c->n, .root = root };
	size_t i;

	for (i = 0; i < c->n * c->n; i++) {
		if (!c->bandwidth_bps[i] || i / c->n == i % c->n)
			continue;
		f.from[f.m] = i / c->n;
		f.to[f.m] = i % c->n;
		f.mbps[f.m++] = (double)c->bandwidth_bps[i] / 1e6;
	}
	return flow_rate(&f, ports);
}

double hosts_rate(const struct hbp_input *in, size_t root)
{
	const struct hbp_platform *p = in->platform;
	struct flow_lp f = { .n = p->n, .root = root };
	size_t i;

	for (i = 0; i < p->n_links; i++) {
		f.from[f.m] = p->links[i].from;
		f.to[f.m] = p->links[i].to;
		f.mbps[f.m++] = (double)p->links[i].bandwidth_bps / 1e6;
	}
	return flow_rate(&f, HBP_ANY_PORTS);
}
