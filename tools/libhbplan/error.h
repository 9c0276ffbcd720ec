/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libhbplan says when it refuses or ignores something. */
#ifndef HBPLAN_ERROR_H
#define HBPLAN_ERROR_H

#define HBP_ERROR_LEN	512

/**
 * struct hbp_error - why a call failed
 * @text: one sentence without a full stop or newline: where, what and why
 *
 * Filled by every function that takes it and returns a negative errno value;
 * untouched when the function succeeds. The library itself prints nothing.
 */
struct hbp_error {
	char text[HBP_ERROR_LEN];
};

/**
 * struct hbp_warn - where warnings go
 * @fn: called with one sentence for every warning, such as an unknown key
 * @arg: handed to @fn
 *
 * A NULL pointer to this structure means that nobody wants the warnings.
 */
struct hbp_warn {
	void (*fn)(void *arg, const char *text);
	void *arg;
};

/* The rest of this header is for the library's own files. */

int hbp_fail(struct hbp_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int hbp_nomem(struct hbp_error *err);
void hbp_error_prefix(struct hbp_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void hbp_warning(const struct hbp_warn *warn, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* HBPLAN_ERROR_H */
