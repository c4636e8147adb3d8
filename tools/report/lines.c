/*
 * A row for each source line that has used time.  Threads wait in system calls, which have no
 * lines: of such time it is what was called from the line.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 30, BEFORE_PLACE = 43, OWN = 9, CALLS = 13 };

static double
time_of(const struct report *r, const struct line_cost *c)
{
	return model_what(r->m) == STACKS_CPU ? c->self : c->total;
}

static int
by_time(const void *a, const void *b, void *report)
{
	const struct line_cost *x = a, *y = b;
	const double p = time_of(report, x), q = time_of(report, y);

	if (p != q)
		return p < q ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->function != y->function ? (x->function < y->function ? -1 : 1)
	                                  : (x->line > y->line) - (x->line < y->line);
}

/* The file's name without its directories, which would leave no room for the function's. */
static void
put_row(const struct report *r, const struct line_cost *c)
{
	const struct model *m = r->m;
	const char *function = m->symbols->functions[c->function].name;
	const char *slash = r->wide ? NULL : strrchr(c->file, '/');
	char text[NAME_SIZE], number[32];
	char *place = c->line == 0 ? memory_text("??? (%s)", function)
	                           : memory_text("%s:%u (%s)", slash ? slash + 1 : c->file, c->line,
	                                         function);

	fprintf(r->out, "%6.1f%% %*.3f %9.3f", table_percent(time_of(r, c), m->ticks),
	        table_own_width(r, OWN), model_seconds(m, c->self), model_seconds(m, c->total));
	table_put_column(r, CALLS, table_calls(c->calls, number));
	fprintf(r->out, "  %s\n",
	        table_name(r, place, table_before(r, BEFORE_PLACE, 1 + CALLS), text));
	free(place);
}

static bool
is_large_enough(const struct report *r, const struct line_cost *c)
{
	return table_percent(time_of(r, c), r->m->ticks) >= r->percent;
}

void
lines_write(const struct report *r, const char *pattern)
{
	const bool measured = r->m->stacks != NULL;
	size_t n = 0, most = r->most > 0 ? r->most : MOST_ROWS;
	struct line_costs c = { 0 };
	struct chosen chosen;

	chosen = choose(r, pattern, BY_SELF, SIZE_MAX);
	choose_need_lines(r, pattern);
	for (size_t i = 0; i < chosen.n; i++)
		costs_add(r, &c, chosen.functions[i]);
	free(chosen.functions);
	costs_merge(&c);
	if (c.n > 0)
		qsort_r(c.cost, c.n, sizeof(*c.cost), by_time, (void *)r);
	fprintf(r->out, "%7s %*s %9s", model_what(r->m) == STACKS_CPU ? "self" : "total",
	        table_own_width(r, OWN), table_own_time(r), measured ? "total s" : "~total s");
	table_put_column(r, CALLS, "calls made");
	fputs("  line\n", r->out);
	while (n < c.n && time_of(r, &c.cost[n]) > 0 && (r->all || n < most) &&
	       is_large_enough(r, &c.cost[n]))
		put_row(r, &c.cost[n++]);
	for (most = n; most < c.n && time_of(r, &c.cost[most]) > 0;)
		most++;
	if (most > n)
		fprintf(r->out, "%8s and %zu more line%s (%s)\n", "", most - n,
		        most - n == 1 ? "" : "s",
		        is_large_enough(r, &c.cost[n]) ? "--all" : "--percent");
	free(c.cost);
}
