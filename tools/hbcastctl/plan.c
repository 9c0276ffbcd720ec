// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl plan: make a plan, show one, list the planners. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "output.h"
#include "plan.h"
#include "plan_age.h"
#include "plan_value.h"

static void warn(void *arg, const char *text)
{
	hbctl_warning(arg, "%s", text);
}

/**
 * hbplan_warnings() - let libhbplan warn as hbcastctl does
 * @ctl: the run
 *
 * Return: what libhbplan's loaders take.
 */
struct hbp_warn hbplan_warnings(struct hbctl *ctl)
{
	struct hbp_warn w = { .fn = warn, .arg = ctl };

	return w;
}

/**
 * hbplan_open() - load what is planned on
 * @ctl: the run
 * @path: a cost matrix, a platform or an HNOW
 * @in: receives it, to be released with hbp_input_free(); its bandwidths are of payload
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
int hbplan_open(struct hbctl *ctl, const char *path, struct hbp_input **in)
{
	struct hbp_warn w = hbplan_warnings(ctl);
	struct hbp_error err;

	if (hbp_input_load(path, &w, in, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	hbp_input_count(*in);
	return HBCTL_OK;
}

/**
 * hbplan_load() - load a plan
 * @ctl: the run
 * @path: its file
 * @plan: receives it, to be released with hbp_plan_free()
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
int hbplan_load(struct hbctl *ctl, const char *path, struct hbp_plan **plan)
{
	struct hbp_warn w = hbplan_warnings(ctl);
	struct hbp_error err;

	if (hbp_plan_load(path, &w, plan, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	return HBCTL_OK;
}

/**
 * hbplan_load_on() - load a plan and what it is judged on
 * @ctl: the run
 * @path: the plan's file
 * @on: a cost matrix, a platform or an HNOW
 * @plan: receives the plan, to be released with hbp_plan_free() whatever is
 *	returned; NULL before
 * @in: receives the other, to be released with hbp_input_free(); likewise
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the error.
 */
int hbplan_load_on(struct hbctl *ctl, const char *path, const char *on,
		   struct hbp_plan **plan, struct hbp_input **in)
{
	int ret;

	ret = hbplan_load(ctl, path, plan);
	return ret ? ret : hbplan_open(ctl, on, in);
}

/* What the labels of a drawing are taken from. */
struct labels {
	const struct hbp_input *in;	/* names, or NULL */
	const struct hbp_plan *plan;
};

/* "a2, 30.0 Mbit/s, 2.240 s", as far as it is known. */
static void write_label(void *arg, uint32_t id, char *buf, size_t len)
{
	const struct labels *labels = arg;
	const struct hbp_evaluation *e = labels->plan->predicted;
	const char *name = labels->in ? hbp_input_label(labels->in, id) : NULL;
	char rate[32], done[32];
	json_t *value;
	size_t at;

	snprintf(buf, len, "%s", name ? name : "");
	at = e ? hbp_node_find(e->nodes, e->n, sizeof(*e->nodes), id) : HBP_NONE;
	if (at == HBP_NONE)
		return;
	value = json_real(hbp_mbps_from_bps(e->nodes[at].rate_bps));
	hbout_mbps(value, rate, sizeof(rate));
	json_decref(value);
	value = json_real(hbp_us_from_ns(e->nodes[at].completion_ns));
	hbout_usec(value, done, sizeof(done));
	json_decref(value);
	snprintf(buf, len, "%s%s%s, %s", name ? name : "", name ? ", " : "",
		 rate, done);
}

