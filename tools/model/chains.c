/*
 * Chains of callers, for the formats that are made of stacks: the measured ones, if there are any.
 *
 * A gmon file knows which function called which and how often, but not from where the caller was
 * called in turn.  So without stacks the time of a function is divided along all chains that lead
 * to it by each caller's share of the calls, as gprof divides it.
 *
 * There may be more chains than atoms in the universe: a chain that has less than a part in 20,000
 * of all the time, or is too deep, is not followed any further, and neither is any when they have
 * taken too long or filled too much.  Time that is not on a chain then stands under its function's
 * name alone, so each function has the sum that it has in the file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include <stdlib.h>

enum { MOST_FRAMES = 512, MOST_STEPS = 1 << 26, MOST_BYTES = 512 << 20 };
_Static_assert((int)MOST_FRAMES >= (int)MOST_STACK, "a measured stack is a chain");
enum { LEAST_FRAME = 16 }; /* bytes of a cycle's name, or of a number */
static const double least_share = 1.0 / 20000;

struct walk {
	const struct model *m;
	const struct model *of; /* whose shares these are: inlined functions have none */
	bool by_parts;          /* there are inlined functions */
	void (*take)(void *arg, const struct chain *c);
	void *arg;
	/* Of each function, or, with shares and inlined functions, each part of own time: */
	size_t nparts;
	struct round *rounds;
	uint64_t *whole; /* its ticks: their sum is that of all */
	double least;    /* ticks that a chain must have */
	uint32_t frames[MOST_FRAMES];
	size_t n;
	size_t steps;         /* callees and members of cycles looked at */
	size_t here, written; /* bytes of this chain and of all that were taken */
};

static bool
is_too_much(const struct walk *w)
{
	return w->steps > MOST_STEPS || w->written > MOST_BYTES;
}

static size_t
frame_bytes(const struct walk *w, uint32_t function)
{
	const size_t len = w->m->symbols->functions[function].name_len;

	return len < LEAST_FRAME ? LEAST_FRAME : len + 1;
}

static double
amount(const struct walk *w, size_t part)
{
	return w->by_parts ? w->of->parts[part].ticks : w->of->costs[part].self;
}

static void
put(struct walk *w, size_t part, double ticks)
{
	struct chain c = { .frames = w->frames, .n = w->n, .part = part };

	w->written += w->here;
	if (is_too_much(w))
		return;
	/* What a function's ticks were rounded by is divided among its chains by their shares. */
	ticks *= (double)w->whole[part] / amount(w, part);
	c.ticks = round_take(&w->rounds[part], ticks);
	if (c.ticks > 0)
		w->take(w->arg, &c);
}

static void
enter(struct walk *w, uint32_t function)
{
	w->frames[w->n++] = function;
	w->here += frame_bytes(w, function);
}

static void
leave(struct walk *w, size_t n)
{
	while (w->n > n)
		w->here -= frame_bytes(w, w->frames[--w->n]);
}

/* Enters the inlined functions of a part; not if the chain would be too deep with them. */
static void
enter_context(struct walk *w, uint32_t context)
{
	uint32_t functions[MOST_INLINED];
	const size_t n = context == 0 ? 0 : inlines_functions(w->m->inlines, context, functions);

	for (size_t i = 0; i < n && w->n + n - i <= MOST_FRAMES; i++)
		enter(w, w->m->first_inlined + functions[i]);
}

static void
put_own(struct walk *w, uint32_t function, double share)
{
	const struct cost *c = &w->of->costs[function];
	const size_t n = w->n;

	if (c->self > 0 && !w->by_parts)
		put(w, function, c->self * share);
	for (size_t i = c->part; i < c->part + c->nparts; i++) {
		enter_context(w, w->of->parts[i].context);
		put(w, i, w->of->parts[i].ticks * share);
		leave(w, n);
	}
}

static void descend(struct walk *w, const struct group *g, double share);

/* Goes on to a function that is called, by the inlined functions that call it. */
static void
follow(struct walk *w, const struct edge *e, double share)
{
	const struct group *callee = &w->of->groups[e->group_callee];
	const size_t n = w->n;

	if (e->nparts == 0)
		descend(w, callee, share * ((double)e->calls / (double)callee->calls));
	for (size_t i = e->part; i < e->part + e->nparts; i++) {
		const double calls = (double)w->of->parts[i].calls;

		if (e->ticks * share * (calls / (double)e->calls) < w->least)
			continue;
		enter_context(w, w->of->parts[i].context);
		descend(w, callee, share * (calls / (double)callee->calls));
		leave(w, n);
	}
}

