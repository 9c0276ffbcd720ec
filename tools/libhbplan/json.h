/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: JSON files, read with errors that name file, key and reason. */
#ifndef HBPLAN_JSON_H
#define HBPLAN_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "error.h"

struct hbp_certificate;
struct hbp_platform;

/* One file being read. */
struct hbp_reader {
	char file[208];		/* its name in sentences, shortened if need be */
	const struct hbp_warn *warn;
	struct hbp_error *err;
};

/* Makes something from a file's object; @out receives it. */
typedef int (*hbp_json_maker)(struct hbp_reader *rd, json_t *root, void *out);

void hbp_reader_init(struct hbp_reader *rd, const char *name,
		     const struct hbp_warn *warn, struct hbp_error *err);
int hbp_reader_text(struct hbp_reader *rd, const char *path, char **text,
		    size_t *len);
int hbp_json_load(const char *path, const struct hbp_warn *warn,
		  hbp_json_maker make, void *out, struct hbp_error *err);
int hbp_json_load_text(const char *text, size_t len, const char *name,
		       const struct hbp_warn *warn, hbp_json_maker make,
		       void *out, struct hbp_error *err);
int hbp_json_bare(struct hbp_reader *rd, const json_t *root, bool *bare);
int hbp_json_header(struct hbp_reader *rd, const json_t *root,
		    const char *kind);
void hbp_json_unknown(struct hbp_reader *rd, json_t *object,
		      const char *const *known, const char *where_fmt, ...)
	__attribute__((format(printf, 4, 5)));
int hbp_json_bad(struct hbp_reader *rd, const json_t *value, const char *must,
		 const char *key_fmt, ...)
	__attribute__((format(printf, 4, 5)));
int hbp_json_fault(struct hbp_reader *rd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

bool hbp_json_real(const json_t *value, double min, double max, double *out);
bool hbp_json_uint(const json_t *value, uint64_t max, uint64_t *out);
bool hbp_json_id(const json_t *value, uint32_t *out);
bool hbp_json_text(const json_t *value, size_t max);
bool hbp_json_says(const json_t *value, const char *word);

char *hbp_json_dump(json_t *root);
int hbp_json_save(json_t *root, const char *path, struct hbp_error *err);

int hbp_costs_from_json(struct hbp_reader *rd, json_t *root, void *out);
int hbp_hnow_from_json(struct hbp_reader *rd, json_t *root, void *out);
int hbp_platform_from_json(struct hbp_reader *rd, json_t *root, void *out);
int hbp_certificate_from_json(struct hbp_reader *rd, json_t *object,
			      struct hbp_certificate **out);
json_t *hbp_certificate_to_json(const struct hbp_certificate *certificate);
int hbp_platform_read(struct hbp_reader *rd, json_t *root, bool hnow,
		      struct hbp_platform **out);
json_t *hbp_platform_nodes_to_json(const struct hbp_platform *platform);
json_t *hbp_platform_to_json(const struct hbp_platform *platform);

#define HBP_MUST_BE_ID		"an integer from 0 to 4294967295"
#define HBP_MUST_BE_NAME	"1 to 63 characters without control characters"
#define HBP_MUST_BE_LATENCY	"microseconds from 0 to 1000000000"
#define HBP_MUST_BE_BANDWIDTH	"Mbit/s from 0.000001 to 10000000"

#endif /* HBPLAN_JSON_H */
