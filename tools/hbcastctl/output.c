// SPDX-License-Identifier: GPL-2.0-or-later
/* What commands print: JSON or text, errors, tables, progress. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

#define CELL_LEN	256
#define BAR_LEN		30

static size_t json_flags(const struct hbctl *ctl)
{
	return (ctl->pretty ? JSON_INDENT(4) : JSON_COMPACT) |
	       JSON_REAL_PRECISION(12);
}

/**
 * hbout_print() - print what a command has made
 * @ctl: the run
 * @result: an object or an array; the reference is taken over
 * @text: writes it as text when JSON was not asked for
 *
 * One JSON document a line with -j, indented with -p, unless @ctl keeps results for another
 * command. May be called more than once, by commands that follow what goes on; each call is
 * flushed.
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL if it could not be written.
 */
int hbout_print(struct hbctl *ctl, json_t *result, hbout_renderer text)
{
	int ret = HBCTL_OK;

	if (ctl->kept)
		json_array_append(ctl->kept, result);
	if (ctl->json && !ctl->kept) {
		json_dumpf(result, stdout, json_flags(ctl));
		putchar('\n');
	} else if (!ctl->json) {
		text(ctl, result, stdout);
	}
	json_decref(result);
	if (fflush(stdout) || ferror(stdout))
		ret = hbctl_error(ctl, HBCTL_KERNEL,
				  "the result could not be written to standard output: look whether its disk is full or its reader gone");
	return ret;
}

static void say_nothing(struct hbctl *ctl, const json_t *result, FILE *out)
{
	(void)ctl;
	(void)result;
	(void)out;
}

/**
 * hbout_done() - print what a command has changed, if JSON was asked for
 * @ctl: the run
 * @result: an object; the reference is taken over
 *
 * Without -j a change that succeeded says nothing.
 *
 * Return: as hbout_print().
 */
int hbout_done(struct hbctl *ctl, json_t *result)
{
	return hbout_print(ctl, result, say_nothing);
}

/* JSON is UTF-8; words from the command line may be anything. */
static void only_ascii(char *text)
{
	for (; *text; text++) {
		if (*text & 0x80)
			*text = '?';
	}
}

/* Writes all at once: other processes may write to the same place. */
static void complain(struct hbctl *ctl, const char *kind, int exit_code,
		     const char *fmt, va_list ap)
{
	char *text = NULL;
	json_t *obj;

	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	fflush(stdout);
	if (ctl->json) {
		obj = json_pack("{s:s}", kind, text);
		if (!obj) {
			only_ascii(text);
			obj = json_pack("{s:s}", kind, text);
		}
		if (exit_code)
			json_object_set_new(obj, "exit", json_integer(exit_code));
		if (ctl->batch_file) {
			json_object_set_new(obj, "file",
					    json_string(ctl->batch_file));
			json_object_set_new(obj, "line",
					    json_integer(ctl->batch_line));
		}
		free(text);
		text = json_dumps(obj, json_flags(ctl));
		if (!text)
			abort();
		fprintf(stderr, "%s\n", text);
		json_decref(obj);
	} else if (ctl->batch_file) {
		fprintf(stderr, "hbcastctl: %s:%u: %s%s\n", ctl->batch_file,
			ctl->batch_line, exit_code ? "" : "warning: ", text);
	} else {
		fprintf(stderr, "hbcastctl: %s%s\n",
			exit_code ? "" : "warning: ", text);
	}
	free(text);
}

/**
 * hbctl_error() - say in one sentence why a command was refused
 * @ctl: the run
 * @exit_code: HBCTL_USAGE or HBCTL_KERNEL
 * @fmt: what, where, why, how to mend it; no capital, no full stop, no newline
 *
 * Goes to standard error, as {"error":...,"exit":...} with -j.
 *
 * Return: @exit_code.
 */
int hbctl_error(struct hbctl *ctl, int exit_code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(ctl, "error", exit_code, fmt, ap);
	va_end(ap);
	return exit_code;
}

/**
 * hbctl_warning() - say in one sentence what is odd but does not stop a command
 * @ctl: the run
 * @fmt: as for hbctl_error()
 *
 * Goes to standard error, as {"warning":...} with -j.
 */
void hbctl_warning(struct hbctl *ctl, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(ctl, "warning", 0, fmt, ap);
	va_end(ap);
}

/**
 * hbout_plain() - a value as it is: null and missing are "-", booleans yes or no
 * @value: the value, or NULL
 * @buf: gets the text
 * @len: room in @buf
 */
