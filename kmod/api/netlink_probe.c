// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on measurements, and what these tell to the socket that has asked. */
#include <linux/mm.h>
#include <linux/sort.h>

#include "api/netlink.h"
#include "config/addr.h"
#include "config/group.h"
#include "config/node.h"
#include "config/peer.h"
#include "probe/ask.h"
#include "wire/shape.h"

/**
 * struct hbc_nl_round - a round that is asked for
 * @group: the group
 * @count: of @tasks
 * @tasks: all of them
 * @nr_nodes: of @nodes
 * @nodes: that have a part in it, in ascending order
 * @ask: PROBE_ASK to one node, of up to HBC_CONTROL_MAX bytes
 */
struct hbc_nl_round {
	struct hbc_group *group;
	unsigned int count;
	struct hbc_wire_task *tasks;
	unsigned int nr_nodes;
	u32 *nodes;
	struct hbc_wire_ask ask;
};

static int hbc_nl_task_get(const struct nlattr *nest, struct netlink_ext_ack *extack,
			   struct hbc_wire_task *task)
{
	struct nlattr *tb[HBCAST_A_TASK_MAX + 1];
	int err;

	err = nla_parse_nested(tb, HBCAST_A_TASK_MAX, nest, hbcast_task_nl_policy, extack);
	if (err)
		return err;
	if (!tb[HBCAST_A_TASK_KIND] || !tb[HBCAST_A_TASK_FROM] || !tb[HBCAST_A_TASK_TO])
		return hbc_nl_refuse(extack, nest, -EINVAL, "a task needs kind, from and to");
	task->kind = nla_get_u32(tb[HBCAST_A_TASK_KIND]);
	task->from = cpu_to_be32(nla_get_u32(tb[HBCAST_A_TASK_FROM]));
	task->to = cpu_to_be32(nla_get_u32(tb[HBCAST_A_TASK_TO]));
	if (tb[HBCAST_A_TASK_COUNT])
		task->count = cpu_to_be32(nla_get_u32(tb[HBCAST_A_TASK_COUNT]));
	if (tb[HBCAST_A_TASK_RATE])
		task->rate = cpu_to_be32(nla_get_u32(tb[HBCAST_A_TASK_RATE]));
	if (task->from == task->to)
		return hbc_nl_refuse(extack, tb[HBCAST_A_TASK_TO], -EINVAL,
				     "a task is from one node to another one");
	if (task->rate && task->kind != HBCAST_TASK_FLOW)
		return hbc_nl_refuse(extack, tb[HBCAST_A_TASK_RATE], -EINVAL,
				     "flows may have a rate, round trips and bursts have none");
	if (task->kind == HBCAST_TASK_FLOW ? !task->count : !!task->count)
		return 0;
	return hbc_nl_refuse(extack, tb[HBCAST_A_TASK_COUNT] ?: nest, -EINVAL,
			     "round trips and bursts have a count, flows have none");
}

static int hbc_nl_tasks_get(const struct genl_info *info, struct hbc_nl_round *round)
{
	const struct nlattr *attr;
	struct hbc_wire_task *task;
	int rem, err;

	round->count = hbc_nl_count(info, HBCAST_A_PROBE_TASK);
	if (round->count > HBCAST_TASKS_MAX)
		return hbc_nl_refuse(info->extack, info->attrs[HBCAST_A_PROBE_TASK], -E2BIG,
				     "a round has at most 4096 tasks");
	round->tasks = kvcalloc(round->count, sizeof(*round->tasks), GFP_KERNEL);
	round->nodes = kvcalloc(round->count, 2 * sizeof(*round->nodes), GFP_KERNEL);
	if (!round->tasks || !round->nodes)
		return -ENOMEM;
	task = round->tasks;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != HBCAST_A_PROBE_TASK)
			continue;
		err = hbc_nl_task_get(attr, info->extack, task);
		if (err)
			return err;
		task->index = cpu_to_be16(task - round->tasks);
		task++;
	}
	return 0;
}

