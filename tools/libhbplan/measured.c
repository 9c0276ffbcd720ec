// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of what was measured between pairs of nodes: a matrix of one quantity,
 * or a list of pairs with one column for each quantity.
 */
#include <stdlib.h>
#include <string.h>

#include "measured.h"
#include "node.h"
#include "units.h"

/**
 * hbp_measured_init() - begin without tables
 * @rd: the reader
 * @measured: to be released with hbp_measured_release()
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_measured_init(struct hbp_reader *rd, struct hbp_measured *measured)
{
	measured->row = NULL;
	measured->costs = NULL;
	return hbp_labels_init(rd, &measured->labels);
}

/**
 * hbp_measured_release() - end it
 * @measured: what was measured
 */
void hbp_measured_release(struct hbp_measured *measured)
{
	hbp_labels_release(&measured->labels);
	free(measured->row);
	hbp_costs_free(measured->costs);
}

/* Rows in ascending order of id; names where labels are no ids. */
static int name_rows(struct hbp_reader *rd, struct hbp_measured *m,
		     uint32_t *ids)
{
	bool same = hbp_labels_ids(&m->labels, ids);
	const char *label;
	json_t *index;
	size_t i;

	for (i = 0; i < m->costs->n; i++)
		m->costs->nodes[i].id = ids[i];
	hbp_node_sort(m->costs->nodes, m->costs->n, sizeof(*m->costs->nodes));
	json_object_foreach(m->labels.at, label, index) {
		i = (size_t)json_integer_value(index);
		m->row[i] = hbp_costs_find(m->costs, ids[i]);
		if (same)
			continue;
		m->costs->nodes[m->row[i]].name = strdup(label);
		if (!m->costs->nodes[m->row[i]].name)
			return hbp_nomem(rd->err);
	}
	return 0;
}

static int make_costs(struct hbp_reader *rd, struct hbp_measured *m)
{
	size_t n = hbp_labels_count(&m->labels), i;
	uint32_t *ids;
	int ret;

	if (n < 2 || n > HBP_COSTS_NODES_MAX)
		return hbp_json_fault(rd, "a table must tell of 2 to %d nodes, not %zu",
				      HBP_COSTS_NODES_MAX, n);
	m->row = calloc(n, sizeof(*m->row));
	m->costs = hbp_costs_alloc(n);
	ids = calloc(n, sizeof(*ids));
	ret = m->row && m->costs && ids ? name_rows(rd, m, ids) :
					  hbp_nomem(rd->err);
	free(ids);
	if (ret)
		return ret;
	for (i = 0; i < n * n; i++) {
		m->costs->latency_ns[i] = HBP_UNTOLD;
		m->costs->bandwidth_bps[i] = HBP_UNTOLD;
	}
	return 0;
}

/* @from and @to are labels' indices. */
static int put_cell(struct hbp_reader *rd, const struct hbp_table *table,
		    size_t row, size_t column,
		    const struct hbp_quantity *quantity,
		    struct hbp_measured *m, size_t from, size_t to)
{
	size_t cell = m->row[from] * m->costs->n + m->row[to];
	const char *must, *text = hbp_table_cell(table, row, column);
	int64_t value;

	if (from == to)
		return 0;
	must = hbp_quantity_read(quantity, text, &value);
	if (must)
		return hbp_json_fault(rd, "line %zu, field %zu: %s must be %s, not \"%.40s\"",
				      table->lines[row], column + 1,
				      quantity->name, must, text);
	if (quantity->bandwidth)
		m->costs->bandwidth_bps[cell] = value;
	else
		m->costs->latency_ns[cell] = value;
	return 0;
}

/* Is there a word in it; numbers and signs for what is not known are none. */
static bool is_heading(const struct hbp_table *table)
{
	static const struct hbp_quantity any = { "", false, 0, false };
	int64_t value;
	size_t i;

	for (i = 0; i < table->columns; i++)
		if (hbp_quantity_read(&any, hbp_table_cell(table, 0, i), &value))
			return true;
	return false;
}

/* Without a heading, nodes are called 1, 2, ... */
static int read_labels(struct hbp_reader *rd, const struct hbp_table *table,
		       size_t top, size_t left, struct hbp_labels *labels)
{
	size_t i, index, n = table->columns - left;
	char number[24];
	int ret;

	for (i = 0; i < n; i++) {
		snprintf(number, sizeof(number), "%zu", i + 1);
		ret = hbp_labels_add(rd, labels, top ?
				     hbp_table_cell(table, 0, left + i) : number,
				     table->lines[0], &index);
		if (ret)
			return ret;
		if (index != i)
			return hbp_json_fault(rd, "line %zu: two columns are called \"%s\"",
					      table->lines[0],
					      hbp_table_cell(table, 0, left + i));
	}
	for (i = 0; left && i < n; i++)
		if (hbp_labels_find(labels, hbp_table_cell(table, i + 1, 0)) != i)
			return hbp_json_fault(rd,
					      "line %zu must begin with \"%s\", as the columns are called, not \"%.63s\"",
					      table->lines[i + 1],
					      hbp_table_cell(table, 0, i + 1),
					      hbp_table_cell(table, i + 1, 0));
	return 0;
}

