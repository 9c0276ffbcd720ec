// SPDX-License-Identifier: GPL-2.0
/* A group: a key, members, schedules (one per root) and the bound sockets. */
#include <linux/bsearch.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/hbcast.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "account.h"
#include "auth.h"
#include "group.h"
#include "node.h"
#include "probe.h"
#include "past.h"
#include "schedule.h"
#include "socket.h"

struct hbc_group *hbc_group_find(struct hbc_net *hn, u32 id)
{
	struct hbc_group *group;

	lockdep_assert_held(&hn->lock);
	list_for_each_entry(group, &hn->groups, link) {
		if (group->id >= id)
			return group->id == id ? group : NULL;
	}
	return NULL;
}

struct hbc_group *hbc_group_get(struct hbc_net *hn, u32 id)
{
	struct hbc_group *group;

	mutex_lock(&hn->lock);
	group = hbc_group_find(hn, id);
	if (group)
		kref_get(&group->ref);
	mutex_unlock(&hn->lock);
	return group;
}

static void hbc_group_free(struct kref *ref)
{
	struct hbc_group *group = container_of(ref, struct hbc_group, ref);

	hbc_account_close(group);
	hbc_auth_key_free(group->key);
	hbc_past_free(group);
	kvfree(group->members);
	kfree(group);
}

void hbc_group_put(struct hbc_group *group)
{
	kref_put(&group->ref, hbc_group_free);
}

static int hbc_group_compare(const void *key, const void *member)
{
	u32 a = *(const u32 *)key, b = *(const u32 *)member;

	return a < b ? -1 : a > b;
}

static bool hbc_group_lists(const u32 *members, u32 nr, u32 node)
{
	return !nr || bsearch(&node, members, nr, sizeof(*members), hbc_group_compare);
}

bool hbc_group_is_member(const struct hbc_group *group, u32 node)
{
	lockdep_assert_held(&group->hn->lock);
	return hbc_group_lists(group->members, group->nr_members, node);
}

static int hbc_group_check_self(const struct hbc_net *hn, const struct hbc_group_setup *setup,
				struct netlink_ext_ack *extack)
{
	if (!setup->set_members || hbc_group_lists(setup->members, setup->nr_members, hn->id))
		return 0;
	NL_SET_ERR_MSG(extack, "this node is not among the members; add its id");
	return -EINVAL;
}

static int hbc_group_check_new(struct hbc_net *hn, u32 id, const struct hbc_group_setup *setup,
			       struct netlink_ext_ack *extack)
{
	if (!hn->id) {
		NL_SET_ERR_MSG(extack, "the namespace is no node yet; set the node first");
		return -ENODEV;
	}
	if (hbc_group_find(hn, id)) {
		NL_SET_ERR_MSG(extack, "the node takes part in this group already");
		return -EEXIST;
	}
	if (hn->nr_groups >= HBC_GROUPS_MAX) {
		NL_SET_ERR_MSG(extack, "the node takes part in as many groups as it can");
		return -ENOSPC;
	}
	return hbc_group_check_self(hn, setup, extack);
}

static void hbc_group_link(struct hbc_net *hn, struct hbc_group *group)
{
	struct list_head *place = &hn->groups;
	struct hbc_group *other;

	list_for_each_entry_reverse(other, &hn->groups, link) {
		if (other->id < group->id) {
			place = &other->link;
			break;
		}
	}
	list_add(&group->link, place);
	hn->nr_groups++;
	hbc_node_changed(hn);
}

static void hbc_group_take_members(struct hbc_group *group, struct hbc_group_setup *setup)
{
	kvfree(group->members);
	group->members = setup->members;
	group->nr_members = setup->nr_members;
	setup->members = NULL;
}

int hbc_group_add(struct hbc_net *hn, u32 id, struct hbc_group_setup *setup,
		  struct netlink_ext_ack *extack)
{
	struct hbc_group *group;
	int err;

	lockdep_assert_held(&hn->lock);
	err = hbc_group_check_new(hn, id, setup, extack);
	if (err)
		return err;
	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return -ENOMEM;
	kref_init(&group->ref);
	group->hn = hn;
	group->id = id;
	group->config = setup->config;
	group->key = setup->key;
	setup->key = NULL;
	hbc_group_take_members(group, setup);
	xa_init(&group->accounts);
	INIT_LIST_HEAD(&group->schedules);
	INIT_LIST_HEAD(&group->pasts);
	spin_lock_init(&group->socks_lock);
	INIT_HLIST_HEAD(&group->socks);
	hbc_group_link(hn, group);
	return 0;
}

