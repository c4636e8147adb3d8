/*
 * The difference as text: one line for the whole, then tables of what is more than chance explains.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <math.h>
#include <stdlib.h>

/* Most callers below a function, and most names in a line. */
enum { MOST_CALLERS = 3, MOST_NAMES = 8 };

/* A line of a table: a function, or an arc. */
struct row {
	const struct item *item;
	const struct entry *entry;
	const struct arc *arc; /* NULL: a function */
};

struct table {
	const struct diff *d;
	FILE *out;
	struct row *rows;
	size_t n;
};

static void
add_row(struct table *t, const struct item *item, const struct entry *entry, const struct arc *arc)
{
	t->rows = memory_grow(t->rows, t->n, sizeof(*t->rows));
	t->rows[t->n++] = (struct row){ item, entry, arc };
}

static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const double p = fabs(x->item->change), q = fabs(y->item->change);

	if (p != q)
		return p > q ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static const char *
runs(const struct diff *d, char *text, size_t size)
{
	const size_t before = d->sides[BEFORE].nruns, after = d->sides[AFTER].nruns;

	if (before == 1 && after == 1)
		return "";
	snprintf(text, size, " a run, of %zu and %zu", before, after);
	return text;
}

static void
put_total(const struct diff *d, FILE *out)
{
	const struct item *i = &d->total;
	char text[64];

	fprintf(out, "CPU time %.3f s -> %.3f s%s: %+.3f s +- %.3f s", i->seconds[BEFORE],
	        i->seconds[AFTER], runs(d, text, sizeof(text)), i->change, i->error);
	if (i->seconds[BEFORE] > 0)
		fprintf(out, " (%+.1f %%)", 100 * i->change / i->seconds[BEFORE]);
	fputc('\n', out);
}

static const char *
function_s(size_t n)
{
	return n == 1 ? "function" : "functions";
}

static void
put_calls_line(const struct diff *d, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->nentries; i++)
		n += judge_calls_changed(d, &d->entries[i].self.calls);
	if (n == 0)
		return;
	fprintf(out,
	        "calls %.0f -> %.0f: the work or the program differs: %zu %s called more or less "
	        "often%s\n",
	        (double)d->sides[BEFORE].calls / judge_runs(d, BEFORE),
	        (double)d->sides[AFTER].calls / judge_runs(d, AFTER), n,
	        n == 1 ? "function is" : "functions are", d->calls ? "" : " (--calls lists them)");
}

/* "-": not known; "~": no more than chance explains. */
static void
put_part(FILE *out, bool known, bool shown, double part)
{
	if (known && shown)
		fprintf(out, " %+8.3f", part);
	else
		fprintf(out, " %8s", known ? "~" : "-");
}

static void
put_number_of_calls(FILE *out, const struct diff *d, const struct count *c, int side)
{
	const double calls = judge_calls(d, c, side);

	fprintf(out, calls == floor(calls) ? " %12.0f" : " %12.1f", calls);
}

static void
put_callers(const struct table *t, const struct entry *e)
{
	const struct diff *d = t->d;
	struct table callers = { .d = d };

	for (uint32_t i = 0; i < e->narcs; i++) {
		const struct arc *arc = &d->arcs[d->into[e->first_arc + i]];

		if (judge_calls_changed(d, &arc->item.calls))
			add_row(&callers, &arc->item, &d->entries[arc->caller], arc);
	}
	if (callers.n > 0)
		qsort(callers.rows, callers.n, sizeof(*callers.rows), compare_rows);
	for (size_t i = 0; i < callers.n && i < MOST_CALLERS; i++) {
		fprintf(t->out, "%51s", "");
		put_number_of_calls(t->out, d, &callers.rows[i].item->calls, BEFORE);
		put_number_of_calls(t->out, d, &callers.rows[i].item->calls, AFTER);
		fprintf(t->out, "    by %s\n", callers.rows[i].entry->name);
	}
	if (callers.n > MOST_CALLERS)
		fprintf(t->out, "%77s    by %zu more\n", "", callers.n - MOST_CALLERS);
	free(callers.rows);
}

static const char *
state(const struct entry *e)
{
	if (judge_is_new(e, AFTER))
		return "new: ";
	if (judge_is_new(e, BEFORE))
		return "gone: ";
	if (e->symbol[BEFORE] == e->symbol[AFTER] || !e->there[BEFORE] || !e->there[AFTER])
		return "";
	return e->symbol[BEFORE] ? "inlined: " : "no longer inlined: ";
}

static void
put_row(const struct table *t, const struct row *r)
{
	const struct diff *d = t->d;
	const struct item *i = r->item;

	fprintf(t->out, " %7.3f %7.3f %+8.3f %7.3f", i->seconds[BEFORE], i->seconds[AFTER],
	        i->change, i->error);
	put_part(t->out, i->divided,
	         d->all || judge_calls_changed(d, &i->calls) ||
	             fabs(i->by_calls) > i->by_calls_error,
	         i->by_calls);
	put_part(t->out, i->divided, d->all || fabs(i->by_cost) > i->by_cost_error, i->by_cost);
	put_number_of_calls(t->out, d, &i->calls, BEFORE);
	put_number_of_calls(t->out, d, &i->calls, AFTER);
	if (r->arc != NULL)
		fprintf(t->out, "  %s -> %s\n", d->entries[r->arc->caller].name, r->entry->name);
	else
		fprintf(t->out, "  %s%s\n", state(r->entry), r->entry->name);
	if (r->arc == NULL && i == &r->entry->self)
		put_callers(t, r->entry);
}

