// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that fill links. Many flows across a slow link hold each other up, and few do not
 * fill a fast one: so there are few at first, and more until they get less than they
 * would if the link had no end.
 */
#include <errno.h>
#include <stdlib.h>

#include "measure/fill.h"
#include "measure/links.h"
#include "measure/share.h"

#define FEW	4	/* flows at first; then twice as many, and so on */
#define FULL	0.85	/* of what flows would get if it had no end: the link is full */

/**
 * struct filling - links that are filled
 * @tests: all tests
 * @sketch: the tree
 * @flows: of each arc, how many flows its last test had
 * @test: of each arc, which one that is
 */
struct filling {
	struct hbp_tests *tests;
	struct hbp_sketch *sketch;
	size_t *flows;
	size_t *test;
};

/* What the arc's last test would bring if the arc had no end, in Mbit/s; -1: no memory. */
static double find_due(const struct filling *f, size_t arc)
{
	const struct hbp_tests *tests = f->tests;
	size_t first = tests->first[f->test[arc]];

	return hbp_share_sum(f->sketch, &tests->flows[first],
			     tests->first[f->test[arc] + 1] - first, arc);
}

/* One more test, with so many flows that they could fill what the arc is known to carry. */
static int begin(struct filling *f, size_t arc)
{
	double known = hbp_sketch_capacity(f->sketch, arc)->mbps, due = 0;
	size_t most = hbp_links_most(f->sketch, arc);
	int ret = hbp_tests_begin(f->tests, arc);

	f->test[arc] = f->tests->n - 1;
	do {
		f->flows[arc] = f->flows[arc] ? 2 * f->flows[arc] : FEW;
		ret = ret ?: hbp_links_arc(f->tests, f->sketch, arc, f->flows[arc]);
		if (!ret)
			due = find_due(f, arc);
		if (due < 0)
			ret = -ENOMEM;
	} while (!ret && f->flows[arc] < most && known > FULL * due);
	return ret;
}

/* The next test of all that may carry more than was seen: whether there are any. */
static int begin_all(struct filling *f, const bool *arcs, bool *any)
{
	size_t i;
	double due;
	int ret = 0;

	*any = false;
	for (i = 2; !ret && i < hbp_arcs(f->sketch); i++) {
		if (!arcs[i])
			continue;
		if (f->flows[i]) {
			due = find_due(f, i);
			if (due < 0)
				return -ENOMEM;
			/* One test may have brought less by chance, so all of them count. */
			if (f->flows[i] >= hbp_links_most(f->sketch, i) ||
			    hbp_sketch_capacity(f->sketch, i)->mbps < FULL * due)
				continue;
		}
		*any = true;
		ret = begin(f, i);
	}
	return ret;
}

/**
 * hbp_fill() - fill links
 * @tests: all tests
 * @sketch: the tree; receives the capacities
 * @prober: the network
 * @arcs: which ones; hbp_arcs() entries
 * @longer: whether these figures matter more than usual
 *
 * Return: as hbp_tests_run().
 */
int hbp_fill(struct hbp_tests *tests, struct hbp_sketch *sketch,
	     const struct hbp_prober *prober, const bool *arcs, bool longer)
{
	struct filling f = {
		.tests = tests,
		.sketch = sketch,
		.flows = calloc(hbp_arcs(sketch), sizeof(*f.flows)),
		.test = calloc(hbp_arcs(sketch), sizeof(*f.test)),
	};
	bool any = true;
	int ret = f.flows && f.test ? 0 : -ENOMEM;

	while (!ret && any) {
		ret = begin_all(&f, arcs, &any);
		if (!ret && any)
			ret = hbp_tests_run(tests, sketch, prober, longer);
	}
	free(f.flows);
	free(f.test);
	return ret;
}

/**
 * hbp_fill_all() - find the capacities of all links
 * @tests: all tests
 * @sketch: the tree; receives them
 * @prober: the network
 *
 * Return: as hbp_tests_run().
 */
int hbp_fill_all(struct hbp_tests *tests, struct hbp_sketch *sketch,
		 const struct hbp_prober *prober)
{
	bool *arcs = calloc(hbp_arcs(sketch), sizeof(*arcs));
	int ret = arcs ? 0 : -ENOMEM, inner;
	size_t i;

	for (inner = 0; !ret && inner < 2; inner++) {
		for (i = 2; i < 2 * sketch->n; i++)
			arcs[i] = hbp_sketch_inner(sketch, i / 2) == inner;
		ret = hbp_fill(tests, sketch, prober, arcs, false);
	}
	free(arcs);
	return ret;
}
