// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbcastctl auto-plan: measures a group's network, plans on it, rehearses the plan, and
 * applies it. Each step is a command of its own, run as a person would.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "hbplan.h"
#include "measure_member.h"
#include "output.h"
#include "plan_value.h"

#define WORDS		24	/* of a command, at most */
#define DEFAULT_WAIT	"20s"
#define DEFAULT_COSTS	"group-%u.costs.json"
#define DEFAULT_PLAN	"group-%u.plan.json"

/**
 * struct auto_plan - one run of the command
 * @ctl: the run
 * @group: the group's id
 * @own: this node's id: the root
 * @nodes: who is measured, as it was written, or NULL for all members
 * @chosen: the same; its ids are owned
 * @bytes: size of a message, as it was written, or NULL
 * @objective: what is planned for, likewise
 * @costs: the file that gets the network
 * @output: the file that gets the plan
 * @time: how long measuring may take, as it was written, or NULL
 * @traffic: what may be sent for it, likewise
 * @wait: how long the plan may take to be ready, as it was written
 * @anyway: also while broadcasts go on
 * @dry_run: the plan is not applied
 * @yes: nobody is asked
 * @members: of the group, before anything is measured; its ids are owned
 * @result: what the steps have told, by their names; owned
 */
struct auto_plan {
	struct hbctl *ctl;
	uint32_t group;
	uint32_t own;
	const char *nodes;
	struct hbmeas_members chosen;
	const char *bytes;
	const char *objective;
	const char *costs;
	const char *output;
	const char *time;
	const char *traffic;
	const char *wait;
	bool anyway;
	bool dry_run;
	bool yes;
	struct hbmeas_members members;
	json_t *result;
};

/* The words of a command. */
struct line {
	int n;
	char *words[WORDS];
};

static void put(struct line *line, const char *word)
{
	line->words[line->n++] = (char *)word;
}

/* A key with its value, if it has one. */
static void put_key(struct line *line, const char *key, const char *value)
{
	if (!value)
		return;
	put(line, key);
	put(line, value);
}

/* A command, of which the result is kept by the name of its step. */
static int run_step(struct auto_plan *p, const char *step, struct line *line,
		    int (*command)(struct hbctl *ctl, int argc, char **argv))
{
	struct hbctl ctl = *p->ctl;
	int ret;

	ctl.kept = json_array();
	ret = command(&ctl, line->n, line->words);
	if (json_array_size(ctl.kept))
		json_object_set(p->result, step, json_array_get(ctl.kept, 0));
	json_decref(ctl.kept);
	return ret;
}

/* Members that were not reached are in no plan, and a group with a list has one for all. */
static int check_lost(struct auto_plan *p, const json_t *lost)
{
	const char *why;
	json_int_t id;
	json_t *node;
	size_t i;

	json_array_foreach((json_t *)lost, i, node) {
		id = json_integer_value(json_object_get(node, "id"));
		why = json_string_value(json_object_get(node, "reason"));
		if (p->members.listed)
			return hbctl_error(p->ctl, HBCTL_KERNEL,
					   "node %lld, a member of group %u, is not reached: %s; mend that, or take it off the list with \"hbcastctl group set\"",
					   id, p->group, why);
		hbctl_warning(p->ctl, "node %lld is not reached, so it is in no plan: %s", id,
			      why);
	}
	return HBCTL_OK;
}

static int measure(struct auto_plan *p, const char *group)
{
	struct line line = { };
	json_t *told;
	int ret;

	put(&line, "group");
	put_key(&line, "group", group);
	put_key(&line, "nodes", p->nodes);
	put_key(&line, "output", p->costs);
	put_key(&line, "time", p->time);
	put_key(&line, "traffic", p->traffic);
	if (p->anyway)
		put(&line, "anyway");
	ret = run_step(p, "measured", &line, hbctl_cmd_measure);
	if (ret)
		return ret;
	told = json_object_get(p->result, "measured");
	if (!json_is_true(json_object_get(told, "complete")))
		return hbctl_error(p->ctl, HBCTL_KERNEL,
				   "the measurement of group %u ended before it was complete, and nothing is planned: what it has found is in %s",
				   p->group, p->costs);
	return check_lost(p, json_object_get(told, "lost"));
}

static int plan(struct auto_plan *p)
{
	struct line line = { };
	char own[16];

	snprintf(own, sizeof(own), "%u", p->own);
	put(&line, p->costs);
	put_key(&line, "algorithm", "auto");
	put_key(&line, "root", own);
	put_key(&line, "message-size", p->bytes);
	put_key(&line, "objective", p->objective);
	put_key(&line, "output", p->output);
	return run_step(p, "plan", &line, hbctl_cmd_plan);
}

