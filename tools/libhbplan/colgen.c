// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The largest rate of weighted trees, by column generation. The master program
 * weighs the trees that are known; its dual prices what can be busy; a cheapest
 * arborescence at these prices is the tree that is missed most, or shows that
 * none is. At any prices, no trees together are faster than the sum of all
 * prices over the cost of the cheapest tree, since each unit of rate costs at
 * least that much: this is the bound, and the prices are its certificate.
 *
 * Prices are drawn towards how busy everything is, which keeps trees from piling
 * up on what the master does not price yet.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "colgen.h"
#include "cuts.h"
#include "exchange.h"
#include "master.h"
#include "node.h"
#include "packing.h"
#include "quotient.h"

/* The search ends when rate and bound differ by less than this. */
#define GAP		(1 / 1e7)
/* Likewise where rounds are dear and acknowledgements count, of which no more is known. */
#define WIDE_GAP	(1 / 500.0)
/* In a graph of so many nodes, rounds are dear. */
#define MANY		128
/* Trees before the master is asked first, and before its prices are. */
#define FIRST_TREES	16
#define LAST_FIRST_TREES(n)	((n) < MANY ? 512 : 128)
/* Trees that are sought after these, in a graph of so many nodes. */
#define MORE_ROUNDS(n)	(15000 / (n))
/* Where trees of clusters are so near the bound, nodes are alike. */
#define ALIKE		0.1
/* Trees that are sought after those that a like network has. */
#define LIKE_ROUNDS	8
/* How often trees change all their arcs when they are made even. */
#define PASSES		6
/* They end after so many that do not make the bound smaller by this factor. */
#define PATIENCE	16
#define PROGRESS	0.999
/* No price is larger than exp() of this. */
#define LATE		300.0
/* How far prices are drawn towards what is busy, first and last. */
#define PULL		0.7
#define LEAST_PULL	0.1
/* A row that is idle is cheaper than a full one by exp() of this. */
#define SOFTNESS	5.0

struct hbp_search {
	struct hbp_colgen *cg;
	const struct hbp_steady *s;
	const struct hbp_like *like;	/* what to begin with, or NULL */
	struct hbp_arborescence *arborescence;
	struct hbp_master master;
	size_t n_turns;		/* trees of clusters, which come first */
	size_t n_like;		/* those that a like network has, which come then */
	size_t n_spread;	/* first trees, which come behind these */
	size_t even;		/* how many trees clusters are served evenly by, or 0 */
	double *asked;		/* of each row, what the next tree is sought at */
	double *sum;		/* of each row, load of the first trees */
	double *least;		/* of each row, what one arc uses at least */
	double *cost;		/* of each arc */
	size_t *into;		/* of each node: the arc of the tree found last */
	struct hbp_error *err;
};

/* Finds the cheapest tree at some prices, and what they prove. */
static int price_tree(struct hbp_search *x, const double *prices, double *cost)
{
	const struct hbp_steady *s = x->s;
	double all = 0;
	size_t i;
	int ret;

	hbp_steady_costs(s, prices, x->master.unit, x->cost);
	for (i = 0; i < s->n_rows; i++)
		all += prices[i];
	ret = hbp_arborescence_find(x->arborescence, x->cost, x->into, cost);
	if (ret == -ENOENT)
		return hbp_fail(x->err, -EINVAL, "not all nodes can be reached from the root");
	if (ret)
		return hbp_nomem(x->err);
	x->cg->rounds++;
	/* Nor if rounding has made them no numbers. */
	if (*cost <= 0 || !(all / *cost < x->cg->bound))
		return 0;
	x->cg->bound = all / *cost;
	memcpy(x->cg->prices, prices, s->n_rows * sizeof(*prices));
	return 0;
}

/* Prices of the first trees: what is due when, see first_trees(). */
static void schedule_prices(struct hbp_search *x, double now)
{
	double late;
	size_t i;

	for (i = 0; i < x->s->n_rows; i++) {
		late = (x->sum[i] + x->least[i]) * x->cg->bound - now;
		late = late > LATE ? LATE : late < -LATE ? -LATE : late;
		x->asked[i] = exp(late);
	}
}

