/*
 * The time and the calls of functions, divided by the inlined functions that their code is in.
 *
 * A bin that lies in several of them is divided by bytes, as among functions.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include <stdlib.h>

/* Most places of ticks, as in spots.c. */
enum { MOST_SPOTS = 1 << 24 };

struct piece {
	struct spot spot;
	uint32_t function, context; /* the symbol's, and in it */
};

struct pieces {
	struct model *m;
	struct piece *piece;
	size_t n;
};

uint32_t
inline_parts_function(const struct model *m, uint32_t call)
{
	return m->first_inlined + m->inlines->function[call - 1];
}

/* Of code in a call, all that it cost is a cost of the calls around it, too.  As in measured.c, of
 * the frames of a function only the innermost counts. */
void
inline_parts_add_calls(struct model *m, uint32_t function, uint32_t call, double ticks)
{
	uint32_t chain[MOST_INLINED], frames[MOST_INLINED + 1] = { function };
	const size_t n = call == 0 ? 0 : inlines_chain(m->inlines, call, chain);

	for (size_t i = 0; i < n; i++)
		frames[i + 1] = inline_parts_function(m, chain[i]);
	for (size_t i = n, j; i-- > 0;) {
		for (j = i + 1; j <= n && frames[j] != frames[i]; j++)
			continue;
		if (j > n)
			sites_add(m, &(struct site){ .caller = frames[i],
			                             .callee = frames[i + 1],
			                             .from = m->inlines->calls[chain[i] - 1].low,
			                             .ticks = ticks,
			                             .call = chain[i] });
	}
}

static void
add_piece(struct pieces *p, const struct spot *from, uint32_t call, uint64_t pc, double ticks)
{
	const uint32_t function = call == 0 ? from->function : inline_parts_function(p->m, call);
	struct cost *c = &p->m->costs[function];

	p->piece = memory_grow(p->piece, p->n, sizeof(*p->piece));
	p->piece[p->n++] = (struct piece){ { function, 1, pc, ticks },
		                           from->function,
		                           call == 0 ? 0 : p->m->inlines->context[call - 1] };
	c->nspots++;
	c->self += ticks;
	inline_parts_add_calls(p->m, from->function, call, ticks);
}

static void
divide(struct pieces *p, const struct spot *spot)
{
	uint64_t end = spot->pc + spot->bytes, at = spot->pc, next;
	uint32_t call;

	if (spot->function == FUNCTION_UNKNOWN) {
		add_piece(p, spot, 0, at, spot->ticks);
		return;
	}
	call = inlines_at(p->m->inlines, at, &next);
	if (next >= end || end < at || p->n >= MOST_SPOTS) {
		add_piece(p, spot, call, at, spot->ticks);
		return;
	}
	for (; at < end; at = next) {
		call = inlines_at(p->m->inlines, at, &next);
		next = next < end ? next : end;
		add_piece(p, spot, call, at,
		          spot->ticks * ((double)(next - at) / (double)spot->bytes));
	}
}

static int
compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->spot.function != y->spot.function)
		return x->spot.function < y->spot.function ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->spot.pc < y->spot.pc ? -1 : x->spot.pc > y->spot.pc;
}

static int
compare_parts(const void *a, const void *b)
{
	const struct inline_part *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->context < y->context ? -1 : x->context > y->context;
}

static struct inline_part *
add_part(struct model *p, uint32_t function, uint32_t context)
{
	p->parts = memory_grow(p->parts, p->nparts, sizeof(*p->parts));
	p->parts[p->nparts] = (struct inline_part){ .function = function, .context = context };
	return &p->parts[p->nparts++];
}

/* Takes the pieces, which are sorted, as spots, and each run of them as a part. */
static void
take_pieces(struct pieces *p)
{
	struct model *m = p->m;
	struct inline_part *part = NULL;

	m->spots = memory_array(p->n, sizeof(*m->spots));
	m->nspots = p->n;
	for (size_t i = p->n; i-- > 0;) {
		m->spots[i] = p->piece[i].spot;
		m->costs[m->spots[i].function].spot = i;
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct piece *one = &p->piece[i];

		if (part == NULL || part->function != one->function ||
		    part->context != one->context) {
			part = add_part(m->physical, one->function, one->context);
			part->spot = i;
		}
		part->nspots++;
		part->ticks += one->spot.ticks;
	}
}

/* Divides the spots. */
void
inline_parts_of_spots(struct model *m)
{
	struct model *physical = m->physical;
	struct pieces p = { .m = m };

	for (size_t i = 0; i < physical->nspots; i++)
		divide(&p, &physical->spots[i]);
	if (p.n > 0)
		qsort(p.piece, p.n, sizeof(*p.piece), compare_pieces);
	take_pieces(&p);
	free(p.piece);
	m->ticks = physical->ticks;
	m->runtime_ticks = physical->runtime_ticks;
	if (physical->nparts > 0)
		qsort(physical->parts, physical->nparts, sizeof(*physical->parts), compare_parts);
	physical->nown = physical->nparts;
	for (size_t i = physical->nparts; i-- > 0;) {
		struct cost *c = &physical->costs[physical->parts[i].function];

		c->part = i;
		c->nparts++;
	}
}

static uint32_t
context_at(const struct model *m, const struct site *site)
{
	uint64_t next;
	const uint32_t call =
	    site->caller == FUNCTION_UNKNOWN ? 0 : inlines_at(m->inlines, site->from, &next);

	return call == 0 ? 0 : m->inlines->context[call - 1];
}

/* Divides the calls of an edge. */
static void
divide_calls(struct model *m, struct edge *e)
{
	struct model *p = m->physical;
	struct inline_part *parts = memory_array(e->nsites, sizeof(*parts)), *part = NULL;

	for (size_t i = 0; i < e->nsites; i++) {
		const struct site *site = &p->sites[e->site + i];

		parts[i] = (struct inline_part){ .function = e->caller,
			                         .context = context_at(m, site),
			                         .calls = site->calls };
	}
	qsort(parts, e->nsites, sizeof(*parts), compare_parts);
	e->part = p->nparts;
	for (size_t i = 0; i < e->nsites; i++) {
		if (part == NULL || part->context != parts[i].context)
			part = add_part(p, e->caller, parts[i].context);
		part->calls += parts[i].calls;
	}
	e->nparts = p->nparts - e->part;
	free(parts);
}

void
inline_parts_of_edges(struct model *m)
{
	for (size_t i = 0; i < m->physical->nedges; i++)
		if (m->physical->edges[i].calls > 0)
			divide_calls(m, &m->physical->edges[i]);
}
