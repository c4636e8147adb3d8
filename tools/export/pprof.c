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
#include "export.h"

#include "profile.pb-c.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef Perftools__Profiles__Profile Profile;
typedef Perftools__Profiles__ValueType ValueType;
typedef Perftools__Profiles__Sample Sample;
typedef Perftools__Profiles__Mapping Mapping;
typedef Perftools__Profiles__Location Location;
typedef Perftools__Profiles__Line Line;
typedef Perftools__Profiles__Function Function;

enum { TICKS, NANOSECONDS, CALLS, NVALUES };
/* What is longer is compressed less, so that it does not take half a minute. */
enum { MOST_COMPRESSED = 32 << 20 };
/* So many samples may there be, so that chains are not divided by lines without end. */
enum { MANY_SAMPLES = 1 << 20 };

/* How far the places of a function's own ticks are dealt out. */
struct hand {
	size_t spot;   /* of those of the function */
	uint64_t left; /* ticks of the spot before */
	struct round round;
};

struct writer {
	const struct model *m;
	Profile *p;
	struct names texts;
	size_t nframes;      /* numbers that frames of chains have */
	uint64_t *functions; /* id of each frame's function; 0: not there yet */
	uint64_t *locations; /* of each frame's location, then those of the places of stacks, or of
	                      * the spots */
	struct hand *hands;  /* one for each function */
	bool crowded;
	size_t left_out; /* values of a sample: there are no ticks but of CPU time */
};

static int64_t
text(struct writer *w, const char *s)
{
	const char *kept;
	const uint32_t known = w->texts.n, number = names_number(&w->texts, s, &kept);
	Profile *p = w->p;

	if (number == known) {
		p->string_table = memory_grow(p->string_table, p->n_string_table, sizeof(char *));
		p->string_table[p->n_string_table++] = (char *)kept;
	}
	return number;
}

static ValueType *
value_type(struct writer *w, const char *type, const char *unit)
{
	ValueType *v = memory_array(1, sizeof(*v));

	perftools__profiles__value_type__init(v);
	v->type = text(w, type);
	v->unit = text(w, unit);
	return v;
}

/* A cycle is a function without a file. */
static Function *
make_function(struct writer *w, uint32_t frame, uint64_t id)
{
	const struct symbols *s = w->m->symbols;
	Function *f = memory_array(1, sizeof(*f));
	char *name = chains_frame_name(w->m, frame);
	const char *symbol = frame < s->nfunctions ? s->functions[frame].symbol : name;
	const char *file;
	unsigned line;

	perftools__profiles__function__init(f);
	f->id = id;
	f->name = text(w, name);
	f->system_name = strcmp(name, symbol) == 0 ? f->name : text(w, symbol);
	if (frame < s->nfunctions && lines_find(&s->lines, s->functions[frame].low, &file, &line)) {
		f->filename = text(w, file);
		f->start_line = line;
	}
	free(name);
	return f;
}

static uint64_t
function(struct writer *w, uint32_t frame)
{
	Profile *p = w->p;

	if (w->functions[frame] != 0)
		return w->functions[frame];
	w->functions[frame] = p->n_function + 1;
	p->function = memory_grow(p->function, p->n_function, sizeof(Function *));
	p->function[p->n_function] = make_function(w, frame, w->functions[frame]);
	p->n_function++;
	return w->functions[frame];
}

/* Returns the source line, 0 if it is not known or in another file than the function begins in:
 * only the function has a place for a file's name. */
static unsigned
line_of(const struct writer *w, uint32_t frame, uint64_t pc)
{
	const struct symbols *s = w->m->symbols;
	const char *file, *function_file;
	unsigned line, function_line;

	if (!lines_find(&s->lines, pc, &file, &line) ||
	    !lines_find(&s->lines, s->functions[frame].low, &function_file, &function_line))
		return 0;
	return strcmp(file, function_file) == 0 ? line : 0;
}

/* `pc`: 0 if there is no address. */
static Location *
make_location(struct writer *w, uint32_t frame, uint64_t pc, uint64_t id)
{
	Location *l = memory_array(1, sizeof(*l));

	perftools__profiles__location__init(l);
	l->id = id;
	if (pc != 0) {
		l->mapping_id = 1;
		l->address = pc;
	}
	l->n_line = 1;
	l->line = memory_array(1, sizeof(Line *));
	l->line[0] = memory_array(1, sizeof(Line));
	perftools__profiles__line__init(l->line[0]);
	l->line[0]->function_id = function(w, frame);
	l->line[0]->line = pc != 0 ? line_of(w, frame, pc) : 0;
	return l;
}

static uint64_t
location_at(struct writer *w, size_t number, uint32_t frame, uint64_t pc)
{
	Profile *p = w->p;

	if (w->locations[number] != 0)
		return w->locations[number];
	w->locations[number] = p->n_location + 1;
	p->location = memory_grow(p->location, p->n_location, sizeof(Location *));
	p->location[p->n_location] = make_location(w, frame, pc, w->locations[number]);
	p->n_location++;
	return w->locations[number];
}

