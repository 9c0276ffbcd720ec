// SPDX-License-Identifier: GPL-2.0
/*
 * A lane's gauge: what TCP tells of the way to the other end while data goes along it.
 *
 * What crosses a way is its capacity only while nothing but the network holds the lane
 * up. So time is taken in parts of a tenth of a second. A part is steady if something was
 * on its way throughout, TCP always had more to send, the receiver had room, the pace would
 * have let more through, something waits in a queue on the way, and the rate is that of the
 * part before. It counts as limited if the part before was steady, too: a window that
 * grows, or has just been cut, does not bring that about.
 */
#include <linux/if_ether.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/ratelimit.h>
#include <net/tcp.h>

#include "config/event.h"
#include "config/node.h"
#include "lane/gauge.h"
#include "lane/lane.h"

#define HBC_GAUGE_LOOK_MS	100	/* from one look to the next, at least */
#define HBC_GAUGE_LEAST		32768	/* bytes; less is keepalive, or reports */
#define HBC_GAUGE_PAUSE_US	USEC_PER_SEC
#define HBC_GAUGE_PART		16	/* parts of a whole that do not count */
#define HBC_GAUGE_QUEUE		8	/* a round trip that is longer by such a part waits */
#define HBC_GAUGE_CHANGE	4	/* a figure that differs by such a part is another one */
#define HBC_GAUGE_RTT_US	20000	/* and a round trip twice as long, and that much besides */
#define HBC_GAUGE_TELL_NS	NSEC_PER_SEC

/* What has happened from one look to the next; bytes are those on the link. */
struct hbc_gauge_part {
	u64 us;
	u64 bytes;
	u64 busy_us;
	u64 held_us;
};

/* Frames are counted as the link has them: with the headers of all layers. */
u64 hbc_gauge_on_link(const struct socket *sock, u64 segments, u64 bytes)
{
	const struct inet_connection_sock_af_ops *ops = inet_csk(sock->sk)->icsk_af_ops;
	u32 headers = ETH_HLEN + ops->net_header_len + tcp_sk(sock->sk)->tcp_header_len;

	return bytes + segments * headers;
}

void hbc_gauge_begin(struct hbc_lane *lane)
{
	struct hbc_gauge *gauge = &lane->gauge;

	lockdep_assert_held(&lane->tx_mutex);
	memset(&gauge->last, 0, sizeof(gauge->last));
	gauge->rate = 0;
	gauge->steady = false;
}

/*
 * The counters now, and *@part what they have counted since the look before; that takes
 * no account of a connection that came between.
 */
static void hbc_gauge_mark(const struct hbc_lane *lane, const struct tcp_info *tcp,
			   struct hbc_gauge_mark *now, struct hbc_gauge_part *part)
{
	const struct hbc_gauge_mark *last = &lane->gauge.last;

	now->ns = ktime_get_ns();
	now->segments = tcp->tcpi_delivered;
	now->acked = tcp->tcpi_bytes_acked;
	now->resent = tcp->tcpi_total_retrans;
	now->busy_us = tcp->tcpi_busy_time;
	now->held_us = tcp->tcpi_rwnd_limited + tcp->tcpi_sndbuf_limited;
	part->us = div_u64(now->ns - last->ns, NSEC_PER_USEC);
	part->bytes = hbc_gauge_on_link(lane->sock, (u32)(now->segments - last->segments),
					now->acked - last->acked);
	/* TCP counts in jiffies. */
	part->busy_us = min(now->busy_us - last->busy_us, part->us);
	part->held_us = now->held_us - last->held_us;
}

/*
 * Whether some queue on the way is not empty: it makes round trips longer, or loses. A
 * window that has not grown far enough to fill the way holds TCP up as well.
 */
static bool hbc_gauge_queued(const struct hbc_gauge *gauge, const struct tcp_info *tcp)
{
	return tcp->tcpi_total_retrans != gauge->last.resent ||
	       tcp->tcpi_rtt > tcp->tcpi_min_rtt + tcp->tcpi_min_rtt / HBC_GAUGE_QUEUE;
}

/* Whether the pace could have been what it was held up by. TCP paces payload. */
static bool hbc_gauge_paced(const struct hbc_lane *lane, const struct tcp_info *tcp, u64 rate)
{
	u64 pace = min_not_zero(lane->gauge.pace, lane->pace.rate ? lane->pace.now : 0);
	u32 mss = max(tcp->tcpi_snd_mss, 1U);

	if (!pace)
		return false;
	pace = mul_u64_u64_div_u64(pace, hbc_gauge_on_link(lane->sock, 1, mss), mss);
	return rate >= pace - pace / HBC_GAUGE_PART;
}

static bool hbc_gauge_differs(u64 now, u64 told)
{
	return max(now, told) - min(now, told) > told / HBC_GAUGE_CHANGE;
}

/* Whether nothing but the network held the lane up. */
static bool hbc_gauge_limited(struct hbc_lane *lane, const struct tcp_info *tcp,
			      const struct hbc_gauge_part *part)
{
	struct hbc_gauge *gauge = &lane->gauge;
	u64 rate = div64_u64(part->bytes * USEC_PER_SEC, max(part->us, 1ULL));
	u64 before = gauge->rate, little = part->us / HBC_GAUGE_PART;
	bool full = !gauge->starved && part->busy_us >= part->us - little &&
		    part->held_us <= little;
	bool steady = full && before && !hbc_gauge_differs(rate, before) &&
		      hbc_gauge_queued(gauge, tcp) && !hbc_gauge_paced(lane, tcp, rate);
	bool limited = steady && gauge->steady;

	gauge->rate = full ? rate : 0;
	gauge->steady = steady;
	return limited;
}

