// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Competitor (b): a relay with splice(2) and tee(2), no payload copied.
 *
 * The first child's pipe is the inlet: what comes in is teed into the other
 * children's pipes, then every pipe is spliced into its child. tee(2) always
 * begins at the front of a pipe, so the next round begins when all pipes are
 * empty; a pipe holds more than one wake-up brings. So the relay never waits
 * for its parent and a child at once, and waiting for the parent inside
 * splice(2) saves a call of epoll_wait(2).
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

#define PIPE_BYTES (1 << 20)

struct splicer {
	int pipe[RELAY_CHILDREN][2];
	size_t held[RELAY_CHILDREN];
	const int *child;
	int children;
};

/* Waits for data. Returns false at the end of the stream. */
static bool fill(struct splicer *s, int parent)
{
	ssize_t n = splice(parent, NULL, s->pipe[0][1], NULL, PIPE_BYTES,
			   SPLICE_F_MOVE);

	if (n < 0)
		err(1, "relay: splice in");
	s->held[0] = n;
	for (int i = 1; n && i < s->children; i++) {
		s->held[i] = tee(s->pipe[0][0], s->pipe[i][1], n, 0);
		if (s->held[i] != (size_t)n)
			err(1, "relay: tee");
	}
	return n;
}

/* Returns how many children are blocked, and lists them in @blocked. */
static int flush(struct splicer *s, struct pollfd *blocked)
{
	int count = 0;

	for (int i = 0; i < s->children; i++) {
		ssize_t n;

		if (!s->held[i])
			continue;
		n = splice(s->pipe[i][0], NULL, s->child[i], NULL, s->held[i],
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n < 0 && errno != EAGAIN)
			err(1, "relay: splice out");
		if (n > 0)
			s->held[i] -= n;
		if (s->held[i])
			blocked[count++] = (struct pollfd){
				.fd = s->child[i], .events = POLLOUT };
	}
	return count;
}

void relay_splice(int parent, const int *child, int children)
{
	struct splicer s = { .child = child, .children = children };
	struct pollfd blocked[RELAY_CHILDREN];
	int n;

	for (int i = 0; i < children; i++)
		if (pipe(s.pipe[i]) ||
		    fcntl(s.pipe[i][0], F_SETPIPE_SZ, PIPE_BYTES) < 0 ||
		    fcntl(child[i], F_SETFL, O_NONBLOCK))
			err(1, "relay: pipe");
	while (fill(&s, parent))
		while ((n = flush(&s, blocked)))
			if (poll(blocked, n, -1) < 0 && errno != EINTR)
				err(1, "relay: poll");
	for (int i = 0; i < children; i++) {
		shutdown(child[i], SHUT_WR);
		close(s.pipe[i][0]);
		close(s.pipe[i][1]);
	}
}
