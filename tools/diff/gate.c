/*
 * Compares runs with a baseline.
 *
 * What was the same in all runs of the baseline has to be so now.  What was not has a range, and
 * the next run may be outside of it by chance: with two runs it is so in a third of all cases,
 * whatever is counted.  So a range is widened to what the next run has with 95 %, of all that has a
 * range together, by Student's distribution.  What depends on time, such as turns of a waiting
 * loop, differs by factors, so that is done with logarithms.  The range of n numbers tells their
 * deviation: it is half the range at most.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double level = 0.05;
/* With fewer the distribution is very wide. */
enum { FEW_RUNS = 5 };

const char gate_blind[] =
    "Only numbers of calls are compared: work inside of a function, and functions "
    "that are inlined or not counted, are not seen.";

static bool decided;

/* All else that ends us says that there is nothing to compare, and 1 says that calls have changed.
 */
static void
leave(void)
{
	if (!decided)
		_Exit(EXIT_USAGE);
}

/* Adds a row with what either side has. */
static struct gate_row *
add_row(struct gate *g, const char *name, const char *caller)
{
	struct gate_row *r;

	g->rows = memory_grow(g->rows, g->nrows, sizeof(*g->rows));
	r = &g->rows[g->nrows++];
	*r = (struct gate_row){ 0 };
	for (int side = 0; side < SIDES; side++) {
		r->entry[side].name = name;
		r->entry[side].caller = caller;
	}
	return r;
}

static void
make_rows(struct gate *g)
{
	struct baseline now;

	baseline_of(&now, &g->now);
	for (size_t i = 0, j = 0; i < g->before.n || j < now.n;) {
		const struct baseline_entry *a = &g->before.entry[i], *b = &now.entry[j];
		const int c = i == g->before.n ? 1
		              : j == now.n     ? -1
		                               : baseline_compare(a->name, a->caller, b);
		struct gate_row *r =
		    add_row(g, c <= 0 ? a->name : b->name, c <= 0 ? a->caller : b->caller);

		if (c <= 0)
			r->entry[BEFORE] = g->before.entry[i++];
		if (c >= 0)
			r->entry[AFTER] = now.entry[j++];
		r->there[BEFORE] = c <= 0;
		r->there[AFTER] = c >= 0;
	}
}

static bool
has_range(const struct gate_row *r)
{
	return r->entry[BEFORE].low < r->entry[BEFORE].high;
}

static void
widen_by_chance(struct gate_row *r, double probability)
{
	const struct baseline_entry *e = &r->entry[BEFORE];
	const double n = e->runs, low = log1p((double)e->low), high = log1p((double)e->high);
	const double deviation = (high - low) / 2 * sqrt(n / (n - 1));
	const double by = student_beyond(probability, e->runs - 1) * deviation * sqrt(1 + 1 / n);

	r->low = fmin(r->low, expm1((low + high) / 2 - by));
	r->high = fmax(r->high, expm1((low + high) / 2 + by));
}

/* Whether chance lets half as many calls pass, or twice as many, since few runs tell little. */
static bool
is_vague(const struct gate_row *r)
{
	const struct baseline_entry *e = &r->entry[BEFORE];

	return has_range(r) && e->runs < FEW_RUNS &&
	       (r->low < (double)e->low / 2 || r->high > (double)e->high * 2);
}

static void
judge_row(struct gate *g, struct gate_row *r, double probability)
{
	const struct baseline_entry *before = &r->entry[BEFORE], *now = &r->entry[AFTER];

	r->low = (double)before->low;
	r->high = (double)before->high;
	if (has_range(r))
		widen_by_chance(r, probability);
	g->vague += is_vague(r);
	allow_widen(&g->opt->allow, before, &r->low, &r->high);
	r->low = fmax(r->low, 0);
	if (now->low >= before->low && now->high <= before->high)
		r->verdict = GATE_SAME;
	else if ((double)now->low >= r->low && (double)now->high <= r->high)
		r->verdict = GATE_ALLOWED;
	else
		r->verdict = GATE_CHANGED;
}

static void
judge_rows(struct gate *g)
{
	size_t ranges = 0;

	for (size_t i = 0; i < g->nrows; i++)
		ranges += has_range(&g->rows[i]);
	for (size_t i = 0; i < g->nrows; i++) {
		struct gate_row *r = &g->rows[i];
		const bool arc = r->entry[AFTER].caller != NULL;

		judge_row(g, r, level / (double)(ranges * g->now.nruns));
		g->of[arc]++;
		g->changed[arc] += r->verdict == GATE_CHANGED;
		g->allowed[arc] += r->verdict == GATE_ALLOWED;
	}
}

/* Prints. */
static void
tell_vague(const struct gate *g)
{
	if (g->vague > 0)
		note("%s: %zu functions and arcs may have half or twice the calls: their ranges "
		     "are of fewer than %d runs",
		     text_clean(g->opt->gate, MOST_PATH), g->vague, FEW_RUNS);
}

