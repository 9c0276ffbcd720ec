// SPDX-License-Identifier: GPL-2.0-or-later
/* Platforms: what is read, what is refused, and where routes lead. */
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"
#include "ways.h"

static const char good[] =
	"{'hbcast':'platform','version':1,'nodes':[\n"
	"{'id':10,'kind':'switch'},\n"
	"{'id':2,'kind':'host'},\n"
	"{'id':1,'kind':'host','name':'one'}],'links':[\n"
	"{'from':1,'to':10,'bandwidth_mbps':100,'latency_us':1.5},\n"
	"{'from':10,'to':1,'bandwidth_mbps':10,'latency_us':50},\n"
	"{'from':2,'to':10,'bandwidth_mbps':20,'latency_us':7,'symmetric':true}]}";

static int load(const char *text, const struct hbp_warn *warn,
		struct hbp_error *err)
{
	struct hbp_platform *platform;
	int ret = hbp_platform_parse(text, strlen(text), "x", warn, &platform,
				     err);

	if (!ret)
		hbp_platform_free(platform);
	return ret;
}

static int load_file(const char *path, struct hbp_error *err)
{
	struct hbp_platform *platform;
	int ret = hbp_platform_load(path, NULL, &platform, err);

	if (!ret)
		hbp_platform_free(platform);
	return ret;
}

#define ID	"an integer from 0 to 4294967295"
#define MTU	"a whole number of bytes from 256 to 65535"

static const struct refusal refusals[] = {
	{ "another kind", "'platform'", "'costs'",
	  "hbcast must be 'platform', not 'costs'" },
	{ "another version", "'version':1", "'version':1.0",
	  "version must be 1, not 1.0" },
	{ "no nodes", "'nodes':[", "'n':[",
	  "nodes is missing, it must be an array of objects" },
	{ "no links", "'links':[", "'l':[",
	  "links is missing, it must be an array of objects" },
	{ "links of the wrong type", "'links':[", "'links':0,'l':[",
	  "links must be an array of objects, not 0" },
	{ "one host", "{'id':2,'kind':'host'}", "{'id':2,'kind':'switch'}",
	  "nodes must hold at least 2 of kind 'host', not 1" },
	{ "a node that is text", "{'id':2,'kind':'host'}", "'host'",
	  "nodes[1] must be an object, not 'host'" },
	{ "no id", "{'id':2,", "{",
	  "nodes[1].id is missing, it must be " ID },
	{ "an id that is text", "'id':2", "'id':'2'",
	  "nodes[1].id must be " ID ", not '2'" },
	{ "an id given twice", "'id':2", "'id':10",
	  "nodes: id 10 is given to two nodes" },
	{ "no kind of node", "'id':2,'kind'", "'id':2,'k'",
	  "nodes[1].kind is missing, it must be 'host' or 'switch'" },
	{ "a kind that is none", "'switch'", "'router'",
	  "nodes[0].kind must be 'host' or 'switch', not 'router'" },
	{ "a name that is a number", "'one'", "1",
	  "nodes[2].name must be 1 to 63 characters without control characters, not 1" },
	{ "an overhead that is negative", "'name':'one'", "'send_overhead_us':-1",
	  "nodes[2].send_overhead_us must be microseconds from 0 to 1000000000, not -1" },
	{ "an overhead that is text", "'name':'one'", "'recv_overhead_us':'1'",
	  "nodes[2].recv_overhead_us must be microseconds from 0 to 1000000000, not '1'" },
	{ "a link that is an array", "{'from':1,", "[1],{'from':1,",
	  "links[0] must be an object, not [1]" },
	{ "no end", "'from':1,'to':10", "'from':1",
	  "links[0].to is missing, it must be " ID },
	{ "a negative end", "'from':1,", "'from':-1,",
	  "links[0].from must be " ID ", not -1" },
	{ "an end that is not there", "'from':1,'to':10", "'from':1,'to':11",
	  "links[0].to: there is no node 11 in nodes" },
	{ "a link to itself", "'from':1,'to':10", "'from':1,'to':1",
	  "links[0].to: node 1 is joined to itself" },
	{ "a link given twice", "'from':10,'to':1,", "'from':10,'to':2,",
	  "links: the link from 10 to 2 is given twice" },
	{ "no bandwidth", "'bandwidth_mbps':10,", "",
	  "links[1].bandwidth_mbps is missing, it must be Mbit/s from 0.000001 to 10000000" },
	{ "a bandwidth of 0", "_mbps':10,", "_mbps':0,",
	  "links[1].bandwidth_mbps must be Mbit/s from 0.000001 to 10000000, not 0" },
	{ "a huge bandwidth", "_mbps':10,", "_mbps':1e300,",
	  "links[1].bandwidth_mbps must be Mbit/s from 0.000001 to 10000000, not 1e300" },
	{ "a negative latency", "_us':50", "_us':-1e-9",
	  "links[1].latency_us must be microseconds from 0 to 1000000000, not -1e-9" },
	{ "a latency that is null", "_us':50", "_us':null",
	  "links[1].latency_us must be microseconds from 0 to 1000000000, not null" },
	{ "symmetric that is a number", "true", "1",
	  "links[2].symmetric must be true or false, not 1" },
	{ "a small MTU", "_us':50", "_us':50,'mtu':255", "links[1].mtu must be " MTU ", not 255" },
	{ "a large MTU", "_us':50", "_us':50,'mtu':65536",
	  "links[1].mtu must be " MTU ", not 65536" },
	{ "an MTU that is text", "_us':50", "_us':50,'mtu':'9000'",
	  "links[1].mtu must be " MTU ", not '9000'" },
	{ "half of a byte", "_us':50", "_us':50,'mtu':1500.5",
	  "links[1].mtu must be " MTU ", not 1500.5" },
	{ "headers that are text", "'version':1", "'version':1,'headers':'no'",
	  "headers must be true or false, not 'no'" },
};

