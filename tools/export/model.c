/*
 * The model: ticks and calls by function.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <stdlib.h>

static void
add_spot(struct model *m, uint32_t function, uint64_t pc, double ticks)
{
	if (m->symbols->functions[function].runtime) {
		m->runtime_ticks += ticks;
		return;
	}
	m->ticks += ticks;
	m->costs[function].self += ticks;
	m->spots = memory_grow(m->spots, m->nspots, sizeof(*m->spots));
	m->spots[m->nspots++] = (struct spot){ function, pc, ticks };
}

/* gprof divides in units of so many bytes; to be of its opinion we do, too. */
static uint64_t
unit_start(uint64_t pc)
{
	return pc & ~(uint64_t)1;
}

/* The bytes of a bin that are the span's. */
static uint64_t
overlap(const struct span *span, uint64_t low, uint64_t high)
{
	uint64_t from = unit_start(span->low), to = unit_start(span->high);

	from = from > low ? from : low;
	to = to < high ? to : high;
	return to > from ? to - from : 0;
}

/* A bin that lies in several functions is divided by bytes; those of no function, behind the end of
 * a section, have no part in it. */
static void
add_bin(struct model *m, uint64_t low, uint64_t high, uint64_t ticks)
{
	const struct symbols *s = m->symbols;
	const size_t first = symbols_span(s, low);
	uint64_t all = 0;

	for (size_t i = first; i < s->nspans && unit_start(s->spans[i].low) < high; i++)
		all += overlap(&s->spans[i], low, high);
	if (all == 0)
		add_spot(m, FUNCTION_UNKNOWN, low, (double)ticks);
	for (size_t i = first; i < s->nspans && unit_start(s->spans[i].low) < high; i++) {
		const struct span *span = &s->spans[i];
		uint64_t part = overlap(span, low, high);

		if (part > 0)
			add_spot(m, span->function, span->low > low ? span->low : low,
			         part == all ? (double)ticks
			                     : (double)ticks * ((double)part / (double)all));
	}
}

static void
add_bins(struct model *m)
{
	for (size_t i = 0; i < m->gmon->nranges; i++) {
		const struct gmon_range *r = &m->gmon->ranges[i];

		for (size_t j = 0; j < r->bins.n; j++) {
			const struct bin *bin = &r->bins.bin[j];
			uint64_t low = gmon_bin_start(r, bin->index);
			uint64_t high = gmon_bin_start(r, bin->index + 1);

			add_bin(m, low, high > low ? high : low + 1, bin->ticks);
		}
	}
}

/* A range may begin before the first function; no instruction is there. */
static void
check_program(const struct model *m)
{
	const double outside = m->costs[FUNCTION_UNKNOWN].self;

	if (outside > 0)
		note("%s has no code where %.0f of %.0f ticks are; is it the program that ran?",
		     m->symbols->program, outside, m->ticks);
}

static int
compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void
sort_spots(struct model *m)
{
	if (m->nspots > 0)
		qsort(m->spots, m->nspots, sizeof(*m->spots), compare_spots);
	for (size_t i = 0; i < m->nspots; i++) {
		struct cost *c = &m->costs[m->spots[i].function];

		if (c->nspots++ == 0)
			c->spot = i;
	}
}

static int
compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* A call of something that is no function of this program is no arc, for gprof either. */
static void
add_sites(struct model *m)
{
	uint64_t lost = 0;

	m->sites = memory_array(m->gmon->narcs, sizeof(*m->sites));
	for (size_t i = 0; i < m->gmon->narcs; i++) {
		const struct gmon_arc *arc = &m->gmon->arcs[i];
		uint32_t callee = symbols_function(m->symbols, arc->self);

		if (callee == FUNCTION_UNKNOWN) {
			lost += arc->count;
			continue;
		}
		m->sites[m->nsites++] = (struct site){ symbols_function(m->symbols, arc->from),
			                               callee, arc->from, arc->count };
	}
	if (m->nsites > 0)
		qsort(m->sites, m->nsites, sizeof(*m->sites), compare_sites);
	if (lost > 0)
		note(
		    "%s has no such functions: %ju calls are left out; is it the program that ran?",
		    m->symbols->program, (uintmax_t)lost);
}

static void
add_edges(struct model *m)
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
		callee->by_self += site->caller == site->callee ? site->calls : 0;
		m->calls += site->calls;
	}
}

void
model_make(struct model *m, const struct gmon *g, const struct symbols *s, char *const *files)
{
	*m = (struct model){ .gmon = g, .symbols = s, .files = files };
	m->costs = memory_array(s->nfunctions, sizeof(*m->costs));
	add_bins(m);
	check_program(m);
	sort_spots(m);
	add_sites(m);
	add_edges(m);
	groups_make(m);
}

double
model_seconds(const struct model *m, double ticks)
{
	return ticks / m->gmon->rate;
}
