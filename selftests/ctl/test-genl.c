// SPDX-License-Identifier: GPL-2.0-or-later
/* What hbcastctl makes of the module's answers: attributes, dumps, versions. */
#include <string.h>
#include <unistd.h>

#include <hbcast_version.h>
#include <linux/hbcast_netlink.h>
#include <netlink/genl/genl.h>

#include "../lib/tap.h"
#include "attrs.h"
#include "genl.h"

static struct hbctl ctl;

/* @value, which is released, is written like @expected. */
static void check(const char *name, const char *expected, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	if (!ok(text && !strcmp(text, expected), "%s", name))
		printf("# expected: %s\n# got:      %s\n", expected, text);
	free(text);
	json_decref(value);
}

static json_t *to_json(const struct hbfield *fields, struct nl_msg *msg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	json_t *value = hbfield_json(fields, nlmsg_attrdata(hdr, 0),
				     nlmsg_attrlen(hdr, 0));

	nlmsg_free(msg);
	return value;
}

static struct nl_msg *message(void)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg || !nlmsg_put(msg, 0, 0, NLMSG_MIN_TYPE, 0, 0))
		tap_bail_out("no memory");
	return msg;
}

static void test_plan(void)
{
	struct nl_msg *msg = message();
	struct nlattr *nest;
	uint32_t i;

	check("what is not there: flags are false, lists empty, others left out",
	      "{\"strict\":false,\"ready\":false,\"edges\":[],\"children\":[],\"lost\":[]}",
	      to_json(hbattrs_plan, message()));
	for (i = 2; i < 4; i++) {
		nest = nla_nest_start(msg, HBCAST_A_PLAN_EDGE);
		nla_put_u32(msg, HBCAST_A_EDGE_CHILD, i);
		nla_put_u32(msg, HBCAST_A_EDGE_PARENT, 1);
		nla_put_u64(msg, HBCAST_A_EDGE_RATE, 125000);
		nla_nest_end(msg, nest);
	}
	nest = nla_nest_start(msg, HBCAST_A_PLAN_CHILD);
	nla_put_u32(msg, HBCAST_A_CHILD_NODE, 3);
	nla_put_flag(msg, HBCAST_A_CHILD_LOST);
	nla_nest_end(msg, nest);
	nla_put_flag(msg, HBCAST_A_PLAN_STRICT);
	nla_put_u32(msg, HBCAST_A_PLAN_FORWARD, HBCAST_FORWARD_MESSAGE);
	nla_put_flag(msg, HBCAST_A_PLAN_READY);
	nla_put_u8(msg, HBCAST_A_PLAN_SLOT, 63);
	nla_put_u32(msg, HBCAST_A_PLAN_LOST, 4);
	nla_put_u32(msg, HBCAST_A_PLAN_LOST, 6);
	nla_put_u32(msg, HBCAST_A_PLAN_MAX + 1, 9);
	check("pairs, objects, flags, a name; an attribute that is not known is left out",
	      "{\"slot\":63,\"strict\":true,\"forward\":\"message\",\"ready\":true,\"edges\":[[1,2],[1,3]],\"children\":[{\"node\":3,\"ready\":false,\"lost\":true}],\"lost\":[4,6]}",
	      to_json(hbattrs_plan, msg));
}

static void test_values(void)
{
	struct nl_msg *msg = message();
	unsigned char ip6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };

	nla_put_u32(msg, HBCAST_A_LANE_STATE, HBCAST_LANE_STATE_BACKOFF);
	nla_put_u32(msg, HBCAST_A_LANE_REJECT, 4711);
	nla_put(msg, HBCAST_A_LANE_IPV4, 4, "\x0a\x09\x00\x01");
	nla_put_u64(msg, HBCAST_A_LANE_DELIVERY_RATE, 12500000);
	check("names, a value beyond them, an IPv4 address, a rate in Mbit/s",
	      "{\"state\":\"backoff\",\"reject\":4711,\"address\":\"10.9.0.1\",\"delivery_rate_mbps\":100.0,\"app_limited\":false}",
	      to_json(hbattrs_lane, msg));
	msg = message();
	nla_put(msg, HBCAST_A_LANE_IPV6, 16, ip6);
	nla_put_u64(msg, HBCAST_A_LANE_DELIVERY_RATE, 0);
	nla_put_u16(msg, HBCAST_A_LANE_PORT, 65535);
	check("an IPv6 address, no rate, a port",
	      "{\"address\":\"2001:db8::1\",\"port\":65535,\"delivery_rate_mbps\":null,\"app_limited\":false}",
	      to_json(hbattrs_lane, msg));
	msg = message();
	nla_put_u64(msg, HBCAST_A_MESSAGE_ID, UINT64_MAX);
	nla_put_u64(msg, HBCAST_A_MESSAGE_TOTAL, INT64_MAX);
	check("ids of 64 bits are strings",
	      "{\"id\":\"18446744073709551615\",\"bytes\":9223372036854775807,\"nodes\":[]}",
	      to_json(hbattrs_message, msg));
	msg = message();
	nla_put_u32(msg, HBCAST_A_GROUP_MODE, 0620);
	nla_put(msg, HBCAST_A_GROUP_ID, 3, "abc");
	check("a mode in octal; a number of an odd length is 0",
	      "{\"id\":0,\"mode\":\"0620\",\"members\":[]}",
	      to_json(hbattrs_group, msg));
}

static void test_merge(void)
{
	static const char * const identity[] = { "group", "epoch", NULL };
	json_t *rows = json_array();

	hbfield_merge(rows, json_pack("{s:i, s:i, s:b, s:[i,i]}", "group", 5,
				      "epoch", 1, "ready", 0, "list", 1, 2),
		      identity);
	hbfield_merge(rows, json_pack("{s:i, s:i, s:b, s:[i], s:i}", "group", 5,
				      "epoch", 1, "ready", 1, "list", 3,
				      "more", 9), identity);
	hbfield_merge(rows, json_pack("{s:i, s:i, s:[i]}", "group", 5,
				      "epoch", 2, "list", 4), identity);
	check("one object over two messages is one row",
	      "[{\"group\":5,\"epoch\":1,\"ready\":true,\"list\":[1,2,3],\"more\":9},{\"group\":5,\"epoch\":2,\"list\":[4]}]",
	      rows);
}

/* What hbgenl_check() returns and says about a module. */
static int check_version(int interface, char *said, size_t len)
{
	json_t *version = json_pack("{s:s, s:i, s:i}", "version", "9.8.7",
				    "interface", interface, "wire", 1);
	int saved = dup(STDERR_FILENO);
	int pipes[2], ret;
	ssize_t n;

	if (saved < 0 || pipe(pipes))
		tap_bail_out("no pipe");
	dup2(pipes[1], STDERR_FILENO);
	close(pipes[1]);
	ret = hbgenl_check(&ctl, version);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(pipes[0], said, len - 1);
	said[n < 0 ? 0 : n] = '\0';
	close(pipes[0]);
	json_decref(version);
	return ret;
}

static void test_version(void)
{
	char said[512];

	ok(check_version(2, said, sizeof(said)) == HBCTL_OK && !*said,
	   "a module of this interface is taken");
	ok(check_version(3, said, sizeof(said)) == HBCTL_USAGE,
	   "a module of another interface is refused");
	check("it is told in one sentence",
	      "\"hbcastctl: hbcastctl " HBCAST_VERSION
	      " speaks interface 2 and the loaded module 9.8.7 interface 3: install both from the same release\\n\"",
	      json_string(said));
}

int main(void)
{
	test_plan();
	test_values();
	test_merge();
	test_version();
	return tap_done();
}
