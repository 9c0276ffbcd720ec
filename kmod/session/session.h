/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: one root's broadcast in one group as this node knows it.
 *
 * Trees come over lanes from parents, lanes lead to children; messages have stores, and the
 * lanes to children are cursors over them.
 */
#ifndef _HBC_SESSION_H
#define _HBC_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "lane/pace.h"
#include "session/lost.h"
#include "session/progress.h"
#include "wire/wire.h"

struct hbc_group;
struct hbc_message;
struct hbc_net;
struct hbc_origin;
struct hbc_outcome;
struct hbc_parent;
struct hbc_tree;

#define HBC_SESSIONS_MAX	1024	/* roots per group */
#define HBC_MESSAGES_MAX	4096	/* messages of a session that are not over */
#define HBC_PARENTS_MAX		256	/* lanes from parents of one root */
#define HBC_MAPS_MAX		67108864	/* bytes that all pieces of a session take */

/**
 * struct hbc_session - one root's broadcast in one group as this node knows it
 * @ref: references
 * @rcu: the end
 * @link: group->sessions; hn->lock
 * @hn: the node
 * @group: a reference
 * @root: the root's node id; this node's own if it is the root
 * @incarnation: of the root
 * @origin: at the root what only the root has, kmalloc()ed, else NULL; set once
 * @plan_lock: changes of @tree, @parent and @children; serializes reports
 * @lock: @tree, @parent, @parents, @children, and all that follows
 * @tree: by slot, a reference each, or NULL
 * @parent: by slot, the lane that the tree came over last, or NULL
 * @parents: struct hbc_parent, of lanes that are READY
 * @nr_parents: their number
 * @children: struct hbc_child, of edges of @tree
 * @messages: struct hbc_message that are not over, in order of their numbers
 * @index: those by the low half of their numbers; files are marked by progress.c
 * @nr_messages: their number
 * @last: number of the last message that was told, or accepted by the root
 * @keep: short messages before it need not be kept
 * @kept: bytes of short messages that are
 * @spooled: charge of pieces that lie in memory alone, as far as it is counted
 * @spooled_files: of that, of files
 * @starved: number of the message for which there was no memory; no lock
 * @endgames: messages that have one
 * @unkept: messages that this node could not keep: meanwhile it has no children
 * @maps: bytes that messages' pieces take, whether they have come or not
 * @done: counts what DONE tells, and @keep
 * @reporting: fresh outcomes are to be told to the parent now
 * @progress: of files, to be told to the parent
 * @lost: nodes below that are not reached
 * @gain: of lanes of several trees; its own lock
 * @alone: jiffies since when there is no parent in slot 0
 * @complete: jiffies when there was one in each other slot of this node
 * @asked: likewise, or later, when what they lack has been asked for
 * @ended: enum hbcast_reason with which the session ended here, or 0; hn->lock, too
 * @over: tag of OVER for those below: HBC_OVER_*
 * @work: after the file's work has told of something, or nodes are lost
 * @report: tells reports that have gathered
 * @watch: looks after lanes, readers and files now and then
 */
struct hbc_session {
	struct kref ref;
	struct rcu_head rcu;
	struct list_head link;
	struct hbc_net *hn;
	struct hbc_group *group;
	u32 root;
	u64 incarnation;
	struct hbc_origin *origin;
	struct mutex plan_lock; /* trees and reports */
	spinlock_t lock; /* the rest */
	struct hbc_tree *tree[HBC_MAX_SLOTS];
	struct hbc_parent *parent[HBC_MAX_SLOTS];
	struct list_head parents;
	unsigned int nr_parents;
	struct list_head children;
	struct list_head messages;
	struct xarray index;
	unsigned int nr_messages;
	u64 last;
	u64 keep;
	u64 kept;
	u64 spooled;
	u64 spooled_files;
	u64 starved;
	unsigned int endgames;
	unsigned int unkept;
	u64 maps;
	unsigned int done;
	bool reporting;
	struct hbc_progress progress;
	struct hbc_lost lost;
	struct hbc_gain gain;
	unsigned long alone;
	unsigned long complete;
	unsigned long asked;
	u8 ended;
	u8 over;
	struct work_struct work;
	struct delayed_work report;
	struct delayed_work watch;
};

/* What the root of a session does with it; root/ has these. */

/* Outcomes of nodes of @tree, of slot 0. plan_lock held. */
void hbc_root_report(struct hbc_message *m, const struct hbc_tree *tree,
		     const struct hbc_outcome *outcome);
/* Members have taken more short messages. Context: process, no spinlocks. */
void hbc_root_acked(struct hbc_session *s);
/* All have the short message. Context: process, no spinlocks. */
void hbc_root_released(struct hbc_message *m);
/*
 * Nodes have become lost, or are back: see hbc_lost_runs(). Messages for which all others are done
 * are over. Context: process, no spinlocks.
 */
void hbc_root_lost(struct hbc_session *s);
/* Some nodes are not connected. session->lock held. */
void hbc_root_unready(struct hbc_session *s);
/* All below may have their trees by now. plan_lock held. */
void hbc_root_ready(struct hbc_session *s);
/* A node did not take its part. Context: process. */
void hbc_root_refused(struct hbc_session *s, u32 epoch, u32 node, u16 reason);
/* The message's file is of no use. Context: process, no spinlocks. */
void hbc_root_failed(struct hbc_message *m, u8 reason);
/* The message is freed. Context: process. */
void hbc_root_forget(struct hbc_message *m);
/* The session ends with a reason; hn->lock held. */
void hbc_root_end(struct hbc_session *s, u8 reason);

/* Context: any. */
void hbc_session_put(struct hbc_session *s);

/* That of @root, the newest if @incarnation is 0, without a reference, or NULL. hn->lock held. */
struct hbc_session *hbc_session_find(struct hbc_group *group, u32 root, u64 incarnation);

/**
 * hbc_session_new() - one that the group has not
 * @group: of the session
 * @root: of the session
 * @incarnation: of the root
 *
 * hn->lock held. Return: on the group's list, which holds a reference, or ERR_PTR: -ESHUTDOWN
 * where the group or node goes, -ENOSPC, -ENOMEM.
 */
struct hbc_session *hbc_session_new(struct hbc_group *group, u32 root, u64 incarnation);

/* Ends lanes, messages and the root with @reason (enum hbcast_reason). hn->lock held. */
void hbc_session_end(struct hbc_session *s, u8 reason);

/*
 * Whether it has too many pieces in memory: sessions of the group have all that they may, and this
 * one its share. session->lock held.
 */
bool hbc_session_full(const struct hbc_session *s);

/* Whether a broadcast goes on here or below; at the root, anywhere. Context: any. */
bool hbc_session_busy(struct hbc_session *s);
/* Lanes to children may have something to send. Context: any. */
void hbc_session_kick(struct hbc_session *s);
/* The same, when all that came with it has been read. Context: receive work of a parent's lane. */
void hbc_session_due(struct hbc_session *s);

/* A session's @work runs, unless the last reference has gone. Context: any, under RCU without. */
void hbc_session_queue(struct hbc_session *s);

#endif /* _HBC_SESSION_H */
