// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl apply: give the kernel a plan, and wait until it stands. */
#include <poll.h>
#include <stdarg.h>
#include <string.h>

#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "clock.h"
#include "genl.h"
#include "json.h"
#include "output.h"
#include "plan.h"
#include "show.h"

/* Edges of one message; each takes at most 32 bytes. */
#define EDGES_PER_MESSAGE	512
#define SAID_LEN		128	/* of one node */
/* Events may be lost, so the plan is looked at without them too. */
#define LOOK_AGAIN_NS		INT64_C(500000000)

/**
 * struct apply - one run of the command
 * @ctl: the run
 * @g: the connection
 * @events: the connection for events; used with @wait only
 * @plan: the plan
 * @group: its group
 * @dry_run: change nothing
 * @wait_ns: how long to wait for the plan to be ready; 0 for not at all
 * @epoch: what the plan has become
 * @refusals: events of type plan-refused; owned
 */
struct apply {
	struct hbctl *ctl;
	struct hbgenl g;
	struct hbgenl events;
	const struct hbp_plan *plan;
	uint32_t group;
	bool dry_run;
	uint64_t wait_ns;
	json_int_t epoch;
	json_t *refusals;
};

static struct nl_msg *plan_msg(const struct apply *a, uint8_t cmd)
{
	struct nl_msg *msg = hbgenl_msg(&a->g, cmd);

	hbgenl_put_u32(msg, HBCAST_A_PLAN_GROUP, a->group);
	return msg;
}

static void put_edge(const struct apply *a, struct nl_msg *msg,
		     const struct hbp_tree *tree, const struct hbp_edge *edge)
{
	uint64_t rate = hbp_plan_edge_rate(a->plan, tree, edge->child) / 8;
	struct nlattr *nest = nla_nest_start(msg, HBCAST_A_PLAN_EDGE |
						  NLA_F_NESTED);

	hbgenl_put_u32(msg, HBCAST_A_EDGE_PARENT, edge->parent);
	hbgenl_put_u32(msg, HBCAST_A_EDGE_CHILD, edge->child);
	hbgenl_put(msg, HBCAST_A_EDGE_RATE, &rate, sizeof(rate));
	nla_nest_end(msg, nest);
}

static int upload_tree(struct apply *a, const struct hbp_tree *tree)
{
	struct nl_msg *msg;
	uint8_t slot = tree->slot;
	size_t i = 0, end;
	int ret;

	do {
		msg = plan_msg(a, HBCAST_CMD_PLAN_TREE);
		hbgenl_put(msg, HBCAST_A_PLAN_SLOT, &slot, sizeof(slot));
		end = i + EDGES_PER_MESSAGE;
		for (; i < end && i < tree->n_edges; i++)
			put_edge(a, msg, tree, &tree->edges[i]);
		ret = hbgenl_do(a->ctl, &a->g, msg,
				"the tree of slot %u cannot be uploaded to group %u",
				tree->slot, a->group);
	} while (!ret && i < tree->n_edges);
	return ret;
}

static int upload(struct apply *a)
{
	struct nl_msg *msg = plan_msg(a, HBCAST_CMD_PLAN_BEGIN);
	size_t i;
	int ret;

	if (a->plan->strict)
		hbgenl_put_flag(msg, HBCAST_A_PLAN_STRICT);
	if (a->plan->whole)
		hbgenl_put_u32(msg, HBCAST_A_PLAN_FORWARD, HBCAST_FORWARD_MESSAGE);
	ret = hbgenl_do(a->ctl, &a->g, msg,
			"no plan can be uploaded to group %u", a->group);
	for (i = 0; i < a->plan->n_trees && !ret; i++)
		ret = upload_tree(a, &a->plan->trees[i]);
	return ret;
}

static int commit(struct apply *a, json_t **result)
{
	struct nl_msg *msg = plan_msg(a, HBCAST_CMD_PLAN_COMMIT);
	int ret;

	if (a->dry_run)
		hbgenl_put_flag(msg, HBCAST_A_PLAN_DRY_RUN);
	ret = hbgenl_get(a->ctl, &a->g, msg, hbattrs_commit, result,
			 "the plan cannot be applied to group %u", a->group);
	if (ret)
		return ret;
	json_object_set_new(*result, "dry_run", json_boolean(a->dry_run));
	a->epoch = json_integer_value(json_object_get(*result, "epoch"));
	return HBCTL_OK;
}

static int check_root(struct apply *a)
{
	uint32_t own;
	int ret;

	ret = hbgenl_own_id(a->ctl, &a->g, "the plan cannot be applied", &own);
	if (ret || own == a->plan->root)
		return ret;
	return hbctl_error(a->ctl, HBCTL_USAGE,
			   "the plan's root is node %u and this is node %u: apply it at its root",
			   a->plan->root, own);
}

