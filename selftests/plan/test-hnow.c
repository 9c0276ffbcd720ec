// SPDX-License-Identifier: GPL-2.0-or-later
/* HNOWs: what is read and refused, and the worked example of paper 004. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "dcn.h"
#include "helper.h"
#include "rotation.h"
#include "spanning.h"

#define FLITS	2048

/* Hosts 1 and 3 at switch 10, host 2 at switch 11; 12 has none. */
static const char good[] =
	"{'hbcast':'platform','version':1,'wormhole':{'const_us':16,'byte_us':0.125},'nodes':[\n"
	"{'id':10,'kind':'switch'},{'id':11,'kind':'switch'},{'id':12,'kind':'switch'},\n"
	"{'id':3,'kind':'host','name':'three','speed':{'send_const_us':90,'send_byte_us':0.4,'recv_const_us':140,'recv_byte_us':0.32}},\n"
	"{'id':2,'kind':'host','speed':{'send_const_us':1,'send_byte_us':0,'recv_const_us':0,'recv_byte_us':0.000001}},\n"
	"{'id':1,'kind':'host','speed':{'send_const_us':60,'send_byte_us':0.05,'recv_const_us':110,'recv_byte_us':0.03}}],'links':[\n"
	"{'from':1,'to':10,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':10,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':10,'to':12,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':12,'to':11,'bandwidth_mbps':100,'latency_us':1},\n"
	"{'from':11,'to':12,'bandwidth_mbps':50,'latency_us':1},\n"
	"{'from':2,'to':11,'bandwidth_mbps':100,'latency_us':1,'symmetric':true}]}";

#define US	"microseconds from 0 to 1000000000"
#define BYTE	"microseconds from 0 to 1000"
#define WHY	", as wormhole makes this an HNOW"
#define ALONE	" must be joined to one switch and nothing else" WHY

static const struct refusal refusals[] = {
	{ "wormhole that is a number", "{'const_us':16,'byte_us':0.125}", "5",
	  "wormhole must be an object, not 5" },
	{ "no constant of the network", "'const_us':16,", "",
	  "wormhole.const_us is missing, it must be " US },
	{ "a negative time of a byte", "'byte_us':0.125", "'byte_us':-1",
	  "wormhole.byte_us must be " BYTE ", not -1" },
	{ "a host without speed", "'name':'three','speed'", "'speeds'",
	  "nodes[3].speed is missing, it must be an object" WHY },
	{ "a speed that is text", "'recv_byte_us':0.000001}", "'recv_byte_us':'x'}",
	  "nodes[4].speed.recv_byte_us must be " BYTE ", not 'x'" },
	{ "a speed without a constant", "'send_const_us':60,", "",
	  "nodes[5].speed.send_const_us is missing, it must be " US },
	{ "a huge time of a byte", "'send_byte_us':0.05", "'send_byte_us':1001",
	  "nodes[5].speed.send_byte_us must be " BYTE ", not 1001" },
	{ "a link that has none back", "{'from':11,'to':12,", "{'from':11,'to':10,",
	  "links: the link from 11 to 10 must have one back" WHY },
	{ "a host at two switches", "{'from':10,'to':12,", "{'from':1,'to':12,",
	  "links: host 1" ALONE },
	{ "a host at a host", "{'from':2,'to':11,", "{'from':2,'to':3,",
	  "links: host 2" ALONE },
	{ "a host without a link",
	  ",\n{'from':2,'to':11,'bandwidth_mbps':100,'latency_us':1,'symmetric':true}",
	  "",
	  "links: host 2" ALONE },
	{ "two parts",
	  "{'from':10,'to':12,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n",
	  "",
	  "links: no way leads from host 2 to host 3" },
	{ "what is wrong in a platform", "'id':11,", "'id':10,",
	  "nodes: id 10 is given to two nodes" },
};

static int load(const char *text, const struct hbp_warn *warn,
		struct hbp_error *err)
{
	struct hbp_input *in;
	int ret = hbp_input_parse(text, strlen(text), "x", warn, &in, err);

	if (!ret)
		hbp_input_free(in);
	return ret;
}

