// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For how long each host is busy with a short message, from bursts of them.
 *
 * Sending is what it takes to hand a message to the network, which does not wait for the
 * link. What disturbs a burst makes it longer, and seldom shorter, but does not last: so
 * the middle one of repeated bursts counts. Of those to several partners it is the least:
 * what the others take more is no part of it.
 *
 * Messages arrive as fast as the slowest of three lets them: the sender, a link, the
 * receiver. A receiver that takes longer than the two others explain shows its own time.
 * Any other has kept up: it takes no longer than they have let it, and is taken to be no
 * slower than the sender, since of a link's time nothing is the host's.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/overheads.h"
#include "node.h"

/*
 * Preamble, checksum and gap of Ethernet are next to nothing of the full frames by which
 * capacities are found, but nearly a third more of a short one.
 */
#define LONGER	1.3
/* One of which the middle takes so many times the least has been disturbed. */
#define DISTURBED	1.5

/**
 * struct sample - times of repeated bursts
 * @us: microseconds for each message, in ascending order
 * @n: how many
 */
struct sample {
	double us[HBP_OVERHEADS_MOST];
	unsigned int n;
};

/**
 * struct way - bursts from one host to another
 * @from: the host that sends
 * @to: the other one
 * @link_us: what a message takes on the slowest link between them
 * @sent: what sending took
 * @arrived: from one message to the next where they arrived
 * @round: in which round the last of them was, from 1
 */
struct way {
	size_t from;
	size_t to;
	double link_us;
	struct sample sent;
	struct sample arrived;
	size_t round;
};

/**
 * struct bursting - rounds of bursts
 * @sketch: the tree
 * @prober: the network
 * @ways: those of one turn after those of another; hosts have a part in one of each turn
 * @n: how many
 * @first: of each turn its first way; @turns + 1 entries
 * @turns: how many turns
 * @met: of each two hosts whether they are partners, [a * hosts + b]
 * @partners: of each host, how many it has
 * @busy: of each host, whether it has a part in the turn
 * @bursts: of a round
 * @arcs: of a way
 * @rounds: how many were run
 */
struct bursting {
	const struct hbp_sketch *sketch;
	const struct hbp_prober *prober;
	struct way *ways;
	size_t n;
	size_t first[2 * HBP_OVERHEADS_PARTNERS + 1];
	size_t turns;
	bool *met;
	unsigned int *partners;
	bool *busy;
	struct hbp_burst *bursts;
	size_t *arcs;
	size_t rounds;
};

static bool alloc_bursting(struct bursting *b)
{
	size_t n = b->sketch->n_hosts;

	b->ways = calloc(n * HBP_OVERHEADS_PARTNERS, sizeof(*b->ways));
	b->met = calloc(n * n, sizeof(*b->met));
	b->partners = calloc(n, sizeof(*b->partners));
	b->busy = calloc(n, sizeof(*b->busy));
	b->bursts = calloc(n, sizeof(*b->bursts));
	b->arcs = calloc(b->sketch->n + 2, sizeof(*b->arcs));
	return b->ways && b->met && b->partners && b->busy && b->bursts && b->arcs;
}

static void free_bursting(struct bursting *b)
{
	free(b->ways);
	free(b->met);
	free(b->partners);
	free(b->busy);
	free(b->bursts);
	free(b->arcs);
}

/* Who has no part in the turn: the one with fewest partners, or HBP_NONE. */
static size_t choose_host(const struct bursting *b)
{
	size_t i, best = HBP_NONE;

	for (i = 0; i < b->sketch->n_hosts; i++)
		if (!b->busy[i] && (best == HBP_NONE || b->partners[i] < b->partners[best]))
			best = i;
	return best;
}

/* The nearest one that has no part in the turn, and is no partner yet, or HBP_NONE. */
static size_t choose_partner(const struct bursting *b, size_t host)
{
	size_t n = b->sketch->n_hosts, i, best = HBP_NONE;
	double us, least = INFINITY;

	for (i = 0; i < n; i++) {
		if (b->busy[i] || b->met[host * n + i])
			continue;
		us = hbp_sketch_rtt(b->sketch, host, i);
		if (us < least) {
			least = us;
			best = i;
		}
	}
	return best;
}

