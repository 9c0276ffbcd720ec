// SPDX-License-Identifier: GPL-2.0
/* What goes up the tree of slot 0: outcomes of messages, and how far short ones are. */
#include <linux/hbcast.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "config/group.h"
#include "lane/lane.h"
#include "session/child.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/progress.h"
#include "session/receiver.h"
#include "session/report.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/file.h"

#define HBC_REPORT_MS	10	/* for others to gather */
#define HBC_REPORT_OUTCOMES \
	((HBC_CONTROL_MAX - sizeof(struct hbc_wire_report)) / sizeof(struct hbc_wire_outcome))

void hbc_report_due(struct hbc_session *s)
{
	if (s->origin)
		return;
	kref_get(&s->ref);
	if (!queue_delayed_work(hbc_slow_wq, &s->report, msecs_to_jiffies(HBC_REPORT_MS)))
		hbc_session_put(s);
}

/* All outcomes are to be told. session->lock held. */
static void hbc_report_retell(struct hbc_message *m)
{
	unsigned int i;

	lockdep_assert_held(&m->s->lock);
	m->retell = false;
	for (i = 0; i < m->outcomes.nr; i++)
		if (hbc_outcomes_add(&m->fresh, &m->outcomes.of[i], NULL) < 0)
			m->retell = true;
}

void hbc_report_own(struct hbc_message *m)
{
	struct hbc_outcome own = { .count = 1, .reason = m->reason };

	lockdep_assert_held(&m->s->lock);
	if (m->reported && !hbc_outcomes_find(&m->outcomes, 0) &&
	    hbc_outcomes_add(&m->outcomes, &own, &m->fresh) < 0)
		m->retell = true;
	else if (m->retell)
		hbc_report_retell(m);
}

void hbc_report_work(struct work_struct *work)
{
	struct hbc_session *s = container_of(to_delayed_work(work), struct hbc_session, report);
	struct hbc_message *m;

	spin_lock_bh(&s->lock);
	s->reporting = true;
	list_for_each_entry(m, &s->messages, link)
		hbc_report_own(m);
	if (s->parent[HBC_SLOT_ALL])
		hbc_lane_kick(s->parent[HBC_SLOT_ALL]->lane);
	spin_unlock_bh(&s->lock);
	hbc_session_put(s);
}

unsigned int hbc_report_frame(struct hbc_session *s, u64 known, struct hbc_wire_report *w)
{
	struct hbc_message *m;
	unsigned int n = 0, i;
	bool later = false;

	lockdep_assert_held(&s->lock);
	if (!s->reporting || !s->tree[HBC_SLOT_ALL])
		return 0;
	list_for_each_entry(m, &s->messages, link) {
		if (hbc_message_number(m) > known) {
			later = true;
			break;
		}
		if (n + m->fresh.nr > HBC_REPORT_OUTCOMES && n)
			break;
		for (i = 0; i < m->fresh.nr && n < HBC_REPORT_OUTCOMES; i++, n++)
			w->outcome[n] = (struct hbc_wire_outcome) {
				.message = cpu_to_be64(hbc_message_number(m)),
				.first = cpu_to_be32(m->fresh.of[i].first),
				.count = cpu_to_be32(m->fresh.of[i].count),
				.reason = m->fresh.of[i].reason,
			};
		if (i < m->fresh.nr) {
			/* The rest goes with the next frame. */
			memmove(m->fresh.of, m->fresh.of + i,
				(m->fresh.nr - i) * sizeof(m->fresh.of[0]));
			m->fresh.nr -= i;
			break;
		}
		hbc_outcomes_clear(&m->fresh);
	}
	if (!n) {
		s->reporting = later;
		return 0;
	}
	w->epoch = cpu_to_be32(s->tree[HBC_SLOT_ALL]->epoch);
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_REPORT, 0,
				sizeof(*w) + n * sizeof(w->outcome[0]));
}

bool hbc_report_is_told(const struct hbc_message *m)
{
	const struct hbc_tree *tree = m->s->tree[HBC_SLOT_ALL];
	u32 p;

	lockdep_assert_held(&m->s->lock);
	for (p = 0; tree && m->outcomes.nodes < tree->nr && p < tree->nr; p++)
		if (!test_bit(p, m->s->lost.now) && !hbc_outcomes_find(&m->outcomes, p))
			return false;
	return tree && !m->fresh.nr;
}

