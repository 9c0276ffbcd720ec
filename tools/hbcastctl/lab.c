// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl lab: emulated networks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "lab_build.h"
#include "lab_check.h"
#include "lab_net.h"
#include "lab_state.h"
#include "lab_user.h"
#include "node.h"
#include "output.h"

#define DEFAULT_NAME	"lab"

static int need_root(struct hbctl *ctl)
{
	if (!geteuid())
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "labs are made of network namespaces, for which you must be root: use sudo");
}

static void print_warning(void *arg, const char *text)
{
	hbctl_warning(arg, "%s", text);
}

static int load_platform(struct hbctl *ctl, const char *file,
			 struct hbp_platform **platform)
{
	struct hbp_warn warn = { .fn = print_warning, .arg = ctl };
	struct hbp_error err;

	if (hbp_platform_load(file, &warn, platform, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	return HBCTL_OK;
}

static int take_down(struct hbctl *ctl, const char *name, size_t *removed)
{
	const json_t *namespaces;
	json_t *state;
	int ret;

	*removed = 0;
	ret = hblab_state_read(ctl, name, &state);
	if (ret || !state)
		return ret;
	namespaces = json_object_get(state, "namespaces");
	*removed = json_array_size(namespaces);
	hblab_warn_users(ctl, namespaces);
	ret = hblab_demolish(ctl, namespaces);
	if (!ret)
		ret = hblab_state_remove(ctl, name);
	json_decref(state);
	return ret;
}

static int check_net(struct hbctl *ctl, const struct hblab_net *net)
{
	json_t *result;
	int ret, verdict;

	ret = hblab_check(ctl, net, &result);
	if (ret)
		return ret;
	json_incref(result);
	ret = hbout_print(ctl, result, hblab_check_text);
	verdict = hblab_check_verdict(ctl, result);
	json_decref(result);
	return ret ? ret : verdict;
}

static int lab_up(struct hbctl *ctl, int argc, char **argv)
{
	const char *file, *name = DEFAULT_NAME;
	bool check = false;
	struct hbarg_key keys[] = {
		{ "file", hbarg_string, &file, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "name", hbarg_string, &name, 0, 0 },
		{ "check", NULL, &check, 0, 0 },
		{ }
	};
	struct hbp_platform *platform;
	struct hblab_net *net;
	size_t removed;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = load_platform(ctl, file, &platform);
	if (ret)
		return ret;
	ret = hblab_net_make(ctl, name, platform, &net);
	if (ret)
		return ret;
	ret = need_root(ctl);
	if (!ret)
		ret = hblab_state_add(ctl, net);
	if (ret)
		goto out;
	ret = hblab_check_free(ctl, net);
	if (ret) {
		hblab_state_remove(ctl, name);
		goto out;
	}
	ret = hblab_build(ctl, net);
	if (ret) {
		take_down(ctl, name, &removed);
		goto out;
	}
	ret = check ? check_net(ctl, net) :
		      hbout_print(ctl, hblab_net_json(net), hblab_net_text);
out:
	hblab_net_free(net);
	return ret;
}

/* The one key of most commands, which may go without its name. */
static int parse_name(struct hbctl *ctl, int argc, char **argv,
		      const char **name)
{
	struct hbarg_key keys[] = {
		{ "name", hbarg_string, name, HBARG_BARE, 0 },
		{ }
	};

	*name = DEFAULT_NAME;
	return hbarg_parse(ctl, keys, argc, argv);
}

static void down_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	json_int_t n = json_integer_value(json_object_get(result, "removed"));
	const char *name = json_string_value(json_object_get(result, "name"));

	(void)ctl;
	if (n)
		fprintf(out, "lab %s is down, %lld namespaces are gone\n",
			name, n);
	else
		fprintf(out, "lab %s was not up\n", name);
}

static int lab_down(struct hbctl *ctl, int argc, char **argv)
{
	const char *name;
	size_t removed;
	int ret;

	ret = parse_name(ctl, argc, argv, &name);
	if (!ret)
		ret = need_root(ctl);
	if (!ret)
		ret = take_down(ctl, name, &removed);
	if (ret)
		return ret;
	return hbout_print(ctl, json_pack("{s:s, s:I}", "name", name,
					  "removed", (json_int_t)removed),
			   down_text);
}

/* Becomes the command; returns only if that fails. */
static int become(struct hbctl *ctl, const char *netns, int argc, char **argv)
{
	char **words = calloc(argc + 5, sizeof(*words));

	if (!words)
		abort();
	words[0] = "ip";
	words[1] = "netns";
	words[2] = "exec";
	words[3] = (char *)netns;
	memcpy(words + 4, argv, argc * sizeof(*words));
	execvp("ip", words);
	free(words);
	return hbctl_error(ctl, HBCTL_USAGE,
			   "the command ip cannot be started (%s): install iproute2 (apt-get install iproute2)",
			   strerror(errno));
}

/* In a batch there are commands after this one, so a child becomes it. */
static int run_child(struct hbctl *ctl, const char *netns, int argc,
		     char **argv)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(become(ctl, netns, argc, argv));
	if (pid < 0)
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "\"%s\" cannot be started: %s", argv[0],
				   strerror(errno));
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return HBCTL_KERNEL;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static int exec_at(struct hbctl *ctl, const char *name, int argc, char **argv)
{
	const char *word = argv[0];
	struct hblab_net *net;
	const char *netns;
	size_t node;
	int ret;

	argc--;
	argv++;
	if (argc && !strcmp(argv[0], "--")) {
		argc--;
		argv++;
	}
	if (!argc)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "there is no command to run at node \"%s\": write one after it",
				   word);
	ret = hblab_state_load(ctl, name, &net);
	if (ret)
		return ret;
	node = hblab_net_find(net, word);
	if (node == HBP_NONE) {
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "lab \"%s\" has no node \"%s\": hbcastctl lab show name %s lists them",
				  name, word, name);
		goto out;
	}
	netns = hblab_net_netns(net, node);
	ret = ctl->batch_file ? run_child(ctl, netns, argc, argv) :
				become(ctl, netns, argc, argv);
