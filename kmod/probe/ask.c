// SPDX-License-Identifier: GPL-2.0
/* The coordinator's side of a measurement. */
#include <linux/errno.h>
#include <linux/jiffies.h>

#include "config/group.h"
#include "config/node.h"
#include "probe/ask.h"

/**
 * struct hbc_probe_asked - a probe to a node that has been asked
 * @probe: the connection; its lock guards all that follows but @addr and @portid
 * @portid: the netlink socket that hears of it
 * @addr: where the node listens
 * @round: what it has been asked for last; 0 for nothing that goes on
 * @told: the last round of which it has told anything; the probe's run
 * @ready: the handshake has come to its good end
 * @over: nobody listens to what it is asked for any more
 * @since: jiffies when it was asked last
 * @ask: what it has been asked for last
 * @frame: its bytes
 */
struct hbc_probe_asked {
	struct hbc_probe probe;
	u32 portid;
	struct sockaddr_storage addr;
	u32 round;
	u32 told;
	bool ready;
	bool over;
	unsigned long since;
	union {
		struct hbc_wire_ask ask;
		u8 frame[HBC_CONTROL_MAX];
	};
};

#define hbc_probe_asked(p)	container_of_const(p, struct hbc_probe_asked, probe)

/* What had to wait for the handshake goes now, before anything else does. */
static int hbc_probe_asked_ready(struct hbc_probe_asked *asked)
{
	int err;

	mutex_lock(&asked->probe.lock);
	err = hbc_probe_send_locked(&asked->probe, &asked->ask,
				    be16_to_cpu(asked->ask.hdr.length));
	asked->ready = true;
	mutex_unlock(&asked->probe.lock);
	return err;
}

/* Whether the node has had time to answer: silence counts from when it was asked. */
static bool hbc_probe_asked_silent(const struct hbc_probe_asked *asked)
{
	unsigned int ms = READ_ONCE(asked->probe.group->config.dead_ms);

	return time_after_eq(jiffies, READ_ONCE(asked->since) + msecs_to_jiffies(ms));
}

static int hbc_probe_asked_hear(struct hbc_probe_asked *asked)
{
	const struct hbc_wire_sample *w = (const struct hbc_wire_sample *)asked->probe.frame;
	struct hbc_hdr h;
	int err;

	err = hbc_probe_next(&asked->probe, &h);
	if (err == -EAGAIN)
		return hbc_probe_asked_silent(asked) ? -ETIMEDOUT : 0;
	if (err)
		return err;
	if (h.type != HBC_FRAME_PROBE_SAMPLE)
		return -EPROTO;
	asked->told = be32_to_cpu(w->round);
	hbc_probe_tell(&(struct hbc_probe_news) {
		.probe = &asked->probe, .round = asked->told, .w = w,
		.figures = h.n,
	}, asked->portid);
	return 0;
}

/* From the connection's begin to its end: why that came. */
static int hbc_probe_asked_talk(struct hbc_probe_asked *asked)
{
	struct hbc_probe *probe = &asked->probe;
	int err;

	err = hbc_probe_connect(probe, &asked->addr) ?: hbc_probe_asked_ready(asked);
	if (!err)
		hbc_probe_patience(probe, READ_ONCE(probe->group->config.dead_ms));
	while (!err && !READ_ONCE(probe->ended))
		err = hbc_probe_asked_hear(asked);
	return err;
}

/*
 * Whether the connection ended before the node knew of a new round: one of its ends may
 * have had enough of the silence before.
 */
static bool hbc_probe_asked_again(struct hbc_probe_asked *asked, int err, u32 *round)
{
	bool again;

	mutex_lock(&asked->probe.lock);
	again = err == -ECONNRESET || err == -EPIPE ||
		(err == -ETIMEDOUT && !hbc_probe_asked_silent(asked));
	*round = asked->round;
	again &= asked->told && asked->told != *round && *round;
	again &= !READ_ONCE(asked->probe.ended);
	asked->ready = false;
	asked->over = !again;
	mutex_unlock(&asked->probe.lock);
	asked->told = 0;
	return again;
}

