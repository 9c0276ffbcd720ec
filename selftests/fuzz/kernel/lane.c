// SPDX-License-Identifier: GPL-2.0-or-later
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include "coverage.h"
#include "frames.h"
#include "lane.h"
#include "wire/crc.h"
#include "world.h"

#define PORT		7310
#define PATIENCE_MS	1000	/* how long the other side may think about a handshake */
#define COMES_MS	50	/* how long a parent is waited for, and what it says first */
#define ANSWER_MS	500	/* how long PONG is waited for */
#define TOKEN		0x68626361	/* of the fuzzer's own pings, in the upper half */
#define FRAMES		12	/* that are sent at once */
#define SPOILT		0x100	/* in lane->said */

static u8 frame[HBC_FRAME_MAX];
static u8 stream[FRAMES * FRAME_ROOM];
static unsigned int taken[__HBC_FRAME_MAX];	/* frames of each type that nobody minded */

static void tcp_address(struct sockaddr_in *a, u32 node)
{
	memset(a, 0, sizeof(*a));
	a->sin_family = AF_INET;
	a->sin_port = htons(PORT);
	a->sin_addr.s_addr = htonl(0x0a090000 + node);
}

void lane_open(void)
{
	struct sockaddr_in a;
	unsigned int i;
	int on = 1;

	for (i = 0; i < LANES; i++)
		world.lanes[i].fd = -1;
	world.key = hbc_auth_key_new(world_key, sizeof(world_key));
	if (hbc_crc_init())
		errx(EXIT_FAILURE, "no CRC32C");
	world.listener = world_socket(world.evil, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	tcp_address(&a, NODE_EVIL);
	setsockopt(world.listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(world.listener, (struct sockaddr *)&a, sizeof(a)) || listen(world.listener, 8))
		err(EXIT_FAILURE, "the attacker's own address");
}

/* How it ended, and after what. */
static void lane_end(struct lane *lane, unsigned int how)
{
	coverage_signal(3ull << 32 | lane->child << 24 | how << 16 | lane->said);
	if (lane->fd >= 0)
		close(lane->fd);
	lane->fd = -1;
}

void lane_reset(void)
{
	unsigned int i;
	int fd;

	/* The honest node may remember the root that was there before. */
	world.incarnation++;
	world.epoch = 0;
	world.told.number = 0;
	for (i = 0; i < LANES; i++) {
		if (world.lanes[i].fd >= 0)
			close(world.lanes[i].fd);
		world.lanes[i].fd = -1;
	}
	while ((fd = accept(world.listener, NULL, NULL)) >= 0)
		close(fd);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/* Whether it happened in so many milliseconds; alarms take nothing away from them. */
static bool wait_for(int fd, short what, int patience)
{
	struct pollfd p = { .fd = fd, .events = what };
	long long end = now_ms() + patience;
	int ready;

	do {
		ready = poll(&p, 1, patience);
	} while (ready < 0 && errno == EINTR && now_ms() < end);
	return ready > 0;
}

/*
 * Exactly so many bytes, or false: if only some come in time, or none ever will,
 * that is the lane's end.
 */
static bool take(struct lane *lane, u8 *out, unsigned int len, int patience)
{
	unsigned int done = 0;
	ssize_t got;

	while (done < len) {
		if (!wait_for(lane->fd, POLLIN, done ? PATIENCE_MS : patience)) {
			if (done)
				lane_end(lane, ETIMEDOUT);
			return false;
		}
		got = recv(lane->fd, out + done, len - done, MSG_DONTWAIT);
		if (got <= 0) {
			lane_end(lane, got ? errno : 0);
			return false;
		}
		done += got;
	}
	return true;
}

static void bad_frame(void)
{
	errx(EXIT_FAILURE, "a node has sent a frame that is none: %02x %02x %02x %02x",
	     frame[0], frame[1], frame[2], frame[3]);
}

/* The next frame in @frame; false when none comes in time. */
static bool read_frame(struct lane *lane, struct hbc_hdr *h, int patience)
{
	if (!take(lane, frame, HBC_HDR_LEN, patience))
		return false;
	if (hbc_wire_get_hdr(frame, h))
		bad_frame();
	if (!take(lane, frame + HBC_HDR_LEN, h->length - HBC_HDR_LEN, PATIENCE_MS)) {
		if (lane->fd >= 0)
			lane_end(lane, ETIMEDOUT);
		return false;
	}
	if (h->type != HBC_FRAME_DATA && hbc_wire_check(frame, h))
		bad_frame();
	coverage_signal(4ull << 32 | lane->child << 24 | h->type << 16 | lane->said);
	return true;
}

/* Past all others. */
static bool wait_frame(struct lane *lane, struct hbc_hdr *h, u8 type)
{
	do {
		if (!read_frame(lane, h, PATIENCE_MS))
			return false;
	} while (h->type != type);
	return true;
}

/* At times it is spoilt, or cut off: whether an answer can be expected. */
static bool say(struct choices *c, struct lane *lane, u8 *data, unsigned int len)
{
	lane->said = data[0];
	if (rarely(c, 24)) {
		spoil_bytes(c, data, len);
		lane->said |= SPOILT;
	}
	if (rarely(c, 32)) {
		send(lane->fd, data, choose(c, len), MSG_DONTWAIT | MSG_NOSIGNAL);
		return false;
	}
	return send(lane->fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}

static void connect_to(struct lane *lane, u32 node)
{
	struct sockaddr_in a;
	int on = 1;

	lane->fd = world_socket(world.evil, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (lane->fd < 0)
		err(EXIT_FAILURE, "a TCP socket");
	setsockopt(lane->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	tcp_address(&a, node);
	if (connect(lane->fd, (struct sockaddr *)&a, sizeof(a)) && errno == EINPROGRESS)
		wait_for(lane->fd, POLLOUT, PATIENCE_MS);
}

static struct lane *new_lane(struct choices *c, bool child)
{
	struct lane *lane = &world.lanes[choose(c, LANES)];

	if (lane->fd >= 0)
		close(lane->fd);
	memset(lane, 0, sizeof(*lane));
	lane->child = child;
	lane->fd = -1;
	return lane;
}

static void choose_hello(struct choices *c, struct lane *lane, struct hbc_wire_hello *hello)
{
	bool honest = lane->place == HONEST;
	u32 from = honest || rarely(c, 2) ? NODE_EVIL : choose_node(c);
	u32 root = honest || !rarely(c, 4) ? NODE_EVIL : choose_node(c);

	lane->probe = rarely(c, 4);
	lane->slot = lane->probe || rarely(c, 2) ? 0 : choose(c, rarely(c, 8) ? HBC_MAX_SLOTS : 3);
	*hello = (struct hbc_wire_hello) {
		.group = htonl(rarely(c, 24) ? choose_group(c) : GROUP),
		.to = htonl(rarely(c, 24) ? choose_node(c) : world_node(lane->place)),
		.from = htonl(from), .root = htonl(lane->probe ? from : root), .slot = lane->slot,
		.flags = lane->probe ? HBC_HELLO_PROBE : 0,
	};
	if (!lane->probe)
		hello->incarnation = htobe64(rarely(c, 12) ? choose_number(c) : world.incarnation);
	choose_bytes(c, hello->nonce, sizeof(hello->nonce));
	hbc_wire_put_hdr(&hello->hdr, HBC_FRAME_HELLO, HBC_WIRE_VERSION, sizeof(*hello));
}

/* The handshake of a parent, who need not be the root. */
static void greet(struct choices *c, struct lane *lane)
{
	struct hbc_wire_hello hello;
	struct hbc_wire_auth auth;
	struct hbc_hdr h;

	lane->place = choose(c, PLACES);
	choose_hello(c, lane, &hello);
	connect_to(lane, world_node(lane->place));
	memcpy(frame, &hello, sizeof(hello));
	/* At the honest node nobody else's name is used. */
	if (lane->place == HONEST)
		send(lane->fd, &hello, sizeof(hello), MSG_DONTWAIT | MSG_NOSIGNAL);
	else if (!say(c, lane, frame, sizeof(hello)))
		return;
	if (!wait_frame(lane, &h, HBC_FRAME_CHALLENGE) ||
	    hbc_auth_mac(world.key, HBC_AUTH_CONNECTOR, &hello, (void *)frame, auth.mac))
		return;
	hbc_wire_put_hdr(&auth.hdr, HBC_FRAME_AUTH, 0, sizeof(auth));
	if (say(c, lane, (u8 *)&auth, sizeof(auth)))
		wait_frame(lane, &h, HBC_FRAME_READY);
}

/* The connection of the last one who came: others have gone, more often than not. */
static void accept_parent(struct lane *lane)
{
	int on = 1, fd;

	if (!wait_for(world.listener, POLLIN, COMES_MS))
		return;
	while ((fd = accept4(world.listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		if (lane->fd >= 0)
			close(lane->fd);
		lane->fd = fd;
	}
	if (lane->fd >= 0)
		setsockopt(lane->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* The handshake of a child, if there is a parent. */
static void answer(struct choices *c, struct lane *lane)
{
	struct hbc_wire_challenge challenge;
	struct hbc_wire_hello hello;
	struct hbc_wire_hdr ready;
	struct hbc_hdr h;

	accept_parent(lane);
	if (lane->fd < 0 || !wait_frame(lane, &h, HBC_FRAME_HELLO))
		return;
	memcpy(&hello, frame, sizeof(hello));
	lane->slot = hello.slot;
	challenge.node = rarely(c, 24) ? htonl(choose_node(c)) : hello.to;
	choose_bytes(c, challenge.nonce, sizeof(challenge.nonce));
	hbc_wire_put_hdr(&challenge.hdr, HBC_FRAME_CHALLENGE, 0, sizeof(challenge));
	if (hbc_auth_mac(world.key, HBC_AUTH_ACCEPTOR, &hello, &challenge, challenge.mac))
		errx(EXIT_FAILURE, "no proof");
	if (say(c, lane, (u8 *)&challenge, sizeof(challenge)) &&
	    wait_frame(lane, &h, HBC_FRAME_AUTH))
		say(c, lane, (u8 *)&ready, hbc_wire_put_hdr(&ready, HBC_FRAME_READY, 0,
							    sizeof(ready)));
}

/* One that is open, if there is any. */
static struct lane *choose_lane(struct choices *c)
{
	unsigned int at = choose(c, LANES), i;

	for (i = 0; i < LANES && world.lanes[at].fd < 0; i++)
		at = (at + 1) % LANES;
	return &world.lanes[at];
}

static void spoil_header(struct choices *c, u8 *data, unsigned int len)
{
	u16 length;

	switch (choose(c, 6)) {
	case 0:
		data[0] = choose(c, __HBC_FRAME_MAX + 2);
		break;
	case 1:
		data[1] ^= 1 << choose(c, 8);
		break;
	case 2:
		data[1] = choose(c, HBC_MAX_SLOTS + 1);
		break;
	default:
		length = rarely(c, 2) ? len + choose(c, 17) - 8 : choose(c, HBC_CONTROL_MAX);
		if (rarely(c, 3))
			length = choose(c, HBC_FRAME_MAX + 1);
		length = htons(length);
		memcpy(data + 2, &length, sizeof(length));
		break;
	}
}

/* Payload is of little interest. */
static void spoil_frame(struct choices *c, struct lane *lane, u8 *data, unsigned int len)
{
	lane->said |= SPOILT;
	if (rarely(c, 4))
		spoil_header(c, data, len);
	else
		spoil_bytes(c, data, data[0] == HBC_FRAME_DATA ? HBC_DATA_LEN : len);
	if (!rarely(c, 4))
		frame_mend_crc(data, len);
}

/* Some frames one behind the other, one of which may be spoilt. */
static unsigned int choose_stream(struct choices *c, struct lane *lane)
{
	unsigned int count = 1 + choose(c, rarely(c, 3) ? FRAMES : 4), len = 0, i, bad, size;

	bad = rarely(c, 3) ? choose(c, count) : count;
	lane->said = 0;
	for (i = 0; i < count; i++) {
		size = frame_choose(c, lane, stream + len);
		lane->said = stream[len] | (lane->said & SPOILT);
		if (i == bad)
			spoil_frame(c, lane, stream + len, size);
		len += size;
	}
	return len;
}

/* What a child would remember of what it hears. */
static void hear(struct lane *lane, const struct hbc_hdr *h)
{
	const struct hbc_wire_message *message = (void *)frame;
	const struct hbc_wire_plan *plan = (void *)frame;
	const struct hbc_wire_tree *tree = (void *)frame;

	switch (h->type) {
	case HBC_FRAME_PLAN:
		lane->slots = be64toh(plan->slots);
		break;
	case HBC_FRAME_TREE:
		lane->epoch = ntohl(tree->epoch);
		lane->nodes = ntohl(tree->total);
		break;
	case HBC_FRAME_MESSAGE:
		lane->told.number = be64toh(message->message);
		break;
	case HBC_FRAME_PING:
		frame[0] = HBC_FRAME_PONG;
		send(lane->fd, frame, h->length, MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	}
}

static void read_frames(struct lane *lane, unsigned int most, int patience)
{
	struct hbc_hdr h;

	while (lane->fd >= 0 && most-- && read_frame(lane, &h, patience))
		hear(lane, &h);
}

/* Whether the other side answers a ping: then it has taken all that went before. */
static bool is_well(struct lane *lane)
{
	static u32 pings;
	struct hbc_wire_ping ping = { .token = htobe64((u64)TOKEN << 32 | ++pings) };
	struct hbc_hdr h;

	send(lane->fd, &ping, hbc_wire_put_hdr(&ping.hdr, HBC_FRAME_PING, 0, sizeof(ping)),
	     MSG_DONTWAIT | MSG_NOSIGNAL);
	while (lane->fd >= 0 && read_frame(lane, &h, ANSWER_MS)) {
		hear(lane, &h);
		if (h.type == HBC_FRAME_PONG &&
		    ((struct hbc_wire_ping *)frame)->token == ping.token)
			return true;
	}
	return false;
}

static void note_taken(const struct lane *lane, unsigned int len)
{
	unsigned int at = 0;
	struct hbc_hdr h;

	for (; at < len; at += h.length) {
		if (hbc_wire_get_hdr(stream + at, &h))
			return;
		taken[h.type]++;
		coverage_signal(5ull << 32 | lane->child << 24 | h.type);
	}
}

void lane_show(void)
{
	unsigned int i;

	for (i = HBC_FRAME_PLAN; i < __HBC_FRAME_MAX; i++)
		printf("# taken %u: %u\n", i, taken[i]);
}

static void send_stream(struct choices *c, struct lane *lane)
{
	unsigned int len, part, at = 0;
	ssize_t sent;

	if (lane->fd < 0)
		return;
	len = choose_stream(c, lane);
	if (rarely(c, 16)) {
		len = choose(c, len);
		lane->said |= SPOILT;
	}
	while (at < len) {
		part = rarely(c, 3) ? 1 + choose(c, len - at) : len - at;
		sent = send(lane->fd, stream + at, part, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0)
			break;
		at += sent;
	}
	lane->spoilt |= at < len || lane->said & SPOILT;
	if (lane->spoilt)
		read_frames(lane, 4, 2);
	else if (is_well(lane))
		note_taken(lane, len);
}

void call_lane_connect(struct choices *c)
{
	struct lane *lane = new_lane(c, false);

	greet(c, lane);
	send_stream(c, lane);
}

void call_lane_accept(struct choices *c)
{
	struct lane *lane = new_lane(c, true);

	answer(c, lane);
	/* The plan, and what there is. */
	if (lane->fd >= 0 && is_well(lane))
		read_frames(lane, 8, 2);
	send_stream(c, lane);
}

void call_lane_send(struct choices *c)
{
	struct lane *lane = choose_lane(c);

	if (lane->fd < 0)
		call_lane_connect(c);
	else
		send_stream(c, lane);
}

void call_lane_read(struct choices *c)
{
	struct lane *lane = choose_lane(c);

	read_frames(lane, choose(c, 50), 5);
}

/* In peace, or at once. */
void call_lane_close(struct choices *c)
{
	struct lane *lane = choose_lane(c);
	struct linger linger = { .l_onoff = 1 };

	if (lane->fd < 0)
		return;
	if (rarely(c, 2))
		setsockopt(lane->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	if (rarely(c, 4)) {
		shutdown(lane->fd, rarely(c, 2) ? SHUT_WR : SHUT_RD);
		return;
	}
	close(lane->fd);
	lane->fd = -1;
}
