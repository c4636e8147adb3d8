/*
 * The model with inlined functions: code that DWARF says to be of one is that function's, which is
 * one of the program's from then on.  Such a function has no calls that could have been counted; it
 * is called where it is inlined, and the time of that call is known.
 *
 * The functions of symbols keep their totals and their calls.  So with shares these are worked out
 * first, without inlined functions, and then divided; with stacks, frames are.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include <stdlib.h>
#include <string.h>

/* Frames of all stacks that there may be. */
enum { MOST_FRAMES = 1 << 26 };

struct wanted {
	struct extent *extent;
	size_t n;
};

static void
want(struct wanted *w, const struct model *m, uint32_t function, uint64_t pc, uint64_t bytes)
{
	if (function == FUNCTION_UNKNOWN || function >= model_own_functions(m))
		return;
	w->extent = memory_grow(w->extent, w->n, sizeof(*w->extent));
	w->extent[w->n++] = (struct extent){ pc, pc + bytes > pc ? pc + bytes : UINT64_MAX };
}

static int
compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void
merge_wanted(struct wanted *w)
{
	size_t n = 0;

	if (w->n == 0)
		return;
	qsort(w->extent, w->n, sizeof(*w->extent), compare_extents);
	for (size_t i = 1; i < w->n; i++)
		if (w->extent[i].low > w->extent[n].high)
			w->extent[++n] = w->extent[i];
		else if (w->extent[i].high > w->extent[n].high)
			w->extent[n].high = w->extent[i].high;
	w->n = n + 1;
}

static void
want_all(struct wanted *w, const struct model *m)
{
	for (uint32_t f = 0; f < m->symbols->nfunctions; f++)
		if (model_has(m, f))
			want(w, m, f, m->symbols->functions[f].low, 1);
	for (size_t i = 0; i < m->nspots; i++)
		want(w, m, m->spots[i].function, m->spots[i].pc, m->spots[i].bytes);
	for (size_t i = 0; i < m->nsites; i++)
		want(w, m, m->sites[i].caller, m->sites[i].from, 1);
	for (size_t i = 0; m->stacks != NULL && i < m->stacks->nplaces; i++)
		want(w, m, m->stacks->places[i].function, m->stacks->places[i].pc, 1);
}

/* Whether there are inlined functions where something is known of. */
bool
inlined_read(struct inlines *in, struct model *const *models, size_t n)
{
	const struct symbols *s = models[0]->symbols;
	struct wanted w = { 0 };

	for (size_t i = 0; i < n; i++)
		want_all(&w, models[i]);
	merge_wanted(&w);
	inline_reader_start(in, s->debug != NULL ? s->debug : s->elf,
	                    s->debug != NULL ? s->debug_fd : s->fd, w.extent, w.n);
	inlines_finish(in, s->program);
	free(w.extent);
	return in->nspans > 0;
}

static uint32_t
call_at(const struct model *m, uint32_t function, uint64_t pc)
{
	uint64_t next;

	if (function == FUNCTION_UNKNOWN || function >= model_own_functions(m))
		return 0;
	return inlines_at(m->inlines, pc, &next);
}

/* The places that come of one: in each but the last, the next one's function is inlined.  Behind
 * them, if they are several, is the one as it was. */
struct expanded {
	size_t first;
	uint32_t n;
};

/* Makes the places that come of one. */
static struct expanded
expand_place(const struct model *m, struct stacks *to, const struct place *from)
{
	const uint32_t call = call_at(m, from->function, from->pc);
	uint32_t chain[MOST_INLINED];
	const size_t n = call == 0 ? 0 : inlines_chain(m->inlines, call, chain);
	struct expanded e = { to->nplaces, (uint32_t)n + 1 };
	struct place at = *from;

	for (size_t i = 0; i < n; i++) {
		at.pc = m->inlines->calls[chain[i] - 1].low;
		at.call = chain[i];
		stacks_place(to, &at);
		at.function = inline_parts_function(m, chain[i]);
	}
	at.pc = from->pc;
	at.call = 0;
	stacks_place(to, &at);
	if (n > 0)
		stacks_place(to, from);
	return e;
}

/* How many frames of a stack, from the outermost on, are left as they are, so that it has no more
 * than a stack may have. */
static uint32_t
left_as_they_are(const struct stacks *s, const struct stack *stack, const struct expanded *e)
{
	size_t more = 0;
	uint32_t i = stack->n;

	while (i > 0 && stack->n + more + e[s->frames[stack->at + i - 1]].n - 1 <= MOST_STACK)
		more += e[s->frames[stack->at + --i]].n - 1;
	return i;
}

