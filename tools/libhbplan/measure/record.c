// SPDX-License-Identifier: GPL-2.0-or-later
/* A network that was found, as a platform file that tells how it was found. */
#include <errno.h>
#include <stdlib.h>

#include "json.h"
#include "measure/record.h"
#include "platform.h"
#include "units.h"

static const char *time_of(const struct hbp_record *record, size_t round)
{
	return round < record->n_times ? record->times[round] : NULL;
}

/* The capacity that a link of the platform stands for. */
static const struct hbp_capacity *capacity_of(const struct hbp_record *record,
					      const struct hbp_link *link)
{
	size_t arc = hbp_inferred_arc(record->inferred, link->from, link->to);

	return hbp_sketch_capacity(record->inferred->sketch, arc);
}

static json_t *link_to_json(const struct hbp_record *record,
			    const struct hbp_platform *platform, const struct hbp_link *link)
{
	const struct hbp_capacity *c = capacity_of(record, link);

	return json_pack("{s:I, s:I, s:f, s:f, s:{s:s, s:i, s:f, s:s*, s:s, s:f, s:s*}}",
			 "from", (json_int_t)platform->nodes[link->from].id,
			 "to", (json_int_t)platform->nodes[link->to].id,
			 "bandwidth_mbps", hbp_mbps_from_bps(link->bandwidth_bps),
			 "latency_us", hbp_us_from_ns(link->latency_ns), "measured",
			 "bandwidth_method", c->tests ? "flows" : "none",
			 "bandwidth_tests", (int)c->tests,
			 "bandwidth_spread_mbps", c->spread_mbps,
			 "bandwidth_time", time_of(record, c->round),
			 "latency_method", "round-trips",
			 "latency_spread_us", record->inferred->noise_us / 2,
			 "latency_time", time_of(record, 0));
}

static json_t *lost_to_json(const struct hbp_record *record)
{
	json_t *lost = json_array();
	size_t i;

	for (i = 0; i < record->n_lost; i++)
		json_array_append_new(lost, json_pack("{s:I, s:s*}", "id",
						      (json_int_t)record->lost[i].id,
						      "reason", record->lost[i].why));
	return lost;
}

static const char *method_of(const struct hbp_overhead *overhead)
{
	if (!overhead->bursts)
		return "none";
	return overhead->kept_up ? "keeps-up" : "bursts";
}

/* Rounds of bursts came after those of flows. */
static const char *bursts_over(const struct hbp_record *record,
			       const struct hbp_overhead *overhead)
{
	return overhead->bursts ? time_of(record, record->inferred->rounds + overhead->round) :
				  NULL;
}

static json_t *host_to_json(const struct hbp_record *record, size_t host)
{
	const struct hbp_overhead *send = &record->inferred->overheads[host].send;
	const struct hbp_overhead *recv = &record->inferred->overheads[host].recv;
	const struct hbp_sketch_node *node = &record->inferred->sketch->nodes[host];

	return json_pack("{s:s, s:i, s:f, s:s*, s:s, s:i, s:f, s:s*, s:o*}",
			 "send_overhead_method", method_of(send),
			 "send_overhead_tests", (int)send->bursts,
			 "send_overhead_spread_us", send->spread_us,
			 "send_overhead_time", bursts_over(record, send),
			 "recv_overhead_method", method_of(recv),
			 "recv_overhead_tests", (int)recv->bursts,
			 "recv_overhead_spread_us", recv->spread_us,
			 "recv_overhead_time", bursts_over(record, recv),
			 "shared_mbps", node->shared ? json_real(node->both.mbps) : NULL);
}

/* Hosts come first, in the sketch's order. */
static json_t *nodes_to_json(const struct hbp_record *record,
			     const struct hbp_platform *platform)
{
	json_t *nodes = hbp_platform_nodes_to_json(platform), *node;
	size_t i;

	json_array_foreach(nodes, i, node)
		if (platform->nodes[i].host)
			json_object_set_new(node, "measured", host_to_json(record, i));
	return nodes;
}

static json_t *record_to_json(const struct hbp_record *record, struct hbp_error *err)
{
	const struct hbp_inferred *inferred = record->inferred;
	struct hbp_platform *platform;
	json_t *links = json_array(), *about, *root;
	size_t i;

	if (hbp_inferred_platform(inferred, &platform, err)) {
		json_decref(links);
		return NULL;
	}
	for (i = 0; i < platform->n_links; i++)
		json_array_append_new(links, link_to_json(record, platform,
							  &platform->links[i]));
	about = json_pack("{s:s, s:s*, s:b, s:b, s:f, s:f, s:f, s:I, s:I, s:o, s:o}",
			  "method", "tree", "time", time_of(record, record->n_times - 1),
			  "complete", inferred->complete, "fits", inferred->tree,
			  "noise_us", inferred->noise_us, "misfit_us", inferred->misfit_us,
			  "alike", inferred->alike, "hidden", (json_int_t)inferred->hidden,
			  "rounds", (json_int_t)inferred->rounds,
			  "odd", hbp_record_odd(inferred), "lost", lost_to_json(record));
	root = json_pack("{s:s, s:i, s:o, s:o, s:o}", "hbcast", "platform", "version", 1,
			 "nodes", nodes_to_json(record, platform), "links", links,
			 "measured", about);
	hbp_platform_free(platform);
	if (!root)
		hbp_nomem(err);
	return root;
}

/**
 * hbp_record_odd() - hosts whose round trips fit nowhere
 * @inferred: a network that has been found
 *
 * Return: an array of their ids, owned by the caller.
 */
json_t *hbp_record_odd(const struct hbp_inferred *inferred)
{
	json_t *odd = json_array();
	size_t i;

	for (i = 0; i < inferred->n_odd; i++)
		json_array_append_new(odd, json_integer(inferred->odd[i]));
	return odd;
}

/**
 * hbp_record_text() - a measurement as JSON text
 * @record: what to tell; at least two hosts were reached
 * @err: receives the reason of a failure
 *
 * Return: text ending in a newline, to be released with free(), or NULL.
 */
char *hbp_record_text(const struct hbp_record *record, struct hbp_error *err)
{
	json_t *root = record_to_json(record, err);

	return root ? hbp_json_dump(root) : NULL;
}

/**
 * hbp_record_save() - write a measurement to a file
 * @record: what to tell; at least two hosts were reached
 * @path: the file, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_record_save(const struct hbp_record *record, const char *path,
		    struct hbp_error *err)
{
	json_t *root = record_to_json(record, err);

	return root ? hbp_json_save(root, path, err) : -ENOMEM;
}
