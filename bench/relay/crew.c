// SPDX-License-Identifier: GPL-2.0-or-later
/* The processes of one transfer: source, relays and sinks. */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"

/**
 * crew_fork() - start one more process
 * @crew: its pid goes to the end
 * @name: what profile.sh shall call it
 *
 * Return: true in the new process, which must end by exit(3).
 */
bool crew_fork(struct crew *crew, const char *name)
{
	pid_t pid;

	if (crew->count == CREW_MAX)
		errx(1, "more than %d processes", CREW_MAX);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid)
		crew->pid[crew->count++] = pid;
	else if (prctl(PR_SET_NAME, name))
		err(1, "prctl");
	return !pid;
}

static void stop(const struct crew *crew)
{
	for (int i = 0; i < crew->count; i++)
		if (crew->pid[i])
			kill(crew->pid[i], SIGTERM);
	exit(1);
}

/* Forgets a process that has ended; false if none had. */
static bool reap(struct crew *crew, int options)
{
	int status;
	pid_t pid = waitpid(-1, &status, options);

	if (pid < 0)
		err(1, "waitpid");
	for (int i = 0; pid && i < crew->count; i++)
		if (crew->pid[i] == pid)
			crew->pid[i] = 0;
	if (pid && status)
		stop(crew);
	return pid;
}

static bool running(const struct crew *crew, int first, int last)
{
	for (int i = first; i < last; i++)
		if (crew->pid[i])
			return true;
	return false;
}

/**
 * crew_wait() - wait until some processes have ended
 * @crew: of crew_fork()
 * @first: the first process to wait for, in the order they were started
 * @last: one past the last
 *
 * If any process of the crew fails, stops the others and exits.
 */
void crew_wait(struct crew *crew, int first, int last)
{
	while (running(crew, first, last))
		reap(crew, 0);
}

/**
 * crew_running() - whether there is still someone at work
 * @crew: of crew_fork()
 *
 * If any process of the crew has failed, stops the others and exits.
 */
bool crew_running(struct crew *crew)
{
	while (running(crew, 0, crew->count) && reap(crew, WNOHANG))
		;
	return running(crew, 0, crew->count);
}

/**
 * crew_settle() - let everything come to rest
 *
 * Longer than TCP's delayed acknowledgements. With one CPU, everyone who can
 * run does so until blocked; in virtual time it costs nothing to be generous.
 */
void crew_settle(void)
{
	const struct timespec pause = { .tv_nsec = 60000000 };

	while (nanosleep(&pause, NULL))
		if (errno != EINTR)
			err(1, "nanosleep");
}
