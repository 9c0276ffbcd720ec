/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbcastctl: what every command shares, and the functions of the objects.
 *
 * A command line is OBJECT COMMAND key value ...; main.c finds the object and
 * calls its function with argv[0] being the command; the object's function
 * calls hbctl_dispatch() with the table of its commands.
 */
#ifndef HBCASTCTL_CMD_H
#define HBCASTCTL_CMD_H

#include <stdbool.h>

#include <jansson.h>

/* Exit codes, the same for every command. */
#define HBCTL_OK	0	/* done */
#define HBCTL_USAGE	1	/* wrong usage, bad input, or this machine cannot */
#define HBCTL_KERNEL	2	/* the kernel refused, or what was asked failed */

/**
 * struct hbctl - one run of hbcastctl
 * @json: print results and errors as JSON, one document a command
 * @pretty: indent the JSON
 * @color: standard output is a terminal and wants colour
 * @kept: an array that results are added to, as JSON is not printed before all of them are
 *	there; or NULL
 * @batch_file: name of the batch file being run, or NULL
 * @batch_line: line of @batch_file being run, counted from 1
 *
 * Commands read it and do not change it, but for @kept, which one that runs others sets.
 */
struct hbctl {
	bool json;
	bool pretty;
	bool color;
	json_t *kept;
	const char *batch_file;
	unsigned int batch_line;
};

/**
 * struct hbctl_command - one command of an object
 * @name: the word on the command line; may be abbreviated there as long as
 *	the abbreviation is unambiguous
 * @run: does it; argc/argv are the words after the command's name; returns
 *	an exit code
 * @usage: the words after the name, for help, "" for none
 * @help: one line of what it does
 * @bare: in the first command of a table: it is what the object does when no
 *	command is given
 *
 * Tables end with an entry whose @name is NULL.
 */
struct hbctl_command {
	const char *name;
	int (*run)(struct hbctl *ctl, int argc, char **argv);
	const char *usage;
	const char *help;
	bool bare;
};

int hbctl_dispatch(struct hbctl *ctl, const char *object,
		   const struct hbctl_command *commands, int argc, char **argv);
int hbctl_single(struct hbctl *ctl, const struct hbctl_command *object,
		 int argc, char **argv);

/* One function for each object; argv[0], if there is one, is the command. */
int hbctl_cmd_node(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_peer(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_group(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_plan(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_measure(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_auto_plan(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_convert(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_compare(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_evaluate(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_explain(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_verify(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_replan(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_apply(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_show(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_monitor(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_send(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_recv(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_lab(struct hbctl *ctl, int argc, char **argv);
int hbctl_cmd_version(struct hbctl *ctl, int argc, char **argv);

#endif /* HBCASTCTL_CMD_H */
