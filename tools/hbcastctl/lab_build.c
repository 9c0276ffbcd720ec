// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Making an emulated network, and taking it down.
 *
 * Every host is a network namespace; all switches are bridges in one more.
 * A link is a veth pair; what it is asked to be is done by a netem queue where
 * each direction begins. Nothing is learned or flooded: hosts know where every
 * other host is, and switches which port leads there, so that switches may be
 * joined in circles and routes are those that libhbplan plans with.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab_build.h"
#include "lab_probe.h"
#include "lab_tool.h"
#include "node.h"
#include "output.h"
#include "route.h"

#define QUEUE_MIN_PACKETS	32

/* The link that leads back. */
static size_t way_back(const struct hbp_platform *p, size_t link)
{
	return hbp_platform_link(p, p->links[link].to, p->links[link].from) -
	       p->links;
}

static int create_namespaces(struct hbctl *ctl, const struct hblab_net *net)
{
	struct hblab_script script;
	size_t i;

	hblab_script_begin(&script);
	if (*net->switch_netns)
		fprintf(script.out, "netns add %s\n", net->switch_netns);
	for (i = 0; i < net->platform->n_hosts; i++)
		fprintf(script.out, "netns add %s\n", net->hosts[i].netns);
	return hblab_script_run(ctl, &script, "ip", NULL);
}

