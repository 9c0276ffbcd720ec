// SPDX-License-Identifier: GPL-2.0-or-later
/* Talks to the module over generic netlink. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <hbcast_version.h>
#include <linux/genetlink.h>
#include <linux/hbcast_netlink.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "attrs.h"
#include "genl.h"
#include "output.h"

#define EVENT_BUFFER	(1 << 20)
#define MESSAGE_LEN	(1 << 18)
#define EXTACK_LEN	256

/**
 * struct reply - what comes back for one request
 * @fields: which attribute is what; NULL if no object is due
 * @identity: keys that name an object of a dump; NULL if it is not a dump
 * @rows: array that objects go to
 * @error: errno of the refusal, 0 for none
 * @extack: the kernel's words for it, "" for none
 * @interrupted: what was dumped changed meanwhile
 * @done: nothing more comes
 */
struct reply {
	const struct hbfield *fields;
	const char * const *identity;
	json_t *rows;
	int error;
	char extack[EXTACK_LEN];
	bool interrupted;
	bool done;
};

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct genlmsghdr *hdr = genlmsg_hdr(nlmsg_hdr(msg));
	struct reply *r = arg;
	json_t *row;

	if (!r->fields)
		return NL_OK;
	row = hbfield_json(r->fields, genlmsg_attrdata(hdr, 0),
			   genlmsg_attrlen(hdr, 0));
	if (r->identity)
		hbfield_merge(r->rows, row, r->identity);
	else
		json_array_append_new(r->rows, row);
	return NL_OK;
}

static void keep_extack(struct reply *r, const struct nlattr *attrs, int len)
{
	const struct nlattr *text;

	text = nla_find((struct nlattr *)attrs, len, NLMSGERR_ATTR_MSG);
	if (text)
		snprintf(r->extack, sizeof(r->extack), "%.*s", nla_len(text),
			 (const char *)nla_data(text));
}

/* A dump's end carries an errno and, behind it, the attributes of a refusal. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct reply *r = arg;
	int error = 0;

	if (nlmsg_datalen(hdr) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(hdr), sizeof(error));
	r->error = -error;
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS)
		keep_extack(r, (struct nlattr *)((char *)nlmsg_data(hdr) +
						 NLMSG_ALIGN(sizeof(error))),
			    nlmsg_datalen(hdr) - NLMSG_ALIGN(sizeof(error)));
	r->done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct reply *r = arg;

	(void)msg;
	r->done = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	int skip = sizeof(*err);
	struct reply *r = arg;

	(void)from;
	r->error = -err->error;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS && nlmsg_datalen(hdr) > skip)
		keep_extack(r, (struct nlattr *)((char *)err + skip),
			    nlmsg_datalen(hdr) - skip);
	r->done = true;
	return NL_STOP;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct reply *r = arg;

	(void)msg;
	r->interrupted = true;
	return NL_OK;
}

static int on_sequence(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

/* Sends @msg, releases it and takes what comes; r->error says how it went. */
static void talk(struct hbgenl *g, struct nl_msg *msg, struct reply *r)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!cb)
		abort();
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, r);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, r);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, r);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, r);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, r);
	err = nl_send_auto(g->sock, msg);
	nlmsg_free(msg);
	while (err >= 0 && !r->done)
		err = nl_recvmsgs(g->sock, cb);
	if (err < 0 && !r->error) {
		r->error = EIO;
		snprintf(r->extack, sizeof(r->extack), "netlink failed: %s",
			 nl_geterror(err));
	}
	nl_cb_put(cb);
}

static const char lacks_admin[] =
	"you lack CAP_NET_ADMIN in this network namespace: use sudo";

static int refuse(struct hbctl *ctl, const struct reply *r, const char *what)
{
	const char *why = r->extack;

	if (!*why && r->error == EPERM)
		why = lacks_admin;
	else if (!*why)
		why = strerror(r->error);
	return hbctl_error(ctl, HBCTL_KERNEL, "%s: %s", what, why);
}

static int refuse_va(struct hbctl *ctl, const struct reply *r, const char *fmt,
		     va_list ap)
{
	char what[256];

	vsnprintf(what, sizeof(what), fmt, ap);
	return refuse(ctl, r, what);
}

/**
 * hbgenl_msg() - begin a request
 * @g: the connection
 * @cmd: HBCAST_CMD_*
 *
 * Return: a message without attributes, for one of the functions that send it.
 */
struct nl_msg *hbgenl_msg(const struct hbgenl *g, uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc_size(MESSAGE_LEN);

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, g->family, 0,
				 NLM_F_REQUEST | NLM_F_ACK, cmd,
				 HBCAST_FAMILY_VERSION))
		abort();
	return msg;
}

/**
 * hbgenl_put() - append an attribute
 * @msg: the message, which must have room for it: it holds 256 KiB
 * @attr: its number
 * @data: its value
 * @len: bytes of @data
 */
void hbgenl_put(struct nl_msg *msg, int attr, const void *data, int len)
{
	if (nla_put(msg, attr, len, data))
		abort();
}

