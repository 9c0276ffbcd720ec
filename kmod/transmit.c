// SPDX-License-Identifier: GPL-2.0
/* Transmitting: a lane's queue, and from there to its socket. */
#include <linux/net.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "ask.h"
#include "burst.h"
#include "compat/send.h"
#include "gauge.h"
#include "group.h"
#include "lane.h"
#include "pace.h"
#include "schedule.h"
#include "store.h"
#include "trace.h"
#include "transmit.h"

#define HBC_TRANSMIT_BURSTS	16	/* sent before somebody else has a turn */

/* TCP takes the spinlock of a socket that receives as SINGLE_DEPTH_NESTING. */
#define HBC_TRANSMIT_NESTED	(SINGLE_DEPTH_NESTING + 1)

/* @store and @place: of a message that goes on as a whole, else NULL */
struct hbc_lane_entry {
	struct list_head link;
	struct hbc_burst *burst;
	struct hbc_store *store;
	u32 place;
};

static unsigned int hbc_transmit_bound(const struct hbc_lane *lane)
{
	return READ_ONCE(lane->sched->group->config.queue);
}

bool hbc_transmit_room(const struct hbc_lane *lane)
{
	return READ_ONCE(lane->queued) < hbc_transmit_bound(lane);
}

bool hbc_transmit_bears(const struct hbc_lane *lane)
{
	/* One turn of reading may have gone beyond the bound. */
	return READ_ONCE(lane->queued) < 2 * hbc_transmit_bound(lane) +
					 HBC_INFLOWS * HBC_BURST_BYTES;
}

bool hbc_transmit_idle(const struct hbc_lane *lane)
{
	return list_empty_careful(&lane->queue) && !READ_ONCE(lane->nr_acks);
}

static struct hbc_lane_entry *hbc_lane_entry_new(struct hbc_burst *b)
{
	struct hbc_lane_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL | __GFP_NOWARN);

	if (!entry)
		return NULL;
	hbc_burst_get(b);
	entry->burst = b;
	return entry;
}

static void hbc_lane_entry_free(struct hbc_lane_entry *entry)
{
	if (entry->burst)
		hbc_burst_put(entry->burst);
	kfree(entry);
}

void hbc_transmit_store(struct hbc_lane *lane, struct hbc_burst *b, struct hbc_store *store,
			u32 place)
{
	struct hbc_lane_entry *entry;

	/* Nobody counts the queue of a lane that ends. */
	if (test_bit(HBC_LANE_CLOSING, &lane->flags))
		return;
	spin_lock_bh(&lane->queue_lock);
	entry = list_first_entry_or_null(&lane->spare, struct hbc_lane_entry, link);
	if (entry) {
		list_del(&entry->link);
		hbc_burst_get(b);
		entry->burst = b;
	} else {
		spin_unlock_bh(&lane->queue_lock);
		entry = hbc_lane_entry_new(b);
		if (!entry) {
			set_bit(HBC_LANE_TORN, &lane->flags);
			hbc_lane_fail(lane, ENOMEM);
			return;
		}
		spin_lock_bh(&lane->queue_lock);
	}
	entry->store = store;
	entry->place = place;
	if (store)
		hbc_store_add(store, place);
	list_add_tail(&entry->link, &lane->queue);
	WRITE_ONCE(lane->queued, lane->queued + b->truesize);
	spin_unlock_bh(&lane->queue_lock);
}

void hbc_transmit_burst(struct hbc_lane *lane, struct hbc_burst *b)
{
	hbc_transmit_store(lane, b, NULL, 0);
}

/*
 * To the last one's page, if there is room: while many small frames wait, a page for
 * each would fill the queue. The first one may be on its way; nothing is put before it
 * then (hbc_transmit_front()).
 */
