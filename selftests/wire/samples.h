/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One good frame or more of every type, written out by hand after
 * Documentation/wire-format.md, no two fields alike.
 */
#ifndef _HBC_SELFTESTS_SAMPLES_H
#define _HBC_SELFTESTS_SAMPLES_H

#include "wire_probe.h"

struct sample {
	const char *name;
	const u8 *bytes;
	unsigned int len;
};

enum {
	SAMPLE_HELLO,
	SAMPLE_CHALLENGE,
	SAMPLE_AUTH,
	SAMPLE_READY,
	SAMPLE_REJECT,
	SAMPLE_TREE,
	SAMPLE_TREE_ACK,
	SAMPLE_TREE_READY,
	SAMPLE_FRAGMENT,
	SAMPLE_FRAGMENT_EMPTY,
	SAMPLE_FRAGMENT_ABORT,
	SAMPLE_FRAGMENT_REPAIR,
	SAMPLE_ACK,
	SAMPLE_LOST,
	SAMPLE_LOST_BACK,
	SAMPLE_BLOCK_END,
	SAMPLE_BLOCK_ACK,
	SAMPLE_NACK,
	SAMPLE_EPOCH_END,
	SAMPLE_PING,
	SAMPLE_PONG,
	SAMPLE_HELLO_PROBE,
	SAMPLE_PROBE,
	SAMPLE_PROBE_ASK,
	SAMPLE_PROBE_SAMPLE,
	NR_SAMPLES,
};

extern const struct sample samples[NR_SAMPLES];

#endif /* _HBC_SELFTESTS_SAMPLES_H */