/* Nodes of a child's subtree have an outcome. plan_lock held. Return: 0 or -errno. */
static int hbc_report_outcome(struct hbc_child *child, const struct hbc_wire_outcome *w)
{
	struct hbc_outcome add = { be32_to_cpu(w->first), be32_to_cpu(w->count), w->reason };
	const struct hbc_edge *edge = hbc_child_edge(child);
	struct hbc_session *s = child->s;
	struct hbc_message *m;
	int n = 0;

	lockdep_assert_held(&s->plan_lock);
	m = add.first < edge->size ? hbc_message_lookup(s, be64_to_cpu(w->message)) : NULL;
	if (!m) {
		/* It is over, or those below the child are this node's own by now. */
		hbc_group_drop(s->group, HBCAST_A_DROPS_STALE);
		return 0;
	}
	add.count = min(add.count, edge->size - add.first);
	add.first += edge->first;
	if (s->origin) {
		hbc_root_report(m, child->tree, &add);
	} else {
		spin_lock_bh(&s->lock);
		n = hbc_outcomes_add(&m->outcomes, &add, &m->fresh);
		m->retell |= n < 0;
		spin_unlock_bh(&s->lock);
	}
	if (n > 0)
		hbc_report_due(s);
	hbc_message_put(m);
	return min(n, 0);
}

int hbc_report_come(struct hbc_child *child, const struct hbc_wire_report *w, unsigned int n)
{
	struct hbc_session *s = child->s;
	unsigned int i;
	int err = 0;

	mutex_lock(&s->plan_lock);
	/* Of another tree it is told again. */
	if (list_empty(&child->link) || be32_to_cpu(w->epoch) != child->tree->epoch)
		hbc_group_drop(s->group, HBCAST_A_DROPS_STALE);
	else
		for (i = 0; i < n && !err; i++)
			err = hbc_report_outcome(child, &w->outcome[i]);
	mutex_unlock(&s->plan_lock);
	return err;
}

void hbc_report_renumber(struct hbc_session *s, bool same)
{
	struct hbc_message *m;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(m, &s->messages, link) {
		if (!same)
			hbc_outcomes_clear(&m->outcomes);
		hbc_outcomes_clear(&m->fresh);
		m->retell = true;
		hbc_report_own(m);
	}
	hbc_progress_again(s);
}

/* Short messages. */

/*
 * The first that is not all on the sockets here, and bytes of it. What became of a message is told
 * before more than a socket has place for: see hbc_root_released(). session->lock held.
 */
static void hbc_report_here(struct hbc_session *s, u64 *message, u64 *bytes)
{
	struct hbc_message *m;
	u64 most = U64_MAX;

	lockdep_assert_held(&s->lock);
	*message = s->last + 1;
	*bytes = 0;
	list_for_each_entry(m, &s->messages, link) {
		if (m->fresh.nr || m->retell)
			most = min(most, hbc_message_number(m) + HBC_RECEIVER_MESSAGES);
		if (!hbc_message_is_file(m) && m->queued < m->receivers) {
			*message = hbc_message_number(m);
			*bytes = hbc_receivers_queued(m);
			break;
		}
	}
	if (*message <= most)
		return;
	*message = most;
	*bytes = 0;
	s->reporting = true;
	hbc_report_due(s);
}

void hbc_report_least(struct hbc_session *s, u64 *message, u64 *bytes)
{
	const struct hbc_child *child;

	lockdep_assert_held(&s->lock);
	hbc_report_here(s, message, bytes);
	list_for_each_entry(child, &s->children, link) {
		if (child->slot != HBC_SLOT_ALL || child->dead || child->ack > *message ||
		    (child->ack == *message && child->ack_bytes >= *bytes))
			continue;
		*message = child->ack;
		*bytes = child->ack_bytes;
	}
}

void hbc_report_ack(struct hbc_session *s)
{
	if (s->origin) {
		hbc_root_acked(s);
		return;
	}
	spin_lock_bh(&s->lock);
	if (s->parent[HBC_SLOT_ALL])
		hbc_lane_kick(s->parent[HBC_SLOT_ALL]->lane);
	spin_unlock_bh(&s->lock);
}