static int load_file(const char *path, struct hbp_error *err)
{
	struct hbp_input *in;
	int ret = hbp_input_load(path, NULL, &in, err);

	if (!ret)
		hbp_input_free(in);
	return ret;
}

static void check_good(void)
{
	struct hbp_input *in = make_input(good);
	const struct hbp_hnow *h = in->hnow;
	const struct hbp_costs *c = in->costs;

	ok(in->kind == (HBP_INPUT_HNOW | HBP_INPUT_COSTS) && in->n == 3 &&
	   in->members[0] == 1 && in->members[2] == 3 && !in->platform,
	   "an HNOW is known by its wormhole");
	ok(h->const_ns == 16000 && h->byte_ps == 125000 &&
	   h->speeds[0].send_const_ns == 60000 && h->speeds[0].send_byte_ps == 50000 &&
	   h->speeds[0].recv_const_ns == 110000 && h->speeds[0].recv_byte_ps == 30000 &&
	   h->speeds[1].recv_byte_ps == 1 && h->speeds[2].send_const_ns == 90000,
	   "speeds went with their hosts");
	ok(hbp_hnow_path(h, 0, 2) == 2 && hbp_hnow_path(h, 0, 1) == 4 &&
	   hbp_hnow_path(h, 1, 2) == 4, "the length of a way is its links");
	/* 60 + 0.05 * 2048 + 16 + 0.125 * (2048 + 2) + 140 + 0.32 * 2048 */
	ok(hbp_hnow_pair_ns(h, 0, 2, FLITS) == 1230010,
	   "sending, way and receiving add up");
	/* 8 bits each 0.05 + 0.125 + 0.32 us: 16161616 bit/s; 16 + 2 * 0.125. */
	ok(c->bandwidth_bps[2] == 16161616 && c->latency_ns[2] == 16250 &&
	   c->nodes[0].send_overhead_ns == 60000 &&
	   c->nodes[2].recv_overhead_ns == 140000 &&
	   !strcmp(c->nodes[2].name, "three"), "what pairs cost");
	ok(!strcmp(hbp_input_label(in, 3), "three"), "names went with their hosts");
	hbp_input_free(in);
}

static void check_written(void)
{
	struct hbp_input *in = make_input(good), *again;
	char *first = hbp_hnow_text(in->hnow), *second;

	again = make_input(first);
	second = hbp_hnow_text(again->hnow);
	ok(strstr(first, "\"wormhole\": {\"const_us\": 16.0, \"byte_us\": 0.125}") &&
	   again->hnow->speeds[1].recv_byte_ps == 1 && !strcmp(first, second),
	   "what is written is read");
	free(first);
	free(second);
	hbp_input_free(in);
	hbp_input_free(again);
}

/*
 * The example of the paper: switches s1 to s5 are 101 to 105, speeds are types 1
 * to 3 of table IV.
 */
static const unsigned int type_of[] = {
	0, 3, 1, 2, 2, 3, 1, 2, 1, 3, 1, 3, 2, 2, 1, 3, 3
};

static const unsigned int switch_of[] = {
	0, 1, 1, 1, 5, 5, 5, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4
};

static const char *const speeds[] = {
	"", "'send_const_us':60,'send_byte_us':0.05,'recv_const_us':110,'recv_byte_us':0.03",
	"'send_const_us':90,'send_byte_us':0.40,'recv_const_us':140,'recv_byte_us':0.32",
	"'send_const_us':120,'send_byte_us':1.6,'recv_const_us':170,'recv_byte_us':1.28",
};

/*
 * Sections 2 and 3 have postorder s2 s1 s5 s3 s4, as from s4 in the ring below;
 * section 4 has s2 s5 s3 s4 s1, as from s1.
 */
static const char ring[] = "101-102 101-104 103-104 103-105 102-105";
static const char star[] = "101-102 101-103 101-104 103-105 103-104";

static void write_link(FILE *f, unsigned int from, unsigned int to,
		       const char *behind)
{
	fprintf(f, "{'from':%u,'to':%u,'bandwidth_mbps':1,'latency_us':1,", from,
		to);
	fprintf(f, "'symmetric':true}%s", behind);
}