static void check_good(void)
{
	struct hbp_input *in = make_input(good);
	const struct hbp_platform *p = in->platform;
	const struct hbp_link *link;

	ok(p->n == 3 && p->n_hosts == 2 && p->nodes[0].id == 1 &&
	   p->nodes[1].id == 2 && p->nodes[2].id == 10 && p->nodes[0].host &&
	   p->nodes[1].host && !p->nodes[2].host && p->hosts[0] == 0 &&
	   p->hosts[1] == 1, "nodes are in ascending order");
	ok(!strcmp(p->nodes[0].name, "one") && !p->nodes[1].name,
	   "names went with their nodes");
	ok(p->n_links == 4, "a symmetric link counts as two");
	link = hbp_platform_link(p, 0, 2);
	ok(link && link->bandwidth_bps == 100000000 && link->latency_ns == 1500,
	   "one direction");
	link = hbp_platform_link(p, 2, 0);
	ok(link && link->bandwidth_bps == 10000000 && link->latency_ns == 50000,
	   "the other direction");
	link = hbp_platform_link(p, 2, 1);
	ok(link && link->bandwidth_bps == 20000000 && link->latency_ns == 7000,
	   "the other direction of a symmetric link");
	ok(!hbp_platform_link(p, 0, 1), "no link where there is none");
	hbp_input_free(in);
}

/* The pairs of hosts 1 and 2 as latency in ns and bandwidth in Mbit/s. */
static void check_route(const char *what, const char *text, int64_t ns,
			int64_t mbps)
{
	struct hbp_input *in = make_input(text);
	const struct hbp_costs *c;
	struct hbp_error err;

	if (hbp_input_costs(in, &c, &err))
		tap_bail_out("%s", err.text);
	if (!ok(c->latency_ns[1] == ns && c->bandwidth_bps[1] == mbps * 1000000,
		"%s", what))
		printf("# %lld ns, %lld bit/s\n", (long long)c->latency_ns[1],
		       (long long)c->bandwidth_bps[1]);
	hbp_input_free(in);
}

/* What counts headers is written as it was read, and links that differ in it are two. */
static void check_wire(void)
{
	static const char text[] =
		"{'hbcast':'platform','version':1,'headers':false,'nodes':[\n"
		"{'id':1,'kind':'host'},{'id':2,'kind':'host'}],'links':[\n"
		"{'from':1,'to':2,'bandwidth_mbps':8,'latency_us':1,'mtu':9000},\n"
		"{'from':2,'to':1,'bandwidth_mbps':8,'latency_us':1}]}";
	struct hbp_input *in = make_input(text), *again;
	const struct hbp_costs *c;
	struct hbp_error err;
	char *written;

	written = hbp_platform_text(in->platform);
	again = make_input(written);
	ok(again->platform->bare && hbp_link_mtu(&again->platform->links[0]) == 9000 &&
	   hbp_link_mtu(&again->platform->links[1]) == 1500, "headers and MTUs are written");
	free(written);
	if (hbp_input_costs(in, &c, &err))
		tap_bail_out("%s", err.text);
	written = hbp_costs_text(c);
	ok(strstr(written, "\"headers\": false") && strstr(written, "8"),
	   "a matrix of bandwidths of payload says so, too");
	free(written);
	hbp_input_free(again);
	hbp_input_free(in);
}

