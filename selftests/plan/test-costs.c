// SPDX-License-Identifier: GPL-2.0-or-later
/* Cost matrices: what is read, what is written, what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "helper.h"

/* The nodes stand in descending order: reading must put them in ascending. */
static const char good[] =
	"{'hbcast':'costs','version':1,'nodes':[\n"
	"{'id':7,'name':'seven','address':'10.0.0.7','port':7311},\n"
	"{'id':3,'send_overhead_us':1.5,'recv_overhead_us':2}],\n"
	"'latency_us':[[0,120.5],[80,0]],\n"
	"'bandwidth_mbps':[[null,941.2],[10,null]]}";

static int load(const char *text, const struct hbp_warn *warn,
		struct hbp_error *err)
{
	struct hbp_costs *costs;
	int ret = hbp_costs_parse(text, strlen(text), "x", warn, &costs, err);

	if (!ret)
		hbp_costs_free(costs);
	return ret;
}

static int load_file(const char *path, struct hbp_error *err)
{
	struct hbp_costs *costs;
	int ret = hbp_costs_load(path, NULL, &costs, err);

	if (!ret)
		hbp_costs_free(costs);
	return ret;
}

#define ID	"an integer from 0 to 4294967295"
#define NAME	"1 to 63 characters without control characters"
#define PORT	"an integer from 1 to 65535"
#define US	"microseconds from 0 to 1000000000"
#define MBPS	"null or Mbit/s from 0.000001 to 10000000"

static const struct refusal refusals[] = {
	{ "another kind", "'costs'", "'plan'",
	  "hbcast must be 'costs', not 'plan'" },
	{ "no kind", "'hbcast'", "'hbc'",
	  "hbcast is missing, it must be 'costs'" },
	{ "another version", "'version':1", "'version':2",
	  "version must be 1, not 2" },
	{ "headers that are a number", "'version':1", "'version':1,'headers':0",
	  "headers must be true or false, not 0" },
	{ "a version that is text", "'version':1", "'version':'1'",
	  "version must be 1, not '1'" },
	{ "no nodes", "'nodes'", "'node'",
	  "nodes is missing, it must be an array of objects" },
	{ "nodes of the wrong type", "'nodes':[", "'nodes':{'id':1},'n':[",
	  "nodes must be an array of objects, not {'id':1}" },
	{ "one node", "{'id':7,'name':'seven','address':'10.0.0.7','port':7311},",
	  "", "nodes must hold 2 to 4096 nodes, not 1" },
	{ "a node that is a number", "{'id':3,", "2,{'id':3,",
	  "nodes[1] must be an object, not 2" },
	{ "no id", "'id':7", "'idd':7",
	  "nodes[0].id is missing, it must be " ID },
	{ "a negative id", "'id':7", "'id':-1",
	  "nodes[0].id must be " ID ", not -1" },
	{ "an id with a fraction", "'id':3", "'id':1.5",
	  "nodes[1].id must be " ID ", not 1.5" },
	{ "an id beyond 32 bits", "'id':7", "'id':4294967296",
	  "nodes[0].id must be " ID ", not 4294967296" },
	{ "an id given twice", "'id':7", "'id':3",
	  "nodes: id 3 is given to two nodes" },
	{ "a name that breaks lines", "seven", "a\\nb",
	  "nodes[0].name must be " NAME ", not 'a\\nb'" },
	{ "an empty address", "10.0.0.7", "",
	  "nodes[0].address must be " NAME ", not ''" },
	{ "a port of 0", "7311", "0", "nodes[0].port must be " PORT ", not 0" },
	{ "a port of 65536", "7311", "65536",
	  "nodes[0].port must be " PORT ", not 65536" },
	{ "a negative overhead", "_us':2}", "_us':-0.5}",
	  "nodes[1].recv_overhead_us must be " US ", not -0.5" },
	{ "no latencies", "'latency_us'", "'latency'",
	  "latency_us is missing, it must be an array of arrays" },
	{ "latencies of the wrong type", "[[0,120.5],[80,0]]", "3",
	  "latency_us must be an array of arrays, not 3" },
	{ "too few rows", "[[0,120.5],[80,0]]", "[[0,120.5]]",
	  "latency_us must have 2 rows, as many as nodes, not 1" },
	{ "too many columns", "[10,null]", "[10,null,1]",
	  "bandwidth_mbps[1] must have 2 columns, as many as nodes, not 3" },
	{ "a row that is a number", "[80,0]", "1",
	  "latency_us[1] must be an array, not 1" },
	{ "a negative latency", "[80,0]", "[-2,0]",
	  "latency_us[1][0] must be " US ", not -2" },
	{ "a huge latency", "[80,0]", "[1e10,0]",
	  "latency_us[1][0] must be " US ", not 10000000000.0" },
	{ "a latency that is text", "120.5", "'1'",
	  "latency_us[0][1] must be " US ", not '1'" },
	{ "a latency missing where there is a link", "120.5", "null",
	  "latency_us[0][1] must be " US ", not null" },
	{ "a bandwidth of 0", "941.2", "0",
	  "bandwidth_mbps[0][1] must be " MBPS ", not 0" },
	{ "a negative bandwidth", "941.2", "-1",
	  "bandwidth_mbps[0][1] must be " MBPS ", not -1" },
	{ "a huge bandwidth", "[10,null]", "[1e8,null]",
	  "bandwidth_mbps[1][0] must be " MBPS ", not 100000000.0" },
	{ "a bandwidth that is text, on the diagonal", "[10,null]", "[10,'x']",
	  "bandwidth_mbps[1][1] must be " MBPS ", not 'x'" },
};

