/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checking plans from scratch. Nothing here is shared with libhbplan: files are
 * read, routes found, models run and bounds proven once more, as
 * Documentation/formats.md and Documentation/planners tell, by the plainest way. Only
 * the sizes of headers are libhbplan's.
 */
#ifndef HBCASTCTL_VERIFY_H
#define HBCASTCTL_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define HBVERIFY_NONE	SIZE_MAX
/* What rounding may make of a number, as a part of it. */
#define HBVERIFY_SLACK	(1 / 1e6)
/* Files have 15 digits, so that from here on times of other ns may be the same. */
#define HBVERIFY_EXACT_US	1e12

/**
 * struct hbverify_link - one direction of a link, or a pair of a cost matrix
 * @from: index of the sending node
 * @to: index of the receiving node
 * @mbps: its bandwidth; of payload, where headers count
 * @ns: its latency
 * @mtu: its MTU
 */
struct hbverify_link {
	size_t from;
	size_t to;
	double mbps;
	int64_t ns;
	unsigned int mtu;
};

/**
 * struct hbverify_speed - how long a host is busy with a message, in us
 * @send: whatever its size, to send it
 * @send_byte: for each byte, to send it
 * @receive: likewise, to receive it
 * @receive_byte: likewise
 */
struct hbverify_speed {
	double send;
	double send_byte;
	double receive;
	double receive_byte;
};

/**
 * struct hbverify_hnow - what makes a platform an HNOW
 * @speed: of each node
 * @fixed: what the network takes for each message, in us
 * @byte: what it takes for each byte and each link of the way
 * @number: of each host, its row and column of @steps
 * @hosts: number of hosts
 * @steps: number of links of the way from host to host
 */
struct hbverify_hnow {
	struct hbverify_speed *speed;
	double fixed;
	double byte;
	size_t *number;
	size_t hosts;
	uint32_t *steps;
};

/**
 * struct hbverify_net - the network; a cost matrix is hosts joined directly
 * @file: its name, for sentences
 * @costs: it is a cost matrix, or an HNOW, whose pairs are as in one
 * @hnow: what makes it an HNOW, or NULL
 * @headers: headers count, and on a platform acknowledgements
 * @n: number of nodes
 * @hosts: how many of them are hosts
 * @id: of each node
 * @host: of each node: is it a host
 * @send_ns: of each node: what sending a message takes it
 * @recv_ns: likewise, receiving
 * @n_links: number of links
 * @links: ascending by sender, then receiver
 * @first: index of each node's first link; @n + 1 entries
 * @ns: of each node: the route's latency from the source asked for last; -1
 *	for none
 * @hops: likewise, its number of links
 * @queue: room for hbverify_routes()
 * @queued: likewise
 * @into: links by receiver
 * @first_into: index of each node's first link in @into; @n + 1 entries
 */
struct hbverify_net {
	const char *file;
	bool costs;
	struct hbverify_hnow *hnow;
	bool headers;
	size_t n;
	size_t hosts;
	uint32_t *id;
	bool *host;
	int64_t *send_ns;
	int64_t *recv_ns;
	size_t n_links;
	struct hbverify_link *links;
	size_t *first;
	int64_t *ns;
	size_t *hops;
	size_t *queue;
	bool *queued;
	size_t *into;		/* links by receiver */
	size_t *first_into;
};

/**
 * struct hbverify_edge - an edge of a tree
 * @tree: index of the tree
 * @from: index of the parent
 * @to: index of the child
 * @order: its place in the file, which is the order of sending
 * @above: the edge into the parent, HBVERIFY_NONE below the root
 * @depth: number of edges from the root to the child
 * @n_way: number of links of the route
 * @n_links: with those that only acknowledgements pass
 * @links: the route, in no order, and behind it those others
 * @uses: for which part of the time each is busy, if the edge carries 1 Mbit/s
 * @mbps: the least of their bandwidths
 * @ns: the sum of their latencies
 */
struct hbverify_edge {
	size_t tree;
	size_t from;
	size_t to;
	size_t order;
	size_t above;
	size_t depth;
	size_t n_way;
	size_t n_links;
	size_t *links;
	double *uses;
	double mbps;
	int64_t ns;
};

/**
 * struct hbverify_plan - the plan
 * @file: its name, for sentences
 * @root: index of the root
 * @source: of each node: has it the message to begin with
 * @n_sources: how many have: the root and the replicas
 * @bits: size of the message
 * @n_trees: number of trees
 * @rate: of each tree, Mbit/s; 0 if the plan does not tell
 * @n: number of edges of all trees
 * @edges: parents before their children, tree by tree
 * @model: by which it is judged: fluid, completion, one-port, multi-port or hnow
 */