static int rehearse(struct auto_plan *p, const char *group)
{
	struct line line = { };

	put(&line, "plan");
	put(&line, p->output);
	put_key(&line, "group", group);
	put_key(&line, "on", p->costs);
	put_key(&line, "output", p->output);
	put_key(&line, "costs", p->costs);
	if (p->anyway)
		put(&line, "anyway");
	return run_step(p, "rehearsed", &line, hbctl_cmd_measure);
}

static int show(struct auto_plan *p)
{
	struct line line = { };
	json_t *plan;

	if (!p->ctl->json) {
		put(&line, "show");
		put(&line, p->output);
		return run_step(p, "plan", &line, hbctl_cmd_plan);
	}
	plan = json_load_file(p->output, 0, NULL);
	if (!plan)
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "%s cannot be read again: look whether somebody else has written it",
				   p->output);
	json_object_set_new(p->result, "plan", plan);
	return HBCTL_OK;
}

/* Whether the plan is wanted. */
static bool is_wanted(const struct auto_plan *p)
{
	char answer[16] = "";

	if (p->yes)
		return true;
	fprintf(stderr, "apply this plan to group %u? [y/N] ", p->group);
	return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

/* Who is a member now was one before anything was measured, and the other way round. */
static int check_members(struct auto_plan *p)
{
	struct hbmeas_members now = { };
	size_t i = 0;
	uint32_t id;
	int ret;

	ret = hbmeas_members_find(p->ctl, p->group, p->own, &now);
	while (!ret && i < now.n && i < p->members.n && now.ids[i] == p->members.ids[i])
		i++;
	if (!ret && (i < now.n || i < p->members.n)) {
		id = i < now.n && (i == p->members.n || now.ids[i] < p->members.ids[i]) ?
			now.ids[i] : p->members.ids[i];
		ret = hbctl_error(p->ctl, HBCTL_KERNEL,
				  "node %u has %s group %u since its network was measured, so the plan is not applied: run auto-plan again",
				  id, i < now.n && now.ids[i] == id ? "come to" : "left",
				  p->group);
	}
	free(now.ids);
	return ret;
}

static int apply(struct auto_plan *p, const char *group)
{
	struct line line = { };
	int ret;

	ret = check_members(p);
	if (ret)
		return ret;
	put(&line, p->output);
	put_key(&line, "group", group);
	put_key(&line, "wait", p->wait);
	return run_step(p, "applied", &line, hbctl_cmd_apply);
}

/* A plan begins at this node, and in a group with a list has all of it. */
static int check_chosen(struct auto_plan *p)
{
	size_t i;

	if (!p->nodes)
		return hbmeas_members_check(p->ctl, p->own, &p->members);
	if (!hbmeas_members_have(&p->chosen, p->own))
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "nodes lacks %u, this node, where the plan begins: add it",
				   p->own);
	for (i = 0; p->members.listed && i < p->members.n; i++)
		if (!hbmeas_members_have(&p->chosen, p->members.ids[i]))
			return hbctl_error(p->ctl, HBCTL_USAGE,
					   "nodes lacks %u, which is on the list of group %u, and a plan has all of it: add it, or take it off the list with \"hbcastctl group set\"",
					   p->members.ids[i], p->group);
	return hbmeas_members_check(p->ctl, p->own, &p->chosen);
}

static int run_steps(struct auto_plan *p)
{
	char group[16];
	int ret;

	snprintf(group, sizeof(group), "%u", p->group);
	ret = hbmeas_members_find(p->ctl, p->group, p->own, &p->members);
	if (!ret)
		ret = check_chosen(p);
	if (!ret)
		ret = measure(p, group);
	if (!ret)
		ret = plan(p);
	if (!ret)
		ret = rehearse(p, group);
	if (!ret)
		ret = show(p);
	if (!ret && !p->dry_run && is_wanted(p))
		ret = apply(p, group);
	return ret;
}

static void end_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	(void)ctl;
	if (json_is_null(json_object_get(result, "applied")))
		fprintf(out, "not applied: \"hbcastctl apply %s group %lld\" does that\n",
			json_string_value(json_object_get(result, "output")),
			json_integer_value(json_object_get(result, "group")));
}