/**
 * hbplan_draw() - draw a plan on standard output
 * @ctl: the run
 * @plan: the plan
 * @label: writes what stands beside the ids
 * @arg: handed to @label
 * @graph: HBPLAN_GRAPH_TEXT or HBPLAN_GRAPH_DOT
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_draw(struct hbctl *ctl, const struct hbp_plan *plan,
		hbp_label_fn label, void *arg, enum hbplan_graph graph)
{
	struct hbp_error err;
	int ret;

	if (graph == HBPLAN_GRAPH_DOT)
		ret = hbp_draw_dot(plan, label, arg, stdout, &err);
	else
		ret = hbp_draw_text(plan, label, arg, stdout, &err);
	return ret ? hbctl_error(ctl, HBCTL_USAGE, "%s", err.text) : HBCTL_OK;
}

static int draw(struct hbctl *ctl, const struct hbp_plan *plan,
		const struct hbp_input *in, enum hbplan_graph graph)
{
	struct labels labels = { .in = in, .plan = plan };

	return hbplan_draw(ctl, plan, write_label, &labels, graph);
}

/**
 * hbplan_print() - print text of libhbplan
 * @ctl: the run
 * @what: what it is, for the sentence
 * @text: the text, released; NULL if there was no memory for it
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_print(struct hbctl *ctl, const char *what, char *text)
{
	if (!text)
		return hbctl_error(ctl, HBCTL_USAGE, "out of memory");
	fputs(text, stdout);
	free(text);
	if (fflush(stdout) || ferror(stdout))
		return hbctl_error(ctl, HBCTL_USAGE,
				   "the %s cannot be written to standard output",
				   what);
	return HBCTL_OK;
}

static int print_plan(struct hbctl *ctl, const struct hbp_plan *plan)
{
	return hbplan_print(ctl, "plan", hbp_plan_text(plan));
}

/**
 * hbplan_deliver() - write, draw or print a new plan
 * @ctl: the run
 * @plan: the plan
 * @in: what it was made from, for names in drawings
 * @output: the file that it is written to, or NULL for none
 * @graph: how to draw it; without it and without @output it is printed
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbplan_deliver(struct hbctl *ctl, const struct hbp_plan *plan,
		   const struct hbp_input *in, const char *output,
		   enum hbplan_graph graph)
{
	struct hbp_error err;

	if (output && hbp_plan_save(plan, output, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	if (graph != HBPLAN_GRAPH_NONE)
		return draw(ctl, plan, in, graph);
	return output ? HBCTL_OK : print_plan(ctl, plan);
}

static const struct hbp_planner *find_planner(struct hbctl *ctl,
					      const char *name)
{
	const struct hbp_planner *planner = hbp_planner_find(name);

	if (!planner)
		hbctl_error(ctl, HBCTL_USAGE,
			    "algorithm \"%s\" is unknown: hbcastctl plan algorithms lists them",
			    name);
	return planner;
}

/* What an objective makes of a plan that was tried, such as "1.2 s". */
static void write_merit(enum hbp_objective objective,
			const struct hbp_tried *tried, char *buf, size_t len)
{
	json_t *value;

	if (objective == HBP_THROUGHPUT) {
		value = json_real(hbp_mbps_from_bps(tried->rate_bps));
		hbout_mbps(value, buf, len);
	} else {
		value = json_real(hbp_us_from_ns(objective == HBP_COMPLETION ?
						 tried->completion_ns :
						 tried->mean_ns));
		hbout_usec(value, buf, len);
	}
	json_decref(value);
}

static bool does_better(enum hbp_objective objective, const struct hbp_tried *a,
			const struct hbp_tried *b)
{
	if (objective == HBP_THROUGHPUT)
		return a->rate_bps > b->rate_bps;
	return objective == HBP_COMPLETION ?
	       a->completion_ns < b->completion_ns : a->mean_ns < b->mean_ns;
}

/* Tells a person why a plan was taken. */
static void say_why(const struct hbctl *ctl, const struct hbp_why *why)
{
	const struct hbp_tried *t, *best = &why->tried[why->chosen], *next = NULL;
	enum hbp_objective other = hbp_objective_other(why->objective);
	char merit[32], open[32];
	size_t i, made = 0;

	if (ctl->json)
		return;
	for (i = 0; i < why->n; i++) {
		t = &why->tried[i];
		made += t->made;
		if (t->made && t != best &&
		    (!next || does_better(why->objective, t, next)))
			next = t;
	}
	write_merit(why->objective, best, merit, sizeof(merit));
	write_merit(other, best, open, sizeof(open));
	fprintf(stderr, "hbcastctl: %s is taken: of %zu planners, %zu of which could plan,",
		best->algorithm, why->n, made);
	fprintf(stderr, " it has the best %s by %s, %s,", hbp_objective_name(other),
		hbp_model_name(why->model), open);
	fprintf(stderr, " of all within %.3g %% of the best %s, its own being %s",
		100 * why->tolerance, hbp_objective_name(why->objective), merit);
	if (next) {
		write_merit(why->objective, next, merit, sizeof(merit));
		write_merit(other, next, open, sizeof(open));
		fprintf(stderr, "; of others %s has the best %s, %s, and the %s %s",
			next->algorithm, hbp_objective_name(why->objective), merit,
			hbp_objective_name(other), open);
	}
	fputc('\n', stderr);
}

static int make(struct hbctl *ctl, const struct hbp_planner *planner,
		const struct hbp_request *rq, const char *output,
		enum hbplan_graph graph)
{
	struct hbp_plan *plan;
	struct hbp_error err;
	int ret;

	if (hbp_plan_make(planner, rq, &plan, &err))
		return hbctl_error(ctl, HBCTL_USAGE, "%s", err.text);
	if (plan->why)
		say_why(ctl, plan->why);
	ret = hbplan_deliver(ctl, plan, rq->in, output, graph);
	hbp_plan_free(plan);
	return ret;
}

