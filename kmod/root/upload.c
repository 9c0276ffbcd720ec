// SPDX-License-Identifier: GPL-2.0
/* An upload of a plan. */
#include <linux/err.h>
#include <linux/hbcast_netlink.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "root/origin.h"
#include "root/upload.h"
#include "session/session.h"
#include "session/tree.h"
#include "wire/shape.h"

#define HBC_UPLOAD_EDGES	(HBC_MAX_MEMBERS - 1)

int hbc_upload_begin(struct hbc_net *hn, u32 portid, u32 group, u8 flags,
		     struct netlink_ext_ack *extack)
{
	struct hbc_upload *plan;

	lockdep_assert_held(&hn->lock);
	hbc_upload_flush(hn, portid, group);
	if (hn->nr_plans >= HBCAST_UPLOADS_MAX)
		return hbc_refuse(extack, -EBUSY,
				  "too many uploads at once; try again when one is over");
	plan = kzalloc(sizeof(*plan), GFP_KERNEL_ACCOUNT);
	if (!plan)
		return -ENOMEM;
	plan->portid = portid;
	plan->group = group;
	plan->flags = flags;
	list_add_tail(&plan->link, &hn->plans);
	hn->nr_plans++;
	return 0;
}

struct hbc_upload *hbc_upload_find(struct hbc_net *hn, u32 portid, u32 group)
{
	struct hbc_upload *plan;

	lockdep_assert_held(&hn->lock);
	list_for_each_entry(plan, &hn->plans, link) {
		if (plan->portid == portid && plan->group == group)
			return plan;
	}
	return NULL;
}

void hbc_upload_free(struct hbc_net *hn, struct hbc_upload *plan)
{
	unsigned int slot;

	lockdep_assert_held(&hn->lock);
	list_del(&plan->link);
	hn->nr_plans--;
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		kvfree(plan->tree[slot].edge);
	kfree(plan);
}

void hbc_upload_flush(struct hbc_net *hn, u32 portid, u32 group)
{
	struct hbc_upload *plan, *next;

	list_for_each_entry_safe(plan, next, &hn->plans, link) {
		if ((!portid || plan->portid == portid) && (!group || plan->group == group))
			hbc_upload_free(hn, plan);
	}
}

int hbc_upload_add(struct hbc_upload *plan, u8 slot, const struct hbc_upload_edge *edge)
{
	struct hbc_upload_tree *tree = &plan->tree[slot];

	if (tree->nr >= HBC_UPLOAD_EDGES)
		return -E2BIG;
	if (!tree->edge)
		tree->edge = kvmalloc_array(HBC_UPLOAD_EDGES, sizeof(*edge), GFP_KERNEL_ACCOUNT);
	if (!tree->edge)
		return -ENOMEM;
	tree->edge[tree->nr++] = *edge;
	return 0;
}

/* Multipliers: powers of the inverse of x, where x^(nr + 1) = x + 1, as fractions of 2^64. */

#define HBC_UPLOAD_FRACTION	60	/* bits */
#define HBC_UPLOAD_ONE		BIT_ULL(HBC_UPLOAD_FRACTION)

static u64 hbc_upload_mul(u64 a, u64 b)
{
	return mul_u64_u64_shr(a, b, HBC_UPLOAD_FRACTION);
}

/* x^@n, or four if that is more. */
static u64 hbc_upload_power(u64 x, unsigned int n)
{
	u64 power = HBC_UPLOAD_ONE;

	while (n-- && power < 4 * HBC_UPLOAD_ONE)
		power = hbc_upload_mul(power, x);
	return power;
}

static void hbc_upload_steps(u64 *step, unsigned int nr)
{
	u64 low = HBC_UPLOAD_ONE, high = 2 * HBC_UPLOAD_ONE, x, inverse, power = HBC_UPLOAD_ONE;
	unsigned int i;

	while (high - low > 1) {
		x = low + (high - low) / 2;
		if (hbc_upload_power(x, nr + 1) > x + HBC_UPLOAD_ONE)
			high = x;
		else
			low = x;
	}
	/* x^nr = 1 + 1 / x. */
	inverse = hbc_upload_power(low, nr) - HBC_UPLOAD_ONE;
	for (i = 0; i < nr; i++) {
		power = hbc_upload_mul(power, inverse);
		step[i] = power << (64 - HBC_UPLOAD_FRACTION);
	}
}

