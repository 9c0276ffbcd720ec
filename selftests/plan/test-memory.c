// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that runs out: at the first allocation, at the second, and so on. Each
 * time it must be said, and nothing may be lost; AddressSanitizer tells of that.
 * What GLPK and expat ask for is not refused, nor is what Jansson needs to read
 * JSON: it ends the program (lex_unget_unsave() of 2.14).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "../lib/tap.h"
#include "helper.h"

#define NEVER	SIZE_MAX

/* How many allocations there are before one is refused, and all after it. */
static size_t left = NEVER;
/* Are those of Jansson among them? */
static bool with_jansson;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *s);

static bool is_refused_now(void)
{
	if (left == NEVER)
		return false;
	if (left) {
		left--;
		return false;
	}
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return is_refused_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_refused_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return is_refused_now() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *s)
{
	return is_refused_now() ? NULL : __real_strdup(s);
}

static void *jansson_malloc(size_t size)
{
	return with_jansson ? __wrap_malloc(size) : __real_malloc(size);
}

/* What is done with little memory; its own memory is given back by it. */
typedef int (*deed)(const void *arg, struct hbp_error *err);

static void starve(deed fn, const void *arg, const char *what)
{
	struct hbp_error err;
	size_t k, runs = 0, told = 0;
	int ret;

	/* Of many, those near the end are much like each other. */
	for (k = 0;; k += 1 + k / 50, runs++) {
		err.text[0] = '\0';
		left = k;
		errno = 0;
		ret = fn(arg, &err);
		/* Nothing was refused: that is all there is. */
		if (left && left != NEVER)
			break;
		left = NEVER;
		if (ret == -ENOMEM && strstr(err.text, "out of memory"))
			told++;
		else if (ret)
			printf("# %s: the allocation after %zu: %d, %s\n", what, k,
			       ret, err.text);
		else
			told++;
	}
	left = NEVER;
	ok(!ret && told == runs && runs, "%s: %zu times without memory", what, runs);
}

/* A file of a kind that its name tells. */
struct file {
	const char *path;
	const char *holds;
	const char *text;
};

static int import(const void *arg, struct hbp_error *err)
{
	const struct file *file = arg;
	struct hbp_foreign foreign = {
		.path = file->path, .holds = file->holds,
		.assumed = { .latency_ns = 1000, .bandwidth_bps = 1000000 },
	};
	struct hbp_input *in;
	int ret = hbp_import_text(file->text, strlen(file->text), &foreign, NULL,
				  &in, err);

	if (!ret)
		hbp_input_free(in);
	return ret;
}

static const struct file files[] = {
	{ "list.csv", NULL,
	  "from,to,latency_ms,bandwidth_mbps\nalpha,beta,1,100\nbeta,gamma,2,50\n"
	  "gamma,alpha,1,2\n" },
	{ "matrix.tsv", "rtt_ms", "\ta\tb\na\t0\t1\nb\t2\t0\n" },
	{ "graph.graphml", NULL,
	  "<graphml><key id='k' for='node' attr.name='label'/>\n"
	  "<key id='b' for='edge' attr.name='bandwidth_mbps'/>\n"
	  "<graph edgedefault='undirected'><node id='a'><data key='k'>A</data></node>\n"
	  "<node id='b'/><node id='c'/><edge source='a' target='b'><data key='b'>5</data>\n"
	  "</edge><edge source='b' target='c'/></graph></graphml>" },
	{ "graph.gml", NULL,
	  "graph [ node [ id 0 label \"x\" ] node [ id 1 label \"y\" ] node [ id 2 label \"z\" ]\n"
	  " edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]" },
	{ "cluster.xml", NULL,
	  "<platform version='4.1'><zone id='z' routing='Full'>\n"
	  "<host id='h1' speed='1f'/><host id='h2' speed='1f'/><host id='h3' speed='1f'/>\n"
	  "<link id='l' bandwidth='1MBps' latency='1us'/>\n"
	  "<link id='m' bandwidth='2MBps' latency='1us'/>\n"
	  "<route src='h1' dst='h2'><link_ctn id='l'/></route>\n"
	  "<route src='h2' dst='h3'><link_ctn id='m'/></route>\n"
	  "</zone></platform>" },
};

static const char costs[] =
	"{'hbcast':'costs','version':1,'nodes':[{'id':1,'name':'a','address':'h'},{'id':2},\n"
	"{'id':3},{'id':5}],'latency_us':[[0,1,2,3],[1,0,4,2],[2,3,0,1],[5,4,3,0]],\n"
	"'bandwidth_mbps':[[null,8,4,2],[4,null,4,8],[8,8,null,2],[2,4,4,null]]}";

static const char platform[] =
	"{'hbcast':'platform','version':1,'nodes':[{'id':1,'kind':'host','name':'a'},\n"
	"{'id':2,'kind':'host'},{'id':3,'kind':'host'},{'id':5,'kind':'host'},\n"
	"{'id':8,'kind':'switch'},{'id':9,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':8,'bandwidth_mbps':9,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':8,'bandwidth_mbps':5,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':9,'bandwidth_mbps':7,'latency_us':1,'symmetric':true},\n"
	"{'from':5,'to':9,'bandwidth_mbps':3,'latency_us':1},\n"
	"{'from':9,'to':5,'bandwidth_mbps':4,'latency_us':1},\n"
	"{'from':2,'to':9,'bandwidth_mbps':2,'latency_us':3,'symmetric':true},\n"
	"{'from':8,'to':9,'bandwidth_mbps':6,'latency_us':1,'symmetric':true}]}";

