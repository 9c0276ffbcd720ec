/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

void latency_source(int fd, int messages);
void latency_sink(int fd, int messages);

#endif