/* Return: whether it was told, or else that nobody listens, or enough was told in this second. */
static bool hbc_gauge_event(struct hbc_lane *lane, u64 rate, const struct tcp_info *tcp)
{
	struct hbc_event e;

	if (!__ratelimit(&lane->hn->gauge_events) ||
	    !hbc_lane_event(&e, lane, HBCAST_EVENT_LANE_CHANGED))
		return false;
	if (rate)
		hbc_event_u64(&e, HBCAST_A_EVENT_RATE, rate);
	hbc_event_u32(&e, HBCAST_A_EVENT_SRTT_US, tcp->tcpi_rtt);
	hbc_event_u32(&e, HBCAST_A_EVENT_MIN_RTT_US, tcp->tcpi_min_rtt);
	hbc_event_u32(&e, HBCAST_A_EVENT_RETRANSMITS, tcp->tcpi_total_retrans);
	hbc_event_send(&e);
	return true;
}

/*
 * Listeners hear of what differs from what they heard last, the rate only while @limited, a trip
 * by more than what queues make of it, and not all the time. What nobody hears is not told.
 */
static void hbc_gauge_tell(struct hbc_lane *lane, const struct tcp_info *tcp, u64 now_ns,
			   bool limited)
{
	struct hbc_gauge *gauge = &lane->gauge;
	u64 rate = limited ? gauge->rate : gauge->told_rate;
	u32 trip = tcp->tcpi_rtt, told = gauge->told_srtt_us;

	if (gauge->told_ns && now_ns < gauge->told_ns + HBC_GAUGE_TELL_NS)
		return;
	if ((!hbc_gauge_differs(rate, gauge->told_rate) &&
	     max(trip, told) <= 2 * min(trip, told) + HBC_GAUGE_RTT_US) ||
	    !hbc_gauge_event(lane, rate, tcp))
		return;
	gauge->told_ns = now_ns;
	gauge->told_rate = rate;
	gauge->told_srtt_us = trip;
}

static void hbc_gauge_add(struct hbc_lane *lane, const struct tcp_info *tcp,
			  u64 now_ns, const struct hbc_gauge_part *part)
{
	struct hbc_gauge_spell *spell = &lane->gauge.spell;
	u64 busy_ns = part->busy_us * (u64)NSEC_PER_USEC;
	u64 ended = lane->gauge.last.ns + busy_ns;
	bool limited;

	if (lane->gauge.idle) {
		memset(spell, 0, sizeof(*spell));
		spell->begun = now_ns - busy_ns;
		lane->gauge.idle = false;
		ended = now_ns;
	}
	spell->ended = ended;
	spell->bytes += part->bytes;
	limited = hbc_gauge_limited(lane, tcp, part);
	if (limited) {
		spell->limited_us += part->us;
		spell->limited_bytes += part->bytes;
	}
	hbc_gauge_tell(lane, tcp, now_ns, limited);
}

/* @tcp, of the lane's connection, is now. */
static void hbc_gauge_note(struct hbc_lane *lane, const struct tcp_info *tcp)
{
	struct hbc_gauge *gauge = &lane->gauge;
	struct hbc_gauge_mark now;
	struct hbc_gauge_part part;
	bool pause;

	hbc_gauge_mark(lane, tcp, &now, &part);
	pause = gauge->last.ns ? part.us - part.busy_us > HBC_GAUGE_PAUSE_US :
		now.ns > gauge->spell.ended + HBC_GAUGE_PAUSE_US * NSEC_PER_USEC;
	gauge->due = jiffies + max(msecs_to_jiffies(HBC_GAUGE_LOOK_MS),
				   usecs_to_jiffies(tcp->tcpi_rtt));
	if (gauge->last.ns && part.bytes >= HBC_GAUGE_LEAST)
		hbc_gauge_add(lane, tcp, now.ns, &part);
	else if (gauge->last.ns && !pause)
		return;
	gauge->idle |= pause;
	gauge->last = now;
	gauge->pace = lane->pace.rate ? lane->pace.now : 0;
	gauge->starved = false;
}

void hbc_gauge_look(struct hbc_lane *lane, struct tcp_info *tcp)
{
	lockdep_assert_held(&lane->tx_mutex);
	tcp_get_info(lane->sock->sk, tcp);
	if (!time_before(jiffies, lane->gauge.due))
		hbc_gauge_note(lane, tcp);
}

void hbc_gauge_send(struct hbc_lane *lane)
{
	const struct tcp_sock *tp = tcp_sk(lane->sock->sk);
	struct tcp_info tcp;

	lockdep_assert_held(&lane->tx_mutex);
	if (!time_before(jiffies, lane->gauge.due))
		hbc_gauge_look(lane, &tcp);
	/* All that it was given before has left. */
	if (READ_ONCE(tp->write_seq) == READ_ONCE(tp->snd_nxt))
		lane->gauge.starved = true;
}
