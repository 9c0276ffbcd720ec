// SPDX-License-Identifier: GPL-2.0
/* A lane: one TCP connection, one edge of one slot; the parent connects to the child. */
#include <linux/hbcast.h>
#include <linux/net.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "config/addr.h"
#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/conn.h"
#include "lane/handshake.h"
#include "lane/lane.h"
#include "lane/life.h"
#include "lane/pace.h"
#include "lane/tx.h"

#define HBC_LANE_HALF_OPEN	512	/* handshakes of a node at once, */
#define HBC_LANE_HALF_OPEN_FROM	128	/* and those from one address */
#define HBC_LANE_TURNS		8	/* of reading before something else has one */

struct workqueue_struct *hbc_lane_wq;
static struct workqueue_struct *hbc_lane_tx_wq;

static void hbc_lane_free(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(to_rcu_work(work), struct hbc_lane, free);
	struct hbc_net *hn = lane->hn;

	hbc_handshake_free(lane);
	hbc_rx_reset(&lane->rx);
	hbc_tx_reset(lane);
	if (lane->group)
		hbc_group_put(lane->group);
	mutex_destroy(&lane->tx_mutex);
	kfree(lane);
	hbc_node_end(hn, &hn->nr_lanes);
}

static void hbc_lane_release(struct kref *ref)
{
	struct hbc_lane *lane = container_of(ref, struct hbc_lane, ref);

	INIT_RCU_WORK(&lane->free, hbc_lane_free);
	queue_rcu_work(hbc_lane_wq, &lane->free);
}

void hbc_lane_put(struct hbc_lane *lane)
{
	kref_put(&lane->ref, hbc_lane_release);
}

bool hbc_lane_event(struct hbc_event *e, const struct hbc_lane *lane, int type)
{
	if (!hbc_event_begin(e, lane->hn, type, 0))
		return false;
	if (lane->group)
		hbc_event_u32(e, HBCAST_A_EVENT_GROUP, lane->group->id);
	if (lane->root)
		hbc_event_u32(e, HBCAST_A_EVENT_ROOT, lane->root);
	hbc_event_u32(e, HBCAST_A_EVENT_PEER, lane->peer);
	hbc_event_u32(e, HBCAST_A_EVENT_DIRECTION,
		      lane->connector ? HBCAST_DIRECTION_DOWN : HBCAST_DIRECTION_UP);
	e->err = e->err ?: nla_put_u8(e->skb, HBCAST_A_EVENT_SLOT, lane->slot);
	return true;
}

void hbc_lane_run(struct hbc_lane *lane, struct work_struct *work)
{
	spin_lock_bh(&lane->lock);
	if (READ_ONCE(lane->state) != HBCAST_LANE_STATE_CLOSED)
		queue_work(work == &lane->tx_work ? hbc_lane_tx_wq : hbc_lane_wq, work);
	spin_unlock_bh(&lane->lock);
}

void hbc_lane_wake(struct hbc_lane *lane)
{
	spin_lock_bh(&lane->lock);
	if (READ_ONCE(lane->state) != HBCAST_LANE_STATE_CLOSED &&
	    test_bit(HBC_LANE_BORN, &lane->flags))
		mod_delayed_work(hbc_lane_wq, &lane->life, 0);
	spin_unlock_bh(&lane->lock);
}

/* Whether what is to be sent goes when all that has come has been read. */
static bool hbc_lane_waits(struct hbc_lane *lane)
{
	if (!test_bit(HBC_LANE_READING, &lane->flags))
		return false;
	set_bit(HBC_LANE_DUE, &lane->flags);
	smp_mb__after_atomic(); /* pairs with hbc_lane_rx_work() */
	return test_bit(HBC_LANE_READING, &lane->flags);
}

void hbc_lane_kick(struct hbc_lane *lane)
{
	/* Else the socket's room, or READY, lets it run. */
	if (hbc_lane_is_ready(lane) && !test_bit(HBC_LANE_CONGESTED, &lane->flags) &&
	    !hbc_lane_waits(lane))
		hbc_lane_run(lane, &lane->tx_work);
}

void hbc_lane_send(struct hbc_lane *lane)
{
	if (test_bit(HBC_LANE_CONGESTED, &lane->flags))
		return;
	if (mutex_trylock(&lane->tx_mutex))
		hbc_tx_run(lane);
	else
		hbc_lane_kick(lane);
}

