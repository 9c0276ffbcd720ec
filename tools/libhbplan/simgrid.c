// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SimGrid's platforms: hosts and routers, links, and routes made of links. A
 * route is read as one link between its ends, as narrow as the narrowest link
 * and as long as all together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "units.h"
#include "xml.h"

/**
 * struct simgrid - a platform being read
 * @rd: the reader
 * @graph: receives nodes and routes
 * @links: id of a link to what is known of it
 * @shared: a link is part of routes between different nodes
 */
struct simgrid {
	struct hbp_reader *rd;
	struct hbp_graph *graph;
	json_t *links;
	bool shared;
};

struct unit {
	const char *name;
	double factor;
};

/* To bit/s. */
static const struct unit bandwidths[] = {
	{ "", 8 }, { "Bps", 8 }, { "bps", 1 },
	{ "kBps", 8e3 }, { "kbps", 1e3 }, { "MBps", 8e6 }, { "Mbps", 1e6 },
	{ "GBps", 8e9 }, { "Gbps", 1e9 }, { "TBps", 8e12 }, { "Tbps", 1e12 },
	{ "KiBps", 8192 }, { "Kibps", 1024 },
	{ "MiBps", 8388608 }, { "Mibps", 1048576 },
	{ "GiBps", 8589934592.0 }, { "Gibps", 1073741824 },
	{ }
};

