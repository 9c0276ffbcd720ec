/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sender at node 1, and receivers that put files into files at nodes 2 and 3. */
#ifndef _HBC_SELFTESTS_SINK_FIXTURE_H
#define _HBC_SELFTESTS_SINK_FIXTURE_H

#include <sys/mman.h>
#include <unistd.h>

#include "node.h"
#include "sink.h"
#include "harness.h"

FIXTURE(sink) {
	unsigned int port;
	int sender;
	int near;
	int far;
	int file;	/* of the receiver at node 3 */
};

FIXTURE_SETUP(sink)
{
	self->port = 1000 + getpid() % 20000;
	self->sender = node_sender(1, self->port);
	self->near = sink_receiver(2, self->port);
	self->far = sink_receiver(3, self->port);
	self->file = memfd_create("far", 0);
	ASSERT_GE(self->sender, 0);
	ASSERT_GE(self->near, 0);
	ASSERT_GE(self->far, 0);
	ASSERT_GE(self->file, 0);
}

FIXTURE_TEARDOWN(sink)
{
	close(self->sender);
	close(self->near);
	close(self->far);
	close(self->file);
}

#endif /* _HBC_SELFTESTS_SINK_FIXTURE_H */
