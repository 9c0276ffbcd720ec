/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Platforms: hosts and switches joined by links. */
#ifndef HBPLAN_PLATFORM_H
#define HBPLAN_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define HBP_PLATFORM_NODES_MAX	32768
#define HBP_PLATFORM_LINKS_MAX	500000

/**
 * struct hbp_platform_node - a host or a switch
 * @id: unique among hosts and switches
 * @host: true for a host
 * @name: or NULL; owned
 * @send_overhead_ns: time that a host is busy with sending a message (LogGP o_s)
 * @recv_overhead_ns: time that a host is busy with receiving one (LogGP o_r)
 */
struct hbp_platform_node {
	uint32_t id;
	bool host;
	char *name;
	int64_t send_overhead_ns;
	int64_t recv_overhead_ns;
};

/**
 * struct hbp_link - one direction of a link
 * @from: index of the sending node
 * @to: index of the receiving node
 * @bandwidth_bps: capacity of this direction, positive
 * @latency_ns: of this direction
 * @mtu: bytes that its frames carry, HBP_MTU_MIN to HBP_MTU_MAX; 0 for HBP_MTU
 */
struct hbp_link {
	size_t from;
	size_t to;
	int64_t bandwidth_bps;
	int64_t latency_ns;
	unsigned int mtu;
};

/**
 * struct hbp_platform - hosts and switches joined by links
 * @n: number of nodes, at most HBP_PLATFORM_NODES_MAX, of which 2 are hosts
 * @n_hosts: number of hosts
 * @nodes: in ascending order of id, whatever the order in the file
 * @hosts: indices of the hosts, in ascending order of id
 * @n_links: number of directions; a symmetric link of the file counts as two
 * @links: in ascending order of @from, then @to; at most one for each pair
 * @first: index of each node's first link in @links; @n + 1 entries, so that
 *	the links of node i are @first[i] to @first[i + 1] - 1
 * @bare: its file says that bandwidths are of payload alone, so that no headers and
 *	no acknowledgements count
 * @counted: hbp_platform_count() has made bandwidths those of payload, and
 *	acknowledgements take their part of them
 */
struct hbp_platform {
	size_t n;
	size_t n_hosts;
	struct hbp_platform_node *nodes;
	size_t *hosts;
	size_t n_links;
	struct hbp_link *links;
	size_t *first;
	bool bare;
	bool counted;
};

int hbp_platform_load(const char *path, const struct hbp_warn *warn,
		      struct hbp_platform **out, struct hbp_error *err);
int hbp_platform_parse(const char *text, size_t len, const char *name,
		       const struct hbp_warn *warn, struct hbp_platform **out,
		       struct hbp_error *err);
struct hbp_platform *hbp_platform_alloc(size_t n, size_t n_links);
const struct hbp_link *hbp_platform_finish(struct hbp_platform *platform);
int hbp_platform_sort(struct hbp_platform *platform);
void hbp_platform_count(struct hbp_platform *platform);
unsigned int hbp_link_mtu(const struct hbp_link *link);
char *hbp_platform_text(const struct hbp_platform *platform);
int hbp_platform_save(const struct hbp_platform *platform, const char *path,
		      struct hbp_error *err);
void hbp_platform_free(struct hbp_platform *platform);
void hbp_platform_drop(struct hbp_platform *platform, size_t at);
size_t hbp_platform_find(const struct hbp_platform *platform, uint32_t id);
int hbp_link_compare(const void *a, const void *b);
const struct hbp_link *hbp_platform_link(const struct hbp_platform *platform,
					 size_t from, size_t to);

#endif /* HBPLAN_PLATFORM_H */