struct hbverify_plan {
	const char *file;
	size_t root;
	bool *source;
	size_t n_sources;
	double bits;
	size_t n_trees;
	double rate[64];
	size_t n;
	struct hbverify_edge *edges;
	const char *model;
};

struct hbverify_block;
struct hbverify_ways;

/**
 * struct hbverify - one check
 * @blocks: what hbverify_alloc() has given
 * @net: the network
 * @plan: the plan
 * @ways: see hbverify_find_ways()
 * @json: the plan's file
 * @busiest: the part of the time for which the busiest port or link is used
 * @proven: there is a certificate, and it holds
 * @why: what is wrong, one sentence; empty if nothing is
 */
struct hbverify {
	struct hbverify_block *blocks;
	struct hbverify_net net;
	struct hbverify_plan plan;
	struct hbverify_ways *ways;
	json_t *json;
	double busiest;
	bool proven;
	char why[512];
};

__attribute__((format(printf, 2, 3)))
int hbverify_fail(struct hbverify *v, const char *fmt, ...);
void *hbverify_alloc(struct hbverify *v, size_t n, size_t size);
void hbverify_free(struct hbverify *v);
bool hbverify_near(double a, double b, double least);

json_t *hbverify_load(struct hbverify *v, const char *file);
int hbverify_read_net(struct hbverify *v, const char *file);
size_t hbverify_node(const struct hbverify_net *net, uint32_t id);
size_t hbverify_link(const struct hbverify_net *net, size_t from, size_t to);
void hbverify_routes(struct hbverify_net *net, size_t source, bool pass_hosts);
size_t hbverify_last(const struct hbverify_net *net, size_t source, size_t to);
size_t hbverify_way(const struct hbverify_net *net, size_t source, size_t to,
		    size_t *links);

double hbverify_payload(double mbps, unsigned int mtu);
unsigned int hbverify_mtu(const struct hbverify_net *net, const size_t *links, size_t n);
double hbverify_data(const struct hbverify_net *net, size_t link, unsigned int mtu);
double hbverify_acks(const struct hbverify_net *net, size_t link, unsigned int mtu);
double hbverify_width(const struct hbverify_net *net, const size_t *links, size_t n);
void hbverify_way_uses(const struct hbverify *v, size_t *links, size_t *n, double *uses,
		       const size_t *back, size_t n_back);

int hbverify_read_hnow(struct hbverify *v, const json_t *json,
		       const size_t *place);
double hbverify_transfer(const struct hbverify *v, size_t from, size_t to,
			 double bytes);
int hbverify_wormhole(struct hbverify *v, double *us, double *mbps);
void hbverify_wormhole_bounds(struct hbverify *v, double *us);

int hbverify_read_plan(struct hbverify *v, const char *file);

int hbverify_rates(struct hbverify *v);
int hbverify_predicted(struct hbverify *v);
bool hbverify_stages(struct hbverify *v, const double *rates, const double *since,
		     double *us, double *mbps);

/**
 * struct hbverify_ways - the ways between hosts
 * @pairs: how many hosts can send to others
 * @last: of each host and node, the number of the way's last link, counted from 1, and
 *	0 for none; NULL for a host all of whose ways are its links
 * @port: of each host, if it has several ports: for which part of the time sending
 *	1 Mbit/s to anybody keeps it busy
 */
struct hbverify_ways {
	size_t pairs;
	uint32_t **last;
	double *port;
};

/**
 * struct hbverify_arc - what a pair of hosts keeps busy
 * @n: number of things
 * @rows: these: links, the last of the way first, then those that only acknowledgements
 *	pass, then ports by hbverify_row()
 * @uses: for which part of the time, if it carries 1 Mbit/s
 * @back: room for the way back
 */
struct hbverify_arc {
	size_t n;
	size_t *rows;
	double *uses;
	size_t *back;
};

void hbverify_find_ways(struct hbverify *v);
size_t hbverify_row(const struct hbverify *v, bool receiver, size_t node);
struct hbverify_arc *hbverify_arc_alloc(struct hbverify *v);
bool hbverify_arc(const struct hbverify *v, size_t from, size_t to,
		  struct hbverify_arc *arc);
void hbverify_bounds(struct hbverify *v, double *us);

int hbverify_certificate(struct hbverify *v);

int hbverify_replanned(struct hbverify *v);
int hbverify_why(struct hbverify *v);

#endif /* HBCASTCTL_VERIFY_H */
