/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Talks to the module over generic netlink. */
#ifndef HBCASTCTL_GENL_H
#define HBCASTCTL_GENL_H

#include <stdint.h>

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "cmd.h"
#include "field.h"

/**
 * struct hbgenl - a connection to the module
 * @sock: the netlink socket; NULL while closed
 * @family: number of the family "hbcast"
 */
struct hbgenl {
	struct nl_sock *sock;
	int family;
};

int hbgenl_open(struct hbctl *ctl, struct hbgenl *g);
int hbgenl_open_any(struct hbctl *ctl, struct hbgenl *g, json_t **version);
int hbgenl_check(struct hbctl *ctl, const json_t *version);
int hbgenl_listen(struct hbctl *ctl, struct hbgenl *g);
int hbgenl_attend(struct hbctl *ctl, struct hbgenl *g);
void hbgenl_close(struct hbgenl *g);

struct nl_msg *hbgenl_msg(const struct hbgenl *g, uint8_t cmd);
void hbgenl_put(struct nl_msg *msg, int attr, const void *data, int len);

static inline void hbgenl_put_u16(struct nl_msg *msg, int attr, uint16_t value)
{
	hbgenl_put(msg, attr, &value, sizeof(value));
}

static inline void hbgenl_put_u64(struct nl_msg *msg, int attr, uint64_t value)
{
	hbgenl_put(msg, attr, &value, sizeof(value));
}

static inline void hbgenl_put_u32(struct nl_msg *msg, int attr, uint32_t value)
{
	hbgenl_put(msg, attr, &value, sizeof(value));
}

static inline void hbgenl_put_flag(struct nl_msg *msg, int attr)
{
	hbgenl_put(msg, attr, NULL, 0);
}

/*
 * Each sends @msg and releases it. The format is what cannot be done, as in
 * "peer 3 cannot be added"; the kernel's reason goes after it.
 */
__attribute__((format(printf, 4, 5)))
int hbgenl_do(struct hbctl *ctl, struct hbgenl *g, struct nl_msg *msg,
	      const char *fmt, ...);
__attribute__((format(printf, 6, 7)))
int hbgenl_get(struct hbctl *ctl, struct hbgenl *g, struct nl_msg *msg,
	       const struct hbfield *fields, json_t **out, const char *fmt, ...);
int hbgenl_dump(struct hbctl *ctl, struct hbgenl *g, uint8_t cmd,
		const struct hbfield *fields, const char * const *identity,
		const char *what, json_t **out);
int hbgenl_own_id(struct hbctl *ctl, struct hbgenl *g, const char *what,
		  uint32_t *id);

/**
 * enum hbgenl_heard - what hbgenl_event() has found
 * @HBGENL_EVENT: an event
 * @HBGENL_NONE: nothing for now
 * @HBGENL_LOST: events were lost since the last call
 * @HBGENL_FAILED: the socket is of no more use; the error has been reported
 */
enum hbgenl_heard {
	HBGENL_EVENT,
	HBGENL_NONE,
	HBGENL_LOST,
	HBGENL_FAILED,
};

int hbgenl_send(struct hbctl *ctl, struct hbgenl *g, struct nl_msg *msg,
		const char *what);
enum hbgenl_heard hbgenl_events(struct hbctl *ctl, struct hbgenl *g,
				const struct hbfield *fields, json_t *events);

#endif /* HBCASTCTL_GENL_H */
