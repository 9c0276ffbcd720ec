// SPDX-License-Identifier: GPL-2.0-or-later
/* Shapes of trees: nodes in preorder with the numbers of their children. */
#include <crypto/hash.h>

#include "../lib/tap.h"
#include "wire/shape.h"
#include "wire/wire.h"

static struct hbc_wire_node nodes[HBC_MAX_MEMBERS + 1];

/* A node for each letter, which is its id, with the digit behind it as number of children. */
static u32 draw(const char *shape)
{
	u32 nr = 0;

	for (; *shape; shape += 2)
		nodes[nr++] = (struct hbc_wire_node){
			.node = cpu_to_be32(shape[0]), .nr_children = cpu_to_be32(shape[1] - '0'),
		};
	return nr;
}

static const struct shape {
	const char *nodes;
	int expected;
	const char *what;
} shapes[] = {
	{ "a0", 0, "one node" },
	{ "a1b0", 0, "one with a child" },
	{ "a2b0c0", 0, "one with two children" },
	{ "a2b1c0d0", 0, "a branch, and a leaf" },
	{ "a1b1c2d0e0", 0, "a chain that forks" },
	{ "b0", -EBADMSG, "another one first" },
	{ "a0b0", -EBADMSG, "two roots" },
	{ "a1", -EBADMSG, "a child that is missing" },
	{ "a2b0", -EBADMSG, "one of two that is missing" },
	{ "a1b0c0", -EBADMSG, "a node too many" },
	{ "a1b1", -EBADMSG, "a branch too long" },
	{ "a2b0b0", -EEXIST, "a node twice" },
	{ "a1a0", -EEXIST, "one below itself" },
	{ "a1b1a0", -EEXIST, "a circle" },
};

static void test_shapes(void)
{
	const struct shape *s;

	for (s = shapes; s < shapes + sizeof(shapes) / sizeof(*shapes); s++) {
		u32 nr = draw(s->nodes);

		ok(hbc_shape_check(nodes, nr, 'a') == s->expected, "%s: %s", s->what,
		   s->expected ? "refused" : "accepted");
	}
	ok(hbc_shape_check(nodes, 0, 'a') == -EBADMSG, "no nodes: refused");
}

static u32 chain(u32 edges)
{
	u32 i;

	for (i = 0; i <= edges; i++)
		nodes[i] = (struct hbc_wire_node){
			.node = cpu_to_be32(1 + i), .nr_children = cpu_to_be32(i < edges),
		};
	return edges + 1;
}

static void test_limits(void)
{
	u32 i;

	ok(!hbc_shape_check(nodes, chain(512), 1), "512 edges from the root to a leaf");
	ok(hbc_shape_check(nodes, chain(513), 1) == -ELOOP, "513 are refused");
	for (i = 0; i <= HBC_MAX_MEMBERS; i++)
		nodes[i] = (struct hbc_wire_node){ .node = cpu_to_be32(1 + i) };
	nodes[0].nr_children = cpu_to_be32(4095);
	ok(!hbc_shape_check(nodes, 4096, 1), "4096 nodes");
	nodes[0].nr_children = cpu_to_be32(4096);
	ok(hbc_shape_check(nodes, 4097, 1) == -EBADMSG, "4097 are refused");
	shim_fail_at = 1;
	ok(hbc_shape_check(nodes, draw("a1b0"), 'a') == -ENOMEM, "no memory is told");
	shim_fail_at = 2;
	ok(hbc_shape_check(nodes, draw("a1b0"), 'a') == -ENOMEM, "and so is less of it");
}

static void test_sizes(void)
{
	draw("a3b2c0d0e0f1g0");
	ok(hbc_shape_size(nodes, 0) == 7 && hbc_shape_size(nodes, 1) == 3 &&
	   hbc_shape_size(nodes, 2) == 1 && hbc_shape_size(nodes, 4) == 1 &&
	   hbc_shape_size(nodes, 5) == 2, "nodes of subtrees");
	/* Edges that leave the root lead to b, e and f. */
	nodes[1].rate = cpu_to_be64(30);
	nodes[2].rate = cpu_to_be64(1);
	nodes[4].rate = cpu_to_be64(20);
	nodes[5].rate = cpu_to_be64(40);
	ok(hbc_shape_rate(nodes) == 20, "the slowest edge that leaves the root");
	nodes[4].rate = 0;
	ok(!hbc_shape_rate(nodes), "one without a rate");
}

int main(void)
{
	test_shapes();
	test_limits();
	test_sizes();
	return tap_done();
}
