/*
 * One page for a browser: flame graph and tables, with the data in it, as JSON.  The page itself is
 * made of the files in tools/export/html/, which say what it looks like.
 *
 * The data stands in a script element that is not run.  What could end that element, or begin a
 * comment in it, is escaped; the page inserts all names as text.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

struct writer {
	const struct model *m;
	FILE *out;
	uint32_t *ids; /* each function's number in the page */
	struct names names;
	const char **sources; /* files of source lines, by their number in `names` */
	size_t nsources;
	bool any_chain;
	uint32_t frames[MOST_STACK]; /* of the last chain, as written */
	size_t nframes;
};

struct source_line {
	uint32_t file, number;
	double ticks;
};

static const char numbers[] = "\"\\<>&";

static void
put_string(FILE *out, const char *s)
{
	json_string_but(out, s, numbers);
}

static uint32_t
source_number(struct writer *w, const char *file)
{
	const char *kept;
	const uint32_t number = names_number(&w->names, file, &kept);

	if (number == w->nsources) {
		w->sources = memory_grow(w->sources, w->nsources, sizeof(*w->sources));
		w->sources[w->nsources++] = kept;
	}
	return number;
}

static bool
take_line(struct writer *w, bool known, const char *file, unsigned number, struct source_line *line)
{
	if (known)
		*line = (struct source_line){ source_number(w, file), number, line->ticks };
	return known;
}

static bool
find_line(struct writer *w, uint64_t pc, struct source_line *line)
{
	const char *file;
	unsigned number;
	const bool known = where_place(w->m, pc, 0, &file, &number);

	return take_line(w, known, file, number, line);
}

static bool
find_start(struct writer *w, uint32_t function, struct source_line *line)
{
	const char *file;
	unsigned number;
	const bool known = where_function(w->m, function, &file, &number);

	return take_line(w, known, file, number, line);
}

static int
compare_lines(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Writes where the function begins, as file and line, and then each of its lines that has time, as
 * file, line and ticks. */
static void
put_lines(struct writer *w, uint32_t function)
{
	const struct cost *c = &w->m->costs[function];
	struct source_line *lines = memory_array(c->nspots, sizeof(*lines)), start = { 0 };
	size_t n = 0;

	fputs(",[", w->out);
	if (find_start(w, function, &start))
		fprintf(w->out, "%u,%u", start.file, start.number);
	fputs("],[", w->out);
	for (size_t i = c->spot; i < c->spot + c->nspots; i++) {
		lines[n].ticks = w->m->spots[i].ticks;
		n += find_line(w, w->m->spots[i].pc, &lines[n]);
	}
	qsort(lines, n, sizeof(*lines), compare_lines);
	for (size_t i = 0, next; i < n; i = next) {
		double ticks = 0;

		for (next = i; next < n && compare_lines(&lines[i], &lines[next]) == 0; next++)
			ticks += lines[next].ticks;
		fprintf(w->out, "%s%u,%u,%.12g", i > 0 ? "," : "", lines[i].file, lines[i].number,
		        ticks);
	}
	fputc(']', w->out);
	free(lines);
}

static void
put_function(struct writer *w, uint32_t function)
{
	const struct model *m = w->m;
	const struct function *f = &m->symbols->functions[function];
	const struct cost *c = &m->costs[function];

	fputs("\n[", w->out);
	put_string(w->out, f->name);
	fprintf(w->out, ",%.12g,%.12g,%ju,%ju,%u,%d", c->self, c->total, (uintmax_t)c->calls,
	        (uintmax_t)c->by_self, m->groups[c->group].cycle, f->no_symbol);
	put_lines(w, function);
	if (m->inlines != NULL)
		fprintf(w->out, ",%.12g", c->body);
	fputc(']', w->out);
}

/* Only functions that have something to show. */
static void
put_functions(struct writer *w)
{
	const struct model *m = w->m;
	uint32_t n = 0;

	fputs(",\n\"functions\":[", w->out);
	for (uint32_t f = 0; f < m->symbols->nfunctions; f++) {
		if (!model_has(m, f))
			continue;
		w->ids[f] = n++;
		if (n > 1)
			fputc(',', w->out);
		put_function(w, f);
	}
	fputs("],\n\"sources\":[", w->out);
	for (size_t i = 0; i < w->nsources; i++) {
		if (i > 0)
			fputc(',', w->out);
		put_string(w->out, w->sources[i]);
	}
	fputc(']', w->out);
}

/* Four numbers for each. */
static void
put_edges(struct writer *w)
{
	const struct model *m = w->m;

	fputs(",\n\"edges\":[", w->out);
	for (size_t i = 0; i < m->nedges; i++) {
		const struct edge *e = &m->edges[i];

		fprintf(w->out, "%s%u,%u,%ju,%.12g", i > 0 ? "," : "", w->ids[e->caller],
		        w->ids[e->callee], (uintmax_t)e->calls, e->ticks);
	}
	fputc(']', w->out);
}

/* A chain begins as the one before it does: for each, the number of frames that it has from there,
 * its ticks, and the other frames.  Cycle 1 is frame -1. */
static void
put_chain(void *arg, const struct chain *c)
{
	struct writer *w = arg;
	const size_t nfunctions = w->m->symbols->nfunctions;
	size_t kept = 0;

	while (kept < c->n && kept < w->nframes && c->frames[kept] == w->frames[kept])
		kept++;
	fprintf(w->out, "%s[%zu,%ju", w->any_chain ? "," : "", kept, (uintmax_t)c->ticks);
	w->any_chain = true;
	w->nframes = c->n;
	for (size_t i = kept; i < c->n; i++) {
		const uint32_t frame = w->frames[i] = c->frames[i];

		if (frame < nfunctions)
			fprintf(w->out, ",%u", w->ids[frame]);
		else
			fprintf(w->out, ",-%zu", frame - nfunctions);
	}
	fputc(']', w->out);
}

static void
put_head(struct writer *w)
{
	const struct model *m = w->m;

	fputs("{\"profsup\":\"" PROFSUP_VERSION "\",\"program\":", w->out);
	put_string(w->out, m->symbols->program);
	fputs(",\"build_id\":", w->out);
	put_string(w->out, m->symbols->build_id);
	fputs(",\"files\":", w->out);
	json_files(w->out, m->files, numbers);
	fprintf(w->out,
	        ",\"time\":\"%s\",\"date\":%jd,\"rate\":%u,\"measured\":%s,\"ticks\":%.12g,"
	        "\"runtime_ticks\":%.12g,\"calls\":%ju",
	        stacks_type(model_what(m)), (intmax_t)m->gmon->when.tv_sec, m->gmon->rate,
	        m->stacks != NULL ? "true" : "false", m->ticks, m->runtime_ticks,
	        (uintmax_t)m->calls);
}

void
html_write(const struct model *m, FILE *out)
{
	struct writer *w = memory_array(1, sizeof(*w));

	*w = (struct writer){ .m = m, .out = out };
	w->ids = memory_array(m->symbols->nfunctions, sizeof(*w->ids));
	fputs(html_before_data, out);
	put_head(w);
	put_functions(w);
	put_edges(w);
	fputs(",\n\"chains\":[", out);
	chains_walk(m, put_chain, w);
	fputs("]}\n", out);
	fputs(html_after_data, out);
	names_free(&w->names);
	free(w->sources);
	free(w->ids);
	free(w);
}
