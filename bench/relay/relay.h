/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_RELAY_H
#define BENCH_RELAY_H

#define RELAY_CHILDREN 8

/**
 * typedef relay_fn - copy one TCP stream to several
 * @parent: where the stream comes from
 * @child: where it goes
 * @children: how many, 1 to RELAY_CHILDREN
 *
 * Returns when the parent has closed the stream and all of it is with the
 * children; exits with a sentence on any error.
 */
typedef void relay_fn(int parent, const int *child, int children);

relay_fn relay_epoll;
relay_fn relay_splice;

#endif
