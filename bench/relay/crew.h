/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_CREW_H
#define BENCH_CREW_H

#include <stdbool.h>
#include <sys/types.h>

#define CREW_MAX 16

/**
 * struct crew - the processes of one transfer
 * @pid: zero once it has ended
 * @count: how many were started
 */
struct crew {
	pid_t pid[CREW_MAX];
	int count;
};

bool crew_fork(struct crew *crew, const char *name);
void crew_wait(struct crew *crew, int first, int last);
bool crew_running(struct crew *crew);
void crew_settle(void);

#endif