/* A name may be misspelt, or gone. */
static void
note_unused(const struct gate *g)
{
	for (size_t i = 0; i < g->opt->allow.n; i++) {
		const struct allowance *a = &g->opt->allow.a[i];
		size_t row = 0;

		while (row < g->nrows && !allow_fits(a, &g->rows[row].entry[BEFORE]))
			row++;
		if (row == g->nrows)
			note("--allow: no function or arc is called %s", a->pattern);
	}
}

static void
check_program(const struct gate *g)
{
	const struct baseline *before = &g->before;
	const struct tallies *now = &g->now;
	const char *name = text_clean(g->opt->gate, MOST_PATH);

	if (strcmp(before->program, now->program) == 0)
		return;
	if (!g->opt->force)
		errx(EXIT_BAD, "%s: it is of %s, and the runs are of %s", name, before->program,
		     now->program);
	note("%s: it is of %s, and the runs are of %s", name, before->program, now->program);
}

static void
load(struct gate *g)
{
	const struct options *opt = g->opt;
	size_t n;
	const char *program;
	char *const *files = find_operands(opt->nwords, opt->words, &program);
	struct model **models;

	g->runs = runs_find(files, opt->one_run, opt->intervals, &n);
	if (program == NULL)
		program = find_program(g->runs[0].files, opt->force);
	models = runs_load(&(struct load){ .program = program,
	                                   .lines = true,
	                                   .all = true,
	                                   .force = opt->force,
	                                   .intervals = opt->intervals },
	                   g->runs, n);
	tallies_make(&g->now, models, n);
	free(models);
}

/* What stays as it was has its old line: a range has taken more runs than these. */
static bool
keeps_line(const struct gate_row *r)
{
	return r->verdict == GATE_SAME || (r->verdict == GATE_ALLOWED && has_range(r));
}

/* What the baseline is to be.  Prints. */
static struct baseline
accepted(const struct gate *g)
{
	struct baseline b = { .program = g->now.program };
	size_t lost = 0;

	b.entry = memory_array(g->nrows, sizeof(*b.entry));
	for (size_t i = 0; i < g->nrows; i++) {
		const struct gate_row *r = &g->rows[i];
		const struct baseline_entry e = r->entry[keeps_line(r) ? BEFORE : AFTER];

		if (e.high > 0)
			b.entry[b.n++] = e;
		lost += has_range(r) && !keeps_line(r) && r->there[AFTER] && g->now.nruns == 1;
	}
	if (lost > 0)
		note("%s: %zu functions and arcs that had a range have one number now: several "
		     "runs would tell a range",
		     text_clean(g->opt->gate, MOST_PATH), lost);
	return b;
}

/* With the rights of what it takes the place of, or of a new file. */
static void
set_mode(int fd, const char *path)
{
	const mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	if (fchmod(fd, stat(path, &st) == 0 ? st.st_mode & 0777 : 0666 & ~mask) < 0)
		err(EXIT_BAD, "%s", text_clean(path, MOST_PATH));
}

/* The file is there as it was, or as it is to be, whatever happens, also behind a link.  No other
 * file is touched, and another one who does the same has a file of its own. */
static void
update(const struct gate *g)
{
	const struct baseline b = accepted(g);
	char *path = realpath(g->opt->gate, NULL), *temporary;
	FILE *out = memory_file();
	int fd;

	if (path == NULL)
		path = memory_text("%s", g->opt->gate);
	temporary = memory_text("%s.XXXXXX", path);
	baseline_write(&b, out);
	fd = mkstemp(temporary);
	if (fd < 0)
		err(EXIT_BAD, "%s", text_clean(temporary, MOST_PATH));
	set_mode(fd, path);
	output_write(out, temporary);
	if (rename(temporary, path) < 0)
		err(EXIT_BAD, "%s", text_clean(path, MOST_PATH));
	close(fd);
	free(b.entry);
	free(temporary);
	free(path);
}

int
gate_run(const struct options *opt)
{
	struct gate g = { .opt = opt };
	FILE *out;

	atexit(leave);
	inputs_add(opt->gate);
	g.is_new = !baseline_read(&g.before, opt->gate);
	if (g.is_new && !opt->update)
		errx(EXIT_BAD, "%s: there is no such baseline: --update makes it",
		     text_clean(opt->gate, MOST_PATH));
	load(&g);
	if (!g.is_new)
		check_program(&g);
	make_rows(&g);
	judge_rows(&g);
	tell_vague(&g);
	note_unused(&g);
	if (opt->cost)
		gate_cost(&g);
	out = memory_file();
	opt->format->gate(&g, out);
	output_check(opt->output);
	if (opt->update &&
	    (g.is_new || g.changed[0] + g.changed[1] + g.allowed[0] + g.allowed[1] > 0))
		update(&g);
	inputs_add(opt->gate); /* --update may have made it just now, or put another in its place */
	output_write(out, opt->output);
	decided = true;
	return !opt->update && g.changed[0] + g.changed[1] > 0;
}