/* Links such as "1-101 101-102", and the end of the file. */
static void write_links(FILE *f, const char *links)
{
	unsigned int from, to;
	int used;

	while (sscanf(links, " %u-%u%n", &from, &to, &used) == 2) {
		links += used;
		write_link(f, from, to, *links ? "," : "]}");
	}
}

static struct hbp_input *example(const char *links)
{
	char *text = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,", f);
	fputs("'wormhole':{'const_us':16,'byte_us':0.125},", f);
	fputs("'nodes':[{'id':101,'kind':'switch'}", f);
	for (i = 102; i <= 105; i++)
		fprintf(f, ",{'id':%zu,'kind':'switch'}", i);
	for (i = 1; i <= 16; i++)
		fprintf(f, ",{'id':%zu,'kind':'host','speed':{%s}}", i,
			speeds[type_of[i]]);
	fputs("],'links':[", f);
	for (i = 1; i <= 16; i++)
		write_link(f, (unsigned int)i, 100 + switch_of[i], ",");
	write_links(f, links);
	return close_input(f, &text);
}

static bool order_is(const struct hbp_hnow *h, const char *want)
{
	char got[64] = "";
	size_t i, at = 0;

	for (i = 0; i < h->tree->n_switches; i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%ss%u",
				       i ? " " : "",
				       h->platform->nodes[h->tree->postorder[i]].id - 100);
	if (strcmp(got, want))
		printf("# %s, not %s\n", got, want);
	return !strcmp(got, want);
}

/* A transfer of the example without hops in ns: between types, of bytes. */
static int64_t table_iv(unsigned int from, unsigned int to, int64_t bytes)
{
	static const int64_t of[][4] = {
		{ 0 }, { 60000, 50, 110000, 30 }, { 90000, 400, 140000, 320 },
		{ 120000, 1600, 170000, 1280 }
	};

	return of[from][0] + of[from][1] * bytes + 16000 + 125 * bytes +
	       of[to][2] + of[to][3] * bytes;
}

/* A transfer as printed in a table, in units of 10 ns, and what it really is. */
static const struct {
	const char *what;
	unsigned int from, to;
	int64_t bytes, right;
} transfers[] = {
	{ "table V, 8 to 5: 3225", 8, 5, 2048, 322584 },
	{ "table V, 5 to 14: 3840", 5, 14, 2048, 384024 },
	{ "table V, 5 to 12: 4464", 5, 12, 2048, 446416 },
	{ "table V, 12 to 11: 3972", 12, 11, 2048, 397264 },
	{ "table VI, 8 to 6: 605", 8, 6, 2048, 60584 },
	{ "table VI, 6 to 10: 605", 6, 10, 2048, 60584 },
	{ "table VI, 10 to 14: 605", 10, 14, 2048, 60584 },
	{ "table VI, 14 to 15: 3225", 14, 15, 2048, 322584 },
	{ "table VI, 15 to 16: 6460", 15, 16, 2048, 646024 },
	{ "table VII, 8 to 6: 396", 8, 6, 1024, 39592 },
	{ "table VII, 8 to 11: 1736", 8, 11, 1024, 173592 },
	{ "table VII, 11 to 15: 3383.12, not 3382", 11, 15, 1024, 338312 },
	{ "table VII, 15 to 3: 2370", 15, 3, 1024, 237008 },
	{ "tables VII and VIII, swap: 3383.12, not 3382", 15, 16, 1024, 338312 },
	{ "table VIII, 8 to 10: 396", 8, 10, 1024, 39592 },
	{ "table VIII, 10 to 13: 722.88, not 753", 10, 13, 1024, 72288 },
	{ "table VIII, 13 to 15: 2124", 13, 15, 1024, 212432 },
};

/* Each way's links cost 125 ns; the tables leave them out. */
static void check_transfers(const struct hbp_hnow *h)
{
	size_t i, from, to;
	int64_t ns;

	for (i = 0; i < sizeof(transfers) / sizeof(transfers[0]); i++) {
		from = transfers[i].from;
		to = transfers[i].to;
		ns = hbp_hnow_pair_ns(h, from - 1, to - 1,
				      (uint64_t)transfers[i].bytes);
		ok(ns - 125 * (int64_t)hbp_hnow_path(h, from - 1, to - 1) ==
		   10 * transfers[i].right &&
		   table_iv(type_of[from], type_of[to], transfers[i].bytes) ==
		   10 * transfers[i].right, "%s", transfers[i].what);
	}
}

