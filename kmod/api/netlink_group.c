// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on groups. */
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <linux/uidgid.h>
#include <net/sock.h>

#include "api/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "root/upload.h"
#include "wire/shape.h"

/* A group and who asks. */
struct hbc_nl_group {
	struct hbc_group *group;
	struct user_namespace *user_ns;
};

static int hbc_nl_get_members(const struct genl_info *info, struct hbc_group_setup *setup)
{
	const struct nlattr *attr, *first = info->attrs[HBCAST_A_GROUP_MEMBER];
	unsigned int n = hbc_nl_count(info, HBCAST_A_GROUP_MEMBER), i = 0;
	int rem;

	setup->set_members = n;
	if (!n)
		return 0;
	if (n > HBCAST_NODES_MAX)
		return hbc_nl_refuse(info->extack, first, -E2BIG,
				     "a group has at most 4096 members");
	setup->members = kvmalloc_array(n, sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!setup->members)
		return -ENOMEM;
	setup->nr_members = n;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) == HBCAST_A_GROUP_MEMBER)
			setup->members[i++] = nla_get_u32(attr);
	}
	sort(setup->members, n, sizeof(u32), hbc_shape_compare, NULL);
	for (i = 1; i < n; i++)
		if (setup->members[i - 1] == setup->members[i])
			return hbc_nl_refuse(info->extack, first, -EINVAL,
					     "a member is listed twice");
	return 0;
}

static int hbc_nl_get_key(const struct genl_info *info, struct hbc_group_setup *setup)
{
	const struct nlattr *attr = info->attrs[HBCAST_A_GROUP_KEY];
	struct crypto_shash *key;

	if (!attr)
		return 0;
	key = hbc_auth_key_new(nla_data(attr), nla_len(attr));
	if (key == ERR_PTR(-EINVAL))
		return hbc_nl_refuse(info->extack, attr, -EINVAL, "key must have 16 to 64 bytes");
	if (IS_ERR(key))
		return hbc_nl_refuse(info->extack, attr, PTR_ERR(key),
				     "the kernel cannot make HMAC-SHA256 keys");
	setup->key = key;
	return 0;
}

static int hbc_nl_get_owner(struct sk_buff *skb, const struct genl_info *info,
			    struct hbc_group_config *config)
{
	struct user_namespace *user_ns = sk_user_ns(NETLINK_CB(skb).sk);
	const struct nlattr *uid = info->attrs[HBCAST_A_GROUP_UID];
	const struct nlattr *gid = info->attrs[HBCAST_A_GROUP_GID];

	if (uid)
		config->uid = make_kuid(user_ns, nla_get_u32(uid));
	if (gid)
		config->gid = make_kgid(user_ns, nla_get_u32(gid));
	if (!uid_valid(config->uid))
		return hbc_nl_refuse(info->extack, uid, -EINVAL,
				     "uid has no meaning in the user namespace");
	if (!gid_valid(config->gid))
		return hbc_nl_refuse(info->extack, gid, -EINVAL,
				     "gid has no meaning in the user namespace");
	return 0;
}

/* Settings that the request does not have stay as they are. */
static void hbc_nl_get_u32(const struct genl_info *info, int attr, u32 *value)
{
	if (info->attrs[attr])
		*value = nla_get_u32(info->attrs[attr]);
}

static void hbc_nl_get_u64(const struct genl_info *info, int attr, u64 *value)
{
	if (info->attrs[attr])
		*value = nla_get_u64(info->attrs[attr]);
}

static int hbc_nl_get_config(struct sk_buff *skb, const struct genl_info *info,
			     struct hbc_group_config *config)
{
	const struct nlattr *mode = info->attrs[HBCAST_A_GROUP_MODE];

	if (mode && nla_get_u32(mode) & ~HBCAST_MODE_MAX)
		return hbc_nl_refuse(info->extack, mode, -EINVAL, "mode has bits beside 0666");
	hbc_nl_get_u32(info, HBCAST_A_GROUP_MODE, &config->mode);
	hbc_nl_get_u32(info, HBCAST_A_GROUP_DEAD_MS, &config->dead_ms);
	hbc_nl_get_u32(info, HBCAST_A_GROUP_STALL_MS, &config->stall_ms);
	hbc_nl_get_u32(info, HBCAST_A_GROUP_WINDOW, &config->window);
	hbc_nl_get_u32(info, HBCAST_A_GROUP_MAX_NODES, &config->max_nodes);
	hbc_nl_get_u64(info, HBCAST_A_GROUP_SPOOL, &config->spool);
	hbc_nl_get_u32(info, HBCAST_A_GROUP_PROBE, &config->probe);
	hbc_nl_get_u64(info, HBCAST_A_GROUP_PROBE_RATE, &config->probe_rate);
	hbc_nl_get_u64(info, HBCAST_A_GROUP_PROBE_TOTAL, &config->probe_total);
	return hbc_nl_get_owner(skb, info, config);
}

/* What both group-new and group-set take; hbc_nl_setup_free() ends it in any case. */
static int hbc_nl_get_setup(struct sk_buff *skb, const struct genl_info *info,
			    struct hbc_group_setup *setup)
{
	setup->set_total = info->attrs[HBCAST_A_GROUP_PROBE_TOTAL];
	return hbc_nl_get_config(skb, info, &setup->config) ?:
	       hbc_nl_get_members(info, setup) ?:
	       hbc_nl_get_key(info, setup);
}

