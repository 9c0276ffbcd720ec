// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into QEMU: makes its jumps of the virtual clock (warps) exact.
 *
 * With -icount sleep=off QEMU's main loop looks, whenever it wakes, whether all
 * processors are halted, and if so moves the clock on to the next timer. The
 * processors' thread says that one is halted first, and counts the instructions
 * before that afterwards. If the main loop wakes in between, the clock goes too far
 * by these instructions, and the timer is late. It wakes at each timer, and a busy
 * host decides when.
 *
 * So here the main loop does not get QEMU's big lock before the processors' thread
 * waits for something, since all is counted then: for a timer, or, if it computes for
 * long, for the lock itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How long the main loop waits for the processors to be halted. */
#define PATIENCE_NS 5000000

static int (*real_lock)(pthread_mutex_t *lock);
static int (*real_unlock)(pthread_mutex_t *lock);
static int (*real_wait)(pthread_cond_t *condition, pthread_mutex_t *lock);

/* The main loop's thread is the first one, that of the processors the next that waits. */
static __thread enum { OTHER, MAIN_LOOP, PROCESSORS } thread;
static pthread_mutex_t *_Atomic big_lock;

/* The processors' thread runs without the lock, and may have to count. */
static atomic_int running;
/* It waits for a timer. */
static atomic_int asleep;
/* The main loop wants the lock the next time that the processors' thread does. */
static atomic_int wanted;

__attribute__((constructor)) static void begin(void)
{
	real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	real_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
	thread = MAIN_LOOP;
}

static void sleep_while(atomic_int *word, int value, const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit, NULL, 0);
}

static void wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for_processors(void)
{
	const struct timespec patience = { .tv_nsec = PATIENCE_NS };

	if (!asleep && !wanted) {
		sleep_while(&asleep, 0, &patience);
		wanted = !asleep;
	}
	while (wanted && running)
		sleep_while(&running, 1, NULL);
}

static int lock_for_main_loop(pthread_mutex_t *lock)
{
	int ret;

	for (;;) {
		wait_for_processors();
		ret = real_lock(lock);
		if (ret || !running)
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
	asleep = 1;
	wake(&asleep);
	ret = real_wait(condition, lock);
	asleep = 0;
	return ret;
}