/* Keeps the refusals of this plan among the events. */
static void keep_refusals(struct apply *a, const json_t *events)
{
	json_t *event;
	size_t i;

	json_array_foreach((json_t *)events, i, event) {
		const char *type;

		type = json_string_value(json_object_get(event, "event"));
		if (!type || strcmp(type, "plan-refused") ||
		    json_integer_value(json_object_get(event, "group")) != a->group ||
		    json_integer_value(json_object_get(event, "epoch")) != a->epoch)
			continue;
		json_array_append(a->refusals, event);
	}
}

/* Takes all events that have come. */
static int hear(struct apply *a)
{
	enum hbgenl_heard heard;
	json_t *events;

	do {
		events = json_array();
		heard = hbgenl_events(a->ctl, &a->events, hbattrs_event, events);
		keep_refusals(a, events);
		json_decref(events);
	} while (heard == HBGENL_EVENT || heard == HBGENL_LOST);
	return heard == HBGENL_FAILED ? HBCTL_KERNEL : HBCTL_OK;
}

static int look(struct apply *a, bool *ready)
{
	json_t *plan;
	int ret;

	ret = hbgenl_get(a->ctl, &a->g, plan_msg(a, HBCAST_CMD_PLAN_GET),
			 hbattrs_plan, &plan,
			 "the plan of group %u cannot be waited for", a->group);
	if (ret)
		return ret;
	if (json_integer_value(json_object_get(plan, "epoch")) != a->epoch)
		ret = hbctl_error(a->ctl, HBCTL_KERNEL,
				  "epoch %lld of group %u has been replaced by another plan: wait for that one",
				  a->epoch, a->group);
	*ready = json_is_true(json_object_get(plan, "ready"));
	json_decref(plan);
	return ret;
}

/* What has been said of a node in one slot is not said again of it in others. */
__attribute__((format(printf, 3, 4)))
static void append(char *buf, size_t len, const char *fmt, ...)
{
	size_t at = strlen(buf);
	char text[SAID_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!strstr(buf, text))
		snprintf(buf + at, len - at, "%s%s", at ? ", " : "", text);
}

/* Whether a lane leads from here to the child in the slot of the plan's row. */
static bool has_lane(const json_t *lanes, const json_t *row, const json_t *child)
{
	static const char * const same[] = { "group", "root", "slot", NULL };
	const json_t *lane;
	size_t i, k;

	json_array_foreach((json_t *)lanes, i, lane) {
		for (k = 0; same[k]; k++)
			if (!json_equal(json_object_get(lane, same[k]),
					json_object_get(row, same[k])))
				break;
		if (!same[k] && hbp_json_says(json_object_get(lane, "direction"), "down") &&
		    hbp_json_says(json_object_get(lane, "state"), "ready") &&
		    json_equal(json_object_get(lane, "peer"), json_object_get(child, "node")))
			return true;
	}
	return false;
}

static void list_children(const json_t *lanes, const json_t *row, char *buf, size_t len)
{
	const json_t *child, *lost;
	size_t i;

	json_array_foreach(json_object_get(row, "children"), i, child) {
		json_int_t node = json_integer_value(json_object_get(child, "node"));

		if (json_is_true(json_object_get(child, "ready")))
			continue;
		if (!has_lane(lanes, row, child))
			append(buf, len, "node %lld is not connected", node);
		else
			append(buf, len, "node %lld is connected, but %s", node,
			       json_integer_value(json_object_get(child, "nodes")) > 1 ?
			       "not all nodes below it" : "has not taken the plan");
	}
	json_array_foreach(json_object_get(row, "lost"), i, lost)
		append(buf, len, "node %lld is lost", json_integer_value(lost));
}

/* The children whose subtrees are not connected, from the newest epoch. */
static int list_waiting(struct apply *a, char *buf, size_t len)
{
	json_t *rows, *row, *lanes;
	size_t i;
	int ret;

	ret = hbshow_plans.get(a->ctl, &a->g, &rows);
	if (ret)
		return ret;
	ret = hbshow_lanes.get(a->ctl, &a->g, &lanes);
	if (ret)
		goto out;
	json_array_foreach(rows, i, row) {
		if (json_integer_value(json_object_get(row, "group")) == a->group &&
		    json_integer_value(json_object_get(row, "root")) == a->plan->root &&
		    json_integer_value(json_object_get(row, "epoch")) == a->epoch)
			list_children(lanes, row, buf, len);
	}
	json_decref(lanes);
out:
	json_decref(rows);
	return ret;
}

