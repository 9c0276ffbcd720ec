// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linear programs that pack columns into capacities: the largest sum of weights,
 * each times what it is worth, none negative, for which no row's uses exceed its
 * capacity. GLPK solves them; rows and columns may be added between solutions,
 * each of which begins where the one before it ended.
 */
#include <errno.h>
#include <glpk.h>
#include <stdlib.h>

#include "packing.h"

/* Of what GLPK compares. */
#define TOLERANCE	(1 / 1e9)
/* GLPK goes round in circles if it takes so many steps; else it is about one each. */
#define STEPS_MAX(rows, columns)	(20 * ((rows) + (columns)) + 1000)

struct hbp_packing {
	glp_prob *lp;
	int *index;		/* of the row or column being added */
	double *value;
	size_t room;
	int method;		/* which what was added last lets begin */
};

/**
 * hbp_packing_alloc() - a program without rows and columns
 *
 * Return: to be released with hbp_packing_free(); NULL if memory has run out.
 */
struct hbp_packing *hbp_packing_alloc(void)
{
	struct hbp_packing *packing = calloc(1, sizeof(*packing));

	if (!packing)
		return NULL;
	glp_term_out(GLP_OFF);
	packing->method = GLP_PRIMAL;
	packing->lp = glp_create_prob();
	glp_set_obj_dir(packing->lp, GLP_MAX);
	return packing;
}

/**
 * hbp_packing_free() - release a program
 * @packing: it, or NULL
 */
void hbp_packing_free(struct hbp_packing *packing)
{
	if (!packing)
		return;
	glp_delete_prob(packing->lp);
	free(packing->index);
	free(packing->value);
	free(packing);
}

/* GLPK counts from 1 and has its own types. */
static int prepare(struct hbp_packing *p, size_t n, const size_t *at,
		   const double *uses)
{
	double *value;
	int *index;
	size_t i;

	if (n + 1 > p->room) {
		index = realloc(p->index, (n + 1) * sizeof(*index));
		p->index = index ? index : p->index;
		value = realloc(p->value, (n + 1) * sizeof(*value));
		p->value = value ? value : p->value;
		if (!index || !value)
			return -ENOMEM;
		p->room = n + 1;
	}
	for (i = 0; i < n; i++) {
		p->index[i + 1] = (int)at[i] + 1;
		p->value[i + 1] = uses[i];
	}
	return 0;
}

/**
 * hbp_packing_add_row() - add a row after the others
 * @packing: the program
 * @capacity: positive
 * @n: number of columns that use it already
 * @columns: those columns, from 0
 * @uses: by how much of it each unit of their weight does
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_packing_add_row(struct hbp_packing *packing, double capacity, size_t n,
			const size_t *columns, const double *uses)
{
	int row;

	if (prepare(packing, n, columns, uses))
		return -ENOMEM;
	packing->method = GLP_DUALP;
	row = glp_add_rows(packing->lp, 1);
	glp_set_row_bnds(packing->lp, row, GLP_UP, 0, capacity);
	glp_set_mat_row(packing->lp, row, (int)n, packing->index,
			packing->value);
	return 0;
}

/**
 * hbp_packing_add_column() - add a column after the others
 * @packing: the program
 * @worth: what a unit of its weight adds to the sum, positive
 * @n: number of rows that it uses, at least one
 * @rows: those rows, from 0
 * @uses: by how much of each a unit of its weight does
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_packing_add_column(struct hbp_packing *packing, double worth, size_t n,
			   const size_t *rows, const double *uses)
{
	int column;

	if (prepare(packing, n, rows, uses))
		return -ENOMEM;
	packing->method = GLP_PRIMAL;
	column = glp_add_cols(packing->lp, 1);
	glp_set_col_bnds(packing->lp, column, GLP_LO, 0, 0);
	glp_set_obj_coef(packing->lp, column, worth);
	glp_set_mat_col(packing->lp, column, (int)n, packing->index,
			packing->value);
	return 0;
}

/**
 * hbp_packing_allow() - let a column have weight, or not
 * @packing: the program
 * @column: the column, from 0
 * @allowed: false to hold its weight at 0
 */
void hbp_packing_allow(struct hbp_packing *packing, size_t column, bool allowed)
{
	glp_set_col_bnds(packing->lp, (int)column + 1,
			 allowed ? GLP_LO : GLP_FX, 0, 0);
	packing->method = GLP_PRIMAL;
}

/**
 * hbp_packing_solve() - find the weights
 * @packing: the program
 * @sum: receives the largest sum of weights, exact but for rounding
 *
 * Return: 0; -EDOM if GLPK gives up or comes to no end, as it does if no row holds
 * a column back, or if uses differ by more than it can tell apart.
 */
int hbp_packing_solve(struct hbp_packing *packing, double *sum)
{
	glp_smcp how;
	int ret;

	glp_init_smcp(&how);
	how.msg_lev = GLP_MSG_OFF;
	how.meth = packing->method;
	how.tol_bnd = TOLERANCE;
	how.tol_dj = TOLERANCE;
	how.it_lim = STEPS_MAX(glp_get_num_rows(packing->lp),
			       glp_get_num_cols(packing->lp));
	ret = glp_simplex(packing->lp, &how);
	if (ret == GLP_EBADB || ret == GLP_ESING || ret == GLP_ECOND ||
	    ret == GLP_EFAIL || ret == GLP_EITLIM) {
		/* The basis has become useless: begin anew. */
		glp_std_basis(packing->lp);
		how.meth = GLP_PRIMAL;
		ret = glp_simplex(packing->lp, &how);
	}
	if (ret || glp_get_status(packing->lp) != GLP_OPT)
		return -EDOM;
	*sum = glp_get_obj_val(packing->lp);
	return 0;
}

/**
 * hbp_packing_weight() - the weight of a column
 * @packing: a program that has been solved
 * @column: the column, from 0
 *
 * Return: 0 or more.
 */
double hbp_packing_weight(const struct hbp_packing *packing, size_t column)
{
	double weight = glp_get_col_prim(packing->lp, (int)column + 1);

	return weight > 0 ? weight : 0;
}

/**
 * hbp_packing_price() - what a little more of a row is worth
 * @packing: a program that has been solved
 * @row: the row, from 0
 *
 * Return: 0 or more; the sum of weights that a unit of capacity would add.
 */
double hbp_packing_price(const struct hbp_packing *packing, size_t row)
{
	double price = glp_get_row_dual(packing->lp, (int)row + 1);

	return price > 0 ? price : 0;
}