/* PLAN of an epoch of the trees: with a reference, or NULL. */
static struct hbc_plan *hbc_upload_plan(const struct hbc_upload *plan, u32 epoch)
{
	struct hbc_wire_plan *w = kzalloc(struct_size(w, slot, HBC_MAX_SLOTS), GFP_KERNEL);
	unsigned int slot, nr = 0, i;
	u64 step[HBC_MAX_SLOTS], rate, slots = 0;
	struct hbc_plan *made;
	bool rates = true;

	if (!w)
		return NULL;
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		if (!plan->tree[slot].nr)
			continue;
		rate = hbc_shape_rate(plan->tree[slot].node);
		rates = rates && rate;
		slots |= BIT_ULL(slot);
		w->slot[nr++].rate = cpu_to_be64(rate);
	}
	hbc_upload_steps(step, nr);
	for (i = 0; i < nr; i++) {
		w->slot[i].step = cpu_to_be64(step[i]);
		if (!rates)
			w->slot[i].rate = cpu_to_be64(1);
	}
	hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PLAN, 0, struct_size(w, slot, nr));
	w->epoch = cpu_to_be32(epoch);
	w->slots = cpu_to_be64(slots);
	w->flags = plan->flags;
	made = hbc_plan_new(w);
	kfree(w);
	return made;
}

/* Its trees, which take their nodes over: 0 or -errno; @tree holds those made, by slot. */
static int hbc_upload_trees(struct hbc_upload *plan, struct hbc_plan *epoch, u32 self,
			    struct hbc_tree **tree)
{
	struct hbc_upload_tree *from;
	struct hbc_tree *made;
	unsigned int slot;

	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		from = &plan->tree[slot];
		if (!from->nr)
			continue;
		made = hbc_tree_new(epoch, slot, from->node, from->nr + 1, self);
		if (IS_ERR(made))
			return PTR_ERR(made);
		from->node = NULL;
		tree[slot] = made;
	}
	return 0;
}

/* Whether the session's newest plan is this one, and each still has its part. hn->lock held. */
static bool hbc_upload_same(struct hbc_session *s, const struct hbc_upload *plan)
{
	const struct hbc_upload_tree *from;
	const struct hbc_tree *tree;
	unsigned int slot;
	bool same;

	if (!s)
		return false;
	lockdep_assert_held(&s->hn->lock);
	spin_lock_bh(&s->lock);
	same = s->origin->intact;
	for (slot = 0; slot < HBC_MAX_SLOTS && same; slot++) {
		tree = s->tree[slot];
		from = &plan->tree[slot];
		if (tree)
			same = from->nr + 1 == tree->nr && tree->plan->wire.flags == plan->flags &&
			       !memcmp(from->node, tree->node, tree->nr * sizeof(*tree->node));
		else
			same = !from->nr;
	}
	spin_unlock_bh(&s->lock);
	return same;
}

static int hbc_upload_apply(struct hbc_group *group, struct hbc_upload *plan, u32 epoch,
			    struct netlink_ext_ack *extack)
{
	struct hbc_session *s = hbc_origin_session(group);
	struct hbc_tree *tree[HBC_MAX_SLOTS] = {};
	struct hbc_plan *made;
	unsigned int slot;
	int err = -ENOMEM;

	if (IS_ERR(s))
		return hbc_refuse(extack, PTR_ERR(s), "the group can take no more plans now");
	made = hbc_upload_plan(plan, epoch);
	if (made)
		err = hbc_upload_trees(plan, made, group->hn->id, tree) ?:
		      hbc_origin_apply(s, tree);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		hbc_tree_put(tree[slot]);
	hbc_plan_put(made);
	hbc_session_put(s);
	return err;
}

int hbc_upload_commit(struct hbc_upload *plan, struct hbc_group *group, bool dry_run, u32 *epoch,
		      struct netlink_ext_ack *extack)
{
	struct hbc_session *s = hbc_session_find(group, group->hn->id, 0);
	unsigned int slot;
	int err;

	lockdep_assert_held(&group->hn->lock);
	plan->why[0] = 0;
	*epoch = s ? s->origin->epoch : 0;
	err = hbc_check_plan(plan, group);
	if (!err && hbc_upload_same(s, plan)) {
		err = 1;
	} else if (!err) {
		++*epoch;
		if (!dry_run)
			err = hbc_upload_apply(group, plan, *epoch, extack);
	}
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		kvfree(plan->tree[slot].node);
		plan->tree[slot].node = NULL;
	}
	return err;
}
