// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz SEED SECONDS, fuzz SEED FROM TO LOG: throws random programs at the
 * module, in namespaces that test-kernel-fuzz.py makes.
 *
 * A program follows from the seed, its number, and from those before it that
 * have reached something new, whose numbers are printed. With the output of a
 * run these are known, and the second form runs some of its programs again.
 * A block of programs starts with new nodes; FROM is rounded down to one.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include "coverage.h"
#include "lane.h"
#include "netlink.h"
#include "program.h"
#include "sockets.h"
#include "world.h"

#define BLOCK		32	/* programs from one reset to the next */
#define ALARM_US	50000	/* whoever waits in a call is woken so often */

/* How likely each call is among random ones. */
static const struct {
	void (*run)(struct choices *c);
	unsigned int weight;
} kinds[] = {
	{ call_socket, 5 },
	{ call_address, 1 },
	{ call_send, 3 },
	{ call_receive, 3 },
	{ call_option, 2 },
	{ call_ioctl, 3 },
	{ call_other, 2 },
	{ call_close, 1 },
	{ call_request, 4 },
	{ call_spoilt, 4 },
	{ call_batch, 1 },
	{ call_dump, 2 },
	{ call_plan, 1 },
	{ call_upload, 2 },
	{ call_node, 1 },
	{ call_netlink_close, 1 },
	{ call_lane_connect, 3 },
	{ call_lane_accept, 5 },
	{ call_lane_send, 8 },
	{ call_lane_read, 2 },
	{ call_lane_close, 1 },
};

static void (*call_of(const struct call *call))(struct choices *c)
{
	unsigned int sum = 0, at, i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		sum += kinds[i].weight;
	at = call->kind % sum;
	for (i = 0; at >= kinds[i].weight; i++)
		at -= kinds[i].weight;
	return kinds[i].run;
}

/* Closes what programs hold, and makes the nodes anew. */
static void reset(void)
{
	lane_reset();
	netlink_reset();
	sockets_reset();
}

/* What the kernel reports of this task has the program's number in it. */
static void run_program(const struct program *p, u64 number)
{
	struct choices c;
	char name[16];
	unsigned int i;

	snprintf(name, sizeof(name), "fuzz %llu", (unsigned long long)number);
	prctl(PR_SET_NAME, name);
	if (number % BLOCK == 0)
		reset();
	for (i = 0; i < p->nr; i++) {
		choices_start(&c, p->calls[i].byte, CALL_BYTES);
		coverage_begin();
		call_of(&p->calls[i])(&c);
		coverage_end();
	}
	if (number % BLOCK == BLOCK - 1)
		netlink_look();
}

static void on_alarm(int signal)
{
}

static void set_alarm(void)
{
	struct itimerval often = { { 0, ALARM_US }, { 0, ALARM_US } };
	struct sigaction action = { .sa_handler = on_alarm };

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		err(EXIT_FAILURE, "the alarm");
}

static void show(u64 number)
{
	printf("# %llu programs, %u blocks, %u signals\n", (unsigned long long)number,
	       coverage_blocks(), coverage_signals());
}

static void fuzz(u64 seed, unsigned int seconds)
{
	time_t end = time(NULL) + seconds, shown = 0;
	struct corpus corpus = {};
	struct program p;
	u64 number;

	for (number = 0; time(NULL) < end; number++) {
		program_make(&p, &corpus, seed, number);
		run_program(&p, number);
		if (coverage_news()) {
			corpus_add(&corpus, &p);
			printf("# kept %llu\n", (unsigned long long)number);
		}
		if (time(NULL) >= shown + 5) {
			shown = time(NULL);
			show(number);
		}
	}
	show(number);
	lane_show();
}

/* The numbers of programs that were kept, from the output of a run. */
static bool next_kept(FILE *log, u64 *number)
{
	unsigned long long found;
	char line[256], *at;

	while (fgets(line, sizeof(line), log)) {
		at = strstr(line, "# kept ");
		if (at && sscanf(at, "# kept %llu", &found) == 1) {
			*number = found;
			return true;
		}
	}
	return false;
}

static void replay(u64 seed, u64 from, u64 to, const char *path)
{
	FILE *log = fopen(path, "r");
	struct corpus corpus = {};
	struct program p;
	u64 number = 0, kept;
	bool more;

	if (!log)
		err(EXIT_FAILURE, "%s", path);
	from -= from % BLOCK;
	for (more = next_kept(log, &kept); number <= to; number++) {
		if (number < from && !(more && kept == number))
			continue;
		program_make(&p, &corpus, seed, number);
		if (number >= from)
			run_program(&p, number);
		if (more && kept == number) {
			corpus_add(&corpus, &p);
			more = next_kept(log, &kept);
		}
	}
	printf("# programs %llu to %llu again\n", (unsigned long long)from,
	       (unsigned long long)to);
	fclose(log);
}

int main(int argc, char **argv)
{
	u64 seed;

	if (argc != 3 && argc != 5)
		errx(EXIT_FAILURE, "usage: fuzz SEED SECONDS | fuzz SEED FROM TO LOG");
	setlinebuf(stdout);
	seed = strtoull(argv[1], NULL, 0);
	world_open();
	printf("# %s\n", coverage_open() ? "KCOV sees calls of this task" :
	       "no KCOV: nothing but signals tells what is new");
	signal(SIGPIPE, SIG_IGN);
	set_alarm();
	if (argc == 3)
		fuzz(seed, strtoul(argv[2], NULL, 0));
	else
		replay(seed, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0), argv[4]);
	reset();
	return EXIT_SUCCESS;
}
