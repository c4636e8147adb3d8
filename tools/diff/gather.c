/*
 * Adds up the runs of each side: time and calls of functions and arcs, by entry.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <err.h>
#include <stdlib.h>

static double
square(double x)
{
	return x * x;
}

static void
add_amount(struct amount *a, int side, uint32_t rate)
{
	a->ticks[side] += a->now;
	a->squares[side] += square(a->now / rate);
	a->now = 0;
}

static void
add_count(struct count *c, int side)
{
	if (c->any[side] && c->last[side] != c->now)
		c->differs[side] = true;
	c->any[side] = true;
	c->last[side] = c->now;
	c->sum[side] += c->now;
	c->now = 0;
}

static void
add_item(struct item *i, int side, uint32_t rate)
{
	add_amount(&i->time, side, rate);
	add_count(&i->calls, side);
}

static int
compare_arcs(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

/* The arcs of one run. */
struct found {
	struct diff *d;
	const struct model *m;
	const struct side *side;
	int number; /* the side's */
	size_t run;
	struct arc *arcs;
	size_t n, merged;
	uint32_t stack;
};

/* Many are added before they are merged, so that equal ones don't take memory. */
enum { MANY = 64 << 10 };

static void
merge_found(struct found *f)
{
	size_t n = 0;

	if (f->n == 0)
		return;
	qsort(f->arcs, f->n, sizeof(*f->arcs), compare_arcs);
	for (size_t i = 1; i < f->n; i++)
		if (compare_arcs(&f->arcs[i], &f->arcs[n]) == 0) {
			f->arcs[n].item.time.now += f->arcs[i].item.time.now;
			f->arcs[n].item.calls.now += f->arcs[i].item.calls.now;
			f->arcs[n].split += f->arcs[i].split;
			f->arcs[n].by_self += f->arcs[i].by_self;
			f->arcs[n].item.calls.inlined[f->number] |=
			    f->arcs[i].item.calls.inlined[f->number];
		} else {
			f->arcs[++n] = f->arcs[i];
		}
	f->n = f->merged = n + 1;
}

static void
add_arc(struct found *f, struct arc arc, double ticks)
{
	arc.item.time.now = ticks;
	if (f->n >= 2 * f->merged + MANY)
		merge_found(f);
	f->arcs = memory_grow(f->arcs, f->n, sizeof(*f->arcs));
	f->arcs[f->n++] = arc;
}

/* Merges the run's arcs, which are sorted, into those of all runs, which are, too. */
static void
add_arcs(struct diff *d, const struct found *f)
{
	struct arc *all = memory_array(d->narcs + f->n, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0, j = 0; i < d->narcs || j < f->n; n++) {
		const int c = i == d->narcs ? 1
		              : j == f->n   ? -1
		                            : compare_arcs(&d->arcs[i], &f->arcs[j]);

		all[n] = c <= 0 ? d->arcs[i] : f->arcs[j];
		/* The side's runs before have not made these calls. */
		if (c > 0)
			all[n].item.calls.any[f->number] = f->run > 0;
		if (c == 0) {
			all[n].item.time.now = f->arcs[j].item.time.now;
			all[n].item.calls.now = f->arcs[j].item.calls.now;
			all[n].item.calls.inlined[f->number] |=
			    f->arcs[j].item.calls.inlined[f->number];
		}
		i += c <= 0;
		j += c >= 0;
	}
	free(d->arcs);
	d->arcs = all;
	d->narcs = n;
}

static uint32_t
entry_of(const struct found *f, uint32_t function)
{
	return f->side->entries[f->side->subject[f->run][function]];
}

static bool
is_split(const struct found *f, uint32_t function)
{
	return f->side->split[f->side->subject[f->run][function]];
}

/* A function that runs on in a part of its own has not called it.  Its beginning has, where that is
 * inlined into others: there it has no call of its own that was counted. */
static bool
runs_on(const struct found *f, const struct edge *e)
{
	return is_split(f, e->callee) && e->caller != e->callee &&
	       !f->m->symbols->functions[e->caller].inlined &&
	       entry_of(f, e->caller) == entry_of(f, e->callee);
}

static void
add_edges(struct found *f)
{
	for (size_t i = 0; i < f->m->nedges; i++) {
		const struct edge *e = &f->m->edges[i];
		struct arc arc = { .caller = entry_of(f, e->caller),
			           .callee = entry_of(f, e->callee) };

		arc.by_self = e->by_self;
		arc.item.calls.inlined[f->number] = f->m->symbols->functions[e->callee].inlined;
		if (arc.item.calls.inlined[f->number] && arc.caller == arc.callee)
			continue;
		if (is_split(f, e->callee))
			arc.split = runs_on(f, e) ? 0 : e->calls;
		else
			arc.item.calls.now = e->calls;
		add_arc(f, arc, f->d->measured ? 0 : e->ticks);
	}
}

