// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Competitor (a): a relay with read(2), write(2) and epoll(7).
 *
 * One ring buffer, one position of reading, one of writing per child: a slow
 * child holds the others back only when the ring is full. Edge-triggered; a
 * call that moved less than it was asked to has drained its socket, so nothing
 * is tried twice.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

#define RING_BYTES (1 << 20)
#define PARENT RELAY_CHILDREN

struct ring {
	char *data;
	uint64_t head;
	uint64_t tail[RELAY_CHILDREN];
	bool writable[RELAY_CHILDREN];
	bool readable;
	bool ending;
	bool eof;
	int epoll;
	int parent;
	const int *child;
	int children;
};

static uint64_t slowest(const struct ring *r)
{
	uint64_t tail = r->head;

	for (int i = 0; i < r->children; i++)
		if (r->tail[i] < tail)
			tail = r->tail[i];
	return tail;
}

/* The longest run from @pos that neither wraps nor passes @end. */
static size_t run(uint64_t pos, uint64_t end)
{
	size_t to_wrap = RING_BYTES - pos % RING_BYTES;

	return end - pos < to_wrap ? end - pos : to_wrap;
}

/* An empty ring starts again at the front, where the longest run is. */
static void rewind_ring(struct ring *r)
{
	r->head = 0;
	for (int i = 0; i < r->children; i++)
		r->tail[i] = 0;
}

static bool fill(struct ring *r)
{
	size_t room;
	ssize_t n;

	if (!r->readable || r->eof)
		return false;
	if (slowest(r) == r->head)
		rewind_ring(r);
	room = run(r->head, slowest(r) + RING_BYTES);
	if (!room)
		return false;
	n = read(r->parent, r->data + r->head % RING_BYTES, room);
	if (n < 0 && errno != EAGAIN)
		err(1, "relay: read");
	r->eof = n == 0;
	r->readable = n == (ssize_t)room || r->ending;
	if (n > 0)
		r->head += n;
	return n > 0;
}

static bool flush(struct ring *r, int i)
{
	bool moved = false;

	while (r->writable[i] && r->tail[i] < r->head) {
		size_t len = run(r->tail[i], r->head);
		ssize_t n = write(r->child[i],
				  r->data + r->tail[i] % RING_BYTES, len);

		if (n < 0 && errno != EAGAIN)
			err(1, "relay: write");
		r->writable[i] = n == (ssize_t)len;
		if (n > 0) {
			r->tail[i] += n;
			moved = true;
		}
	}
	return moved;
}

static void watch(struct ring *r, int fd, uint32_t events, uint32_t index)
{
	struct epoll_event ev = { .events = events | EPOLLET };

	ev.data.u32 = index;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) ||
	    epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev))
		err(1, "relay: epoll_ctl");
}

static void await(struct ring *r)
{
	struct epoll_event ev[RELAY_CHILDREN + 1];
	int n = epoll_wait(r->epoll, ev, RELAY_CHILDREN + 1, -1);

	if (n < 0 && errno != EINTR)
		err(1, "relay: epoll_wait");
	for (int i = 0; i < n; i++) {
		if (ev[i].data.u32 != PARENT) {
			r->writable[ev[i].data.u32] = true;
			continue;
		}
		r->readable = true;
		/* The end may hide behind data: then read until it shows. */
		r->ending |= ev[i].events & EPOLLRDHUP;
	}
}

void relay_epoll(int parent, const int *child, int children)
{
	struct ring r = {
		.data = malloc(RING_BYTES), .epoll = epoll_create1(0),
		.parent = parent, .child = child, .children = children,
		.readable = true,
	};

	if (!r.data || r.epoll < 0)
		err(1, "relay");
	watch(&r, parent, EPOLLIN | EPOLLRDHUP, PARENT);
	for (int i = 0; i < children; i++) {
		watch(&r, child[i], EPOLLOUT, i);
		r.writable[i] = true;
	}
	while (!r.eof || slowest(&r) < r.head) {
		bool moved = fill(&r);

		for (int i = 0; i < children; i++)
			moved |= flush(&r, i);
		if (!moved && (!r.eof || slowest(&r) < r.head))
			await(&r);
	}
	for (int i = 0; i < children; i++)
		shutdown(child[i], SHUT_WR);
	close(r.epoll);
	free(r.data);
}