/* Overheads of hosts are those of the matrix, also when the platform was written. */
static void check_overheads(void)
{
	static const char text[] =
		"{'hbcast':'platform','version':1,'nodes':[\n"
		"{'id':1,'kind':'host','send_overhead_us':1.5,'recv_overhead_us':2},\n"
		"{'id':2,'kind':'host'},{'id':9,'kind':'switch'}],'links':[\n"
		"{'from':1,'to':9,'bandwidth_mbps':8,'latency_us':1,'symmetric':true},\n"
		"{'from':2,'to':9,'bandwidth_mbps':8,'latency_us':1,'symmetric':true}]}";
	struct hbp_input *in = make_input(text), *again;
	const struct hbp_costs *c;
	struct hbp_error err;
	char *written;

	if (hbp_input_costs(in, &c, &err))
		tap_bail_out("%s", err.text);
	ok(c->nodes[0].send_overhead_ns == 1500 && c->nodes[0].recv_overhead_ns == 2000 &&
	   !c->nodes[1].send_overhead_ns && !c->nodes[1].recv_overhead_ns,
	   "overheads of hosts are those of the matrix");
	written = hbp_platform_text(in->platform);
	again = make_input(written);
	ok(again->platform->nodes[0].send_overhead_ns == 1500 &&
	   again->platform->nodes[0].recv_overhead_ns == 2000 &&
	   !again->platform->nodes[1].recv_overhead_ns, "and are written");
	free(written);
	hbp_input_free(again);
	hbp_input_free(in);
}

/* Bandwidths tell which way the route went. */
static void check_routes(void)
{
	check_route("latency is the sum, bandwidth the least", good, 8500, 20);
	check_route("of equal latencies the route with fewer links",
		    "{'hbcast':'platform','version':1,'nodes':[\n"
		    "{'id':1,'kind':'host'},{'id':2,'kind':'host'},\n"
		    "{'id':3,'kind':'switch'},{'id':4,'kind':'switch'},\n"
		    "{'id':5,'kind':'switch'}],'links':[\n"
		    "{'from':1,'to':3,'bandwidth_mbps':3,'latency_us':1},\n"
		    "{'from':3,'to':4,'bandwidth_mbps':3,'latency_us':1},\n"
		    "{'from':4,'to':2,'bandwidth_mbps':3,'latency_us':1},\n"
		    "{'from':1,'to':5,'bandwidth_mbps':5,'latency_us':1},\n"
		    "{'from':5,'to':2,'bandwidth_mbps':5,'latency_us':2}]}",
		    3000, 5);
	check_route("of equal routes the one by the lowest neighbour of the end",
		    "{'hbcast':'platform','version':1,'nodes':[\n"
		    "{'id':1,'kind':'host'},{'id':2,'kind':'host'},\n"
		    "{'id':7,'kind':'switch'},{'id':4,'kind':'switch'},\n"
		    "{'id':5,'kind':'switch'},{'id':6,'kind':'switch'}],'links':[\n"
		    "{'from':1,'to':7,'bandwidth_mbps':7,'latency_us':1},\n"
		    "{'from':7,'to':4,'bandwidth_mbps':7,'latency_us':1},\n"
		    "{'from':4,'to':2,'bandwidth_mbps':7,'latency_us':1},\n"
		    "{'from':1,'to':5,'bandwidth_mbps':5,'latency_us':1},\n"
		    "{'from':5,'to':6,'bandwidth_mbps':5,'latency_us':1},\n"
		    "{'from':6,'to':2,'bandwidth_mbps':5,'latency_us':1}]}",
		    3000, 7);
	check_route("hosts do not pass on what is not for them",
		    "{'hbcast':'platform','version':1,'nodes':[\n"
		    "{'id':1,'kind':'host'},{'id':2,'kind':'host'},\n"
		    "{'id':3,'kind':'host'},{'id':4,'kind':'switch'}],'links':[\n"
		    "{'from':1,'to':3,'bandwidth_mbps':3,'latency_us':0},\n"
		    "{'from':3,'to':2,'bandwidth_mbps':3,'latency_us':0},\n"
		    "{'from':1,'to':4,'bandwidth_mbps':4,'latency_us':9},\n"
		    "{'from':4,'to':2,'bandwidth_mbps':4,'latency_us':9}]}",
		    18000, 4);
	check_route("no route is no link",
		    "{'hbcast':'platform','version':1,'nodes':[\n"
		    "{'id':1,'kind':'host'},{'id':2,'kind':'host'}],'links':[\n"
		    "{'from':2,'to':1,'bandwidth_mbps':1,'latency_us':1}]}",
		    HBP_NEVER, 0);
}

