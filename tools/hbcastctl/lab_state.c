// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The labs that are up: one file each under /run, which holds the platform and
 * the names of the namespaces. It is there before anything else is made and
 * goes last, so that a lab can be taken down whatever happened to it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab_state.h"
#include "output.h"
#include "units.h"

#define SUFFIX		".json"
#define PATH_LEN	(sizeof(HBLAB_STATE_DIR) + HBLAB_NAME_LEN + 16)

static void state_path(char *path, const char *name)
{
	snprintf(path, PATH_LEN, HBLAB_STATE_DIR "/%.*s" SUFFIX,
		 HBLAB_NAME_LEN - 1, name);
}

static json_t *platform_json(const struct hbp_platform *p)
{
	json_t *nodes = json_array(), *links = json_array(), *obj;
	const struct hbp_link *l;
	size_t i;

	for (i = 0; i < p->n; i++) {
		obj = json_pack("{s:I, s:s, s:s*}",
				"id", (json_int_t)p->nodes[i].id,
				"kind", p->nodes[i].host ? "host" : "switch",
				"name", p->nodes[i].name);
		json_array_append_new(nodes, obj);
	}
	for (i = 0; i < p->n_links; i++) {
		l = &p->links[i];
		obj = json_pack("{s:I, s:I, s:f, s:f}",
				"from", (json_int_t)p->nodes[l->from].id,
				"to", (json_int_t)p->nodes[l->to].id,
				"bandwidth_mbps",
				hbp_mbps_from_bps(l->bandwidth_bps),
				"latency_us", hbp_us_from_ns(l->latency_ns));
		json_array_append_new(links, obj);
	}
	return json_pack("{s:s, s:i, s:o, s:o}", "hbcast", "platform",
			 "version", 1, "nodes", nodes, "links", links);
}

static json_t *state_json(const struct hblab_net *net)
{
	json_t *list = json_array();
	size_t i;

	if (*net->switch_netns)
		json_array_append_new(list, json_string(net->switch_netns));
	for (i = 0; i < net->platform->n_hosts; i++)
		json_array_append_new(list, json_string(net->hosts[i].netns));
	return json_pack("{s:s, s:i, s:s, s:o, s:o}", "hbcast", "lab",
			 "version", 1, "name", net->name, "namespaces", list,
			 "platform", platform_json(net->platform));
}

static int make_dir(void)
{
	if (mkdir("/run/hbcast", 0755) && errno != EEXIST)
		return -1;
	if (mkdir(HBLAB_STATE_DIR, 0755) && errno != EEXIST)
		return -1;
	return 0;
}

/**
 * hblab_state_add() - record that a lab is about to be made
 * @ctl: the run
 * @net: the lab
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error: the name
 * is taken, or the file cannot be written.
 */
int hblab_state_add(struct hbctl *ctl, const struct hblab_net *net)
{
	char path[PATH_LEN], temporary[PATH_LEN + 16];
	json_t *state = state_json(net);
	int ret = HBCTL_OK;

	state_path(path, net->name);
	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
	if (make_dir() || json_dump_file(state, temporary, JSON_INDENT(1))) {
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "%s cannot be written (%s): be root, and have room in /run",
				  temporary, strerror(errno));
	} else if (link(temporary, path)) {
		if (errno == EEXIST)
			ret = hbctl_error(ctl, HBCTL_USAGE,
					  "lab \"%s\" is up already: take it down first, or choose another name",
					  net->name);
		else
			ret = hbctl_error(ctl, HBCTL_USAGE,
					  "%s cannot be made: %s", path,
					  strerror(errno));
	}
	unlink(temporary);
	json_decref(state);
	return ret;
}

/**
 * hblab_state_read() - read the record of a lab
 * @ctl: the run
 * @name: the lab's name
 * @state: gets the record, or NULL if there is no such lab
 *
 * Return: HBCTL_OK, also without a lab, or an exit code after it has reported
 * the error.
 */
int hblab_state_read(struct hbctl *ctl, const char *name, json_t **state)
{
	char path[PATH_LEN];
	json_error_t why;

	state_path(path, name);
	*state = NULL;
	if (access(path, F_OK) && errno == ENOENT)
		return HBCTL_OK;
	*state = json_load_file(path, 0, &why);
	if (!*state)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s cannot be read (%s): mend it, or delete it and the lab's namespaces by hand",
				   path, why.text);
	return HBCTL_OK;
}

/**
 * hblab_state_load() - the network of a lab that is up
 * @ctl: the run
 * @name: the lab's name
 * @out: gets the network, to be released with hblab_net_free()
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_state_load(struct hbctl *ctl, const char *name,
		     struct hblab_net **out)
{
	struct hbp_platform *platform;
	struct hbp_error err;
	json_t *state;
	char *text;
	int ret;

	ret = hblab_state_read(ctl, name, &state);
	if (ret)
		return ret;
	if (!state)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "there is no lab \"%s\": hbcastctl lab list shows those that are up",
				   name);
	text = json_dumps(json_object_get(state, "platform"), JSON_COMPACT);
	if (!text || hbp_platform_parse(text, strlen(text), name, NULL,
					&platform, &err))
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "the record of lab \"%s\" is damaged (%s): take the lab down",
				  name, text ? err.text : "no platform");
	else
		ret = hblab_net_make(ctl, name, platform, out);
	free(text);
	json_decref(state);
	return ret;
}

/**
 * hblab_state_remove() - forget a lab
 * @ctl: the run
 * @name: the lab's name
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_state_remove(struct hbctl *ctl, const char *name)
{
	char path[PATH_LEN];

	state_path(path, name);
	if (unlink(path) && errno != ENOENT)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s cannot be deleted: %s", path,
				   strerror(errno));
	return HBCTL_OK;
}

/* Directory entries that are records of labs. */
static int is_record(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(SUFFIX) &&
	       !strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX);
}

/**
 * hblab_state_names() - the labs that are up
 * @ctl: the run
 * @names: gets a new array of their names, sorted
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_state_names(struct hbctl *ctl, json_t **names)
{
	struct dirent **entries;
	size_t len;
	int i, n;

	n = scandir(HBLAB_STATE_DIR, &entries, is_record, alphasort);
	if (n < 0 && errno != ENOENT)
		return hbctl_error(ctl, HBCTL_USAGE,
				   HBLAB_STATE_DIR " cannot be read: %s",
				   strerror(errno));
	*names = json_array();
	for (i = 0; i < n; i++) {
		len = strlen(entries[i]->d_name) - strlen(SUFFIX);
		json_array_append_new(*names,
				      json_stringn(entries[i]->d_name, len));
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return HBCTL_OK;
}
