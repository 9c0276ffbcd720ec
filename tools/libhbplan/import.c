// SPDX-License-Identifier: GPL-2.0-or-later
/* Foreign files: tables, SimGrid platforms, GraphML, GML. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "import.h"
#include "measured.h"
#include "route.h"

/* What the ending of a file's name tells. */
enum format {
	FORMAT_UNKNOWN,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_TSV,
	FORMAT_XML,
	FORMAT_GML,
};

static enum format find_format(const char *path)
{
	static const struct {
		const char *ending;
		enum format format;
	} endings[] = {
		{ ".json", FORMAT_JSON }, { ".csv", FORMAT_CSV },
		{ ".tsv", FORMAT_TSV }, { ".xml", FORMAT_XML },
		{ ".graphml", FORMAT_XML }, { ".gml", FORMAT_GML },
	};
	const char *dot = strrchr(path, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(dot, endings[i].ending))
			return endings[i].format;
	return FORMAT_UNKNOWN;
}

static bool is_table(const char *path)
{
	enum format format = find_format(path);

	return format == FORMAT_CSV || format == FORMAT_TSV;
}

static int find_quantity(struct hbp_reader *rd, const char *name,
			 const struct hbp_quantity **quantity)
{
	char names[160];

	*quantity = hbp_quantity_find(name);
	if (*quantity)
		return 0;
	hbp_quantity_names(names, sizeof(names));
	return hbp_json_fault(rd, "what it holds must be %s, not \"%.40s\"",
			      names, name);
}

/* A matrix if it is said what it holds. */
static int take_table(struct hbp_reader *rd, const char *path, const char *text,
		      size_t len, const char *holds, struct hbp_measured *m)
{
	const struct hbp_quantity *quantity = NULL;
	struct hbp_table *table;
	int ret = 0;

	if (holds)
		ret = find_quantity(rd, holds, &quantity);
	if (!ret)
		ret = hbp_table_parse(rd, text, len,
				      find_format(path) == FORMAT_CSV ? ',' :
				      '\t', &table);
	if (ret)
		return ret;
	ret = quantity ? hbp_measured_matrix(rd, table, quantity, m) :
			 hbp_measured_list(rd, table, m);
	hbp_table_free(table);
	return ret;
}

static int take_second(const struct hbp_foreign *foreign,
		       const struct hbp_warn *warn, struct hbp_measured *m,
		       struct hbp_error *err)
{
	struct hbp_reader rd;
	char *text = NULL;
	size_t len = 0;
	int ret;

	hbp_reader_init(&rd, foreign->with, warn, err);
	if (!is_table(foreign->with))
		return hbp_json_fault(&rd,
				      "its name must end in .csv or .tsv, as a matrix of the same nodes");
	ret = hbp_reader_text(&rd, foreign->with, &text, &len);
	if (!ret)
		ret = take_table(&rd, foreign->with, text, len, foreign->holding,
				 m);
	free(text);
	return ret;
}

static int import_tables(struct hbp_reader *rd, const char *text, size_t len,
			 const struct hbp_foreign *foreign,
			 struct hbp_costs **costs)
{
	struct hbp_measured m;
	int ret;

	ret = hbp_measured_init(rd, &m);
	if (ret)
		return ret;
	ret = take_table(rd, foreign->path, text, len, foreign->holds, &m);
	if (!ret && foreign->with)
		ret = take_second(foreign, rd->warn, &m, rd->err);
	if (!ret)
		ret = hbp_measured_finish(rd, &foreign->assumed, &m, costs);
	hbp_measured_release(&m);
	return ret;
}

static int import_graph(struct hbp_reader *rd, const char *text, size_t len,
			const struct hbp_foreign *foreign,
			struct hbp_costs **costs, struct hbp_platform **platform)
{
	struct hbp_graph graph;
	bool shared = false;
	int ret;

	ret = hbp_graph_init(rd, &graph);
	if (ret)
		return ret;
	if (find_format(foreign->path) == FORMAT_GML)
		ret = hbp_graph_from_gml(rd, text, len, &graph);
	else
		ret = hbp_graph_from_xml(rd, text, len, &graph, &shared);
	if (!ret)
		ret = hbp_graph_platform(rd, &graph, &foreign->assumed, platform);
	hbp_graph_release(&graph);
	if (ret || !shared)
		return ret;
	ret = hbp_costs_from_platform(*platform, costs, rd->err);
	hbp_platform_free(*platform);
	*platform = NULL;
	return ret;
}

/**
 * hbp_import_text() - read a foreign file from memory
 * @text: not terminated
 * @len: its length in bytes
 * @foreign: what is known about it; a second file is read from disk
 * @warn: where warnings go, or NULL
 * @out: receives a cost matrix or a platform, whichever the file tells of, to be
 *	released with hbp_input_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_import_text(const char *text, size_t len,
		    const struct hbp_foreign *foreign,
		    const struct hbp_warn *warn, struct hbp_input **out,
		    struct hbp_error *err)
{
	struct hbp_platform *platform = NULL;
	struct hbp_costs *costs = NULL;
	struct hbp_reader rd;
	int ret;

	hbp_reader_init(&rd, foreign->path, warn, err);
	if ((foreign->holds || foreign->with) && !is_table(foreign->path))
		return hbp_json_fault(&rd,
				      "only a matrix, whose name ends in .csv or .tsv, holds one quantity");
	if (foreign->with && !foreign->holds)
		return hbp_json_fault(&rd,
				      "what it holds must be said if there is a second matrix");
	switch (find_format(foreign->path)) {
	case FORMAT_JSON:
		return hbp_input_parse(text, len, foreign->path, warn, out, err);
	case FORMAT_CSV:
	case FORMAT_TSV:
		ret = import_tables(&rd, text, len, foreign, &costs);
		break;
	case FORMAT_XML:
	case FORMAT_GML:
		ret = import_graph(&rd, text, len, foreign, &costs, &platform);
		break;
	default:
		return hbp_json_fault(&rd,
				      "the name must end in .json, .csv, .tsv, .xml, .graphml or .gml, as what it holds");
	}
	return ret ? ret : hbp_input_make(foreign->path, costs, platform, out, err);
}

/**
 * hbp_import() - read a foreign file
 * @foreign: the file, and what is known about it
 * @warn: where warnings go, or NULL
 * @out: receives a cost matrix or a platform, whichever the file tells of, to be
 *	released with hbp_input_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_import(const struct hbp_foreign *foreign, const struct hbp_warn *warn,
	       struct hbp_input **out, struct hbp_error *err)
{
	struct hbp_reader rd;
	char *text = NULL;
	size_t len = 0;
	int ret;

	hbp_reader_init(&rd, foreign->path, warn, err);
	ret = hbp_reader_text(&rd, foreign->path, &text, &len);
	if (!ret)
		ret = hbp_import_text(text, len, foreign, warn, out, err);
	free(text);
	return ret;
}
