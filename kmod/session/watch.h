/* SPDX-License-Identifier: GPL-2.0 */
/* What a session looks at now and then: lanes that are lost, and children that stand still. */
#ifndef _HBC_WATCH_H
#define _HBC_WATCH_H

struct hbc_session;
struct work_struct;

/* The session is looked at, later, and has a reference for that. Context: process. */
void hbc_watch_begin(struct hbc_session *s);
/* A lane to a child is lost: the same now. Context: any. */
void hbc_watch_soon(struct hbc_session *s);
/* The session has ended: what is to be looked at later is not. Context: any. */
void hbc_watch_end(struct hbc_session *s);
/* The work of session->watch. */
void hbc_watch_work(struct work_struct *work);

#endif /* _HBC_WATCH_H */