void hbc_lane_fail(struct hbc_lane *lane, int error)
{
	cmpxchg(&lane->error, 0, error);
	hbc_lane_wake(lane);
}

void hbc_lane_close(struct hbc_lane *lane, bool drain)
{
	if (drain)
		WRITE_ONCE(lane->begun, jiffies);
	set_bit(drain ? HBC_LANE_DRAINING : HBC_LANE_CLOSING, &lane->flags);
	hbc_lane_wake(lane);
	if (drain)
		hbc_lane_kick(lane);
}

static void hbc_lane_half_del(struct hbc_lane *lane)
{
	lockdep_assert_held(&lane->hn->lanes_lock);
	if (list_empty(&lane->half_link))
		return;
	list_del_init(&lane->half_link);
	WRITE_ONCE(lane->hn->nr_half_open, lane->hn->nr_half_open - 1);
}

void hbc_lane_proved(struct hbc_lane *lane)
{
	spin_lock(&lane->hn->lanes_lock);
	hbc_lane_half_del(lane);
	spin_unlock(&lane->hn->lanes_lock);
}

void hbc_lane_unlist(struct hbc_lane *lane)
{
	spin_lock(&lane->hn->lanes_lock);
	list_del_init(&lane->link);
	hbc_lane_half_del(lane);
	spin_unlock(&lane->hn->lanes_lock);
}

/* Of what others send, and ask for; returns what it was before. */
static struct mem_cgroup *hbc_lane_charge(const struct hbc_lane *lane)
{
	return set_active_memcg(lane->group ? lane->group->memcg : NULL);
}

static void hbc_lane_tx_work(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(work, struct hbc_lane, tx_work);
	struct mem_cgroup *memcg = hbc_lane_charge(lane);

	mutex_lock(&lane->tx_mutex);
	hbc_tx_run(lane);
	set_active_memcg(memcg);
}

/* What came together goes on together: control frames and data, but not more than a burst. */
static void hbc_lane_rx_work(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(work, struct hbc_lane, rx_work);
	unsigned int turns = HBC_LANE_TURNS;
	struct mem_cgroup *memcg;
	u32 bytes = 0;
	int err;

	if (!lane->sock || READ_ONCE(lane->error))
		return;
	memcg = hbc_lane_charge(lane);
	/* What goes down waits for nothing that comes up. */
	if (!lane->connector)
		set_bit(HBC_LANE_READING, &lane->flags);
	do
		err = hbc_rx_turn(lane, &bytes);
	while (err > 0 && bytes < HBC_BURST_BYTES && --turns);
	if (lane->owner)
		hbc_owner_read(lane);
	clear_bit(HBC_LANE_READING, &lane->flags);
	smp_mb__after_atomic(); /* pairs with hbc_lane_waits() */
	if (test_and_clear_bit(HBC_LANE_DUE, &lane->flags))
		hbc_lane_send(lane);
	if (err > 0)
		hbc_lane_run(lane, &lane->rx_work);
	else if (err < 0)
		hbc_lane_fail(lane, -err);
	set_active_memcg(memcg);
}

/* Birth. */

static struct hbc_lane *hbc_lane_new(struct hbc_net *hn, bool connector)
{
	struct hbc_lane *lane = kzalloc(sizeof(*lane), GFP_KERNEL);

	if (!lane)
		return NULL;
	kref_init(&lane->ref);
	lane->hn = hn;
	lane->connector = connector;
	lane->since = jiffies;
	lane->begun = jiffies;
	lane->last_rx = jiffies;
	lane->last_tx = jiffies;
	INIT_LIST_HEAD(&lane->link);
	INIT_LIST_HEAD(&lane->half_link);
	spin_lock_init(&lane->lock);
	hbc_gain_init(&lane->pace.own, HBC_GAIN_NONE);
	mutex_init(&lane->tx_mutex);
	INIT_DELAYED_WORK(&lane->life, hbc_life_work);
	INIT_WORK(&lane->rx_work, hbc_lane_rx_work);
	INIT_WORK(&lane->tx_work, hbc_lane_tx_work);
	hbc_rx_init(&lane->rx);
	atomic_inc(&hn->nr_lanes);
	return lane;
}