static bool hbc_transmit_join(struct hbc_lane *lane, const void *frame, unsigned int len)
{
	const struct hbc_lane_entry *last;
	bool joined = false;

	spin_lock_bh(&lane->queue_lock);
	if (!list_empty(&lane->queue) && !list_is_singular(&lane->queue)) {
		last = list_last_entry(&lane->queue, const struct hbc_lane_entry, link);
		joined = hbc_burst_add_frame(last->burst, frame, len);
	}
	spin_unlock_bh(&lane->queue_lock);
	return joined;
}

static void hbc_transmit_append(struct hbc_lane *lane, const void *frame, unsigned int len)
{
	struct hbc_burst *b;

	if (hbc_transmit_join(lane, frame, len))
		return;
	b = hbc_burst_frame(frame, len, GFP_KERNEL);
	if (!b) {
		hbc_lane_fail(lane, ENOMEM);
		return;
	}
	hbc_transmit_burst(lane, b);
	hbc_burst_put(b);
}

/* Those of one epoch, as a frame; returns its length, 0 if there are none. */
static unsigned int hbc_transmit_take_acks(struct hbc_lane *lane, u8 *frame)
{
	const struct hbc_ack *acks = lane->acks;
	unsigned int len = 0;
	u16 nr = 0, left;

	spin_lock_bh(&lane->queue_lock);
	while (nr < lane->nr_acks && acks[nr].epoch == acks[0].epoch)
		nr++;
	if (nr) {
		len = hbc_wire_put_ack(frame, lane->slot, acks, nr);
		left = lane->nr_acks - nr;
		memmove(lane->acks, acks + nr, left * sizeof(*acks));
		WRITE_ONCE(lane->nr_acks, left);
	}
	spin_unlock_bh(&lane->queue_lock);
	return len;
}

/* Turns the reports that have gathered into frames at the queue's end. */
static void hbc_transmit_pack_acks(struct hbc_lane *lane)
{
	unsigned int len;
	u8 *frame;

	if (!READ_ONCE(lane->nr_acks))
		return;
	frame = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL | __GFP_NOWARN);
	if (!frame) {
		hbc_lane_fail(lane, ENOMEM);
		return;
	}
	while ((len = hbc_transmit_take_acks(lane, frame)))
		hbc_transmit_append(lane, frame, len);
	kfree(frame);
}

void hbc_transmit_frame(struct hbc_lane *lane, const void *frame, unsigned int len)
{
	/* What was reported before comes before. */
	hbc_transmit_pack_acks(lane);
	hbc_transmit_append(lane, frame, len);
}

int hbc_transmit_prepare(struct list_head *entries, const void *frame, unsigned int len)
{
	struct hbc_burst *b = hbc_burst_frame(frame, len, GFP_KERNEL);
	struct hbc_lane_entry *entry;

	if (!b)
		return -ENOMEM;
	entry = hbc_lane_entry_new(b);
	hbc_burst_put(b);
	if (!entry)
		return -ENOMEM;
	list_add_tail(&entry->link, entries);
	return 0;
}

static void hbc_transmit_splice(struct hbc_lane *lane, struct list_head *entries, bool front)
{
	struct hbc_lane_entry *entry;
	unsigned int truesize = 0;

	list_for_each_entry(entry, entries, link)
		truesize += entry->burst->truesize;
	spin_lock_bh(&lane->queue_lock);
	if (front)
		list_splice_init(entries, &lane->queue);
	else
		list_splice_tail_init(entries, &lane->queue);
	WRITE_ONCE(lane->queued, lane->queued + truesize);
	spin_unlock_bh(&lane->queue_lock);
}

void hbc_transmit_front(struct hbc_lane *lane, struct list_head *entries)
{
	hbc_transmit_splice(lane, entries, true);
}

void hbc_transmit_back(struct hbc_lane *lane, struct list_head *entries)
{
	hbc_transmit_splice(lane, entries, false);
}

void hbc_transmit_discard(struct list_head *entries)
{
	struct hbc_lane_entry *entry, *next;

	list_for_each_entry_safe(entry, next, entries, link)
		hbc_lane_entry_free(entry);
	INIT_LIST_HEAD(entries);
}