/* Too many nodes for any file: told before anything is made of them. */
static void check_too_many(void)
{
	struct hbp_error err;
	char *text = NULL;
	size_t len, i;
	FILE *f;
	int ret;

	f = open_memstream(&text, &len);
	fputs("{\"hbcast\":\"platform\",\"version\":1,\"links\":[],\"nodes\":[0", f);
	for (i = 1; i < 100000; i++)
		fputs(",0", f);
	fputs("]}", f);
	fclose(f);
	ret = load(text, NULL, &err);
	ok(ret < 0 && !strcmp(err.text,
			      "x: nodes must hold 2 to 32768 nodes, not 100000"),
	   "refused: 100000 nodes");
	free(text);
}

/* Is a way the links of a route, last link first? */
static bool is_route(const struct hbp_platform *p, const struct hbp_routes *r,
		     size_t from, size_t to, const struct hbp_ways *ways)
{
	size_t at = to, n = 0, i;

	for (; at != from; at = p->links[r->last[at]].from, n++) {
		for (i = 0; i < ways->n_path && ways->path[i] != r->last[at];)
			i++;
		if (i == ways->n_path)
			return false;
	}
	return n == ways->n_path;
}

/* Of one host: all its ways, and routes that are found one after the other. */
static bool ways_are_routes(const struct hbp_platform *p, size_t from,
			    struct hbp_ways *ways, struct luck *luck)
{
	struct hbp_routes *all = hbp_routes_alloc(p), *few = hbp_routes_alloc(p);
	bool good = true;
	size_t i, to, at;

	hbp_routes_find(p, from, false, all);
	hbp_routes_begin(p, from, few);
	for (i = 0; i < p->n_hosts; i++) {
		to = p->hosts[draw_below(luck, (uint32_t)p->n_hosts)];
		if (to == from)
			continue;
		hbp_routes_extend(p, to, false, few);
		for (at = to; at != from && all->last[at] != HBP_NONE &&
		     few->last[at] == all->last[at];)
			at = p->links[all->last[at]].from;
		good = good && few->latency_ns[to] == all->latency_ns[to] &&
		       (at == from || all->last[to] == HBP_NONE);
		if (all->last[to] == HBP_NONE)
			good = good && hbp_ways_find(ways, from, to);
		else
			good = good && !hbp_ways_find(ways, from, to) &&
			       is_route(p, all, from, to, ways);
	}
	hbp_routes_free(all);
	hbp_routes_free(few);
	return good;
}

/* Hosts that share their switch's routes have those of their own. */
static void check_ways(void)
{
	struct luck luck = { 11 };
	struct hbp_platform *p;
	struct hbp_ways *ways;
	struct hbp_input *in;
	bool good = true;
	size_t round, i;

	for (round = 0; good && round < 300; round++) {
		in = random_platform(&luck, 2 + draw_below(&luck, 20),
				     1 + draw_below(&luck, 6),
				     draw_below(&luck, 8), draw_below(&luck, 2));
		p = in->platform;
		ways = hbp_ways_alloc(p);
		for (i = 0; good && i < p->n_hosts; i++)
			good = ways_are_routes(p, p->hosts[i], ways, &luck);
		hbp_ways_free(ways);
		hbp_input_free(in);
	}
	ok(good, "ways: those of 300 random platforms are the routes of each host");
}

int main(void)
{
	static const char odd[] =
		"{'hbcast':'platform','version':1,'burrow':{},'nodes':[\n"
		"{'id':1,'kind':'host','speed':{}},{'id':2,'kind':'host'}],\n"
		"'links':[{'from':1,'to':2,'bandwidth_mbps':1,'latency_us':0,\n"
		"'latency_ms':4}]}";
	static const char hnow[] =
		"{'hbcast':'platform','version':1,'wormhole':{},'nodes':[\n"
		"{'id':1,'kind':'host','speed':{}},{'id':2,'kind':'host','speed':{}}],\n"
		"'links':[{'from':1,'to':2,'bandwidth_mbps':1,'latency_us':0}]}";
	static const char *const ignored =
		"x: wormhole and the speed of hosts count for planning only and are ignored";
	static const char *const warnings[] = {
		"x: burrow is not known and is ignored",
		"x: nodes[0].speed is not known and is ignored",
		"x: links[0].latency_ms is not known and is ignored",
	};

	check_good();
	check_overheads();
	check_wire();
	check_routes();
	check_ways();
	check_too_many();
	check_refusals(load, good, refusals,
		       sizeof(refusals) / sizeof(refusals[0]));
	check_broken(load, load_file, good);
	check_warnings(load, odd, warnings, 3);
	check_warnings(load, hnow, &ignored, 1);
	return tap_done();
}
