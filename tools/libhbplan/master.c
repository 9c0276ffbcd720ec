// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The master program of column generation: the largest weights of the trees that
 * are known. Rows come in when a solution would overload them, since most never do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master.h"
#include "node.h"

/* A row is overloaded by more than this. */
#define OVERLOAD	(1 / 1e9)
/* More is not due to rounding, but to rates that GLPK does not tell apart. */
#define ROUNDING	(1 / 1e7)

/**
 * hbp_master_init() - begin without any tree
 * @m: to be filled; all 0 before; released with hbp_master_clear(), also if there
 *	was no memory
 * @cg: whose trees are weighed, and what holds them back
 * @most: so many trees will be added at most
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_master_init(struct hbp_master *m, struct hbp_colgen *cg, size_t most)
{
	size_t n_rows = cg->steady->n_rows, i;

	m->cg = cg;
	m->unit = 1;
	m->packing = hbp_packing_alloc();
	/* A row has as many entries as trees, a column as many as rows. */
	most = most > n_rows ? most : n_rows;
	m->place = calloc(n_rows, sizeof(*m->place));
	m->price = calloc(n_rows, sizeof(*m->price));
	m->busy = calloc(n_rows, sizeof(*m->busy));
	m->load = calloc(n_rows, sizeof(*m->load));
	m->loaded = calloc(n_rows, sizeof(*m->loaded));
	m->index = calloc(most, sizeof(*m->index));
	m->value = calloc(most, sizeof(*m->value));
	if (!m->packing || !m->place || !m->price || !m->busy || !m->load ||
	    !m->loaded || !m->index || !m->value)
		return -ENOMEM;
	for (i = 0; i < n_rows; i++)
		m->place[i] = HBP_NONE;
	return 0;
}

/**
 * hbp_master_clear() - release what hbp_master_init() has made
 * @m: it; its trees stay
 */
void hbp_master_clear(struct hbp_master *m)
{
	hbp_packing_free(m->packing);
	free(m->place);
	free(m->price);
	free(m->busy);
	free(m->load);
	free(m->loaded);
	free(m->index);
	free(m->value);
}

/* Adds what a tree of some weight keeps busy. */
static void add_load(struct hbp_master *m, const uint32_t *tree, double weight)
{
	const struct hbp_steady *s = m->cg->steady;
	struct hbp_uses of;
	size_t i, u, row;

	for (i = 0; i < s->n - 1; i++) {
		of = hbp_steady_uses(s, tree[i]);
		for (u = 0; u < of.n; u++) {
			row = of.rows[u];
			if (m->load[row] == 0)
				m->loaded[m->n_loaded++] = row;
			m->load[row] += weight * of.uses[u] * m->unit;
		}
	}
}

static void clear_load(struct hbp_master *m)
{
	while (m->n_loaded)
		m->load[m->loaded[--m->n_loaded]] = 0;
}

static int keep_tree(struct hbp_master *m, const size_t *into, struct hbp_error *err)
{
	struct hbp_colgen *cg = m->cg;
	size_t room, i, n = 0;
	uint32_t **trees;

	if (cg->n_trees == m->room) {
		room = 2 * m->room + 64;
		trees = realloc(cg->trees, room * sizeof(*trees));
		if (!trees)
			return hbp_nomem(err);
		cg->trees = trees;
		m->room = room;
	}
	cg->trees[cg->n_trees] = calloc(cg->steady->n, sizeof(**cg->trees));
	if (!cg->trees[cg->n_trees])
		return hbp_nomem(err);
	for (i = 0; i < cg->steady->n; i++)
		if (into[i] != HBP_NONE)
			cg->trees[cg->n_trees][n++] = (uint32_t)into[i];
	cg->n_trees++;
	return 0;
}

/**
 * hbp_master_scale() - make one unit of weight what a tree can carry alone
 * @m: from hbp_master_init(), without any tree
 * @into: the tree, as of hbp_master_add(); it is not added
 * @busy: receives for which part of the time 1 Mbit/s keeps its busiest row busy
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_master_scale(struct hbp_master *m, const size_t *into, double *busy,
		     struct hbp_error *err)
{
	double most = 0;
	size_t i;
	int ret;

	ret = keep_tree(m, into, err);
	if (ret)
		return ret;
	add_load(m, m->cg->trees[0], 1);
	for (i = 0; i < m->n_loaded; i++)
		most = m->load[m->loaded[i]] > most ? m->load[m->loaded[i]] : most;
	clear_load(m);
	free(m->cg->trees[--m->cg->n_trees]);
	m->unit = 1 / most;
	*busy = most;
	return 0;
}

/* Puts a row into the master, with the trees that are there. */
static int place_row(struct hbp_master *m, size_t row, const double *uses,
		     struct hbp_error *err)
{
	size_t t, n = 0;

	for (t = 0; t < m->cg->n_trees; t++) {
		if (uses[t] == 0)
			continue;
		m->index[n] = t;
		m->value[n++] = uses[t];
	}
	m->place[row] = m->n_placed++;
	return hbp_packing_add_row(m->packing, 1, n, m->index, m->value) ?
	       hbp_nomem(err) : 0;
}

/* Puts the rows of a list into the master. */
static int place_rows(struct hbp_master *m, const size_t *rows, size_t n,
		      struct hbp_error *err)
{
	size_t trees = m->cg->n_trees, t, i;
	double *uses = calloc(n * trees + 1, sizeof(*uses));
	int ret = 0;

