/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress of a message: a live display, or a line now and then. */
#ifndef HBCASTCTL_PROGRESS_H
#define HBCASTCTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hbcast.h>

#include "cmd.h"

/**
 * struct hbprogress - how progress is shown
 * @ctl: the run
 * @lines: a line now and then on standard output, one JSON object with -j
 * @live: a display on standard error, which is a terminal
 * @start: when the message was accepted, of hbclock_now()
 * @last: when something was shown last
 * @drawn: lines that the display takes up now
 */
struct hbprogress {
	struct hbctl *ctl;
	bool lines;
	bool live;
	int64_t start;
	int64_t last;
	unsigned int drawn;
};

void hbprogress_begin(struct hbprogress *p, struct hbctl *ctl, bool lines);
int hbprogress_show(struct hbprogress *p, const struct hbcast_completion *c);
void hbprogress_end(struct hbprogress *p);

#endif /* HBCASTCTL_PROGRESS_H */
