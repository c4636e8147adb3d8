/*
 * The call graph: each function between those that call it and those that it calls.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "search.h"

#include <stdlib.h>

enum { MOST_FUNCTIONS = 30, MOST_EDGES = 12 };
enum { BEFORE_NAME = 55, INDENT = 4, OWN = 9, CALLS = 24 };

/* Edges by the function that is called, those with most time first. */
struct callers {
	const struct edge **edge;
	size_t n;
};

static int
compare_cost(const struct edge *x, const struct edge *y)
{
	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
	return x->calls < y->calls ? 1 : x->calls > y->calls ? -1 : x < y ? -1 : x > y;
}

static int
by_callee(const void *a, const void *b)
{
	const struct edge *x = *(const struct edge *const *)a;
	const struct edge *y = *(const struct edge *const *)b;

	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	return compare_cost(x, y);
}

static int
by_cost(const void *a, const void *b)
{
	return compare_cost(*(const struct edge *const *)a, *(const struct edge *const *)b);
}

/* Whether an edge has a row: not one of a function to itself, nor of the profiler's own code. */
static bool
is_shown(const struct model *m, const struct edge *e)
{
	const struct function *f = m->symbols->functions;

	return e->caller != e->callee && !f[e->caller].runtime && !f[e->callee].runtime;
}

static struct callers
sort_callers(const struct model *m)
{
	struct callers c = { 0 };

	c.edge = memory_array(m->nedges + 1, sizeof(const struct edge *));
	for (size_t i = 0; i < m->nedges; i++)
		if (is_shown(m, &m->edges[i]))
			c.edge[c.n++] = &m->edges[i];
	if (c.n > 0)
		qsort(c.edge, c.n, sizeof(const struct edge *), by_callee);
	return c;
}

static size_t
first_caller(const struct callers *c, uint32_t function)
{
	size_t at;

	SEARCH(at, c->n, c->edge[at]->callee < function);
	return at;
}

static unsigned
before_name(const struct report *r)
{
	return table_before(r, BEFORE_NAME, 1 + CALLS);
}

/* Calls within a cycle have no share. */
static void
put_ticks(const struct report *r, const struct edge *e, double whole)
{
	if (r->m->stacks == NULL && e->group_caller == e->group_callee)
		fprintf(r->out, "%8s %9s", "", "");
	else
		fprintf(r->out, "%7.1f%% %9.3f", table_percent(e->ticks, whole),
		        model_seconds(r->m, e->ticks));
}

/* Calls, and all by others; behind "+" those that a function makes in what is inlined into it, and
 * are calls by itself. */
static void
calls_text(const struct report *r, const struct edge *e, char text[64])
{
	const uint64_t by_others = e->calls - e->by_self;
	int len = 0;

	if (by_others > 0)
		len = snprintf(text, 64, "%ju/%ju", (uintmax_t)by_others,
		               (uintmax_t)table_calls_of(r, e->callee));
	if (e->by_self > 0)
		snprintf(text + len, 64 - (size_t)len, "+%ju", (uintmax_t)e->by_self);
	else if (len == 0)
		snprintf(text, 64, "-");
}

/* A row of a caller or of one that is called: its part of the time of the function between. */
static void
put_edge(const struct report *r, const struct edge *e, uint32_t other, double whole)
{
	char name[NAME_SIZE], calls[64];

	calls_text(r, e, calls);
	put_ticks(r, e, whole);
	fprintf(r->out, " %*s", table_own_width(r, OWN), "");
	table_put_column(r, CALLS, calls);
	fprintf(r->out, "  %*s%s\n", INDENT, "",
	        table_function(r, other, before_name(r) + INDENT, name));
}

/* Writes rows of those edges, of the first ones only if they are many. */
static void
put_edges(const struct report *r, const struct edge *const *edge, size_t n, bool callers,
          double whole)
{
	struct edge rest = { 0 };
	char calls[32];
	size_t shown = r->all || n <= MOST_EDGES ? n : MOST_EDGES;

	for (size_t i = 0; i < shown; i++)
		put_edge(r, edge[i], callers ? edge[i]->caller : edge[i]->callee, whole);
	for (size_t i = shown; i < n; i++) {
		rest.ticks += edge[i]->ticks;
		rest.calls += edge[i]->calls;
	}
	if (shown == n)
		return;
	fprintf(r->out, "%7.1f%% %9.3f %*s", table_percent(rest.ticks, whole),
	        model_seconds(r->m, rest.ticks), table_own_width(r, OWN), "");
	table_put_column(r, CALLS, table_calls(rest.calls, calls));
	fprintf(r->out, "  %*sand %zu more\n", INDENT, "", n - shown);
}

static void
put_callees(const struct report *r, uint32_t f)
{
	const struct cost *c = &r->m->costs[f];
	const struct edge **edge = memory_array(c->nedges + 1, sizeof(const struct edge *));
	size_t n = 0;

	for (size_t i = c->edge; i < c->edge + c->nedges; i++)
		if (is_shown(r->m, &r->m->edges[i]))
			edge[n++] = &r->m->edges[i];
	if (n > 0)
		qsort(edge, n, sizeof(const struct edge *), by_cost);
	put_edges(r, edge, n, false, c->total);
	free(edge);
}

/* What the callers of a function in a cycle share is the cycle's time. */
static double
time_for_callers(const struct model *m, const struct cost *c)
{
	const struct group *g = &m->groups[c->group];

	return m->stacks == NULL && g->cycle != 0 ? g->total : c->total;
}

static void
put_function(const struct report *r, uint32_t f)
{
	const struct cost *c = &r->m->costs[f];
	char name[NAME_SIZE], calls[64];

	fprintf(r->out, "%7.1f%% %9.3f %*.3f", table_percent(c->total, r->m->ticks),
	        model_seconds(r->m, c->total), table_own_width(r, OWN),
	        model_seconds(r->m, c->self));
	table_put_column(r, CALLS, table_own_calls(r, f, calls));
	fprintf(r->out, "  %s\n", table_function(r, f, before_name(r), name));
}

static void
put_entry(const struct report *r, const struct callers *callers, uint32_t f)
{
	const size_t first = first_caller(callers, f);
	size_t n = 0;

	while (first + n < callers->n && callers->edge[first + n]->callee == f)
		n++;
	fputc('\n', r->out);
	put_edges(r, callers->edge + first, n, true, time_for_callers(r->m, &r->m->costs[f]));
	put_function(r, f);
	put_callees(r, f);
}

void
graph_write(const struct report *r, const char *pattern)
{
	const bool measured = r->m->stacks != NULL;
	struct chosen c = choose(r, pattern, BY_TOTAL, r->most > 0 ? r->most : MOST_FUNCTIONS);
	struct callers callers = sort_callers(r->m);

	fprintf(r->out, "%8s %9s %*s", measured ? "total" : "~total",
	        measured ? "total s" : "~total s", table_own_width(r, OWN), table_own_time(r));
	table_put_column(r, CALLS, "calls");
	fputs("  function, below its callers and above its callees\n", r->out);
	for (size_t i = 0; i < c.n; i++)
		put_entry(r, &callers, c.functions[i]);
	if (c.left > 0)
		fputc('\n', r->out);
	choose_say_left(r, &c);
	free(callers.edge);
	free(c.functions);
}
