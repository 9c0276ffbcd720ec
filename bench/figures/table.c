// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of means: a figure's series as columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "table.h"

static size_t find_row(struct table *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->n; i++)
		if (!strcmp(table->rows[i], name))
			return i;
	if (i == TABLE_ROWS || strlen(name) >= sizeof(table->rows[0]))
		die("%s: no room for row %s", table->name, name);
	strcpy(table->rows[table->n++], name);
	return i;
}

static size_t find_column(struct table *table, const char *name)
{
	size_t i;

	for (i = 0; i < TABLE_COLUMNS - 1 && table->columns[i]; i++)
		if (!strcmp(table->columns[i], name))
			return i;
	if (i == TABLE_COLUMNS - 1)
		die("%s: no room for column %s", table->name, name);
	table->columns[i] = name;
	return i;
}

/**
 * table_add() - give a cell one value more
 * @table: where
 * @row: a new one comes behind the others
 * @column: likewise; must stay
 * @value: of which the cell will show the mean
 */
void table_add(struct table *table, const char *row, const char *column,
	       double value)
{
	size_t r = find_row(table, row), c = find_column(table, column);

	table->sum[r][c] += value;
	table->count[r][c]++;
}

/**
 * table_add_at() - likewise, in a row whose name is a number
 * @table: where
 * @row: the number
 * @column: as of table_add()
 * @value: as of table_add()
 */
void table_add_at(struct table *table, size_t row, const char *column,
		  double value)
{
	char name[24];

	snprintf(name, sizeof(name), "%zu", row);
	table_add(table, name, column, value);
}

static void write_row(const struct table *table, size_t r, FILE *f)
{
	size_t c;

	fputs(table->rows[r], f);
	for (c = 0; table->columns[c]; c++)
		if (table->count[r][c])
			fprintf(f, "\t%.4g", table->sum[r][c] /
					     (double)table->count[r][c]);
		else
			fputs("\t-", f);
	fputs("\n", f);
}

/**
 * table_write() - write a table as tab-separated values
 * @table: the table
 * @dir: where NAME.tsv goes
 *
 * Lines with # say what it is; behind them come the names of the columns.
 */
void table_write(const struct table *table, const char *dir)
{
	char *path;
	size_t i;
	FILE *f;

	if (asprintf(&path, "%s/%s.tsv", dir, table->name) < 0)
		die("out of memory");
	f = fopen(path, "w");
	if (!f)
		die("%s: %m", path);
	fprintf(f, "# title\t%s\n# y\t%s\n# form\t%s\n%s", table->title,
		table->y, table->bars ? "bars" : "lines", table->x);
	for (i = 0; table->columns[i]; i++)
		fprintf(f, "\t%s", table->columns[i]);
	fputs("\n", f);
	for (i = 0; i < table->n; i++)
		write_row(table, i, f);
	if (fclose(f))
		die("%s: %m", path);
	free(path);
}
