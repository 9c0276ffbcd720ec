// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that live in a lab: a namespace lives as long as its last one. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "lab_user.h"
#include "output.h"

/* The name of the namespace that process @pid is in, if it is one of them. */
static const char *netns_of(const char *pid, const json_t *namespaces)
{
	struct stat of_process, of_netns;
	const json_t *name;
	char path[320];
	size_t i;

	snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
	if (stat(path, &of_process))
		return NULL;
	json_array_foreach((json_t *)namespaces, i, name) {
		snprintf(path, sizeof(path), "/run/netns/%s",
			 json_string_value(name));
		if (!stat(path, &of_netns) &&
		    of_netns.st_dev == of_process.st_dev &&
		    of_netns.st_ino == of_process.st_ino)
			return json_string_value(name);
	}
	return NULL;
}

/**
 * hblab_warn_users() - tell which processes keep namespaces alive
 * @ctl: the run
 * @namespaces: array of the namespaces' names, which must still be there
 */
void hblab_warn_users(struct hbctl *ctl, const json_t *namespaces)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	const char *netns;

	if (!proc)
		return;
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		netns = netns_of(entry->d_name, namespaces);
		if (netns)
			hbctl_warning(ctl, "process %s still runs in namespace %s, which lives on without links and name until that ends",
				      entry->d_name, netns);
	}
	closedir(proc);
}
