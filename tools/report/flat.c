/*
 * The flat profile: a row for each function.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "figure.h"

#include <stdlib.h>

enum { MOST_ROWS = 30, BEFORE_NAME = 60, OWN = 8 };

static void
put_row(const struct report *r, uint32_t f)
{
	const struct model *m = r->m;
	const struct cost *c = &m->costs[f];
	const double ns = 1e9 / m->gmon->rate;
	const uint64_t calls = table_calls_of(r, f);
	char name[NAME_SIZE], self[FIGURE_SIZE], total[FIGURE_SIZE], number[32];

	fprintf(
	    r->out, "%6.1f%% %6.1f%% %*.3f %11s %9s %11s  %s\n", table_percent(c->self, m->ticks),
	    table_percent(c->total, m->ticks), table_own_width(r, OWN), model_seconds(m, c->self),
	    table_calls(calls, number), figure_per_call(c->self * ns, calls, self),
	    figure_per_call(c->total * ns, calls, total), table_function(r, f, BEFORE_NAME, name));
}

void
flat_write(const struct report *r, const char *pattern)
{
	const bool measured = r->m->stacks != NULL;
	struct chosen c = choose(r, pattern, BY_SELF, r->most > 0 ? r->most : MOST_ROWS);

	fprintf(r->out, "%7s %7s %*s %11s %9s %11s  function\n", "self",
	        measured ? "total" : "~total", table_own_width(r, OWN), table_own_time(r), "calls",
	        "self/call", measured ? "total/call" : "~total/call");
	for (size_t i = 0; i < c.n; i++)
		put_row(r, c.functions[i]);
	choose_say_left(r, &c);
	free(c.functions);
}