/* Writes into /proc/sys/net of the namespace that the process is in. */
static int write_sysctl(struct hbctl *ctl, const char *name, const char *value)
{
	char path[128];
	int fd, ret = HBCTL_OK;

	snprintf(path, sizeof(path), "/proc/sys/net/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		ret = hbctl_error(ctl, HBCTL_KERNEL,
				  "%s cannot be set to \"%s\" for a lab: %s",
				  path, value, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

/* TCP's buffers must be able to hold what is under way on the fattest link. */
static int set_buffers(struct hbctl *ctl, const struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	double bytes, most = 0;
	char value[64];
	size_t i;
	int ret;

	for (i = 0; i < p->n_links; i++) {
		bytes = p->links[i].bandwidth_bps / 8.0 * net->queue_ns / 1e9;
		if (bytes > most)
			most = bytes;
	}
	most *= 8;
	if (most < 6 << 20)
		most = 6 << 20;
	if (most > 1 << 30)
		most = 1 << 30;
	snprintf(value, sizeof(value), "4096 131072 %.0f", most);
	ret = write_sysctl(ctl, "ipv4/tcp_rmem", value);
	if (ret)
		return ret;
	snprintf(value, sizeof(value), "4096 16384 %.0f", most);
	return write_sysctl(ctl, "ipv4/tcp_wmem", value);
}

/* A host forwards nothing, and takes what arrives on any of its devices. */
static int set_sysctls_of(struct hbctl *ctl, const struct hblab_net *net,
			  const char *netns)
{
	int back, ret;

	ret = hblab_netns_enter(ctl, netns, &back);
	if (ret)
		return ret;
	ret = write_sysctl(ctl, "ipv4/ip_forward", "0");
	if (!ret)
		ret = write_sysctl(ctl, "ipv4/conf/all/rp_filter", "0");
	if (!ret)
		ret = write_sysctl(ctl, "ipv4/conf/default/rp_filter", "0");
	if (!ret)
		ret = set_buffers(ctl, net);
	if (hblab_netns_leave(ctl, back))
		ret = HBCTL_KERNEL;
	return ret;
}

/* Before there are devices, which begin with the namespace's defaults. */
static int set_sysctls(struct hbctl *ctl, const struct hblab_net *net)
{
	size_t i;
	int ret = HBCTL_OK;

	for (i = 0; i < net->platform->n_hosts && !ret; i++)
		ret = set_sysctls_of(ctl, net, net->hosts[i].netns);
	return ret;
}

static int create_links(struct hbctl *ctl, const struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	struct hblab_script script;
	size_t i, back;

	hblab_script_begin(&script);
	for (i = 0; i < p->n; i++) {
		if (!p->nodes[i].host)
			fprintf(script.out,
				"link add sw%u netns %s type bridge stp_state 0 mcast_snooping 0\n",
				p->nodes[i].id, net->switch_netns);
	}
	for (i = 0; i < p->n_links; i++) {
		back = way_back(p, i);
		if (i < back)
			fprintf(script.out,
				"link add %s netns %s type veth peer name %s netns %s\n",
				net->dev[i],
				hblab_net_netns(net, p->links[i].from),
				net->dev[back],
				hblab_net_netns(net, p->links[back].from));
	}
	return hblab_script_run(ctl, &script, "ip", NULL);
}

static int set_up_switches(struct hbctl *ctl, const struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	struct hblab_script script;
	size_t i;

	if (!*net->switch_netns)
		return HBCTL_OK;
	hblab_script_begin(&script);
	for (i = 0; i < p->n; i++) {
		if (!p->nodes[i].host)
			fprintf(script.out, "link set sw%u addrgenmode none up\n",
				p->nodes[i].id);
	}
	for (i = 0; i < p->n_links; i++) {
		if (p->nodes[p->links[i].from].host)
			continue;
		fprintf(script.out,
			"link set %s master sw%u addrgenmode none up\n",
			net->dev[i], p->nodes[p->links[i].from].id);
		fprintf(script.out,
			"link set %s type bridge_slave learning off flood off mcast_flood off bcast_flood off\n",
			net->dev[i]);
	}
	return hblab_script_run(ctl, &script, "ip", net->switch_netns);
}

/* The device on which @source sends to the node at the end of a route. */
static const char *first_device(const struct hblab_net *net,
				const struct hbp_routes *routes, size_t node)
{
	const struct hbp_platform *p = net->platform;
	size_t link;

	do {
		link = routes->last[node];
		node = p->links[link].from;
	} while (node != routes->source);
	return net->dev[link];
}

static int set_up_host(struct hbctl *ctl, const struct hblab_net *net,
		       size_t host, const struct hbp_routes *routes)
{
	const struct hbp_platform *p = net->platform;
	const struct hblab_host *h = &net->hosts[host];
	struct hblab_script script;
	const char *dev;
	size_t i;

	hblab_script_begin(&script);
	fprintf(script.out, "link set lo up\naddress add %s/32 dev lo\n",
		h->address);
	for (i = p->first[h->node]; i < p->first[h->node + 1]; i++)
		fprintf(script.out,
			"link set %s address %s gso_max_segs %u up\n",
			net->dev[i], h->mac, net->segments);
	for (i = 0; i < p->n_hosts; i++) {
		if (i == host || routes->last[p->hosts[i]] == HBP_NONE)
			continue;
		dev = first_device(net, routes, p->hosts[i]);
		fprintf(script.out, "route add %s/32 dev %s src %s\n",
			net->hosts[i].address, dev, h->address);
		fprintf(script.out,
			"neighbour add %s lladdr %s dev %s nud permanent\n",
			net->hosts[i].address, net->hosts[i].mac, dev);
	}
	return hblab_script_run(ctl, &script, "ip", h->netns);
}

/* Notes which port leads to @host at every switch of the route to it. */
static void note_ports(const struct hblab_net *net,
		       const struct hbp_routes *routes, size_t host,
		       size_t *ports)
{
	const struct hbp_platform *p = net->platform;
	size_t node = p->hosts[host], link = routes->last[node];

	while (link != HBP_NONE) {
		node = p->links[link].from;
		ports[node * p->n_hosts + host] = link;
		link = routes->last[node];
	}
}

static int set_up_ports(struct hbctl *ctl, const struct hblab_net *net,
			const size_t *ports)
{
	const struct hbp_platform *p = net->platform;
	struct hblab_script script;
	size_t i, host, link;

	hblab_script_begin(&script);
	for (i = 0; i < p->n; i++) {
		for (host = 0; host < p->n_hosts && !p->nodes[i].host; host++) {
			link = ports[i * p->n_hosts + host];
			if (link != HBP_NONE)
				fprintf(script.out,
					"fdb add %s dev %s master static\n",
					net->hosts[host].mac, net->dev[link]);
		}
	}
	return hblab_script_run(ctl, &script, "bridge", net->switch_netns);
}

static int set_up_routes(struct hbctl *ctl, const struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	struct hbp_routes *routes = hbp_routes_alloc(p);
	size_t i, host, *ports;
	int ret = HBCTL_OK;

	ports = calloc(p->n * p->n_hosts, sizeof(*ports));
	if (!routes || !ports)
		abort();
	for (i = 0; i < p->n * p->n_hosts; i++)
		ports[i] = HBP_NONE;
	for (i = 0; i < p->n_hosts && !ret; i++) {
		hbp_routes_find(p, p->hosts[i], false, routes);
		for (host = 0; host < p->n_hosts; host++)
			note_ports(net, routes, host, ports);
		ret = set_up_host(ctl, net, i, routes);
	}
	if (!ret)
		ret = set_up_ports(ctl, net, ports);
	free(ports);
	hbp_routes_free(routes);
	return ret;
}

/*
 * netem counts packets, and those that are under way as well. Of these there
 * are most when each is one segment; those that wait are as large as they get.
 */
static void shape_link(const struct hblab_net *net, size_t i, FILE *out)
{
	const struct hbp_link *l = &net->platform->links[i];
	int64_t bps = l->bandwidth_bps;
	double packets;

	packets = bps / 1e9 / 8 / HBLAB_FRAME_BYTES *
		  (l->latency_ns + (double)net->queue_ns / net->segments);
	if (packets < QUEUE_MIN_PACKETS)
		packets = QUEUE_MIN_PACKETS;
	fprintf(out,
		"qdisc replace dev %s root netem delay %.3fus rate %" PRId64 "bit limit %.0f\n",
		net->dev[i], l->latency_ns / 1e3, bps, packets);
}

/* Gives the links that begin at nodes from @from to @to - 1, all in @netns. */
static int shape(struct hbctl *ctl, const struct hblab_net *net,
		 const char *netns, bool hosts, size_t from, size_t to)
{
	const struct hbp_platform *p = net->platform;
	struct hblab_script script;
	size_t i;

	hblab_script_begin(&script);
	for (i = p->first[from]; i < p->first[to]; i++) {
		if (p->nodes[p->links[i].from].host == hosts)
			shape_link(net, i, script.out);
	}
	return hblab_script_run(ctl, &script, "tc", netns);
}

static int shape_links(struct hbctl *ctl, const struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	size_t i, node;
	int ret;

	ret = shape(ctl, net, net->switch_netns, false, 0, p->n);
	for (i = 0; i < p->n_hosts && !ret; i++) {
		node = p->hosts[i];
		ret = shape(ctl, net, net->hosts[i].netns, true, node,
			    node + 1);
	}
	return ret;
}

static bool netns_exists(const char *netns)
{
	char path[320];

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	return !access(path, F_OK);
}

/**
 * hblab_check_free() - refuse what would meet somebody else's namespaces
 * @ctl: the run
 * @net: what is to be built
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported a namespace that
 * exists already.
 */
int hblab_check_free(struct hbctl *ctl, const struct hblab_net *net)
{
	const char *netns = net->switch_netns;
	size_t i;

	for (i = 0; i < net->platform->n_hosts; i++) {
		if (netns_exists(net->hosts[i].netns))
			netns = net->hosts[i].netns;
	}
	if (!*netns || !netns_exists(netns))
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "network namespace %s exists already and is not this lab's: delete it (ip netns del %s) or give the lab another name",
			   netns, netns);
}

/**
 * hblab_build() - make an emulated network
 * @ctl: the run
 * @net: what it is to be
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error; what has
 * been made until then is left to hblab_demolish().
 */
int hblab_build(struct hbctl *ctl, const struct hblab_net *net)
{
	int ret;

	ret = create_namespaces(ctl, net);
	if (!ret)
		ret = set_sysctls(ctl, net);
	if (!ret)
		ret = create_links(ctl, net);
	if (!ret)
		ret = set_up_switches(ctl, net);
	if (!ret)
		ret = set_up_routes(ctl, net);
	if (!ret)
		ret = shape_links(ctl, net);
	return ret;
}

/**
 * hblab_demolish() - take down what hblab_build() has made
 * @ctl: the run
 * @namespaces: array of names; those that do not exist are passed over
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_demolish(struct hbctl *ctl, const json_t *namespaces)
{
	struct hblab_script script;
	const json_t *name;
	size_t i;

	hblab_script_begin(&script);
	json_array_foreach((json_t *)namespaces, i, name) {
		if (netns_exists(json_string_value(name)))
			fprintf(script.out, "netns del %s\n",
				json_string_value(name));
	}
	return hblab_script_run(ctl, &script, "ip", NULL);
}
