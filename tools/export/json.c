/*
 * All of the model as one JSON object; profsup-export(1) describes it.  Numbers are as wide as they
 * come; addresses are strings, because many readers keep numbers as doubles.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

/* Writes whole numbers as such, and shares with all that a double holds of them. */
static void
put_number(FILE *out, const char *key, double number)
{
	if (number > 0)
		fprintf(out, ",\"%s\":%.15g", key, number);
	else
		fprintf(out, ",\"%s\":0", key); /* nearly all of a large program's are 0 */
}

static void
put_line(FILE *out, bool known, const char *file, unsigned line)
{
	if (!known)
		return;
	fputs(",\"file\":", out);
	json_string(out, file);
	fprintf(out, ",\"line\":%u", line);
}

/* Ticks at a source line. */
struct at_line {
	const char *file;
	unsigned line;
	double ticks;
};

static int
compare_lines(const void *a, const void *b)
{
	const struct at_line *x = a, *y = b;
	const int c = strcmp(x->file, y->file);

	return c != 0 ? c : x->line < y->line ? -1 : x->line > y->line;
}

/* Finds the lines of a function's own ticks, each once.  Returns how many there are. */
static size_t
find_lines(const struct model *m, const struct cost *c, struct at_line *lines)
{
	size_t n = 0, merged = 0;

	for (size_t i = c->spot; i < c->spot + c->nspots; i++) {
		struct at_line *l = &lines[n];

		n += where_place(m, m->spots[i].pc, 0, &l->file, &l->line);
		l->ticks = m->spots[i].ticks;
	}
	qsort(lines, n, sizeof(*lines), compare_lines);
	for (size_t i = 1; i < n; i++)
		if (compare_lines(&lines[i], &lines[merged]) == 0)
			lines[merged].ticks += lines[i].ticks;
		else
			lines[++merged] = lines[i];
	return n == 0 ? 0 : merged + 1;
}

static void
put_lines(FILE *out, const struct model *m, const struct cost *c)
{
	struct at_line *lines = memory_array(c->nspots, sizeof(*lines));
	const size_t n = find_lines(m, c, lines);

	for (size_t i = 0; i < n; i++) {
		fputs(i == 0 ? ",\"self_lines\":[{\"file\":" : ",{\"file\":", out);
		json_string(out, lines[i].file);
		fprintf(out, ",\"line\":%u", lines[i].line);
		put_number(out, "ticks", lines[i].ticks);
		fputc('}', out);
	}
	if (n > 0)
		fputc(']', out);
	free(lines);
}

static void
put_function(FILE *out, const struct model *m, uint32_t i)
{
	const struct function *f = &m->symbols->functions[i];
	const struct cost *c = &m->costs[i];
	const uint32_t cycle = m->groups[c->group].cycle;
	const char *file;
	unsigned line;
	const bool known = where_function(m, i, &file, &line);

	fprintf(out, "{\"id\":%u,\"name\":", i);
	json_string(out, f->name);
	fputs(",\"symbol\":", out);
	if (f->no_symbol)
		fputs("null", out);
	else
		json_string(out, f->symbol);
	fprintf(out, ",\"address\":\"0x%jx\",\"size\":%ju", (uintmax_t)f->low,
	        (uintmax_t)(f->high - f->low));
	put_line(out, known, file, line);
	if (f->inlined)
		fputs(",\"inlined\":true", out);
	put_number(out, "self_ticks", c->self);
	if (m->inlines != NULL)
		put_number(out, "body_ticks", c->body);
	if (c->nspots > 0)
		put_lines(out, m, c);
	put_number(out, "total_ticks", c->total);
	fprintf(out, ",\"calls\":%ju,\"calls_by_itself\":%ju", (uintmax_t)c->calls,
	        (uintmax_t)c->by_self);
	if (cycle != 0)
		fprintf(out, ",\"cycle\":%u", cycle);
	fputc('}', out);
}

static void
put_arc(FILE *out, const struct model *m, const struct edge *e)
{
	fprintf(out, "{\"caller\":%u,\"callee\":%u,\"calls\":%ju", e->caller, e->callee,
	        (uintmax_t)e->calls);
	put_number(out, "ticks", e->ticks);
	fputs(",\"sites\":[", out);
	for (size_t i = e->site; i < e->site + e->nsites; i++) {
		const struct site *site = &m->sites[i];
		const char *file;
		unsigned line;
		const bool known = where_place(m, site->from, site->call, &file, &line);

		fprintf(out, "%s{\"address\":\"0x%jx\"", i > e->site ? "," : "",
		        (uintmax_t)site->from);
		put_line(out, known, file, line);
		fprintf(out, ",\"calls\":%ju", (uintmax_t)site->calls);
		if (m->stacks != NULL || m->inlines != NULL)
			put_number(out, "ticks", site->ticks);
		fputc('}', out);
	}
	fputs("]}", out);
}

struct chains {
	FILE *out;
	bool any;
};

static void
put_chain(void *arg, const struct chain *c)
{
	struct chains *w = arg;

	fprintf(w->out, "%s\n{\"frames\":[", w->any ? "," : "");
	w->any = true;
	for (size_t i = 0; i < c->n; i++)
		fprintf(w->out, "%s%u", i > 0 ? "," : "", c->frames[i]);
	fprintf(w->out, "],\"ticks\":%ju}", (uintmax_t)c->ticks);
}

/* Only measured stacks are data. */
static void
put_stacks(FILE *out, const struct model *m)
{
	struct chains w = { .out = out };

	if (m->stacks == NULL)
		return;
	fputs(",\n\"stacks\":[", out);
	chains_walk(m, put_chain, &w);
	fputs("]", out);
}

static void
put_head(FILE *out, const struct model *m)
{
	fputs("{\"format\":\"profsup-export\",\"version\":1,\"program\":", out);
	json_string(out, m->symbols->program);
	fputs(",\"build_id\":", out);
	json_string(out, m->symbols->build_id);
	fputs(",\n\"files\":", out);
	json_files(out, m->files, "");
	fprintf(out, ",\n\"ticks_per_second\":%u,\n\"totals\":{\"calls\":%ju", m->gmon->rate,
	        (uintmax_t)m->calls);
	put_number(out, "ticks", m->ticks);
	put_number(out, "seconds", model_seconds(m, m->ticks));
	put_number(out, "runtime_ticks", m->runtime_ticks);
	fputs("}", out);
}

void
json_write(const struct model *m, FILE *out)
{
	put_head(out, m);
	fputs(",\n\"functions\":[", out);
	for (uint32_t i = 0; i < m->symbols->nfunctions; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		put_function(out, m, i);
	}
	fputs("],\n\"arcs\":[", out);
	for (size_t i = 0; i < m->nedges; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		put_arc(out, m, &m->edges[i]);
	}
	fputs("]", out);
	put_stacks(out, m);
	fputs("}\n", out);
}
