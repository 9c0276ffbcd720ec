// SPDX-License-Identifier: GPL-2.0-or-later
/* SIGINT, SIGTERM and SIGHUP, for commands that have something to leave tidy. */
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "stop.h"

/**
 * hbstop_catch() - from now on the signals only make @stop's descriptor readable
 * @stop: filled
 */
void hbstop_catch(struct hbstop *stop)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &stop->before);
	stop->fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (stop->fd < 0)
		abort();
}

/**
 * hbstop_asked() - whether a signal has come
 * @stop: from hbstop_catch()
 *
 * Return: true if the command is to stop.
 */
bool hbstop_asked(const struct hbstop *stop)
{
	struct pollfd fd = { .fd = stop->fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/**
 * hbstop_release() - let the signals do again what they did
 * @stop: from hbstop_catch()
 *
 * What has come is forgotten: the command has heeded it.
 */
void hbstop_release(struct hbstop *stop)
{
	struct signalfd_siginfo info;

	while (hbstop_asked(stop)) {
		if (read(stop->fd, &info, sizeof(info)) < 0)
			break;
	}
	close(stop->fd);
	sigprocmask(SIG_SETMASK, &stop->before, NULL);
}
