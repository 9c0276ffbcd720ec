/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "show" shows, for the objects that have a "show" of their own too. */
#ifndef HBCASTCTL_SHOW_H
#define HBCASTCTL_SHOW_H

#include "cmd.h"
#include "genl.h"
#include "output.h"

/**
 * struct hbshow_noun - a kind of things that the kernel knows
 * @key: its key in what "show all" prints, also the heading there
 * @get: asks the kernel; an exit code
 * @text: renders what @get got
 */
struct hbshow_noun {
	const char *key;
	int (*get)(struct hbctl *ctl, struct hbgenl *g, json_t **out);
	hbout_renderer text;
};

extern const struct hbshow_noun hbshow_peers;
extern const struct hbshow_noun hbshow_groups;
extern const struct hbshow_noun hbshow_plans;
extern const struct hbshow_noun hbshow_lanes;
extern const struct hbshow_noun hbshow_messages;
extern const struct hbshow_noun hbshow_stores;

int hbshow_get(struct hbctl *ctl, const struct hbshow_noun *noun, json_t **out);
void hbshow_filter(json_t *rows, const char *key, uint32_t value);
void hbshow_ids_cell(const json_t *value, char *buf, size_t len);
void hbshow_members(FILE *out, const json_t *rows);

/* Commands; each takes the words after its name. */
int hbshow_node(struct hbctl *ctl, int argc, char **argv);
int hbshow_peer(struct hbctl *ctl, int argc, char **argv);
int hbshow_group(struct hbctl *ctl, int argc, char **argv);
int hbshow_plan(struct hbctl *ctl, int argc, char **argv);
int hbshow_lane(struct hbctl *ctl, int argc, char **argv);
int hbshow_message(struct hbctl *ctl, int argc, char **argv);
int hbshow_store(struct hbctl *ctl, int argc, char **argv);

#endif /* HBCASTCTL_SHOW_H */
