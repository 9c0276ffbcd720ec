// SPDX-License-Identifier: GPL-2.0-or-later
/* Certificates: what proves that no plan is better. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "certificate.h"
#include "json.h"
#include "node.h"
#include "units.h"

/* Of links that together are wider than one may be. */
#define CAPACITY_MAX_MBPS	1e12
#define PRICE_MAX_MBPS		1e15
#define MUST_BE_LINK	"an array of the ids that a link joins"

/* The key of a price tells what has it. */
static const char *const keys[] = {
	[HBP_PRICED_SENDER] = "sender",
	[HBP_PRICED_RECEIVER] = "receiver",
	[HBP_PRICED_LINK] = "link",
};

#define N_KEYS	(sizeof(keys) / sizeof(keys[0]))

/**
 * hbp_certificate_alloc() - room for a certificate
 * @model: what holds trees back
 * @n_prices: number of prices
 * @n_cuts: number of cuts, which have no nodes and links yet
 *
 * Return: to be released with hbp_certificate_free(); NULL if memory has run
 * out.
 */
struct hbp_certificate *hbp_certificate_alloc(enum hbp_model model,
					      size_t n_prices, size_t n_cuts)
{
	struct hbp_certificate *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->model = model;
	c->n_prices = n_prices;
	c->prices = calloc(n_prices + 1, sizeof(*c->prices));
	c->n_cuts = n_cuts;
	c->cuts = calloc(n_cuts + 1, sizeof(*c->cuts));
	if (!c->prices || !c->cuts) {
		hbp_certificate_free(c);
		return NULL;
	}
	return c;
}

/**
 * hbp_certificate_free() - release a certificate
 * @certificate: it, or NULL
 */
void hbp_certificate_free(struct hbp_certificate *certificate)
{
	size_t i;

	if (!certificate)
		return;
	for (i = 0; certificate->cuts && i < certificate->n_cuts; i++) {
		free(certificate->cuts[i].nodes);
		free(certificate->cuts[i].links);
	}
	free(certificate->cuts);
	free(certificate->prices);
	free(certificate);
}

/**
 * hbp_certificate_gap() - how far nodes are from what cuts let through
 * @certificate: a certificate with cuts
 * @predicted: the rates of nodes
 *
 * Return: the mean, over the nodes of all cuts, of the part of the cut's capacity
 * that the node does not receive: 0 to 1.
 */
double hbp_certificate_gap(const struct hbp_certificate *certificate,
			   const struct hbp_evaluation *predicted)
{
	const struct hbp_cut *cut;
	size_t i, k, at, n = 0;
	double sum = 0;

	for (i = 0; i < certificate->n_cuts; i++) {
		cut = &certificate->cuts[i];
		for (k = 0; k < cut->n_nodes; k++, n++) {
			at = hbp_node_find(&predicted->nodes->id, predicted->n,
					   sizeof(*predicted->nodes),
					   cut->nodes[k]);
			if (at == HBP_NONE)
				continue;
			sum += (double)predicted->nodes[at].rate_bps /
			       (double)cut->capacity_bps;
		}
	}
	return sum < (double)n ? 1 - sum / (double)n : 0;
}

static bool read_link(const json_t *value, uint32_t *from, uint32_t *to)
{
	return json_is_array(value) && json_array_size(value) == 2 &&
	       hbp_json_id(json_array_get(value, 0), from) &&
	       hbp_json_id(json_array_get(value, 1), to);
}

static int read_price(struct hbp_reader *rd, json_t *object, size_t i,
		      struct hbp_price *price)
{
	static const char *const known[] = {
		"sender", "receiver", "link", "price_mbps", NULL
	};
	const json_t *value = json_object_get(object, "price_mbps"), *of = NULL;
	size_t k, n = 0;

	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object",
				    "certificate.prices[%zu]", i);
	for (k = 0; k < N_KEYS; k++) {
		if (!json_object_get(object, keys[k]))
			continue;
		price->what = (enum hbp_priced)k;
		of = json_object_get(object, keys[k]);
		n++;
	}
	if (n != 1)
		return hbp_json_fault(rd,
				      "certificate.prices[%zu] must have one of sender, receiver and link, not %zu",
				      i, n);
	if (price->what == HBP_PRICED_LINK &&
	    !read_link(of, &price->from, &price->to))
		return hbp_json_bad(rd, of, MUST_BE_LINK,
				    "certificate.prices[%zu].link", i);
	if (price->what != HBP_PRICED_LINK && !hbp_json_id(of, &price->from))
		return hbp_json_bad(rd, of, HBP_MUST_BE_ID,
				    "certificate.prices[%zu].%s", i,
				    keys[price->what]);
	if (!hbp_json_real(value, 0, PRICE_MAX_MBPS, &price->mbps))
		return hbp_json_bad(rd, value, "Mbit/s from 0 to 1e15",
				    "certificate.prices[%zu].price_mbps", i);
	hbp_json_unknown(rd, object, known, "certificate.prices[%zu].", i);
	return 0;
}