/* To nanoseconds. */
static const struct unit times[] = {
	{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
	{ "ps", 0.001 }, { "m", 60e9 },
	{ }
};

static bool read_amount(const char *text, const struct unit *units,
			double *amount)
{
	size_t digits = strspn(text, "0123456789.+-eE");
	const struct unit *unit;
	char *end;

	*amount = strtod(text, &end);
	if (!digits || end == text || end > text + digits)
		return false;
	for (unit = units; unit->name; unit++)
		if (!strcmp(unit->name, end))
			break;
	*amount *= unit->name ? unit->factor : 0;
	return unit->name;
}

static int read_attribute(struct hbp_reader *rd, const struct hbp_xml *element,
			  const char *name, const struct unit *units,
			  int64_t *value)
{
	const char *text = hbp_xml_attribute(element, name);
	bool bandwidth = units == bandwidths;
	int64_t most = bandwidth ? hbp_bps_from_mbps(HBP_BANDWIDTH_MAX_MBPS) :
				   hbp_ns_from_us(HBP_LATENCY_MAX_US);
	double amount;

	if (!text)
		text = bandwidth ? "" : "0";
	if (!read_amount(text, units, &amount) || amount < (bandwidth ? 1 : 0) ||
	    amount > (double)most)
		return hbp_json_fault(rd, "line %zu: %s of %s must be as much as %s, not \"%.40s\"",
				      element->line, name, element->name,
				      bandwidth ? HBP_MUST_BE_BANDWIDTH :
						  HBP_MUST_BE_LATENCY, text);
	*value = llround(amount);
	return 0;
}

static int need_id(struct hbp_reader *rd, const struct hbp_xml *element,
		   const char *name, const char **id)
{
	*id = hbp_xml_attribute(element, name);
	if (*id)
		return 0;
	return hbp_json_fault(rd, "line %zu: %s has no %s", element->line,
			      element->name, name);
}

static int add_node(struct simgrid *s, const struct hbp_xml *element,
		    const char *id, enum hbp_graph_kind kind, size_t *index)
{
	struct hbp_graph_node *node;
	int ret;

	ret = hbp_graph_add_node(s->rd, s->graph, id, element->line, &node);
	if (ret)
		return ret;
	node->kind = kind;
	*index = hbp_labels_count(&s->graph->labels) - 1;
	return 0;
}

static int read_link(struct simgrid *s, const struct hbp_xml *element)
{
	int64_t bps, ns;
	const char *id;
	json_t *link;
	int ret;

	ret = need_id(s->rd, element, "id", &id);
	if (!ret)
		ret = read_attribute(s->rd, element, "bandwidth", bandwidths,
				     &bps);
	if (!ret)
		ret = read_attribute(s->rd, element, "latency", times, &ns);
	if (ret)
		return ret;
	if (json_object_get(s->links, id))
		return hbp_json_fault(s->rd, "line %zu: there are two links \"%.63s\"",
				      element->line, id);
	link = json_pack("{s:I, s:I}", "bps", (json_int_t)bps, "ns",
			 (json_int_t)ns);
	if (!link || json_object_set_new(s->links, id, link))
		return hbp_nomem(s->rd->err);
	return 0;
}

/**
 * struct cluster - a cluster being read
 * @s: the platform
 * @element: the cluster's element
 * @prefix: what stands before the number in a host's id
 * @suffix: what stands behind it
 * @router: the way to other nodes
 * @in: where hosts send to: the router if there is no backbone
 * @out: where they receive from: likewise
 * @link: bandwidth and latency of each host's link
 */
struct cluster {
	struct simgrid *s;
	const struct hbp_xml *element;
	const char *prefix;
	const char *suffix;
	size_t router;
	size_t in;
	size_t out;
	struct hbp_graph_link link;
};

static int join(struct cluster *c, size_t from, size_t to)
{
	c->link.from = from;
	c->link.to = to;
	return hbp_graph_add_link(c->s->rd, c->s->graph, &c->link);
}

static int add_host(struct cluster *c, unsigned long number)
{
	char id[160];
	size_t host;
	int ret;

	snprintf(id, sizeof(id), "%.63s%lu%.63s", c->prefix, number, c->suffix);
	ret = add_node(c->s, c->element, id, HBP_GRAPH_HOST, &host);
	if (!ret)
		ret = join(c, host, c->in);
	return ret ? ret : join(c, c->out, host);
}

/* "0-3,7": hosts 0, 1, 2, 3 and 7. */
static int add_hosts(struct cluster *c, const char *radical)
{
	unsigned long first, last;
	const char *at = radical;
	char *end;
	int ret;

	for (;; at = end + 1) {
		first = strtoul(at, &end, 10);
		last = first;
		if (end != at && *end == '-') {
			at = end + 1;
			last = strtoul(at, &end, 10);
		}
		if (end == at || (*end && *end != ',') || last < first ||
		    last - first >= HBP_PLATFORM_NODES_MAX)
			return hbp_json_fault(c->s->rd,
					      "line %zu: radical must be numbers such as 0-3,7, not \"%.40s\"",
					      c->link.line, radical);
		for (; first <= last; first++) {
			ret = add_host(c, first);
			if (ret)
				return ret;
		}
		if (!*end)
			return 0;
	}
}

/*
 * All that hosts send passes the backbone once, also what comes from elsewhere
 * or goes there: a link from one switch, to which hosts and the router send, to
 * another, from which they receive.
 */
static int add_backbone(struct cluster *c, const char *id)
{
	struct hbp_graph_link host = c->link;
	char name[128];
	int ret;

	ret = read_attribute(c->s->rd, c->element, "bb_bw", bandwidths,
			     &c->link.bandwidth_bps);
	if (!ret)
		ret = read_attribute(c->s->rd, c->element, "bb_lat", times,
				     &c->link.latency_ns);
	snprintf(name, sizeof(name), "%.63s in", id);
	if (!ret)
		ret = add_node(c->s, c->element, name, HBP_GRAPH_SWITCH, &c->in);
	snprintf(name, sizeof(name), "%.63s out", id);
	if (!ret)
		ret = add_node(c->s, c->element, name, HBP_GRAPH_SWITCH, &c->out);
	if (!ret)
		ret = join(c, c->in, c->out);
	/* The router itself is never in the way. */
	c->link.bandwidth_bps = hbp_bps_from_mbps(HBP_BANDWIDTH_MAX_MBPS);
	c->link.latency_ns = 0;
	if (!ret)
		ret = join(c, c->router, c->in);
	if (!ret)
		ret = join(c, c->out, c->router);
	c->link = host;
	return ret;
}

static int read_host_link(struct cluster *c)
{
	int ret;

	c->link.line = c->element->line;
	ret = read_attribute(c->s->rd, c->element, "bw", bandwidths,
			     &c->link.bandwidth_bps);
	return ret ? ret : read_attribute(c->s->rd, c->element, "lat", times,
					  &c->link.latency_ns);
}

/* A cluster is a router with hosts around it, perhaps behind a backbone. */
static int read_cluster(struct simgrid *s, const struct hbp_xml *element)
{
	struct cluster c = { .s = s, .element = element };
	const char *topology = hbp_xml_attribute(element, "topology");
	const char *router = hbp_xml_attribute(element, "router_id");
	const char *id, *radical;
	char name[200];
	int ret;

	if (topology && strcmp(topology, "FLAT"))
		return hbp_json_fault(s->rd,
				      "line %zu: the topology of a cluster must be FLAT, not \"%.40s\"",
				      element->line, topology);
	ret = need_id(s->rd, element, "id", &id);
	if (!ret)
		ret = need_id(s->rd, element, "prefix", &c.prefix);
	if (!ret)
		ret = need_id(s->rd, element, "suffix", &c.suffix);
	if (!ret)
		ret = need_id(s->rd, element, "radical", &radical);
	if (!ret)
		ret = read_host_link(&c);
	if (ret)
		return ret;
	snprintf(name, sizeof(name), "%.63s%.63s_router%.63s", c.prefix, id,
		 c.suffix);
	ret = add_node(s, element, router ? router : name, HBP_GRAPH_SWITCH,
		       &c.router);
	c.in = c.router;
	c.out = c.router;
	if (!ret && hbp_xml_attribute(element, "bb_bw"))
		ret = add_backbone(&c, id);
	return ret ? ret : add_hosts(&c, radical);
}

static bool is_zone(const struct hbp_xml *element)
{
	return hbp_xml_is(element, "zone") || hbp_xml_is(element, "AS");
}

/* Where every pair has its own route, hosts pass nothing on. */
static enum hbp_graph_kind kind_of_hosts(const struct hbp_xml *zone)
{
	const char *routing = hbp_xml_attribute(zone, "routing");

	if (routing && (!strcmp(routing, "Floyd") ||
			!strncmp(routing, "Dijkstra", 8)))
		return HBP_GRAPH_BOTH;
	return HBP_GRAPH_HOST;
}

static int read_zone(struct simgrid *s, const struct hbp_xml *zone)
{
	const struct hbp_xml *element;
	const char *id;
	size_t index;
	int ret = 0;

	for (element = zone->first; element; element = element->next) {
		if (ret)
			break;
		if (is_zone(element)) {
			ret = read_zone(s, element);
		} else if (hbp_xml_is(element, "host") ||
			   hbp_xml_is(element, "router")) {
			ret = need_id(s->rd, element, "id", &id);
			if (!ret)
				ret = add_node(s, element, id,
					       hbp_xml_is(element, "router") ?
					       HBP_GRAPH_SWITCH :
					       kind_of_hosts(zone), &index);
		} else if (hbp_xml_is(element, "link")) {
			ret = read_link(s, element);
		} else if (hbp_xml_is(element, "cluster")) {
			ret = read_cluster(s, element);
		} else if (hbp_xml_is(element, "peer") ||
			   hbp_xml_is(element, "cabinet") ||
			   hbp_xml_is(element, "backbone") ||
			   hbp_xml_is(element, "include")) {
			ret = hbp_json_fault(s->rd, "line %zu: the element %s is not known",
					     element->line, element->name);
		}
	}
	return ret;
}

/* Adds a link to a route, and notes between which nodes it is used. */
static int pass_link(struct simgrid *s, const struct hbp_xml *element,
		     struct hbp_graph_link *route)
{
	size_t low = route->from < route->to ? route->from : route->to;
	size_t high = route->from + route->to - low;
	const json_t *first, *second;
	int64_t bps;
	const char *id;
	json_t *link;
	int ret;

	ret = need_id(s->rd, element, "id", &id);
	if (ret)
		return ret;
	link = json_object_get(s->links, id);
	if (!link)
		return hbp_json_fault(s->rd, "line %zu: there is no link \"%.63s\"",
				      element->line, id);
	bps = json_integer_value(json_object_get(link, "bps"));
	if (route->bandwidth_bps == HBP_UNTOLD || bps < route->bandwidth_bps)
		route->bandwidth_bps = bps;
	route->latency_ns = hbp_ns_add(route->latency_ns,
				       json_integer_value(json_object_get(link, "ns")));
	first = json_object_get(link, "low");
	second = json_object_get(link, "high");
	if (first && ((size_t)json_integer_value(first) != low ||
		      (size_t)json_integer_value(second) != high))
		s->shared = true;
	json_object_set_new(link, "low", json_integer((json_int_t)low));
	json_object_set_new(link, "high", json_integer((json_int_t)high));
	return 0;
}

static int read_route(struct simgrid *s, const struct hbp_xml *element,
		      const char *source, const char *target)
{
	const char *symmetrical = hbp_xml_attribute(element, "symmetrical");
	struct hbp_graph_link route = {
		.line = element->line, .bandwidth_bps = HBP_UNTOLD,
		.both = !symmetrical || (strcmp(symmetrical, "NO") &&
					 strcmp(symmetrical, "no")),
	};
	const struct hbp_xml *inner;
	int ret;

	ret = hbp_graph_find(s->rd, s->graph,
			     hbp_xml_attribute(element, source), route.line,
			     &route.from);
	if (!ret)
		ret = hbp_graph_find(s->rd, s->graph,
				     hbp_xml_attribute(element, target),
				     route.line, &route.to);
	/* What a host sends to itself. */
	if (!ret && route.from == route.to)
		return 0;
	for (inner = element->first; inner; inner = inner->next)
		if (!ret && hbp_xml_is(inner, "link_ctn"))
			ret = pass_link(s, inner, &route);
	if (ret)
		return ret;
	if (route.latency_ns > hbp_ns_from_us(HBP_LATENCY_MAX_US))
		return hbp_json_fault(s->rd, "line %zu: the route's latency must be "
				      HBP_MUST_BE_LATENCY, route.line);
	if (route.bandwidth_bps == HBP_UNTOLD)
		return hbp_json_fault(s->rd, "line %zu: the route has no links",
				      route.line);
	return hbp_graph_add_link(s->rd, s->graph, &route);
}

static int read_routes(struct simgrid *s, const struct hbp_xml *zone)
{
	const struct hbp_xml *element;
	int ret = 0;

	for (element = zone->first; element; element = element->next) {
		if (ret)
			break;
		if (is_zone(element))
			ret = read_routes(s, element);
		else if (hbp_xml_is(element, "route"))
			ret = read_route(s, element, "src", "dst");
		else if (hbp_xml_is(element, "zoneRoute") ||
			 hbp_xml_is(element, "ASroute"))
			ret = read_route(s, element, "gw_src", "gw_dst");
		else if (hbp_xml_is(element, "bypassRoute") ||
			 hbp_xml_is(element, "bypassZoneRoute"))
			hbp_warning(s->rd->warn, "%s: line %zu: %s is ignored",
				    s->rd->file, element->line, element->name);
	}
	return ret;
}

/**
 * hbp_graph_from_simgrid() - read a SimGrid platform
 * @rd: the reader
 * @root: the element platform
 * @graph: empty; receives hosts, routers, and a link for every route
 * @shared: receives whether a link of SimGrid is part of routes between different
 *	ends, so that several links of @graph are one in truth
 *
 * Return: 0 or a negative errno value.
 */
int hbp_graph_from_simgrid(struct hbp_reader *rd, const struct hbp_xml *root,
			   struct hbp_graph *graph, bool *shared)
{
	struct simgrid s = { .rd = rd, .graph = graph, .links = json_object() };
	int ret;

	ret = s.links ? read_zone(&s, root) : hbp_nomem(rd->err);
	/* A route may stand before what it leads through. */
	if (!ret)
		ret = read_routes(&s, root);
	json_decref(s.links);
	*shared = s.shared;
	return ret;
}
