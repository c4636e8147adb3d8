/*
 * Time by measured stacks.
 *
 * A function that is more than once in a stack has the stack's time once: of its frames only the
 * innermost counts, by which it had the time itself or called what had it.  So what a function cost
 * with all that it called is its own time and that of its calls, however it recurses.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>

struct measuring {
	struct model *m;
	uint64_t *self; /* ticks of each place that was innermost */
	uint32_t *seen; /* number of the last stack that each function was in, from 1 on */
};

static void
add_stack(struct measuring *w, uint32_t number)
{
	const struct stacks *s = w->m->stacks;
	const struct stack *stack = &s->stack[number - 1];
	uint32_t callee = 0;

	for (uint32_t i = stack->n; i-- > 0;) {
		const uint32_t at = s->frames[stack->at + i];
		const struct place *place = &s->places[at];

		if (i == stack->n - 1)
			w->self[at] += stack->ticks;
		else if (w->seen[place->function] != number)
			sites_add(w->m, &(struct site){ .caller = place->function,
			                                .callee = callee,
			                                .from = place->pc,
			                                .ticks = (double)stack->ticks,
			                                .call = place->call });
		w->seen[place->function] = number;
		callee = place->function;
	}
}

/* Places are in the order that spots are to have. */
static void
add_spots(struct measuring *w)
{
	const struct stacks *s = w->m->stacks;
	struct model *m = w->m;

	m->spots = memory_array(s->nplaces, sizeof(*m->spots));
	for (size_t i = 0; i < s->nplaces; i++) {
		const struct place *place = &s->places[i];
		const double ticks = (double)w->self[i];
		struct cost *c = &m->costs[place->function];

		if (w->self[i] == 0)
			continue;
		if (c->nspots++ == 0)
			c->spot = m->nspots;
		m->spots[m->nspots++] = (struct spot){ place->function, 1, place->pc, ticks };
		c->self += ticks;
		m->ticks += ticks;
	}
}

/* Makes the spots, and sites without calls. */
void
measured_make(struct model *m)
{
	const struct stacks *s = m->stacks;
	struct measuring w = { .m = m };

	w.self = memory_array(s->nplaces, sizeof(*w.self));
	w.seen = memory_array(m->symbols->nfunctions, sizeof(*w.seen));
	for (uint32_t i = 0; i < s->n; i++)
		add_stack(&w, i + 1);
	add_spots(&w);
	m->runtime_ticks = (double)s->runtime_ticks;
	free(w.self);
	free(w.seen);
}

void
measured_totals(struct model *m)
{
	for (size_t f = 0; f < m->symbols->nfunctions; f++)
		m->costs[f].total = m->costs[f].self;
	for (size_t i = 0; i < m->nedges; i++) {
		struct edge *e = &m->edges[i];

		for (size_t j = e->site; j < e->site + e->nsites; j++)
			e->ticks += m->sites[j].ticks;
		m->costs[e->caller].total += e->ticks;
	}
}