/* Puts one function of a group, and below it what it calls outside of the group. */
static void
visit(struct walk *w, uint32_t function, double share)
{
	const struct cost *c = &w->of->costs[function];
	const size_t n = w->n;

	enter(w, function);
	put_own(w, function, share);
	w->steps += 1 + c->nedges;
	for (size_t i = c->edge; i < c->edge + c->nedges && !is_too_much(w); i++) {
		const struct edge *e = &w->of->edges[i];

		if (e->group_callee != c->group && e->ticks * share >= w->least)
			follow(w, e, share);
	}
	leave(w, n);
}

static void
descend(struct walk *w, const struct group *g, double share)
{
	if (w->n + 1 + (g->cycle != 0) > MOST_FRAMES)
		return;
	if (g->cycle != 0)
		w->frames[w->n++] = (uint32_t)w->m->symbols->nfunctions + g->cycle;
	for (size_t i = g->first; i < g->first + g->n && !is_too_much(w); i++)
		visit(w, w->of->members[i], share);
	if (g->cycle != 0)
		w->n--;
}

/* Puts the time that no chain has led to. */
static void
put_rest(struct walk *w)
{
	for (size_t i = 0; i < w->nparts; i++) {
		const struct inline_part *part = w->by_parts ? &w->of->parts[i] : NULL;
		struct chain c = { .frames = w->frames, .part = i };

		if (w->whole[i] <= w->rounds[i].given)
			continue;
		enter(w, part != NULL ? part->function : (uint32_t)i);
		enter_context(w, part != NULL ? part->context : 0);
		c.n = w->n;
		c.ticks = w->whole[i] - w->rounds[i].given;
		w->take(w->arg, &c);
		leave(w, 0);
	}
}

/* The time of all functions is divided by shares. */
static void
walk_shares(struct walk *w)
{
	const struct model *m = w->of;

	for (size_t i = 0; i < m->ngroups && m->ticks > 0; i++)
		if (m->groups[i].calls == 0 && m->groups[i].total > 0)
			descend(w, &m->groups[i], 1);
}

/* Puts a measured stack. */
static void
put_stack(struct walk *w, const struct stack *stack, uint64_t ticks)
{
	const struct stacks *s = w->m->stacks;
	struct chain c = { .frames = w->frames, .n = stack->n, .ticks = ticks };

	for (uint32_t i = 0; i < stack->n; i++) {
		w->frames[i] = s->places[s->frames[stack->at + i]].function;
		w->written += frame_bytes(w, w->frames[i]);
	}
	if (is_too_much(w))
		return;
	w->rounds[w->frames[c.n - 1]].given += ticks;
	w->take(w->arg, &c);
}

/* Stacks of the same functions, which come one behind the other, are one chain. */
static void
walk_stacks(struct walk *w)
{
	const struct stacks *s = w->m->stacks;
	uint64_t ticks = 0;

	for (size_t i = 0; i < s->n && !is_too_much(w); i++) {
		ticks += s->stack[i].ticks;
		if (i + 1 < s->n && stacks_same_functions(s, i, i + 1))
			continue;
		put_stack(w, &s->stack[i], ticks);
		ticks = 0;
	}
}

void
chains_walk(const struct model *m, void (*take)(void *arg, const struct chain *c), void *arg)
{
	struct walk *w = memory_array(1, sizeof(*w));
	struct round all = { 0 };

	*w = (struct walk){ .m = m, .take = take, .arg = arg, .least = m->ticks * least_share };
	w->by_parts = m->stacks == NULL && m->physical != NULL;
	w->of = w->by_parts ? m->physical : m;
	w->nparts = w->by_parts ? w->of->nown : m->symbols->nfunctions;
	w->rounds = memory_array(w->nparts, sizeof(*w->rounds));
	w->whole = memory_array(w->nparts, sizeof(*w->whole));
	for (size_t i = 0; i < w->nparts; i++)
		w->whole[i] = round_take(&all, amount(w, i));
	if (m->stacks != NULL)
		walk_stacks(w);
	else
		walk_shares(w);
	if (is_too_much(w))
		note("%s: there are too many stacks: from some functions on they are left out",
		     m->symbols->program);
	put_rest(w);
	free(w->whole);
	free(w->rounds);
	free(w);
}

char *
chains_frame_name(const struct model *m, uint32_t frame)
{
	const struct symbols *s = m->symbols;

	if (frame < s->nfunctions)
		return memory_text("%s", s->functions[frame].name);
	return memory_text("[cycle %u]", frame - (uint32_t)s->nfunctions);
}