void hbc_transmit_ack(struct hbc_lane *lane, const struct hbc_ack *ack)
{
	bool taken;

	do {
		spin_lock_bh(&lane->queue_lock);
		taken = lane->nr_acks < HBC_ACK_MAX_ENTRIES;
		if (taken) {
			lane->acks[lane->nr_acks] = *ack;
			WRITE_ONCE(lane->nr_acks, lane->nr_acks + 1);
		}
		spin_unlock_bh(&lane->queue_lock);
		if (!taken)
			hbc_transmit_pack_acks(lane);
	} while (!taken && !READ_ONCE(lane->error));
	hbc_lane_kick(lane);
}

/*
 * The first entry; *@more tells whether another one, or a report, follows that is sent
 * as soon.
 */
static struct hbc_lane_entry *hbc_transmit_head(struct hbc_lane *lane, bool *more)
{
	struct hbc_lane_entry *entry;

	spin_lock_bh(&lane->queue_lock);
	entry = list_first_entry_or_null(&lane->queue, struct hbc_lane_entry, link);
	*more = entry && lane->nr_acks;
	if (entry && !list_is_last(&entry->link, &lane->queue))
		*more = entry->store == list_next_entry(entry, link)->store;
	spin_unlock_bh(&lane->queue_lock);
	return entry;
}

/*
 * Reports gather while anything else waits: a frame for each of a few thousand would
 * take a page each, before anybody looks whether the queue has room.
 */
static struct hbc_lane_entry *hbc_transmit_next(struct hbc_lane *lane, bool *more)
{
	struct hbc_lane_entry *entry = hbc_transmit_head(lane, more);

	if (entry || !READ_ONCE(lane->nr_acks))
		return entry;
	hbc_transmit_pack_acks(lane);
	return hbc_transmit_head(lane, more);
}

static void hbc_transmit_done(struct hbc_lane *lane, struct hbc_lane_entry *entry)
{
	struct hbc_store *store = entry->store;
	struct hbc_burst *b = entry->burst;
	u32 place = entry->place;

	spin_lock_bh(&lane->queue_lock);
	entry->burst = NULL;
	entry->store = NULL;
	list_move(&entry->link, &lane->spare);
	WRITE_ONCE(lane->queued, lane->queued - b->truesize);
	spin_unlock_bh(&lane->queue_lock);
	hbc_burst_put(b);
	if (store)
		hbc_store_sent(store, place, lane);
	lane->tx_off = 0;
	lane->stats.tx_bursts++;
}

/*
 * Whether the socket has room for all of @len bytes, if it ever will: what is
 * sent by parts leaves in segments that do not hold whole fragments.
 */
static bool hbc_transmit_fits(const struct sock *sk, u32 len)
{
	return sk_stream_wspace(sk) >= min_t(u32, len, READ_ONCE(sk->sk_sndbuf) / 2);
}

static int hbc_transmit_try(struct hbc_lane *lane, struct hbc_burst *b, bool more)
{
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (more ? MSG_MORE : 0);

	if (!hbc_transmit_fits(lane->sock->sk, b->len - lane->tx_off)) {
		set_bit(SOCK_NOSPACE, &lane->sock->flags);
		smp_mb__after_atomic(); /* pairs with tcp_check_space() */
		if (!hbc_transmit_fits(lane->sock->sk, b->len - lane->tx_off))
			return -EAGAIN;
		clear_bit(SOCK_NOSPACE, &lane->sock->flags);
	}
	return hbc_compat_send(lane->sock, b->bv, b->nr, lane->tx_off, b->len, flags);
}

