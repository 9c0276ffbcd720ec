// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show lane: the connections. */
#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "show.h"
#include "stamp.h"

/* @key: bit/s of the @bytes that took @us, in units of a million; null if nothing did. */
static void add_rate(json_t *lane, const char *key, const char *bytes, const char *us)
{
	double time = json_number_value(json_object_get(lane, us));
	double size = json_number_value(json_object_get(lane, bytes));

	json_object_set_new(lane, key, time > 0 ? json_real(8 * size / time) : json_null());
}

static int get(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	static const char * const identity[] = { "id", NULL };
	char now[HBP_STAMP_LEN];
	uint32_t own = 0;
	json_t *lane;
	size_t i;
	int ret;

	ret = hbgenl_dump(ctl, g, HBCAST_CMD_LANE_GET, hbattrs_lane, identity,
			  "the lanes cannot be shown", out);
	if (!ret && json_array_size(*out))
		ret = hbgenl_own_id(ctl, g, "the lanes cannot be shown", &own);
	if (ret)
		return ret;
	hbp_stamp_now(now);
	json_array_foreach(*out, i, lane) {
		json_object_set_new(lane, "node", json_integer(own));
		json_object_set_new(lane, "time", json_string(now));
		add_rate(lane, "spell_mbps", "spell_bytes", "spell_us");
		add_rate(lane, "limited_mbps", "limited_bytes", "limited_us");
	}
	return HBCTL_OK;
}

static void text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "LANE", "id", NULL },
		{ "GROUP", "group", NULL },
		{ "ROOT", "root", NULL },
		{ "SLOT", "slot", NULL },
		{ "PEER", "peer", NULL },
		{ "ADDRESS", "address", NULL },
		{ "DIR", "direction", NULL },
		{ "STATE", "state", NULL },
		{ "REFUSED", "reject", NULL },
		{ "SENT", "tx_bytes", hbout_size },
		{ "RECEIVED", "rx_bytes", hbout_size },
		{ "RTT", "srtt_us", hbout_known_usec },
		{ "MIN-RTT", "min_rtt_us", hbout_known_usec },
		{ "RATE", "delivery_rate_mbps", hbout_mbps },
		{ "LIMITED", "limited_mbps", hbout_mbps },
		{ "AGE", "spell_age_us", hbout_usec },
		{ "RETRANS", "retransmits", NULL },
		{ "CONNECTS", "connects", NULL },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
}

const struct hbshow_noun hbshow_lanes = { "lanes", get, text };

/**
 * hbshow_lane() - the command "show lane"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_lane(struct hbctl *ctl, int argc, char **argv)
{
	uint32_t group = 0, peer = 0;
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &group, 0, 0 },
		{ "peer", hbarg_id, &peer, 0, 0 },
		{ }
	};
	json_t *result;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbshow_get(ctl, &hbshow_lanes, &result);
	if (ret)
		return ret;
	hbshow_filter(result, "group", group);
	hbshow_filter(result, "peer", peer);
	return hbout_print(ctl, result, text);
}