static int read_cut(struct hbp_reader *rd, json_t *object, size_t i,
		    struct hbp_cut *cut)
{
	static const char *const known[] = {
		"nodes", "links", "capacity_mbps", NULL
	};
	const json_t *capacity = json_object_get(object, "capacity_mbps");
	const json_t *nodes = json_object_get(object, "nodes"), *value;
	const json_t *links = json_object_get(object, "links");
	double mbps;
	size_t k;

	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object",
				    "certificate.cuts[%zu]", i);
	if (!hbp_json_real(capacity, HBP_BANDWIDTH_MIN_MBPS, CAPACITY_MAX_MBPS, &mbps))
		return hbp_json_bad(rd, capacity, "Mbit/s from 0.000001 to 1e12",
				    "certificate.cuts[%zu].capacity_mbps", i);
	cut->capacity_bps = hbp_bps_from_mbps(mbps);
	if (!json_is_array(nodes) || !json_array_size(nodes))
		return hbp_json_bad(rd, nodes, "an array of ids",
				    "certificate.cuts[%zu].nodes", i);
	if (!json_is_array(links) || !json_array_size(links))
		return hbp_json_bad(rd, links, "an array of [from, to]",
				    "certificate.cuts[%zu].links", i);
	hbp_json_unknown(rd, object, known, "certificate.cuts[%zu].", i);
	cut->n_nodes = json_array_size(nodes);
	cut->n_links = json_array_size(links);
	cut->nodes = calloc(cut->n_nodes, sizeof(*cut->nodes));
	cut->links = calloc(cut->n_links, sizeof(*cut->links));
	if (!cut->nodes || !cut->links)
		return hbp_nomem(rd->err);
	json_array_foreach(nodes, k, value)
		if (!hbp_json_id(value, &cut->nodes[k]))
			return hbp_json_bad(rd, value, HBP_MUST_BE_ID,
					    "certificate.cuts[%zu].nodes[%zu]",
					    i, k);
	json_array_foreach(links, k, value)
		if (!read_link(value, &cut->links[k].parent,
			       &cut->links[k].child))
			return hbp_json_bad(rd, value, MUST_BE_LINK,
					    "certificate.cuts[%zu].links[%zu]",
					    i, k);
	return 0;
}

static int read_model(struct hbp_reader *rd, const json_t *value,
		      enum hbp_model *model)
{
	const char *text = json_string_value(value);

	*model = text ? hbp_model_find(text) : HBP_MODELS;
	if (*model == HBP_MODEL_FLUID || *model == HBP_MODEL_ONE_PORT ||
	    *model == HBP_MODEL_MULTI_PORT)
		return 0;
	return hbp_json_bad(rd, value, "\"fluid\", \"one-port\" or \"multi-port\"",
			    "certificate.model");
}

/* Prices and cuts may be missing, but must be lists. */
static int read_list(struct hbp_reader *rd, json_t *object, const char *key,
		     json_t **list)
{
	*list = json_object_get(object, key);
	if (!*list || json_is_array(*list))
		return 0;
	return hbp_json_bad(rd, *list, "an array of objects", "certificate.%s",
			    key);
}

/**
 * hbp_certificate_from_json() - read a plan's certificate
 * @rd: the reader
 * @object: what the plan's file has
 * @out: receives it, to be released with hbp_certificate_free(), also if it is
 *	bad
 *
 * Only its form is checked, not what it proves.
 *
 * Return: 0 or a negative errno value.
 */
int hbp_certificate_from_json(struct hbp_reader *rd, json_t *object,
			      struct hbp_certificate **out)
{
	static const char *const known[] = { "model", "prices", "cuts", NULL };
	json_t *prices, *cuts, *value;
	enum hbp_model model;
	size_t i;
	int ret;

	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object", "certificate");
	ret = read_model(rd, json_object_get(object, "model"), &model);
	if (!ret)
		ret = read_list(rd, object, "prices", &prices);
	if (!ret)
		ret = read_list(rd, object, "cuts", &cuts);
	if (ret)
		return ret;
	hbp_json_unknown(rd, object, known, "certificate.");
	*out = hbp_certificate_alloc(model, json_array_size(prices),
				     json_array_size(cuts));
	if (!*out)
		return hbp_nomem(rd->err);
	json_array_foreach(prices, i, value) {
		ret = read_price(rd, value, i, &(*out)->prices[i]);
		if (ret)
			return ret;
	}
	json_array_foreach(cuts, i, value) {
		ret = read_cut(rd, value, i, &(*out)->cuts[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static json_t *link_to_json(uint32_t from, uint32_t to)
{
	return json_pack("[I, I]", (json_int_t)from, (json_int_t)to);
}

static json_t *cut_to_json(const struct hbp_cut *cut)
{
	json_t *nodes = json_array(), *links = json_array();
	size_t i;

	for (i = 0; i < cut->n_nodes; i++)
		json_array_append_new(nodes, json_integer(cut->nodes[i]));
	for (i = 0; i < cut->n_links; i++)
		json_array_append_new(links, link_to_json(cut->links[i].parent,
							  cut->links[i].child));
	return json_pack("{s:o, s:o, s:f}", "nodes", nodes, "links", links,
			 "capacity_mbps", hbp_mbps_from_bps(cut->capacity_bps));
}

/**
 * hbp_certificate_to_json() - a certificate for a plan's file
 * @certificate: it
 *
 * Return: an object for the caller, or NULL if memory has run out.
 */
json_t *hbp_certificate_to_json(const struct hbp_certificate *certificate)
{
	json_t *prices = json_array(), *cuts = json_array(), *value;
	const struct hbp_price *price;
	size_t i;

	for (i = 0; i < certificate->n_prices; i++) {
		price = &certificate->prices[i];
		value = price->what == HBP_PRICED_LINK ?
			link_to_json(price->from, price->to) :
			json_integer(price->from);
		json_array_append_new(prices,
				      json_pack("{s:o, s:f}", keys[price->what],
						value, "price_mbps",
						price->mbps));
	}
	for (i = 0; i < certificate->n_cuts; i++)
		json_array_append_new(cuts, cut_to_json(&certificate->cuts[i]));
	return json_pack("{s:s, s:o, s:o}", "model",
			 hbp_model_name(certificate->model), "prices", prices,
			 "cuts", cuts);
}