/* No end where nothing is known of a link: then that explains whatever is seen. */
static double find_link_us(const struct bursting *b, size_t from, size_t to)
{
	size_t n = hbp_sketch_path(b->sketch, from, to, b->arcs), i;
	double mbps = INFINITY;

	for (i = 0; i < n; i++)
		mbps = fmin(mbps, hbp_sketch_capacity(b->sketch, b->arcs[i])->mbps);
	return mbps > 0 ? HBP_SHORT_BYTES * 8 / mbps : INFINITY;
}

static void add_way(struct bursting *b, size_t from, size_t to)
{
	b->ways[b->n++] = (struct way){
		.from = from, .to = to, .link_us = find_link_us(b, from, to)
	};
}

/* One more partner for all for whom there is one. */
static void choose_pairs(struct bursting *b)
{
	size_t n = b->sketch->n_hosts, host, other;

	for (host = 0; host < n; host++)
		b->busy[host] = false;
	while ((host = choose_host(b)) != HBP_NONE) {
		b->busy[host] = true;
		other = choose_partner(b, host);
		if (other == HBP_NONE)
			continue;
		b->busy[other] = true;
		b->met[host * n + other] = true;
		b->met[other * n + host] = true;
		b->partners[host]++;
		b->partners[other]++;
		add_way(b, host, other);
	}
}

/* One turn there, and one back. */
static void choose_ways(struct bursting *b)
{
	size_t i, k, end;

	for (i = 0; i < HBP_OVERHEADS_PARTNERS; i++) {
		choose_pairs(b);
		end = b->n;
		if (end == b->first[b->turns])
			return;
		b->first[b->turns + 1] = end;
		for (k = b->first[b->turns]; k < end; k++)
			add_way(b, b->ways[k].to, b->ways[k].from);
		b->turns += 2;
		b->first[b->turns] = b->n;
	}
}

static void add_time(struct sample *sample, double us)
{
	unsigned int i = sample->n++;

	for (; i && sample->us[i - 1] > us; i--)
		sample->us[i] = sample->us[i - 1];
	sample->us[i] = us;
}

static int run_turn(struct bursting *b, size_t turn)
{
	struct way *ways = &b->ways[b->first[turn]];
	size_t n = b->first[turn + 1] - b->first[turn], i;
	int ret;

	for (i = 0; i < n; i++)
		b->bursts[i] = (struct hbp_burst){
			.from = ways[i].from, .to = ways[i].to,
			.sent_us = NAN, .arrived_us = NAN
		};
	ret = b->prober->bursts(b->prober->arg, b->bursts, n);
	b->rounds++;
	for (i = 0; i < n; i++) {
		if (!hbp_burst_usable(&b->bursts[i]))
			continue;
		add_time(&ways[i].sent, b->bursts[i].sent_us);
		add_time(&ways[i].arrived, b->bursts[i].arrived_us);
		ways[i].round = b->rounds;
	}
	return ret;
}

static double middle(const struct sample *sample)
{
	return sample->us[(sample->n - 1) / 2];
}

/* From the least to the middle one: what is above that may have been disturbed. */
static double spread(const struct sample *sample)
{
	return middle(sample) - sample->us[0];
}

static bool is_disturbed(const struct sample *sample)
{
	return sample->n && middle(sample) > DISTURBED * sample->us[0];
}

/* Whether bursts of a turn are to be repeated. */
static bool is_open(const struct bursting *b, size_t turn, size_t repeat)
{
	const struct way *way = &b->ways[b->first[turn]], *end = &b->ways[b->first[turn + 1]];

	for (; way < end && repeat >= HBP_OVERHEADS_REPEATS; way++)
		if (is_disturbed(&way->sent) || is_disturbed(&way->arrived))
			return true;
	return repeat < HBP_OVERHEADS_REPEATS;
}

