/*
 * The flat profile: a row for each function.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "figure.h"

#include <stdlib.h>

enum { MOST_ROWS = 30, BEFORE_NAME = 60, OWN = 8 };
enum {
	CALLS = 11,
	SELF_CALL = 9,
	TOTAL_CALL = 11,
	ABOUT_CALLS = 3 + CALLS + SELF_CALL + TOTAL_CALL
};

static void
put_row(const struct report *r, uint32_t f)
{
	const struct model *m = r->m;
	const struct cost *c = &m->costs[f];
	const double ns = 1e9 / m->gmon->rate;
	const uint64_t calls = table_calls_of(r, f);
	const unsigned before = table_before(r, BEFORE_NAME, ABOUT_CALLS);
	char name[NAME_SIZE], cost[FIGURE_SIZE], number[64];

	fprintf(r->out, "%6.1f%% %6.1f%% %*.3f", table_percent(c->self, m->ticks),
	        table_percent(c->total, m->ticks), table_own_width(r, OWN),
	        model_seconds(m, c->self));
	table_put_column(r, CALLS, table_own_calls(r, f, number));
	table_put_column(r, SELF_CALL, figure_per_call(c->body * ns, calls, cost));
	table_put_column(r, TOTAL_CALL, figure_per_call(c->total * ns, calls, cost));
	fprintf(r->out, "  %s\n", table_function(r, f, before, name));
}

void
flat_write(const struct report *r, const char *pattern)
{
	const bool measured = r->m->stacks != NULL;
	struct chosen c = choose(r, pattern, BY_SELF, r->most > 0 ? r->most : MOST_ROWS);

	fprintf(r->out, "%7s %7s %*s", "self", measured ? "total" : "~total",
	        table_own_width(r, OWN), table_own_time(r));
	table_put_column(r, CALLS, "calls");
	table_put_column(r, SELF_CALL, "self/call");
	table_put_column(r, TOTAL_CALL, measured ? "total/call" : "~total/call");
	fputs("  function\n", r->out);
	for (size_t i = 0; i < c.n; i++)
		put_row(r, c.functions[i]);
	choose_say_left(r, &c);
	free(c.functions);
}
