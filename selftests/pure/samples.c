// SPDX-License-Identifier: GPL-2.0-or-later
#include "samples.h"

/* type, tag, length; then one field a line */
static const u8 hello[] = {
	1, 4, 0, 68,
	0x11, 0x12, 0x13, 0x14,				/* group */
	0x21, 0x22, 0x23, 0x24,				/* from */
	0x31, 0x32, 0x33, 0x34,				/* to */
	0x41, 0x42, 0x43, 0x44,				/* root */
	0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,	/* incarnation */
	63,						/* slot */
	0,						/* flags */
	0, 0,
	0, 0, 0, 0,					/* cipher */
	0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67,	/* nonce */
	0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
	0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77,
	0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f,
};

/* A node's to itself. */
static const u8 hello_probe[] = {
	1, 4, 0, 68,
	0x11, 0x12, 0x13, 0x14,				/* group */
	0x21, 0x22, 0x23, 0x24,				/* from */
	0x21, 0x22, 0x23, 0x24,				/* to */
	0x21, 0x22, 0x23, 0x24,				/* root */
	0, 0, 0, 0, 0, 0, 0, 0,				/* incarnation */
	0,						/* slot */
	1,						/* flags: PROBE */
	0, 0,
	0, 0, 0, 0,					/* cipher */
	0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67,	/* nonce */
	0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
	0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77,
	0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f,
};

static const u8 challenge[] = {
	2, 0, 0, 72,
	0x31, 0x32, 0x33, 0x34,				/* node */
	0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,	/* nonce */
	0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f,
	0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97,
	0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f,
	0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,	/* mac */
	0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf,
	0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7,
	0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf,
};

static const u8 auth[] = {
	3, 0, 0, 36,
	0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,	/* mac */
	0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf,
	0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7,
	0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf,
};

static const u8 ready[] = {
	4, 0, 0, 4,
};

static const u8 reject[] = {
	5, 0, 0, 8,
	0, 3,						/* reason: KEY */
	0, 0,
};

/* Slots 0 and 63. */
static const u8 plan[] = {
	6, 0, 0, 52,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0x80, 0, 0, 0, 0, 0, 0, 1,			/* slots */
	3,						/* flags: STRICT, WHOLE */
	0, 0, 0,
	0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,	/* rate of slot 0 */
	0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27,	/* its step */
	0, 0, 0, 0, 0, 0, 0, 1,				/* rate of slot 63 */
	0, 0, 0, 0, 0, 0, 0, 0,				/* its step */
};

/* Nodes 1 and 2 of 4. */
static const u8 tree[] = {
	7, 0, 0, 104,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0, 0, 0, 4,					/* total */
	0, 0, 0, 1,					/* first */
	0x01, 0x02, 0x03, 0x04,				/* node */
	0, 0, 0, 2,					/* children */
	0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,	/* rate */
	0, 0, 0, 0, 0, 0, 0, 0x28,			/* slots */
	10, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	/* address */
	0x1c, 0x8e,					/* port */
	4,						/* family */
	0,
	0x05, 0x06, 0x07, 0x08,				/* node */
	0, 0, 0, 0,					/* children */
	0, 0, 0, 0, 0, 0, 0, 0,				/* rate */
	0x80, 0, 0, 0, 0, 0, 0, 0x18,			/* slots */
	0xfd, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7,	/* address */
	0x1c, 0x8f,					/* port */
	6,						/* family */
	0,
};

