// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into QEMU: makes its jumps of the virtual clock (warps) exact, and cheaper.
 *
 * With -icount sleep=off QEMU's main loop looks, whenever it wakes, whether all
 * processors are halted, and if so moves the clock on to the next timer. The
 * processors' thread says that one is halted first, and counts the instructions
 * before that afterwards. If the main loop wakes in between, the clock goes too far
 * by these instructions, and the timer is late. It wakes at each timer, and a busy
 * host decides when.
 *
 * So here the main loop does not get QEMU's big lock before the processors' thread
 * waits: for a timer, or until it is to go on. All is counted then. That thread runs
 * timers itself, and yet wakes the main loop for each. What it has to tell is passed on
 * when it waits: then the main loop wakes once, to jump.
 *
 * While processors are at work the main loop has nothing to do for them, and were it let
 * in, they would take turns at another time, and two runs would not be the same. There
 * are two exceptions. A program that has to ask a machine which hangs sends SIGURG. And
 * if a timer is due that only the main loop runs, the processors' thread takes the lock
 * again and again, and nothing else happens; that is seen by how often.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How long the main loop waits for it: a kernel that hangs with interrupts off has to be asked. */
#define HANG_S 10
/* So often does the processors' thread take the lock, and tell nobody of a timer, only if it
 * does nothing else.
 */
#define ROUNDS 4000000
/* Events with lower numbers than this are put off; QEMU makes its own early. */
#define EVENTS 64

static ssize_t (*real_write)(int fd, const void *data, size_t size);
static int (*real_eventfd)(unsigned int value, int flags);
static int (*real_close)(int fd);
static int (*real_lock)(pthread_mutex_t *lock);
static int (*real_unlock)(pthread_mutex_t *lock);
static int (*real_wait)(pthread_cond_t *condition, pthread_mutex_t *lock);

/* The main loop's thread is the first one, that of the processors the next that waits. */
static __thread enum { OTHER, MAIN_LOOP, PROCESSORS } thread;
static pthread_mutex_t *_Atomic big_lock;

/* The processors' thread runs without the lock, and may have to count. */
static atomic_int running;
/* Whether the main loop has to wait: until they are halted, if they are not INTERRUPTIBLE. */
enum { AT_WORK, HALTED, INTERRUPTIBLE };
static atomic_int processors = AT_WORK;
/* Somebody asks, so that they always are. */
static atomic_int asked;
/* The main loop wants the lock the next time that the processors' thread does. */
static atomic_int wanted;

/* A bit for each file descriptor that is an event. */
static _Atomic uint64_t events;
/* Those that the processors' thread has put off. It alone uses them. */
static uint64_t put_off;
/* How often it has taken the lock since it last waited or told somebody. */
static unsigned int rounds;

static void wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void processors_are(int state)
{
	processors = state;
	if (state != AT_WORK)
		wake(&processors);
}

static void be_asked(int number)
{
	int at_work = AT_WORK;

	(void)number;
	asked = 1;
	if (atomic_compare_exchange_strong(&processors, &at_work, INTERRUPTIBLE))
		wake(&processors);
}

__attribute__((constructor)) static void begin(void)
{
	real_write = dlsym(RTLD_NEXT, "write");
	real_eventfd = dlsym(RTLD_NEXT, "eventfd");
	real_close = dlsym(RTLD_NEXT, "close");
	real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	real_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
	signal(SIGURG, be_asked);
	thread = MAIN_LOOP;
}

/* Whether the limit was not reached. */
static bool sleep_while(atomic_int *word, int value, const struct timespec *limit)
{
	return !syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit, NULL, 0) ||
	       errno != ETIMEDOUT;
}

int eventfd(unsigned int value, int flags)
{
	int fd;

	if (!real_eventfd)
		begin();
	fd = real_eventfd(value, flags);
	if (fd >= 0 && fd < EVENTS)
		events |= UINT64_C(1) << fd;
	return fd;
}

int close(int fd)
{
	if (!real_close)
		begin();
	if (fd >= 0 && fd < EVENTS)
		events &= ~(UINT64_C(1) << fd);
	return real_close(fd);
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (!real_write)
		begin();
	if (thread != PROCESSORS || fd < 0 || fd >= EVENTS || !(events >> fd & 1))
		return real_write(fd, data, size);
	put_off |= UINT64_C(1) << fd;
	rounds = 0;
	return size;
}

static void pass_on_events(void)
{
	const uint64_t one = 1;
	int fd;

	for (fd = 0; fd < EVENTS; fd++)
		if ((put_off & events) >> fd & 1)
			real_write(fd, &one, sizeof(one));
	put_off = 0;
}

/* Whether all is counted, unless they go on now. */
static bool wait_for_processors(void)
{
	const struct timespec hang = { .tv_sec = HANG_S };
	int now = AT_WORK;

	while (!wanted && (now = processors) == AT_WORK)
		sleep_while(&processors, AT_WORK, NULL);
	if (now == INTERRUPTIBLE)
		wanted = 1;
	while (wanted && running)
		if (!sleep_while(&running, 1, &hang))
			return false;
	return true;
}

static int lock_for_main_loop(pthread_mutex_t *lock)
{
	bool counted;
	int ret;

	for (;;) {
		counted = wait_for_processors();
		ret = real_lock(lock);
		/* They may have gone on before, and wait for the lock now. */
		if (ret || !counted || (!running && (wanted || processors != AT_WORK)))
			break;
		real_unlock(lock);
	}
	if (wanted) {
		wanted = 0;
		wake(&wanted);
	}
	return ret;
}

static int lock_for_processors(pthread_mutex_t *lock)
{
	if (++rounds == ROUNDS) {
		pass_on_events();
		processors_are(INTERRUPTIBLE);
	}
	running = 0;
	if (wanted)
		wake(&running);
	while (wanted)
		sleep_while(&wanted, 1, NULL);
	return real_lock(lock);
}

int pthread_mutex_lock(pthread_mutex_t *lock)
{
	/* Other constructors may lock before the one here has run. */
	if (!real_lock)
		begin();
	if (thread == OTHER || lock != big_lock)
		return real_lock(lock);
	return thread == MAIN_LOOP ? lock_for_main_loop(lock) : lock_for_processors(lock);
}

int pthread_mutex_unlock(pthread_mutex_t *lock)
{
	if (!real_unlock)
		begin();
	if (thread == PROCESSORS && lock == big_lock)
		running = 1;
	return real_unlock(lock);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
	int ret;

	if (!real_wait)
		begin();
	if (!big_lock && thread == OTHER) {
		thread = PROCESSORS;
		big_lock = lock;
	}
	if (thread != PROCESSORS || lock != big_lock)
		return real_wait(condition, lock);
	processors_are(HALTED);
	pass_on_events();
	ret = real_wait(condition, lock);
	rounds = 0;
	processors_are(AT_WORK);
	/* The signal may have come while they were halted. */
	if (asked)
		processors_are(INTERRUPTIBLE);
	return ret;
}
