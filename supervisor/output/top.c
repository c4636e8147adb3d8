/*
 * --top: the functions that run now, of the processes that use most, once a second.  It shows what
 * the samples have brought anyhow: no thread is stopped for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "functions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFRESH_NS NSEC
/* Views take no more than 1 / SHARE of our time. */
enum { SHARE = 50 };
/* Limits of a view as lines for a file, and on a terminal. */
enum { PLAIN_PROCESSES = 8, PLAIN_FUNCTIONS = 5, LEAST_FUNCTIONS = 3, MOST_SHOWN = 8 };
/* Columns before a name in such a line, or more. */
enum { PLAIN_BEFORE_NAME = 80 };

struct busy {
	struct proc *proc;
	uint64_t fresh; /* ticks since the last view */
};

static uint64_t began, last, next;
static uint64_t ended; /* ticks since the last view of processes that have ended */

static bool
is_busier(const struct busy *a, const struct busy *b)
{
	if (a->fresh != b->fresh)
		return a->fresh > b->fresh;
	return counts_ticks(&a->proc->profile->counts) > counts_ticks(&b->proc->profile->counts);
}

/* Lists the busiest processes first; returns how many there are in all. */
static unsigned
find_busy(const struct profsup *ps, struct busy *busy, unsigned most, uint64_t *fresh)
{
	unsigned all = 0, n = 0;

	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next) {
		struct profile *p = proc->profile;
		struct busy b = { proc, 0 };
		unsigned i;

		if (p == NULL || proc->end.done || p->fileless)
			continue;
		all++;
		b.fresh = counts_ticks(&p->counts) - p->viewed;
		p->viewed += b.fresh;
		*fresh += b.fresh;
		for (i = n; i > 0 && is_busier(&b, &busy[i - 1]); i--)
			if (i < most)
				busy[i] = busy[i - 1];
		if (i < most)
			busy[i] = b;
		n += n < most;
	}
	return all;
}

static double
seconds_of(const struct profsup *ps, double ticks)
{
	return ticks * (double)ps->period / (double)NSEC;
}

struct view {
	const struct profsup *ps;
	struct screen_line *line;
	unsigned n, room;   /* room is 0 without a terminal: each line is printed */
	unsigned functions; /* functions to show of each process */
	bool calls;         /* of one process at least they are counted */
	double took;        /* seconds since the last view */
	double at;          /* seconds since the first view */
};

