/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: who exchanges halves of a message in two sub-networks. */
#ifndef HBPLAN_DCN_H
#define HBPLAN_DCN_H

#include <stddef.h>

#include "error.h"
#include "rotation.h"

/**
 * struct hbp_dcns - two sub-networks, and data collecting networks between them
 * @side: of each host, 0 if its number in postorder is odd, 1 if it is even
 * @partner: of each host, the one of the other side with which it exchanges;
 *	HBP_NONE for @single
 * @single: of an odd number of hosts the one that is left over, or HBP_NONE
 * @giver: from whom @single gets what it lacks, a host of the other side
 */
struct hbp_dcns {
	unsigned char *side;
	size_t *partner;
	size_t single;
	size_t giver;
};

int hbp_dcns_find(const struct hbp_rotation *rotation, struct hbp_dcns *dcns,
		  struct hbp_error *err);
void hbp_dcns_clear(struct hbp_dcns *dcns);

#endif /* HBPLAN_DCN_H */
