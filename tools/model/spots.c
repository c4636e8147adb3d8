/*
 * The ticks of the bins, divided among functions.
 *
 * The work is bounded even if each of many ranges has bins that lie in a million functions, or if a
 * histogram is full: ticks are never lost, but where they are is known less exactly.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>

/* Most parts of bins that lie in more functions than two, and most places of ticks. */
enum { MOST_PARTS = 1 << 25, MOST_SPOTS = 1 << 24 };

struct dividing {
	struct model *m;
	size_t span; /* the first span that ends above the bin's start */
	size_t parts;
	double undivided; /* ticks */
	bool crowded;
};

/* Until the spots are sorted, c->spot is the function's last one. */
static void
add_spot(struct dividing *d, uint32_t function, uint64_t pc, uint64_t bytes, double ticks)
{
	struct model *m = d->m;
	struct cost *c = &m->costs[function];
	struct spot *last = c->nspots > 0 ? &m->spots[c->spot] : NULL;

	if (m->symbols->functions[function].runtime) {
		m->runtime_ticks += ticks;
		return;
	}
	m->ticks += ticks;
	c->self += ticks;
	if (last != NULL && (last->pc == pc || m->nspots >= MOST_SPOTS)) {
		d->crowded |= last->pc != pc;
		last->ticks += ticks;
		return;
	}
	m->spots = memory_grow(m->spots, m->nspots, sizeof(*m->spots));
	m->spots[m->nspots] =
	    (struct spot){ function, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, pc, ticks };
	c->spot = m->nspots++;
	c->nspots++;
}

/* gprof divides in units of 2 bytes; we do, too, for the same result. */
static uint64_t
unit_start(uint64_t pc)
{
	return pc & ~(uint64_t)1;
}

/* The bytes of a bin that are in the span. */
static uint64_t
overlap(const struct span *span, uint64_t low, uint64_t high)
{
	uint64_t from = unit_start(span->low), to = unit_start(span->high);

	from = from > low ? from : low;
	to = to < high ? to : high;
	return to > from ? to - from : 0;
}

/* Returns the end of the spans that the bin lies in, and how many of its bytes are theirs; the
 * first span, and no bytes, if the bin is not to be divided. */
static size_t
end_of(struct dividing *d, uint64_t low, uint64_t high, uint64_t *bytes)
{
	const struct symbols *s = d->m->symbols;
	size_t i = d->span;

	*bytes = 0;
	for (; i < s->nspans && unit_start(s->spans[i].low) < high; i++) {
		if (i >= d->span + 2 && ++d->parts > MOST_PARTS) {
			*bytes = 0;
			return d->span;
		}
		*bytes += overlap(&s->spans[i], low, high);
	}
	return i;
}

/* A bin that lies in several functions is divided by bytes; bytes of no function, behind the end of
 * a section, have no part in it. */
static void
add_bin(struct dividing *d, uint64_t low, uint64_t high, uint64_t ticks)
{
	uint64_t all;
	const size_t end = end_of(d, low, high, &all);

	if (all == 0) {
		add_spot(d, FUNCTION_UNKNOWN, low, high - low, (double)ticks);
		d->undivided += d->parts > MOST_PARTS ? (double)ticks : 0;
	}
	for (size_t i = d->span; i < end; i++) {
		const struct span *span = &d->m->symbols->spans[i];
		uint64_t part = overlap(span, low, high);

		if (part > 0)
			add_spot(d, span->function, span->low > low ? span->low : low, part,
			         part == all ? (double)ticks
			                     : (double)ticks * ((double)part / (double)all));
	}
}

static void
add_range(struct dividing *d, const struct gmon_range *r)
{
	for (size_t i = 0; i < r->bins.n; i++) {
		const struct bin *bin = &r->bins.bin[i];
		uint64_t low = gmon_bin_start(r, bin->index);
		uint64_t high = gmon_bin_start(r, bin->index + 1);

		d->span = i == 0 ? symbols_span(d->m->symbols, low)
		                 : symbols_next_span(d->m->symbols, d->span, low);
		add_bin(d, low, high > low ? high : low + 1, bin->ticks);
	}
}

static int
compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Sorts the spots of one function, which come in order from each range. */
static void
sort_run(struct spot *spots, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (spots[i].pc < spots[i - 1].pc) {
			qsort(spots, n, sizeof(*spots), compare_spots);
			return;
		}
}

/* Sorts the spots by function, then address. */
static void
sort_spots(struct model *m)
{
	struct spot *sorted = memory_array(m->nspots, sizeof(*sorted));
	size_t sum = 0;

	for (uint32_t f = 0; f < m->symbols->nfunctions; f++) {
		m->costs[f].spot = sum;
		sum += m->costs[f].nspots;
	}
	for (size_t i = 0; i < m->nspots; i++)
		sorted[m->costs[m->spots[i].function].spot++] = m->spots[i];
	for (uint32_t f = 0; f < m->symbols->nfunctions; f++) {
		m->costs[f].spot -= m->costs[f].nspots;
		sort_run(sorted + m->costs[f].spot, m->costs[f].nspots);
	}
	free(m->spots);
	m->spots = sorted;
}

/* Prints.  Returns the ticks that are divided among no functions, because that takes too long. */
double
spots_make(struct model *m)
{
	struct dividing d = { .m = m };

	for (size_t i = 0; i < m->gmon->nranges; i++)
		add_range(&d, &m->gmon->ranges[i]);
	sort_spots(m);
	if (d.undivided > 0)
		note("%s: too many bins lie in too many functions: %.0f ticks are left undivided, "
		     "as [unknown]",
		     m->symbols->program, d.undivided);
	if (d.crowded)
		note("%s: ticks are in too many places: the source lines of some are left out",
		     m->symbols->program);
	return d.undivided;
}