static const struct sockaddr_storage *hbc_nl_probe_addr(struct hbc_net *hn, u32 node)
{
	const struct hbc_peer *peer;

	if (node == hn->id)
		return &hn->addr;
	peer = hbc_peer_find(hn, node);
	return peer ? &peer->addr : NULL;
}

/* Whether tasks can be from or to @node, which is told else. */
static int hbc_nl_probe_check(const struct genl_info *info, const struct hbc_nl_round *round,
			      u32 node)
{
	const struct nlattr *attr = info->attrs[HBCAST_A_PROBE_TASK];

	if (!hbc_nl_probe_addr(round->group->hn, node))
		return hbc_nl_refuse(info->extack, attr, -ENOENT,
				     "a node of a task is no peer of this one; add it first");
	if (!hbc_group_is_member(round->group, node))
		return hbc_nl_refuse(info->extack, attr, -EPERM,
				     "a node of a task is no member of the group");
	return 0;
}

/* Which nodes have a part in it, and where they are. */
static int hbc_nl_round_nodes(const struct genl_info *info, struct hbc_nl_round *round)
{
	unsigned int i, n = 0, all = 0;
	struct hbc_wire_task *task;
	int err;

	for (i = 0; i < round->count; i++) {
		u32 from = be32_to_cpu(round->tasks[i].from), to = be32_to_cpu(round->tasks[i].to);

		task = &round->tasks[i];
		err = hbc_nl_probe_check(info, round, from) ?: hbc_nl_probe_check(info, round, to);
		if (err)
			return err;
		hbc_addr_put(hbc_nl_probe_addr(round->group->hn, to), &task->family, &task->port,
			     task->addr);
		round->nodes[all++] = from;
		/* Others answer any member. */
		if (task->kind == HBCAST_TASK_FLOW)
			round->nodes[all++] = to;
	}
	sort(round->nodes, all, sizeof(u32), hbc_shape_compare, NULL);
	for (i = 0; i < all; i++)
		if (!n || round->nodes[n - 1] != round->nodes[i])
			round->nodes[n++] = round->nodes[i];
	round->nr_nodes = n;
	return 0;
}

/* What @node has to do: the number of its tasks in @round->ask, or -E2BIG if they do not fit. */
static int hbc_nl_round_part(struct hbc_nl_round *round, u32 node)
{
	const struct hbc_wire_task *task = round->tasks;
	__be32 id = cpu_to_be32(node);
	unsigned int i, n = 0;

	for (i = 0; i < round->count; i++, task++) {
		if (task->from != id && (task->to != id || task->kind != HBCAST_TASK_FLOW))
			continue;
		if (n == HBC_ASK_TASKS)
			return -E2BIG;
		round->ask.task[n++] = *task;
	}
	return n;
}

static int hbc_nl_round_ask(const struct genl_info *info, struct hbc_nl_round *round, u32 node)
{
	const struct hbc_probe_asker asker = {
		.group = round->group, .node = node, .portid = info->snd_portid,
		.addr = hbc_nl_probe_addr(round->group->hn, node),
	};
	u8 flags = nla_get_flag(info->attrs[HBCAST_A_PROBE_ANYWAY]) ? HBC_ASK_ANYWAY : 0;

	hbc_wire_put_hdr(&round->ask.hdr, HBC_FRAME_PROBE_ASK, flags,
			 struct_size(&round->ask, task, hbc_nl_round_part(round, node)));
	return hbc_probe_ask(&asker, &round->ask);
}

static int hbc_nl_round_start(const struct genl_info *info, struct hbc_nl_round *round)
{
	unsigned int i;
	int err;

	err = hbc_nl_tasks_get(info, round) ?: hbc_nl_round_nodes(info, round);
	if (err)
		return err;
	for (i = 0; i < round->nr_nodes; i++)
		if (hbc_nl_round_part(round, round->nodes[i]) < 0)
			return hbc_nl_refuse(info->extack, info->attrs[HBCAST_A_PROBE_TASK], -E2BIG,
				"a node has more tasks in the round than fit into one request");
	for (i = 0; !err && i < round->nr_nodes; i++)
		err = hbc_nl_round_ask(info, round, round->nodes[i]);
	return err;
}