/* Returns the location that stands for all of a frame's function. */
static uint64_t
location(struct writer *w, uint32_t frame)
{
	const struct symbols *s = w->m->symbols;

	return location_at(w, frame, frame, frame < s->nfunctions ? s->functions[frame].low : 0);
}

static uint64_t
location_of_place(struct writer *w, uint32_t number)
{
	const struct place *place = &w->m->stacks->places[number];

	return location_at(w, w->nframes + number, place->function,
	                   place->function == FUNCTION_UNKNOWN ? 0 : place->pc);
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

static uint64_t
location_of_spot(struct writer *w, size_t number)
{
	const struct spot *spot = &w->m->spots[number];

	return location_at(w, w->nframes + number, spot->function,
	                   spot->function == FUNCTION_UNKNOWN ? 0 : spot->pc);
}

/* Takes the next of a function's ticks that are at one place, `most` at most.  Returns how many:
 * all that are wanted from the last place on, by which rounding comes out even. */
static uint64_t
deal(struct writer *w, uint32_t function, uint64_t most, uint64_t *location_id)
{
	const struct cost *c = &w->m->costs[function];
	struct hand *h = &w->hands[function];
	uint64_t n;

	if (w->p->n_sample >= MANY_SAMPLES && c->nspots > 1) {
		w->crowded = true;
		*location_id = location(w, function);
		return most;
	}
	while (h->left == 0 && h->spot < c->nspots)
		h->left = round_take(&h->round, w->m->spots[c->spot + h->spot++].ticks);
	n = h->spot == c->nspots || h->left > most ? most : h->left;
	h->left -= n < h->left ? n : h->left;
	*location_id = location_of_spot(w, c->spot + h->spot - 1);
	return n;
}

static void
take_chain(void *arg, const struct chain *c)
{
	struct writer *w = arg;

	for (uint64_t n, left = c->ticks; left > 0; left -= n) {
		Sample *s = add_sample(w, c->n);

		n = deal(w, c->frames[c->n - 1], left, &s->location_id[0]);
		for (size_t i = 1; i < c->n; i++)
			s->location_id[i] = location(w, c->frames[c->n - 1 - i]);
		put_time(w, s, n);
	}
}

static void
add_stacks(struct writer *w)
{
	const struct stacks *all = w->m->stacks;

	for (size_t i = 0; i < all->n; i++) {
		const struct stack *stack = &all->stack[i];
		Sample *s = add_sample(w, stack->n);

		for (uint32_t j = 0; j < stack->n; j++)
			s->location_id[stack->n - 1 - j] =
			    location_of_place(w, all->frames[stack->at + j]);
		put_time(w, s, stack->ticks);
	}
}

static void
add_calls(struct writer *w)
{
	for (size_t i = 0; i < w->m->nedges; i++) {
		const struct edge *e = &w->m->edges[i];
		Sample *s;

		if (e->calls == 0)
			continue; /* only stacks have seen the call */
		s = add_sample(w, 2);
		s->location_id[0] = location(w, e->callee);
		s->location_id[1] = location(w, e->caller);
		s->value[CALLS - w->left_out] =
		    (int64_t)(e->calls > INT64_MAX ? INT64_MAX : e->calls);
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
	map->filename = text(w, s->program);
	map->build_id = text(w, s->build_id);
	map->has_functions = true;
	map->has_filenames = map->has_line_numbers = s->lines.n > 0;
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

	text(w, "");
	p->n_sample_type = NVALUES - w->left_out;
	p->sample_type = memory_array(NVALUES, sizeof(ValueType *));
	if (w->left_out == 0)
		p->sample_type[TICKS] = value_type(w, "samples", "count");
	p->sample_type[NANOSECONDS - w->left_out] = value_type(w, type, "nanoseconds");
	p->sample_type[CALLS - w->left_out] = value_type(w, "calls", "count");
	p->default_sample_type = text(w, type);
	p->period_type = value_type(w, type, "nanoseconds");
	p->period = 1000000000 / w->m->gmon->rate;
	p->time_nanos = nanoseconds(&w->m->gmon->when);
	p->n_comment = 1;
	p->comment = memory_array(1, sizeof(*p->comment));
	p->comment[0] = text(w, comment(w->m));
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
	w.nframes = m->symbols->nfunctions + m->ngroups + 1;
	w.p = memory_array(1, sizeof(*w.p));
	perftools__profiles__profile__init(w.p);
	w.functions = memory_array(w.nframes, sizeof(*w.functions));
	w.hands = memory_array(m->symbols->nfunctions, sizeof(*w.hands));
	w.locations = memory_array(w.nframes + (m->stacks != NULL ? m->stacks->nplaces : m->nspots),
	                           sizeof(*w.locations));
	fill(&w);
	len = perftools__profiles__profile__get_packed_size(w.p);
	data = memory_array(len, 1);
	perftools__profiles__profile__pack(w.p, data);
	put_compressed(out, data, len);
	free(data);
}
