/*
 * pprof's format (common/pprof_write.c).
 *
 * Three values a sample: ticks, nanoseconds, calls.  Time is on measured stacks, each frame at its
 * address and line, or on chains of callers (chains.c); the calls of each arc, which are exact, are
 * a sample of their own of two frames.
 *
 * Chains end with a function, whose ticks are at many lines.  Which of them a caller has is not
 * known, so they are dealt out to the chains in order: each line has its ticks, and each chain,
 * too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "pprof.h"

#include <err.h>
#include <stdlib.h>

enum { TICKS, NANOSECONDS, CALLS, NVALUES };
/* So many samples may there be, so that chains are not divided by lines without end. */
enum { MANY_SAMPLES = 1 << 20 };

/* How far the places of a part of own ticks (chain.part) are dealt out. */
struct hand {
	size_t spot;   /* of those of the part */
	uint64_t left; /* ticks of the spot before */
	struct round round;
};

struct writer {
	const struct model *m;
	struct pprof_places places;
	struct hand *hands; /* one for each part */
	size_t nsamples;
	bool crowded;
	size_t left_out; /* values of a sample: there are no ticks but of CPU time */
};

static void
put_type(struct writer *w, enum pprof_type field, const char *type, const char *unit)
{
	const uint64_t number = pprof_text(&w->places, type);

	pprof_put_type(w->places.out, field, number, pprof_text(&w->places, unit));
}

static void
put_sample(struct writer *w, const uint64_t *locations, size_t n, uint64_t ticks, uint64_t calls)
{
	const uint64_t values[NVALUES] = {
		[TICKS] = ticks,
		[NANOSECONDS] =
		    (uint64_t)((unsigned __int128)ticks * 1000000000 / w->m->gmon->rate),
		[CALLS] = calls,
	};

	pprof_put_sample(w->places.out, &(struct pprof_sample){ .locations = locations,
	                                                        .nlocations = n,
	                                                        .values = values + w->left_out,
	                                                        .nvalues = NVALUES - w->left_out });
	w->nsamples++;
}

static void
spots_of_part(const struct writer *w, size_t part, size_t *spot, size_t *n)
{
	const struct model *m = w->m;

	*spot = m->physical != NULL ? m->physical->parts[part].spot : m->costs[part].spot;
	*n = m->physical != NULL ? m->physical->parts[part].nspots : m->costs[part].nspots;
}

/* Takes the next of a part's ticks that are at one place, `most` at most.  Returns how many: all
 * that are wanted from the last place on, by which rounding comes out even. */
static uint64_t
deal(struct writer *w, size_t part, const struct pprof_frames *in, uint64_t most,
     uint64_t *location_id)
{
	struct hand *h = &w->hands[part];
	size_t first, nspots;
	uint64_t n;

	spots_of_part(w, part, &first, &nspots);
	if (w->nsamples >= MANY_SAMPLES && nspots > 1) {
		w->crowded = true;
		*location_id = pprof_location_of_frames(&w->places, in);
		return most;
	}
	while (h->left == 0 && h->spot < nspots)
		h->left = round_take(&h->round, w->m->spots[first + h->spot++].ticks);
	n = h->spot == nspots || h->left > most ? most : h->left;
	h->left -= n < h->left ? n : h->left;
	*location_id = pprof_location_of_spot(&w->places, first + h->spot - 1, in);
	return n;
}

static bool
is_inlined(const struct writer *w, uint32_t frame)
{
	return frame < w->m->symbols->nfunctions && w->m->symbols->functions[frame].inlined;
}

/* Puts the frames that are one location, from the number i on.  Returns how many they are. */
static size_t
take_group(const struct writer *w, const struct chain *c, size_t i, struct pprof_frames *g)
{
	const size_t first = i;

	g->n = 0;
	g->pc = 0;
	do
		pprof_add_frame(g, c->frames[i++], 0);
	while (i < c->n && is_inlined(w, c->frames[i]));
	return i - first;
}

static void
take_chain(void *arg, const struct chain *c)
{
	size_t start[MOST_STACK], ngroups = 0, next = 0;
	uint64_t locations[MOST_STACK];
	struct writer *w = arg;
	struct pprof_frames g;

	do {
		start[ngroups++] = next;
		next += take_group(w, c, next, &g);
	} while (next < c->n);
	for (uint64_t n, left = c->ticks; left > 0; left -= n) {
		take_group(w, c, start[ngroups - 1], &g);
		n = deal(w, c->part, &g, left, &locations[0]);
		for (size_t i = 1; i < ngroups; i++) {
			take_group(w, c, start[ngroups - 1 - i], &g);
			locations[i] = pprof_location_of_frames(&w->places, &g);
		}
		put_sample(w, locations, ngroups, n, 0);
	}
}