/* When a host is done, in units of 10 ns without the hops on its way. */
static void is_done(const struct hbp_plan *plan, uint32_t id, int64_t right,
		    int64_t hops, const char *what)
{
	const struct hbp_evaluation *e = plan->predicted;
	size_t at = hbp_node_find(e->nodes, e->n, sizeof(*e->nodes), id);
	int64_t ns = e->nodes[at].completion_ns;

	if (!ok(e->model == HBP_MODEL_HNOW && ns == 10 * right + 125 * hops,
		"%s", what))
		printf("# %lld ns\n", (long long)ns);
}

static void has_edges(const struct hbp_plan *plan, const char *what,
		      const char *want)
{
	ok(edges_are(plan, want), "%s", what);
}

static void check_ebs(struct hbp_input *in)
{
	struct hbp_plan *plan = make_plan(in, "ebs", 8, FLITS);

	has_edges(plan, "ebs: the tree of figure 4",
		  "8-5 8-3 8-9 8-7 5-14 5-12 5-10 3-6 3-1 9-2 14-15 14-13 12-11 6-4 15-16");
	/* 8 s2 s5 5 s3 s4 14: 3 and 4 links; to 12: 3; 12 s3 11: 2. */
	is_done(plan, 11, 1550288, 3 + 4 + 3 + 2,
		"ebs: the path of table V takes 15502.88");
	/* 8 s2 s5 5 s3 s4 14 s4 15 s4 16 */
	is_done(plan, 16, 1675216, 3 + 4 + 2 + 2, "ebs: the longest takes 16752.16");
	ok(hbp_evaluation_slowest(plan->predicted)->id == 16,
	   "ebs: no other takes longer");
	hbp_plan_free(plan);
}

static void check_vbbs(struct hbp_input *in)
{
	struct hbp_plan *plan = make_plan(in, "vbbs", 8, FLITS);

	has_edges(plan, "vbbs: five buckets, as in figure 5",
		  "8-6 8-2 8-7 6-10 6-4 2-3 7-9 10-14 10-12 4-5 3-1 14-15 14-13 12-11 15-16");
	is_done(plan, 16, 1150360, 3 + 3 + 3 + 2 + 2,
		"vbbs: the longest path takes 11503.60");
	ok(hbp_evaluation_slowest(plan->predicted)->id == 16,
	   "vbbs: no other takes longer");
	hbp_plan_free(plan);
	/*
	 * Buckets are split by type 2 where it is not all that follows a head:
	 * only { 14 13 15 16 } is, into { 14 } and { 13 15 16 }, since { 8 7 9 }
	 * would be, too: into { 8 } { 7 9 }.
	 */
	plan = make_plan(in, "vbbswf", 8, FLITS);
	has_edges(plan, "vbbswf: each bucket again, by the next type",
		  "8-6 8-2 8-7 6-10 6-4 2-3 7-9 10-14 10-12 4-5 3-1 14-13 12-11 13-15 15-16");
	hbp_plan_free(plan);
}

/* The hops that the last host has waited for, and when it is done. */
static void check_waited(struct hbp_input *in, const char *name, const char *want,
			 int64_t right, int64_t links)
{
	struct hbp_plan *plan = make_plan(in, name, 8, FLITS);
	const struct hbp_path *path;
	struct hbp_explanation e;
	struct hbp_error err;
	char *got = NULL;
	size_t len, i;
	FILE *f;

	if (hbp_explain(plan, in, &e, &err))
		tap_bail_out("%s", err.text);
	path = &e.paths[0];
	f = open_memstream(&got, &len);
	for (i = 0; i < path->n; i++)
		fprintf(f, "%s%u-%u", i ? " " : "", path->hops[i].from,
			path->hops[i].to);
	fclose(f);
	ok(!strcmp(got, want), "%s: what the last host has waited for: %s", name,
	   got);
	ok(path->hops[path->n - 1].done_ns == 10 * right + 125 * links,
	   "%s: these add up to the end", name);
	free(got);
	hbp_explanation_clear(&e);
	hbp_plan_free(plan);
}

