// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl: options, the table of objects, and finding the command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hbcast_version.h>

#include "batch.h"
#include "cmd.h"
#include "output.h"

/* The objects, in the order in which help lists them. */
static const struct hbctl_command objects[] = {
	{ "node", hbctl_cmd_node, "", "this node", false },
	{ "peer", hbctl_cmd_peer, "", "the nodes that it knows", false },
	{ "group", hbctl_cmd_group, "", "the groups that it takes part in", false },
	{ "measure", hbctl_cmd_measure, "", "find the network between nodes", false },
	{ "auto-plan", hbctl_cmd_auto_plan, "", "from addresses to a plan, all steps", false },
	{ "convert", hbctl_cmd_convert, "", "cost matrices and platforms from other files", false },
	{ "plan", hbctl_cmd_plan, "", "make, show and list broadcast plans", false },
	{ "compare", hbctl_cmd_compare, "", "all planners on one input", false },
	{ "evaluate", hbctl_cmd_evaluate, "", "a plan by the models, beside the bounds", false },
	{ "explain", hbctl_cmd_explain, "", "what limits a plan, and what upgrades gain", false },
	{ "verify", hbctl_cmd_verify, "", "check a plan and its proof from scratch", false },
	{ "replan", hbctl_cmd_replan, "", "adapt a plan to a change of the network", false },
	{ "apply", hbctl_cmd_apply, "", "give the kernel a plan", false },
	{ "send", hbctl_cmd_send, "", "send a file to every member of a group", false },
	{ "recv", hbctl_cmd_recv, "", "receive messages into files", false },
	{ "show", hbctl_cmd_show, "", "what the kernel knows", false },
	{ "monitor", hbctl_cmd_monitor, "", "what happens, as it happens", false },
	{ "lab", hbctl_cmd_lab, "", "emulated networks", false },
	{ "version", hbctl_cmd_version, "", "versions of the tool and of the module", false },
	{ }
};

static void print_usage(FILE *out)
{
	const struct hbctl_command *o;

	fputs("Usage: hbcastctl [ OPTIONS ] OBJECT { COMMAND | help } [ key value ... ]\n"
	      "       hbcastctl [ -force ] -batch FILE\n"
	      "OPTIONS: -j[son] | -p[retty] | -V[ersion] | -h[elp]\n"
	      "OBJECT:\n", out);
	for (o = objects; o->name; o++)
		fprintf(out, "  %-10s %s\n", o->name, o->help);
}

/*
 * Finds the entry that @word names or abbreviates. Reports unknown and
 * ambiguous words itself and returns NULL for them.
 */
static const struct hbctl_command *
find_command(struct hbctl *ctl, const char *what,
	     const struct hbctl_command *table, const char *word)
{
	const struct hbctl_command *c, *found = NULL;
	size_t len = strlen(word);

	for (c = table; c->name; c++) {
		if (!strcmp(c->name, word))
			return c;
		if (!len || strncmp(c->name, word, len))
			continue;
		if (found) {
			hbctl_error(ctl, HBCTL_USAGE,
				    "%s \"%s\" is ambiguous, it may be %s or %s: write more of it",
				    what, word, found->name, c->name);
			return NULL;
		}
		found = c;
	}
	if (!found)
		hbctl_error(ctl, HBCTL_USAGE,
			    "%s \"%s\" is unknown: put help in its place to see what there is",
			    what, word);
	return found;
}

static void print_command_help(const char *object,
			       const struct hbctl_command *c, const char *lead)
{
	printf("%-6s hbcastctl %s %s%s%s\n", lead, object, c->name,
	       *c->usage ? " " : "", c->usage);
	printf("           %s\n", c->help);
}

static void print_object_help(const char *object,
			      const struct hbctl_command *commands)
{
	const struct hbctl_command *c;

	for (c = commands; c->name; c++)
		print_command_help(object, c, c == commands ? "Usage:" : "");
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "-h") ||
	       !strcmp(word, "-help") || !strcmp(word, "--help");
}

/**
 * hbctl_dispatch() - run the command of an object that argv[0] names
 * @ctl: the run
 * @object: the object's name
 * @commands: its commands
 * @argc: number of words after the object
 * @argv: the words after the object
 *
 * "help" prints the commands, after a command's name that command. Without any
 * word the first command runs if it is marked bare.
 *
 * Return: the command's exit code, or HBCTL_USAGE.
 */
