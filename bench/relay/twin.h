/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_TWIN_H
#define BENCH_TWIN_H

int twin_of(int fd, int node);

#endif
