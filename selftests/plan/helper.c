// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tests of libhbplan share. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "helper.h"

/* What was tried must have failed with this sentence. */
void is_refused(int ret, const struct hbp_error *err, const char *what,
		const char *sentence)
{
	if (!ok(ret < 0 && !strcmp(err->text, sentence), "refused: %s", what))
		printf("# returned %d: %s\n# not: %s\n", ret, err->text,
		       sentence);
}

/* JSON with its real quotes, to be released with free(). */
char *quoted(const char *text)
{
	char *copy = strdup(text), *c;

	for (c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	return copy;
}

/* The good text with one thing replaced. */
static char *spoil(const char *good, const struct refusal *r)
{
	const char *at = strstr(good, r->find);
	char *text, *json;

	if (!at)
		tap_bail_out("%s: %s is not there", r->what, r->find);
	if (asprintf(&text, "%.*s%s%s", (int)(at - good), good, r->put,
		     at + strlen(r->find)) < 0)
		tap_bail_out("out of memory");
	json = quoted(text);
	free(text);
	return json;
}

/* Every spoilt text must be refused with its sentence. */
void check_refusals(text_loader load, const char *good,
		    const struct refusal *list, size_t n)
{
	char *text, *inner, *sentence;
	struct hbp_error err;
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		text = spoil(good, &list[i]);
		inner = quoted(list[i].sentence);
		if (asprintf(&sentence, "x: %s", inner) < 0)
			tap_bail_out("out of memory");
		strcpy(err.text, "nothing was said");
		ret = load(text, NULL, &err);
		is_refused(ret, &err, list[i].what, sentence);
		free(text);
		free(inner);
		free(sentence);
	}
}

static void check_texts(text_loader load, const char *good)
{
	size_t len = strlen(good), i, refused = 0, said = 0;
	struct hbp_error err;
	char *text;

	for (i = 0; i < len; i++) {
		text = strndup(good, i);
		strcpy(err.text, "nothing was said");
		refused += load(text, NULL, &err) == -EINVAL;
		said += !strncmp(err.text, "x: line ", 8);
		free(text);
	}
	ok(refused == len && said == len,
	   "refused, with line and column: a file cut at any of its %zu bytes",
	   len);
	is_refused(load("", NULL, &err), &err, "an empty file",
		   "x: line 1, column 0: not JSON: '[' or '{' expected near end of file");
	is_refused(load("[1]", NULL, &err), &err, "an array",
		   "x: the file must hold one JSON object");
	is_refused(load("{\"a\":1,\"a\":2}", NULL, &err), &err,
		   "a key given twice",
		   "x: line 1, column 10: not JSON: duplicate object key near '\"a\"'");
}

/* A good text cut anywhere is no good text, and some files are none at all. */
void check_broken(text_loader load, file_loader load_file, const char *good)
{
	struct hbp_error err;
	char *text = quoted(good);

	check_texts(load, text);
	free(text);
	is_refused(load_file("/nowhere/at/all.json", &err), &err,
		   "a file that is not there",
		   "/nowhere/at/all.json: cannot be opened: No such file or directory");
	is_refused(load_file("/", &err), &err, "a directory",
		   "/: cannot be read: Is a directory");
	if (seteuid(65534))
		return;
	is_refused(load_file("/etc/shadow", &err), &err,
		   "a file that may not be read",
		   "/etc/shadow: cannot be opened: Permission denied");
	if (seteuid(0))
		tap_bail_out("cannot become root again");
}

struct warnings {
	const char *const *want;
	size_t n, seen, right;
};

static void count_warning(void *arg, const char *text)
{
	struct warnings *w = arg;

	if (w->seen < w->n && !strcmp(text, w->want[w->seen]))
		w->right++;
	else
		printf("# warning %zu: %s\n", w->seen, text);
	w->seen++;
}

/* A text must be taken with exactly these warnings. */
void check_warnings(text_loader load, const char *text,
		    const char *const *want, size_t n)
{
	struct warnings w = { .want = want, .n = n };
	struct hbp_warn warn = { .fn = count_warning, .arg = &w };
	char *json = quoted(text);
	struct hbp_error err;
	int ret;

	ret = load(json, &warn, &err);
	free(json);
	if (!ok(!ret && w.seen == n && w.right == n,
		"taken, with %zu warnings: unknown keys", n))
		printf("# %s\n", ret ? err.text : "other warnings");
}