static void check_dcns(const struct hbp_input *in)
{
	static const unsigned int pairs[][2] = {
		{ 6, 4 }, { 5, 10 }, { 12, 11 }, { 14, 13 }, { 16, 15 },
		{ 8, 7 }, { 9, 2 }, { 3, 1 }
	};
	struct hbp_rotation rotation;
	struct hbp_dcns dcns;
	struct hbp_error err;
	size_t i, right = 0;

	if (hbp_rotation_init(&rotation, in, FLITS / 2, true, &err) ||
	    hbp_dcns_find(&rotation, &dcns, &err))
		tap_bail_out("%s", err.text);
	for (i = 0; i < 8; i++)
		right += dcns.partner[pairs[i][0] - 1] == pairs[i][1] - 1 &&
			 dcns.partner[pairs[i][1] - 1] == pairs[i][0] - 1;
	ok(right == 8 && dcns.single == HBP_NONE, "the DCNs of figure 6");
	/* 15 and 16, which are alike, have changed places. */
	for (i = 0, right = 0; i < 16; i++)
		right += dcns.side[i] == !strchr("\10\11\4\12\13\15\20\3", (int)i + 1);
	ok(right == 16, "the sub-networks of section 4.3");
	hbp_dcns_clear(&dcns);
	hbp_rotation_clear(&rotation);
}

static void check_two(struct hbp_input *in)
{
	struct hbp_plan *plan = make_plan(in, "two-ebs", 8, FLITS);

	has_edges(plan, "two-ebs: the tree of one side, and its exchanges",
		  "8-11 8-4 8-9 8-7 11-16 11-13 11-12 4-10 4-6 9-2 16-3 16-15 13-14 10-5 3-1");
	/* 8 s2 s1 s3 s5 6, 8 s2 s1 s3 11, 11 s3 s4 16, 16 s4 s1 3, and the swap. */
	is_done(plan, 15, 1126816, 5 + 4 + 3 + 3 + 2,
		"two-ebs: the longest takes 11268.16");
	is_done(plan, 16, 1126816, 5 + 4 + 3 + 3 + 2,
		"two-ebs: so it does for its partner");
	ok(hbp_evaluation_slowest(plan->predicted)->id == 15,
	   "two-ebs: no other takes longer");
	hbp_plan_free(plan);
	plan = make_plan(in, "two-vbbs", 8, FLITS);
	has_edges(plan, "two-vbbs: the tree of one side, and its exchanges",
		  "8-10 8-9 8-7 10-13 10-11 10-5 9-4 9-2 13-16 13-14 11-12 4-6 16-3 16-15 3-1");
	/* 8 s2 s1 s3 s5 6, 8 s2 s1 s3 10, 10 s3 s4 13 s4 16 s4 s1 3, and the swap. */
	is_done(plan, 15, 939224, 5 + 4 + 3 + 2 + 3 + 2,
		"two-vbbs: the longest takes 9392.24");
	ok(hbp_evaluation_slowest(plan->predicted)->id == 15,
	   "two-vbbs: no other takes longer");
	hbp_plan_free(plan);
}

/* The scheduling tree of a row of hosts of the example, the first of which has it. */
static void has_schedule(const struct hbp_input *in, hbp_scheduler schedule,
			 const char *what, const char *row, const char *want)
{
	struct hbp_rotation rotation;
	struct hbp_plan *plan;
	size_t list[16], n = 0;
	struct hbp_error err;
	unsigned int host;
	int used;

	if (hbp_rotation_init(&rotation, in, FLITS, false, &err))
		tap_bail_out("%s", err.text);
	for (; sscanf(row, " %u%n", &host, &used) == 1; row += used)
		list[n++] = host - 1;
	plan = hbp_plan_alloc("test", (uint32_t)list[0] + 1, FLITS);
	if (schedule(&rotation, list, n, hbp_plan_add_tree(plan, 0), &err) ||
	    hbp_plan_check(plan, &err))
		tap_bail_out("%s", err.text);
	has_edges(plan, what, want);
	hbp_plan_free(plan);
	hbp_rotation_clear(&rotation);
}

