// SPDX-License-Identifier: GPL-2.0-or-later
/* A process that does what may take long, so that the command need not wait for it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"

/**
 * hbjob_start() - start a process that ends with the command, if not before
 * @job: filled
 * @run: what it does, with a copy of the command's memory; returns its exit code
 * @data: for @run
 */
void hbjob_start(struct hbjob *job, int (*run)(void *data), void *data)
{
	job->pid = fork();
	if (!job->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(run(data));
	}
	/* Where there can be no process it is waited for here. */
	job->code = job->pid < 0 ? run(data) : 0;
	job->fd = job->pid < 0 ? -1 : pidfd_open(job->pid, 0);
}

/**
 * hbjob_has_ended() - whether hbjob_end() would not wait
 * @job: from hbjob_start()
 *
 * Return: true if the process has ended, or nobody can say so.
 */
bool hbjob_has_ended(const struct hbjob *job)
{
	struct pollfd fd = { .fd = job->fd, .events = POLLIN };

	return job->fd < 0 || poll(&fd, 1, 0) > 0;
}

/**
 * hbjob_end() - wait until a process has ended
 * @job: from hbjob_start()
 *
 * Return: its exit code; EIO if something else has ended it.
 */
int hbjob_end(struct hbjob *job)
{
	int status = 0;

	if (job->pid < 0)
		return job->code;
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (job->fd >= 0)
		close(job->fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}
