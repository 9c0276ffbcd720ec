// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of text, fields separated by commas or tabs (RFC 4180). */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* A table being read; @at is the next character, @line its line. */
struct scan {
	struct hbp_reader *rd;
	struct hbp_table *table;
	char separator;
	char *at;
	size_t line;
	size_t n, room;		/* cells */
	size_t lines_room;
	char ended;		/* what ended the last field: separator, '\n', 0 */
};

/**
 * hbp_table_free() - release a table
 * @table: the table or NULL
 */
void hbp_table_free(struct hbp_table *table)
{
	if (!table)
		return;
	free(table->lines);
	free(table->cells);
	free(table->text);
	free(table);
}

static bool is_blank(const struct scan *scan, char c)
{
	return (c == ' ' || c == '\t' || c == '\r') && c != scan->separator;
}

static void skip_blanks(struct scan *scan)
{
	while (is_blank(scan, *scan->at))
		scan->at++;
}

/* Steps over what ends a field. */
static void step(struct scan *scan)
{
	scan->ended = *scan->at;
	if (scan->ended == '\n')
		scan->line++;
	if (scan->ended)
		scan->at++;
}

/* Two quotation marks within quoted text are one. */
static int quoted_field(struct scan *scan, char **field)
{
	char *to = ++scan->at;
	size_t line = scan->line;
	bool closed = false;

	*field = to;
	for (; *scan->at; scan->at++) {
		closed = *scan->at == '"' && *++scan->at != '"';
		if (closed)
			break;
		scan->line += *scan->at == '\n';
		*to++ = *scan->at;
	}
	if (!closed)
		return hbp_json_fault(scan->rd, "line %zu: a quotation mark is not closed",
				      line);
	skip_blanks(scan);
	if (*scan->at && *scan->at != '\n' && *scan->at != scan->separator)
		return hbp_json_fault(scan->rd,
				      "line %zu: after the second quotation mark the field must end",
				      scan->line);
	step(scan);
	*to = '\0';
	return 0;
}

static int next_field(struct scan *scan, char **field)
{
	char *end;

	skip_blanks(scan);
	if (*scan->at == '"')
		return quoted_field(scan, field);
	*field = scan->at;
	while (*scan->at && *scan->at != '\n' && *scan->at != scan->separator)
		scan->at++;
	end = scan->at;
	step(scan);
	while (end > *field && is_blank(scan, end[-1]))
		end--;
	*end = '\0';
	return 0;
}

static int put_field(struct scan *scan, char *field)
{
	char **more;

	if (scan->n == scan->room) {
		scan->room = scan->room ? 2 * scan->room : 256;
		more = realloc(scan->table->cells, scan->room * sizeof(*more));
		if (!more)
			return hbp_nomem(scan->rd->err);
		scan->table->cells = more;
	}
	scan->table->cells[scan->n++] = field;
	return 0;
}

static int put_line(struct scan *scan, size_t line)
{
	size_t *more;

	if (scan->table->rows == scan->lines_room) {
		scan->lines_room = scan->lines_room ? 2 * scan->lines_room : 64;
		more = realloc(scan->table->lines,
			       scan->lines_room * sizeof(*more));
		if (!more)
			return hbp_nomem(scan->rd->err);
		scan->table->lines = more;
	}
	scan->table->lines[scan->table->rows++] = line;
	return 0;
}

static int read_row(struct scan *scan)
{
	size_t line = scan->line, before = scan->n;
	struct hbp_table *table = scan->table;
	char *field;
	int ret;

	do {
		ret = next_field(scan, &field);
		if (!ret)
			ret = put_field(scan, field);
		if (ret)
			return ret;
	} while (scan->ended == scan->separator);
	if (!table->rows)
		table->columns = scan->n;
	if (scan->n - before != table->columns)
		return hbp_json_fault(scan->rd,
				      "line %zu: there must be %zu fields as in line %zu, not %zu",
				      line, table->columns, table->lines[0],
				      scan->n - before);
	return put_line(scan, line);
}

static int read_rows(struct scan *scan)
{
	int ret = 0;

	/* Some programs mark UTF-8 so. */
	if (!strncmp(scan->at, "\xef\xbb\xbf", 3))
		scan->at += 3;
	while (!ret && *scan->at) {
		skip_blanks(scan);
		if (*scan->at == '\n')
			step(scan);
		else if (*scan->at)
			ret = read_row(scan);
	}
	if (!ret && !scan->table->rows)
		ret = hbp_json_fault(scan->rd, "the table is empty");
	return ret;
}

/**
 * hbp_table_parse() - read a table
 * @rd: the reader
 * @text: not terminated
 * @len: its length in bytes
 * @separator: what stands between fields
 * @out: receives the table, to be released with hbp_table_free()
 *
 * Fields may be quoted; lines in which nothing stands are left out.
 *
 * Return: 0; -EINVAL if it is no table; -ENOMEM.
 */
int hbp_table_parse(struct hbp_reader *rd, const char *text, size_t len,
		    char separator, struct hbp_table **out)
{
	struct scan scan = { .rd = rd, .separator = separator, .line = 1 };
	int ret;

	if (len && memchr(text, '\0', len))
		return hbp_json_fault(rd, "the file must be text, it holds zero bytes");
	scan.table = calloc(1, sizeof(*scan.table));
	if (!scan.table)
		return hbp_nomem(rd->err);
	scan.table->text = malloc(len + 1);
	if (scan.table->text) {
		memcpy(scan.table->text, text, len);
		scan.table->text[len] = '\0';
		scan.at = scan.table->text;
		ret = read_rows(&scan);
	} else {
		ret = hbp_nomem(rd->err);
	}
	if (ret)
		hbp_table_free(scan.table);
	else
		*out = scan.table;
	return ret;
}