static void check_schedules(const struct hbp_input *in)
{
	/* In figure 3 it is 9 and 7, and 15 and 14, that change places. */
	has_schedule(in, hbp_schedule_ebs, "ebs: the tree of figure 3",
		     "6 4 10 11 12 16 15 14 13 8 9 7 2 1 3 5",
		     "6-13 6-12 6-10 6-4 13-2 13-7 13-8 12-14 12-16 10-11 2-3 2-1 7-9 14-15 3-5");
	has_schedule(in, hbp_schedule_ebs, "ebs: the source stays",
		     "9 8", "9-8");
	/* 13 and 14 change places, then 16 and 14, then 16 and 13. */
	has_schedule(in, hbp_schedule_ebs, "ebs: the fastest child goes up",
		     "8 1 2 3 16 15 13 14", "8-14 8-2 8-1 14-13 14-15 2-3 13-16");
	has_schedule(in, hbp_schedule_vbbs, "vbbs: a slow source has its own bucket",
		     "9 8 7", "9-8 8-7");
	/* { 8 5 } { 10 9 } { 2 } { 14 15 13 }: two of at most 4. */
	has_schedule(in, hbp_schedule_vbbs, "vbbs: small buckets become one",
		     "8 5 10 9 2 14 15 13", "8-2 8-10 8-5 2-13 2-14 10-9 13-15");
	/* { 8 5 } { 10 9 11 12 15 } { 2 }: the second needs as many steps as all. */
	has_schedule(in, hbp_schedule_vbbs, "vbbs: a large bucket makes two",
		     "8 5 10 9 11 12 15 2", "8-10 8-5 10-12 10-9 12-15 9-11 15-2");
	/* { 8 5 9 11 12 15 } { 10 } { 3 }: so does the first. */
	has_schedule(in, hbp_schedule_vbbs, "vbbs: a large first bucket makes two",
		     "8 5 9 11 12 15 10 2", "8-10 8-12 8-5 10-2 12-11 5-9 11-15");
}

static void check_example(void)
{
	struct hbp_input *in = example(ring);
	struct hbp_plan *plan;

	ok(order_is(in->hnow, "s2 s1 s5 s3 s4"), "the spanning tree of section 2");
	check_transfers(in->hnow);
	/* Postorder is 7 8 9 1 2 3 4 5 6 10 11 12 13 14 15 16; 10 comes first. */
	plan = make_plan(in, "doubling", 10, FLITS);
	has_edges(plan, "doubling: the middle of the row, and so on",
		  "10-8 10-14 10-12 10-11 8-3 8-1 8-9 14-16 14-15 12-13 3-5 3-4 1-2 16-7 5-6");
	hbp_plan_free(plan);
	check_schedules(in);
	check_ebs(in);
	check_vbbs(in);
	check_waited(in, "ebs", "8-5 5-14 14-15 15-16", 1675216, 3 + 4 + 2 + 2);
	check_waited(in, "vbbs", "8-6 6-10 10-14 14-15 15-16", 1150360,
		     3 + 3 + 3 + 2 + 2);
	hbp_input_free(in);
	in = example(star);
	ok(order_is(in->hnow, "s2 s5 s3 s4 s1"), "the spanning tree of section 4");
	check_dcns(in);
	check_two(in);
	check_waited(in, "two-ebs", "8-6 8-11 11-16 16-3 16-15", 1126816,
		     5 + 4 + 3 + 3 + 2);
	check_waited(in, "two-vbbs", "8-6 8-10 10-13 13-16 16-3 16-15", 939224,
		     5 + 4 + 3 + 2 + 3 + 2);
	hbp_input_free(in);
}

#define NO_SUB_NETWORKS	"x: the hnow model takes one tree, or two whose sub-networks exchange halves as those of two-ebs do, not these 2"

/*
 * Switches without hosts: 100 above all and 103 above 104; 105 at the end goes.
 * In their places comes 104: host 5 with children 1, 3 (with 2) and 4, of which 3
 * comes first. So 2 is left with its parent, 1 and 4 are neighbours, and 5 is last.
 */