#define SPEED	"'speed':{'send_const_us':6,'send_byte_us':0.05,'recv_const_us':1,'recv_byte_us':0.03}"

static const char hnow[] =
	"{'hbcast':'platform','version':1,'wormhole':{'const_us':16,'byte_us':0.125},\n"
	"'nodes':[{'id':1,'kind':'host'," SPEED "},{'id':2,'kind':'host'," SPEED "},\n"
	"{'id':3,'kind':'host'," SPEED "},{'id':5,'kind':'host'," SPEED "},\n"
	"{'id':8,'kind':'switch'},{'id':9,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':8,'bandwidth_mbps':9,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':8,'bandwidth_mbps':5,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':9,'bandwidth_mbps':7,'latency_us':1,'symmetric':true},\n"
	"{'from':5,'to':9,'bandwidth_mbps':3,'latency_us':1,'symmetric':true},\n"
	"{'from':8,'to':9,'bandwidth_mbps':6,'latency_us':1,'symmetric':true}]}";

static int read_input(const void *arg, struct hbp_error *err)
{
	struct hbp_input *in;
	int ret = hbp_input_parse(arg, strlen(arg), "x", NULL, &in, err);

	if (!ret)
		hbp_input_free(in);
	return ret;
}

/* The same, for which there is enough memory; headers count. */
static int enough_input(const char *text, struct hbp_input **in,
			struct hbp_error *err)
{
	size_t now = left;
	int ret;

	left = NEVER;
	ret = hbp_input_parse(text, strlen(text), "x", NULL, in, err);
	if (!ret)
		hbp_input_count(*in);
	left = now;
	return ret;
}

/* A plan is made, written, read, judged, explained and drawn. */
struct planning {
	const char *text;
	const char *planner;
};

static int use_plan(struct hbp_plan *plan, struct hbp_input *in,
		    struct hbp_error *err)
{
	char *text = hbp_plan_text(plan);
	struct hbp_explanation explanation;
	struct hbp_evaluation *evaluation;
	struct hbp_plan *again = NULL;
	enum hbp_model model;
	int ret;

	if (!text)
		return hbp_fail(err, -ENOMEM, "out of memory");
	ret = hbp_plan_parse(text, strlen(text), "x", NULL, &again, err);
	free(text);
	for (model = 0; !ret && model < HBP_MODELS; model++) {
		if (!hbp_model_applies(model, in, plan))
			continue;
		ret = hbp_evaluate(again, in, model, &evaluation, err);
		if (!ret)
			hbp_evaluation_free(evaluation);
	}
	hbp_plan_free(again);
	if (!ret)
		ret = hbp_explain(plan, in, &explanation, err);
	if (!ret)
		hbp_explanation_clear(&explanation);
	return ret;
}

static int plan(const void *arg, struct hbp_error *err)
{
	const struct planning *p = arg;
	struct hbp_request rq = { .root = 1, .message_bytes = 1000 };
	struct hbp_plan *plan;
	int ret;

	ret = enough_input(p->text, &rq.in, err);
	if (ret)
		return ret;
	ret = hbp_plan_make(hbp_planner_find(p->planner), &rq, &plan, err);
	if (!ret) {
		ret = use_plan(plan, rq.in, err);
		hbp_plan_free(plan);
	}
	hbp_input_free(rq.in);
	return ret;
}

static int replan(const void *arg, struct hbp_error *err)
{
	struct hbp_request rq = { .root = 1, .message_bytes = 1000 };
	struct hbp_change change = {
		.event = HBP_NODE_LEFT, .node = 3, .strategy = HBP_SWAP_LEAF
	};
	struct hbp_plan *plan, *next;
	int ret;

	ret = enough_input(arg, &rq.in, err);
	if (ret)
		return ret;
	ret = hbp_plan_make(&hbp_binomial, &rq, &plan, err);
	if (!ret) {
		ret = hbp_replan(plan, rq.in, &change, &next, err);
		if (!ret)
			hbp_plan_free(next);
		hbp_plan_free(plan);
	}
	hbp_input_free(rq.in);
	return ret;
}

/* All planners that take an input. */
static void starve_planners(const char *what, const char *text)
{
	struct hbp_input *in = make_input(text);
	struct planning p = { .text = quoted(text) };
	const struct hbp_planner *const *list;
	char name[64];
	size_t n, i;

	list = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		if (!(list[i]->inputs & in->kind))
			continue;
		p.planner = list[i]->name;
		snprintf(name, sizeof(name), "%s on %s", p.planner, what);
		starve(plan, &p, name);
	}
	free((char *)p.text);
	hbp_input_free(in);
}

int main(void)
{
	struct hbp_error err;
	char *text;
	size_t i;

	json_set_alloc_funcs(jansson_malloc, free);
	with_jansson = true;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		starve(import, &files[i], files[i].path);
	left = 0;
	ok(read_input("{}", &err) == -ENOMEM && !strcmp(err.text, "out of memory"),
	   "JSON that there is no memory for at all");
	left = NEVER;
	with_jansson = false;
	text = quoted(costs);
	starve(read_input, text, "a cost matrix");
	starve(replan, text, "replan");
	free(text);
	text = quoted(platform);
	starve(read_input, text, "a platform");
	free(text);
	text = quoted(hnow);
	starve(read_input, text, "an HNOW");
	free(text);
	starve_planners("a cost matrix", costs);
	starve_planners("a platform", platform);
	starve_planners("an HNOW", hnow);
	return tap_done();
}
