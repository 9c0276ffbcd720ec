// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a message has failed at this node, in words. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <linux/hbcast.h>

#include "failure.h"

static const char cut_off[] =
	"this receiver did not read for the group's stall interval and was cut off";

/* Others say less than the error does, or are of other nodes. */
static const char * const reasons[HBCAST_REASON_MAX + 1] = {
	[HBCAST_REASON_STALLED] = cut_off,
	[HBCAST_REASON_CHECKSUM] = "its checksum is wrong",
	[HBCAST_REASON_LANE_LOST] =
		"no connection led here from its sender for too long, or this node came too late for it",
	[HBCAST_REASON_ABORTED] =
		"its sender gave it up, or had counted this node as failed",
	[HBCAST_REASON_PLAN_GONE] =
		"the plan, the group or the node was removed, here or at its sender",
	[HBCAST_REASON_SPOOL] =
		"it got no file in time, and is longer than the group's spool",
	[HBCAST_REASON_CHANGED] = "its file was changed while it was sent",
};

/**
 * hbfailure_text() - why a message has failed at this node
 * @reason: an enum hbcast_reason, HBCAST_REASON_NONE for an error of the socket
 * @err: the errno that came with it
 *
 * Return: a clause about the message.
 */
const char *hbfailure_text(uint16_t reason, int err)
{
	if (reason <= HBCAST_REASON_MAX && reasons[reason])
		return reasons[reason];
	switch (err) {
	case ENOBUFS:
		return cut_off;
	case ENODEV:
		return "this node does not take part in the group any more";
	}
	return strerror(err);
}
