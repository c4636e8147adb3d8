/*
 * A row for each source line that has used time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 30, BEFORE_PLACE = 43 };

static int
by_self(const void *a, const void *b)
{
	const struct line_cost *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
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

	fprintf(r->out, "%6.1f%% %9.3f %9.3f %13s  %s\n", table_percent(c->self, m->ticks),
	        model_seconds(m, c->self), model_seconds(m, c->total),
	        table_calls(c->calls, number), table_name(r, place, BEFORE_PLACE, text));
	free(place);
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
		qsort(c.cost, c.n, sizeof(*c.cost), by_self);
	fprintf(r->out, "%7s %9s %9s %13s  line\n", "self", "self s",
	        measured ? "total s" : "~total s", "calls made");
	while (n < c.n && c.cost[n].self > 0 && (r->all || n < most) &&
	       table_percent(c.cost[n].self, r->m->ticks) >= r->percent)
		put_row(r, &c.cost[n++]);
	for (most = n; most < c.n && c.cost[most].self > 0;)
		most++;
	if (most > n)
		fprintf(r->out, "%8s and %zu more line%s (--all)\n", "", most - n,
		        most - n == 1 ? "" : "s");
	free(c.cost);
}