static int same_labels(struct hbp_reader *rd, const struct hbp_labels *had,
		       const struct hbp_labels *now)
{
	const char *label;
	json_t *index;

	json_object_foreach(now->at, label, index) {
		if (hbp_labels_find(had, label) !=
		    (size_t)json_integer_value(index))
			return hbp_json_fault(rd,
					      "node \"%s\" must be at the same place as in the first table",
					      label);
	}
	if (hbp_labels_count(had) != hbp_labels_count(now))
		return hbp_json_fault(rd, "there must be %zu nodes as in the first table, not %zu",
				      hbp_labels_count(had),
				      hbp_labels_count(now));
	return 0;
}

static int take_labels(struct hbp_reader *rd, const struct hbp_table *table,
		       size_t top, size_t left, struct hbp_measured *m)
{
	struct hbp_labels labels;
	int ret;

	if (!m->costs) {
		ret = read_labels(rd, table, top, left, &m->labels);
		return ret ? ret : make_costs(rd, m);
	}
	ret = hbp_labels_init(rd, &labels);
	if (ret)
		return ret;
	ret = read_labels(rd, table, top, left, &labels);
	if (!ret)
		ret = same_labels(rd, &m->labels, &labels);
	hbp_labels_release(&labels);
	return ret;
}

/**
 * hbp_measured_matrix() - take a matrix
 * @rd: the reader
 * @table: one row and one column for each node, the row's node sending; with a
 *	heading if one of its fields is a word; then rows may begin with the names
 * @holds: what the numbers are
 * @measured: receives them; a second matrix must be of the same nodes
 *
 * Return: 0 or a negative errno value.
 */
int hbp_measured_matrix(struct hbp_reader *rd, const struct hbp_table *table,
			const struct hbp_quantity *holds,
			struct hbp_measured *measured)
{
	size_t top = is_heading(table), rows = table->rows - top;
	size_t left = top && table->columns == rows + 1;
	size_t n = table->columns - left, i, j;
	int ret;

	if (rows != n)
		return hbp_json_fault(rd,
				      "a matrix must have as many rows as columns, not %zu rows and %zu columns",
				      rows, n);
	if (n > HBP_COSTS_NODES_MAX)
		return hbp_json_fault(rd, "a table must tell of 2 to %d nodes, not %zu",
				      HBP_COSTS_NODES_MAX, n);
	ret = take_labels(rd, table, top, left, measured);
	for (i = 0; !ret && i < n; i++)
		for (j = 0; !ret && j < n; j++)
			ret = put_cell(rd, table, top + i, left + j, holds,
				       measured, i, j);
	return ret;
}

static size_t find_column(const struct hbp_table *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->columns; i++)
		if (!strcmp(hbp_table_cell(table, 0, i), name))
			return i;
	return HBP_NONE;
}

/* Which columns tell what; every other one gets a warning. */
static int read_columns(struct hbp_reader *rd, const struct hbp_table *table,
			const struct hbp_quantity **columns)
{
	const char *told[2] = { NULL, NULL };
	char names[160];
	const char *name;
	size_t i, kind;

	for (i = 0; i < table->columns; i++) {
		name = hbp_table_cell(table, 0, i);
		columns[i] = hbp_quantity_find(name);
		if (!columns[i]) {
			if (strcmp(name, "from") && strcmp(name, "to"))
				hbp_warning(rd->warn,
					    "%s: column \"%.63s\" is not known and is ignored",
					    rd->file, name);
			continue;
		}
		kind = columns[i]->bandwidth;
		if (told[kind])
			return hbp_json_fault(rd, "line %zu: columns %s and %s tell the same",
					      table->lines[0], told[kind], name);
		told[kind] = name;
	}
	if (told[0] || told[1])
		return 0;
	hbp_quantity_names(names, sizeof(names));
	return hbp_json_fault(rd, "line %zu: there must be a column %s",
			      table->lines[0], names);
}