static void check_compact(void)
{
	static const char edges[] =
		"1-101 2-102 3-102 4-104 5-104 100-101 100-102 100-103 103-104 101-105";
	struct hbp_input *in;
	struct hbp_rotation rotation;
	struct hbp_dcns dcns;
	struct hbp_error err;
	char *text = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,", f);
	fputs("'wormhole':{'const_us':16,'byte_us':0.125},'nodes':[", f);
	for (i = 1; i <= 5; i++)
		fprintf(f, "{'id':%zu,'kind':'host','speed':{%s}},", i, speeds[1]);
	for (i = 100; i <= 105; i++)
		fprintf(f, "{'id':%zu,'kind':'switch'}%s", i, i < 105 ? "," : "],");
	fputs("'links':[", f);
	write_links(f, edges);
	in = close_input(f, &text);
	if (hbp_rotation_init(&rotation, in, FLITS, true, &err) ||
	    hbp_dcns_find(&rotation, &dcns, &err))
		tap_bail_out("%s", err.text);
	ok(in->hnow->tree->postorder[5] == hbp_platform_find(in->hnow->platform, 100),
	   "the switch with most links is the root, of several the lowest");
	for (i = 0; i < 5 && rotation.list[i] == i; i++)
		;
	ok(i == 5, "hosts stand behind those below their switch");
	ok(dcns.partner[1] == 2 && dcns.partner[2] == 1 && dcns.partner[0] == 3 &&
	   dcns.partner[3] == 0 && dcns.single == 4 && dcns.giver == 3,
	   "switches without hosts are passed over, even sub-trees come first");
	hbp_dcns_clear(&dcns);
	hbp_rotation_clear(&rotation);
	hbp_input_free(in);
}

/* Whom the hnow model takes. */
static void check_model(void)
{
	struct hbp_input *in = example(star);
	struct hbp_plan *plan = make_plan(in, "two-ebs", 8, FLITS), *other;
	struct hbp_evaluation *e;
	struct hbp_error err;
	size_t i;

	ok(hbp_model_applies(HBP_MODEL_HNOW, in, plan) &&
	   hbp_model_applies(HBP_MODEL_ONE_PORT, in, plan) &&
	   !hbp_model_applies(HBP_MODEL_COMPLETION, in, plan) &&
	   !hbp_model_applies(HBP_MODEL_FLUID, in, plan),
	   "two sub-networks are judged by hnow and by ports");
	/* As two trees in which the root sends to two: no sub-networks. */
	other = make_plan(in, "flat", 8, FLITS);
	hbp_plan_add_tree(other, 1);
	for (i = 0; i < other->trees[0].n_edges; i++)
		hbp_tree_add(&other->trees[1], other->trees[0].edges[i].parent,
			     other->trees[0].edges[i].child, &err);
	ok(hbp_evaluate(other, in, HBP_MODEL_HNOW, &e, &err) &&
	   !strcmp(err.text, NO_SUB_NETWORKS),
	   "refused: two trees that are none of sub-networks");
	hbp_plan_free(other);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

int main(void)
{
	static const char odd[] =
		"{'hbcast':'platform','version':1,'wormhole':{'const_us':0,'byte_us':0,'hops':1},'x':1,'nodes':[\n"
		"{'id':1,'kind':'host','speed':{'send_const_us':0,'send_byte_us':0,'recv_const_us':0,'recv_byte_us':0,'fast':1}},\n"
		"{'id':2,'kind':'host','speed':{'send_const_us':0,'send_byte_us':0,'recv_const_us':0,'recv_byte_us':0}},\n"
		"{'id':3,'kind':'switch','speed':{}}],'links':[\n"
		"{'from':1,'to':3,'bandwidth_mbps':1,'latency_us':0,'symmetric':true},\n"
		"{'from':2,'to':3,'bandwidth_mbps':1,'latency_us':0,'symmetric':true}]}";
	static const char *const warnings[] = {
		"x: x is not known and is ignored",
		"x: nodes[2].speed is not known and is ignored",
		"x: wormhole.hops is not known and is ignored",
		"x: nodes[0].speed.fast is not known and is ignored",
	};

	check_good();
	check_written();
	check_refusals(load, good, refusals,
		       sizeof(refusals) / sizeof(refusals[0]));
	check_broken(load, load_file, good);
	check_warnings(load, odd, warnings, 4);
	check_example();
	check_compact();
	check_model();
	return tap_done();
}