/* What keys a planner may be given that others have no use for. */
static const struct {
	const char *key;
	unsigned int takes;
} parameters[] = {
	{ "model", HBP_TAKES_PORTS },
	{ "tolerance", HBP_TAKES_TOLERANCE },
	{ "seed", HBP_TAKES_SEED },
	{ "update", HBP_TAKES_UPDATE },
	{ "trees", HBP_TAKES_TREES },
	{ "replica", HBP_TAKES_REPLICAS },
};

#define N_PARAMETERS	(sizeof(parameters) / sizeof(parameters[0]))

static int check_taken(struct hbctl *ctl, const struct hbp_planner *planner,
		       const struct hbarg_key *k)
{
	size_t i;

	for (; k->name; k++) {
		for (i = 0; k->seen && i < N_PARAMETERS; i++)
			if (!strcmp(k->name, parameters[i].key) &&
			    !(planner->takes & parameters[i].takes))
				return hbctl_error(ctl, HBCTL_USAGE,
						   "%s has no use for \"%s\": leave it out",
						   planner->name, k->name);
	}
	return HBCTL_OK;
}

static int check_objective(struct hbctl *ctl, const struct hbp_planner *planner,
			   enum hbp_objective objective)
{
	if (!objective || planner->serves & HBP_FOR(objective))
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s does not plan for %s: hbcastctl plan algorithms tells which planners do",
			   planner->name, hbp_objective_name(objective));
}

/* One more node that has the message to begin with; @dest is the request. */
static int parse_replica(struct hbctl *ctl, const char *key, const char *word,
			 void *dest)
{
	struct hbp_request *rq = dest;

	if (rq->n_replicas == HBP_REPLICAS_MAX)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is one too many: a plan has trees for at most %d",
				   key, word, HBP_REPLICAS_MAX);
	return hbarg_u32(ctl, key, word, &rq->replicas[rq->n_replicas++]);
}

static int parse_update(struct hbctl *ctl, const char *key, const char *word,
			void *dest)
{
	enum hbp_update *update = dest;

	*update = strcmp(word, "literal") ? HBP_UPDATE_WEIGHTED : HBP_UPDATE_LITERAL;
	if (*update == HBP_UPDATE_LITERAL || !strcmp(word, "weighted"))
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s \"%s\" is unknown: write weighted or literal", key, word);
}

static int parse_forward(struct hbctl *ctl, const char *key, const char *word,
			 void *dest)
{
	bool *whole = dest;

	*whole = !strcmp(word, "message");
	if (*whole || !strcmp(word, "packet"))
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s \"%s\" is unknown: write packet or message", key, word);
}

/* argv[0] is the file, which may have any name. */
static int plan_make(struct hbctl *ctl, int argc, char **argv)
{
	struct hbp_request rq = {
		.message_bytes = HBPLAN_DEFAULT_BYTES, .tolerance = HBPLAN_DEFAULT_TOLERANCE
	};
	const char *algorithm = NULL, *output = NULL;
	enum hbplan_graph graph = HBPLAN_GRAPH_NONE;
	struct hbarg_key keys[] = {
		{ "algorithm", hbarg_string, &algorithm, HBARG_REQUIRED, false },
		{ "root", hbarg_u32, &rq.root, HBARG_REQUIRED, false },
		{ "message-size", hbplan_parse_bytes, &rq.message_bytes, 0, false },
		{ "model", hbplan_parse_ports, &rq.ports, 0, false },
		{ "objective", hbplan_parse_objective, &rq.objective, 0, false },
		{ "tolerance", hbarg_percent, &rq.tolerance, 0, false },
		{ "seed", hbplan_parse_seed, &rq.seed, 0, false },
		{ "update", parse_update, &rq.update, 0, false },
		{ "trees", hbplan_parse_trees, &rq.trees, 0, false },
		{ "replica", parse_replica, &rq, HBARG_MANY, false },
		{ "strict", NULL, &rq.strict, 0, false },
		{ "forward", parse_forward, &rq.whole, 0, false },
		{ "output", hbarg_string, &output, 0, false },
		{ "graph", hbplan_parse_graph, &graph, 0, false },
		{ }
	};
	const struct hbp_planner *planner;
	int ret;

	ret = hbarg_parse(ctl, keys, argc - 1, argv + 1);
	if (ret)
		return ret;
	planner = find_planner(ctl, algorithm);
	if (!planner)
		return HBCTL_USAGE;
	ret = check_taken(ctl, planner, keys);
	if (!ret)
		ret = check_objective(ctl, planner, rq.objective);
	if (!ret)
		ret = hbplan_open(ctl, argv[0], &rq.in);
	if (!ret) {
		hbplan_tell_age(ctl, rq.in);
		ret = make(ctl, planner, &rq, output, graph);
	}
	hbp_input_free(rq.in);
	return ret;
}

