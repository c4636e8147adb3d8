/*
 * --format=firefox: the tables that all threads share, column by column.
 *
 * SPDX-License-Identifier: ISC
 */
#include "firefox.h"

#include <inttypes.h>

/* Puts a column, whose cells are numbers; FIREFOX_NULL: null. */
static void
put_column(struct firefox_tables *t, FILE *out, const char *name, size_t n,
           int64_t (*cell)(struct firefox_tables *t, size_t i))
{
	fprintf(out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		const int64_t number = cell(t, i);

		fputs(i > 0 ? "," : "", out);
		if (number == FIREFOX_NULL)
			fputs("null", out);
		else
			fprintf(out, "%" PRId64, number);
	}
	fputs("],", out);
}

/* The same with one value in all rows. */
static void
put_constant(FILE *out, const char *name, size_t n, const char *value)
{
	fprintf(out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s", i > 0 ? "," : "", value);
	fputs("],", out);
}

static int64_t
stack_frame(struct firefox_tables *t, size_t i)
{
	return t->frame[i];
}

static int64_t
stack_prefix(struct firefox_tables *t, size_t i)
{
	return t->caller[i] == i ? FIREFOX_NULL : t->caller[i];
}

static int64_t
frame_function(struct firefox_tables *t, size_t i)
{
	return t->function_of[i];
}

static int64_t
frame_category(struct firefox_tables *t, size_t i)
{
	return firefox_category(t, t->m->stacks->places[i].function);
}

static int64_t
frame_line(struct firefox_tables *t, size_t i)
{
	const struct place *p = &t->m->stacks->places[i];
	const char *file;
	unsigned line;

	return firefox_is_ours(t, p->function) && where_place(t->m, p->pc, p->call, &file, &line)
	           ? (int64_t)line
	           : FIREFOX_NULL;
}

static int64_t
function_name(struct firefox_tables *t, size_t i)
{
	return t->functions[i].name;
}

static int64_t
function_source(struct firefox_tables *t, size_t i)
{
	return t->functions[i].source;
}

static int64_t
function_line(struct firefox_tables *t, size_t i)
{
	return t->functions[i].line;
}

static int64_t
function_resource(struct firefox_tables *t, size_t i)
{
	return t->functions[i].resource;
}

static int64_t
resource_name(struct firefox_tables *t, size_t i)
{
	return t->resources.string[i];
}

static int64_t
source_name(struct firefox_tables *t, size_t i)
{
	return t->sources.string[i];
}

static void
put_length(FILE *out, size_t n, const char *behind)
{
	fprintf(out, "\"length\":%zu}%s", n, behind);
}

static void
put_stacks(struct firefox_tables *t, FILE *out)
{
	fputs("\"stackTable\":{", out);
	put_column(t, out, "frame", t->nnodes, stack_frame);
	put_column(t, out, "prefix", t->nnodes, stack_prefix);
	put_length(out, t->nnodes, ",\n");
}

static void
put_frames(struct firefox_tables *t, FILE *out)
{
	const size_t n = t->m->stacks->nplaces;

	fputs("\"frameTable\":{", out);
	put_constant(out, "address", n, "-1");
	put_constant(out, "inlineDepth", n, "0");
	put_column(t, out, "category", n, frame_category);
	put_constant(out, "subcategory", n, "0");
	put_column(t, out, "func", n, frame_function);
	put_constant(out, "nativeSymbol", n, "null");
	put_constant(out, "innerWindowID", n, "0");
	put_column(t, out, "line", n, frame_line);
	put_constant(out, "column", n, "null");
	put_length(out, n, ",\n");
}

static void
put_functions(struct firefox_tables *t, FILE *out)
{
	const size_t n = t->nfunctions;

	fputs("\"funcTable\":{", out);
	put_column(t, out, "name", n, function_name);
	put_constant(out, "isJS", n, "false");
	put_constant(out, "relevantForJS", n, "false");
	put_column(t, out, "resource", n, function_resource);
	put_column(t, out, "source", n, function_source);
	put_column(t, out, "lineNumber", n, function_line);
	put_constant(out, "columnNumber", n, "null");
	put_length(out, n, ",\n");
}

static void
put_resources(struct firefox_tables *t, FILE *out)
{
	const size_t n = t->resources.names.n;

	fputs("\"resourceTable\":{", out);
	put_constant(out, "lib", n, "null");
	put_column(t, out, "name", n, resource_name);
	put_constant(out, "host", n, "null");
	put_constant(out, "type", n, "1"); /* a library */
	put_length(out, n, ",\n");
}

static void
put_sources(struct firefox_tables *t, FILE *out)
{
	const size_t n = t->sources.names.n;

	fputs("\"sources\":{", out);
	put_constant(out, "uuid", n, "null");
	put_column(t, out, "filename", n, source_name);
	put_length(out, n, ",\n");
}

void
firefox_shared_put(struct firefox_tables *t, FILE *out)
{
	fputs("\"shared\":{", out);
	put_stacks(t, out);
	put_frames(t, out);
	put_functions(t, out);
	put_resources(t, out);
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],"
	      "\"length\":0},\n",
	      out);
	put_sources(t, out);
	fputs("\"stringArray\":[", out);
	for (uint32_t i = 0; i < t->strings.n; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		json_string(out, t->string[i]);
	}
	fputs("]}", out);
}
