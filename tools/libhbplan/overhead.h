/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how long a node is busy with sending and receiving a message, in files. */
#ifndef HBPLAN_OVERHEAD_H
#define HBPLAN_OVERHEAD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

int hbp_overheads_read(struct hbp_reader *rd, const json_t *object, size_t i,
		       int64_t *send_ns, int64_t *recv_ns);
void hbp_overheads_write(json_t *object, int64_t send_ns, int64_t recv_ns);

#endif /* HBPLAN_OVERHEAD_H */
