// SPDX-License-Identifier: GPL-2.0-or-later
/* How far a message is, asked from the socket that sends it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "attrs.h"
#include "completion.h"
#include "json.h"
#include "output.h"

/* ", node 4294967295 (for an unknown reason), ..." */
#define MEMBER_LEN	64

static size_t size_for(unsigned int members)
{
	return sizeof(struct hbcast_completion) +
	       members * sizeof(struct hbcast_member);
}

/**
 * hbcompletion_get() - ask how far the last message is
 * @ctl: the run
 * @fd: the socket
 * @c: in: NULL or an earlier answer; out: the answer, to be released with free()
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbcompletion_get(struct hbctl *ctl, int fd, struct hbcast_completion **c)
{
	unsigned int room = *c ? (*c)->members : 16;
	socklen_t len;

	for (;;) {
		*c = realloc(*c, size_for(room));
		if (!*c)
			abort();
		memset(*c, 0, sizeof(**c));
		len = size_for(room);
		if (getsockopt(fd, SOL_HBCAST, HBCAST_COMPLETION, *c, &len))
			return hbctl_error(ctl, HBCTL_KERNEL,
					   "what has become of the message cannot be read: %s",
					   strerror(errno));
		if ((*c)->members <= room)
			return HBCTL_OK;
		room = (*c)->members;
	}
}

/**
 * hbcompletion_json() - a completion as the message is shown elsewhere
 * @c: the completion
 *
 * Return: a new object.
 */
json_t *hbcompletion_json(const struct hbcast_completion *c)
{
	json_t *nodes = json_array();
	uint32_t i;

	for (i = 0; i < c->members; i++) {
		const struct hbcast_member *m = &c->member[i];

		json_t *node;

		node = json_pack("{s:I, s:s?, s:s?, s:I, s:f}",
				 "node", (json_int_t)m->node, "state",
				 hbfield_name(hbattrs_states, m->state), "reason",
				 hbfield_name(hbattrs_reasons, m->reason), "bytes",
				 (json_int_t)m->bytes, "time_us",
				 m->time_ns / 1e3);
		json_array_append_new(nodes, node);
	}
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:o}",
			 "id", hbfield_id64(c->message),
			 "bytes", (json_int_t)c->total,
			 "sent_bytes", (json_int_t)c->sent,
			 "members", (json_int_t)c->members,
			 "delivered", (json_int_t)c->delivered,
			 "failed", (json_int_t)c->failed, "nodes", nodes);
}

/**
 * hbcompletion_list() - which members have not got the message, and why
 * @nodes: those of hbcompletion_json()
 * @failed: only those that never will
 * @buf: gets "node 4 (no-receiver), node 9 (not yet)", as far as there is room
 * @len: room in @buf, more than a member takes
 */
void hbcompletion_list(const json_t *nodes, bool failed, char *buf, size_t len)
{
	size_t at = 0, i;
	const json_t *m;

	*buf = '\0';
	json_array_foreach((json_t *)nodes, i, m) {
		const json_t *state = json_object_get(m, "state");
		const char *reason = json_string_value(json_object_get(m, "reason"));
		bool pending = hbp_json_says(state, "pending");

		if (hbp_json_says(state, "delivered") || (failed && pending))
			continue;
		if (at + MEMBER_LEN > len) {
			snprintf(buf + at, len - at, ", ...");
			return;
		}
		at += snprintf(buf + at, len - at, "%snode %lld (%s)", at ? ", " : "",
			       json_integer_value(json_object_get(m, "node")),
			       pending ? "not yet" : reason ? : "for an unknown reason");
	}
}
