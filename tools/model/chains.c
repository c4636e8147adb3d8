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
#include "model.h"

#include <stdlib.h>

enum { MOST_FRAMES = 512, MOST_STEPS = 1 << 26, MOST_BYTES = 512 << 20 };
_Static_assert((int)MOST_FRAMES >= (int)MOST_STACK, "a measured stack is a chain");
enum { LEAST_FRAME = 16 }; /* bytes of a cycle's name, or of a number */
static const double least_share = 1.0 / 20000;

struct walk {
	const struct model *m;
	void (*take)(void *arg, const struct chain *c);
	void *arg;
	struct round *rounds; /* one for each function */
	uint64_t *whole;      /* each function's ticks: their sum is that of all */
	double least;         /* ticks that a chain must have */
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

static void
put(struct walk *w, uint32_t function, double ticks)
{
	struct chain c = { .frames = w->frames, .n = w->n };

	w->written += w->here;
	if (is_too_much(w))
		return;
	/* What a function's ticks were rounded by is divided among its chains by their shares. */
	ticks *= (double)w->whole[function] / w->m->costs[function].self;
	c.ticks = round_take(&w->rounds[function], ticks);
	if (c.ticks > 0)
		w->take(w->arg, &c);
}

static void descend(struct walk *w, const struct group *g, double share);

/* Puts one function of a group, and below it what it calls outside of the group. */
static void
visit(struct walk *w, uint32_t function, double share)
{
	const struct cost *c = &w->m->costs[function];
	const size_t bytes = frame_bytes(w, function);

	w->frames[w->n++] = function;
	w->here += bytes;
	if (c->self > 0)
		put(w, function, c->self * share);
	w->steps += 1 + c->nedges;
	for (size_t i = c->edge; i < c->edge + c->nedges && !is_too_much(w); i++) {
		const struct edge *e = &w->m->edges[i];
		const struct group *callee = &w->m->groups[e->group_callee];

		if (e->group_callee != c->group && e->ticks * share >= w->least)
			descend(w, callee, share * ((double)e->calls / (double)callee->calls));
	}
	w->here -= bytes;
	w->n--;
}

static void
descend(struct walk *w, const struct group *g, double share)
{
	if (w->n + 1 + (g->cycle != 0) > MOST_FRAMES)
		return;
	if (g->cycle != 0)
		w->frames[w->n++] = (uint32_t)w->m->symbols->nfunctions + g->cycle;
	for (size_t i = g->first; i < g->first + g->n && !is_too_much(w); i++)
		visit(w, w->m->members[i], share);
	if (g->cycle != 0)
		w->n--;
}

/* Puts the time that no chain has led to. */
static void
put_rest(struct walk *w)
{
	for (uint32_t f = 0; f < w->m->symbols->nfunctions; f++) {
		struct chain c = { .frames = &f, .n = 1 };

		c.ticks = w->whole[f] - w->rounds[f].given;
		if (w->whole[f] > w->rounds[f].given)
			w->take(w->arg, &c);
	}
}

/* The time of all functions is divided by shares. */
static void
walk_shares(struct walk *w)
{
	const struct model *m = w->m;

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
	w->rounds = memory_array(m->symbols->nfunctions, sizeof(*w->rounds));
	w->whole = memory_array(m->symbols->nfunctions, sizeof(*w->whole));
	for (size_t i = 0; i < m->symbols->nfunctions; i++)
		w->whole[i] = round_take(&all, m->costs[i].self);
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
