// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans as files: what is read, in which order, and what is refused. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "helper.h"

static const char good[] =
	"{'hbcast':'plan','version':1,'algorithm':'tps','root':1,\n"
	"'message_bytes':1000,'trees':[\n"
	"{'slot':3,'edges':[[1,4]]},\n"
	"{'slot':0,'rate_mbps':94.5,'edges':[[2,4],[1,3],[1,2],[2,5]]}],\n"
	"'certificate':{'model':'one-port','prices':[\n"
	"{'sender':1,'price_mbps':60.5},{'receiver':4,'price_mbps':30},\n"
	"{'link':[2,5],'price_mbps':4}],\n"
	"'cuts':[{'nodes':[4,5],'links':[[2,4],[2,5]],'capacity_mbps':8}]},\n"
	"'predicted':{'model':'fluid','nodes':[\n"
	"{'id':5,'rate_mbps':1,'completion_us':9,'bound_us':8},\n"
	"{'id':4,'rate_mbps':1,'completion_us':9.5,'bound_us':8},\n"
	"{'id':3,'rate_mbps':1,'completion_us':9,'bound_us':9},\n"
	"{'id':2,'rate_mbps':1,'completion_us':9,'bound_us':8}]}}";

static int load(const char *text, const struct hbp_warn *warn,
		struct hbp_error *err)
{
	struct hbp_plan *plan;
	int ret = hbp_plan_parse(text, strlen(text), "x", warn, &plan, err);

	if (!ret)
		hbp_plan_free(plan);
	return ret;
}

static int load_file(const char *path, struct hbp_error *err)
{
	struct hbp_plan *plan;
	int ret = hbp_plan_load(path, NULL, &plan, err);

	if (!ret)
		hbp_plan_free(plan);
	return ret;
}

#define ID	"an integer from 0 to 4294967295"
#define SLOT0	"trees: the tree of slot 0: "
#define SLOT3	"trees: the tree of slot 3: "
#define EDGES	"[[2,4],[1,3],[1,2],[2,5]]"

