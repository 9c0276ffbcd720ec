// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON files, read with errors that name file, key and reason. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"

#define FILE_MAX_BYTES	((size_t)1 << 30)
#define LINE_WIDTH	78

/**
 * hbp_reader_init() - begin to read a file
 * @rd: the reader
 * @name: what sentences call the file
 * @warn: where warnings go, or NULL
 * @err: receives the reason of a failure
 */
void hbp_reader_init(struct hbp_reader *rd, const char *name,
		     const struct hbp_warn *warn, struct hbp_error *err)
{
	size_t len = strlen(name);

	if (len < sizeof(rd->file))
		memcpy(rd->file, name, len + 1);
	else
		snprintf(rd->file, sizeof(rd->file), "...%s",
			 name + len - (sizeof(rd->file) - 4));
	rd->warn = warn;
	rd->err = err;
}

static int make_from_text(struct hbp_reader *rd, const char *text, size_t len,
			  hbp_json_maker make, void *out)
{
	json_error_t je;
	json_t *root;
	int ret;

	/* Jansson takes what there is no memory for as a fault of the text. */
	errno = 0;
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	if (!root && errno == ENOMEM)
		return hbp_nomem(rd->err);
	if (!root)
		return hbp_fail(rd->err, -EINVAL,
				"%s: line %d, column %d: not JSON: %s", rd->file,
				je.line, je.column, je.text);
	if (json_is_object(root))
		ret = make(rd, root, out);
	else
		ret = hbp_json_fault(rd, "the file must hold one JSON object");
	json_decref(root);
	return ret;
}

/**
 * hbp_json_load_text() - make something from JSON in memory
 * @text: not terminated
 * @len: its length in bytes
 * @name: what sentences call it
 * @warn: where warnings go, or NULL
 * @make: makes it
 * @out: receives it
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_json_load_text(const char *text, size_t len, const char *name,
		       const struct hbp_warn *warn, hbp_json_maker make,
		       void *out, struct hbp_error *err)
{
	struct hbp_reader rd;

	hbp_reader_init(&rd, name, warn, err);
	return make_from_text(&rd, text, len, make, out);
}

static int read_stream(struct hbp_reader *rd, FILE *f, char **text, size_t *len)
{
	size_t size = 0, room = 0, got;
	char *buf = NULL, *more;

	do {
		if (size == room) {
			room = room ? 2 * room : 65536;
			more = room <= FILE_MAX_BYTES ? realloc(buf, room) : NULL;
			if (!more) {
				free(buf);
				return hbp_fail(rd->err, -EFBIG,
						"%s: the file is larger than memory allows or than 1 GiB",
						rd->file);
			}
			buf = more;
		}
		got = fread(buf + size, 1, room - size, f);
		size += got;
	} while (got);
	if (ferror(f)) {
		free(buf);
		return hbp_fail(rd->err, -EIO, "%s: cannot be read: %s", rd->file,
				strerror(errno));
	}
	*text = buf;
	*len = size;
	return 0;
}

/**
 * hbp_reader_text() - the whole of a file
 * @rd: the reader
 * @path: the file
 * @text: receives its text, not terminated, to be released with free()
 * @len: receives its length in bytes
 *
 * Return: 0 or a negative errno value.
 */
int hbp_reader_text(struct hbp_reader *rd, const char *path, char **text,
		    size_t *len)
{
	FILE *f;
	int ret;

	f = fopen(path, "re");
	if (!f) {
		ret = -errno;
		return hbp_fail(rd->err, ret, "%s: cannot be opened: %s",
				rd->file, strerror(-ret));
	}
	ret = read_stream(rd, f, text, len);
	fclose(f);
	return ret;
}

/**
 * hbp_json_load() - make something from a JSON file
 * @path: the file
 * @warn: where warnings go, or NULL
 * @make: makes it
 * @out: receives it
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_json_load(const char *path, const struct hbp_warn *warn,
		  hbp_json_maker make, void *out, struct hbp_error *err)
{
	struct hbp_reader rd;
	char *text = NULL;
	size_t len = 0;
	int ret;

	hbp_reader_init(&rd, path, warn, err);
	ret = hbp_reader_text(&rd, path, &text, &len);
	if (ret)
		return ret;
	ret = make_from_text(&rd, text, len, make, out);
	free(text);
	return ret;
}

/**
 * hbp_json_header() - check what kind of file it is
 * @rd: the reader
 * @root: the file's object
 * @kind: what its key "hbcast" must say
 *
 * Return: 0 or -EINVAL.
 */
int hbp_json_header(struct hbp_reader *rd, const json_t *root, const char *kind)
{
	const json_t *version = json_object_get(root, "version");
	const json_t *hbcast = json_object_get(root, "hbcast");
	char must[32];

	snprintf(must, sizeof(must), "\"%s\"", kind);
	if (!hbp_json_says(hbcast, kind))
		return hbp_json_bad(rd, hbcast, must, "hbcast");
	if (!json_is_integer(version) || json_integer_value(version) != 1)
		return hbp_json_bad(rd, version, "1", "version");
	return 0;
}

