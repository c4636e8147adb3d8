/*
 * A GNU gmon file for gprof whose arcs have ticks for calls: all those in whose stacks the arc is.
 *
 * gprof gives each caller of a function, of its time and that of all below it, the caller's part of
 * the calls.  With ticks for calls that part is what the stacks have measured, and by induction
 * from the leaves of the graph so is all that is below a function.  Functions that call each other
 * are one for gprof, and a stack comes to them once, however it goes on among them: an arc within a
 * cycle may be counted in any way.  So each arc has each stack's ticks once, and no cycle need be
 * known here.
 *
 * For that the arcs into a function must have all its ticks.  Where some stacks begin with a
 * function that others show callers of, since outer frames are cut off, or it is a thread's first,
 * the others would get that time, too: it is given to the function where the program starts, which
 * nobody calls.
 *
 * The bins are those of the gmon files.  Stacks that end where no bin is are not in the arcs
 * either.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include "gmon_layout.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* A call in a stack: the place of the call, and the function called. */
struct call {
	uint32_t place, callee;
};

struct writer {
	const struct model *m;
	struct model arcs; /* only its sites: ticks are their calls */
	uint64_t *first;   /* of each function: ticks of the stacks that begin with it */
	bool *called;      /* by another function */
	uint64_t outside;  /* ticks of stacks that end in no bin */
};

/* gprof knows nothing of code without a function. */
static bool
is_known(const struct writer *w, uint32_t function)
{
	return function != FUNCTION_UNKNOWN && function < w->m->stacks->cut;
}

static int
compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

/* Takes the calls of a stack, passing over frames that are in no function, so that callers above
 * such a frame have the time below it.  Returns how many there are. */
static size_t
take_calls(struct writer *w, const struct stack *stack, struct call *calls)
{
	const struct stacks *s = w->m->stacks;
	const struct place *caller = NULL;
	uint32_t from = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < stack->n; i++) {
		const uint32_t at = s->frames[stack->at + i];
		const struct place *place = &s->places[at];

		if (!is_known(w, place->function))
			continue;
		if (caller == NULL) {
			w->first[place->function] += stack->ticks;
		} else {
			calls[n++] = (struct call){ from, place->function };
			w->called[place->function] |= caller->function != place->function;
		}
		caller = place;
		from = at;
	}
	return n;
}

static void
add_arc(struct writer *w, uint32_t caller, uint32_t callee, uint64_t from, uint64_t ticks)
{
	sites_add(&w->arcs, &(struct site){
				.caller = caller, .callee = callee, .from = from, .calls = ticks });
}

static void
add_stack(struct writer *w, const struct stack *stack)
{
	const struct stacks *s = w->m->stacks;
	const struct place *end = &s->places[s->frames[stack->at + stack->n - 1]];
	struct call calls[MOST_STACK];
	size_t n;

	if (!is_known(w, end->function) || !gmon_has(w->m->gmon, end->pc)) {
		w->outside += stack->ticks;
		return;
	}
	n = take_calls(w, stack, calls);
	qsort(calls, n, sizeof(*calls), compare_calls);
	for (size_t i = 0; i < n; i++) {
		const struct place *from = &s->places[calls[i].place];

		if (i == 0 || compare_calls(&calls[i], &calls[i - 1]) != 0)
			add_arc(w, from->function, calls[i].callee, from->pc, stack->ticks);
	}
}

static void
add_entry(struct writer *w)
{
	const struct symbols *s = w->m->symbols;
	const uint32_t entry = symbols_function(s, s->entry);

	for (uint32_t f = 0; f < s->nfunctions; f++)
		if (w->first[f] > 0 && w->called[f] && f != entry && is_known(w, entry))
			add_arc(w, entry, f, s->entry, w->first[f]);
}

static void
put_head(FILE *out)
{
	struct gmon_file_header head = { .version = htole32(GMON_VERSION) };

	memcpy(head.cookie, GMON_MAGIC, sizeof(head.cookie));
	fwrite(&head, sizeof(head), 1, out);
}

/* Puts what a record holds of each bin's ticks, beyond those that earlier records hold.  False: it
 * holds all. */
static bool
put_bins(FILE *out, const struct gmon_range *r, uint64_t earlier)
{
	const uint64_t start = (uint64_t)ftello(out);
	bool more = false;

	for (size_t i = 0; i < r->bins.n; i++) {
		const struct bin *b = &r->bins.bin[i];
		const uint64_t left = b->ticks > earlier ? b->ticks - earlier : 0;
		const uint16_t bin = htole16(left > UINT16_MAX ? UINT16_MAX : (uint16_t)left);

		if (left == 0)
			continue;
		more |= left > UINT16_MAX;
		memory_file_pass(out, start + b->index * sizeof(bin));
		fwrite(&bin, sizeof(bin), 1, out);
	}
	memory_file_pass(out, start + r->nbins * sizeof(uint16_t));
	return more;
}

static void
put_range(FILE *out, const struct gmon_range *r, uint32_t rate)
{
	struct gmon_hist_header head = {
		.low_pc = htole64(r->low),
		.high_pc = htole64(r->high),
		.hist_size = htole32(r->nbins),
		.prof_rate = htole32(rate),
		.dimen = "seconds",
		.dimen_abbrev = 's',
	};
	uint64_t earlier = 0;
	bool more;

	do {
		putc(GMON_TAG_TIME_HIST, out);
		fwrite(&head, sizeof(head), 1, out);
		more = put_bins(out, r, earlier);
		earlier += UINT16_MAX;
	} while (more);
}

/* An arc's count has 32 bits; gprof adds up several records. */
static void
put_arc(FILE *out, uint64_t from, uint64_t self, uint64_t ticks)
{
	for (uint64_t n; ticks > 0; ticks -= n) {
		struct gmon_arc_record arc = { .from_pc = htole64(from), .self_pc = htole64(self) };

		n = ticks < UINT32_MAX ? ticks : UINT32_MAX;
		arc.count = htole32((uint32_t)n);
		putc(GMON_TAG_CG_ARC, out);
		fwrite(&arc, sizeof(arc), 1, out);
	}
}

void
gprof_inclusive_write(const struct model *m, FILE *out)
{
	struct writer w = { .m = m };

	w.first = memory_array(m->symbols->nfunctions, sizeof(*w.first));
	w.called = memory_array(m->symbols->nfunctions, sizeof(*w.called));
	for (size_t i = 0; i < m->stacks->n; i++)
		add_stack(&w, &m->stacks->stack[i]);
	add_entry(&w);
	sites_merge(&w.arcs);
	put_head(out);
	for (size_t i = 0; i < m->gmon->nranges; i++)
		put_range(out, &m->gmon->ranges[i], m->gmon->rate);
	for (size_t i = 0; i < w.arcs.nsites; i++) {
		const struct site *site = &w.arcs.sites[i];

		put_arc(out, site->from, m->symbols->functions[site->callee].low, site->calls);
	}
	memory_file_end(out);
	if (w.outside > 0)
		note("gprof-inclusive: no room for %ju ticks outside of the program's functions",
		     (uintmax_t)w.outside);
	free(w.arcs.sites);
	free(w.called);
	free(w.first);
}
