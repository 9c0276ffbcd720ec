// SPDX-License-Identifier: GPL-2.0-or-later
/* Sentences for refusals and warnings. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

/* Text may quote the input: nothing in it may break the line or the terminal. */
static void clean(char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			*text = '?';
	}
}

/**
 * hbp_fail() - say why a call fails
 * @err: receives the sentence
 * @code: negative errno value
 * @fmt: the sentence
 *
 * Return: @code, so that a caller can return it in the same statement.
 */
int hbp_fail(struct hbp_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	clean(err->text);
	return code;
}

/**
 * hbp_nomem() - say that memory has run out
 * @err: receives the sentence
 *
 * Return: -ENOMEM.
 */
int hbp_nomem(struct hbp_error *err)
{
	return hbp_fail(err, -ENOMEM, "out of memory");
}

/**
 * hbp_error_prefix() - put the place in front of a sentence
 * @err: holds the sentence
 * @fmt: the place; ": " is added
 */
void hbp_error_prefix(struct hbp_error *err, const char *fmt, ...)
{
	struct hbp_error inner = *err;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", inner.text);
	clean(err->text);
}

/**
 * hbp_warning() - report something that was ignored
 * @warn: where it goes, or NULL
 * @fmt: the sentence
 */
void hbp_warning(const struct hbp_warn *warn, const char *fmt, ...)
{
	char text[HBP_ERROR_LEN];
	va_list ap;

	if (!warn || !warn->fn)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	clean(text);
	warn->fn(warn->arg, text);
}
