/*
 * Which functions a view shows, and in what order.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "functions.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

static const struct report *sorting; /* for the comparisons */

static int
compare_more(double x, double y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* Those that are called most come first among equals, then it goes by name. */
static int
compare_rest(uint32_t a, uint32_t b)
{
	const uint64_t x = table_calls_of(sorting, a), y = table_calls_of(sorting, b);
	const struct function *f = sorting->m->symbols->functions;
	const int by_name = strcmp(f[a].name, f[b].name);

	if (x != y)
		return x < y ? 1 : -1;
	return by_name != 0 ? by_name : a < b ? -1 : a > b;
}

static int
by_self(const void *a, const void *b)
{
	const uint32_t f = *(const uint32_t *)a, g = *(const uint32_t *)b;
	const struct cost *x = &sorting->m->costs[f], *y = &sorting->m->costs[g];
	int order = compare_more(x->self, y->self);

	order = order != 0 ? order : compare_more(x->total, y->total);
	return order != 0 ? order : compare_rest(f, g);
}

static int
by_total(const void *a, const void *b)
{
	const uint32_t f = *(const uint32_t *)a, g = *(const uint32_t *)b;
	const struct cost *x = &sorting->m->costs[f], *y = &sorting->m->costs[g];
	int order = compare_more(x->total, y->total);

	order = order != 0 ? order : compare_more(x->self, y->self);
	return order != 0 ? order : compare_rest(f, g);
}

static bool
has_something(const struct report *r, uint32_t f, enum choose_by by)
{
	const struct cost *c = &r->m->costs[f];

	if (r->m->symbols->functions[f].runtime || !model_has(r->m, f))
		return false;
	return c->self > 0 || c->total > 0 || c->calls > 0 || (by == BY_TOTAL && c->nedges > 0);
}

/* What leads to main() has no time of its own and no calls that were counted, and all of the
 * program's time with what it calls. */
static bool
is_asked_for(const struct report *r, uint32_t f, const char *pattern, enum choose_by by)
{
	return by == BY_TOTAL || pattern != NULL || r->all || r->m->costs[f].self > 0 ||
	       r->m->costs[f].calls > 0 || !code_is_startup(r->m->symbols->functions[f].raw);
}

static bool
is_large_enough(const struct report *r, uint32_t f)
{
	return table_percent(r->m->costs[f].total, r->m->ticks) >= r->percent;
}

struct chosen
choose(const struct report *r, const char *pattern, enum choose_by by, size_t most)
{
	struct chosen c = { 0 };
	size_t found = 0;

	c.functions = memory_array(r->m->symbols->nfunctions, sizeof(*c.functions));
	for (uint32_t f = 0; f < r->m->symbols->nfunctions; f++) {
		if (!has_something(r, f, by) ||
		    !table_matches(r->m->symbols->functions[f].name, pattern))
			continue;
		found++;
		if (!is_large_enough(r, f))
			c.small++;
		else if (is_asked_for(r, f, pattern, by))
			c.functions[c.n++] = f;
	}
	if (found == 0 && pattern != NULL)
		errx(EXIT_BAD, "%s: no such function has used time or was called%s",
		     text_clean(pattern, MOST_PATH),
		     r->m->inlines != NULL
		         ? ""
		         : "; an inlined one is in the lines of its callers (--lines)");
	sorting = r;
	if (c.n > 0)
		qsort(c.functions, c.n, sizeof(*c.functions), by == BY_SELF ? by_self : by_total);
	if (!r->all && c.n > most)
		c.n = most;
	c.left = found - c.n;
	return c;
}

/* The program has lines of our runtime all the same. */
static bool
has_lines(const struct report *r, const char *pattern)
{
	const struct symbols *s = r->m->symbols;
	const char *file;
	unsigned line;

	for (uint32_t f = 0; f < s->nfunctions; f++)
		if (has_something(r, f, BY_SELF) && table_matches(s->functions[f].name, pattern) &&
		    where_function(r->m, f, &file, &line))
			return true;
	return false;
}

void
choose_need_lines(const struct report *r, const char *pattern)
{
	if (has_lines(r, pattern))
		return;
	if (has_lines(r, NULL))
		errx(EXIT_BAD,
		     "%s: no source lines of it: it was compiled without -g, as most libraries are",
		     text_clean(pattern, MOST_PATH));
	errx(EXIT_BAD,
	     "%s: it has no source lines: compile it with -g, or install its debugging symbols",
	     r->m->symbols->program);
}

void
choose_say_left(const struct report *r, const struct chosen *c)
{
	if (c->left > 0)
		fprintf(r->out, "%8s and %zu more function%s (%s)\n", "", c->left,
		        c->left == 1 ? "" : "s", c->left > c->small ? "--all" : "--percent");
}
