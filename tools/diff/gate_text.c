/*
 * A gate's result as text.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include "figure.h"

#include <stdlib.h>

enum { MOST_COSTS = 20 };

static void
put_row(const struct gate_row *r, FILE *out)
{
	char *before = gate_calls(r, BEFORE), *now = gate_calls(r, AFTER);
	char *change = gate_change(r);
	const struct baseline_entry *e = &r->entry[AFTER];

	fprintf(out, " %20s %20s %10s  ", before, now, change);
	if (e->caller != NULL)
		fprintf(out, "%s -> ", e->caller);
	fprintf(out, "%s%s\n", e->name, r->verdict == GATE_ALLOWED ? " (allowed)" : "");
	free(before);
	free(now);
	free(change);
}

static void
put_costs(const struct gate *g, FILE *out)
{
	const size_t n = g->opt->all || g->ncosts < MOST_COSTS ? g->ncosts : MOST_COSTS;

	if (!g->opt->cost)
		return;
	fprintf(out, "\nself time of a call, which is sampled and decides nothing:\n");
	if (n > 0)
		fprintf(out, " %10s %10s %10s  %s\n", "self s", "self/call", "+-", "function");
	else
		fputs("no function that is counted has enough samples\n", out);
	for (size_t i = 0; i < n; i++) {
		const struct gate_cost *c = &g->costs[i];
		char ns[FIGURE_SIZE], error[FIGURE_SIZE];

		fprintf(out, " %10.3f %10s %10s  %s\n", c->seconds, figure_per_call(c->ns, 1, ns),
		        figure_per_call(c->error, 1, error), c->tally->name);
	}
	if (n < g->ncosts)
		fprintf(out, "%36sand %zu more (--all lists them)\n", "", g->ncosts - n);
}

static void
put_summary(const struct gate *g, FILE *out)
{
	const char *program = g->now.program;
	char *path = text_clean(g->opt->gate, MOST_PATH);
	const size_t *of = g->of, *n = g->changed;

	if (g->is_new)
		fprintf(out, "%s: calls of %zu functions and %zu arcs are in %s now\n", program,
		        of[0], of[1], path);
	else if (n[0] + n[1] == 0)
		fprintf(out, "%s: calls are those of %s: %zu functions, %zu arcs\n", program, path,
		        of[0], of[1]);
	else
		fprintf(out,
		        "%s: calls are not those of %s: %zu of %zu functions and %zu of %zu arcs "
		        "differ%s\n",
		        program, path, n[0], of[0], n[1], of[1],
		        g->opt->update ? "; now it has these" : "");
	free(path);
}

void
gate_text(const struct gate *g, FILE *out)
{
	const size_t allowed = g->allowed[0] + g->allowed[1];
	size_t n;
	const struct gate_row **rows = gate_order(g, &n);

	put_summary(g, out);
	if (allowed > 0)
		fprintf(out, "%zu more differ by what chance or --allow permits%s\n", allowed,
		        g->opt->all ? "" : " (--all lists them)");
	if (n > 0)
		fprintf(out, "\n %20s %20s %10s  %s\n", "calls before", "now", "change",
		        "function, or arc");
	for (size_t i = 0; i < n; i++)
		put_row(rows[i], out);
	put_costs(g, out);
	fprintf(out, "\n%s\n", gate_blind);
	free(rows);
}