out:
	hblab_net_free(net);
	return ret;
}

static int lab_exec(struct hbctl *ctl, int argc, char **argv)
{
	const char *name = DEFAULT_NAME;
	int ret;

	if (argc >= 2 && !strcmp(argv[0], "name")) {
		name = argv[1];
		argc -= 2;
		argv += 2;
	}
	if (!argc)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "lab exec needs a node and a command: hbcastctl lab help shows how");
	ret = need_root(ctl);
	if (ret)
		return ret;
	return exec_at(ctl, name, argc, argv);
}

static int lab_show(struct hbctl *ctl, int argc, char **argv)
{
	struct hblab_net *net;
	const char *name;
	int ret;

	ret = parse_name(ctl, argc, argv, &name);
	if (!ret)
		ret = hblab_state_load(ctl, name, &net);
	if (ret)
		return ret;
	ret = hbout_print(ctl, hblab_net_json(net), hblab_net_text);
	hblab_net_free(net);
	return ret;
}

static int lab_check(struct hbctl *ctl, int argc, char **argv)
{
	struct hblab_net *net;
	const char *name;
	int ret;

	ret = parse_name(ctl, argc, argv, &name);
	if (!ret)
		ret = need_root(ctl);
	if (!ret)
		ret = hblab_state_load(ctl, name, &net);
	if (ret)
		return ret;
	ret = check_net(ctl, net);
	hblab_net_free(net);
	return ret;
}

static void list_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "LAB", "name", NULL },
		{ "HOSTS", "hosts", NULL },
		{ "SWITCHES", "switches", NULL },
		{ "LINKS", "links", NULL },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
}

static json_t *list_row(const struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;

	return json_pack("{s:s, s:I, s:I, s:I}", "name", net->name,
			 "hosts", (json_int_t)p->n_hosts,
			 "switches", (json_int_t)(p->n - p->n_hosts),
			 "links", (json_int_t)p->n_links);
}

static int lab_list(struct hbctl *ctl, int argc, char **argv)
{
	struct hbarg_key keys[] = { { } };
	json_t *names, *rows, *name;
	struct hblab_net *net;
	size_t i;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hblab_state_names(ctl, &names);
	if (ret)
		return ret;
	rows = json_array();
	json_array_foreach(names, i, name) {
		ret = hblab_state_load(ctl, json_string_value(name), &net);
		if (ret)
			continue;
		json_array_append_new(rows, list_row(net));
		hblab_net_free(net);
	}
	json_decref(names);
	i = hbout_print(ctl, rows, list_text);
	return ret ? ret : (int)i;
}

/**
 * hbctl_cmd_lab() - emulated networks
 * @ctl: the run
 * @argc: number of words after "lab"
 * @argv: the words after "lab"
 *
 * Return: an exit code.
 */
int hbctl_cmd_lab(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command commands[] = {
		{ "list", lab_list, "", "list the labs that are up", true },
		{ "up", lab_up, "FILE [ name NAME ] [ check ]",
		  "make the network of a platform file", false },
		{ "down", lab_down, "[ name NAME ]",
		  "take it down; done already is no error", false },
		{ "show", lab_show, "[ name NAME ]",
		  "show its nodes, addresses and links", false },
		{ "exec", lab_exec, "[ name NAME ] NODE [ -- ] COMMAND ...",
		  "run a command at a node, given by name or id", false },
		{ "check", lab_check, "[ name NAME ]",
		  "measure whether it gives what the file asks for", false },
		{ }
	};

	return hbctl_dispatch(ctl, "lab", commands, argc, argv);
}
