/*
 * What grows faster than the input, as text.
 *
 * SPDX-License-Identifier: ISC
 */
#include "growth.h"

#include <stdlib.h>

enum kind { CALLS, TIME };

static const struct growth_fit *
fit_of(const struct growth_row *r, enum kind kind)
{
	return kind == CALLS ? &r->of_calls : &r->of_time;
}

static double
value(const struct growth_row *r, enum kind kind, size_t size)
{
	return kind == CALLS ? r->calls[size] : r->times[size].seconds;
}

/* What has n log n comes behind what has a power. */
static int
compare(const struct growth_row *a, const struct growth_row *b, enum kind kind)
{
	const struct growth_fit *x = fit_of(a, kind), *y = fit_of(b, kind);

	if (x->log != y->log)
		return x->log ? 1 : -1;
	if (!x->log && x->exponent != y->exponent)
		return x->exponent > y->exponent ? -1 : 1;
	if (x->then != y->then)
		return x->then > y->then ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int
compare_calls(const void *a, const void *b)
{
	return compare(*(const struct growth_row *const *)a, *(const struct growth_row *const *)b,
	               CALLS);
}

static int
compare_times(const void *a, const void *b)
{
	return compare(*(const struct growth_row *const *)a, *(const struct growth_row *const *)b,
	               TIME);
}

static bool
is_shown(const struct growth *g, const struct growth_row *r, enum kind kind)
{
	const struct growth_fit *f = fit_of(r, kind);

	if (kind == TIME && r->tally->caller != NULL && !g->measured)
		return false;
	return g->opt->all ? f->known : f->faster && !r->alone;
}

static const struct growth_row **
choose(const struct growth *g, enum kind kind, size_t *n)
{
	const struct growth_row **rows = memory_array(g->nrows, sizeof(struct growth_row *));

	*n = 0;
	for (size_t i = 0; i < g->nrows; i++)
		if (is_shown(g, &g->rows[i], kind))
			rows[(*n)++] = &g->rows[i];
	if (*n > 0)
		qsort(rows, *n, sizeof(struct growth_row *),
		      kind == CALLS ? compare_calls : compare_times);
	return rows;
}

static void
put_fit(const struct growth_fit *f, FILE *out)
{
	char text[64];

	if (f->log)
		snprintf(text, sizeof(text), "n log n");
	else if (f->sure)
		snprintf(text, sizeof(text), "n^%.2f +- %.2f", f->exponent, f->error);
	else
		snprintf(text, sizeof(text), "n^%.2f", f->exponent);
	fprintf(out, " %-15s", text);
}

/* Calls as they are while they are whole, and figures that are reckoned with three digits. */
static void
put_value(double v, enum kind kind, FILE *out)
{
	if (kind == CALLS && v < 1e12)
		fprintf(out, " %12.0f", v);
	else
		fprintf(out, kind == CALLS ? " %12.3g" : " %12.3f", v);
}

/* With the range that the error of the exponent makes, if three digits show it. */
static void
put_then(const struct growth_fit *f, FILE *out)
{
	char text[64];

	if (f->high > 1.005 * f->low)
		snprintf(text, sizeof(text), "%.3g (%.3g..%.3g)", f->then, f->low, f->high);
	else
		snprintf(text, sizeof(text), "%.3g", f->then);
	fprintf(out, " %-28s", text);
}

static void
put_row(const struct growth *g, const struct growth_row *r, enum kind kind, FILE *out)
{
	const struct growth_fit *f = fit_of(r, kind);

	put_value(value(r, kind, 0), kind, out);
	put_value(value(r, kind, g->nsizes - 1), kind, out);
	put_fit(f, out);
	put_then(f, out);
	if (r->tally->caller != NULL)
		fprintf(out, "  %s -> %s\n", r->tally->caller, r->tally->name);
	else
		fprintf(out, "  %s\n", r->tally->name);
}

static void
put_table(const struct growth *g, enum kind kind, const char *heading, FILE *out)
{
	const double least = g->sizes[0].n, most = g->sizes[g->nsizes - 1].n;
	size_t n;
	const struct growth_row **rows = choose(g, kind, &n);
	char first[32], last[32], then[32];

	snprintf(first, sizeof(first), "n=%.6g", least);
	snprintf(last, sizeof(last), "n=%.6g", most);
	snprintf(then, sizeof(then), "n=%.6g", 10 * most);
	if (n > 0)
		fprintf(out, "\n%s\n %12s %12s %-15s %-28s  %s\n", heading, first, last, "growth",
		        then, "function, or arc");
	for (size_t i = 0; i < n; i++)
		put_row(g, rows[i], kind, out);
	free(rows);
}

static void
put_sizes(const struct growth *g, FILE *out)
{
	fprintf(out, "%s at n=", g->tallies.program);
	for (size_t i = 0; i < g->nsizes; i++)
		fprintf(out, "%s%.15g", i > 0 ? ", " : "", g->sizes[i].n);
	fprintf(out, ", %zu runs: ", g->tallies.nruns);
}

static const char *
grow(size_t n)
{
	return n == 1 ? "function grows" : "functions grow";
}

static void
put_verdict(const struct growth *g, FILE *out)
{
	size_t powers = 0, logs = 0;

	for (size_t i = 0; i < g->nrows; i++) {
		const struct growth_row *r = &g->rows[i];
		const bool calls = r->of_calls.faster, time = r->of_time.faster;

		if (r->tally->caller != NULL || (!calls && !time))
			continue;
		if ((calls && !r->of_calls.log) || (time && !r->of_time.log))
			powers++;
		else
			logs++;
	}
	if (powers + logs == 0)
		fputs("no function grows faster than n", out);
	if (powers > 0)
		fprintf(out, "%zu %s faster than n log n", powers, grow(powers));
	if (logs > 0)
		fprintf(out, "%s%zu %s as n log n", powers > 0 ? ", and " : "", logs, grow(logs));
	fputc('\n', out);
}

void
growth_text(const struct growth *g, FILE *out)
{
	put_sizes(g, out);
	put_verdict(g, out);
	if (g->nsizes == 2)
		fputs("two sizes tell no error of the growth of calls: give three\n", out);
	put_table(g, CALLS, g->opt->all ? "calls:" : "calls that grow faster than n:", out);
	put_table(g, TIME,
	          g->opt->all   ? g->measured ? "seconds, of functions themselves and below arcs:"
	                                      : "seconds, of functions themselves:"
	          : g->measured ? "seconds that grow faster than n, of functions themselves and "
	                          "below arcs:"
	                        : "seconds that grow faster than n, of functions themselves:",
	          out);
}