/* A cost matrix or platform that must be good. */
struct hbp_input *make_input(const char *text)
{
	char *json = quoted(text);
	struct hbp_input *in;
	struct hbp_error err;

	if (hbp_input_parse(json, strlen(json), "x", NULL, &in, &err))
		tap_bail_out("%s", err.text);
	free(json);
	return in;
}

/* What has been written into memory, which is released. */
struct hbp_input *close_input(FILE *f, char **text)
{
	struct hbp_input *in;

	fclose(f);
	in = make_input(*text);
	free(*text);
	return in;
}

/* The same, behind the last link and its comma. */
struct hbp_input *close_links(FILE *f, char **text)
{
	fseek(f, -1, SEEK_CUR);
	fputs("]}", f);
	return close_input(f, text);
}

/* A plan that must be possible. */
struct hbp_plan *plan_by(const char *name, const struct hbp_request *rq)
{
	struct hbp_error err;
	struct hbp_plan *plan;

	if (hbp_plan_make(hbp_planner_find(name), rq, &plan, &err))
		tap_bail_out("%s: %s", name, err.text);
	return plan;
}

/* The same, with nothing in the request but what each has. */
struct hbp_plan *make_plan(struct hbp_input *in, const char *name,
			   uint32_t root, uint64_t bytes)
{
	struct hbp_request rq = {
		.in = in, .root = root, .message_bytes = bytes
	};

	return plan_by(name, &rq);
}

/* What a model says, which must be possible. */
struct hbp_evaluation *evaluate_by(enum hbp_model model,
				   const struct hbp_plan *plan,
				   struct hbp_input *in)
{
	struct hbp_evaluation *e;
	struct hbp_error err;

	if (hbp_evaluate(plan, in, model, &e, &err))
		tap_bail_out("%s", err.text);
	return e;
}

/* Does its planner make the same plan once more? */
bool same_again(struct hbp_input *in, const struct hbp_plan *plan)
{
	struct hbp_plan *again = make_plan(in, plan->algorithm, plan->root,
					   plan->message_bytes);
	char *a = hbp_plan_text(plan), *b = hbp_plan_text(again);
	bool same = !strcmp(a, b);

	free(a);
	free(b);
	hbp_plan_free(again);
	return same;
}

/* Is it this text? What it is of is for who reads that it is not; released. */
bool text_is(const char *of, char *got, const char *want)
{
	bool same = !strcmp(got, want);

	if (!same)
		printf("# %s %s\n# not %s\n", of, got, want);
	free(got);
	return same;
}

/* Are these the edges of a plan's first tree, written "1-2 1-3 2-4"? */
bool edges_are(const struct hbp_plan *plan, const char *want)
{
	const struct hbp_tree *tree = &plan->trees[0];
	char *got = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&got, &len);
	for (i = 0; i < tree->n_edges; i++)
		fprintf(f, "%s%u-%u", i ? " " : "", tree->edges[i].parent,
			tree->edges[i].child);
	fclose(f);
	return text_is("edges", got, want);
}

/* Adds edges written "1-2 1-3 2-4"; what comes behind them. */
const char *add_edges(struct hbp_tree *tree, const char *text)
{
	unsigned int parent, child;
	struct hbp_error err;
	int len;

	while (sscanf(text, " %u-%u%n", &parent, &child, &len) == 2) {
		if (hbp_tree_add(tree, parent, child, &err))
			tap_bail_out("%s", err.text);
		text += len;
	}
	return text;
}

/* The rates of all trees of a plan that a node is in. */
int64_t planned_rate(const struct hbp_plan *plan, uint32_t id)
{
	int64_t sum = 0;
	size_t t, i;

	for (t = 0; t < plan->n_trees; t++)
		for (i = 0; i < plan->trees[t].n_edges; i++)
			if (plan->trees[t].edges[i].child == id)
				sum += plan->trees[t].rate_bps;
	return sum;
}

