/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <stdint.h>

#include "stream.h"

void plain_sink(int fd, uint32_t epoch, uint64_t bytes, enum stream_mode mode);

#endif