static void hbc_nl_setup_free(struct hbc_group_setup *setup)
{
	crypto_free_shash(setup->key);
	kvfree(setup->members);
}

int hbcast_nl_group_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_group_setup setup = {
		.config = {
			.uid = make_kuid(hn->net->user_ns, 0),
			.gid = make_kgid(hn->net->user_ns, 0),
			.mode = HBC_MODE_DEFAULT,
			.dead_ms = HBC_DEAD_MS_DEFAULT,
			.stall_ms = HBC_STALL_MS_DEFAULT,
			.window = HBC_WINDOW_DEFAULT,
			.max_nodes = HBC_MAX_MEMBERS,
			.spool = HBC_SPOOL_DEFAULT,
			.probe = true,
		},
	};
	int err;

	err = hbc_nl_get_setup(skb, info, &setup);
	setup.set_members = true;
	err = err ?: hbc_group_add(hn, nla_get_u32(info->attrs[HBCAST_A_GROUP_ID]), &setup,
				   info->extack);
	hbc_nl_setup_free(&setup);
	return err;
}

int hbcast_nl_group_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *any = info->attrs[HBCAST_A_GROUP_ANY_MEMBER];
	struct hbc_group *group = hbc_nl_group(info);
	struct hbc_group_setup setup = { .config = group->config };
	int err;

	err = hbc_nl_get_setup(skb, info, &setup);
	if (!err && any && setup.set_members)
		err = hbc_nl_refuse(info->extack, any, -EINVAL,
				    "either member or any-member can be given");
	setup.set_members |= !!any;
	err = err ?: hbc_group_change(group, &setup, info->extack);
	hbc_nl_setup_free(&setup);
	return err;
}

int hbcast_nl_group_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_group *group = hbc_nl_group(info);

	hbc_upload_flush(group->hn, 0, group->id);
	hbc_group_remove(group);
	return 0;
}

static int hbc_nl_put_drops(struct sk_buff *skb, struct hbc_group *group)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_GROUP_DROPS);
	int err = 0, i;

	for (i = HBCAST_A_DROPS_STALE; !err && i < __HBCAST_A_DROPS_MAX; i++)
		err = hbc_nl_put_u64(skb, i, atomic64_read(&group->drops[i]));
	return hbc_nl_nest_end(skb, nest, err);
}

/* Settings, which are for everybody. */
static int hbc_nl_put_config(struct sk_buff *skb, const struct hbc_nl_group *asked)
{
	const struct hbc_group_config *config = &asked->group->config;
	u32 uid = from_kuid_munged(asked->user_ns, config->uid);
	u32 gid = from_kgid_munged(asked->user_ns, config->gid);

	return nla_put_u32(skb, HBCAST_A_GROUP_ID, asked->group->id) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_UID, uid) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_GID, gid) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_MODE, config->mode) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_DEAD_MS, config->dead_ms) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_STALL_MS, config->stall_ms) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_WINDOW, config->window) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_MAX_NODES, config->max_nodes) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_GROUP_SPOOL, config->spool) ?:
	      nla_put_u32(skb, HBCAST_A_GROUP_PROBE, config->probe) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_GROUP_PROBE_RATE, config->probe_rate) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_GROUP_PROBE_TOTAL, config->probe_total);
}

static int hbc_nl_group_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_nl_group *asked = of;
	struct hbc_group *group = asked->group;
	int err = hbc_nl_put_config(skb, asked);

	if (err || !hbc_nl_may(group))
		return err;
	return nla_put_u32(skb, HBCAST_A_GROUP_MEMBERS, group->nr_members) ?:
	       nla_put_u32(skb, HBCAST_A_GROUP_RECEIVERS, READ_ONCE(group->nr_socks)) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_GROUP_PROBED, atomic64_read(&group->probed)) ?:
	       hbc_nl_put_drops(skb, group);
}

static int hbc_nl_group_put_members(struct sk_buff *skb, const void *of, u32 *next)
{
	const struct hbc_group *group = ((const struct hbc_nl_group *)of)->group;
	int err = 0;

	if (!hbc_nl_may(group))
		return 0;
	for (; !err && *next < group->nr_members; *next += !err)
		err = nla_put_u32(skb, HBCAST_A_GROUP_MEMBER, group->members[*next]);
	return err;
}

static const struct hbc_nl_kind hbc_nl_groups = { hbc_nl_group_put, hbc_nl_group_put_members };

int hbcast_nl_group_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_nl_group asked = {
		.group = hbc_nl_group(info), .user_ns = sk_user_ns(NETLINK_CB(skb).sk),
	};

	return hbc_nl_reply(info, &hbc_nl_groups, &asked);
}

int hbcast_nl_group_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_nl_group asked = { .user_ns = sk_user_ns(NETLINK_CB(cb->skb).sk) };
	struct hbc_nl_place *at = (struct hbc_nl_place *)cb->ctx;
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	unsigned long id;
	int err;

	err = hbc_nl_dump_begin(cb);
	if (err)
		return err;
	cb->seq = hn->generation;
	xa_for_each_start(&hn->groups, id, asked.group, at->item) {
		if (id > at->item)
			*at = (struct hbc_nl_place) { .item = id };
		err = hbc_nl_dump(skb, cb, &hbc_nl_groups, &asked, &at->next);
		if (err)
			break;
		at->item++;
	}
	return hbc_nl_dump_end(skb, cb, err);
}