static json_t *inputs_of(const struct hbp_planner *planner)
{
	json_t *inputs = json_array();

	if (planner->inputs & HBP_INPUT_COSTS)
		json_array_append_new(inputs, json_string("costs"));
	if (planner->inputs & HBP_INPUT_PLATFORM)
		json_array_append_new(inputs, json_string("platform"));
	if (planner->inputs & HBP_INPUT_HNOW)
		json_array_append_new(inputs, json_string("hnow"));
	return inputs;
}

static json_t *objectives_of(const struct hbp_planner *planner)
{
	json_t *names = json_array();
	enum hbp_objective each;

	for (each = HBP_COMPLETION; each < HBP_OBJECTIVES; each++)
		if (planner->serves & HBP_FOR(each))
			json_array_append_new(names,
					      json_string(hbp_objective_name(each)));
	return names;
}

static json_t *parameters_of(const struct hbp_planner *planner)
{
	json_t *names = json_array();
	size_t i;

	for (i = 0; i < N_PARAMETERS; i++)
		if (planner->takes & parameters[i].takes)
			json_array_append_new(names,
					      json_string(parameters[i].key));
	return names;
}

static void write_names(const json_t *value, char *buf, size_t len)
{
	const json_t *name;
	size_t i, at = 0;

	*buf = '\0';
	json_array_foreach((json_t *)value, i, name)
		at += (size_t)snprintf(buf + at, len - at, "%s%s", i ? ", " : "",
				       json_string_value(name));
}

static void write_algorithms(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "NAME", "name", NULL },
		{ "INPUT", "inputs", write_names },
		{ "PARAMETERS", "parameters", write_names },
		{ "PAPER", "paper", NULL },
		{ "OBJECTIVE", "objectives", write_names },
		{ "WHAT IT TRIES", "objective", NULL },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
}

static int plan_algorithms(struct hbctl *ctl, int argc, char **argv)
{
	struct hbarg_key keys[] = { { } };
	const struct hbp_planner *const *planners;
	json_t *result, *row;
	size_t n, i;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (ret)
		return ret;
	result = json_array();
	planners = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		row = json_pack("{s:s, s:o, s:o, s:o, s:s, s:s}", "name",
				planners[i]->name, "inputs",
				inputs_of(planners[i]), "parameters",
				parameters_of(planners[i]), "objectives",
				objectives_of(planners[i]), "paper",
				planners[i]->paper, "objective",
				planners[i]->objective);
		json_array_append_new(result, row);
	}
	return hbout_print(ctl, result, write_algorithms);
}

static int plan_show(struct hbctl *ctl, int argc, char **argv)
{
	enum hbplan_graph graph = HBPLAN_GRAPH_TEXT;
	struct hbp_plan *plan;
	const char *file = NULL;
	struct hbarg_key keys[] = {
		{ "file", hbarg_string, &file, HBARG_REQUIRED | HBARG_BARE, false },
		{ "graph", hbplan_parse_graph, &graph, 0, false },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbplan_load(ctl, file, &plan);
	if (ret)
		return ret;
	if (ctl->json)
		ret = print_plan(ctl, plan);
	else
		ret = draw(ctl, plan, NULL, graph);
	hbp_plan_free(plan);
	return ret;
}

/* The first entry is there for help; FILE is not one word. */
static const struct hbctl_command commands[] = {
	{ "FILE", plan_make,
	  "algorithm NAME root ID [ message-size SIZE ] [ model one-port|multi-port ] [ objective completion|throughput|mean-completion ] [ tolerance PERCENT ] [ seed N ] [ update weighted|literal ] [ trees N ] [ replica ID ]... [ strict ] [ forward packet|message ] [ output PLAN.json ] [ graph dot|text ]",
	  "make a plan from a cost matrix, a platform or an HNOW; print, write or draw it", false },
	{ "show", plan_show, "PLAN.json [ graph dot|text ]",
	  "check a plan and draw its trees", false },
	{ "algorithms", plan_algorithms, "", "list the planners", false },
	{ }
};

/**
 * hbctl_cmd_plan() - hbcastctl plan
 * @ctl: the run
 * @argc: number of words after "plan"
 * @argv: the words
 *
 * The first word is the name of a file unless it is the whole name of another
 * command; "./show" is a file.
 *
 * Return: an exit code.
 */
int hbctl_cmd_plan(struct hbctl *ctl, int argc, char **argv)
{
	static const char *const words[] = {
		"show", "algorithms", "help", "-h", "-help", "--help"
	};
	size_t i;

	for (i = 0; argc && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(argv[0], words[i]))
			return hbctl_dispatch(ctl, "plan", commands, argc, argv);
	if (!argc)
		return hbctl_dispatch(ctl, "plan", commands, argc, argv);
	return plan_make(ctl, argc, argv);
}