static void
add_stacks(struct writer *w)
{
	const struct stacks *all = w->m->stacks;
	uint64_t locations[MOST_STACK];

	for (size_t i = 0; i < all->n; i++) {
		const struct stack *stack = &all->stack[i];
		size_t first = MOST_STACK;

		for (uint32_t j = 0; j < stack->n;)
			locations[--first] = pprof_location_in_stack(&w->places, stack, &j);
		put_sample(w, locations + first, MOST_STACK - first, stack->ticks, 0);
	}
}

static void
put_calls(struct writer *w, const struct edge *e, uint32_t context, uint64_t calls)
{
	uint32_t functions[MOST_INLINED];
	uint64_t locations[2];
	struct pprof_frames caller = { 0 };
	const size_t n = context == 0 ? 0 : inlines_functions(w->m->inlines, context, functions);

	pprof_add_frame(&caller, e->caller, 0);
	for (size_t i = 0; i < n; i++)
		pprof_add_frame(&caller, w->m->first_inlined + functions[i], 0);
	locations[0] = pprof_location(&w->places, e->callee);
	locations[1] = pprof_location_of_frames(&w->places, &caller);
	put_sample(w, locations, 2, 0, calls > INT64_MAX ? INT64_MAX : calls);
}

/* Calls that only stacks have seen have no number. */
static void
add_calls(struct writer *w)
{
	const struct model *m = w->m->physical != NULL ? w->m->physical : w->m;

	for (size_t i = 0; i < m->nedges; i++) {
		const struct edge *e = &m->edges[i];

		if (e->calls > 0 && e->nparts == 0)
			put_calls(w, e, 0, e->calls);
		for (size_t j = e->part; j < e->part + e->nparts; j++)
			if (m->parts[j].calls > 0)
				put_calls(w, e, m->parts[j].context, m->parts[j].calls);
	}
}

static void
add_mapping(struct writer *w)
{
	const struct symbols *s = w->m->symbols;
	const struct pprof_mapping map = {
		.low = s->spans[0].low,
		.high = s->spans[s->nspans - 1].high,
		.file = pprof_text(&w->places, s->program),
		.build_id = pprof_text(&w->places, s->build_id),
		.has_functions = true,
		.has_files = s->lines.n > 0,
		.has_lines = s->lines.n > 0,
		.has_inlines = w->m->inlines != NULL,
	};

	pprof_put_mapping(w->places.out, &map);
}

/* Returns 0, which readers take for unknown, before 1970 and after 2262. */
static uint64_t
nanoseconds(const struct timespec *t)
{
	return t->tv_sec < 0 || t->tv_sec >= INT64_MAX / 1000000000
	           ? 0
	           : (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

static const char *
comment(const struct model *m)
{
	if (m->calls == 0)
		return m->stacks != NULL ? "stacks are measured; no calls were counted"
		                         : "no calls were counted";
	return m->stacks != NULL
	           ? "stacks are measured; calls are exact"
	           : "stacks are worked out from the shares of calls; calls are exact";
}

static void
put_head(struct writer *w)
{
	const char *type = stacks_type(model_what(w->m));
	struct pprof_file *out = w->places.out;

	if (w->left_out == 0)
		put_type(w, PPROF_SAMPLE_TYPE, "samples", "count");
	put_type(w, PPROF_SAMPLE_TYPE, type, "nanoseconds");
	put_type(w, PPROF_SAMPLE_TYPE, "calls", "count");
	put_type(w, PPROF_PERIOD_TYPE, type, "nanoseconds");
	pprof_put_number(out, PPROF_DEFAULT_TYPE, pprof_text(&w->places, type));
	pprof_put_number(out, PPROF_PERIOD, 1000000000 / w->m->gmon->rate);
	pprof_put_number(out, PPROF_TIME, nanoseconds(&w->m->gmon->when));
	pprof_put_number(out, PPROF_COMMENT, pprof_text(&w->places, comment(w->m)));
	add_mapping(w);
}

static void
put_samples(struct writer *w)
{
	if (w->m->stacks != NULL)
		add_stacks(w);
	else
		chains_walk(w->m, take_chain, w);
	if (w->crowded)
		note("%s: ticks are in too many places: the source lines of some are left out",
		     w->m->symbols->program);
	add_calls(w);
}

void
pprof_write(const struct model *m, FILE *out)
{
	static struct writer w;

	if (m->stacks == NULL)
		note("pprof: stacks are worked out from the shares of calls; "
		     "the calls themselves, which are exact, are a sample type");
	w.m = m;
	w.left_out = model_what(m) != STACKS_CPU;
	pprof_places_make(&w.places, m, out);
	w.hands =
	    memory_array(m->symbols->nfunctions + (m->physical != NULL ? m->physical->nparts : 0),
	                 sizeof(*w.hands));
	put_head(&w);
	put_samples(&w);
	if (pprof_end(w.places.out) < 0)
		err(EXIT_BAD, "pprof");
}
