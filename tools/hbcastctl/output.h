/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands print: JSON or text, errors, tables, progress. */
#ifndef HBCASTCTL_OUTPUT_H
#define HBCASTCTL_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "cmd.h"

/**
 * typedef hbout_renderer - writes a result as text
 * @ctl: the run
 * @result: what the command made; borrowed
 * @out: where the text goes
 */
typedef void (*hbout_renderer)(struct hbctl *ctl, const json_t *result,
			       FILE *out);

int hbout_print(struct hbctl *ctl, json_t *result, hbout_renderer text);
int hbout_done(struct hbctl *ctl, json_t *result);

__attribute__((format(printf, 3, 4)))
int hbctl_error(struct hbctl *ctl, int exit_code, const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
void hbctl_warning(struct hbctl *ctl, const char *fmt, ...);

/**
 * typedef hbout_formatter - writes one cell of a table
 * @value: a member of the row's object; NULL if the row has no such member
 * @buf: gets the text, terminated
 * @len: room in @buf
 */
typedef void (*hbout_formatter)(const json_t *value, char *buf, size_t len);

/**
 * struct hbout_column - one column of a table
 * @title: its heading
 * @key: the member of each row's object that it shows
 * @format: how; NULL for hbout_plain()
 *
 * A column whose values are all numbers is aligned right. Tables of columns
 * end with an entry whose @title is NULL.
 */
struct hbout_column {
	const char *title;
	const char *key;
	hbout_formatter format;
};

void hbout_table(FILE *out, const json_t *rows,
		 const struct hbout_column *columns);

void hbout_plain(const json_t *value, char *buf, size_t len);
void hbout_size(const json_t *value, char *buf, size_t len);	/* bytes */
void hbout_usec(const json_t *value, char *buf, size_t len);	/* microseconds */
void hbout_known_usec(const json_t *value, char *buf, size_t len);	/* 0 is none */
void hbout_mbps(const json_t *value, char *buf, size_t len);	/* Mbit/s */

void hbout_bar(double part, char *buf, size_t len);
void hbout_progress(struct hbctl *ctl, const char *label,
		    uint64_t done, uint64_t total);
void hbout_progress_end(struct hbctl *ctl);

#endif /* HBCASTCTL_OUTPUT_H */
