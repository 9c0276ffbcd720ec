// SPDX-License-Identifier: GPL-2.0-or-later
/* What a plan is made from and judged on: a cost matrix, a platform, an HNOW. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "json.h"
#include "node.h"
#include "route.h"

/**
 * hbp_input_free() - release an input
 * @in: the input or NULL
 */
void hbp_input_free(struct hbp_input *in)
{
	if (!in)
		return;
	free(in->name);
	free(in->members);
	hbp_costs_free(in->costs);
	hbp_platform_free(in->platform);
	hbp_hnow_free(in->hnow);
	free(in);
}

static int list_members(struct hbp_input *in)
{
	size_t i;

	in->n = in->platform ? in->platform->n_hosts : in->costs->n;
	in->members = calloc(in->n, sizeof(*in->members));
	if (!in->members)
		return -ENOMEM;
	for (i = 0; i < in->n; i++)
		in->members[i] = in->platform ?
			in->platform->nodes[in->platform->hosts[i]].id :
			in->costs->nodes[i].id;
	return 0;
}

/**
 * hbp_input_make() - an input of a matrix or a platform
 * @name: what error sentences call it
 * @costs: the cost matrix, or NULL; the input's from now on, even on failure
 * @platform: the platform if there is no matrix; likewise
 * @out: receives the input, to be released with hbp_input_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_input_make(const char *name, struct hbp_costs *costs,
		   struct hbp_platform *platform, struct hbp_input **out,
		   struct hbp_error *err)
{
	struct hbp_input *in = calloc(1, sizeof(*in));

	if (!in) {
		hbp_costs_free(costs);
		hbp_platform_free(platform);
		return hbp_nomem(err);
	}
	in->kind = platform ? HBP_INPUT_PLATFORM : HBP_INPUT_COSTS;
	in->costs = costs;
	in->platform = platform;
	in->name = strdup(name);
	if (!in->name || list_members(in)) {
		hbp_input_free(in);
		return hbp_nomem(err);
	}
	*out = in;
	return 0;
}

/* The HNOW is the input's from now on, even on failure. */
static int make_from_hnow(const char *name, struct hbp_hnow *hnow,
			  struct hbp_input **out, struct hbp_error *err)
{
	struct hbp_costs *costs;
	int ret;

	ret = hbp_costs_from_hnow(hnow, &costs, err);
	if (!ret)
		ret = hbp_input_make(name, costs, NULL, out, err);
	if (ret) {
		hbp_hnow_free(hnow);
		return ret;
	}
	(*out)->hnow = hnow;
	(*out)->kind |= HBP_INPUT_HNOW;
	return 0;
}

static int input_from_json(struct hbp_reader *rd, json_t *root, void *out)
{
	const json_t *hbcast = json_object_get(root, "hbcast");
	const char *kind = json_string_value(hbcast);
	struct hbp_platform *platform = NULL;
	struct hbp_costs *costs = NULL;
	struct hbp_input *in;
	struct hbp_hnow *hnow;
	int ret;

	if (!kind || (strcmp(kind, "costs") && strcmp(kind, "platform")))
		return hbp_json_bad(rd, hbcast, "\"costs\" or \"platform\"",
				    "hbcast");
	if (strcmp(kind, "costs") && json_object_get(root, "wormhole")) {
		ret = hbp_hnow_from_json(rd, root, &hnow);
		return ret ? ret : make_from_hnow(rd->file, hnow, out, rd->err);
	}
	if (!strcmp(kind, "costs"))
		ret = hbp_costs_from_json(rd, root, &costs);
	else
		ret = hbp_platform_from_json(rd, root, &platform);
	ret = ret ? ret : hbp_input_make(rd->file, costs, platform, &in, rd->err);
	if (ret)
		return ret;
	hbp_age_read(root, &in->age);
	*(struct hbp_input **)out = in;
	return 0;
}

