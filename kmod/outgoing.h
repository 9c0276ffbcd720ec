/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An outgoing message: its bursts on their way to the lanes, and what became
 * of it at each member.
 *
 * It is accepted with a source, planned when its first burst is cut (its members
 * stay the same from then on, its trees until there is a newer plan for them), sent
 * when the last burst is on the lanes, and complete when every member's part is final
 * too.
 */
#ifndef _HBC_OUTGOING_H
#define _HBC_OUTGOING_H

#include <linux/hbcast.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

#include "cut.h"
#include "spans.h"

struct file;
struct hbc_ack;
struct hbc_burst;
struct hbc_roster;
struct hbc_source;
struct hbc_tally;
struct hbc_tree;
struct iov_iter;

/**
 * struct hbc_outgoing_entry - a burst that waits for the lanes, or is kept
 * @link: message->bursts, then message->kept; origin->lock
 * @burst: a reference
 * @offset: of its payload in the message
 * @bytes: of payload
 * @epoch: it was cut for
 * @used: slots that it has been sent through
 */
struct hbc_outgoing_entry {
	struct list_head link;
	struct hbc_burst *burst;
	u64 offset;
	u32 bytes;
	u32 epoch;
	u64 used;
};

/**
 * struct hbc_outgoing - one message at its root
 * @ref: references: the source's lists, and whoever works on it
 * @id_link: origin->ids while not complete; origin->lock, as all that follows
 *	unless told otherwise
 * @source_link: source->messages, then source->done
 * @queue_link: source->queue until sent
 * @finished_link: on its way to hbc_outgoing_finish()
 * @source: a reference; set at birth
 * @roster: the trees that it takes, a reference; set when planned, dropped after the
 *	end; changed with origin->pump held, too
 * @members: the roster at the time when it was planned; a reference as long as @roster
 * @member: what became of it, in the order of @members; NULL until planned
 * @nr: entries of @member
 * @cut: what its fragments have in common; whoever cuts, but for the epoch, which
 *	changes with @roster
 * @offset: bytes that have been cut; written by whoever cuts
 * @sent_bytes: bytes that have left for the lanes
 * @accepted: when, in ns of the monotonic clock
 * @bursts: struct hbc_outgoing_entry
 * @kept: those that have left, until all have them; not of a file
 * @due_link: origin->due while the members are to be told how much has left
 * @next_end: jiffies when they are told at the latest
 * @patience: ms between two times
 * @answers: children of the root's who were told and are still to answer, at most
 * @told_at: when they were told first since the last answer, in jiffies
 * @told: bytes of which they have been told
 * @round: times that they have been told
 * @tally: what the children have; NULL before that, and of a file
 * @missing: numbers of bursts that some member lacks
 * @budget: bursts that are sent again before the members are told once more
 * @again: the next of them, while @again_link is on origin->again
 * @again_link: see there
 * @pending: members whose part is not final
 * @delivered: members that have it
 * @failed: members that will not
 * @used: of a file that goes in stages: for each burst the slots that it has been sent
 *	through; else NULL
 * @stage: at hand; 0 while the file is spread
 * @next: burst at which the stage goes on
 * @known: how many had failed when it was last asked who waits for the stage
 * @file: to read from, a reference; NULL for a message in memory, and after
 *	the end
 * @pos: where in @file it starts
 * @abort: enum hbcast_reason why it is to be aborted; 0
 * @whole: all of it has been cut
 * @begun: a burst has left
 * @leaving: the last burst has been taken for the lanes
 * @sent: and is on them
 * @complete: sent, and no member is pending; or forgotten
 * @cut_short: the members are to be told that no more of it comes
 */
struct hbc_outgoing {
	struct kref ref;
	struct hlist_node id_link;
	struct list_head source_link;
	struct list_head queue_link;
	struct list_head finished_link;
	struct hbc_source *source;
	struct hbc_roster *roster;
	struct hbc_roster *members;
	struct hbcast_member *member;
	u32 nr;
	struct hbc_cut cut;
	u64 offset;
	u64 sent_bytes;
	u64 accepted;
	struct list_head bursts;
	struct list_head kept;
	struct list_head due_link;
	unsigned long next_end;
	unsigned int patience;
	unsigned int answers;
	unsigned long told_at;
	u64 told;
	u32 round;
	struct hbc_tally *tally;
	struct hbc_spans missing;
	unsigned int budget;
	struct hbc_outgoing_entry *again;
	struct list_head again_link;
	u32 pending;
	u32 delivered;
	u32 failed;
	u64 *used;
	unsigned int stage;
	u64 next;
	u32 known;
	struct file *file;
	loff_t pos;
	u8 abort;
	bool whole;
	bool begun;
	bool leaving;
	bool sent;
	bool complete;
	bool cut_short;
};

