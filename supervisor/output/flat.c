/*
 * A flat profile: what each function has used, by gprof's rules.  A bin that lies in two functions
 * is divided.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <stdlib.h>

/* Frames of call stacks that are looked at while the program runs. */
enum { MANY_FRAMES = 1 << 14 };

static void
add_bin(struct flat *f, uint64_t low, uint64_t high, double ticks, double fresh)
{
	const double all = (double)(high - low);

	while (low < high) {
		uint64_t end;
		struct flat_row *row = &f->row[symtab_at(f->names, low, &end)];
		double part;

		if (end > high)
			end = high;
		part = (double)(end - low) / all;
		row->ticks += ticks * part;
		row->fresh += fresh * part;
		low = end;
	}
}

/* Ticks since the last flat profile are fresh. */
static void
add_bins(struct flat *f, struct counts *p)
{
	struct hist *h = &p->hist;

	for (struct hist_bin *bin = h->bins; bin != NULL; bin = bin->hh.next) {
		uint64_t low = h->offset - p->bias + hist_span(h, bin->index);
		uint64_t high = h->offset - p->bias + hist_span(h, bin->index + 1);

		add_bin(f, low, high > low ? high : low + 1, (double)bin->ticks,
		        (double)(bin->ticks - bin->seen));
		bin->seen = bin->ticks;
	}
	f->row[0].ticks += (double)p->outside;
	f->row[0].fresh += (double)(p->outside - p->seen);
	p->seen = p->outside;
}

static bool
is_called_by(const struct stack_node *node, uint32_t function)
{
	const struct stack_node *caller = node->key.caller;

	while (caller != NULL && (caller->function != function || caller->pc == STACK_CUT))
		caller = caller->key.caller;
	return caller != NULL;
}

/* Adds the time of each function with all that it has called: that of the stacks that it is in,
 * however often. */
static void
add_stacks(struct flat *f, struct stacks *s)
{
	for (struct stack_node *n = s->nodes; n != NULL; n = n->hh.next) {
		uint64_t end;

		n->function = symtab_at(f->names, n->pc, &end);
		n->total = symtab_function(f->names, n->function).runtime ? 0 : n->ticks;
	}
	for (struct stack_node *n = stacks_last(s); n != NULL; n = n->hh.prev)
		if (n->key.caller != NULL)
			n->key.caller->total += n->total;
	for (struct stack_node *n = s->nodes; n != NULL; n = n->hh.next)
		if (n->pc != STACK_CUT && !is_called_by(n, n->function))
			f->row[n->function].total += (double)n->total;
}

/* Whether a row is a section's, whose code has no symbols. */
static bool
is_section(const struct flat *f, const struct flat_row *row)
{
	return *symtab_function(f->names, (uint32_t)(row - f->row)).name == '[';
}

/* Adds calls as gprof's table has them, without a function's direct calls of itself. */
static void
add_calls(struct flat *f, const struct counts *p, const struct arcs *arcs, bool take_away)
{
	for (size_t i = 0; i < arcs->n; i++) {
		const uint64_t pc = gmon_address(p, (uint32_t)arcs->arc[i].key);
		const uint64_t from = gmon_address(p, (uint32_t)(arcs->arc[i].key >> 32));
		const uint64_t count = arcs->arc[i].count;
		uint64_t end;
		struct flat_row *row = &f->row[symtab_at(f->names, pc, &end)];

		if (pc == 0 || row == f->row)
			continue; /* no function of this image */
		if (from != 0 && row == &f->row[symtab_at(f->names, from - 1, &end)] &&
		    !is_section(f, row))
			continue;
		if (take_away)
			row->calls -= count < row->calls ? count : row->calls;
		else
			row->calls = arcs_add(row->calls, count);
	}
}

/* Drops rows of nothing, and the runtime's, which gprof leaves out. */
static void
tidy(struct flat *f)
{
	const size_t all = f->n;

	f->n = 0;
	for (size_t i = 0; i < all; i++) {
		const struct symtab_function function = symtab_function(f->names, (uint32_t)i);
		struct flat_row row = f->row[i];

		row.name = function.name;
		if (function.runtime) {
			f->runtime += row.ticks;
			continue;
		}
		f->ticks += row.ticks;
		f->fresh += row.fresh;
		f->calls = arcs_add(f->calls, row.calls);
		if (row.ticks > 0 || row.calls > 0 || row.total > 0)
			f->row[f->n++] = row;
	}
}

/* Counted functions first. */
static int
by_total(const void *a, const void *b)
{
	const struct flat_row *x = a, *y = b;

	if ((x->calls == 0) != (y->calls == 0))
		return (x->calls == 0) - (y->calls == 0);
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->calls < y->calls) - (x->calls > y->calls);
}

static int
by_ticks(const void *a, const void *b)
{
	const struct flat_row *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
	return by_total(a, b);
}

static int
by_fresh(const void *a, const void *b)
{
	const struct flat_row *x = a, *y = b;

	if (x->fresh != y->fresh)
		return x->fresh < y->fresh ? 1 : -1;
	return by_ticks(a, b);
}

/* Sorts the rows from one on by their time with all that they have called. */
void
flat_by_total(struct flat *f, size_t from)
{
	if (f->has_totals && from < f->n)
		qsort(f->row + from, f->n - from, sizeof(*f->row), by_total);
}

double
flat_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Returns -1 without memory.  The rows' names belong to the table `names`. */
int
flat_make(struct flat *f, const struct symtab *names, struct counts *p, enum flat_order order)
{
	*f = (struct flat){ .names = names, .n = symtab_count(names) };
	f->row = calloc(f->n, sizeof(*f->row));
	if (f->row == NULL)
		return -1;
	add_bins(f, p);
	add_calls(f, p, &p->arcs, false);
	add_calls(f, p, &p->minus, true);
	f->has_totals = p->stacks.nodes != NULL &&
	                (order == FLAT_TICKS || HASH_COUNT(p->stacks.nodes) <= MANY_FRAMES);
	if (f->has_totals)
		add_stacks(f, &p->stacks);
	tidy(f);
	if (f->n > 0)
		qsort(f->row, f->n, sizeof(*f->row), order == FLAT_FRESH ? by_fresh : by_ticks);
	return 0;
}

void
flat_free(struct flat *f)
{
	free(f->row);
	f->row = NULL;
}
