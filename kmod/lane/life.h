/* SPDX-License-Identifier: GPL-2.0 */
/* The life of a lane: one work item connects, watches, reconnects and ends it. */
#ifndef _HBC_LIFE_H
#define _HBC_LIFE_H

struct hbc_lane;
struct work_struct;

/* The work of lane->life. */
void hbc_life_work(struct work_struct *work);
/* The handshake's end: both sides have proved themselves. Context: receive work. */
void hbc_life_ready(struct hbc_lane *lane);

#endif /* _HBC_LIFE_H */