__attribute__((format(printf, 2, 3))) static void
put(struct view *v, const char *fmt, ...)
{
	char text[sizeof(v->line->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text[symname_cut(text, strlen(text))] = '\0';
	symname_clean(text);
	if (v->room == 0)
		log_asked("%s", text);
	else if (v->n < v->room)
		memcpy(v->line[v->n++].text, text, sizeof(text));
}

/* Calls are not counted in a program that was not linked for us.  Where there are only such, calls
 * have no column. */
static void
put_calls(const struct view *v, const struct profile *p, uint64_t n, char *text, size_t size)
{
	char number[24] = "-";

	if (!p->bare)
		snprintf(number, sizeof(number), "%llu", (unsigned long long)n);
	text[0] = '\0';
	if (v->room == 0 && p->bare)
		snprintf(text, size, "samples only");
	else if (v->room == 0)
		snprintf(text, size, "%s calls", number);
	else if (v->calls)
		snprintf(text, size, " %14s", number);
}

static void
put_function(struct view *v, const struct proc *proc, const struct flat *f,
             const struct flat_row *row)
{
	const double now = flat_percent(row->fresh, f->fresh);
	const double whole = flat_percent(row->ticks, f->ticks);
	const double self = seconds_of(v->ps, row->ticks);
	char total[32] = "", calls[32], text[512];
	const char *shown = flat_name(row, text, sizeof(text));

	if (f->has_totals)
		snprintf(total, sizeof(total), v->room == 0 ? ", %.1f%% with callees" : "%6.1f%% ",
		         flat_percent(row->total, f->ticks));
	else if (v->ps->opt.call_graph && v->room != 0)
		snprintf(total, sizeof(total), "%7s ", "-");
	put_calls(v, proc->profile, row->calls, calls, sizeof(calls));
	if (v->room == 0) {
		char name[512];

		put(v, "%.1f s: %s %d: %.1f%% now, %.1f%% of all%s, %.3f s, %s: %s", v->at,
		    proc->profile->place->name, proc->pid, now, whole, total, self, calls,
		    screen_name(shown, PLAIN_BEFORE_NAME, name, sizeof(name)));
	} else {
		put(v, "%6.1f%% %6.1f%% %s%10.3f%s  %s", now, whole, total, self, calls, shown);
	}
}

static double
percent_of_cpu(const struct view *v, uint64_t fresh)
{
	return 100 * seconds_of(v->ps, (double)fresh) / v->took;
}

/* An idle process is shown on a terminal only, where it was shown before. */
static void
put_process(struct view *v, const struct busy *b)
{
	struct proc *proc = b->proc;
	struct profile *p = proc->profile;
	struct flat f;

	if (v->room == 0 && b->fresh == 0)
		return;
	if (flat_make(&f, &proc->image.elf.id, &p->counts, FLAT_FRESH) < 0)
		return;
	if (v->room != 0)
		put(v, "%s %d: %.0f%% of a CPU, %.2f s", p->place->name, proc->pid,
		    percent_of_cpu(v, b->fresh),
		    seconds_of(v->ps, (double)counts_ticks(&p->counts)));
	for (size_t i = 0; i < f.n && i < v->functions; i++)
		if (v->room != 0 || f.row[i].fresh > 0)
			put_function(v, proc, &f, &f.row[i]);
	flat_free(&f);
}

static void
put_head(struct view *v, unsigned processes, uint64_t fresh)
{
	char gone[64] = "";

	if (v->room == 0 && ended != 0)
		put(v, "%.1f s: processes that have ended since: %.0f%% of a CPU", v->at,
		    percent_of_cpu(v, ended));
	if (v->room == 0)
		return;
	if (ended != 0)
		snprintf(gone, sizeof(gone), " and %.0f%% by some that have ended",
		         percent_of_cpu(v, ended));
	put(v, "profsup: %u process%s, %.0f%% of a CPU%s, %u Hz, %.0f s", processes,
	    processes == 1 ? "" : "es", percent_of_cpu(v, fresh), gone, v->ps->opt.hz, v->at);
	put(v, "%7s %7s %s%10s%s  function", "now", "all", v->ps->opt.call_graph ? "  total " : "",
	    "self s", v->calls ? "          calls" : "");
}

static void
make_view(struct view *v)
{
	const unsigned fits =
	    v->room == 0 ? PLAIN_PROCESSES : (v->room - 2) / (1 + LEAST_FUNCTIONS);
	const unsigned most = fits < MOST_SHOWN ? fits : MOST_SHOWN;
	struct busy busy[MOST_SHOWN];
	uint64_t fresh = 0;
	unsigned all = find_busy(v->ps, busy, most, &fresh), shown = all < most ? all : most;

	v->functions = v->room == 0 || shown == 0 ? PLAIN_FUNCTIONS : (v->room - 2) / shown - 1;
	for (unsigned i = 0; i < shown; i++)
		v->calls |= !busy[i].proc->profile->bare;
	put_head(v, all, fresh);
	for (unsigned i = 0; i < shown; i++)
		put_process(v, &busy[i]);
}

static void
show(const struct profsup *ps, uint64_t now)
{
	struct view v = { .ps = ps,
		          .room = screen_room(),
		          .took = (double)(now - last) / (double)NSEC,
		          .at = (double)(now - began) / (double)NSEC };

	if (v.room != 0) {
		v.line = calloc(v.room, sizeof(*v.line));
		if (v.line == NULL)
			return;
	}
	make_view(&v);
	if (v.room != 0)
		screen_draw(v.line, v.n);
	free(v.line);
}

/* Whether we may draw: the terminal is another process group's while we are in the background, or
 * stopped. */
static bool
is_our_terminal(const struct profsup *ps)
{
	pid_t group, foreground;

	if (!screen_is_terminal())
		return true;
	if (!procfs_runs_in(ps->front.pid, &group, &foreground))
		return false;
	return foreground <= 0 || foreground == group || proc_find(ps, foreground) != NULL;
}

/* Called when a process's image ends. */
void
top_end(const struct profile *p)
{
	if (!p->fileless)
		ended += counts_ticks(&p->counts) - p->viewed;
}

/* Shows a view when it is due, but not while a round waits for a thread to stop. */
void
top_tick(struct profsup *ps)
{
	uint64_t now, took;

	if (!ps->opt.top || ps->round.waiting != 0)
		return;
	now = clock_now();
	if (now < next)
		return;
	if (began == 0) {
		if (ps->stats.profiled == 0)
			return;
		began = last = now;
		ended = 0;
		next = now + REFRESH_NS;
		return;
	}
	if (is_our_terminal(ps))
		show(ps, now);
	else
		screen_end();
	last = now;
	ended = 0;
	took = clock_now() - now;
	next = now + (took * SHARE > REFRESH_NS ? took * SHARE : REFRESH_NS);
}