/**
 * hbgenl_do() - send a request that is only acknowledged
 * @ctl: the run
 * @g: the connection
 * @msg: the request; released
 * @fmt: what cannot be done, should it be refused
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the refusal.
 */
int hbgenl_do(struct hbctl *ctl, struct hbgenl *g, struct nl_msg *msg,
	      const char *fmt, ...)
{
	struct reply r = { };
	va_list ap;
	int ret;

	talk(g, msg, &r);
	if (!r.error)
		return HBCTL_OK;
	va_start(ap, fmt);
	ret = refuse_va(ctl, &r, fmt, ap);
	va_end(ap);
	return ret;
}

/**
 * hbgenl_get() - send a request that is answered with one object
 * @ctl: the run
 * @g: the connection
 * @msg: the request; released
 * @fields: which attribute of the answer is what
 * @out: gets the object
 * @fmt: what cannot be done, should it be refused
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the refusal.
 */
int hbgenl_get(struct hbctl *ctl, struct hbgenl *g, struct nl_msg *msg,
	       const struct hbfield *fields, json_t **out, const char *fmt, ...)
{
	/* All messages of one answer are about one object. */
	static const char * const identity[] = { NULL };
	struct reply r = {
		.fields = fields, .identity = identity, .rows = json_array(),
	};
	int ret = HBCTL_OK;
	va_list ap;

	talk(g, msg, &r);
	if (!r.error && !json_array_size(r.rows))
		r.error = ENODATA;
	if (r.error) {
		va_start(ap, fmt);
		ret = refuse_va(ctl, &r, fmt, ap);
		va_end(ap);
	} else {
		*out = json_incref(json_array_get(r.rows, 0));
	}
	json_decref(r.rows);
	return ret;
}

/**
 * hbgenl_dump() - ask for all objects of a kind
 * @ctl: the run
 * @g: the connection
 * @cmd: HBCAST_CMD_*_GET
 * @fields: which attribute is what
 * @identity: the keys that name an object, ends with NULL
 * @what: what cannot be done, should it be refused
 * @out: gets an array
 *
 * Asks again when the objects changed meanwhile.
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the refusal.
 */
int hbgenl_dump(struct hbctl *ctl, struct hbgenl *g, uint8_t cmd,
		const struct hbfield *fields, const char * const *identity,
		const char *what, json_t **out)
{
	struct reply r = {
		.fields = fields, .identity = identity, .rows = json_array(),
	};
	struct nl_msg *msg;

	do {
		json_array_clear(r.rows);
		r.interrupted = false;
		r.done = false;
		msg = hbgenl_msg(g, cmd);
		nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_DUMP;
		talk(g, msg, &r);
	} while (r.interrupted && !r.error);
	if (r.error) {
		json_decref(r.rows);
		return refuse(ctl, &r, what);
	}
	*out = r.rows;
	return HBCTL_OK;
}

/**
 * hbgenl_own_id() - the id of this node
 * @ctl: the run
 * @g: the connection
 * @what: what cannot be done if this is no node
 * @id: gets the id
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the refusal.
 */
int hbgenl_own_id(struct hbctl *ctl, struct hbgenl *g, const char *what,
		  uint32_t *id)
{
	json_t *node;
	int ret;

	ret = hbgenl_get(ctl, g, hbgenl_msg(g, HBCAST_CMD_NODE_GET),
			 hbattrs_node, &node, "%s", what);
	if (ret)
		return ret;
	*id = json_integer_value(json_object_get(node, "id"));
	json_decref(node);
	return HBCTL_OK;
}

static int find_family(struct hbctl *ctl, struct hbgenl *g)
{
	int err;

	g->family = genl_ctrl_resolve(g->sock, HBCAST_FAMILY_NAME);
	if (g->family >= 0)
		return HBCTL_OK;
	err = g->family;
	if (err == -NLE_OBJ_NOTFOUND)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "the kernel has no hbcast: load the module with \"modprobe hbcast\"");
	return hbctl_error(ctl, HBCTL_KERNEL,
			   "the kernel cannot be asked for hbcast: %s",
			   nl_geterror(err));
}

/**
 * hbgenl_open_any() - connect to the module, whatever its version
 * @ctl: the run
 * @g: the connection, to be closed also after a failure
 * @version: gets what the module says about its versions; NULL after a failure
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hbgenl_open_any(struct hbctl *ctl, struct hbgenl *g, json_t **version)
{
	int one = 1;
	int err, ret;

	*version = NULL;
	g->sock = nl_socket_alloc();
	if (!g->sock)
		abort();
	err = genl_connect(g->sock);
	if (err)
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "a netlink socket cannot be opened: %s",
				   nl_geterror(err));
	/* Without these refusals are less clear and no less refusals. */
	setsockopt(nl_socket_get_fd(g->sock), SOL_NETLINK, NETLINK_EXT_ACK,
		   &one, sizeof(one));
	setsockopt(nl_socket_get_fd(g->sock), SOL_NETLINK, NETLINK_CAP_ACK,
		   &one, sizeof(one));
	ret = find_family(ctl, g);
	if (ret)
		return ret;
	return hbgenl_get(ctl, g, hbgenl_msg(g, HBCAST_CMD_VERSION_GET),
			  hbattrs_version, version,
			  "the module's version cannot be read");
}

