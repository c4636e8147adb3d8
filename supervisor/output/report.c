/*
 * --report: at the end, for each program the functions that used most, over all its processes that
 * the same user started.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "figure.h"
#include "functions.h"
#include "hexadecimal.h"
#include "nameless.h"

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
	unsigned processes, lacking; /* those of them whose calls could not be read */
	bool bare;                   /* it was not linked for us */
};

/* A program that changes with each start must not fill our memory, nor the screen. */
enum { MOST_PROGRAMS = 1024, SHOWN_PROGRAMS = 10, SHOWN_FUNCTIONS = 10 };
/* With call stacks as many functions more, or a few, if they have so many percent with what they
 * called. */
enum { LEAST_CALLERS = 3, LEAST_TOTAL = 1 };

/* "profsup: " stands before each row, and two spaces before a name. */
enum { BEFORE_ROW = 9, BEFORE_NAME = 2, ROW_SIZE = 128 };
/* The widths of columns.  A name should have room on a line of 80. */
enum { SHARE = 6, SELF = 7, LEAST_CALLS = 5, SELF_CALL = 9, TOTAL_CALL = 10 };

static struct program *programs;
static unsigned nprograms;
static bool lost;

static struct program *
find_or_add(const struct proc *proc)
{
	const struct place *place = proc->profile->place;
	struct program *g;

	for (g = programs; g != NULL; g = g->next)
		if (image_same_claim(&g->image, &proc->image.elf.id) && g->uid == place->id.uid &&
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

/* Adds a process that has ended, or with --intervals a part of it before that. */
void
report_add(const struct profsup *ps, const struct proc *proc, bool ended)
{
	struct program *g;

	if (!ps->opt.report)
		return;
	g = find_or_add(proc);
	if (g != NULL)
		g->bare = proc->profile->bare;
	if (g == NULL || merge_add(&g->total, &proc->profile->counts) < 0)
		lost = true;
	else if (ended) {
		g->processes++;
		g->lacking += proc->end.arcs_lost;
	}
}

/* The calls of a function as text: by others, and behind "+" by itself; where there are none, they
 * are not counted. */
enum { CALLS_SIZE = 48 };
static int
print_calls(const struct flat_row *row, char text[CALLS_SIZE])
{
	if (row->calls == 0)
		return snprintf(text, CALLS_SIZE, "-");
	if (row->recursive == 0)
		return snprintf(text, CALLS_SIZE, "%llu", (unsigned long long)row->calls);
	return snprintf(text, CALLS_SIZE, "%llu+%llu", (unsigned long long)row->calls,
	                (unsigned long long)row->recursive);
}

/* Returns how wide the column of calls has to be; 0: none were counted. */
static int
width_of_calls(const struct flat *f)
{
	char calls[CALLS_SIZE];
	bool any = false;
	int most = LEAST_CALLS;

	for (size_t i = 0; i < f->n; i++) {
		const int width = print_calls(&f->row[i], calls);

		any |= f->row[i].calls > 0;
		most = width > most ? width : most;
	}
	return any ? most : 0;
}

/* Appends a column with a space before it. */
static void
add_column(char row[ROW_SIZE], int width, const char *text)
{
	const size_t len = strlen(row);

	snprintf(row + len, ROW_SIZE - len, " %*s", width, text);
}

/* Begins a row with what each function has, and then what it has if calls were counted. */
static void
print_heading(const struct flat *f, int width)
{
	char row[ROW_SIZE];

	snprintf(row, sizeof(row), "%*s", SHARE, f->has_totals ? "self" : "share");
	if (f->has_totals)
		add_column(row, SHARE, "total");
	add_column(row, SELF, "self s");
	if (width > 0) {
		add_column(row, width, "calls");
		add_column(row, SELF_CALL, "self/call");
	}
	if (width > 0 && f->has_totals)
		add_column(row, TOTAL_CALL, "total/call");
	log_asked("%s  function", row);
}

static void
add_percent(char row[ROW_SIZE], double percent)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f%%", percent);
	add_column(row, SHARE, text);
}

static void
print_function(const struct profsup *ps, const struct flat *f, const struct flat_row *of, int width)
{
	const double period = (double)ps->period;
	char row[ROW_SIZE], whole[512], name[512], cost[FIGURE_SIZE], text[CALLS_SIZE];

	snprintf(row, sizeof(row), "%*.1f%%", SHARE - 1, flat_percent(of->ticks, f->ticks));
	if (f->has_totals)
		add_percent(row, flat_percent(of->total, f->ticks));
	snprintf(text, sizeof(text), "%.3f", of->ticks * period / (double)NSEC);
	add_column(row, SELF, text);
	if (width > 0) {
		print_calls(of, text);
		add_column(row, width, text);
		add_column(row, SELF_CALL, figure_per_call(of->ticks * period, of->calls, cost));
	}
	if (width > 0 && f->has_totals)
		add_column(row, TOTAL_CALL, figure_per_call(of->total * period, of->calls, cost));
	log_asked("%s  %s", row,
	          screen_name(flat_name(of, whole, sizeof(whole)),
	                      BEFORE_ROW + (unsigned)strlen(row) + BEFORE_NAME, name,
	                      sizeof(name)));
}

/* Drops what has no time of its own and only leads to main(). */
static void
drop_startup(struct flat *f)
{
	const size_t all = f->n;

	f->n = 0;
	for (size_t i = 0; i < all; i++)
		if (f->row[i].ticks > 0 || !code_is_startup(f->row[i].name))
			f->row[f->n++] = f->row[i];
}

/* Whether a function has time or calls of its own; they come first. */
static bool
has_own(const struct flat *f, const struct flat_row *row)
{
	return !f->has_totals || row->ticks > 0 || row->calls > 0;
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

/* Writes what to do if a large part of the time is in code of one file that has no names, or "";
 * rows are in the order of their time. */
static void
make_hint(const struct program *g, const struct flat *f, char text[NAMELESS_SIZE])
{
	const struct flat_row *row = f->row;
	char id[2 * BUILD_ID_MOST + 1];
	const struct symtab *names;
	const uint8_t *build_id;
	size_t len;

	text[0] = '\0';
	while (row < f->row + f->n && !nameless_is(row->name))
		row++;
	if (row == f->row + f->n || flat_percent(row->ticks, f->ticks) < NAMELESS_LEAST)
		return;
	names = objects_table(&g->image, row->object);
	if (!symtab_is_exported(names) || (row->file != NULL && *row->file != '/'))
		return;
	len = symtab_build_id(names, &build_id);
	hexadecimal(build_id, len, id);
	nameless_hint(row->file == NULL ? g->name : strrchr(row->file, '/') + 1,
	              flat_percent(row->ticks, f->ticks), id, true, text);
}

static void
print_program(const struct profsup *ps, struct program *g)
{
	size_t shown = 0, most;
	struct flat f;
	int width;
	char calls[80], hint[NAMELESS_SIZE];

	if (flat_make(&f, &g->image, &g->total, FLAT_TICKS) < 0) {
		lost = true;
		return;
	}
	make_hint(g, &f, hint);
	if (g->bare)
		snprintf(calls, sizeof(calls), "samples only");
	else
		snprintf(calls, sizeof(calls), "%llu call%s", (unsigned long long)f.calls,
		         f.calls == 1 ? "" : "s");
	if (g->lacking > 0)
		snprintf(calls + strlen(calls), sizeof(calls) - strlen(calls),
		         " without those of %u", g->lacking);
	log_asked("%s: %.3f s of CPU time, %s, %u process%s%s", g->name,
	          f.ticks * (double)ps->period / (double)NSEC, calls, g->processes,
	          g->processes == 1 ? "" : "es", *hint == '\0' ? about_names(f.names) : "");
	if (f.runtime > 0)
		log_asked("%.3f s more were spent in counting calls",
		          f.runtime * (double)ps->period / (double)NSEC);
	if (*hint != '\0')
		log_asked("%s", hint);
	drop_startup(&f);
	width = width_of_calls(&f);
	if (f.n > 0)
		print_heading(&f, width);
	for (; shown < f.n && shown < SHOWN_FUNCTIONS && has_own(&f, &f.row[shown]); shown++)
		print_function(ps, &f, &f.row[shown], width);
	most = shown + (shown > LEAST_CALLERS ? shown : LEAST_CALLERS);
	flat_by_total(&f, shown);
	for (; shown < f.n && shown < most && is_dear(&f, &f.row[shown]); shown++)
		print_function(ps, &f, &f.row[shown], width);
	if (f.n > shown)
		log_asked("%6s and %zu more functions", "", f.n - shown);
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