int hbctl_dispatch(struct hbctl *ctl, const char *object,
		   const struct hbctl_command *commands, int argc, char **argv)
{
	const struct hbctl_command *c;
	char what[64];

	if (argc && is_help(argv[0])) {
		print_object_help(object, commands);
		return HBCTL_OK;
	}
	if (!argc) {
		if (commands->bare)
			return commands->run(ctl, 0, argv);
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s needs a command: hbcastctl %s help lists them",
				   object, object);
	}
	snprintf(what, sizeof(what), "command of %s", object);
	c = find_command(ctl, what, commands, argv[0]);
	if (!c)
		return HBCTL_USAGE;
	if (argc == 2 && is_help(argv[1])) {
		print_command_help(object, c, "Usage:");
		return HBCTL_OK;
	}
	return c->run(ctl, argc - 1, argv + 1);
}

/**
 * hbctl_single() - run an object that has no commands
 * @ctl: the run
 * @object: its name, function, usage and help; ends no table
 * @argc: number of words after the object
 * @argv: the words after the object
 *
 * "help" as the first word prints the usage.
 *
 * Return: the object's exit code.
 */
int hbctl_single(struct hbctl *ctl, const struct hbctl_command *object,
		 int argc, char **argv)
{
	if (argc && is_help(argv[0])) {
		printf("Usage: hbcastctl %s%s%s\n           %s\n",
		       object->name, *object->usage ? " " : "", object->usage,
		       object->help);
		return HBCTL_OK;
	}
	return object->run(ctl, argc, argv);
}

static int run_words(struct hbctl *ctl, int argc, char **argv)
{
	const struct hbctl_command *o;

	if (is_help(argv[0])) {
		print_usage(stdout);
		return HBCTL_OK;
	}
	o = find_command(ctl, "object", objects, argv[0]);
	if (!o)
		return HBCTL_USAGE;
	return o->run(ctl, argc - 1, argv + 1);
}

/**
 * struct options - what only main() needs to know
 * @batch: file of commands, "-" for standard input, or NULL
 * @force: go on after a command of the batch has failed
 * @done: an option has said all there is to say
 */
struct options {
	const char *batch;
	bool force;
	bool done;
};

static bool option_is(const char *word, const char *name, size_t min)
{
	size_t len = strlen(word);

	return len >= min && !strncmp(name, word, len);
}

/* Takes the options off the front; returns how many words, or -1. */
static int parse_options(struct hbctl *ctl, struct options *opt,
			 int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && argv[i][0] == '-'; i++) {
		const char *word = argv[i] + 1;

		if (*word == '-')
			word++;
		if (option_is(word, "json", 1)) {
			ctl->json = true;
		} else if (option_is(word, "pretty", 1)) {
			ctl->pretty = true;
		} else if (option_is(word, "force", 1)) {
			opt->force = true;
		} else if (option_is(word, "batch", 1) && i + 1 < argc) {
			opt->batch = argv[++i];
		} else if (option_is(word, "Version", 1)) {
			printf("hbcastctl %s\n", HBCAST_VERSION);
			opt->done = true;
		} else if (option_is(word, "help", 1)) {
			print_usage(stdout);
			opt->done = true;
		} else {
			hbctl_error(ctl, HBCTL_USAGE,
				    "option \"%s\" is unknown or lacks its value: hbcastctl help lists the options",
				    argv[i]);
			return -1;
		}
	}
	return i;
}

int main(int argc, char **argv)
{
	struct options opt = { };
	struct hbctl ctl = { };
	int n;

	ctl.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	n = parse_options(&ctl, &opt, argc - 1, argv + 1);
	if (n < 0)
		return HBCTL_USAGE;
	if (opt.done)
		return HBCTL_OK;
	argc -= 1 + n;
	argv += 1 + n;
	if (opt.batch && argc)
		return hbctl_error(&ctl, HBCTL_USAGE,
				   "-batch takes its commands from a file, so the words from \"%s\" on are too many",
				   argv[0]);
	if (opt.batch)
		return hbatch_run(&ctl, opt.batch, opt.force, run_words);
	if (!argc) {
		print_usage(stderr);
		return HBCTL_USAGE;
	}
	return run_words(&ctl, argc, argv);
}