/* 1,025 bytes in two fragments. */
static const u8 message[] = {
	8, 0, 0, 68,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,	/* message */
	0, 0, 0, 0, 0, 0, 4, 1,				/* total */
	0xaa, 0xbb,					/* port */
	4, 0,						/* payload */
	0, 5,						/* fragments */
	0,						/* kind: short */
	0,						/* hashed */
	0, 0, 0, 0, 0, 0, 0, 0,				/* time */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	/* hash */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

static const u8 message_file[] = {
	8, 0, 0, 73,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xf0,	/* message */
	0, 0, 1, 2, 3, 4, 5, 6,				/* total */
	0xaa, 0xbc,					/* port */
	5, 0x98,					/* payload */
	2, 0xdc,					/* fragments */
	1,						/* kind: file */
	1,						/* hashed */
	0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,	/* time */
	0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,	/* hash */
	0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f,
	0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97,
	0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f,
	'a', '.', 'b', 'i', 'n',			/* name */
};

/* The crc is right: CRC32C of the 12 bytes before it and of the payload. */
static const u8 data[] = {
	9, 63, 0, 21,
	0x89, 0xab, 0xcd, 0xef,				/* message */
	0x01, 0x02, 0x03, 0x04,				/* fragment */
	0xe7, 0x80, 0x3f, 0x3f,				/* crc */
	'h', 'e', 'l', 'l', 'o',
};

static const u8 last[] = {
	10, 0, 0, 12,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,	/* message */
};

static const u8 over[] = {
	11, 0, 0, 4,
};

static const u8 over_all[] = {
	11, 1, 0, 4,
};

/* Messages 5 and 7 to 10 are over, with one between them. */
static const u8 done[] = {
	12, 0, 0, 44,
	0, 0, 0, 0, 0, 0, 0, 9,				/* before */
	0, 0, 0, 0, 0, 0, 0, 5,				/* first */
	0, 0, 0, 0, 0, 0, 0, 1,				/* count */
	0, 0, 0, 0, 0, 0, 0, 7,				/* first */
	0, 0, 0, 0, 0, 0, 0, 4,				/* count */
};

static const u8 tree_ack[] = {
	13, 0, 0, 16,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0x61, 0x62, 0x63, 0x64,				/* node */
	0, 6,						/* reason: PROTOCOL */
	0, 0,
};

static const u8 tree_ready[] = {
	13, 0, 0, 16,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0, 0, 0, 0,					/* node: all are ready */
	0, 0,						/* reason */
	0, 0,
};

/* Two runs with one piece between them. */
static const u8 have[] = {
	14, 0, 0, 28,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,	/* message */
	0, 0, 0, 0,					/* first */
	0, 0, 0, 2,					/* count */
	0, 0, 0, 3,					/* first */
	0, 0, 1, 4,					/* count */
};

static const u8 have_all[] = {
	14, 1, 0, 12,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,	/* message */
};

static const u8 have_end[] = {
	14, 2, 0, 12,
	0, 0, 0, 0, 0, 0, 0, 0,				/* message: none */
};

static const u8 want[] = {
	15, 0, 0, 28,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,	/* message */
	0, 0, 0, 7,					/* first */
	0, 0, 0, 2,					/* count */
	0, 0, 0, 10,					/* first */
	0, 0, 1, 5,					/* count */
};

static const u8 stop[] = {
	16, 0, 0, 4,
};

static const u8 ack[] = {
	17, 0, 0, 24,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,	/* message */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,	/* bytes */
};

static const u8 report[] = {
	18, 0, 0, 48,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,	/* message */
	0, 0, 0, 0,					/* first */
	0, 0, 0, 3,					/* count */
	0,						/* reason: delivered */
	0, 0, 0,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xf0,	/* message */
	0, 0, 0, 9,					/* first */
	0, 0, 0, 4,					/* count */
	12,						/* reason: CHANGED */
	0, 0, 0,
};

static const u8 lost[] = {
	19, 1, 0, 28,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0, 6,						/* reason: NODE_DEAD */
	0, 0,
	0, 0, 0, 1,					/* first */
	0, 0, 0, 2,					/* count */
	0, 0, 0, 5,					/* first */
	0, 0, 0, 3,					/* count */
};

static const u8 lost_back[] = {
	19, 2, 0, 20,
	0x51, 0x52, 0x53, 0x54,				/* epoch */
	0, 0,						/* reason */
	0, 0,
	0, 0, 0, 1,					/* first */
	0, 0, 0, 2,					/* count */
};

static const u8 ping[] = {
	20, 0, 0, 12,
	0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,	/* token */
};

static const u8 pong[] = {
	21, 0, 0, 12,
	0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,	/* token */
};

static const u8 probe[] = {
	22, 1, 0, 17,
	0x91, 0x92, 0x93, 0x94,				/* round */
	0x81, 0x82,					/* index */
	0, 0,
	5, 4, 3, 2, 1,
};

static const u8 probe_ask[] = {
	23, 1, 0, 96,
	0x91, 0x92, 0x93, 0x94,				/* round */
	0, 0, 0xea, 0x60,				/* ms: 60000 */
	0, 0, 0, 250,					/* every */
	0x01, 0x02, 0x03, 0x04,				/* from */
	0x05, 0x06, 0x07, 0x08,				/* to */
	0, 0, 0, 0,					/* count */
	0x85, 0x86, 0x87, 0x88,				/* rate */
	0x81, 0x82,					/* index */
	0, 4,						/* kind: flow, family */
	0x1c, 0x8e,					/* port: 7310 */
	0, 0,
	10, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	/* address */
	0x05, 0x06, 0x07, 0x08,				/* from */
	0x01, 0x02, 0x03, 0x04,				/* to */
	0, 0, 0x03, 0xe8,				/* count: 1000 */
	0, 0, 0, 0,					/* rate */
	0x83, 0x84,					/* index */
	2, 6,						/* kind: burst, family */
	0x1c, 0x8f,					/* port: 7311 */
	0, 0,
	0xfd, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7,	/* address */
};

static const u8 probe_sample[] = {
	24, 0, 0, 68,
	0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8,	/* ns */
	0x91, 0x92, 0x93, 0x94,				/* round */
	0, 3,						/* status: BROADCAST */
	0, 0,
	0x81, 0x82,					/* index */
	2, 1,						/* state: DONE, receives */
	0, 0,						/* error, reject */
	0, 0,
	0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8,	/* values */
	0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8,
	0x83, 0x84,					/* index */
	3, 0,						/* state: FAILED */
	129, 7,						/* error, reject: POLICY */
	0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,				/* values */
	0, 0, 0, 0, 0, 0, 0, 2,
};

#define SAMPLE(frame)	{ #frame, frame, sizeof(frame) }

const struct sample samples[NR_SAMPLES] = {
	[SAMPLE_HELLO] = SAMPLE(hello),
	[SAMPLE_HELLO_PROBE] = SAMPLE(hello_probe),
	[SAMPLE_CHALLENGE] = SAMPLE(challenge),
	[SAMPLE_AUTH] = SAMPLE(auth),
	[SAMPLE_READY] = SAMPLE(ready),
	[SAMPLE_REJECT] = SAMPLE(reject),
	[SAMPLE_PLAN] = SAMPLE(plan),
	[SAMPLE_TREE] = SAMPLE(tree),
	[SAMPLE_MESSAGE] = SAMPLE(message),
	[SAMPLE_MESSAGE_FILE] = SAMPLE(message_file),
	[SAMPLE_DATA] = SAMPLE(data),
	[SAMPLE_LAST] = SAMPLE(last),
	[SAMPLE_OVER] = SAMPLE(over),
	[SAMPLE_OVER_ALL] = SAMPLE(over_all),
	[SAMPLE_DONE] = SAMPLE(done),
	[SAMPLE_TREE_ACK] = SAMPLE(tree_ack),
	[SAMPLE_TREE_READY] = SAMPLE(tree_ready),
	[SAMPLE_HAVE] = SAMPLE(have),
	[SAMPLE_HAVE_ALL] = SAMPLE(have_all),
	[SAMPLE_HAVE_END] = SAMPLE(have_end),
	[SAMPLE_WANT] = SAMPLE(want),
	[SAMPLE_STOP] = SAMPLE(stop),
	[SAMPLE_ACK] = SAMPLE(ack),
	[SAMPLE_REPORT] = SAMPLE(report),
	[SAMPLE_LOST] = SAMPLE(lost),
	[SAMPLE_LOST_BACK] = SAMPLE(lost_back),
	[SAMPLE_PING] = SAMPLE(ping),
	[SAMPLE_PONG] = SAMPLE(pong),
	[SAMPLE_PROBE] = SAMPLE(probe),
	[SAMPLE_PROBE_ASK] = SAMPLE(probe_ask),
	[SAMPLE_PROBE_SAMPLE] = SAMPLE(probe_sample),
};