static const struct refusal refusals[] = {
	{ "another kind", "'plan'", "'Plan'",
	  "hbcast must be 'plan', not 'Plan'" },
	{ "no version", "'version':1,", "", "version is missing, it must be 1" },
	{ "no algorithm", "'algorithm':'tps',", "",
	  "algorithm is missing, it must be 1 to 63 characters without control characters" },
	{ "no root", "'root':1,", "", "root is missing, it must be " ID },
	{ "a negative root", "'root':1", "'root':-1",
	  "root must be " ID ", not -1" },
	{ "replicas that are no list", "'root':1,", "'root':1,'replicas':4,",
	  "replicas must be an array of up to 63 ids, not 4" },
	{ "a replica that is no id", "'root':1,", "'root':1,'replicas':[-4],",
	  "replicas[0] must be " ID ", not -4" },
	{ "a replica that is the root", "'root':1,", "'root':1,'replicas':[1],",
	  "replicas: node 1 is the root" },
	{ "a replica given twice", "'root':1,", "'root':1,'replicas':[7,7],",
	  "replicas: node 7 is given twice" },
	{ "a replica that receives", "'root':1,", "'root':1,'replicas':[4],",
	  SLOT0 "it sends to node 4, which has the message to begin with" },
	{ "a tree that begins at no id", "'slot':3", "'slot':3,'root':-1",
	  "trees[0].root must be " ID ", not -1" },
	{ "a tree that begins at no source", "{'slot':3,'edges':[[1,4]]}",
	  "{'slot':3,'root':2,'edges':[[2,4]]}",
	  SLOT3 "it begins at node 2, which is neither the root nor a replica" },
	{ "slot 0 from a replica",
	  "1,\n'message_bytes':1000,'trees':[\n{'slot':3,'edges':[[1,4]]},\n{'slot':0,",
	  "9,'replicas':[1],'message_bytes':1,'trees':[{'slot':0,'root':1,",
	  SLOT0 "it begins at replica 1 and must begin at the root" },
	{ "strict is no truth", "'root':1,", "'root':1,'strict':1,",
	  "strict must be true or false, not 1" },
	{ "forward is unknown", "'root':1,", "'root':1,'forward':'bytes',",
	  "forward must be packet or message, not \"bytes\"" },
	{ "forward is no word", "'root':1,", "'root':1,'forward':true,",
	  "forward must be packet or message, not true" },
	{ "whole messages along two trees", "'root':1,", "'root':1,'forward':'message',",
	  "trees: whole messages go along one tree, not 2: forward packets, or plan one tree" },
	{ "what was asked for is no object", "'root':1,", "'root':1,'asked':[],",
	  "asked must be an object, not []" },
	{ "an objective that is none", "'root':1,", "'root':1,'asked':{'objective':'any'},",
	  "asked.objective must be 'completion', 'throughput' or 'mean-completion', not 'any'" },
	{ "a seed that is none", "'root':1,", "'root':1,'asked':{'seed':-1},",
	  "asked.seed must be an integer from 0 to 2^63 - 1, not -1" },
	{ "an update that is none", "'root':1,", "'root':1,'asked':{'update':'weighted'},",
	  "asked.update must be 'literal', not 'weighted'" },
	{ "no trees asked for", "'root':1,", "'root':1,'asked':{'trees':0},",
	  "asked.trees must be an integer from 1 to 64, not 0" },
	{ "no message size", "'message_bytes':1000,", "",
	  "message_bytes is missing, it must be an integer from 1 to 2^50" },
	{ "a message of no length", "1000", "0",
	  "message_bytes must be an integer from 1 to 2^50, not 0" },
	{ "a huge message", "1000", "1125899906842625",
	  "message_bytes must be an integer from 1 to 2^50, not 1125899906842625" },
	{ "no trees", "'trees'", "'t'",
	  "trees is missing, it must be an array of objects" },
	{ "an empty list of trees", "'trees':[", "'trees':[],'t':[",
	  "trees must hold 1 to 64 trees, not 0" },
	{ "a tree that is null", "'trees':[", "'trees':[null,",
	  "trees[0] must be an object, not null" },
	{ "no slot", "'slot':3,", "",
	  "trees[0].slot is missing, it must be an integer from 0 to 63" },
	{ "a slot of 64", "'slot':3", "'slot':64",
	  "trees[0].slot must be an integer from 0 to 63, not 64" },
	{ "a slot given twice", "'slot':3", "'slot':0",
	  "trees: slot 0 is given to two trees" },
	{ "no slot 0", "'slot':0", "'slot':1", "trees: no tree has slot 0" },
	{ "a rate of 0", "94.5", "0",
	  "trees[1].rate_mbps must be Mbit/s from 0.000001 to 10000000, not 0" },
	{ "no edges", "'edges':[[1,4]]", "'e':[]",
	  "trees[0].edges is missing, it must be an array of [parent, child]" },
	{ "an empty list of edges", "[[1,4]]", "[]",
	  "trees[0].edges must hold 1 to 32767 edges, not 0" },
	{ "an edge with three ends", "[[1,4]]", "[[1,4,5]]",
	  "trees[0].edges[0] must be an array of parent and child id, not [1,4,5]" },
	{ "an edge with one end", "[2,5]]", "[2]]",
	  "trees[1].edges[3] must be an array of parent and child id, not [2]" },
	{ "an edge to a negative id", "[2,5]]", "[2,-5]]",
	  "trees[1].edges[3] must be an array of parent and child id, not [2,-5]" },
	{ "a node with two parents", EDGES, "[[1,2],[1,3],[1,4],[1,5],[3,2]]",
	  SLOT0 "node 2 has two parents, 1 and 3" },
	{ "an edge given twice", EDGES, "[[1,2],[1,2]]",
	  SLOT0 "node 2 has two parents, 1 and 1" },
	{ "a root that receives", EDGES, "[[1,2],[2,3],[3,1]]",
	  SLOT0 "node 3 sends to node 1, which is the root" },
	{ "a node that sends to itself", EDGES, "[[1,2],[3,3]]",
	  SLOT0 "node 3 sends to itself" },
	{ "a cycle apart from the root", EDGES, "[[1,2],[3,4],[4,5],[5,3]]",
	  SLOT0 "the edges form a cycle through nodes 5 and 3, which the root does not reach" },
	{ "a cycle with a branch", EDGES, "[[1,2],[5,3],[4,5],[5,4]]",
	  SLOT0 "the edges form a cycle through nodes 4 and 5, which the root does not reach" },
	{ "a sender that receives nothing", EDGES, "[[1,2],[6,3]]",
	  SLOT0 "node 6 sends to node 3, but nobody sends to node 6" },
	{ "a root that does not send", "'root':1", "'root':9",
	  SLOT0 "node 1 sends to node 3, but nobody sends to node 1" },
	{ "a node outside slot 0", "[[1,4]]", "[[1,6]]",
	  "trees: the tree of slot 3 has node 6, which the tree of slot 0 lacks" },
	{ "a certificate that is text", "'certificate':{", "'certificate':'x','c':{",
	  "certificate must be an object, not 'x'" },
	{ "a certificate of a model without rates", "'one-port'", "'path'",
	  "certificate.model must be 'fluid', 'one-port' or 'multi-port', not 'path'" },
	{ "prices that are no list", "'prices':[", "'prices':7,'p':[",
	  "certificate.prices must be an array of objects, not 7" },
	{ "a price that is no object", "{'sender':1,'price_mbps':60.5}", "60.5",
	  "certificate.prices[0] must be an object, not 60.5" },
	{ "a price of nothing", "'sender':1", "'sends':1",
	  "certificate.prices[0] must have one of sender, receiver and link, not 0" },
	{ "a price of two", "'sender':1", "'sender':1,'receiver':1",
	  "certificate.prices[0] must have one of sender, receiver and link, not 2" },
	{ "a price of a port without an id", "'receiver':4", "'receiver':[4]",
	  "certificate.prices[1].receiver must be " ID ", not [4]" },
	{ "a price of half a link", "'link':[2,5]", "'link':[2]",
	  "certificate.prices[2].link must be an array of the ids that a link joins, not [2]" },
	{ "a price below 0", "60.5", "-1",
	  "certificate.prices[0].price_mbps must be Mbit/s from 0 to 1e15, not -1" },
	{ "a cut that is no object", "'cuts':[", "'cuts':[0,",
	  "certificate.cuts[0] must be an object, not 0" },
	{ "a cut off nobody", "'nodes':[4,5]", "'nodes':[]",
	  "certificate.cuts[0].nodes must be an array of ids, not []" },
	{ "a cut off no id", "'nodes':[4,5]", "'nodes':[4,-5]",
	  "certificate.cuts[0].nodes[1] must be " ID ", not -5" },
	{ "a cut without links", "'links':", "'l':",
	  "certificate.cuts[0].links is missing, it must be an array of [from, to]" },
	{ "a cut of half a link", "[[2,4],[2,5]]", "[[2,4],[2]]",
	  "certificate.cuts[0].links[1] must be an array of the ids that a link joins, not [2]" },
	{ "a cut of no capacity", "'capacity_mbps':8", "'capacity_mbps':0",
	  "certificate.cuts[0].capacity_mbps must be Mbit/s from 0.000001 to 1e12, not 0" },
	{ "predictions that are text", "'predicted':{", "'predicted':'good','p':{",
	  "predicted must be an object, not 'good'" },
	{ "predictions by an unknown model", "'fluid'", "'solid'",
	  "predicted.model must be the name of a model, such as 'fluid', not 'solid'" },
	{ "predictions without nodes", "'fluid','nodes'",
	  "'fluid','n'", "predicted.nodes is missing, it must be an array of objects" },
	{ "predictions that lack a node",
	  "{'id':5,'rate_mbps':1,'completion_us':9,'bound_us':8},", "",
	  "predicted.nodes must hold the 4 nodes but the root, not 3" },
	{ "predictions for another node", "'id':5", "'id':1",
	  "predicted.nodes: node 5 is missing" },
	{ "a prediction below its bound", "9.5,'bound_us':8", "9.5,'bound_us':10",
	  "predicted.nodes[1].bound_us must be microseconds from 0.001 to completion_us, not 10" },
};

