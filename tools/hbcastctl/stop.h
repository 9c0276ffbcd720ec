/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGINT, SIGTERM and SIGHUP, for commands that have something to leave tidy. */
#ifndef HBCASTCTL_STOP_H
#define HBCASTCTL_STOP_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct hbstop - signals that are caught instead of ending the command
 * @before: the signals that were blocked before
 * @fd: readable once one of them has come
 */
struct hbstop {
	sigset_t before;
	int fd;
};

void hbstop_catch(struct hbstop *stop);
bool hbstop_asked(const struct hbstop *stop);
void hbstop_release(struct hbstop *stop);

#endif /* HBCASTCTL_STOP_H */