static void
expand_stack(const struct stacks *s, struct stacks *to, const struct stack *stack,
             const struct expanded *e)
{
	const uint32_t left = left_as_they_are(s, stack, e);

	stacks_begin(to, stack);
	for (uint32_t i = 0; i < stack->n; i++) {
		const struct expanded *one = &e[s->frames[stack->at + i]];
		const size_t as_it_was = one->first + (one->n > 1 ? one->n : 0);

		if (i < left)
			stacks_frame(to, (uint32_t)as_it_was);
		for (size_t j = 0; i >= left && j < one->n; j++)
			stacks_frame(to, (uint32_t)(one->first + j));
	}
}

static bool
have_room(const struct stacks *s, const struct expanded *e)
{
	size_t sum = 0;

	for (size_t i = 0; i < s->nframes && sum < MOST_FRAMES; i++)
		sum += e[s->frames[i]].n;
	return sum < MOST_FRAMES;
}

/* Puts the frames of inlined functions into the stacks. */
static void
expand_stacks(const struct model *m, struct stacks *s)
{
	struct expanded *e = memory_array(s->nplaces, sizeof(*e));
	struct stacks to = *s;

	to.stack = NULL;
	to.frames = NULL;
	to.places = NULL;
	to.n = to.nframes = to.settled = to.nplaces = to.settled_places = 0;
	for (size_t i = 0; i < s->nplaces; i++)
		e[i] = expand_place(m, &to, &s->places[i]);
	if (have_room(s, e)) {
		for (size_t i = 0; i < s->n; i++)
			expand_stack(s, &to, &s->stack[i], e);
		stacks_settle(&to);
		free(s->stack);
		free(s->frames);
		free(s->places);
		*s = to;
	} else
		note("%s: there are too many stacks: they are without inlined functions",
		     m->symbols->program);
	free(e);
}

/* Gives calls to the inlined functions that make them.  Their time is in the stacks, if there are
 * any. */
static void
expand_sites(struct model *m)
{
	for (size_t i = 0; i < m->physical->nsites; i++) {
		struct site site = m->physical->sites[i];
		const uint32_t caller = site.caller, call = call_at(m, caller, site.from);

		if (m->stacks != NULL && site.calls == 0)
			continue;
		site.ticks = m->stacks != NULL ? 0 : site.ticks;
		site.caller = call == 0 ? caller : inline_parts_function(m, call);
		sites_add(m, &site);
		inline_parts_add_calls(m, caller, call, site.ticks);
	}
	sites_merge(m);
}

/* The functions of symbols stay in their groups, and each inlined one is alone: one that is inlined
 * in many places would join what has nothing to do with each other. */
static void
add_groups(struct model *m)
{
	const struct model *p = m->physical;
	const size_t n = m->symbols->nfunctions;

	m->ngroups = p->ngroups + (n - m->first_inlined);
	m->groups = memory_array(m->ngroups, sizeof(*m->groups));
	m->members = memory_array(n, sizeof(*m->members));
	memcpy(m->groups, p->groups, p->ngroups * sizeof(*m->groups));
	memcpy(m->members, p->members, m->first_inlined * sizeof(*m->members));
	for (uint32_t f = 0; f < m->first_inlined; f++)
		m->costs[f].group = p->costs[f].group;
	for (uint32_t f = m->first_inlined; f < n; f++) {
		struct cost *c = &m->costs[f];

		c->group = (uint32_t)p->ngroups + f - m->first_inlined;
		m->groups[c->group] =
		    (struct group){ .total = c->total, .self = c->self, .first = f, .n = 1 };
		m->members[f] = f;
	}
	for (size_t i = 0; m->stacks == NULL && i < m->nedges; i++) {
		m->edges[i].group_caller = m->costs[m->edges[i].caller].group;
		m->edges[i].group_callee = m->costs[m->edges[i].callee].group;
	}
}

static void
add_functions(struct model *m, struct symbols *s)
{
	const struct inlines *in = m->inlines;

	m->first_inlined = (uint32_t)s->nfunctions;
	for (size_t i = 0; i < in->nfunctions; i++)
		symbols_add_inlined(s, inlines_text(in, in->functions[i].name),
		                    inlines_text(in, in->functions[i].file), in->functions[i].line);
}

void
inlined_expand(struct model *m, const struct inlines *in, struct symbols *s, struct stacks *stacks)
{
	struct model *p = memory_array(1, sizeof(*p));

	*p = *m;
	*m = (struct model){ .symbols = s,
		             .gmon = p->gmon,
		             .stacks = p->stacks,
		             .files = p->files,
		             .inlines = in,
		             .physical = p };
	add_functions(m, s);
	m->costs = memory_array(s->nfunctions, sizeof(*m->costs));
	if (m->stacks != NULL) {
		expand_stacks(m, stacks);
		measured_make(m);
	} else
		inline_parts_of_spots(m);
	expand_sites(m);
	model_add_edges(m);
	inline_parts_of_edges(m);
	measured_totals(m);
	add_groups(m);
	for (uint32_t f = 0; f < s->nfunctions; f++)
		m->costs[f].body = f < m->first_inlined ? p->costs[f].self : m->costs[f].self;
}