static struct hbp_plan *parse(const char *text)
{
	char *json = quoted(text);
	struct hbp_error err;
	struct hbp_plan *plan;

	if (hbp_plan_parse(json, strlen(json), "x", NULL, &plan, &err))
		tap_bail_out("%s", err.text);
	free(json);
	return plan;
}

static void check_good(void)
{
	struct hbp_plan *plan = parse(good);
	const struct hbp_certificate *c = plan->certificate;
	const struct hbp_evaluation *e = plan->predicted;

	ok(c->model == HBP_MODEL_ONE_PORT && c->n_prices == 3 && c->n_cuts == 1 &&
	   c->prices[0].what == HBP_PRICED_SENDER && c->prices[0].from == 1 &&
	   c->prices[0].mbps == 60.5 &&
	   c->prices[1].what == HBP_PRICED_RECEIVER &&
	   c->prices[2].what == HBP_PRICED_LINK && c->prices[2].from == 2 &&
	   c->prices[2].to == 5 && c->cuts[0].n_nodes == 2 &&
	   c->cuts[0].nodes[1] == 5 && c->cuts[0].n_links == 2 &&
	   c->cuts[0].links[1].child == 5 &&
	   c->cuts[0].capacity_bps == 8000000, "the certificate, prices and cuts");
	ok(plan->root == 1 && plan->message_bytes == 1000 &&
	   !strcmp(plan->algorithm, "tps"), "root, size and algorithm");
	ok(plan->n_trees == 2 && plan->trees[0].slot == 0 &&
	   plan->trees[1].slot == 3, "trees are in ascending order of slots");
	ok(plan->trees[0].rate_bps == 94500000 && !plan->trees[1].rate_bps,
	   "a rate is known where the file gives one");
	/* Top-down, and 3 before 2, 4 before 5, as in the file. */
	ok(edges_are(plan, "1-3 1-2 2-4 2-5"),
	   "edges are breadth-first, each parent's in its sending order");
	ok(e->model == HBP_MODEL_FLUID && e->n == 4 && e->nodes[0].id == 2 &&
	   e->nodes[2].completion_ns == 9500 && e->nodes[3].bound_ns == 8000,
	   "predictions are in ascending order");
	/* 4 and 5 receive 1 each of 8. */
	ok(hbp_certificate_gap(c, e) == 1 - (0.125 + 0.125) / 2,
	   "the gap between rates and cuts");
	ok(hbp_evaluation_slowest(e)->id == 4 && hbp_evaluation_bound(e) == 9000,
	   "the slowest node and the bound of all");
	hbp_plan_free(plan);
}

