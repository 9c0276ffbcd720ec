/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_HBCAST_H
#define BENCH_HBCAST_H

#include <stdint.h>

/* The groups that hbcast.sh sets up. */
#define HBCAST_GROUP_DIRECT	10	/* root to one sink */
#define HBCAST_GROUP_RELAY	20	/* plus the number of children */
#define HBCAST_GROUP_CHAIN	30	/* through eight relays */

int hbcast_receiver(int node, uint32_t group);
int hbcast_sink_receiver(int node, uint32_t group);
int hbcast_sender(int node, uint32_t group);
int hbcast_file(uint64_t bytes);
void hbcast_fill(int file, uint64_t bytes);
void hbcast_source(int fd, int file, uint64_t bytes);
void hbcast_sink(int fd, uint64_t bytes);

#endif