/*
 * Trees of equal weight that spread what they keep busy. If @n trees carry the
 * bound's rate together, a row may be busy for now trees' share of the time when
 * now trees have been sought: what is ahead of that is dear, what is behind is
 * cheap.
 */
static int first_trees(struct hbp_search *x, size_t n)
{
	double cost;
	int ret = 0;

	while (!ret && x->n_spread < n) {
		schedule_prices(x, (double)x->n_spread + 1);
		ret = price_tree(x, x->asked, &cost);
		if (!ret)
			ret = hbp_master_add(&x->master, x->into, x->err);
		if (ret)
			break;
		hbp_master_sum(&x->master, x->sum);
		x->n_spread++;
	}
	return ret;
}

/* Bounds that need no search, and what each row is used by once, at least. */
static int first_bounds(struct hbp_search *x)
{
	const struct hbp_steady *s = x->s;
	double cost;
	int ret;

	ret = hbp_cuts_narrowest(s, x->cg->root, x->asked, x->err);
	if (!ret)
		ret = price_tree(x, x->asked, &cost);
	if (!ret && (s->switched || s->sends != HBP_NONE)) {
		hbp_cuts_sends(s, x->asked);
		ret = price_tree(x, x->asked, &cost);
	}
	/* Beside ports links count, where acknowledgements pass them, too. */
	if (!ret && s->acks && s->switched && s->sends != HBP_NONE) {
		memset(x->asked, 0, s->n_rows * sizeof(*x->asked));
		hbp_cuts_links(s->switched, x->asked);
		ret = price_tree(x, x->asked, &cost);
	}
	hbp_steady_least(s, x->master.unit, x->least);
	return ret;
}

static bool is_near(const struct hbp_search *x)
{
	return x->cg->bound / x->cg->rate - 1 <= hbp_colgen_gap(x->s);
}

/*
 * Prices between the master's and those of how busy each row is: the master's
 * alone are 0 for all but a few rows, and the trees found at them overload the
 * others.
 */
static void draw_prices(struct hbp_search *x, double pull)
{
	const struct hbp_master *m = &x->master;
	double all = 0, soft = 0;
	size_t i;

	for (i = 0; i < x->s->n_rows; i++) {
		x->asked[i] = exp(fmin(SOFTNESS * (m->busy[i] / m->over - 1), LATE));
		soft += x->asked[i];
		all += m->price[i];
	}
	for (i = 0; i < x->s->n_rows; i++)
		x->asked[i] = (1 - pull) * m->price[i] +
			      pull * all / soft * x->asked[i];
}

/*
 * Asks for a tree, nearer and nearer to the master's prices until it is one that
 * the master misses; false if there is none.
 */
static bool ask(struct hbp_search *x, int *ret)
{
	double pull = PULL, cost;

	do {
		draw_prices(x, pull);
		*ret = price_tree(x, x->asked, &cost);
		if (*ret || hbp_master_cost(&x->master, x->into) < 1 - GAP / 10)
			return !*ret;
		pull = pull > LEAST_PULL ? pull / 2 : pull > 0 ? 0 : -1;
	} while (pull >= 0 && !is_near(x));
	return false;
}

/* Trees and a bound that make use of nodes that are alike. */
static int add_turns(struct hbp_search *x)
{
	struct hbp_quotient *q;
	size_t turn;
	double cost;
	int ret;

	ret = hbp_quotient_make(x->s, x->cg->root, &q, x->err);
	if (ret || !q)
		return ret;
	hbp_quotient_prices(q, x->asked);
	ret = price_tree(x, x->asked, &cost);
	if (!ret && x->s->ports == HBP_ONE_PORT) {
		hbp_quotient_narrowest(q, x->asked);
		ret = price_tree(x, x->asked, &cost);
	}
	/* A like network has trees of its own, which are better. */
	for (turn = 0; !ret && !x->like && turn < hbp_quotient_turns(q); turn++)
		if (hbp_quotient_tree(q, turn, x->into))
			ret = hbp_master_add(&x->master, x->into, x->err);
	x->n_turns = x->cg->n_trees;
	x->even = hbp_quotient_even(q);
	hbp_quotient_free(q);
	return ret || !x->n_turns ? ret : hbp_master_solve(&x->master, x->err);
}

