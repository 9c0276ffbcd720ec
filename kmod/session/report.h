/* SPDX-License-Identifier: GPL-2.0 */
/* What goes up the tree of slot 0: what became of messages below, and how far short ones are. */
#ifndef _HBC_REPORT_H
#define _HBC_REPORT_H

#include <linux/types.h>

#include "wire/wire.h"

struct hbc_child;
struct hbc_message;
struct hbc_session;
struct work_struct;

/* There are fresh outcomes: the parent is told when some have gathered. Context: any. */
void hbc_report_due(struct hbc_session *s);
/* This node's own outcome, once it is known, is one of @m->outcomes. session->lock held. */
void hbc_report_own(struct hbc_message *m);
/* The work of session->report. */
void hbc_report_work(struct work_struct *work);

/* REPORT of what is fresh. Return: its length, 0 if nothing is. session->lock held. */
unsigned int hbc_report_frame(struct hbc_session *s, u64 known, struct hbc_wire_report *w);
/* REPORT has come: 0 or why the lane must end. Context: receive work. */
int hbc_report_come(struct hbc_child *child, const struct hbc_wire_report *w, unsigned int n);
/*
 * Whether this node, and all below that are not lost, have an outcome that the parent was told.
 * session->lock held.
 */
bool hbc_report_is_told(const struct hbc_message *m);
/*
 * A tree of slot 0 has come: its parent is told all outcomes anew. Those of nodes below are not
 * known by its numbers, unless it is the @same one by another lane: they do not tell them anew
 * then. session->lock held.
 */
void hbc_report_renumber(struct hbc_session *s, bool same);

/* This node, or one below, has more of short messages where it belongs. Context: process. */
void hbc_report_ack(struct hbc_session *s);
/* As far as this node and all below are. session->lock held. */
void hbc_report_least(struct hbc_session *s, u64 *message, u64 *bytes);

#endif /* _HBC_REPORT_H */
