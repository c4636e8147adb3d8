/*
 * pprof's format: a protocol buffer (profile.proto), compressed by gzip.
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
#include <string.h>
#include <zlib.h>

typedef Perftools__Profiles__Profile Profile;
typedef Perftools__Profiles__ValueType ValueType;
typedef Perftools__Profiles__Sample Sample;
typedef Perftools__Profiles__Mapping Mapping;

enum { TICKS, NANOSECONDS, CALLS, NVALUES };
/* What is longer is compressed less, so that it does not take half a minute. */
enum { MOST_COMPRESSED = 32 << 20 };
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
	Profile *p;
	struct pprof_places places;
	struct hand *hands; /* one for each part */
	bool crowded;
	size_t left_out; /* values of a sample: there are no ticks but of CPU time */
};

static ValueType *
value_type(struct writer *w, const char *type, const char *unit)
{
	ValueType *v = memory_array(1, sizeof(*v));

	perftools__profiles__value_type__init(v);
	v->type = pprof_text(&w->places, type);
	v->unit = pprof_text(&w->places, unit);
	return v;
}

static Sample *
add_sample(struct writer *w, size_t nframes)
{
	Sample *s = memory_array(1, sizeof(*s));

	perftools__profiles__sample__init(s);
	s->n_location_id = nframes;
	s->location_id = memory_array(nframes, sizeof(*s->location_id));
	s->n_value = NVALUES - w->left_out;
	s->value = memory_array(NVALUES, sizeof(*s->value));
	w->p->sample = memory_grow(w->p->sample, w->p->n_sample, sizeof(Sample *));
	w->p->sample[w->p->n_sample++] = s;
	return s;
}