static int read_pair(struct hbp_reader *rd, const struct hbp_table *table,
		     size_t row, const struct hbp_quantity *const *columns,
		     struct hbp_measured *m, bool *seen)
{
	const char *from = hbp_table_cell(table, row, find_column(table, "from"));
	const char *to = hbp_table_cell(table, row, find_column(table, "to"));
	size_t a = hbp_labels_find(&m->labels, from);
	size_t b = hbp_labels_find(&m->labels, to), i;
	int ret = 0;

	if (seen[a * m->costs->n + b])
		return hbp_json_fault(rd, "line %zu: the pair from \"%s\" to \"%s\" is there twice",
				      table->lines[row], from, to);
	seen[a * m->costs->n + b] = true;
	for (i = 0; !ret && i < table->columns; i++)
		if (columns[i])
			ret = put_cell(rd, table, row, i, columns[i], m, a, b);
	return ret;
}

static int read_pairs(struct hbp_reader *rd, const struct hbp_table *table,
		      const struct hbp_quantity *const *columns,
		      struct hbp_measured *m)
{
	size_t ends[2] = { find_column(table, "from"), find_column(table, "to") };
	size_t row, k, index;
	bool *seen;
	int ret = 0;

	for (row = 1; !ret && row < table->rows; row++)
		for (k = 0; !ret && k < 2; k++)
			ret = hbp_labels_add(rd, &m->labels,
					     hbp_table_cell(table, row, ends[k]),
					     table->lines[row], &index);
	if (!ret)
		ret = make_costs(rd, m);
	if (ret)
		return ret;
	seen = calloc(m->costs->n * m->costs->n, sizeof(*seen));
	if (!seen)
		return hbp_nomem(rd->err);
	for (row = 1; !ret && row < table->rows; row++)
		ret = read_pair(rd, table, row, columns, m, seen);
	free(seen);
	return ret;
}

/**
 * hbp_measured_list() - take a list of pairs
 * @rd: the reader
 * @table: its heading has from, to, and what is told of each pair
 * @measured: receives it; nothing was told before
 *
 * Return: 0 or a negative errno value.
 */
int hbp_measured_list(struct hbp_reader *rd, const struct hbp_table *table,
		      struct hbp_measured *measured)
{
	const struct hbp_quantity **columns;
	int ret;

	if (find_column(table, "from") == HBP_NONE ||
	    find_column(table, "to") == HBP_NONE)
		return hbp_json_fault(rd,
				      "line %zu: there must be columns from and to, unless what it holds is said: then it is a matrix",
				      table->lines[0]);
	columns = calloc(table->columns, sizeof(*columns));
	if (!columns)
		return hbp_nomem(rd->err);
	ret = read_columns(rd, table, columns);
	if (!ret)
		ret = read_pairs(rd, table, columns, measured);
	free(columns);
	return ret;
}

/* A pair of which nothing was told has no link. */
static bool finish_cell(const struct hbp_assumed *assumed, int64_t *latency,
			int64_t *bandwidth)
{
	bool told = *latency >= 0 || *bandwidth >= 0;

	if (told && *latency < 0)
		*latency = assumed->latency_ns;
	if (told && *bandwidth < 0)
		*bandwidth = assumed->bandwidth_bps;
	if (*latency >= 0 && *bandwidth >= 0)
		return true;
	*latency = HBP_NEVER;
	*bandwidth = 0;
	return !told;
}

/**
 * hbp_measured_finish() - make a cost matrix of what was told
 * @rd: the reader
 * @assumed: of pairs of which only one of latency and bandwidth was told
 * @measured: at least one table was taken; loses its costs
 * @out: receives the matrix, to be released with hbp_costs_free()
 *
 * Return: 0; -EINVAL if all bandwidths or latencies are missing.
 */
int hbp_measured_finish(struct hbp_reader *rd, const struct hbp_assumed *assumed,
			struct hbp_measured *measured, struct hbp_costs **out)
{
	bool latency = assumed->latency_ns >= 0;
	bool bandwidth = assumed->bandwidth_bps >= 0;
	struct hbp_costs *costs = measured->costs;
	size_t i, half = 0;

	for (i = 0; i < costs->n * costs->n; i++) {
		latency = latency || costs->latency_ns[i] >= 0;
		bandwidth = bandwidth || costs->bandwidth_bps[i] >= 0;
	}
	if (!latency || !bandwidth)
		return hbp_json_fault(rd, "no pair's %s is told: give one for all",
				      latency ? "bandwidth" : "latency");
	for (i = 0; i < costs->n * costs->n; i++)
		half += !finish_cell(assumed, &costs->latency_ns[i],
				     &costs->bandwidth_bps[i]);
	if (half)
		hbp_warning(rd->warn,
			    "%s: %zu pairs have either no latency or no bandwidth and are left without a link",
			    rd->file, half);
	measured->costs = NULL;
	*out = costs;
	return 0;
}