/* What has been told up to a failure is told in any case. */
static int run_all(struct auto_plan *p)
{
	int ret, printed = HBCTL_OK;

	p->result = json_pack("{s:I, s:s, s:s, s:n, s:n, s:n, s:n}", "group",
			      (json_int_t)p->group, "costs", p->costs, "output", p->output,
			      "measured", "rehearsed", "plan", "applied");
	if (!p->result)
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "names of files must be UTF-8 to be told: give others with costs and output");
	ret = run_steps(p);
	if (!ret || p->ctl->json)
		printed = hbout_print(p->ctl, json_incref(p->result), end_text);
	json_decref(p->result);
	return ret ? ret : printed;
}

/* A value that a later step takes is looked at before anything is measured. */
static int parse_nodes(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	struct auto_plan *p = dest;

	p->nodes = word;
	return hbmeas_members_parse(ctl, key, word, &p->chosen);
}

/* What is written to which file, and who decides. */
static int check_ways(struct auto_plan *p)
{
	const char *end = strrchr(p->costs, '.');

	if (end && !strcmp(end, ".dot"))
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "costs %s would be a picture, from which nothing can be planned: give a file that does not end with .dot",
				   p->costs);
	if (!strcmp(p->costs, p->output))
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "costs and output are both %s: give two files", p->costs);
	if (p->yes && p->dry_run)
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "-y applies the plan, and dry-run does not: give one of them");
	if (p->yes || p->dry_run)
		return HBCTL_OK;
	if (p->ctl->json)
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "with -j nobody is asked whether the plan is applied: add -y or dry-run");
	if (!isatty(STDIN_FILENO))
		return hbctl_error(p->ctl, HBCTL_USAGE,
				   "standard input is no terminal, where it is asked whether the plan is applied: add -y or dry-run");
	return HBCTL_OK;
}

static int parse_bytes(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	uint64_t bytes;

	*(const char **)dest = word;
	return hbplan_parse_bytes(ctl, key, word, &bytes);
}

static int parse_objective(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	enum hbp_objective objective;

	*(const char **)dest = word;
	return hbplan_parse_objective(ctl, key, word, &objective);
}

static int parse_wait(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	uint64_t ns;

	*(const char **)dest = word;
	return hbarg_duration(ctl, key, word, &ns);
}

/* Files that were not given have names after the group. */
static int name_files(struct auto_plan *p, char *costs, char *output, size_t len)
{
	int ret = HBCTL_OK;

	snprintf(costs, len, DEFAULT_COSTS, p->group);
	snprintf(output, len, DEFAULT_PLAN, p->group);
	if (!p->costs)
		ret = hbarg_output(p->ctl, "costs", costs, &p->costs);
	if (!ret && !p->output)
		ret = hbarg_output(p->ctl, "output", output, &p->output);
	return ret;
}

static int plan_alone(struct hbctl *ctl, int argc, char **argv)
{
	struct auto_plan p = { .ctl = ctl, .wait = DEFAULT_WAIT };
	char costs[64], output[64];
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &p.group, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "nodes", parse_nodes, &p, 0, 0 },
		{ "message-size", parse_bytes, &p.bytes, 0, 0 },
		{ "objective", parse_objective, &p.objective, 0, 0 },
		{ "costs", hbarg_output, &p.costs, 0, 0 },
		{ "output", hbarg_output, &p.output, 0, 0 },
		{ "time", hbarg_string, &p.time, 0, 0 },
		{ "traffic", hbarg_string, &p.traffic, 0, 0 },
		{ "wait", parse_wait, &p.wait, 0, 0 },
		{ "anyway", NULL, &p.anyway, 0, 0 },
		{ "dry-run", NULL, &p.dry_run, 0, 0 },
		{ "-y", NULL, &p.yes, 0, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = name_files(&p, costs, output, sizeof(costs));
	if (!ret)
		ret = check_ways(&p);
	if (!ret)
		ret = hbmeas_own_id(ctl, &p.own);
	if (!ret)
		ret = run_all(&p);
	free(p.chosen.ids);
	free(p.members.ids);
	return ret;
}

/**
 * hbctl_cmd_auto_plan() - from addresses to a plan
 * @ctl: the run
 * @argc: number of words after "auto-plan"
 * @argv: the words after "auto-plan"
 *
 * Return: an exit code.
 */
int hbctl_cmd_auto_plan(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"auto-plan", plan_alone,
		"group GROUP [ nodes NODE,NODE,... ] [ message-size SIZE ] [ objective completion|throughput|mean-completion ] [ costs FILE ] [ output PLAN.json ] [ time DURATION ] [ traffic SIZE ] [ wait TIME ] [ anyway ] [ dry-run ] [ -y ]",
		"measure a group's network, plan on it, rehearse the plan, ask, and apply it",
		false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