void hbout_plain(const json_t *value, char *buf, size_t len)
{
	if (json_is_string(value))
		snprintf(buf, len, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(buf, len, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
	else if (json_is_real(value))
		snprintf(buf, len, "%.6g", json_real_value(value));
	else if (json_is_boolean(value))
		snprintf(buf, len, "%s", json_is_true(value) ? "yes" : "no");
	else
		snprintf(buf, len, "-");
}

/**
 * hbout_size() - a number of bytes with a binary unit
 * @value: the number, or NULL
 * @buf: gets the text
 * @len: room in @buf
 */
void hbout_size(const json_t *value, char *buf, size_t len)
{
	static const char * const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = json_number_value(value);
	unsigned int u = 0;

	if (!json_is_number(value)) {
		hbout_plain(value, buf, len);
		return;
	}
	for (; v >= 1024 && u < 4; u++)
		v /= 1024;
	snprintf(buf, len, "%.*f %s", u ? 1 : 0, v, units[u]);
}

/**
 * hbout_usec() - a number of microseconds in the unit that suits it
 * @value: the number, or NULL
 * @buf: gets the text
 * @len: room in @buf
 */
void hbout_usec(const json_t *value, char *buf, size_t len)
{
	double v = json_number_value(value);

	if (!json_is_number(value))
		hbout_plain(value, buf, len);
	else if (v < 1000)
		snprintf(buf, len, "%.0f us", v);
	else if (v < 1e6)
		snprintf(buf, len, "%.2f ms", v / 1e3);
	else
		snprintf(buf, len, "%.3f s", v / 1e6);
}

/**
 * hbout_known_usec() - as hbout_usec(), of a time that is 0 while it is not known
 * @value: the number, or NULL
 * @buf: gets the text
 * @len: room in @buf
 */
void hbout_known_usec(const json_t *value, char *buf, size_t len)
{
	hbout_usec(json_number_value(value) > 0 ? value : NULL, buf, len);
}

/**
 * hbout_mbps() - a number of Mbit/s
 * @value: the number, or NULL
 * @buf: gets the text
 * @len: room in @buf
 */
void hbout_mbps(const json_t *value, char *buf, size_t len)
{
	if (json_is_number(value))
		snprintf(buf, len, "%.1f Mbit/s", json_number_value(value));
	else
		hbout_plain(value, buf, len);
}

static void format_cell(const json_t *row, const struct hbout_column *col,
			char *buf)
{
	hbout_formatter format = col->format ? col->format : hbout_plain;

	format(json_object_get(row, col->key), buf, CELL_LEN);
}

/* Characters that a terminal shows, for UTF-8 text. */
static int text_width(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static bool column_is_numeric(const json_t *rows, const char *key)
{
	const json_t *row, *value;
	bool any = false;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		value = json_object_get(row, key);
		if (json_is_number(value))
			any = true;
		else if (value && !json_is_null(value))
			return false;
	}
	return any;
}

static void print_cell(FILE *out, const char *text, int width, bool right,
		       bool last)
{
	int pad = width - text_width(text);

	if (right)
		fprintf(out, "%*s", pad, "");
	fputs(text, out);
	if (!right && !last)
		fprintf(out, "%*s", pad, "");
	fputs(last ? "\n" : "  ", out);
}

/**
 * hbout_table() - write rows with aligned columns under headings
 * @out: where
 * @rows: an array of objects
 * @columns: what of them to show
 */
void hbout_table(FILE *out, const json_t *rows,
		 const struct hbout_column *columns)
{
	const struct hbout_column *c;
	char cell[CELL_LEN];
	const json_t *row;
	int *width;
	bool *right;
	size_t i, n = 0;

	while (columns[n].title)
		n++;
	width = calloc(n, sizeof(*width));
	right = calloc(n, sizeof(*right));
	if (!width || !right)
		abort();
	for (c = columns; c->title; c++) {
		width[c - columns] = text_width(c->title);
		right[c - columns] = column_is_numeric(rows, c->key);
		json_array_foreach((json_t *)rows, i, row) {
			format_cell(row, c, cell);
			if (text_width(cell) > width[c - columns])
				width[c - columns] = text_width(cell);
		}
	}
	for (c = columns; c->title; c++)
		print_cell(out, c->title, width[c - columns],
			   right[c - columns], !c[1].title);
	json_array_foreach((json_t *)rows, i, row) {
		for (c = columns; c->title; c++) {
			format_cell(row, c, cell);
			print_cell(out, cell, width[c - columns],
				   right[c - columns], !c[1].title);
		}
	}
	free(width);
	free(right);
}

static bool wants_progress(const struct hbctl *ctl)
{
	return !ctl->json && isatty(STDERR_FILENO);
}

/**
 * hbout_bar() - a bar and a percentage
 * @part: 0 to 1
 * @buf: gets the text
 * @len: room in @buf
 */
void hbout_bar(double part, char *buf, size_t len)
{
	static const char bar[] = "##############################";
	int n;

	if (part > 1)
		part = 1;
	n = part * BAR_LEN;
	snprintf(buf, len, "[%.*s%*s] %3.0f%%", n, bar, BAR_LEN - n, "",
		 part * 100);
}

/**
 * hbout_progress() - draw or redraw a progress bar
 * @ctl: the run
 * @label: stands before the bar
 * @done: how much is done
 * @total: how much there is to do, in the same unit
 *
 * On standard error, and only if that is a terminal and JSON was not asked
 * for. hbout_progress_end() takes it away.
 */
void hbout_progress(struct hbctl *ctl, const char *label,
		    uint64_t done, uint64_t total)
{
	char bar[BAR_LEN + 16];

	if (!wants_progress(ctl))
		return;
	hbout_bar(total ? (double)done / total : 1, bar, sizeof(bar));
	fprintf(stderr, "\r%s %s\033[K", label, bar);
	fflush(stderr);
}

/**
 * hbout_progress_end() - take the progress bar away
 * @ctl: the run
 */
void hbout_progress_end(struct hbctl *ctl)
{
	if (wants_progress(ctl))
		fputs("\r\033[K", stderr);
}