/* The rate that a plan says a node has. */
int64_t predicted_rate(const struct hbp_plan *plan, uint32_t id)
{
	const struct hbp_evaluation *e = plan->predicted;

	return e->nodes[hbp_node_find(e->nodes, e->n, sizeof(*e->nodes), id)].rate_bps;
}

/* The rates that a plan says all nodes have, together. */
double sum_of_rates(const struct hbp_plan *plan)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < plan->predicted->n; i++)
		sum += (double)plan->predicted->nodes[i].rate_bps;
	return sum;
}

/* splitmix64: 0 to n - 1 */
uint32_t draw_below(struct luck *luck, uint32_t n)
{
	uint64_t z = luck->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ (z >> 31)) >> 32) % n;
}

/*
 * A cost matrix of nodes 10, 20, ... in descending order in the file. Few
 * different values, so that ties are frequent. With holes a third of the pairs
 * has no link, but the ring 10 20 ... 10 is whole.
 */
struct hbp_input *random_costs(struct luck *luck, size_t n, bool holes)
{
	char *text = NULL;
	size_t len, i, j;
	bool bandwidth;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'costs','version':1,'nodes':[", f);
	for (i = 0; i < n; i++)
		fprintf(f, "%s{'id':%zu,'send_overhead_us':%u,'recv_overhead_us':%u}",
			i ? "," : "", 10 * (n - i), draw_below(luck, 3),
			draw_below(luck, 3));
	for (bandwidth = false;; bandwidth = true) {
		fprintf(f, "],'%s':[",
			bandwidth ? "bandwidth_mbps" : "latency_us");
		for (i = 0; i < n * n; i++) {
			j = i % n;
			fputs(j ? "," : i ? "],[" : "[", f);
			if (!bandwidth)
				fprintf(f, "%u", 100 * draw_below(luck, 8));
			else if (holes && (j + 1) % n != i / n &&
				 !draw_below(luck, 3))
				fputs("null", f);
			else
				fprintf(f, "%u", 8 << draw_below(luck, 4));
		}
		fputs("]", f);
		if (bandwidth)
			break;
	}
	fputs("]}", f);
	return close_input(f, &text);
}

/* Writes a link between two nodes, or one for each direction. */
typedef void (*link_writer)(struct luck *luck, FILE *f, size_t from, size_t to);

/*
 * Hosts 1, 2, ... each at a switch, a random tree of switches 101, 102, ... and
 * @extra more links between them (where there is none yet).
 */
static void random_links(struct luck *luck, FILE *f, size_t hosts,
			 size_t switches, size_t extra, link_writer join)
{
	bool *joined = calloc(switches * switches, sizeof(*joined));
	size_t i, j;

	for (i = 1; i <= hosts; i++)
		join(luck, f, i, 101 + draw_below(luck, (uint32_t)switches));
	for (i = 1; i < switches; i++) {
		j = draw_below(luck, (uint32_t)i);
		joined[i * switches + j] = true;
		join(luck, f, 101 + i, 101 + j);
	}
	for (; extra && switches > 1; extra--) {
		i = 1 + draw_below(luck, (uint32_t)switches - 1);
		j = draw_below(luck, (uint32_t)i);
		if (!joined[i * switches + j])
			join(luck, f, 101 + i, 101 + j);
		joined[i * switches + j] = true;
	}
	free(joined);
}

static void one_link(struct luck *luck, FILE *f, size_t from, size_t to,
		     bool symmetric)
{
	fprintf(f, "{'from':%zu,'to':%zu,'bandwidth_mbps':%u,'latency_us':%u",
		from, to, 10 + 10 * draw_below(luck, 10),
		100 * draw_below(luck, 5));
	fprintf(f, ",'symmetric':%s},", symmetric ? "true" : "false");
}

static void even_link(struct luck *luck, FILE *f, size_t from, size_t to)
{
	one_link(luck, f, from, to, true);
}

static void any_link(struct luck *luck, FILE *f, size_t from, size_t to)
{
	bool symmetric = draw_below(luck, 2);

	one_link(luck, f, from, to, symmetric);
	if (!symmetric)
		one_link(luck, f, to, from, false);
}

/*
 * A platform: a random tree of switches with @extra more links between them, and
 * hosts, as random_links() makes them. All links are symmetric if @even.
 */
struct hbp_input *random_platform(struct luck *luck, size_t hosts,
				  size_t switches, size_t extra, bool even)
{
	char *text = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	/* A first switch that no route needs makes commas simple. */
	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':999,'kind':'switch'}",
	      f);
	for (i = 0; i < switches; i++)
		fprintf(f, ",{'id':%zu,'kind':'switch'}", i + 101);
	for (i = 1; i <= hosts; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
	fputs("],'links':[{'from':101,'to':999,'bandwidth_mbps':1,'latency_us':1",
	      f);
	fprintf(f, ",'symmetric':%s},", even ? "true" : "false");
	random_links(luck, f, hosts, switches, extra,
		     even ? even_link : any_link);
	return close_links(f, &text);
}

/* A speed of one of four types, which are sometimes alike in something. */
static void random_speed(struct luck *luck, FILE *f)
{
	uint32_t type = draw_below(luck, 4);

	fprintf(f, "'speed':{'send_const_us':%u,'send_byte_us':%u,",
		16 + 8 * type, 8 * (1 + type / 2));
	fprintf(f, "'recv_const_us':%u,'recv_byte_us':%u}", 8 + 8 * (type & 1),
		16 * type);
}

/* A link of an HNOW, by whose bandwidth and latency nothing is meant. */
static void hnow_link(struct luck *luck, FILE *f, size_t from, size_t to)
{
	(void)luck;
	fprintf(f, "{'from':%zu,'to':%zu,", from, to);
	fputs("'bandwidth_mbps':8,'latency_us':8,'symmetric':true},", f);
}

/*
 * An HNOW: a random tree of switches with @extra more links between them, and
 * hosts, as random_links() makes them. Some switches may have no hosts.
 */
struct hbp_input *random_hnow(struct luck *luck, size_t hosts, size_t switches,
			      size_t extra)
{
	char *text = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,", f);
	fputs("'wormhole':{'const_us':16,'byte_us':8},'nodes':[", f);
	for (i = 0; i < switches; i++)
		fprintf(f, "{'id':%zu,'kind':'switch'},", i + 101);
	for (i = 1; i <= hosts; i++) {
		fprintf(f, "%s{'id':%zu,'kind':'host',", i > 1 ? "," : "", i);
		random_speed(luck, f);
		fputs("}", f);
	}
	fputs("],'links':[", f);
	random_links(luck, f, hosts, switches, extra, hnow_link);
	return close_links(f, &text);
}

/* Ids by another rule that keeps their order. */
uint32_t other_id(uint32_t id)
{
	return 7 * id + 3;
}

/* The matrix of a platform that has changed is made anew when it is needed. */
static void forget_costs(struct hbp_input *in)
{
	hbp_costs_free(in->costs);
	in->costs = NULL;
}

/* Gives nodes other ids. */
void relabel(struct hbp_input *in)
{
	struct hbp_platform *p = in->platform;
	size_t i;

	for (i = 0; i < in->n; i++) {
		in->members[i] = other_id(in->members[i]);
		if (!p)
			in->costs->nodes[i].id = in->members[i];
	}
	for (i = 0; p && i < p->n; i++)
		p->nodes[i].id = other_id(p->nodes[i].id);
	if (p)
		forget_costs(in);
}

static void stretch_costs(struct hbp_costs *costs, int64_t times)
{
	size_t i;

	for (i = 0; i < costs->n * costs->n; i++) {
		if (!costs->bandwidth_bps[i])
			continue;
		costs->latency_ns[i] *= times;
		costs->bandwidth_bps[i] /= times;
	}
	for (i = 0; i < costs->n; i++) {
		costs->nodes[i].send_overhead_ns *= times;
		costs->nodes[i].recv_overhead_ns *= times;
	}
}

/* Makes everything as many times slower; bandwidths must be multiples of it. */
void stretch(struct hbp_input *in, int64_t times)
{
	struct hbp_platform *p = in->platform;
	size_t i;

	for (i = 0; p && i < p->n_links; i++) {
		p->links[i].latency_ns *= times;
		p->links[i].bandwidth_bps /= times;
	}
	if (p)
		forget_costs(in);
	else
		stretch_costs(in->costs, times);
}
