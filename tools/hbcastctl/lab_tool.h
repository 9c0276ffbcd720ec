/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running the commands of iproute2 with scripts. */
#ifndef HBCASTCTL_LAB_TOOL_H
#define HBCASTCTL_LAB_TOOL_H

#include <stdio.h>

#include "cmd.h"

/**
 * struct hblab_script - lines for one command's batch mode
 * @out: write lines here, each ended by a newline
 * @text: what has been written, after hblab_script_run() has closed @out
 * @len: bytes in @text
 */
struct hblab_script {
	FILE *out;
	char *text;
	size_t len;
};

void hblab_script_begin(struct hblab_script *script);
int hblab_script_run(struct hbctl *ctl, struct hblab_script *script,
		     const char *command, const char *netns);

#endif /* HBCASTCTL_LAB_TOOL_H */
