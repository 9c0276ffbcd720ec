/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_CRC_H
#define BENCH_CRC_H

#include <stdint.h>

/* About the payload of a fragment over Ethernet. */
#define CRC_PIECE_BYTES 1400

uint64_t crc_cost(uint64_t bytes);

#endif
