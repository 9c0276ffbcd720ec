/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TAP for test programs in C: ok() for each assertion, tap_done() at the end. */
#ifndef _HBC_SELFTESTS_TAP_H
#define _HBC_SELFTESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* One count for all files of a test. */
__attribute__((weak)) unsigned int tap_run;
__attribute__((weak)) unsigned int tap_failed;

/* Prints one result line, named like printf(). Return: @good. */
__attribute((format(printf, 2, 3)))
static inline bool ok(bool good, const char *name, ...)
{
	va_list args;

	printf("%sok %u - ", good ? "" : "not ", ++tap_run);
	va_start(args, name);
	vprintf(name, args);
	va_end(args);
	putchar('\n');
	if (!good)
		tap_failed++;
	return good;
}

/* Ends the test where it cannot go on. */
__attribute((format(printf, 1, 2), noreturn))
static inline void tap_bail_out(const char *why, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, why);
	vprintf(why, args);
	va_end(args);
	putchar('\n');
	exit(EXIT_FAILURE);
}

/* Prints the plan. Return: main()'s exit status. */
static inline int tap_done(void)
{
	printf("1..%u\n", tap_run);
	return tap_failed || !tap_run ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif /* _HBC_SELFTESTS_TAP_H */
