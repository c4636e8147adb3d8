/*
 * The model: ticks and calls by function.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "search.h"

#include <stdlib.h>

/* A range may begin before the first function; no instruction is there.  `elsewhere`: ticks for
 * whose being in no function there is another reason. */
static void
check_program(const struct model *m, double elsewhere)
{
	const double outside = m->costs[FUNCTION_UNKNOWN].self - elsewhere;

	if (outside > 0)
		note("%s has no code where %.0f of %.0f ticks are; is it the program that ran?",
		     m->symbols->program, outside, m->ticks);
}

/* Returns the calls of a function itself from that place. */
static uint64_t
calls_of_head(const struct gmon *g, const struct function *f, uint64_t from)
{
	size_t at;

	SEARCH(at, g->narcs,
	       g->arcs[at].from < from || (g->arcs[at].from == from && g->arcs[at].self < f->low));
	return at < g->narcs && g->arcs[at].from == from && g->arcs[at].self < f->high
	           ? g->arcs[at].count
	           : 0;
}

/* Returns how many calls of the function an arc stands for.  A function that goes on in a part of
 * its own has not called itself; if it does so by a jump, its caller has called both at one place,
 * and the part no more often than the function. */
static uint64_t
calls_by(const struct model *m, const struct gmon_arc *arc, uint32_t caller, uint32_t callee)
{
	const uint32_t part = parts_at(m->symbols, arc->self);
	uint64_t head;

	if (part == 0)
		return arc->count;
	if (caller == callee && parts_at(m->symbols, arc->from) != part)
		return 0;
	head = calls_of_head(m->gmon, &m->symbols->functions[callee], arc->from);
	return arc->count > head ? arc->count - head : 0;
}

/* A call of something that is no function of this program is no arc, for gprof either. */
static void
add_sites(struct model *m)
{
	uint64_t lost = 0;
	size_t span = 0;

	for (size_t i = 0; i < m->gmon->narcs; i++) {
		const struct gmon_arc *arc = &m->gmon->arcs[i];
		uint32_t callee = symbols_function(m->symbols, arc->self), caller;
		uint64_t calls;

		/* Arcs come in the order of the calling addresses. */
		span = symbols_next_span(m->symbols, span, arc->from);

		if (callee == FUNCTION_UNKNOWN) {
			lost += arc->count;
			continue;
		}
		caller = symbols_function_at(m->symbols, span, arc->from);
		calls = calls_by(m, arc, caller, callee);
		if (calls > 0)
			sites_add(m, &(struct site){ .caller = caller,
			                             .callee = callee,
			                             .from = arc->from,
			                             .calls = calls,
			                             .by_self = caller == callee });
	}
	sites_merge(m);
	if (lost > 0)
		note(
		    "%s has no such functions: %ju calls are left out; is it the program that ran?",
		    m->symbols->program, (uintmax_t)lost);
}

void
model_add_edges(struct model *m)
{
	struct edge *e = NULL;

	m->edges = memory_array(m->nsites, sizeof(*m->edges));
	for (size_t i = 0; i < m->nsites; i++) {
		const struct site *site = &m->sites[i];
		struct cost *caller = &m->costs[site->caller], *callee = &m->costs[site->callee];

		if (e == NULL || e->caller != site->caller || e->callee != site->callee) {
			if (caller->nedges++ == 0)
				caller->edge = m->nedges;
			e = &m->edges[m->nedges++];
			*e = (struct edge){ .caller = site->caller,
				            .callee = site->callee,
				            .site = i };
		}
		e->nsites++;
		e->calls += site->calls;
		callee->calls += site->calls;
		e->by_self += site->by_self ? site->calls : 0;
		callee->by_self += site->by_self ? site->calls : 0;
		m->calls += site->calls;
	}
}

void
model_make(struct model *m, const struct gmon *g, const struct symbols *s,
           const struct stacks *stacks, char *const *files)
{
	*m = (struct model){ .gmon = g, .symbols = s, .stacks = stacks, .files = files };
	m->first_inlined = (uint32_t)s->nfunctions;
	m->costs = memory_array(s->nfunctions, sizeof(*m->costs));
	if (stacks != NULL)
		measured_make(m);
	check_program(m, stacks != NULL ? (double)stacks->outside : spots_make(m));
	add_sites(m);
	model_add_edges(m);
	groups_make(m);
	for (size_t f = 0; f < s->nfunctions; f++)
		m->costs[f].body = m->costs[f].self;
}

void
model_free(struct model *m)
{
	free(m->costs);
	free(m->spots);
	free(m->sites);
	free(m->edges);
	free(m->groups);
	free(m->members);
}

double
model_seconds(const struct model *m, double ticks)
{
	return ticks / m->gmon->rate;
}

enum stacks_what
model_what(const struct model *m)
{
	return m->stacks == NULL ? STACKS_CPU : m->stacks->what;
}

uint32_t
model_own_functions(const struct model *m)
{
	return m->stacks != NULL ? m->stacks->cut : m->first_inlined;
}

bool
model_has(const struct model *m, uint32_t function)
{
	const struct cost *c = &m->costs[function];

	return c->nspots > 0 || c->calls > 0 || c->nedges > 0;
}
