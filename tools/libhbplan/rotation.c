// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An HNOW's hosts in postorder, turned so that a source comes first (paper 004,
 * sections 2.2.2 and 3.1.4).
 */
#include <stdlib.h>
#include <string.h>

#include "rotation.h"
#include "spanning.h"

/* A host, and how long it is busy with the message. */
struct host {
	size_t place;
	int64_t send_ns;
	int64_t recv_ns;
};

static int compare_speeds(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	if (x->send_ns != y->send_ns)
		return x->send_ns < y->send_ns ? -1 : 1;
	return (x->recv_ns > y->recv_ns) - (x->recv_ns < y->recv_ns);
}

/* Numbers the types: who sends in less time is faster, then who receives so. */
static void number_types(struct hbp_rotation *rotation, struct host *hosts,
			 uint64_t bytes)
{
	const struct hbp_hnow *hnow = rotation->in->hnow;
	size_t i;

	for (i = 0; i < rotation->n; i++) {
		hosts[i].place = i;
		hosts[i].send_ns = hbp_hnow_send_ns(hnow, i, bytes);
		hosts[i].recv_ns = hbp_hnow_recv_ns(hnow, i, bytes);
	}
	qsort(hosts, rotation->n, sizeof(*hosts), compare_speeds);
	for (i = 0; i < rotation->n; i++) {
		if (!i || compare_speeds(&hosts[i - 1], &hosts[i]))
			rotation->n_types++;
		rotation->type[hosts[i].place] = rotation->n_types - 1;
	}
}

/* What decides where a host stands. */
struct stand {
	size_t number;		/* of its switch, in postorder */
	size_t type;		/* or 0 if it makes no difference */
	size_t place;		/* by ascending id */
};

static int compare_stands(const void *a, const void *b)
{
	const struct stand *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static void put_in_postorder(struct hbp_rotation *rotation,
			     struct stand *stands, bool sorted)
{
	const struct hbp_hnow *hnow = rotation->in->hnow;
	size_t i;

	for (i = 0; i < rotation->n; i++) {
		stands[i].number = hnow->tree->number[hnow->at[i]];
		stands[i].type = sorted ? rotation->type[i] : 0;
		stands[i].place = i;
	}
	qsort(stands, rotation->n, sizeof(*stands), compare_stands);
	for (i = 0; i < rotation->n; i++)
		rotation->list[i] = stands[i].place;
}

/**
 * hbp_rotation_init() - list the hosts in postorder of the spanning tree
 * @rotation: filled; to be released with hbp_rotation_clear()
 * @in: an HNOW
 * @bytes: size of the messages by which speeds are compared
 * @sorted: the hosts of a switch by speed, the fastest first, of the same type
 *	and otherwise by ascending id
 * @err: receives the reason of a failure
 *
 * The hosts of a switch come behind those of the switches below it.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_rotation_init(struct hbp_rotation *rotation, const struct hbp_input *in,
		      uint64_t bytes, bool sorted, struct hbp_error *err)
{
	struct stand *stands = calloc(in->n, sizeof(*stands));
	struct host *hosts = calloc(in->n, sizeof(*hosts));
	int ret = 0;

	rotation->in = in;
	rotation->n = in->n;
	rotation->n_types = 0;
	rotation->list = calloc(in->n, sizeof(*rotation->list));
	rotation->type = calloc(in->n, sizeof(*rotation->type));
	if (stands && hosts && rotation->list && rotation->type) {
		number_types(rotation, hosts, bytes);
		put_in_postorder(rotation, stands, sorted);
	} else {
		hbp_rotation_clear(rotation);
		ret = hbp_nomem(err);
	}
	free(stands);
	free(hosts);
	return ret;
}

/**
 * hbp_rotation_clear() - release what a rotation holds
 * @rotation: the rotation
 */
void hbp_rotation_clear(struct hbp_rotation *rotation)
{
	free(rotation->list);
	free(rotation->type);
}

/**
 * hbp_rotation_turn() - turn a row of hosts
 * @list: the hosts
 * @n: how many
 * @head: who comes first, one of them; those before it come last
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_rotation_turn(size_t *list, size_t n, size_t head, struct hbp_error *err)
{
	size_t *copy = calloc(n, sizeof(*copy)), at = 0;

	if (!copy)
		return hbp_nomem(err);
	while (list[at] != head)
		at++;
	memcpy(copy, list, n * sizeof(*copy));
	memcpy(list, &copy[at], (n - at) * sizeof(*copy));
	memcpy(&list[n - at], copy, at * sizeof(*copy));
	free(copy);
	return 0;
}

/**
 * hbp_rotation_plan() - a plan of one scheduling tree
 * @rq: the request, of an HNOW
 * @sorted: as for hbp_rotation_init()
 * @schedule: makes the scheduling tree from the row that the root leads
 * @plan: receives the tree
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_rotation_plan(const struct hbp_request *rq, bool sorted,
		      hbp_scheduler schedule, struct hbp_plan *plan,
		      struct hbp_error *err)
{
	struct hbp_rotation rotation;
	int ret;

	ret = hbp_rotation_init(&rotation, rq->in, rq->message_bytes, sorted,
				err);
	if (ret)
		return ret;
	ret = hbp_rotation_turn(rotation.list, rotation.n,
				hbp_input_find(rq->in, rq->root), err);
	if (!ret)
		ret = schedule(&rotation, rotation.list, rotation.n,
			       hbp_plan_add_tree(plan, 0), err);
	hbp_rotation_clear(&rotation);
	return ret;
}