	if (!uses)
		return hbp_nomem(err);
	for (t = 0; t < trees; t++) {
		add_load(m, m->cg->trees[t], 1);
		for (i = 0; i < n; i++)
			uses[i * trees + t] = m->load[rows[i]];
		clear_load(m);
	}
	for (i = 0; !ret && i < n; i++)
		ret = place_row(m, rows[i], uses + i * trees, err);
	free(uses);
	return ret;
}

/**
 * hbp_master_add() - take one more tree
 * @m: from hbp_master_init(), after hbp_master_scale()
 * @into: of each node: the arc that leads to it, HBP_NONE for the root
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_master_add(struct hbp_master *m, const size_t *into, struct hbp_error *err)
{
	size_t i, n = 0, most;
	int ret;

	ret = keep_tree(m, into, err);
	if (ret)
		return ret;
	add_load(m, m->cg->trees[m->cg->n_trees - 1], 1);
	most = m->loaded[0];
	for (i = 0; i < m->n_loaded; i++)
		if (m->load[m->loaded[i]] > m->load[most])
			most = m->loaded[i];
	for (i = 0; i < m->n_loaded; i++) {
		if (m->place[m->loaded[i]] == HBP_NONE)
			continue;
		m->index[n] = m->place[m->loaded[i]];
		m->value[n++] = m->load[m->loaded[i]];
	}
	clear_load(m);
	if (hbp_packing_add_column(m->packing, 1, n, m->index, m->value))
		return hbp_nomem(err);
	/* Some row has to hold it back. */
	return m->place[most] == HBP_NONE ? place_rows(m, &most, 1, err) : 0;
}

/* Finds how busy rows are; lists those overloaded that the master lacks. */
static size_t find_overloaded(struct hbp_master *m, size_t *rows)
{
	size_t t, i, n = 0;
	double weight;

	for (t = 0; t < m->cg->n_trees; t++) {
		weight = hbp_packing_weight(m->packing, t);
		if (weight > 0)
			add_load(m, m->cg->trees[t], weight);
	}
	memset(m->busy, 0, m->cg->steady->n_rows * sizeof(*m->busy));
	for (i = 0; i < m->n_loaded; i++) {
		m->busy[m->loaded[i]] = m->load[m->loaded[i]];
		if (m->place[m->loaded[i]] == HBP_NONE &&
		    m->load[m->loaded[i]] > 1 + OVERLOAD)
			rows[n++] = m->loaded[i];
	}
	clear_load(m);
	return n;
}

/**
 * hbp_master_solve() - weigh the trees
 * @m: from hbp_master_init(), with at least one tree
 * @err: receives the reason of a failure
 *
 * Rows that would be overloaded come in until none is. Prices and loads are those
 * of the weights then.
 *
 * Return: 0; -EDOM if GLPK gives up; -ENOMEM.
 */
int hbp_master_solve(struct hbp_master *m, struct hbp_error *err)
{
	size_t *rows = calloc(m->cg->steady->n_rows, sizeof(*rows)), n, i;
	int ret = 0;

	if (!rows)
		return hbp_nomem(err);
	do {
		ret = hbp_packing_solve(m->packing, &m->cg->rate);
		if (ret) {
			ret = hbp_fail(err, ret,
				       "no weights are found for %zu trees: rates differ too much",
				       m->cg->n_trees);
			break;
		}
		n = find_overloaded(m, rows);
		ret = place_rows(m, rows, n, err);
	} while (!ret && n);
	m->over = 1 + ROUNDING;
	for (i = 0; !ret && i < m->cg->steady->n_rows; i++)
		m->over = m->busy[i] > m->over ? m->busy[i] : m->over;
	m->over = m->over > 1 + ROUNDING ? m->over : 1;
	m->cg->rate /= m->over;
	for (i = 0; !ret && i < m->cg->steady->n_rows; i++)
		m->price[i] = m->place[i] == HBP_NONE ? 0 :
			      hbp_packing_price(m->packing, m->place[i]);
	free(rows);
	return ret;
}

/**
 * hbp_master_sum() - add up what trees of one unit keep busy
 * @m: from hbp_master_init(); the tree that was added last counts
 * @sum: of each row; receives that tree's part of the time, too
 */
void hbp_master_sum(struct hbp_master *m, double *sum)
{
	size_t i;

	add_load(m, m->cg->trees[m->cg->n_trees - 1], 1);
	for (i = 0; i < m->n_loaded; i++)
		sum[m->loaded[i]] += m->load[m->loaded[i]];
	clear_load(m);
}

/**
 * hbp_master_cost() - what a tree costs at the prices of the weights
 * @m: after hbp_master_solve()
 * @into: as of hbp_master_add()
 *
 * Return: its cost, below 1 if it is missed.
 */
double hbp_master_cost(const struct hbp_master *m, const size_t *into)
{
	const struct hbp_steady *s = m->cg->steady;
	struct hbp_uses of;
	double cost = 0;
	size_t i, u;

	for (i = 0; i < s->n; i++) {
		if (into[i] == HBP_NONE)
			continue;
		of = hbp_steady_uses(s, into[i]);
		for (u = 0; u < of.n; u++)
			cost += m->price[of.rows[u]] * of.uses[u] * m->unit;
	}
	return cost;
}

/**
 * hbp_master_mbps() - the weight of a tree
 * @m: after hbp_master_solve()
 * @tree: number of the tree
 *
 * Return: its weight in Mbit/s.
 */
double hbp_master_mbps(const struct hbp_master *m, size_t tree)
{
	return hbp_packing_weight(m->packing, tree) * m->unit / m->over;
}