/* Returns whether the socket may take more. */
static bool hbc_transmit_one(struct hbc_lane *lane, struct hbc_lane_entry *entry, bool more)
{
	struct hbc_burst *b = entry->burst;
	int n;

	hbc_gauge_send(lane);
	n = hbc_transmit_try(lane, b, more);
	if (n == -EAGAIN) {
		lane->stats.tx_full++;
		set_bit(HBC_LANE_CONGESTED, &lane->flags);
		smp_mb__after_atomic(); /* pairs with hbc_lane_write_space() */
		if (test_bit(SOCK_NOSPACE, &lane->sock->flags)) {
			hbc_pace_full(lane);
			return false;
		}
		clear_bit(HBC_LANE_CONGESTED, &lane->flags);
		return true;
	}
	if (n < 0) {
		hbc_lane_fail(lane, -n);
		return false;
	}
	trace_hbc_transmit(lane, n);
	lane->stats.tx_bytes += n;
	WRITE_ONCE(lane->last_tx, jiffies);
	lane->tx_off += n;
	if (lane->tx_off == b->len)
		hbc_transmit_done(lane, entry);
	return true;
}

static bool hbc_transmit_ready(const struct hbc_lane *lane)
{
	return READ_ONCE(lane->state) == HBC_LANE_READY && !READ_ONCE(lane->error);
}

/* Whether something waits for nobody but who sends it. */
static bool hbc_transmit_busy(const struct hbc_lane *lane)
{
	return !hbc_transmit_idle(lane) && !test_bit(HBC_LANE_CONGESTED, &lane->flags) &&
	       !test_bit(HBC_LANE_HELD, &lane->flags);
}

/* Whether its time has come. Else whoever brings it on clears HBC_LANE_HELD. */
static bool hbc_transmit_due(struct hbc_lane *lane, const struct hbc_lane_entry *entry)
{
	if (!entry->store || lane->tx_off || hbc_store_open(entry->store, entry->place, lane))
		return true;
	set_bit(HBC_LANE_HELD, &lane->flags);
	smp_mb__after_atomic(); /* pairs with hbc_store_wake() */
	if (!hbc_store_open(entry->store, entry->place, lane))
		return false;
	clear_bit(HBC_LANE_HELD, &lane->flags);
	return true;
}

/* At most *@left bursts, which it counts down. */
static void hbc_transmit_drain(struct hbc_lane *lane, unsigned int *left)
{
	struct hbc_lane_entry *entry;
	bool more;

	lockdep_assert_held(&lane->tx_mutex);
	if (!lane->sock)
		return;
	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	for (; *left && hbc_transmit_ready(lane); --*left) {
		entry = hbc_transmit_next(lane, &more);
		if (!entry || !hbc_transmit_due(lane, entry) ||
		    !hbc_transmit_one(lane, entry, more))
			break;
	}
}

void hbc_transmit_send(struct hbc_lane *lane)
{
	unsigned int left = HBC_TRANSMIT_BURSTS;

	/*
	 * Whoever finds the mutex taken leaves his part to the holder, who
	 * looks at the queue once more after he has let go.
	 */
	if (!hbc_transmit_ready(lane))
		return;
	/* What has been queued may have filled the queue. */
	if (test_bit(HBC_LANE_HELD, &lane->flags))
		clear_bit(HBC_LANE_HELD, &lane->flags);
	while (left && hbc_transmit_ready(lane) && hbc_transmit_busy(lane)) {
		if (!mutex_trylock(&lane->tx_mutex))
			return;
		hbc_transmit_drain(lane, &left);
		mutex_unlock(&lane->tx_mutex);
		smp_mb(); /* the unlock comes before the queue is looked at */
	}
	/* A queue that is filled as fast never ends; the caller has more to do, and locks. */
	if (!left && !hbc_transmit_idle(lane))
		hbc_lane_kick(lane);
	if (READ_ONCE(lane->queued) <= hbc_transmit_bound(lane) / 2)
		hbc_schedule_resume(lane->sched);
	if (test_bit(HBC_LANE_DRAINING, &lane->flags) && hbc_transmit_idle(lane))
		hbc_lane_close(lane, true);
}

void hbc_transmit_unlock(struct hbc_lane *lane)
{
	mutex_unlock(&lane->tx_mutex);
	smp_mb(); /* as in hbc_transmit_send() */
	if (hbc_transmit_busy(lane))
		hbc_lane_kick(lane);
}

