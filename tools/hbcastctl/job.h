/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that does what may take long, so that the command need not wait for it. */
#ifndef HBCASTCTL_JOB_H
#define HBCASTCTL_JOB_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct hbjob - such a process
 * @pid: its id; -1 if there could be none, and all is done
 * @fd: readable when it has ended, or -1
 * @code: what it has returned, without a process
 */
struct hbjob {
	pid_t pid;
	int fd;
	int code;
};

void hbjob_start(struct hbjob *job, int (*run)(void *data), void *data);
bool hbjob_has_ended(const struct hbjob *job);
int hbjob_end(struct hbjob *job);

#endif /* HBCASTCTL_JOB_H */
