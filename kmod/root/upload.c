// SPDX-License-Identifier: GPL-2.0
/* An upload of a plan. */
#include <linux/err.h>
#include <linux/hbcast_netlink.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/extack.h"
#include "config/group.h"
#include "config/node.h"
#include "root/check.h"
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
	if (hbc_upload_find(hn, portid, group))
		return hbc_refuse(extack, -EEXIST,
				  "this socket's upload for the group has begun already");
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

/* PLAN of an epoch of these trees: with a reference, or NULL. */
static struct hbc_plan *hbc_upload_plan(const struct hbc_checked *shape, unsigned int nr,
					u32 epoch, u8 flags)
{
	unsigned int len = sizeof(struct hbc_wire_plan) + nr * sizeof(struct hbc_wire_slot), i;
	struct hbc_wire_plan *w = kzalloc(len, GFP_KERNEL);
	u64 step[HBC_MAX_SLOTS], slots = 0;
	struct hbc_plan *plan;
	bool rates = true;

	if (!w)
		return NULL;
	hbc_upload_steps(step, nr);
	for (i = 0; i < nr; i++) {
		u64 rate = hbc_shape_rate(shape[i].nodes);

		rates = rates && rate;
		slots |= BIT_ULL(shape[i].slot);
		w->slot[i].rate = cpu_to_be64(rate);
		w->slot[i].step = cpu_to_be64(step[i]);
	}
	for (i = 0; i < nr && !rates; i++)
		w->slot[i].rate = cpu_to_be64(1);
	hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PLAN, 0, len);
	w->epoch = cpu_to_be32(epoch);
	w->slots = cpu_to_be64(slots);
	w->flags = flags;
	plan = hbc_plan_new(w, len);
	kfree(w);
	return plan;
}

/* Trees of the shapes, whose nodes they take over: 0 or -errno; @tree holds those made. */
static int hbc_upload_trees(struct hbc_checked *shape, unsigned int nr, struct hbc_plan *plan,
			    u32 self, struct hbc_tree **tree)
{
	struct hbc_tree *made;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		made = hbc_tree_new(plan, shape[i].slot, shape[i].nodes, shape[i].nr, self);
		if (IS_ERR(made))
			return PTR_ERR(made);
		shape[i].nodes = NULL;
		tree[i] = made;
	}
	return 0;
}

/* Whether the session's newest plan is this one. hn->lock held. */
static bool hbc_upload_same(struct hbc_session *s, const struct hbc_checked *shape,
			    unsigned int nr, u8 flags)
{
	const struct hbc_tree *tree;
	unsigned int slot, i = 0;
	bool same = true;

	if (!s || !s->origin->epoch)
		return false;
	spin_lock_bh(&s->lock);
	for (slot = 0; slot < HBC_MAX_SLOTS && same; slot++) {
		tree = s->tree[slot];
		if (!tree)
			continue;
		same = i < nr && shape[i].slot == slot && shape[i].nr == tree->nr &&
		       tree->plan->wire.flags == flags &&
		       !memcmp(shape[i].nodes, tree->node, tree->nr * sizeof(tree->node[0]));
		i++;
	}
	spin_unlock_bh(&s->lock);
	return same && i == nr;
}

static int hbc_upload_apply(struct hbc_group *group, struct hbc_checked *shape,
			    unsigned int nr, u8 flags, u32 epoch, struct netlink_ext_ack *extack)
{
	struct hbc_session *s = hbc_origin_session(group);
	struct hbc_plan *plan = NULL;
	struct hbc_tree **tree;
	unsigned int i;
	int err = -ENOMEM;

	if (IS_ERR(s))
		return hbc_refuse(extack, PTR_ERR(s), "the group can take no more plans now");
	tree = kcalloc(nr, sizeof(*tree), GFP_KERNEL);
	if (tree)
		plan = hbc_upload_plan(shape, nr, epoch, flags);
	if (plan)
		err = hbc_upload_trees(shape, nr, plan, group->hn->id, tree) ?:
		      hbc_origin_apply(s, tree, nr);
	for (i = 0; tree && i < nr; i++)
		hbc_tree_put(tree[i]);
	kfree(tree);
	hbc_plan_put(plan);
	hbc_session_put(s);
	return err;
}

int hbc_upload_commit(struct hbc_upload *plan, struct hbc_group *group, bool dry_run, u32 *epoch,
		      struct netlink_ext_ack *extack)
{
	struct hbc_session *s = hbc_session_find(group, group->hn->id, 0);
	struct hbc_checked *shape;
	unsigned int nr = 0;
	int err;

	lockdep_assert_held(&group->hn->lock);
	plan->why[0] = 0;
	*epoch = s ? s->origin->epoch : 0;
	shape = kcalloc(HBC_MAX_SLOTS, sizeof(*shape), GFP_KERNEL);
	if (!shape)
		return -ENOMEM;
	err = hbc_check_plan(plan, group, shape, &nr);
	if (!err && hbc_upload_same(s, shape, nr, plan->flags)) {
		err = 1;
	} else if (!err) {
		++*epoch;
		if (!dry_run)
			err = hbc_upload_apply(group, shape, nr, plan->flags, *epoch, extack);
	}
	while (nr--)
		kvfree(shape[nr].nodes);
	kfree(shape);
	return err;
}