static void check_members(void)
{
	static const uint32_t all[] = { 1, 2, 3, 4, 5 };
	static const uint32_t more[] = { 1, 2, 3, 4, 5, 6 };
	static const uint32_t less[] = { 1, 2, 4, 5 };
	struct hbp_plan *plan = parse(good);
	struct hbp_error err;

	ok(!hbp_plan_check_members(plan, all, 5, &err),
	   "a plan that spans the members");
	ok(hbp_plan_check_members(plan, more, 6, &err) &&
	   !strcmp(err.text, "the plan does not reach member 6"),
	   "refused: a member that is not reached");
	ok(hbp_plan_check_members(plan, less, 4, &err) &&
	   !strcmp(err.text, "the plan has node 3, which is not a member"),
	   "refused: a node that is no member");
	hbp_plan_free(plan);
}

static void check_round_trip(const char *path)
{
	struct hbp_plan *plan = parse(good), *back, *again;
	char *text = hbp_plan_text(plan), *second;
	struct hbp_error err;

	back = parse(text);
	second = hbp_plan_text(back);
	ok(!strcmp(text, second), "what is written is what is read");
	if (hbp_plan_save(plan, path, &err) ||
	    hbp_plan_load(path, NULL, &again, &err))
		tap_bail_out("%s", err.text);
	free(second);
	second = hbp_plan_text(again);
	ok(!strcmp(text, second), "so it is by way of a file");
	ok(hbp_plan_save(plan, "/nowhere/p", &err) &&
	   !strcmp(err.text, "/nowhere/p: cannot be written: No such file or directory"),
	   "a file that cannot be written is told");
	free(text);
	free(second);
	hbp_plan_free(plan);
	hbp_plan_free(back);
	hbp_plan_free(again);
}

/* What holds for the plan as a whole, and is not there usually. */
static void check_ways(void)
{
	static const char whole[] =
		"{'hbcast':'plan','version':1,'algorithm':'a','root':1,'strict':true,\n"
		"'forward':'message','message_bytes':1,'trees':[{'slot':0,'edges':[[1,2]]}]}";
	struct hbp_plan *plan = parse(whole), *usual = parse(good);
	char *text = hbp_plan_text(plan), *other = hbp_plan_text(usual);
	struct hbp_plan *back = parse(text);

	ok(plan->strict && plan->whole && back->strict && back->whole,
	   "a strict plan of whole messages is written and read");
	ok(!usual->strict && !usual->whole && !strstr(other, "strict") &&
	   !strstr(other, "forward"), "another one has no word of it");
	free(text);
	free(other);
	hbp_plan_free(plan);
	hbp_plan_free(usual);
	hbp_plan_free(back);
}

int main(void)
{
	static const char odd[] =
		"{'hbcast':'plan','version':1,'algorithm':'a','root':1,'whim':0,\n"
		"'message_bytes':1,'trees':[{'slot':0,'edges':[[1,2]],'x':1}]}";
	static const char *const warnings[] = {
		"x: whim is not known and is ignored",
		"x: trees[0].x is not known and is ignored",
	};
	char path[] = "/tmp/hbplan-plan-XXXXXX";

	if (mkstemp(path) < 0)
		tap_bail_out("no temporary file");
	check_good();
	check_members();
	check_round_trip(path);
	check_ways();
	unlink(path);
	check_refusals(load, good, refusals,
		       sizeof(refusals) / sizeof(refusals[0]));
	check_broken(load, load_file, good);
	check_warnings(load, odd, warnings, 2);
	return tap_done();
}
