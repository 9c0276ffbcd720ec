/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: tables of text, fields separated by commas or tabs. */
#ifndef HBPLAN_TABLE_H
#define HBPLAN_TABLE_H

#include <stddef.h>

#include "json.h"

/**
 * struct hbp_table - rows of equally many fields
 * @rows: how many, at least one
 * @columns: how many fields a row has
 * @lines: where each row begins, counted from 1
 * @cells: text without quotation marks and blanks around it,
 *	[row * @columns + column]
 * @text: what @cells point into
 */
struct hbp_table {
	size_t rows;
	size_t columns;
	size_t *lines;
	char **cells;
	char *text;
};

int hbp_table_parse(struct hbp_reader *rd, const char *text, size_t len,
		    char separator, struct hbp_table **out);
void hbp_table_free(struct hbp_table *table);

static inline const char *hbp_table_cell(const struct hbp_table *table,
					 size_t row, size_t column)
{
	return table->cells[row * table->columns + column];
}

#endif /* HBPLAN_TABLE_H */