static void hbc_probe_asked_run(struct hbc_probe *probe)
{
	struct hbc_probe_asked *asked = hbc_probe_asked(probe);
	u32 round;
	int err;

	err = hbc_probe_asked_talk(asked);
	while (hbc_probe_asked_again(asked, err, &round)) {
		hbc_probe_drop_sock(probe);
		probe->have = 0;
		err = hbc_probe_asked_talk(asked);
	}
	/* Who has ended it knows, and who has been told all is not interested. */
	if (!READ_ONCE(probe->ended) && round)
		hbc_probe_tell(&(struct hbc_probe_news) {
			.probe = probe, .round = round, .error = -err,
		}, asked->portid);
}

static bool hbc_probe_is_asked(const struct hbc_probe *probe, const void *arg)
{
	const struct hbc_probe_asker *asker = arg;
	const struct hbc_probe_asked *asked;

	if (probe->run != hbc_probe_asked_run || probe->ended)
		return false;
	asked = hbc_probe_asked(probe);
	return asked->portid == asker->portid &&
	       (!asker->group || probe->group == asker->group) &&
	       (!asker->node || probe->peer == asker->node);
}

static bool hbc_probe_is_at_work(const struct hbc_probe *probe, const void *arg)
{
	return hbc_probe_is_asked(probe, arg) && READ_ONCE(hbc_probe_asked(probe)->round);
}

/* Asks at once, or when it is ready; -EPIPE if it has come to its end. */
static int hbc_probe_asked_ask(struct hbc_probe_asked *asked, const struct hbc_wire_ask *ask)
{
	unsigned int len = be16_to_cpu(ask->hdr.length);
	int err = -EPIPE;

	mutex_lock(&asked->probe.lock);
	if (!asked->over) {
		WRITE_ONCE(asked->round, len > sizeof(*ask) ? be32_to_cpu(ask->round) : 0);
		WRITE_ONCE(asked->since, jiffies);
		memcpy(asked->frame, ask, len);
		err = asked->ready ? hbc_probe_send_locked(&asked->probe, ask, len) : 0;
	}
	mutex_unlock(&asked->probe.lock);
	return err;
}

int hbc_probe_ask(const struct hbc_probe_asker *asker, const struct hbc_wire_ask *ask)
{
	struct hbc_probe *probe = hbc_probe_find(asker->group->hn, hbc_probe_is_asked, asker);
	struct hbc_probe_asked *asked;
	int err;

	if (probe) {
		err = hbc_probe_asked_ask(hbc_probe_asked(probe), ask);
		/* One that is of no use any more makes room for another one. */
		if (err)
			hbc_probe_end(probe);
		hbc_probe_put(probe);
		if (!err)
			return 0;
	}
	asked = hbc_probe_new(sizeof(*asked), asker->group, asker->node, hbc_probe_asked_run);
	if (!asked)
		return -ENOMEM;
	asked->portid = asker->portid;
	asked->addr = *asker->addr;
	hbc_probe_asked_ask(asked, ask);
	err = hbc_probe_begin(&asked->probe);
	hbc_probe_put(&asked->probe);
	return err;
}

void hbc_probe_ask_stop(struct hbc_group *group, u32 portid)
{
	const struct hbc_probe_asker asker = { .group = group, .portid = portid };
	struct hbc_wire_ask stop = { .ms = cpu_to_be32(HBCAST_ROUND_MS_MAX) };
	struct hbc_probe_asked *asked;
	struct hbc_probe *probe;

	hbc_wire_put_hdr(&stop.hdr, HBC_FRAME_PROBE_ASK, 0, sizeof(stop));
	while ((probe = hbc_probe_find(group->hn, hbc_probe_is_at_work, &asker))) {
		asked = hbc_probe_asked(probe);
		stop.round = cpu_to_be32(READ_ONCE(asked->round) ?: 1);
		if (hbc_probe_asked_ask(asked, &stop))
			hbc_probe_end(probe);
		hbc_probe_put(probe);
	}
}

void hbc_probe_ask_end(struct hbc_net *hn, u32 portid)
{
	const struct hbc_probe_asker asker = { .portid = portid };

	hbc_probe_end_each(hn, hbc_probe_is_asked, &asker);
}