/**
 * hbp_input_load() - read a cost matrix, a platform or an HNOW from a file
 * @path: the file
 * @warn: where warnings go, or NULL
 * @out: receives the input, to be released with hbp_input_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_input_load(const char *path, const struct hbp_warn *warn,
		   struct hbp_input **out, struct hbp_error *err)
{
	return hbp_json_load(path, warn, input_from_json, out, err);
}

/**
 * hbp_input_parse() - read a cost matrix, a platform or an HNOW from memory
 * @text: JSON, not terminated
 * @len: its length in bytes
 * @name: what error sentences call it
 * @warn: where warnings go, or NULL
 * @out: receives the input, to be released with hbp_input_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_input_parse(const char *text, size_t len, const char *name,
		    const struct hbp_warn *warn, struct hbp_input **out,
		    struct hbp_error *err)
{
	return hbp_json_load_text(text, len, name, warn, input_from_json, out,
				  err);
}

/**
 * hbp_input_count() - count headers and acknowledgements
 * @in: the input, just made; bandwidths become those of payload, unless they are that.
 *	An HNOW, which tells what bytes of a message take, stays as it is.
 */
void hbp_input_count(struct hbp_input *in)
{
	if (in->platform)
		hbp_platform_count(in->platform);
	else
		hbp_costs_count(in->costs);
}

/**
 * hbp_input_find() - place of a member
 * @in: the input
 * @id: the member's id
 *
 * Return: its place in @in->members, or HBP_NONE.
 */
size_t hbp_input_find(const struct hbp_input *in, uint32_t id)
{
	return hbp_node_find(in->members, in->n, sizeof(*in->members), id);
}

/**
 * hbp_kind_name() - what kinds of input are called in sentences
 * @kind: HBP_INPUT_*; of several the one that tells most counts
 *
 * Return: a noun with its article.
 */
const char *hbp_kind_name(unsigned int kind)
{
	if (kind & HBP_INPUT_HNOW)
		return "an HNOW";
	return kind & HBP_INPUT_PLATFORM ? "a platform" : "a cost matrix";
}

/**
 * hbp_input_drop() - take a member out
 * @in: the input
 * @id: the member's id
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if it is no member, or one of the last two.
 */
int hbp_input_drop(struct hbp_input *in, uint32_t id, struct hbp_error *err)
{
	size_t at = hbp_input_find(in, id);

	if (at == HBP_NONE)
		return hbp_fail(err, -EINVAL, "%s: nodes: there is no node %u",
				in->name, id);
	if (in->n == 2)
		return hbp_fail(err, -EINVAL, "%s: nodes: no two are left without node %u",
				in->name, id);
	if (in->costs)
		hbp_costs_drop(in->costs, at);
	if (in->platform)
		hbp_platform_drop(in->platform, in->platform->hosts[at]);
	if (in->hnow)
		hbp_hnow_drop(in->hnow, at);
	in->n--;
	memmove(&in->members[at], &in->members[at + 1],
		(in->n - at) * sizeof(*in->members));
	return 0;
}

/**
 * hbp_input_label() - name of a member
 * @in: the input
 * @id: the member's id
 *
 * Return: the name, owned by @in, or NULL if it has none.
 */
const char *hbp_input_label(const struct hbp_input *in, uint32_t id)
{
	size_t at = hbp_input_find(in, id);

	if (at == HBP_NONE)
		return NULL;
	if (in->platform)
		return in->platform->nodes[in->platform->hosts[at]].name;
	return in->costs->nodes[at].name;
}

/**
 * hbp_input_costs() - the cost matrix of an input
 * @in: the input
 * @out: receives the matrix, owned by @in; that of a platform is made at the
 *	first call, see hbp_costs_from_platform()
 * @err: receives the reason of a failure
 *
 * Return: 0 or what hbp_costs_from_platform() returns.
 */
int hbp_input_costs(struct hbp_input *in, const struct hbp_costs **out,
		    struct hbp_error *err)
{
	int ret = 0;

	if (!in->costs)
		ret = hbp_costs_from_platform(in->platform, &in->costs, err);
	if (!ret)
		*out = in->costs;
	return ret;
}