static void
put_time(const struct writer *w, Sample *s, uint64_t ticks)
{
	s->value[TICKS] = (int64_t)ticks;
	s->value[NANOSECONDS - w->left_out] =
	    (int64_t)((unsigned __int128)ticks * 1000000000 / w->m->gmon->rate);
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
	if (w->p->n_sample >= MANY_SAMPLES && nspots > 1) {
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
	struct writer *w = arg;
	struct pprof_frames g;

	do {
		start[ngroups++] = next;
		next += take_group(w, c, next, &g);
	} while (next < c->n);
	for (uint64_t n, left = c->ticks; left > 0; left -= n) {
		Sample *s = add_sample(w, ngroups);

		take_group(w, c, start[ngroups - 1], &g);
		n = deal(w, c->part, &g, left, &s->location_id[0]);
		for (size_t i = 1; i < ngroups; i++) {
			take_group(w, c, start[ngroups - 1 - i], &g);
			s->location_id[i] = pprof_location_of_frames(&w->places, &g);
		}
		put_time(w, s, n);
	}
}

static void
add_stacks(struct writer *w)
{
	const struct stacks *all = w->m->stacks;
	uint64_t locations[MOST_STACK];

	for (size_t i = 0; i < all->n; i++) {
		const struct stack *stack = &all->stack[i];
		size_t n = 0;
		Sample *s;

		for (uint32_t j = 0; j < stack->n;)
			locations[n++] = pprof_location_in_stack(&w->places, stack, &j);
		s = add_sample(w, n);
		for (size_t j = 0; j < n; j++)
			s->location_id[j] = locations[n - 1 - j];
		put_time(w, s, stack->ticks);
	}
}

static void
put_calls(struct writer *w, const struct edge *e, uint32_t context, uint64_t calls)
{
	Sample *s = add_sample(w, 2);
	uint32_t functions[MOST_INLINED];
	struct pprof_frames caller = { 0 };
	const size_t n = context == 0 ? 0 : inlines_functions(w->m->inlines, context, functions);

	pprof_add_frame(&caller, e->caller, 0);
	for (size_t i = 0; i < n; i++)
		pprof_add_frame(&caller, w->m->first_inlined + functions[i], 0);
	s->location_id[0] = pprof_location(&w->places, e->callee);
	s->location_id[1] = pprof_location_of_frames(&w->places, &caller);
	s->value[CALLS - w->left_out] = (int64_t)(calls > INT64_MAX ? INT64_MAX : calls);
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
	Mapping *map = memory_array(1, sizeof(*map));

	perftools__profiles__mapping__init(map);
	map->id = 1;
	map->memory_start = s->spans[0].low;
	map->memory_limit = s->spans[s->nspans - 1].high;
	map->filename = pprof_text(&w->places, s->program);
	map->build_id = pprof_text(&w->places, s->build_id);
	map->has_functions = true;
	map->has_filenames = map->has_line_numbers = s->lines.n > 0;
	map->has_inline_frames = w->m->inlines != NULL;
	w->p->mapping = memory_array(1, sizeof(Mapping *));
	w->p->mapping[w->p->n_mapping++] = map;
}

/* Returns 0, which readers take for unknown, before 1970 and after 2262. */
static int64_t
nanoseconds(const struct timespec *t)
{
	return t->tv_sec < 0 || t->tv_sec >= INT64_MAX / 1000000000
	           ? 0
	           : t->tv_sec * 1000000000 + t->tv_nsec;
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
fill(struct writer *w)
{
	Profile *p = w->p;
	const char *type = stacks_type(model_what(w->m));

	pprof_text(&w->places, "");
	p->n_sample_type = NVALUES - w->left_out;
	p->sample_type = memory_array(NVALUES, sizeof(ValueType *));
	if (w->left_out == 0)
		p->sample_type[TICKS] = value_type(w, "samples", "count");
	p->sample_type[NANOSECONDS - w->left_out] = value_type(w, type, "nanoseconds");
	p->sample_type[CALLS - w->left_out] = value_type(w, "calls", "count");
	p->default_sample_type = pprof_text(&w->places, type);
	p->period_type = value_type(w, type, "nanoseconds");
	p->period = 1000000000 / w->m->gmon->rate;
	p->time_nanos = nanoseconds(&w->m->gmon->when);
	p->n_comment = 1;
	p->comment = memory_array(1, sizeof(*p->comment));
	p->comment[0] = pprof_text(&w->places, comment(w->m));
	add_mapping(w);
	if (w->m->stacks != NULL)
		add_stacks(w);
	else
		chains_walk(w->m, take_chain, w);
	if (w->crowded)
		note("%s: ticks are in too many places: the source lines of some are left out",
		     w->m->symbols->program);
	add_calls(w);
}

static void
put_compressed(FILE *out, uint8_t *data, size_t len)
{
	uint8_t block[32 << 10];
	z_stream z = { .next_in = data };
	const int level = len > MOST_COMPRESSED ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
	int ret;

	if (deflateInit2(&z, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		errx(EXIT_BAD, "pprof: zlib: %s", z.msg != NULL ? z.msg : "no memory");
	do {
		if (z.avail_in == 0) {
			z.avail_in = len < (1U << 30) ? (uInt)len : 1U << 30;
			len -= z.avail_in;
		}
		z.next_out = block;
		z.avail_out = sizeof(block);
		ret = deflate(&z, len == 0 ? Z_FINISH : Z_NO_FLUSH);
		fwrite(block, 1, sizeof(block) - z.avail_out, out);
	} while (ret == Z_OK || ret == Z_BUF_ERROR);
	deflateEnd(&z);
	if (ret != Z_STREAM_END)
		errx(EXIT_BAD, "pprof: zlib: error %d", ret);
}

/* The memory stays until the end, which is near: millions of pieces would have to be freed. */
void
pprof_write(const struct model *m, FILE *out)
{
	static struct writer w;
	uint8_t *data;
	size_t len;

	if (m->stacks == NULL)
		note("pprof: stacks are worked out from the shares of calls; "
		     "the calls themselves, which are exact, are a sample type");
	w.m = m;
	w.left_out = model_what(m) != STACKS_CPU;
	w.p = memory_array(1, sizeof(*w.p));
	perftools__profiles__profile__init(w.p);
	pprof_places_make(&w.places, m, w.p);
	w.hands =
	    memory_array(m->symbols->nfunctions + (m->physical != NULL ? m->physical->nparts : 0),
	                 sizeof(*w.hands));
	fill(&w);
	len = perftools__profiles__profile__get_packed_size(w.p);
	data = memory_array(len, 1);
	perftools__profiles__profile__pack(w.p, data);
	put_compressed(out, data, len);
	free(data);
}