/* Numbers that JSON does not have; where they are is jansson's business. */
static void check_numbers(void)
{
	static const char *const bad[] = { "NaN", "Infinity", "-Infinity", "1e999" };
	char text[300], *json = quoted(good), *at = strstr(json, "941.2");
	struct hbp_error err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - json), json,
			 bad[i], at + 5);
		ok(load(text, NULL, &err) < 0 &&
		   !strncmp(err.text, "x: line 5, column ", 18) &&
		   strstr(err.text, ": not JSON: "), "refused: %s", bad[i]);
	}
	free(json);
}

static void check_good(void)
{
	struct hbp_input *in = make_input(good);
	const struct hbp_costs *c = in->costs;

	ok(c->n == 2 && c->nodes[0].id == 3 && c->nodes[1].id == 7,
	   "nodes are in ascending order");
	ok(!strcmp(c->nodes[1].name, "seven") &&
	   !strcmp(c->nodes[1].address, "10.0.0.7") &&
	   c->nodes[1].port == 7311 && !c->nodes[0].name &&
	   !c->nodes[0].address && !c->nodes[0].port,
	   "name, address and port are those of the file");
	ok(c->nodes[0].send_overhead_ns == 1500 &&
	   c->nodes[0].recv_overhead_ns == 2000 &&
	   !c->nodes[1].send_overhead_ns, "overheads are nanoseconds");
	/* The file's first row is node 7, its second column node 3. */
	ok(c->latency_ns[1 * 2 + 0] == 120500 && c->latency_ns[0 * 2 + 1] == 80000,
	   "latencies went with their nodes");
	ok(c->bandwidth_bps[1 * 2 + 0] == 941200000 &&
	   c->bandwidth_bps[0 * 2 + 1] == 10000000,
	   "bandwidths went with their nodes");
	ok(c->bandwidth_bps[0] == 0 && c->bandwidth_bps[3] == 0,
	   "no node has a link to itself");
	/* 125 bytes at 10 Mbit/s are 100 us; latency 80 us, o_s 1.5 us. */
	ok(hbp_costs_pair_ns(c, 0, 1, 125) == 181500,
	   "completion time of a pair: latency, size / bandwidth, o_s");
	/* 125 bytes at 941.2 Mbit/s are 1062.47 ns; latency 120.5, o_r 2 us. */
	ok(hbp_costs_pair_ns(c, 1, 0, 125) == 123562,
	   "completion time of a pair: latency, size / bandwidth, o_r");
	hbp_input_free(in);
}

static bool same_costs(const struct hbp_costs *a, const struct hbp_costs *b)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (a->nodes[i].id != b->nodes[i].id ||
		    a->nodes[i].port != b->nodes[i].port ||
		    a->nodes[i].send_overhead_ns != b->nodes[i].send_overhead_ns ||
		    a->nodes[i].recv_overhead_ns != b->nodes[i].recv_overhead_ns)
			return false;
	return a->n == b->n &&
	       !memcmp(a->latency_ns, b->latency_ns, a->n * a->n * 8) &&
	       !memcmp(a->bandwidth_bps, b->bandwidth_bps, a->n * a->n * 8);
}

static void check_round_trip(const char *path)
{
	struct luck luck = { 1 };
	struct hbp_costs *back;
	struct hbp_error err;
	struct hbp_input *in;
	size_t same = 0, n;

	for (n = 2; n < 12; n++) {
		in = random_costs(&luck, n, n & 1);
		if (hbp_costs_save(in->costs, path, &err) ||
		    hbp_costs_load(path, NULL, &back, &err))
			tap_bail_out("%s", err.text);
		same += same_costs(in->costs, back);
		hbp_costs_free(back);
		hbp_input_free(in);
	}
	ok(same == 10, "what is saved is what is loaded");
	in = random_costs(&luck, 2, false);
	ok(hbp_costs_save(in->costs, "/nowhere/x.json", &err) < 0 &&
	   !strcmp(err.text, "/nowhere/x.json: cannot be written: No such file or directory"),
	   "a file that cannot be written is told");
	hbp_input_free(in);
}

int main(void)
{
	static const char odd[] =
		"{'hbcast':'costs','version':1,'comment':1,'a\\nb':2,\n"
		"'nodes':[{'id':7},{'id':3,'colour':1}],\n"
		"'latency_us':[[0,1],[1,0]],'bandwidth_mbps':[[1,1],[1,1]]}";
	static const char *const warnings[] = {
		"x: comment is not known and is ignored",
		"x: a?b is not known and is ignored",
		"x: nodes[1].colour is not known and is ignored",
	};
	char path[] = "/tmp/hbplan-costs-XXXXXX";

	if (mkstemp(path) < 0)
		tap_bail_out("no temporary file");
	check_good();
	check_round_trip(path);
	unlink(path);
	check_numbers();
	check_refusals(load, good, refusals,
		       sizeof(refusals) / sizeof(refusals[0]));
	check_broken(load, load_file, good);
	check_warnings(load, odd, warnings, 3);
	return tap_done();
}
