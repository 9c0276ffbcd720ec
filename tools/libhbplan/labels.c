// SPDX-License-Identifier: GPL-2.0-or-later
/* What foreign files call nodes, and the ids that these get. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "labels.h"
#include "node.h"

/**
 * hbp_labels_init() - begin with no labels
 * @rd: the reader
 * @labels: to be released with hbp_labels_release()
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_labels_init(struct hbp_reader *rd, struct hbp_labels *labels)
{
	labels->at = json_object();
	return labels->at ? 0 : hbp_nomem(rd->err);
}

/**
 * hbp_labels_release() - end it
 * @labels: the labels
 */
void hbp_labels_release(struct hbp_labels *labels)
{
	json_decref(labels->at);
}

/**
 * hbp_labels_count() - how many there are
 * @labels: the labels
 *
 * Return: how many.
 */
size_t hbp_labels_count(const struct hbp_labels *labels)
{
	return json_object_size(labels->at);
}

/**
 * hbp_labels_find() - index of a label
 * @labels: the labels
 * @label: the label
 *
 * Return: how many came before it, or HBP_NONE.
 */
size_t hbp_labels_find(const struct hbp_labels *labels, const char *label)
{
	const json_t *index = json_object_get(labels->at, label);

	return index ? (size_t)json_integer_value(index) : HBP_NONE;
}

/**
 * hbp_labels_add() - index of a label, which may be new
 * @rd: the reader
 * @labels: the labels
 * @label: the label
 * @line: where it stands
 * @index: receives its index; it is new if it is the last
 *
 * Return: 0; -EINVAL if it cannot be a node's name; -ENOMEM.
 */
int hbp_labels_add(struct hbp_reader *rd, struct hbp_labels *labels,
		   const char *label, size_t line, size_t *index)
{
	json_t *text;
	bool good;

	*index = hbp_labels_find(labels, label);
	if (*index != HBP_NONE)
		return 0;
	/* Not only without memory: it may be no UTF-8. */
	errno = 0;
	text = json_string(label);
	if (!text && errno == ENOMEM)
		return hbp_nomem(rd->err);
	good = hbp_json_text(text, 63);
	json_decref(text);
	if (!good)
		return hbp_json_fault(rd, "line %zu: the name of a node must be "
				      HBP_MUST_BE_NAME, line);
	*index = json_object_size(labels->at);
	if (json_object_set_new(labels->at, label,
				json_integer((json_int_t)*index)))
		return hbp_nomem(rd->err);
	return 0;
}

static bool read_id(const char *label, uint32_t *id)
{
	size_t digits = strspn(label, "0123456789");
	unsigned long long number;

	if (!digits || digits > 10 || label[digits] || *label == '0')
		return false;
	number = strtoull(label, NULL, 10);
	*id = (uint32_t)number;
	return number <= HBP_LABEL_ID_MAX;
}

/**
 * hbp_labels_ids() - the ids of the nodes
 * @labels: the labels
 * @ids: receives as many as there are labels, in their order
 *
 * Return: true if the labels are integers from 1 to HBP_LABEL_ID_MAX and so are
 * the ids themselves; false if at least one is not, then the ids are 1, 2, ...
 */
bool hbp_labels_ids(const struct hbp_labels *labels, uint32_t *ids)
{
	const char *label;
	json_t *index;
	size_t i = 0, n = hbp_labels_count(labels);

	json_object_foreach(labels->at, label, index)
		i += read_id(label, &ids[json_integer_value(index)]);
	if (i == n)
		return true;
	for (i = 0; i < n; i++)
		ids[i] = (uint32_t)i + 1;
	return false;
}
