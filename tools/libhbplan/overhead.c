// SPDX-License-Identifier: GPL-2.0-or-later
/* For how long a node is busy with sending and receiving a message, in files. */
#include "overhead.h"
#include "units.h"

static int read_one(struct hbp_reader *rd, const json_t *object, size_t i, const char *key,
		    int64_t *ns)
{
	const json_t *value = json_object_get(object, key);
	double us;

	if (!value)
		return 0;
	if (!hbp_json_real(value, 0, HBP_LATENCY_MAX_US, &us))
		return hbp_json_bad(rd, value, HBP_MUST_BE_LATENCY,
				    "nodes[%zu].%s", i, key);
	*ns = hbp_ns_from_us(us);
	return 0;
}

/**
 * hbp_overheads_read() - a node's overheads from its JSON object
 * @rd: the reader
 * @object: the node's; borrowed
 * @i: its place among the nodes
 * @send_ns: receives what sending takes; unchanged if that is not told
 * @recv_ns: likewise for receiving
 *
 * Return: 0 or a negative errno value.
 */
int hbp_overheads_read(struct hbp_reader *rd, const json_t *object, size_t i,
		       int64_t *send_ns, int64_t *recv_ns)
{
	return read_one(rd, object, i, "send_overhead_us", send_ns) ?:
	       read_one(rd, object, i, "recv_overhead_us", recv_ns);
}

/**
 * hbp_overheads_write() - a node's overheads into its JSON object
 * @object: the node's
 * @send_ns: what sending takes
 * @recv_ns: what receiving takes
 */
void hbp_overheads_write(json_t *object, int64_t send_ns, int64_t recv_ns)
{
	json_object_set_new(object, "send_overhead_us", json_real(hbp_us_from_ns(send_ns)));
	json_object_set_new(object, "recv_overhead_us", json_real(hbp_us_from_ns(recv_ns)));
}