static struct hbp_overhead overhead(const struct way *way, const struct sample *sample)
{
	return (struct hbp_overhead){
		.us = middle(sample), .spread_us = spread(sample), .bursts = sample->n,
		.round = way->round
	};
}

/* Whether neither the sender nor a link explains how slowly messages came. */
static bool is_slow(const struct way *way)
{
	return middle(&way->arrived) > fmax(middle(&way->sent), LONGER * way->link_us) +
				       spread(&way->sent) + spread(&way->arrived);
}

/* As far as the measure for what a link explains goes. */
static bool as_fast(const struct way *way, const struct way *fastest)
{
	return middle(&way->arrived) <= LONGER * middle(&fastest->arrived);
}

static bool leads(const struct way *way, size_t from, size_t to)
{
	return way->sent.n && (from == HBP_NONE || way->from == from) &&
	       (to == HBP_NONE || way->to == to);
}

static struct hbp_overhead find_send(const struct bursting *b, size_t host)
{
	const struct way *way, *best = NULL;

	for (way = b->ways; way < b->ways + b->n; way++)
		if (leads(way, host, HBP_NONE) &&
		    (!best || middle(&way->sent) < middle(&best->sent)))
			best = way;
	return best ? overhead(best, &best->sent) : (struct hbp_overhead){ 0 };
}

/* On which way messages came to a host fastest; with @slow, of those that show its time. */
static const struct way *find_fastest(const struct bursting *b, size_t host, bool slow)
{
	const struct way *way, *best = NULL;

	for (way = b->ways; way < b->ways + b->n; way++)
		if (leads(way, HBP_NONE, host) && (!slow || is_slow(way)) &&
		    (!best || middle(&way->arrived) < middle(&best->arrived)))
			best = way;
	return best;
}

/* Of those from which messages came about as fast as from any, the fastest sender's. */
static struct hbp_overhead find_kept_up(const struct bursting *b, const struct way *fastest)
{
	const struct way *way, *best = fastest;
	struct hbp_overhead recv;

	for (way = b->ways; way < b->ways + b->n; way++)
		if (leads(way, HBP_NONE, fastest->to) && as_fast(way, fastest) &&
		    middle(&way->sent) < middle(&best->sent))
			best = way;
	recv = overhead(best, &best->sent);
	recv.us = fmin(recv.us, middle(&fastest->arrived));
	recv.kept_up = true;
	return recv;
}

static struct hbp_overhead find_recv(const struct bursting *b, size_t host)
{
	const struct way *fastest = find_fastest(b, host, false);
	const struct way *slow = find_fastest(b, host, true);

	if (!fastest)
		return (struct hbp_overhead){ 0 };
	/* Who is clearly faster on another way is not what was slow. */
	if (slow && as_fast(slow, fastest))
		return overhead(slow, &slow->arrived);
	return find_kept_up(b, fastest);
}

/**
 * hbp_overheads_find() - for how long hosts are busy with a short message
 * @sketch: the tree, with capacities
 * @prober: the network
 * @overheads: receives what was found; one entry for each host
 *
 * Return: 0, -ENOMEM, or what the prober has ended it with; then what is known until
 * then has been found.
 */
int hbp_overheads_find(const struct hbp_sketch *sketch, const struct hbp_prober *prober,
		       struct hbp_overheads *overheads)
{
	struct bursting b = { .sketch = sketch, .prober = prober };
	int ret = alloc_bursting(&b) ? 0 : -ENOMEM;
	size_t i, repeat;

	if (ret) {
		free_bursting(&b);
		return ret;
	}
	choose_ways(&b);
	for (repeat = 0; !ret && repeat < HBP_OVERHEADS_MOST; repeat++)
		for (i = 0; !ret && i < b.turns; i++)
			if (is_open(&b, i, repeat))
				ret = run_turn(&b, i);
	for (i = 0; i < sketch->n_hosts; i++) {
		overheads[i].send = find_send(&b, i);
		overheads[i].recv = find_recv(&b, i);
	}
	free_bursting(&b);
	return ret;
}