/*
 * Single trees, at most so many. Where rounds are dear, others become faster
 * together than these, see hbp_colgen_even(): then they are of use for the bound
 * only.
 */
static int more_trees(struct hbp_search *x, size_t most)
{
	double bound = x->cg->bound;
	size_t idle = 0;
	int ret = 0;

	most += x->cg->rounds;
	while (!is_near(x) && x->cg->rounds < most && idle < PATIENCE &&
	       ask(x, &ret)) {
		ret = hbp_master_add(&x->master, x->into, x->err);
		if (!ret)
			ret = hbp_master_solve(&x->master, x->err);
		if (ret)
			break;
		idle += x->s->n >= MANY;
		if (x->cg->bound < bound * PROGRESS) {
			bound = x->cg->bound;
			idle = 0;
		}
	}
	return ret;
}

/* Adds a tree to those that there are, and to the master. */
static int add_copy(struct hbp_search *x, const uint32_t *tree)
{
	size_t i;

	x->into[x->cg->root] = HBP_NONE;
	for (i = 0; i < x->s->n - 1; i++)
		x->into[hbp_steady_pair(x->s, tree[i]).to] = tree[i];
	return hbp_master_add(&x->master, x->into, x->err);
}

/* Trees and a bound from a network that differs in little; few more are sought. */
static int add_like(struct hbp_search *x)
{
	double cost;
	size_t i;
	int ret;

	ret = price_tree(x, x->like->prices, &cost);
	for (i = 0; !ret && i < x->like->n_trees; i++)
		ret = add_copy(x, x->like->trees[i]);
	x->n_like = x->like->n_trees;
	if (!ret)
		ret = hbp_master_solve(&x->master, x->err);
	return ret ? ret : more_trees(x, LIKE_ROUNDS);
}

static int generate(struct hbp_search *x)
{
	size_t n;
	bool alike;
	int ret;

	ret = first_bounds(x);
	if (!ret)
		ret = add_turns(x);
	if (!ret && x->n_turns && is_near(x))
		return 0;
	if (!ret && x->like)
		return add_like(x);
	/* Where nodes are alike, other trees do not help much, and take long. */
	alike = x->n_turns && x->s->n >= MANY && x->cg->bound < x->cg->rate * (1 + ALIKE);
	for (n = FIRST_TREES; !ret && !alike && n <= LAST_FIRST_TREES(x->s->n); n *= 2) {
		ret = first_trees(x, n);
		if (!ret)
			ret = hbp_master_solve(&x->master, x->err);
		if (!ret && is_near(x))
			return 0;
	}
	return ret ? ret : more_trees(x, MORE_ROUNDS(x->s->n));
}

/* One unit of weight is what the plainest tree can carry alone. */
static int set_unit(struct hbp_search *x)
{
	double cost, busy;
	size_t i;
	int ret;

	for (i = 0; i < x->s->n_rows; i++)
		x->asked[i] = 1;
	ret = price_tree(x, x->asked, &cost);
	if (!ret)
		ret = hbp_master_scale(&x->master, x->into, &busy, x->err);
	if (!ret)
		x->cg->bound *= busy;
	return ret;
}

static void search_free(struct hbp_search *x)
{
	if (!x)
		return;
	hbp_arborescence_free(x->arborescence);
	hbp_master_clear(&x->master);
	free(x->asked);
	free(x->sum);
	free(x->least);
	free(x->cost);
	free(x->into);
	free(x);
}

