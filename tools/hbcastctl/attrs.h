/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attribute sets of hbcast's netlink family, as JSON shows them. */
#ifndef HBCASTCTL_ATTRS_H
#define HBCASTCTL_ATTRS_H

#include "field.h"

extern const struct hbfield hbattrs_version[];
extern const struct hbfield hbattrs_node[];
extern const struct hbfield hbattrs_peer[];
extern const struct hbfield hbattrs_group[];
extern const struct hbfield hbattrs_plan[];
extern const struct hbfield hbattrs_commit[];
extern const struct hbfield hbattrs_lane[];
extern const struct hbfield hbattrs_message[];
extern const struct hbfield hbattrs_store[];
extern const struct hbfield hbattrs_event[];
extern const struct hbfield hbattrs_probe[];

/* Names of enum hbcast_state and enum hbcast_reason, ended by NULL. */
extern const char * const hbattrs_states[];
extern const char * const hbattrs_reasons[];

const char *hbattrs_reject_means(const char *reject);

#endif /* HBCASTCTL_ATTRS_H */
