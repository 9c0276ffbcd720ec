/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs have reached: the module's blocks and the ways between them, by
 * KCOV, which sees what runs in this task; and signals, which are made of what
 * is seen of the rest from outside.
 */
#ifndef _HBC_FUZZ_COVERAGE_H
#define _HBC_FUZZ_COVERAGE_H

#include "wire/wire.h"

/* Whether there is KCOV; without it only signals tell. */
bool coverage_open(void);

/* Around each call. */
void coverage_begin(void);
void coverage_end(void);

/* Something seen from outside; @what should have few thousand values. */
void coverage_signal(u64 what);

/* How many blocks, and how many signals, have been seen. */
unsigned int coverage_blocks(void);
unsigned int coverage_signals(void);

/* Whether there was anything new since the last time that this was asked. */
bool coverage_news(void);

#endif /* _HBC_FUZZ_COVERAGE_H */