struct hbc_lane *hbc_lane_connect(struct hbc_group *group)
{
	struct hbc_lane *lane = hbc_lane_new(group->hn, true);

	if (!lane)
		return NULL;
	kref_get(&group->ref);
	lane->group = group;
	return lane;
}

void hbc_lane_begin(struct hbc_lane *lane)
{
	struct hbc_net *hn = lane->hn;

	kref_get(&lane->ref);
	spin_lock(&hn->lanes_lock);
	lane->id = ++hn->lane_ids;
	list_add_tail(&lane->link, &hn->lanes);
	spin_unlock(&hn->lanes_lock);
	set_bit(HBC_LANE_BORN, &lane->flags);
	hbc_lane_wake(lane);
}

/*
 * Room for one more handshake, at the cost of the oldest from the same address if that has
 * too many, else of the oldest of all.
 */
static void hbc_lane_evict(struct hbc_net *hn, const struct hbc_lane *lane)
{
	struct hbc_lane *other, *oldest = NULL;
	unsigned int same = 0;

	lockdep_assert_held(&hn->lanes_lock);
	list_for_each_entry(other, &hn->half_open, half_link)
		if (hbc_addr_same_host(&other->addr, &lane->addr)) {
			oldest = oldest ?: other;
			same++;
		}
	if (same < HBC_LANE_HALF_OPEN_FROM)
		oldest = hn->nr_half_open < HBC_LANE_HALF_OPEN ? NULL :
			 list_first_entry(&hn->half_open, struct hbc_lane, half_link);
	if (!oldest)
		return;
	hbc_lane_half_del(oldest);
	hbc_lane_fail(oldest, EBUSY);
}

void hbc_lane_accept(struct hbc_net *hn, struct socket *sock)
{
	struct hbc_lane *lane = hbc_lane_new(hn, false);

	if (!lane) {
		hbc_conn_drop(sock);
		return;
	}
	lane->state = HBCAST_LANE_STATE_HANDSHAKE;
	kernel_getpeername(sock, (struct sockaddr *)&lane->addr);
	spin_lock(&hn->lanes_lock);
	hbc_lane_evict(hn, lane);
	list_add_tail(&lane->half_link, &hn->half_open);
	WRITE_ONCE(hn->nr_half_open, hn->nr_half_open + 1);
	lane->id = ++hn->lane_ids;
	list_add_tail(&lane->link, &hn->lanes);
	spin_unlock(&hn->lanes_lock);
	/* The life work does not run yet: nothing ends the lane meanwhile. */
	hbc_conn_adopt(lane, sock);
	hbc_lane_run(lane, &lane->rx_work);
	set_bit(HBC_LANE_BORN, &lane->flags);
	hbc_lane_wake(lane);
}

/* Lanes of the group end, or connect anew: with another key all, else those of no members. */
void hbc_lane_changed(struct hbc_group *group, bool key)
{
	struct hbc_net *hn = group->hn;
	struct hbc_lane *lane;

	spin_lock(&hn->lanes_lock);
	list_for_each_entry(lane, &hn->lanes, link)
		if (lane->group == group && (key || !hbc_group_is_member(group, lane->peer)))
			hbc_lane_fail(lane, EKEYREJECTED);
	spin_unlock(&hn->lanes_lock);
}

void hbc_lane_clear(struct hbc_net *hn)
{
	struct hbc_lane *lane;

	spin_lock(&hn->lanes_lock);
	list_for_each_entry(lane, &hn->lanes, link)
		hbc_lane_close(lane, false);
	spin_unlock(&hn->lanes_lock);
}

int hbc_lane_init(void)
{
	hbc_lane_tx_wq = alloc_workqueue("hbcast_tx", WQ_MEM_RECLAIM | WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!hbc_lane_tx_wq)
		return -ENOMEM;
	hbc_lane_wq = alloc_workqueue("hbcast", WQ_MEM_RECLAIM, 0);
	if (hbc_lane_wq)
		return 0;
	destroy_workqueue(hbc_lane_tx_wq);
	return -ENOMEM;
}

void hbc_lane_exit(void)
{
	destroy_workqueue(hbc_lane_wq);
	destroy_workqueue(hbc_lane_tx_wq);
}
