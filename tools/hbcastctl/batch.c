// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of commands, one a line, without the leading "hbcastctl". Words are
 * parted by blanks, 'quotes' and "quotes" keep blanks, a backslash at the end
 * continues the line, '#' at a word's beginning starts a comment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "output.h"

#define BATCH_WORDS	4096

/* Reads one line with its continuations; false at the end of the file. */
static bool read_line(FILE *f, char **line, size_t *room, unsigned int *lines)
{
	char *more = NULL;
	size_t more_room = 0;
	ssize_t len, n;

	len = getline(line, room, f);
	if (len < 0)
		return false;
	++*lines;
	while (len >= 2 && !strcmp(*line + len - 2, "\\\n")) {
		n = getline(&more, &more_room, f);
		if (n < 0)
			break;
		++*lines;
		len -= 2;
		if ((size_t)(len + n + 1) > *room) {
			char *bigger = realloc(*line, len + n + 1);

			if (!bigger)
				abort();
			*line = bigger;
			*room = len + n + 1;
		}
		memcpy(*line + len, more, n + 1);
		len += n;
	}
	free(more);
	return true;
}

/* Cuts @line into words in place; returns their number, or -1 if unclosed. */
static int split_words(char *line, char **words, int room)
{
	char *in = line, *out = line;
	int n = 0;

	for (;;) {
		in += strspn(in, " \t\r\n");
		if (!*in || *in == '#' || n == room)
			return n;
		words[n++] = out;
		while (*in && !strchr(" \t\r\n", *in)) {
			if (*in == '"' || *in == '\'') {
				char *end = strchr(in + 1, *in);

				if (!end)
					return -1;
				memmove(out, in + 1, end - in - 1);
				out += end - in - 1;
				in = end + 1;
			} else {
				*out++ = *in++;
			}
		}
		if (*in)
			in++;
		*out++ = '\0';
	}
}

/**
 * hbatch_run() - run the commands of a file
 * @ctl: the run; its batch_file and batch_line are set for error messages
 * @path: the file, "-" for standard input
 * @force: go on after a failed command
 * @run: runs one command
 *
 * Return: the exit code of the first command that failed, else HBCTL_OK.
 */
int hbatch_run(struct hbctl *ctl, const char *path, bool force,
	       int (*run)(struct hbctl *ctl, int argc, char **argv))
{
	bool from_stdin = !strcmp(path, "-");
	static char *words[BATCH_WORDS];
	unsigned int lines = 0;
	char *line = NULL;
	size_t room = 0;
	int ret = HBCTL_OK;
	FILE *f;

	f = from_stdin ? stdin : fopen(path, "r");
	if (!f)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "batch file \"%s\" cannot be opened (%s): name a file that you may read",
				   path, strerror(errno));
	ctl->batch_file = path;
	while (read_line(f, &line, &room, &lines)) {
		int n = split_words(line, words, BATCH_WORDS);
		int one = HBCTL_OK;

		ctl->batch_line = lines;
		if (n < 0)
			one = hbctl_error(ctl, HBCTL_USAGE,
					  "a quote is opened and not closed: close it on the same line");
		else if (n)
			one = run(ctl, n, words);
		if (one && !ret)
			ret = one;
		if (one && !force)
			break;
	}
	free(line);
	if (!from_stdin)
		fclose(f);
	ctl->batch_file = NULL;
	return ret;
}
