/*
 * The time and the calls of source lines.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "search.h"

#include <stdlib.h>
#include <string.h>

static struct line_cost *
add_at(const struct report *r, struct line_costs *c, uint32_t function, uint64_t pc, uint32_t call)
{
	struct line_cost *cost;

	c->cost = memory_grow(c->cost, c->n, sizeof(*c->cost));
	cost = &c->cost[c->n++];
	*cost = (struct line_cost){ .function = function };
	where_place(r->m, pc, call, &cost->file, &cost->line);
	return cost;
}

/* Adds what a function has cost by itself, and the calls that it has made with what they cost. */
void
costs_add(const struct report *r, struct line_costs *c, uint32_t function)
{
	const struct model *m = r->m;
	const struct cost *f = &m->costs[function];

	for (size_t i = f->spot; i < f->spot + f->nspots; i++) {
		struct line_cost *cost = add_at(r, c, function, m->spots[i].pc, 0);

		cost->self = cost->total = m->spots[i].ticks;
	}
	for (size_t i = f->edge; i < f->edge + f->nedges; i++)
		for (size_t j = 0; j < m->edges[i].nsites; j++) {
			const struct site *site = &m->sites[m->edges[i].site + j];
			struct line_cost *cost = add_at(r, c, function, site->from, site->call);

			cost->calls = site->calls;
			cost->total = site->ticks;
		}
}

/* Adds the lines that the function has code of. */
void
costs_add_code(const struct report *r, struct line_costs *c, uint32_t function)
{
	const struct lines *l = &r->m->symbols->lines;
	const struct function *f = &r->m->symbols->functions[function];
	size_t at;

	SEARCH(at, l->n, l->table[at].pc < f->low);
	for (; at < l->n && l->table[at].pc < f->high; at++)
		if (l->table[at].file != FILE_UNKNOWN)
			add_at(r, c, function, l->table[at].pc, 0)->code = true;
}

static int
compare(const void *a, const void *b)
{
	const struct line_cost *x = a, *y = b;
	const int by_file = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (by_file != 0)
		return by_file;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* Sorts them, and adds up those of one line in one function. */
void
costs_merge(struct line_costs *c)
{
	size_t n = 0;

	if (c->n == 0)
		return;
	qsort(c->cost, c->n, sizeof(*c->cost), compare);
	for (size_t i = 1; i < c->n; i++) {
		if (compare(&c->cost[i], &c->cost[n]) != 0) {
			c->cost[++n] = c->cost[i];
			continue;
		}
		c->cost[n].self += c->cost[i].self;
		c->cost[n].total += c->cost[i].total;
		c->cost[n].calls += c->cost[i].calls;
		c->cost[n].code |= c->cost[i].code;
	}
	c->n = n + 1;
}