/* Whether all nodes that @sched has here would be members. */
static bool hbc_group_keeps(const struct hbc_schedule *sched, const u32 *members, u32 nr)
{
	const struct hbc_tree *tree;
	u32 i;

	if (!hbc_group_lists(members, nr, sched->root))
		return false;
	list_for_each_entry(tree, &sched->trees, link) {
		for (i = 0; i < tree->nr_nodes; i++) {
			if (!hbc_group_lists(members, nr, tree->nodes[i].node))
				return false;
		}
	}
	return true;
}

static void hbc_group_set_members(struct hbc_group *group, struct hbc_group_setup *setup)
{
	struct hbc_schedule *sched, *next;

	hbc_group_take_members(group, setup);
	list_for_each_entry_safe(sched, next, &group->schedules, link) {
		if (!hbc_group_keeps(sched, group->members, group->nr_members))
			hbc_schedule_remove(sched, HBCAST_REASON_PLAN_GONE);
		else
			hbc_schedule_expel(sched);
	}
}

static void hbc_group_set_config(struct hbc_group *group, const struct hbc_group_config *config)
{
	WRITE_ONCE(group->config.uid, config->uid);
	WRITE_ONCE(group->config.gid, config->gid);
	WRITE_ONCE(group->config.mode, config->mode);
	WRITE_ONCE(group->config.dead_ms, config->dead_ms);
	WRITE_ONCE(group->config.stall_ms, config->stall_ms);
	WRITE_ONCE(group->config.queue, config->queue);
	WRITE_ONCE(group->config.probe, config->probe);
	WRITE_ONCE(group->config.probe_rate, config->probe_rate);
	WRITE_ONCE(group->config.probe_total, config->probe_total);
}

int hbc_group_change(struct hbc_group *group, struct hbc_group_setup *setup,
		     struct netlink_ext_ack *extack)
{
	struct hbc_net *hn = group->hn;
	struct hbc_schedule *own;
	int err;

	lockdep_assert_held(&hn->lock);
	err = hbc_group_check_self(hn, setup, extack);
	if (err)
		return err;
	own = hbc_schedule_find(group, hn->id);
	if (setup->set_members && own &&
	    !hbc_group_keeps(own, setup->members, setup->nr_members)) {
		NL_SET_ERR_MSG(extack,
			       "this node's plan has nodes that would be no members; change it first");
		return -EBUSY;
	}
	hbc_group_set_config(group, &setup->config);
	if (setup->key) {
		swap(group->key, setup->key);
		hbc_auth_key_free(setup->key);
		setup->key = NULL;
	}
	if (setup->set_members)
		hbc_group_set_members(group, setup);
	if (setup->set_total)
		atomic64_set(&group->probed, 0);
	/* Who measures begins again, if that is still allowed. */
	hbc_probe_end_all(hn, group);
	hbc_node_changed(hn);
	return 0;
}

void hbc_group_remove(struct hbc_group *group)
{
	struct hbc_net *hn = group->hn;
	struct hbc_schedule *sched, *next;

	lockdep_assert_held(&hn->lock);
	WRITE_ONCE(group->gone, true);
	list_del(&group->link);
	hn->nr_groups--;
	hbc_node_changed(hn);
	list_for_each_entry_safe(sched, next, &group->schedules, link)
		hbc_schedule_remove(sched, HBCAST_REASON_PLAN_GONE);
	hbc_socket_group_gone(group);
	hbc_probe_end_all(hn, group);
	hbc_group_put(group);
}

int hbc_group_permission(const struct hbc_group *group, int mask)
{
	umode_t mode = READ_ONCE(group->config.mode);
	int granted;

	if (uid_eq(current_fsuid(), READ_ONCE(group->config.uid)))
		granted = mode >> 6;
	else if (in_group_p(READ_ONCE(group->config.gid)))
		granted = mode >> 3;
	else
		granted = mode;
	if ((granted & mask) == mask)
		return 0;
	if (ns_capable(group->hn->net->user_ns, CAP_DAC_OVERRIDE))
		return 0;
	return -EACCES;
}