/* The socket of a lane that has nothing queued, a reference, or NULL. */
static struct sock *hbc_transmit_idle_sock(struct hbc_lane *lane)
{
	struct sock *sk = NULL;

	spin_lock_bh(&lane->queue_lock);
	if (lane->sock && list_empty(&lane->queue) && !lane->nr_acks) {
		sk = lane->sock->sk;
		sock_hold(sk);
	}
	spin_unlock_bh(&lane->queue_lock);
	return sk;
}

/* Whether the socket is this lane's, in good health and free. Its spinlock is held. */
static bool hbc_transmit_free(struct hbc_lane *lane, const struct sock *sk, u32 len)
{
	return !sock_owned_by_user(sk) && sk->sk_user_data == lane &&
	       sk->sk_state == TCP_ESTABLISHED && hbc_transmit_ready(lane) &&
	       !test_bit(HBC_LANE_DRAINING, &lane->flags) &&
	       list_empty_careful(&lane->queue) && sk_stream_memory_free(sk) &&
	       hbc_transmit_fits(sk, len);
}

bool hbc_transmit_ahead(struct hbc_lane *lane, struct bio_vec *bv, unsigned int nr, u32 len)
{
	struct sock *sk = hbc_transmit_idle_sock(lane);
	int n = 0;

	if (!sk)
		return false;
	spin_lock_nested(&sk->sk_lock.slock, HBC_TRANSMIT_NESTED);
	if (hbc_transmit_free(lane, sk, len)) {
		gfp_t gfp = sk->sk_allocation;

		sk->sk_allocation = GFP_ATOMIC | __GFP_NOWARN;
		n = hbc_compat_send_locked(sk, bv, nr, 0, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		sk->sk_allocation = gfp;
	}
	bh_unlock_sock(sk);
	sock_put(sk);
	if (n <= 0)
		return false;
	trace_hbc_transmit(lane, n);
	WRITE_ONCE(lane->last_tx, jiffies);
	/* The rest would come too late; without memory the lane fails. */
	if (n < len)
		hbc_lane_fail(lane, ENOMEM);
	return true;
}

void hbc_transmit_count(struct hbc_lane *lane, u32 len)
{
	mutex_lock(&lane->tx_mutex);
	lane->stats.tx_bytes += len;
	lane->stats.tx_bursts++;
	hbc_transmit_unlock(lane);
}

int hbc_transmit_now(struct hbc_lane *lane, const void *frame, unsigned int len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct kvec vec = { .iov_base = (void *)frame, .iov_len = len };
	int n = -ENOTCONN;

	mutex_lock(&lane->tx_mutex);
	if (lane->sock)
		n = kernel_sendmsg(lane->sock, &msg, &vec, 1, len);
	mutex_unlock(&lane->tx_mutex);
	if (n < 0)
		return n;
	WRITE_ONCE(lane->last_tx, jiffies);
	lane->stats.tx_bytes += n;
	return n == len ? 0 : -ENOBUFS;
}

void hbc_transmit_purge(struct hbc_lane *lane)
{
	unsigned int dropped = 0;
	LIST_HEAD(entries);
	LIST_HEAD(spare);
	struct hbc_lane_entry *entry;

	mutex_lock(&lane->tx_mutex);
	spin_lock_bh(&lane->queue_lock);
	list_splice_init(&lane->queue, &entries);
	list_splice_init(&lane->spare, &spare);
	WRITE_ONCE(lane->queued, 0);
	WRITE_ONCE(lane->nr_acks, 0);
	spin_unlock_bh(&lane->queue_lock);
	lane->tx_off = 0;
	list_for_each_entry(entry, &entries, link) {
		if (entry->store)
			hbc_store_sent(entry->store, entry->place, lane);
		dropped++;
	}
	lane->stats.dropped += dropped;
	mutex_unlock(&lane->tx_mutex);
	hbc_transmit_discard(&entries);
	hbc_transmit_discard(&spare);
	hbc_ask_clear(lane);
}