/*
 * A message that nobody knows yet; takes over the reference on @file, if there
 * is one, when it succeeds. Context: process. NULL without memory.
 */
struct hbc_outgoing *hbc_outgoing_new(struct hbc_source *source, u64 total, struct file *file,
				      loff_t pos);
void hbc_outgoing_get(struct hbc_outgoing *m);
/* Context: process, no spinlocks. */
void hbc_outgoing_put(struct hbc_outgoing *m);

/*
 * Choose the newest trees, and so the members; of a message that is accepted, those for
 * good. Context: process, the only one who cuts @m. Return: 0; -ENETUNREACH without a plan;
 * -ENODEV when the schedule has ended; -ENOMEM.
 */
int hbc_outgoing_prepare(struct hbc_outgoing *m);
int hbc_outgoing_plan(struct hbc_outgoing *m);
/*
 * Give it an id and put it on the source's queue; what is prepared is planned.
 * Context, return: as above.
 */
int hbc_outgoing_accept(struct hbc_outgoing *m);

/*
 * Cut the burst at @offset, the next one or of a stage one that has been cut before, of
 * a message that is accepted and planned, and queue it, unless the message is being
 * aborted. It comes from the sender's memory, or from @file. Context: process, the only
 * one who cuts @m. Return: 0; what hbc_cut() says.
 */
int hbc_outgoing_cut(struct hbc_outgoing *m, u64 offset, struct iov_iter *from, struct file *file);

/*
 * Give it up with @reason unless all of it has left; nobody cuts it any more.
 * With @forget it is as if it had never been, if nothing has left. Context:
 * process, no spinlocks.
 */
void hbc_outgoing_abort(struct hbc_outgoing *m, u8 reason, bool forget);

/*
 * An entry for a burst of @m that was cut by @c at @offset, whose reference it takes over;
 * the source is charged. Context: process. ERR_PTR: -ENOMEM.
 */
struct hbc_outgoing_entry *hbc_outgoing_entry(struct hbc_outgoing *m, struct hbc_burst *b,
					      const struct hbc_cut *c, u64 offset);
void hbc_outgoing_entry_free(struct hbc_outgoing_entry *e);
/* What it is made of is gone: whoever lacks some of it will not get it. Context: process. */
void hbc_outgoing_give_up(struct hbc_outgoing *m, u8 reason);

/*
 * Below: for origin.c and repair.c, origin->lock held. What is complete moves to @finished.
 */

/* A report. Return: whether the rest is of no use to anybody. */
bool hbc_outgoing_ack(struct hbc_outgoing *m, const struct hbc_ack *ack,
		      struct list_head *finished);
/* The member's part is over, if it is not final. Return: as above. */
bool hbc_outgoing_fail(struct hbc_outgoing *m, u32 node, u8 reason, struct list_head *finished);
/* The same for all; none of it will be sent any more. @bursts get what was queued. */
void hbc_outgoing_end(struct hbc_outgoing *m, u8 reason, struct list_head *bursts,
		      struct list_head *finished);
/* What lies before is not kept for those who lack it. */
u64 hbc_outgoing_from(const struct hbc_outgoing *m);
/* Index of @node in @m->member if its part is not final; else -1. */
int hbc_outgoing_pending(const struct hbc_outgoing *m, u32 node);
/* Whom it follows to its port, as a fragment tells it. */
u32 hbc_outgoing_after(const struct hbc_outgoing *m);
/* It is on the lanes, or aborted there. */
void hbc_outgoing_sent(struct hbc_outgoing *m, struct list_head *finished);
/* Memory that it takes beside its bursts. */
size_t hbc_outgoing_size(const struct hbc_outgoing *m);
void hbc_outgoing_describe(const struct hbc_outgoing *m, struct hbcast_completion *c);

/* Below: process context, no spinlocks. */

/* Tell the nodes below in its tree that no more of it comes. */
void hbc_outgoing_tell_abort(const struct hbc_outgoing *m, struct hbc_tree *tree, u8 reason);
/* Tell and settle what is complete; drops its references. hn->lock may be held. */
void hbc_outgoing_finish(struct list_head *finished);
/* Drop bursts that were taken off a message. */
void hbc_outgoing_purge(struct list_head *bursts);

#endif /* _HBC_OUTGOING_H */
