/*
 * Annotated source: the lines of a function, with what each has cost.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* AROUND: lines without code that are shown beside those with code. */
enum { MOST_FUNCTIONS = 5, AROUND = 3, BEFORE_TEXT = 44, OWN = 9, CALLS = 13 };

/* The lines of one file. */
struct part {
	const struct line_cost *cost;
	size_t n;
};

static unsigned
before_text(const struct report *r)
{
	return table_before(r, BEFORE_TEXT, 1 + CALLS);
}

static void
put_seconds(const struct report *r, double ticks, int width)
{
	if (ticks > 0)
		fprintf(r->out, " %*.3f", width, model_seconds(r->m, ticks));
	else
		fprintf(r->out, " %*s", width, ".");
}

static void
put_line(const struct report *r, const struct source *source, unsigned line,
         const struct line_cost *c)
{
	static const struct line_cost nothing;
	char number[32];
	const char *shown = source == NULL      ? ""
	                    : line <= source->n ? source->line[line - 1]
	                                        : "(the file ends before)";

	c = c != NULL ? c : &nothing;
	put_seconds(r, c->self, table_own_width(r, OWN));
	put_seconds(r, c->total, OWN);
	table_put_column(r, CALLS, c->calls > 0 ? table_calls(c->calls, number) : ".");
	fprintf(r->out, " %6u", line);
	if (*shown != '\0') {
		char text[NAME_SIZE];

		fprintf(r->out, "  %s", table_text(r, shown, before_text(r), text));
	}
	fputc('\n', r->out);
}

static bool
has_cost(const struct line_cost *c)
{
	return c->self > 0 || c->total > 0 || c->calls > 0;
}

/* Whether a line is to be shown for itself: in other files than the function's own, and without a
 * source file, what has no cost says nothing. */
static bool
is_wanted(const struct line_cost *c, bool own)
{
	return c->line > 0 && (has_cost(c) || (own && c->code));
}

/* Returns where to go on before a line that is wanted.  "..." stands for what is left out. */
static unsigned
go_on(const struct report *r, unsigned done, unsigned wanted)
{
	if (done > 0 && wanted - done - 1 <= 2 * AROUND)
		return done + 1;
	if (done > 0) {
		fprintf(r->out, " %*s %9s", table_own_width(r, OWN), "", "");
		table_put_column(r, CALLS, "");
		fprintf(r->out, " %6s\n", "...");
	}
	return wanted > AROUND ? wanted - AROUND : 1;
}

/* Writes the lines that are wanted, and those around them. */
static void
put_part(const struct report *r, const struct part *p, const struct source *source, bool own)
{
	unsigned done = 0; /* the last line that was written */

	for (size_t i = 0; i < p->n; i++) {
		const struct line_cost *c = &p->cost[i];

		if (!is_wanted(c, own && source != NULL))
			continue;
		if (source != NULL)
			for (unsigned line = go_on(r, done, c->line); line < c->line; line++)
				put_line(r, source, line, NULL);
		put_line(r, source, c->line, c);
		done = c->line;
	}
}

static void
put_file(const struct report *r, const struct part *p, const char *own)
{
	const bool is_own = strcmp(p->cost->file, own) == 0;
	bool any = false;

	for (size_t i = 0; i < p->n && !any; i++)
		any = is_wanted(&p->cost[i], is_own);
	if (!any)
		return;
	fprintf(r->out, "    %s%s\n", p->cost->file, is_own ? "" : " (inlined)");
	put_part(r, p, source_find(r, p->cost->file), is_own);
}

/* Writes the files that the function's code is of; which == 0: its own, 1: the others. */
static void
put_files(const struct report *r, const struct line_costs *c, const char *own, int which)
{
	struct part p;

	for (size_t i = 0; i < c->n; i += p.n) {
		p = (struct part){ &c->cost[i], 1 };
		while (i + p.n < c->n && strcmp(c->cost[i + p.n].file, p.cost->file) == 0)
			p.n++;
		if ((strcmp(p.cost->file, own) != 0) == which)
			put_file(r, &p, own);
	}
}

static void
put_function(const struct report *r, uint32_t f)
{
	const struct model *m = r->m;
	const struct cost *cost = &m->costs[f];
	const uint64_t calls = table_calls_of(r, f);
	struct line_costs c = { 0 };
	char name[NAME_SIZE];
	const char *own;
	unsigned line;

	costs_add(r, &c, f);
	costs_add_code(r, &c, f);
	costs_merge(&c);
	fprintf(r->out, "\n%s: %.1f %%, %.3f s self, %s%.3f s total",
	        table_function(r, f, before_text(r), name), table_percent(cost->self, m->ticks),
	        model_seconds(m, cost->self), m->stacks != NULL ? "" : "~",
	        model_seconds(m, cost->total));
	if (m->calls > 0 && !m->symbols->functions[f].inlined) {
		char number[32];

		fprintf(r->out, ", %s call%s", table_calls(calls, number), calls == 1 ? "" : "s");
	}
	fputc('\n', r->out);
	if (where_function(m, f, &own, &line)) {
		put_files(r, &c, own, 0);
		put_files(r, &c, own, 1);
	} else
		fprintf(r->out, "    no source lines: it was compiled without -g\n");
	free(c.cost);
}

void
annotate_write(const struct report *r, const char *pattern)
{
	const bool measured = r->m->stacks != NULL;
	const size_t most = r->most > 0 ? r->most : MOST_FUNCTIONS;
	/* What threads wait in has no lines. */
	const enum choose_by by = model_what(r->m) == STACKS_CPU ? BY_SELF : BY_TOTAL;
	struct chosen c = choose(r, pattern, by, most);

	choose_need_lines(r, pattern);
	fprintf(r->out, " %*s %9s", table_own_width(r, OWN), table_own_time(r),
	        measured ? "total s" : "~total s");
	table_put_column(r, CALLS, "calls made");
	fprintf(r->out, " %6s  source\n", "line");
	for (size_t i = 0; i < c.n; i++)
		put_function(r, c.functions[i]);
	if (c.left > 0)
		fputc('\n', r->out);
	choose_say_left(r, &c);
	free(c.functions);
}
