// SPDX-License-Identifier: GPL-2.0
/* A group: a key, members, settings, one session for each root, and the bound sockets. */
#include <crypto/hash.h>
#include <linux/bsearch.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/memcontrol.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "compat/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "wire/shape.h"

struct hbc_group *hbc_group_find(struct hbc_net *hn, u32 id)
{
	lockdep_assert_held(&hn->lock);
	return xa_load(&hn->groups, id);
}

struct hbc_group *hbc_group_get(struct hbc_net *hn, u32 id)
{
	struct hbc_group *group;

	rcu_read_lock();
	group = xa_load(&hn->groups, id);
	if (group && !kref_get_unless_zero(&group->ref))
		group = NULL;
	rcu_read_unlock();
	return group;
}

static void hbc_group_free(struct kref *ref)
{
	struct hbc_group *group = container_of(ref, struct hbc_group, ref);

	crypto_free_shash(group->key);
	kvfree(group->members);
	mutex_destroy(&group->socks_lock);
	mem_cgroup_put(group->memcg);
	kfree_rcu(group, rcu);
}

void hbc_group_put(struct hbc_group *group)
{
	kref_put(&group->ref, hbc_group_free);
}

int hbc_group_prove(struct hbc_group *group, enum hbc_auth_side side,
		    const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		    u8 *mac)
{
	int err;

	spin_lock(&group->lock);
	err = hbc_auth_mac(group->key, side, hello, challenge, mac);
	spin_unlock(&group->lock);
	return err;
}

int hbc_group_verify(struct hbc_group *group, enum hbc_auth_side side,
		     const struct hbc_wire_hello *hello, const struct hbc_wire_challenge *challenge,
		     const u8 *mac)
{
	int err;

	spin_lock(&group->lock);
	err = hbc_auth_check(group->key, side, hello, challenge, mac);
	spin_unlock(&group->lock);
	return err;
}

bool hbc_group_lists(const u32 *members, u32 nr, u32 node)
{
	return !nr || bsearch(&node, members, nr, sizeof(*members), hbc_shape_compare);
}

bool hbc_group_is_member(struct hbc_group *group, u32 node)
{
	bool member;

	spin_lock(&group->lock);
	member = hbc_group_lists(group->members, group->nr_members, node);
	spin_unlock(&group->lock);
	return member;
}

static int hbc_group_check_self(const struct hbc_net *hn, const struct hbc_group_setup *setup,
				struct netlink_ext_ack *extack)
{
	if (!setup->set_members || hbc_group_lists(setup->members, setup->nr_members, hn->id))
		return 0;
	return hbc_refuse(extack, -EINVAL, "this node is not among the members; add its id");
}

/* What @setup has of key and members; what was there before is left in @setup. */
static void hbc_group_take(struct hbc_group *group, struct hbc_group_setup *setup)
{
	spin_lock(&group->lock);
	if (setup->key)
		swap(group->key, setup->key);
	if (setup->set_members) {
		swap(group->members, setup->members);
		swap(group->nr_members, setup->nr_members);
	}
	spin_unlock(&group->lock);
}

int hbc_group_add(struct hbc_net *hn, u32 id, struct hbc_group_setup *setup,
		  struct netlink_ext_ack *extack)
{
	struct hbc_group *group;
	int err;

	lockdep_assert_held(&hn->lock);
	err = hbc_node_check(hn, extack);
	if (err)
		return err;
	if (hbc_group_find(hn, id))
		return hbc_refuse(extack, -EEXIST, "the node takes part in this group already");
	if (hn->nr_groups >= HBC_GROUPS_MAX)
		return hbc_refuse(extack, -ENOSPC,
				  "the node takes part in as many groups as it can");
	err = hbc_group_check_self(hn, setup, extack);
	if (err)
		return err;
	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return -ENOMEM;
	kref_init(&group->ref);
	group->hn = hn;
	group->id = id;
	group->memcg = get_mem_cgroup_from_mm(current->mm);
	group->config = setup->config;
	spin_lock_init(&group->lock);
	hbc_group_take(group, setup);
	INIT_LIST_HEAD(&group->sessions);
	mutex_init(&group->socks_lock);
	INIT_HLIST_HEAD(&group->socks);
	err = xa_insert(&hn->groups, id, group, GFP_KERNEL_ACCOUNT);
	if (err) {
		hbc_group_put(group);
		return err;
	}
	hn->nr_groups++;
	hbc_node_changed(hn);
	return 0;
}

static void hbc_group_set_config(struct hbc_group *group, const struct hbc_group_config *config)
{
	WRITE_ONCE(group->config.uid, config->uid);
	WRITE_ONCE(group->config.gid, config->gid);
	WRITE_ONCE(group->config.mode, config->mode);
	WRITE_ONCE(group->config.dead_ms, config->dead_ms);
	WRITE_ONCE(group->config.stall_ms, config->stall_ms);
	WRITE_ONCE(group->config.window, config->window);
	WRITE_ONCE(group->config.max_nodes, config->max_nodes);
	WRITE_ONCE(group->config.spool, config->spool);
	WRITE_ONCE(group->config.probe, config->probe);
	WRITE_ONCE(group->config.probe_rate, config->probe_rate);
	WRITE_ONCE(group->config.probe_total, config->probe_total);
}

int hbc_group_change(struct hbc_group *group, struct hbc_group_setup *setup,
		     struct netlink_ext_ack *extack)
{
	struct hbc_net *hn = group->hn;
	bool key = setup->key;
	int err;

	lockdep_assert_held(&hn->lock);
	err = hbc_group_check_self(hn, setup, extack) ?:
	      hbc_session_may_change(group, setup, extack);
	if (err)
		return err;
	hbc_group_set_config(group, &setup->config);
	hbc_group_take(group, setup);
	if (setup->set_total)
		atomic64_set(&group->probed, 0);
	hbc_lane_changed(group, key);
	if (setup->set_members)
		hbc_session_changed(group);
	hbc_probe_group_gone(group);
	hbc_node_changed(hn);
	return 0;
}

void hbc_group_remove(struct hbc_group *group)
{
	struct hbc_net *hn = group->hn;

	lockdep_assert_held(&hn->lock);
	WRITE_ONCE(group->gone, true);
	xa_erase(&hn->groups, group->id);
	hn->nr_groups--;
	hbc_node_changed(hn);
	hbc_session_group_gone(group);
	hbc_probe_group_gone(group);
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