static void list_refusals(const struct apply *a, char *buf, size_t len)
{
	json_t *event, *node;
	size_t i, k;

	json_array_foreach(a->refusals, i, event) {
		const char *reject;

		reject = json_string_value(json_object_get(event, "reject"));
		json_array_foreach(json_object_get(event, "nodes"), k, node)
			append(buf, len, "node %lld refused (%s)", json_integer_value(node),
			       hbattrs_reject_means(reject));
	}
}

static int time_over(struct apply *a)
{
	char said[512] = "";
	int ret;

	ret = list_waiting(a, said, sizeof(said));
	if (ret)
		return ret;
	list_refusals(a, said, sizeof(said));
	return hbctl_error(a->ctl, HBCTL_KERNEL,
			   "epoch %lld of group %u is applied but not ready after %.6g s: %s; a node knows of its own children alone: from each that is connected go on with \"hbcastctl show plan\" there, and \"show lane\" tells why one is not",
			   a->epoch, a->group, a->wait_ns / 1e9, said);
}

static int wait_ready(struct apply *a)
{
	struct pollfd fd = {
		.fd = nl_socket_get_fd(a->events.sock), .events = POLLIN,
	};
	int64_t end = hbclock_now() + a->wait_ns;
	bool ready = false;
	int ret;

	for (;;) {
		int64_t left = end - hbclock_now();

		ret = look(a, &ready);
		if (ret || ready)
			return ret;
		if (left <= 0)
			return time_over(a);
		if (left > LOOK_AGAIN_NS)
			left = LOOK_AGAIN_NS;
		poll(&fd, 1, left / 1000000 + 1);
		ret = hear(a);
		if (ret)
			return ret;
	}
}

static void apply_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	bool changed = json_is_true(json_object_get(result, "changed"));
	bool dry_run = json_is_true(json_object_get(result, "dry_run"));
	json_int_t epoch = json_integer_value(json_object_get(result, "epoch"));

	(void)ctl;
	if (!changed)
		fprintf(out, "nothing to change, epoch %lld holds this plan",
			epoch);
	else
		fprintf(out, "the plan %s epoch %lld",
			dry_run ? "would become" : "is", epoch);
	if (json_is_true(json_object_get(result, "ready")))
		fputs(", all nodes are ready", out);
	fputc('\n', out);
}

static int apply_plan(struct apply *a)
{
	int ret, printed = HBCTL_OK;
	json_t *result = NULL;

	ret = hbgenl_open(a->ctl, &a->g);
	/* Before the commit, so that no event of it is missed. */
	if (!ret && a->wait_ns)
		ret = hbgenl_listen(a->ctl, &a->events);
	if (!ret)
		ret = check_root(a);
	if (!ret)
		ret = upload(a);
	if (!ret)
		ret = commit(a, &result);
	if (!ret && a->wait_ns && !a->dry_run) {
		ret = wait_ready(a);
		json_object_set_new(result, "ready", json_boolean(!ret));
	}
	if (result)
		printed = hbout_print(a->ctl, result, apply_text);
	hbgenl_close(&a->events);
	hbgenl_close(&a->g);
	return ret ? ret : printed;
}

/* In the kernel a message comes from one node, and all others receive it. */
static int check_sources(struct hbctl *ctl, const char *file,
			 const struct hbp_plan *plan)
{
	if (!plan->n_replicas)
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s: node %u is a replica, but the kernel sends a message from its root alone, here node %u: plan without replica",
			   file, plan->replicas[0], plan->root);
}

static int apply_run(struct hbctl *ctl, int argc, char **argv)
{
	struct apply a = { .ctl = ctl };
	struct hbp_plan *plan;
	const char *file;
	struct hbarg_key keys[] = {
		{ "file", hbarg_string, &file, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "group", hbarg_id, &a.group, HBARG_REQUIRED, 0 },
		{ "dry-run", NULL, &a.dry_run, 0, 0 },
		{ "wait", hbarg_duration, &a.wait_ns, 0, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbplan_load(ctl, file, &plan);
	if (ret)
		return ret;
	a.plan = plan;
	a.refusals = json_array();
	ret = check_sources(ctl, file, plan);
	if (!ret)
		ret = apply_plan(&a);
	json_decref(a.refusals);
	hbp_plan_free(plan);
	return ret;
}

/**
 * hbctl_cmd_apply() - give the kernel a plan
 * @ctl: the run
 * @argc: number of words after "apply"
 * @argv: the words after "apply"
 *
 * Return: an exit code.
 */
int hbctl_cmd_apply(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"apply", apply_run, "PLAN.json group GROUP [ dry-run ] [ wait TIME ]",
		"give the kernel of the plan's root a plan, as a whole or not at all",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