static int search_alloc(struct hbp_colgen *cg, const struct hbp_like *like)
{
	const struct hbp_steady *s = cg->steady;
	struct hbp_search *x = calloc(1, sizeof(*x));
	size_t most = HBP_QUOTIENT_TURNS + LAST_FIRST_TREES(s->n) +
		      MORE_ROUNDS(s->n) + HBP_PLAN_TREES_MAX + 1 +
		      (like ? like->n_trees + LIKE_ROUNDS : 0);

	cg->search = x;
	if (!x)
		return -ENOMEM;
	x->cg = cg;
	x->s = s;
	x->like = like;
	x->arborescence = s->switched ?
			  hbp_arborescence_switched(s->switched, s->ports, cg->root) :
			  hbp_arborescence_alloc(s->n, cg->root, s->arcs, s->n_arcs);
	x->asked = calloc(s->n_rows, sizeof(*x->asked));
	x->sum = calloc(s->n_rows, sizeof(*x->sum));
	x->least = calloc(s->n_rows, sizeof(*x->least));
	x->cost = calloc(s->switched ? s->n_rows : s->n_arcs, sizeof(*x->cost));
	x->into = calloc(s->n, sizeof(*x->into));
	if (hbp_master_init(&x->master, cg, most) || !x->arborescence || !x->asked ||
	    !x->sum || !x->least || !x->cost || !x->into)
		return -ENOMEM;
	return 0;
}

/* Weights in Mbit/s of all trees, from the master. */
static int read_weights(struct hbp_colgen *cg)
{
	double *mbps = calloc(cg->n_trees, sizeof(*mbps));
	size_t i;

	if (!mbps)
		return -ENOMEM;
	for (i = 0; i < cg->n_trees; i++)
		mbps[i] = hbp_master_mbps(&cg->search->master, i);
	free(cg->mbps);
	cg->mbps = mbps;
	return 0;
}

/**
 * hbp_colgen_free() - release what hbp_colgen_run() made
 * @cg: it, or NULL
 */
void hbp_colgen_free(struct hbp_colgen *cg)
{
	size_t i;

	if (!cg)
		return;
	search_free(cg->search);
	for (i = 0; i < cg->n_trees; i++)
		free(cg->trees[i]);
	free(cg->trees);
	free(cg->mbps);
	free(cg->prices);
	free(cg);
}

/**
 * hbp_colgen_gap() - how near the bound rates need not become nearer
 * @steady: what holds trees back
 *
 * Return: by which part the bound may be larger.
 */
double hbp_colgen_gap(const struct hbp_steady *steady)
{
	return steady->acks && steady->n >= MANY ? WIDE_GAP : GAP;
}

/**
 * hbp_colgen_run() - find the trees that are fastest together
 * @steady: what holds trees back; must outlive the result
 * @root: number of the root
 * @like: what was found for the same pairs at other rates, or NULL; then
 *	hbp_colgen_even() is not for this
 * @out: receives them, to be released with hbp_colgen_free()
 * @err: receives the reason of a failure
 *
 * The rate is within hbp_colgen_gap() of the bound, unless rounding or the number of rounds
 * ends the search before; the bound holds in any case.
 *
 * Return: 0; -EINVAL if the root does not reach all nodes; -EDOM if GLPK gives
 * up; -ENOMEM.
 */
int hbp_colgen_run(const struct hbp_steady *steady, size_t root,
		   const struct hbp_like *like, struct hbp_colgen **out,
		   struct hbp_error *err)
{
	struct hbp_colgen *cg = calloc(1, sizeof(*cg));
	int ret;

	if (!cg)
		return hbp_nomem(err);
	cg->steady = steady;
	cg->root = root;
	cg->bound = HUGE_VAL;
	cg->prices = calloc(steady->n_rows, sizeof(*cg->prices));
	ret = cg->prices ? search_alloc(cg, like) : -ENOMEM;
	if (ret) {
		hbp_nomem(err);
	} else {
		cg->search->err = err;
		ret = set_unit(cg->search);
	}
	if (!ret)
		ret = generate(cg->search);
	if (!ret && read_weights(cg))
		ret = hbp_nomem(err);
	if (ret) {
		hbp_colgen_free(cg);
		return ret;
	}
	cg->rate *= cg->search->master.unit;
	cg->bound *= cg->search->master.unit;
	*out = cg;
	return 0;
}