/**
 * hbgenl_check() - refuse a module of another interface
 * @ctl: the run
 * @version: from hbgenl_open_any()
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported the mismatch.
 */
int hbgenl_check(struct hbctl *ctl, const json_t *version)
{
	json_int_t theirs;

	theirs = json_integer_value(json_object_get(version, "interface"));
	if (theirs == HBCAST_INTERFACE_VERSION)
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "hbcastctl %s speaks interface %d and the loaded module %s interface %lld: install both from the same release",
			   HBCAST_VERSION, HBCAST_INTERFACE_VERSION,
			   json_string_value(json_object_get(version, "version")),
			   theirs);
}

/**
 * hbgenl_open() - connect to the module and check its interface version
 * @ctl: the run
 * @g: the connection, to be closed also after a failure
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hbgenl_open(struct hbctl *ctl, struct hbgenl *g)
{
	json_t *version;
	int ret;

	ret = hbgenl_open_any(ctl, g, &version);
	if (!ret)
		ret = hbgenl_check(ctl, version);
	json_decref(version);
	return ret;
}

/**
 * hbgenl_listen() - connect to the module and subscribe to its events
 * @ctl: the run
 * @g: the connection, to be closed also after a failure; it is for
 *	hbgenl_events() only
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hbgenl_listen(struct hbctl *ctl, struct hbgenl *g)
{
	int group, err, ret;

	ret = hbgenl_open(ctl, g);
	if (ret)
		return ret;
	group = genl_ctrl_resolve_grp(g->sock, HBCAST_FAMILY_NAME,
				      HBCAST_MCGRP_EVENTS);
	err = group < 0 ? group : nl_socket_add_membership(g->sock, group);
	if (!err)
		return hbgenl_attend(ctl, g);
	return hbctl_error(ctl, HBCTL_KERNEL,
			   "the kernel's events cannot be had: %s",
			   err == -NLE_PERM ? lacks_admin : nl_geterror(err));
}

/**
 * hbgenl_attend() - from now on only take what comes
 * @ctl: the run
 * @g: an open connection; from now on it is for hbgenl_send() and hbgenl_events() only
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbgenl_attend(struct hbctl *ctl, struct hbgenl *g)
{
	int err;

	err = nl_socket_set_buffer_size(g->sock, EVENT_BUFFER, 0);
	if (!err)
		err = nl_socket_set_nonblocking(g->sock);
	if (!err)
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_KERNEL,
			   "the kernel's events cannot be had: %s",
			   err == -NLE_PERM ? lacks_admin : nl_geterror(err));
}

/**
 * hbgenl_send() - send a request whose answer comes with the events
 * @ctl: the run
 * @g: from hbgenl_attend()
 * @msg: the request; released
 * @what: what cannot be done if it cannot be sent
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after it has reported the error.
 */
int hbgenl_send(struct hbctl *ctl, struct hbgenl *g, struct nl_msg *msg,
		const char *what)
{
	int err = nl_send_auto(g->sock, msg);

	nlmsg_free(msg);
	if (err >= 0)
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_KERNEL, "%s: %s", what, nl_geterror(err));
}

/**
 * hbgenl_close() - end a connection
 * @g: the connection
 */
void hbgenl_close(struct hbgenl *g)
{
	nl_socket_free(g->sock);
	g->sock = NULL;
}

/**
 * hbgenl_events() - take the events that have come
 * @ctl: the run
 * @g: from hbgenl_listen() or hbgenl_attend(); its socket tells by poll() when there is
 *	something
 * @fields: which attribute of an event is what
 * @events: an array; those of one datagram are appended
 *
 * Does not wait. The refusal of a request that was sent is a failure.
 *
 * Return: what it found.
 */
enum hbgenl_heard hbgenl_events(struct hbctl *ctl, struct hbgenl *g,
				const struct hbfield *fields, json_t *events)
{
	struct reply r = { .fields = fields, .rows = events };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!cb)
		abort();
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &r);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, NULL);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &r);
	err = nl_recvmsgs(g->sock, cb);
	nl_cb_put(cb);
	if (r.error) {
		refuse(ctl, &r, "the kernel refuses it");
		return HBGENL_FAILED;
	}
	if (err >= 0)
		return HBGENL_EVENT;
	if (err == -NLE_AGAIN)
		return HBGENL_NONE;
	/* That is what libnl makes of ENOBUFS. */
	if (err == -NLE_NOMEM)
		return HBGENL_LOST;
	hbctl_error(ctl, HBCTL_KERNEL, "the kernel's events cannot be read: %s",
		    nl_geterror(err));
	return HBGENL_FAILED;
}
