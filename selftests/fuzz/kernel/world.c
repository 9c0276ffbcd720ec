// SPDX-License-Identifier: GPL-2.0-or-later
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "lane.h"
#include "netlink.h"
#include "world.h"

#define PAGE	4096

struct world world;

/* As in selftests/lib/hbtest/node.py. */
const u8 world_key[32] = {
	100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115,
	116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
};

u32 world_node(unsigned int place)
{
	return place == HONEST ? 2 : 4 + place;
}

static int open_namespace(u32 node)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/n%u", node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(EXIT_FAILURE, "%s", path);
	return fd;
}

int world_socket(int ns, int domain, int type, int protocol)
{
	if (setns(ns, CLONE_NEWNET))
		err(EXIT_FAILURE, "setns");
	return socket(domain, type | SOCK_CLOEXEC, protocol);
}

/* A file and memory with the same bytes. */
static void make_data(void)
{
	u64 state = 1;
	size_t i;

	world.data = mmap(NULL, DATA + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	if (world.data == MAP_FAILED || mprotect(world.data + DATA, PAGE, PROT_NONE))
		err(EXIT_FAILURE, "memory");
	for (i = 0; i < DATA; i++)
		world.data[i] = random_next(&state);
	world.file = memfd_create("data", MFD_CLOEXEC);
	if (world.file < 0 || write(world.file, world.data, DATA) != DATA)
		err(EXIT_FAILURE, "a file in memory");
}

void world_open(void)
{
	unsigned int i;

	for (i = 0; i < PLACES; i++)
		world.ns[i] = open_namespace(world_node(i));
	world.evil = open_namespace(NODE_EVIL);
	for (i = 0; i < SOCKS; i++)
		world.socks[i] = -1;
	make_data();
	netlink_open();
	lane_open();
}

u32 choose_node(struct choices *c)
{
	if (rarely(c, 12))
		return choose_number(c);
	if (rarely(c, 4))
		return NODE_EVIL;
	return world_node(choose(c, HONEST));
}

u32 choose_group(struct choices *c)
{
	if (rarely(c, 16))
		return choose_number(c);
	return rarely(c, 6) ? GROUP + 1 : GROUP;
}

/* They are random, so they must be known. */
u64 choose_message(struct choices *c)
{
	if (rarely(c, 8))
		return choose_number(c);
	return world.message - (rarely(c, 4) ? choose(c, 4) : 0);
}

u16 choose_port(struct choices *c)
{
	u16 port = PORT_FIRST + rarely(c, 4);

	if (rarely(c, 16))
		port = choose_number(c);
	return port == PORT_HONEST ? PORT_FIRST : port;
}

u32 choose_ipv4(struct choices *c)
{
	if (rarely(c, 12))
		return choose_number(c);
	return htonl(0x0a090000 + choose_node(c));
}

void choose_ipv6(struct choices *c, u8 *out)
{
	u32 ipv4 = choose_ipv4(c);

	memset(out, 0, 16);
	switch (choose(c, 4)) {
	case 0:
		out[15] = 1;
		break;
	case 1:
		out[10] = 0xff;
		out[11] = 0xff;
		memcpy(out + 12, &ipv4, sizeof(ipv4));
		break;
	case 2:
		out[0] = 0xfe;
		out[1] = 0x80;
		out[15] = choose(c, 256);
		break;
	case 3:
		choose_bytes(c, out, 16);
		break;
	}
}

void *choose_memory(struct choices *c, size_t len)
{
	if (rarely(c, 32))
		return NULL;
	if (rarely(c, 32))
		return world.data + DATA - len + choose(c, 64);
	return world.data + DATA - len;
}
