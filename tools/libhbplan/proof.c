// SPDX-License-Identifier: GPL-2.0-or-later
/* Certificates of what each host of a platform can receive: smallest cuts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "proof.h"
#include "units.h"

struct proof {
	const struct hbp_platform *platform;
	struct hbp_certificate *certificate;
	size_t *links;		/* of one cut, links of the platform */
	struct hbp_edge *edges;	/* the same by ids */
};

static void name_links(struct proof *p, size_t n)
{
	const struct hbp_link *link;
	size_t i;

	for (i = 0; i < n; i++) {
		link = &p->platform->links[p->links[i]];
		p->edges[i].parent = p->platform->nodes[link->from].id;
		p->edges[i].child = p->platform->nodes[link->to].id;
	}
}

/* The cut of the links just named, maybe that of a host before; or NULL. */
static struct hbp_cut *find_cut(struct proof *p, size_t n, int64_t bps)
{
	struct hbp_certificate *c = p->certificate;
	struct hbp_cut *cut;
	size_t i;

	for (i = 0; i < c->n_cuts; i++) {
		cut = &c->cuts[i];
		if (cut->capacity_bps == bps && cut->n_links == n &&
		    !memcmp(cut->links, p->edges, n * sizeof(*p->edges)))
			return cut;
	}
	cut = &c->cuts[c->n_cuts++];
	cut->capacity_bps = bps;
	cut->n_links = n;
	cut->links = calloc(n, sizeof(*cut->links));
	if (!cut->links)
		return NULL;
	memcpy(cut->links, p->edges, n * sizeof(*p->edges));
	return cut;
}

static int add_node(struct hbp_cut *cut, uint32_t id)
{
	uint32_t *nodes;

	nodes = realloc(cut->nodes, (cut->n_nodes + 1) * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	cut->nodes = nodes;
	nodes[cut->n_nodes++] = id;
	return 0;
}

/*
 * Of the narrowest cut each link is as dear as it is wide, since trees that span
 * all pass one. Returns how wide the cut is.
 */
static int64_t price_narrowest(struct proof *p)
{
	struct hbp_certificate *c = p->certificate;
	const struct hbp_cut *cut = c->cuts;
	const struct hbp_link *link;
	size_t i;

	for (i = 1; i < c->n_cuts; i++)
		if (c->cuts[i].capacity_bps < cut->capacity_bps)
			cut = &c->cuts[i];
	for (i = 0; i < cut->n_links; i++) {
		link = hbp_platform_link(p->platform,
					 hbp_platform_find(p->platform, cut->links[i].parent),
					 hbp_platform_find(p->platform, cut->links[i].child));
		c->prices[c->n_prices++] = (struct hbp_price){
			.what = HBP_PRICED_LINK, .from = cut->links[i].parent,
			.to = cut->links[i].child,
			.mbps = hbp_mbps_from_bps(link->bandwidth_bps)
		};
	}
	return cut->capacity_bps;
}

static int find_cuts(struct proof *p, struct hbp_flow *flow, size_t root)
{
	const struct hbp_platform *platform = p->platform;
	struct hbp_cut *cut;
	size_t i, host, n;
	int64_t bps;

	for (i = 0; i < platform->n_hosts; i++) {
		host = platform->hosts[i];
		if (host == root)
			continue;
		bps = hbp_flow_max(flow, root, host);
		n = hbp_flow_cut(flow, root, host, p->links);
		name_links(p, n);
		cut = find_cut(p, n, bps);
		if (!cut || add_node(cut, platform->nodes[host].id))
			return -ENOMEM;
	}
	return 0;
}

/**
 * hbp_proof_flows() - prove what each host can receive, whatever the others do
 * @platform: the platform; the root reaches all hosts
 * @root: index of the root
 * @plan: receives the cuts, and the narrowest as its bound, also as prices
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_proof_flows(const struct hbp_platform *platform, size_t root,
		    struct hbp_plan *plan, struct hbp_error *err)
{
	struct hbp_flow *flow = hbp_flow_alloc(platform);
	size_t m = platform->n_links;
	struct proof p = {
		.platform = platform,
		.links = calloc(m, sizeof(*p.links)),
		.edges = calloc(m, sizeof(*p.edges)),
	};
	int ret = -ENOMEM;

	p.certificate = hbp_certificate_alloc(HBP_MODEL_FLUID, m,
					      platform->n_hosts);
	plan->certificate = p.certificate;
	if (p.certificate) {
		p.certificate->n_prices = 0;
		p.certificate->n_cuts = 0;
		if (flow && p.links && p.edges)
			ret = find_cuts(&p, flow, root);
	}
	if (!ret)
		plan->bound_bps = price_narrowest(&p);
	hbp_flow_free(flow);
	free(p.links);
	free(p.edges);
	return ret ? hbp_nomem(err) : 0;
}