static void
put_table(struct table *t, const char *heading)
{
	if (t->n > 0) {
		qsort(t->rows, t->n, sizeof(*t->rows), compare_rows);
		fprintf(t->out, "\n%s\n", heading);
		fprintf(t->out, " %7s %7s %8s %7s %8s %8s %12s %12s  %s\n", "before", "after",
		        "change", "+-", "by calls", "by cost", "calls before", "calls after",
		        "function");
	}
	for (size_t i = 0; i < t->n; i++)
		put_row(t, &t->rows[i]);
	free(t->rows);
	t->rows = NULL;
	t->n = 0;
}

static bool
has_time(const struct item *i)
{
	return i->time.ticks[BEFORE] > 0 || i->time.ticks[AFTER] > 0;
}

/* What is asked for: what is no chance, changed calls, or all that there is. */
static bool
is_wanted(const struct diff *d, const struct item *i)
{
	return i->significant || (d->calls && judge_calls_changed(d, &i->calls)) ||
	       (d->all && (has_time(i) || i->calls.sum[BEFORE] > 0 || i->calls.sum[AFTER] > 0));
}

/* What is called from one place has its change in its own line already. */
static bool
tells_more(const struct diff *d, const struct arc *a)
{
	return d->all || d->calls || d->entries[a->callee].narcs > 1;
}

static bool
is_only_inlined(const struct entry *e)
{
	return !e->symbol[BEFORE] && !e->symbol[AFTER];
}

static void
put_tables(const struct diff *d, FILE *out)
{
	struct table t = { .d = d, .out = out };

	for (int inlined = 0; inlined < 2; inlined++) {
		for (size_t i = 0; i < d->nentries; i++)
			if (is_only_inlined(&d->entries[i]) == inlined &&
			    is_wanted(d, &d->entries[i].self))
				add_row(&t, &d->entries[i].self, &d->entries[i], NULL);
		put_table(&t, inlined
		                  ? "seconds of inlined functions, which are in those above, too:"
		                  : "seconds of functions themselves:");
	}
	for (size_t i = 0; d->measured && i < d->nentries; i++)
		if (d->entries[i].total.significant || (d->all && has_time(&d->entries[i].total)))
			add_row(&t, &d->entries[i].total, &d->entries[i], NULL);
	put_table(&t, "seconds of functions with what they called:");
	for (size_t i = 0; i < d->narcs; i++)
		if (is_wanted(d, &d->arcs[i].item) && tells_more(d, &d->arcs[i]))
			add_row(&t, &d->arcs[i].item, &d->entries[d->arcs[i].callee], &d->arcs[i]);
	put_table(&t, d->measured ? "seconds of what was called, by caller:"
	                          : "seconds of what was called, by the callers' shares of calls:");
}

static void
put_verdict(const struct diff *d, FILE *out)
{
	size_t n = 0, of = 0;

	for (size_t i = 0; i < d->nentries; i++) {
		n += d->entries[i].self.significant || d->entries[i].total.significant;
		of += has_time(&d->entries[i].self) || has_time(&d->entries[i].total);
	}
	if (n == 0)
		fputs("no function has changed by more than chance explains\n", out);
	else
		fprintf(out, "%zu %s changed by more than chance explains, of %zu with time\n", n,
		        n == 1 ? "function has" : "functions have", of);
	if (d->noise_taken)
		fprintf(out,
		        "one run each: that a run's time varies by %g %% is assumed; give several "
		        "runs\n",
		        100 * d->noise);
}

static void
put_names(const struct diff *d, FILE *out, int side, const char *what)
{
	struct table t = { .d = d };

	for (size_t i = 0; i < d->nentries; i++) {
		const struct entry *e = &d->entries[i];

		if (judge_is_new(e, side) && (has_time(&e->self) || e->self.calls.sum[side] > 0))
			add_row(&t, &e->self, e, NULL);
	}
	if (t.n == 0)
		return;
	qsort(t.rows, t.n, sizeof(*t.rows), compare_rows);
	fprintf(out, "%s %zu %s: ", what, t.n, function_s(t.n));
	for (size_t i = 0; i < t.n && i < MOST_NAMES; i++)
		fprintf(out, "%s%s", i > 0 ? ", " : "", t.rows[i].entry->name);
	if (t.n > MOST_NAMES)
		fprintf(out, " and %zu more", t.n - MOST_NAMES);
	fputc('\n', out);
	free(t.rows);
}

void
text_write(const struct diff *d, FILE *out)
{
	put_total(d, out);
	put_calls_line(d, out);
	put_verdict(d, out);
	put_names(d, out, BEFORE, "only before,");
	put_names(d, out, AFTER, "only after,");
	put_tables(d, out);
}