/**
 * hbp_json_bare() - read whether bandwidths are of payload alone
 * @rd: the reader
 * @root: the file's object
 * @bare: receives it; false if the file does not tell
 *
 * Return: 0 or -EINVAL.
 */
int hbp_json_bare(struct hbp_reader *rd, const json_t *root, bool *bare)
{
	const json_t *headers = json_object_get(root, "headers");

	*bare = json_is_false(headers);
	return !headers || json_is_boolean(headers) ? 0 :
	       hbp_json_bad(rd, headers, "true or false", "headers");
}

/**
 * hbp_json_unknown() - warn about every key that nobody reads
 * @rd: the reader
 * @object: the object
 * @known: the keys that are read, NULL-terminated
 * @where_fmt: what stands before the key, such as "nodes[3]."
 */
void hbp_json_unknown(struct hbp_reader *rd, json_t *object,
		      const char *const *known, const char *where_fmt, ...)
{
	char where[64];
	const char *key;
	json_t *value;
	va_list ap;
	size_t i;

	json_object_foreach(object, key, value) {
		for (i = 0; known[i] && strcmp(known[i], key); i++)
			;
		if (known[i])
			continue;
		va_start(ap, where_fmt);
		vsnprintf(where, sizeof(where), where_fmt, ap);
		va_end(ap);
		hbp_warning(rd->warn, "%s: %s%.64s is not known and is ignored",
			    rd->file, where, key);
	}
}

/**
 * hbp_json_bad() - refuse a value
 * @rd: the reader
 * @value: the value, or NULL if it is missing
 * @must: what it must be
 * @key_fmt: the key
 *
 * Return: -EINVAL.
 */
int hbp_json_bad(struct hbp_reader *rd, const json_t *value, const char *must,
		 const char *key_fmt, ...)
{
	char key[96], *text;
	va_list ap;

	va_start(ap, key_fmt);
	vsnprintf(key, sizeof(key), key_fmt, ap);
	va_end(ap);
	if (!value)
		return hbp_fail(rd->err, -EINVAL,
				"%s: %s is missing, it must be %s", rd->file,
				key, must);
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
			  JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
	if (!text)
		return hbp_nomem(rd->err);
	if (strlen(text) > 40)
		memcpy(text + 37, "...", 4);
	hbp_fail(rd->err, -EINVAL, "%s: %s must be %s, not %s", rd->file, key,
		 must, text);
	free(text);
	return -EINVAL;
}

/**
 * hbp_json_fault() - refuse a file whose values do not fit together
 * @rd: the reader
 * @fmt: key and reason
 *
 * Return: -EINVAL.
 */
