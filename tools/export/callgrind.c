/*
 * Callgrind's format, for KCachegrind, QCachegrind and callgrind_annotate.  All that the gmon file
 * has fits: cost and calls, by source line where the program tells lines.  Below a call stands what
 * the stacks have measured; without stacks, the caller's share of what was called, and below one
 * among functions of a cycle, nothing.
 *
 * Calls that only stacks have seen, of functions that count none, are written as one for each call
 * site: callgrind_annotate takes the cost of no calls for the caller's own.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

struct writer {
	const struct model *m;
	FILE *out;
	struct names files;
	bool *named;            /* functions that have been named */
	struct round ticks, ns; /* rounding of self cost */
	struct round *shares; /* for cost below calls: two for each callee, whose sums are right */
	const char *file;     /* file of the lines that follow */
	const char *own_file; /* that of the function */
};

/* Writes the name in full where it comes first, after that its number only. */
static void
put_file(struct writer *w, const char *key, const char *name)
{
	const uint32_t known = w->files.n, number = names_number(&w->files, name, NULL);

	fprintf(w->out, "%s=(%u)", key, number + 1);
	if (number == known)
		fprintf(w->out, " %s", name);
	fputc('\n', w->out);
}

/* Writes what readers ask for, in their order: the file, then the function. */
static void
put_function(struct writer *w, const char *prefix, uint32_t function, const char *file)
{
	char key[8];

	snprintf(key, sizeof(key), "%s%s", prefix, *prefix != '\0' ? "fi" : "fl");
	put_file(w, key, file);
	fprintf(w->out, "%sfn=(%u)", prefix, function + 1);
	if (!w->named[function])
		fprintf(w->out, " %s", w->m->symbols->functions[function].name);
	w->named[function] = true;
	fputc('\n', w->out);
}

static void
put_cost(struct writer *w, unsigned line, struct round *ticks, struct round *ns, double amount)
{
	fprintf(w->out, "%u %ju", line, (uintmax_t)round_take(ticks, amount));
	fprintf(w->out, " %ju\n", (uintmax_t)round_take(ns, model_seconds(w->m, amount) * 1e9));
}

/* Lines of another file are of what is inlined there. */
static void
move_to(struct writer *w, const char *file)
{
	if (strcmp(w->file, file) != 0)
		put_file(w, strcmp(w->own_file, file) == 0 ? "fe" : "fi", file);
	w->file = file;
}

static void
put_spots(struct writer *w, const struct cost *c)
{
	for (size_t i = c->spot; i < c->spot + c->nspots;) {
		const char *file, *next_file;
		unsigned line, next_line;
		double ticks = 0;

		where_place(w->m, w->m->spots[i].pc, 0, &file, &line);
		do {
			ticks += w->m->spots[i++].ticks;
			if (i < c->spot + c->nspots)
				where_place(w->m, w->m->spots[i].pc, 0, &next_file, &next_line);
		} while (i < c->spot + c->nspots && next_line == line &&
		         strcmp(file, next_file) == 0);
		move_to(w, file);
		put_cost(w, line, &w->ticks, &w->ns, ticks);
	}
}

static void
put_site(struct writer *w, const struct edge *e, const struct site *site, double ticks)
{
	struct round *shares = &w->shares[(size_t)2 * e->callee];
	const char *file, *callee_file;
	unsigned line, callee_line;

	where_place(w->m, site->from, site->call, &file, &line);
	where_function(w->m, e->callee, &callee_file, &callee_line);
	move_to(w, file);
	put_function(w, "c", e->callee, callee_file);
	fprintf(w->out, "calls=%ju %u\n", (uintmax_t)(site->calls > 0 ? site->calls : 1),
	        callee_line);
	put_cost(w, line, &shares[0], &shares[1], ticks);
}

/* Among sites that have counts, one without has no line of its own, so that the edge's number of
 * calls is exact: its ticks go to the first that has. */
static void
put_edge(struct writer *w, const struct edge *e)
{
	double uncounted = 0;

	for (size_t i = e->site; i < e->site + e->nsites; i++)
		uncounted += e->calls > 0 && w->m->sites[i].calls == 0 ? w->m->sites[i].ticks : 0;
	for (size_t i = e->site; i < e->site + e->nsites; i++) {
		const struct site *site = &w->m->sites[i];

		if (e->calls > 0 && site->calls == 0)
			continue;
		put_site(w, e, site, site->ticks + uncounted);
		uncounted = 0;
	}
}

static void
put_body(struct writer *w, uint32_t function)
{
	const struct cost *c = &w->m->costs[function];
	unsigned line;

	if (c->nspots == 0 && c->nedges == 0)
		return;
	where_function(w->m, function, &w->file, &line);
	w->own_file = w->file;
	fputc('\n', w->out);
	put_function(w, "", function, w->file);
	put_spots(w, c);
	for (size_t i = c->edge; i < c->edge + c->nedges; i++)
		put_edge(w, &w->m->edges[i]);
}

static void
put_head(struct writer *w)
{
	fprintf(w->out,
	        "# callgrind format\n"
	        "version: 1\n"
	        "creator: profsup-export " PROFSUP_VERSION "\n"
	        "cmd: %s\n"
	        "desc: Sampled: %u ticks a second of CPU time\n"
	        "desc: %s; cost below a call is %s\n"
	        "positions: line\n"
	        "event: ticks : Ticks of CPU time\n"
	        "event: ns : Nanoseconds of CPU time\n"
	        "events: ticks ns\n",
	        w->m->symbols->program, w->m->gmon->rate,
	        w->m->calls > 0 ? "Calls are exact" : "No calls were counted",
	        w->m->stacks != NULL ? "measured" : "the caller's share by number of calls");
}

void
callgrind_write(const struct model *m, FILE *out)
{
	struct writer w = { .m = m, .out = out };

	w.named = memory_array(m->symbols->nfunctions, sizeof(*w.named));
	w.shares = memory_array(m->symbols->nfunctions, 2 * sizeof(*w.shares));
	put_head(&w);
	fprintf(out, "\nob=(1) %s\n", m->symbols->program);
	for (uint32_t i = 0; i < m->symbols->nfunctions; i++)
		put_body(&w, i);
	fprintf(out, "\ntotals: %ju %ju\n", (uintmax_t)w.ticks.given, (uintmax_t)w.ns.given);
	names_free(&w.files);
	free(w.named);
	free(w.shares);
}