/**
 * hbp_colgen_choose() - weigh some of the trees only
 * @cg: from hbp_colgen_run(); its weights are replaced
 * @chosen: of each tree, whether it may be used
 * @rate: receives the largest rate of those that may, Mbit/s
 * @err: receives the reason of a failure
 *
 * Return: 0; -EDOM if GLPK gives up; -ENOMEM.
 */
int hbp_colgen_choose(struct hbp_colgen *cg, const bool *chosen, double *rate,
		      struct hbp_error *err)
{
	double whole = cg->rate;
	size_t i;
	int ret;

	for (i = 0; i < cg->n_trees; i++)
		hbp_packing_allow(cg->search->master.packing, i, chosen[i]);
	cg->search->err = err;
	ret = hbp_master_solve(&cg->search->master, err);
	*rate = cg->rate * cg->search->master.unit;
	cg->rate = whole;
	if (!ret && read_weights(cg))
		ret = hbp_nomem(err);
	return ret;
}

/* The rate of some trees alone, Mbit/s. */
static int rate_of(struct hbp_colgen *cg, size_t first, size_t n, double *rate,
		   struct hbp_error *err)
{
	bool *chosen = calloc(cg->n_trees, sizeof(*chosen));
	int ret;

	if (!chosen)
		return hbp_nomem(err);
	memset(chosen + first, true, n);
	ret = hbp_colgen_choose(cg, chosen, rate, err);
	free(chosen);
	return ret;
}

/*
 * Makes trees of some of those that there are, and adds them. With one port, who
 * passes on to another cluster does little else, and nodes take turns: for this
 * weights must be alike. Else light trees fill what heavy ones leave.
 */
static int even_out(struct hbp_search *x, size_t first, size_t n, bool equal)
{
	uint32_t **trees = calloc(n, sizeof(*trees));
	double *weights = calloc(n, sizeof(*weights));
	size_t size = x->s->n * sizeof(**trees), i;
	int ret = trees && weights ? 0 : hbp_nomem(x->err);

	if (!ret)
		hbp_exchange_weights(weights, n, x->cg->bound, equal);
	for (i = 0; !ret && i < n; i++) {
		trees[i] = malloc(size);
		if (trees[i])
			memcpy(trees[i], x->cg->trees[first + i], size);
		else
			ret = hbp_nomem(x->err);
	}
	if (!ret)
		ret = hbp_exchange_run(x->s, x->cg->root, trees, weights,
				       n, 0, PASSES, x->err);
	for (i = 0; !ret && i < n; i++)
		ret = add_copy(x, trees[i]);
	for (i = 0; trees && i < n; i++)
		free(trees[i]);
	free(trees);
	free(weights);
	return ret;
}

/**
 * hbp_colgen_even() - add trees that are fast together where few are allowed
 * @cg: from hbp_colgen_run(); its weights are replaced
 * @most: at most so many, from 1
 * @err: receives the reason of a failure
 *
 * They begin as the first trees, as those of clusters, or as those of the plan for
 * a like network, whichever are fastest, and change arcs until loads are even, see
 * hbp_exchange_run(). To be called once.
 *
 * Return: 0, maybe without any more trees; -EDOM if GLPK gives up; -ENOMEM.
 */
int hbp_colgen_even(struct hbp_colgen *cg, size_t most, struct hbp_error *err)
{
	struct hbp_search *x = cg->search;
	bool equal = x->s->ports == HBP_ONE_PORT;
	size_t spread = equal && x->even && x->even < most ? x->even : most;
	struct set {
		size_t first;
		size_t n;
		double mbps;
	} sets[] = {
		{ 0, MIN(x->n_turns, most), 0 },
		{ x->n_turns, MIN(x->n_like, most), 0 },
		{ x->n_turns + x->n_like, MIN(spread, x->n_spread), 0 },
	}, *best = &sets[0], *set;
	int ret = 0;

	x->err = err;
	for (set = sets; !ret && set < sets + 3; set++) {
		if (!set->n)
			continue;
		ret = rate_of(cg, set->first, set->n, &set->mbps, err);
		if (set->mbps >= best->mbps)
			best = set;
	}
	if (ret || !best->n)
		return ret;
	return even_out(x, best->first, best->n, equal || best == sets);
}