int hbp_json_fault(struct hbp_reader *rd, const char *fmt, ...)
{
	char text[HBP_ERROR_LEN - sizeof(rd->file)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return hbp_fail(rd->err, -EINVAL, "%s: %s", rd->file, text);
}

/**
 * hbp_json_real() - is it a number in a range
 * @value: the value or NULL
 * @min: smallest
 * @max: largest
 * @out: receives the number
 *
 * Return: true if it is.
 */
bool hbp_json_real(const json_t *value, double min, double max, double *out)
{
	double number;

	if (!json_is_number(value))
		return false;
	number = json_number_value(value);
	if (!isfinite(number) || number < min || number > max)
		return false;
	*out = number;
	return true;
}

/**
 * hbp_json_uint() - is it an integer from 0 to a maximum
 * @value: the value or NULL
 * @max: largest, at most INT64_MAX
 * @out: receives the number
 *
 * Return: true if it is.
 */
bool hbp_json_uint(const json_t *value, uint64_t max, uint64_t *out)
{
	json_int_t number;

	if (!json_is_integer(value))
		return false;
	number = json_integer_value(value);
	if (number < 0 || (uint64_t)number > max)
		return false;
	*out = (uint64_t)number;
	return true;
}

/**
 * hbp_json_id() - is it a node id
 * @value: the value or NULL
 * @out: receives the id
 *
 * Return: true if it is.
 */
bool hbp_json_id(const json_t *value, uint32_t *out)
{
	uint64_t id;

	if (!hbp_json_uint(value, UINT32_MAX, &id))
		return false;
	*out = (uint32_t)id;
	return true;
}

/**
 * hbp_json_text() - is it a string fit to be shown in a line
 * @value: the value or NULL
 * @max: longest, in bytes
 *
 * Return: true if it is a string of 1 to @max bytes, no control characters.
 */
bool hbp_json_text(const json_t *value, size_t max)
{
	const char *s;
	size_t len, i;

	if (!json_is_string(value))
		return false;
	s = json_string_value(value);
	len = json_string_length(value);
	if (!len || len > max)
		return false;
	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return false;
	return true;
}

static bool write_value(FILE *f, json_t *value, unsigned int indent);

static bool write_object(FILE *f, json_t *object, unsigned int indent)
{
	const char *key, *comma = "";
	json_t *value;
	bool ok = true;

	fputs("{", f);
	json_object_foreach(object, key, value) {
		/* All keys that are written are plain ASCII names. */
		fprintf(f, "%s\n%*s\"%s\": ", comma, (int)indent + 2, "", key);
		ok = ok && write_value(f, value, indent + 2);
		comma = ",";
	}
	fprintf(f, "\n%*s}", (int)indent, "");
	return ok;
}

static bool write_array(FILE *f, json_t *array, unsigned int indent)
{
	const char *comma = "";
	json_t *value;
	bool ok = true;
	size_t i;

	fputs("[", f);
	json_array_foreach(array, i, value) {
		fprintf(f, "%s\n%*s", comma, (int)indent + 2, "");
		ok = ok && write_value(f, value, indent + 2);
		comma = ",";
	}
	fprintf(f, "\n%*s]", (int)indent, "");
	return ok;
}

static bool is_flat(json_t *value)
{
	const json_t *inner;
	const char *key;
	size_t i;

	json_array_foreach(value, i, inner) {
		if (json_is_array(inner) || json_is_object(inner))
			return false;
	}
	json_object_foreach(value, key, inner) {
		if (json_is_array(inner) || json_is_object(inner))
			return false;
	}
	return true;
}

/* What fits into a line, and what holds no arrays and objects, is one line. */
static bool write_value(FILE *f, json_t *value, unsigned int indent)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	bool ok;

	if (!text)
		return false;
	if (is_flat(value) || strlen(text) + indent <= LINE_WIDTH)
		ok = fputs(text, f) >= 0;
	else if (json_is_object(value))
		ok = write_object(f, value, indent);
	else
		ok = write_array(f, value, indent);
	free(text);
	return ok;
}

/**
 * hbp_json_dump() - JSON as text that people can read
 * @root: the value, released; NULL if there was no memory for it
 *
 * Return: text ending in a newline, to be released with free(); NULL if memory
 * has run out.
 */
char *hbp_json_dump(json_t *root)
{
	char *text = NULL;
	bool ok = false;
	size_t len;
	FILE *f;

	f = root ? open_memstream(&text, &len) : NULL;
	if (f) {
		ok = write_value(f, root, 0);
		fputc('\n', f);
		ok = !fclose(f) && ok;
	}
	json_decref(root);
	if (!ok) {
		free(text);
		return NULL;
	}
	return text;
}

static int write_file(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t got;

	while (left) {
		got = write(fd, text, left);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0) {
			text += got;
			left -= (size_t)got;
		}
	}
	return 0;
}

static int write_to(const char *path, int flags, const char *text)
{
	int fd, ret;

	fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
	if (fd < 0)
		return -errno;
	ret = write_file(fd, text);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int replace_file(const char *text, const char *path)
{
	struct stat st;
	bool there = !stat(path, &st);
	char *real, *temp;
	int ret;

	/* A pipe or a device is written to, not replaced. */
	if (there && !S_ISREG(st.st_mode))
		return write_to(path, 0, text);
	/* A link stays, and so does /dev/stdout: its file is replaced. */
	real = realpath(path, NULL);
	if (asprintf(&temp, "%s.%ld.tmp", real ?: path, (long)getpid()) < 0) {
		free(real);
		return -ENOMEM;
	}
	ret = write_to(temp, O_CREAT | O_EXCL, text);
	/* Who may read and write the old one may the new one. */
	if (!ret && there && chmod(temp, st.st_mode & 0777))
		ret = -errno;
	if (!ret && rename(temp, real ?: path))
		ret = -errno;
	if (ret && ret != -EEXIST)
		unlink(temp);
	free(temp);
	free(real);
	return ret;
}

/**
 * hbp_json_save() - write JSON to a file
 * @root: the value, released; NULL if there was no memory for it
 * @path: the file, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_json_save(json_t *root, const char *path, struct hbp_error *err)
{
	char *text = hbp_json_dump(root);
	int ret;

	if (!text)
		return hbp_nomem(err);
	ret = replace_file(text, path);
	free(text);
	if (ret)
		hbp_fail(err, ret, "%.200s: cannot be written: %s", path,
			 strerror(-ret));
	return ret;
}

/**
 * hbp_json_says() - is it that word
 * @value: the value or NULL
 * @word: the word
 *
 * Return: true if it is a string, and the same.
 */
bool hbp_json_says(const json_t *value, const char *word)
{
	return json_is_string(value) && !strcmp(json_string_value(value), word);
}