int hbcast_nl_probe_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_nl_round *round = kvzalloc(struct_size(round, ask.task, HBC_ASK_TASKS),
					      GFP_KERNEL);
	const struct nlattr *every = info->attrs[HBCAST_A_PROBE_EVERY];
	int err;

	if (!round)
		return -ENOMEM;
	round->group = hbc_nl_group(info);
	round->ask.round = cpu_to_be32(nla_get_u32(info->attrs[HBCAST_A_PROBE_ROUND]));
	round->ask.ms = cpu_to_be32(nla_get_u32(info->attrs[HBCAST_A_PROBE_MS]));
	if (every)
		round->ask.every = cpu_to_be32(nla_get_u32(every));
	err = hbc_nl_round_start(info, round);
	kvfree(round->tasks);
	kvfree(round->nodes);
	kvfree(round);
	return err;
}

int hbcast_nl_probe_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	hbc_probe_ask_stop(hbc_nl_group(info), info->snd_portid);
	return 0;
}

/* Samples. */

static int hbc_nl_sample_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_probe_news *news = of;
	const struct hbc_wire_sample *w = news->w;
	const struct hbc_probe *probe = news->probe;
	u32 status = w ? be16_to_cpu(w->status) : HBCAST_ROUND_LOST;
	int err;

	err = nla_put_u32(skb, HBCAST_A_PROBE_GROUP, probe->group->id) ?:
	      nla_put_u32(skb, HBCAST_A_PROBE_ROUND, news->round) ?:
	      nla_put_u32(skb, HBCAST_A_PROBE_NODE, probe->peer) ?:
	      nla_put_u32(skb, HBCAST_A_PROBE_STATUS, status);
	if (err)
		return err;
	if (w)
		return hbc_nl_put_u64(skb, HBCAST_A_PROBE_NS, be64_to_cpu(w->ns));
	return nla_put_u32(skb, HBCAST_A_PROBE_ERROR, news->error) ?:
	       (probe->reject ? nla_put_u32(skb, HBCAST_A_PROBE_REJECT, probe->reject) : 0);
}

static int hbc_nl_put_figure(struct sk_buff *skb, const struct hbc_wire_figure *figure)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_PROBE_FIGURE);
	u8 error = figure->error, reject = figure->reject;
	int err;

	err = nla_put_u32(skb, HBCAST_A_FIGURE_INDEX, be16_to_cpu(figure->index)) ?:
	      nla_put_u32(skb, HBCAST_A_FIGURE_STATE, figure->state) ?:
	      hbc_nl_put_flag(skb, HBCAST_A_FIGURE_RECEIVES, figure->receives) ?:
	      (error ? nla_put_u32(skb, HBCAST_A_FIGURE_ERROR, error) : 0) ?:
	      (reject ? nla_put_u32(skb, HBCAST_A_FIGURE_REJECT, reject) : 0) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_FIGURE_FIRST, be64_to_cpu(figure->value[0])) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_FIGURE_SECOND, be64_to_cpu(figure->value[1]));
	return hbc_nl_nest_end(skb, nest, err);
}

static int hbc_nl_sample_put_figures(struct sk_buff *skb, const void *of, u32 *next)
{
	const struct hbc_probe_news *news = of;
	int err = 0;

	for (; !err && *next < news->figures; *next += !err)
		err = hbc_nl_put_figure(skb, &news->w->figure[*next]);
	return err;
}

void hbc_probe_tell(const struct hbc_probe_news *news, u32 portid)
{
	static const struct hbc_nl_kind samples = {
		hbc_nl_sample_put, hbc_nl_sample_put_figures
	};

	hbc_nl_send(news->probe->hn->net, portid, 0, HBCAST_CMD_PROBE_SAMPLE, &samples, news);
}
