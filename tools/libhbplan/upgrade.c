// SPDX-License-Identifier: GPL-2.0-or-later
/* A network that is faster in one place, for a while. */
#include <stdbool.h>

#include "explain.h"
#include "node.h"
#include "upgrade.h"

/* Is this link, or pair, one of the port's? */
static bool is_meant(const struct hbp_limit *limit, uint32_t from, uint32_t to)
{
	return limit->what == HBP_LIMITED_SENDER ? from == limit->from :
						   to == limit->from;
}

/* Makes all that leaves or enters a port so many times as fast, or slow. */
static void change_port(struct hbp_input *in, const struct hbp_limit *limit,
			bool back)
{
	struct hbp_platform *p = in->platform;
	struct hbp_costs *c = in->costs;
	size_t n = p ? p->n_links : c->n * c->n, i;
	int64_t *bps;
	bool meant;

	for (i = 0; i < n; i++) {
		if (p) {
			bps = &p->links[i].bandwidth_bps;
			meant = is_meant(limit, p->nodes[p->links[i].from].id,
					 p->nodes[p->links[i].to].id);
		} else {
			bps = &c->bandwidth_bps[i];
			meant = is_meant(limit, c->nodes[i / c->n].id,
					 c->nodes[i % c->n].id);
		}
		if (meant && back)
			*bps /= HBP_UPGRADE;
		else if (meant)
			*bps *= HBP_UPGRADE;
	}
}

/* Where it stands how fast a link is, or a pair of a cost matrix. */
static int64_t *find_link(struct hbp_input *in, const struct hbp_limit *limit)
{
	bool width = limit->what == HBP_LIMITED_LINK;
	struct hbp_platform *p = in->platform;
	struct hbp_costs *c = in->costs;
	struct hbp_link *link;
	size_t cell;

	if (p) {
		link = p->links + (hbp_platform_link(p, hbp_platform_find(p, limit->from),
						     hbp_platform_find(p, limit->to)) -
				   p->links);
		return width ? &link->bandwidth_bps : &link->latency_ns;
	}
	cell = hbp_input_find(in, limit->from) * c->n +
	       hbp_input_find(in, limit->to);
	return width ? &c->bandwidth_bps[cell] : &c->latency_ns[cell];
}

/* Where it stands how fast a host is to send or receive. */
static size_t find_overhead(struct hbp_input *in, const struct hbp_limit *limit,
			    int64_t **values)
{
	bool sends = limit->what == HBP_LIMITED_SEND_OVERHEAD;
	size_t at = hbp_input_find(in, limit->from);
	struct hbp_cost_node *node;
	struct hbp_speed *speed;

	if (in->hnow) {
		speed = &in->hnow->speeds[at];
		values[0] = sends ? &speed->send_const_ns : &speed->recv_const_ns;
		values[1] = sends ? &speed->send_byte_ps : &speed->recv_byte_ps;
		return 2;
	}
	node = &in->costs->nodes[at];
	values[0] = sends ? &node->send_overhead_ns : &node->recv_overhead_ns;
	return 1;
}

static size_t find_values(struct hbp_input *in, const struct hbp_limit *limit,
			  int64_t **values)
{
	switch (limit->what) {
	case HBP_LIMITED_LINK:
	case HBP_LIMITED_LATENCY:
		values[0] = find_link(in, limit);
		return 1;
	case HBP_LIMITED_SEND_OVERHEAD:
	case HBP_LIMITED_RECV_OVERHEAD:
		return find_overhead(in, limit, values);
	case HBP_LIMITED_WORMHOLE:
		values[0] = &in->hnow->const_ns;
		values[1] = &in->hnow->byte_ps;
		return 2;
	case HBP_LIMITED_SENDER:
	case HBP_LIMITED_RECEIVER:
		break;
	}
	return 0;
}

/* The matrix that is made of what has been changed is made anew. */
static int renew(struct hbp_input *in, const struct hbp_limit *limit,
		 struct hbp_error *err)
{
	struct hbp_costs *costs = NULL;
	int ret;

	if (in->hnow && limit->what >= HBP_LIMITED_SEND_OVERHEAD) {
		ret = hbp_costs_from_hnow(in->hnow, &costs, err);
		if (ret)
			return ret;
	} else if (!in->platform) {
		return 0;
	}
	hbp_costs_free(in->costs);
	in->costs = costs;
	return 0;
}

/**
 * hbp_upgrade_do() - make something HBP_UPGRADE times as fast
 * @in: the network
 * @limit: what is meant; borrowed until hbp_upgrade_undo()
 * @upgrade: receives how it was; afterwards to be undone, even on failure
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_upgrade_do(struct hbp_input *in, const struct hbp_limit *limit,
		   struct hbp_upgrade *upgrade, struct hbp_error *err)
{
	int64_t *values[HBP_UPGRADE_VALUES];
	size_t i;

	upgrade->limit = limit;
	upgrade->n = find_values(in, limit, values);
	if (!upgrade->n)
		change_port(in, limit, false);
	for (i = 0; i < upgrade->n; i++) {
		upgrade->before[i] = *values[i];
		if (limit->what == HBP_LIMITED_LINK)
			*values[i] *= HBP_UPGRADE;
		else
			*values[i] /= HBP_UPGRADE;
	}
	return renew(in, limit, err);
}

/**
 * hbp_upgrade_undo() - make it as fast as it was
 * @in: the network
 * @upgrade: what hbp_upgrade_do() has filled
 * @err: receives the reason of a failure
 *
 * Return: 0; -ENOMEM, which leaves the cost matrix of an HNOW as it is.
 */
int hbp_upgrade_undo(struct hbp_input *in, const struct hbp_upgrade *upgrade,
		     struct hbp_error *err)
{
	int64_t *values[HBP_UPGRADE_VALUES];
	size_t i;

	if (!upgrade->n)
		change_port(in, upgrade->limit, true);
	find_values(in, upgrade->limit, values);
	for (i = 0; i < upgrade->n; i++)
		*values[i] = upgrade->before[i];
	return renew(in, upgrade->limit, err);
}
