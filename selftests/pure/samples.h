/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One good frame or more of every type, written out by hand after
 * Documentation/wire-format.md, no two fields alike.
 */
#ifndef _HBC_SELFTESTS_SAMPLES_H
#define _HBC_SELFTESTS_SAMPLES_H

#include "wire/probe.h"

struct sample {
	const char *name;
	const u8 *bytes;
	unsigned int len;
};

enum {
	SAMPLE_HELLO,
	SAMPLE_HELLO_PROBE,
	SAMPLE_CHALLENGE,
	SAMPLE_AUTH,
	SAMPLE_READY,
	SAMPLE_REJECT,
	SAMPLE_PLAN,
	SAMPLE_TREE,
	SAMPLE_MESSAGE,
	SAMPLE_MESSAGE_FILE,
	SAMPLE_DATA,
	SAMPLE_LAST,
	SAMPLE_OVER,
	SAMPLE_OVER_ALL,
	SAMPLE_OVER_LOST,
	SAMPLE_DONE,
	SAMPLE_TREE_ACK,
	SAMPLE_TREE_READY,
	SAMPLE_HAVE,
	SAMPLE_HAVE_ALL,
	SAMPLE_HAVE_END,
	SAMPLE_WANT,
	SAMPLE_STOP,
	SAMPLE_ACK,
	SAMPLE_ACK_FILE,
	SAMPLE_REPORT,
	SAMPLE_LOST,
	SAMPLE_LOST_BACK,
	SAMPLE_PING,
	SAMPLE_PONG,
	SAMPLE_PROBE,
	SAMPLE_PROBE_ASK,
	SAMPLE_PROBE_SAMPLE,
	NR_SAMPLES,
};

extern const struct sample samples[NR_SAMPLES];

#endif /* _HBC_SELFTESTS_SAMPLES_H */
