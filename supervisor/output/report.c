/*
 * --report: at the end, for each program the functions that used most, over all its processes that
 * the same user started.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
	struct program *next;
	struct image_id image;
	uid_t uid;
	gid_t gid;
	char name[16];
	struct counts total;
	unsigned processes;
	bool bare; /* it was not linked for us */
};

/* A program that changes with each start must not fill our memory, nor the screen. */
enum { MOST_PROGRAMS = 1024, SHOWN_PROGRAMS = 10, SHOWN_FUNCTIONS = 10 };
/* With call stacks ten functions more, if they have so many percent with all that they called. */
enum { SHOWN_WITH_CALLERS = 20, LEAST_TOTAL = 1 };

/* Columns before a name: "profsup: " and the figures. */
enum { BEFORE_NAME = 9 + 43, BEFORE_NAME_TOTALS = 9 + 62 };

static struct program *programs;
static unsigned nprograms;
static bool lost;

static struct program *
find_or_add(const struct proc *proc)
{
	const struct place *place = proc->profile->place;
	struct program *g;

	for (g = programs; g != NULL; g = g->next)
		if (image_same(&g->image, &proc->image.elf.id) && g->uid == place->id.uid &&
		    g->gid == place->id.gid && merge_fits(&g->total, &proc->profile->counts))
			return g;
	g = nprograms < MOST_PROGRAMS ? calloc(1, sizeof(*g)) : NULL;
	if (g == NULL)
		return NULL;
	nprograms++;
	g->image = proc->image.elf.id;
	g->uid = place->id.uid;
	g->gid = place->id.gid;
	memcpy(g->name, place->name, sizeof(g->name));
	merge_start(&g->total, &proc->profile->counts);
	g->next = programs;
	programs = g;
	return g;
}

/* Adds a process that has ended. */
void
report_add(const struct profsup *ps, const struct proc *proc)
{
	struct program *g;

	if (!ps->opt.report)
		return;
	g = find_or_add(proc);
	if (g != NULL)
		g->bare = proc->profile->bare;
	if (g == NULL || merge_add(&g->total, &proc->profile->counts) < 0)
		lost = true;
	else
		g->processes++;
}

static void
print_function(const struct profsup *ps, const struct flat *f, const struct flat_row *row)
{
	const double period = (double)ps->period, self = row->ticks * period / (double)NSEC;
	const double share = flat_percent(row->ticks, f->ticks);
	const double total = flat_percent(row->total, f->ticks);
	const unsigned before = f->has_totals ? BEFORE_NAME_TOTALS : BEFORE_NAME;
	char whole[512], name[512], cost[FIGURE_SIZE], cost_total[FIGURE_SIZE];
	const char *shown =
	    screen_name(flat_name(row, whole, sizeof(whole)), before, name, sizeof(name));

	figure_per_call(row->ticks * period, row->calls, cost);
	figure_per_call(row->total * period, row->calls, cost_total);
	if (f->has_totals)
		log_asked("%6.1f%% %6.1f%% %9.3f %13llu %9s %10s  %s", share, total, self,
		          (unsigned long long)row->calls, cost, cost_total, shown);
	else
		log_asked("%6.1f%% %9.3f %13llu %9s  %s", share, self,
		          (unsigned long long)row->calls, cost, shown);
}

/* Whether a function has a part worth showing in what others used on its behalf. */
static bool
is_dear(const struct flat *f, const struct flat_row *row)
{
	return flat_percent(row->total, f->ticks) >= LEAST_TOTAL;
}

static const char *
about_names(const struct symtab *names)
{
	if (names == NULL)
		return "; its symbols could not be read";
	return symtab_is_stripped(names) ? "; its functions have no names, as if stripped" : "";
}

static void
print_program(const struct profsup *ps, struct program *g)
{
	size_t shown = 0;
	struct flat f;
	char calls[40];

	if (flat_make(&f, &g->image, &g->total, FLAT_TICKS) < 0) {
		lost = true;
		return;
	}
	if (g->bare)
		snprintf(calls, sizeof(calls), "samples only");
	else
		snprintf(calls, sizeof(calls), "%llu call%s", (unsigned long long)f.calls,
		         f.calls == 1 ? "" : "s");
	log_asked("%s: %.3f s of CPU time, %s, %u process%s%s", g->name,
	          f.ticks * (double)ps->period / (double)NSEC, calls, g->processes,
	          g->processes == 1 ? "" : "es", about_names(f.names));
	if (f.n > 0 && f.has_totals)
		log_asked("%7s %7s %9s %13s %9s %10s  function", "self", "total", "self s", "calls",
		          "self/call", "total/call");
	else if (f.n > 0)
		log_asked("%7s %9s %13s %9s  function", "share", "self s", "calls", "self/call");
	for (; shown < f.n && shown < SHOWN_FUNCTIONS; shown++)
		print_function(ps, &f, &f.row[shown]);
	flat_by_total(&f, shown);
	for (; shown < f.n && shown < SHOWN_WITH_CALLERS && is_dear(&f, &f.row[shown]); shown++)
		print_function(ps, &f, &f.row[shown]);
	if (f.n > shown)
		log_asked("%7s and %zu more functions", "", f.n - shown);
	flat_free(&f);
}

static struct program *
most_used(void)
{
	struct program *most = NULL;

	for (struct program *g = programs; g != NULL; g = g->next)
		if (g->processes != 0 &&
		    (most == NULL || counts_ticks(&g->total) >= counts_ticks(&most->total)))
			most = g;
	return most;
}

/* Prints. */
void
report_print(const struct profsup *ps)
{
	struct program *g;
	unsigned left = 0;

	if (!ps->opt.report)
		return;
	objects_wait();
	for (unsigned n = 0; n < SHOWN_PROGRAMS && (g = most_used()) != NULL; n++) {
		print_program(ps, g);
		g->processes = 0;
	}
	for (g = programs; g != NULL; g = g->next)
		left += g->processes != 0;
	if (left != 0)
		log_asked("and %u more programs", left);
	if (lost)
		log_error("--report: incomplete: out of memory");
}