/* A function may go on to a part of its own by a jump, so that this looks like one more call by the
 * caller; and a caller that has the function's beginning inlined calls the part only.  So of both
 * numbers the larger one is taken. */
static void
count_calls(struct found *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct arc *arc = &f->arcs[i];
		uint64_t *calls = &arc->item.calls.now;

		*calls = arc->split > *calls ? arc->split : *calls;
		arc->split = 0;
		f->d->sides[f->number].calls += *calls;
		f->d->entries[arc->callee].self.calls.now += *calls;
		/* What a call has cost with all below it includes that of calls of itself. */
		if (arc->caller != arc->callee)
			f->d->entries[arc->callee].total.calls.now +=
			    *calls - (arc->by_self < *calls ? arc->by_self : *calls);
		arc->by_self = 0;
	}
}

/* As in measured.c: an entry that is more than once in a stack has its time once, and of its frames
 * the innermost has called. */
static void
take_chain(void *arg, const struct chain *c)
{
	struct found *f = arg;
	struct diff *d = f->d;
	uint32_t *frames = memory_array(c->n, sizeof(*frames));
	uint32_t n = 0;

	f->stack++;
	for (size_t i = 0; i < c->n; i++) {
		const uint32_t entry = entry_of(f, c->frames[i]);

		/* A function and a part of it: one frame. */
		if (n == 0 || frames[n - 1] != entry || c->frames[i] == c->frames[i - 1])
			frames[n++] = entry;
	}
	for (uint32_t i = n; i-- > 0;) {
		struct entry *e = &d->entries[frames[i]];

		if (e->in_stack == f->stack)
			continue;
		e->in_stack = f->stack;
		e->total.time.now += (double)c->ticks;
		if (i + 1 < n)
			add_arc(f, (struct arc){ .caller = frames[i], .callee = frames[i + 1] },
			        (double)c->ticks);
	}
	paths_add(d, f->number, frames, n, (double)c->ticks);
	free(frames);
}

static void
check_run(const struct side *s, const struct model *m)
{
	if (m->gmon->rate != s->first->gmon->rate)
		errx(EXIT_BAD,
		     "%s: runs of %u and of %u ticks a second can't be compared as one side",
		     m->symbols->program, s->first->gmon->rate, m->gmon->rate);
}

void
gather_run(struct diff *d, int side, size_t run, const struct model *m)
{
	struct side *s = &d->sides[side];
	struct found f = { .d = d, .m = m, .side = s, .number = side, .run = run };

	check_run(s, m);
	for (uint32_t i = 0; i < m->symbols->nfunctions; i++) {
		struct entry *e = &d->entries[entry_of(&f, i)];

		/* All of a function's code is run by its calls, also what is inlined into it. */
		e->self.time.now +=
		    m->symbols->functions[i].inlined ? m->costs[i].self : m->costs[i].body;
		if (!d->measured)
			e->total.time.now += m->costs[i].total;
	}
	add_edges(&f);
	for (size_t i = 0; i < d->nentries; i++)
		d->entries[i].in_stack = 0;
	if (d->measured)
		chains_walk(m, take_chain, &f);
	merge_found(&f);
	count_calls(&f);
	add_arcs(d, &f);
	free(f.arcs);
	for (size_t i = 0; i < d->nentries; i++) {
		add_item(&d->entries[i].self, side, m->gmon->rate);
		add_item(&d->entries[i].total, side, m->gmon->rate);
	}
	for (size_t i = 0; i < d->narcs; i++)
		add_item(&d->arcs[i].item, side, m->gmon->rate);
	s->ticks += m->ticks;
	s->squares += square(m->ticks / m->gmon->rate);
}

/* Which arcs lead to each entry. */
void
gather_end(struct diff *d)
{
	uint32_t sum = 0;

	d->into = memory_array(d->narcs, sizeof(*d->into));
	for (size_t i = 0; i < d->narcs; i++)
		d->entries[d->arcs[i].callee].narcs++;
	for (size_t i = 0; i < d->nentries; i++) {
		d->entries[i].first_arc = sum;
		sum += d->entries[i].narcs;
		d->entries[i].narcs = 0;
	}
	for (uint32_t i = 0; i < d->narcs; i++) {
		struct entry *e = &d->entries[d->arcs[i].callee];

		d->into[e->first_arc + e->narcs++] = i;
	}
	paths_merge(d);
}
