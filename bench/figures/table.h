/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of means: a figure's series as columns. */
#ifndef HBC_SELFTESTS_FIGURES_TABLE_H
#define HBC_SELFTESTS_FIGURES_TABLE_H

#include <stddef.h>

#define TABLE_ROWS	64
#define TABLE_COLUMNS	32

/**
 * struct table - a figure's numbers
 * @name: of the file, without .tsv
 * @title: what is shown
 * @x: what rows are
 * @y: what cells are
 * @bars: are rows names rather than numbers
 * @columns: names of the series; NULL behind the last
 * @n: number of rows
 * @rows: their names
 * @sum: of what each cell was given
 * @count: how many times
 */
struct table {
	const char *name;
	const char *title;
	const char *x;
	const char *y;
	int bars;
	const char *columns[TABLE_COLUMNS];
	size_t n;
	char rows[TABLE_ROWS][24];
	double sum[TABLE_ROWS][TABLE_COLUMNS];
	size_t count[TABLE_ROWS][TABLE_COLUMNS];
};

void table_add(struct table *table, const char *row, const char *column,
	       double value);
void table_add_at(struct table *table, size_t row, const char *column,
		  double value);
void table_write(const struct table *table, const char *dir);

#endif /* HBC_SELFTESTS_FIGURES_TABLE_H */
