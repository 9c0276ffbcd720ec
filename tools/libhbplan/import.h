/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Foreign files: tables, SimGrid platforms, GraphML, GML. */
#ifndef HBPLAN_IMPORT_H
#define HBPLAN_IMPORT_H

#include <stdint.h>

#include "error.h"
#include "input.h"

/**
 * struct hbp_assumed - what is taken for what a file does not tell
 * @latency_ns: of a pair or link; negative for nothing
 * @bandwidth_bps: of a pair or link; negative for nothing
 */
struct hbp_assumed {
	int64_t latency_ns;
	int64_t bandwidth_bps;
};

/**
 * struct hbp_foreign - files to be read
 * @path: the file; its name ends in .json, .csv, .tsv, .xml, .graphml or .gml
 * @holds: if it is a matrix, what its numbers are, such as "rtt_ms"; else NULL
 * @with: a second matrix of the same nodes, or NULL
 * @holding: what the numbers of @with are
 * @assumed: what is taken for what the files do not tell
 */
struct hbp_foreign {
	const char *path;
	const char *holds;
	const char *with;
	const char *holding;
	struct hbp_assumed assumed;
};

int hbp_import(const struct hbp_foreign *foreign, const struct hbp_warn *warn,
	       struct hbp_input **out, struct hbp_error *err);
int hbp_import_text(const char *text, size_t len,
		    const struct hbp_foreign *foreign,
		    const struct hbp_warn *warn, struct hbp_input **out,
		    struct hbp_error *err);

#endif /* HBPLAN_IMPORT_H */
