// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the CPU was busy.
 *
 * Under QEMU's -icount shift=0,sleep=off one instruction takes one nanosecond
 * of virtual time. Idle time executes nothing: the virtual clock jumps to the
 * next timer. So elapsed time less idle time is the number of instructions.
 *
 * The kernel keeps the idle time of a tickless CPU to the nanosecond, and
 * /proc/timer_list is where it prints all the digits (/proc/stat and
 * /proc/uptime round to 10 ms).
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "busy.h"

/**
 * busy_now() - the monotonic clock
 *
 * Return: nanoseconds since boot.
 */
uint64_t busy_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static uint64_t idle_now(void)
{
	FILE *f = fopen("/proc/timer_list", "r");
	uint64_t sum = 0, ns;
	char line[256];

	if (!f)
		err(1, "/proc/timer_list");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " .idle_sleeptime : %" SCNu64, &ns) == 1 ||
		    sscanf(line, " .iowait_sleeptime: %" SCNu64, &ns) == 1)
			sum += ns;
	fclose(f);
	return sum;
}

/**
 * busy_check() - prove that the kernel counts idle time
 *
 * Sleeps 50 ms and exits with a sentence unless nearly all of it was counted
 * as idle (a kernel booted with nohz=off counts none).
 */
void busy_check(void)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct busy_mark mark;
	uint64_t idle_ns;

	busy_start(&mark);
	nanosleep(&pause, NULL);
	busy_stop(&mark, &idle_ns);
	if (idle_ns < 40000000 || idle_ns > 60000000)
		errx(1, "/proc/timer_list counted %" PRIu64
		     " us idle of a sleep of 50000: boot one CPU, without nohz=off",
		     idle_ns / 1000);
}

/**
 * busy_start() - begin to measure
 * @mark: where to keep the reading
 */
void busy_start(struct busy_mark *mark)
{
	mark->idle_ns = idle_now();
	mark->now_ns = busy_now();
}

/**
 * busy_stop() - end to measure
 * @mark: the reading of busy_start()
 * @idle_ns: set to the nanoseconds spent idle since
 *
 * Return: nanoseconds that the CPU was busy since busy_start().
 */
uint64_t busy_stop(const struct busy_mark *mark, uint64_t *idle_ns)
{
	uint64_t elapsed_ns = busy_now() - mark->now_ns;

	*idle_ns = idle_now() - mark->idle_ns;
	return elapsed_ns - *idle_ns;
}
