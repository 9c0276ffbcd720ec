// SPDX-License-Identifier: GPL-2.0-or-later
/* seed DIRECTORY: writes the corpus to start from: each sample, and all in one stream. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include "samples.h"

static FILE *create(const char *directory, const char *name)
{
	char path[4096];
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
		errx(EXIT_FAILURE, "%s: too long", directory);
	file = fopen(path, "wb");
	if (!file)
		err(EXIT_FAILURE, "%s", path);
	return file;
}

static void append(FILE *file, const struct sample *s)
{
	if (fwrite(s->bytes, 1, s->len, file) != s->len)
		err(EXIT_FAILURE, "%s", s->name);
}

static void finish(FILE *file)
{
	if (fclose(file))
		err(EXIT_FAILURE, "the corpus");
}

int main(int argc, char **argv)
{
	FILE *all;
	int i;

	if (argc != 2)
		errx(EXIT_FAILURE, "usage: seed DIRECTORY");
	all = create(argv[1], "stream");
	for (i = 0; i < NR_SAMPLES; i++) {
		FILE *one = create(argv[1], samples[i].name);

		append(one, &samples[i]);
		append(all, &samples[i]);
		finish(one);
	}
	finish(all);
	return EXIT_SUCCESS;
}
