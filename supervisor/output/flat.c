/*
 * A flat profile: what each function has used, by gprof's rules.  A bin that lies in two functions
 * is divided.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct flat_object *
object_of(const struct flat *f, const struct stack_node *n)
{
	size_t i = 0;

	while (i + 1 < f->objects && f->object[i].number != frame_object(n->pc))
		i++;
	return &f->object[i];
}

/* Ticks outside of the program's text are those of other objects' functions, where there are call
 * stacks. */
static void
move_outside(struct flat *f, struct stack_node *n)
{
	struct flat_row *from = &f->row[0], *to = &f->row[n->function];
	const double ticks = (double)n->ticks, fresh = (double)(n->ticks - n->seen);

	n->seen = n->ticks;
	if (frame_object(n->pc) == OBJECT_PROGRAM)
		return;
	from->ticks -= ticks < from->ticks ? ticks : from->ticks;
	from->fresh -= fresh < from->fresh ? fresh : from->fresh;
	to->ticks += ticks;
	to->fresh += fresh;
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
		const struct flat_object *o = object_of(f, n);
		uint64_t end;
		const uint32_t local = symtab_at(o->names, frame_address(n->pc), &end);

		n->function = (uint32_t)o->first + local;
		n->total = symtab_function(o->names, local).runtime ? 0 : n->ticks;
		move_outside(f, n);
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

static void
add(uint64_t *calls, uint64_t count, bool take_away)
{
	if (take_away)
		*calls -= count < *calls ? count : *calls;
	else
		*calls = arcs_add(*calls, count);
}

/* Adds calls as gprof's table has them, where a function's direct calls of itself are not among the
 * others. */
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
			add(&row->recursive, count, take_away);
		else
			add(&row->calls, count, take_away);
	}
}

/* Drops rows of nothing, and the runtime's, which gprof leaves out. */
static void
tidy(struct flat *f)
{
	const size_t all = f->n;
	const struct flat_object *o = f->object;

	f->n = 0;
	for (size_t i = 0; i < all; i++) {
		struct symtab_function function;
		struct flat_row row = f->row[i];

		while (o + 1 < f->object + f->objects && i >= o[1].first)
			o++;
		function = symtab_function(o->names, (uint32_t)(i - o->first));
		row.name = function.name;
		row.file = objects_path(o->number);
		row.object = o->number;
		if (function.runtime) {
			f->runtime += row.ticks;
			continue;
		}
		f->ticks += row.ticks;
		f->fresh += row.fresh;
		f->calls = arcs_add(f->calls, arcs_add(row.calls, row.recursive));
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

double
flat_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Writes a function's name, with its file if that is not the program's. */
const char *
flat_name(const struct flat_row *row, char *buf, size_t size)
{
	const char *base = row->file == NULL ? NULL : strrchr(row->file, '/');

	if (row->file == NULL)
		return row->name;
	snprintf(buf, size, *row->file == '[' ? "%s %s" : "%s [%s]", row->name,
	         base == NULL ? row->file : base + 1);
	return buf;
}

/* Adds an object of which there are functions, once. */
static int
add_object(struct flat *f, const struct image_id *program, uint32_t number)
{
	struct flat_object *more = f->object;

	for (size_t i = 0; i < f->objects; i++)
		if (f->object[i].number == number)
			return 0;
	more = reallocarray(more, f->objects + 1, sizeof(*more));
	if (more == NULL)
		return -1;
	f->object = more;
	more[f->objects] = (struct flat_object){ number, objects_table(program, number), f->n };
	f->n += symtab_count(more[f->objects++].names);
	return 0;
}

static int
make_rows(struct flat *f, const struct image_id *program, const struct counts *p)
{
	int ret = add_object(f, program, OBJECT_PROGRAM);

	for (const struct stack_node *n = f->has_totals ? p->stacks.nodes : NULL;
	     n != NULL && ret == 0; n = n->hh.next)
		ret = add_object(f, program, frame_object(n->pc));
	if (ret < 0 || (f->row = calloc(f->n, sizeof(*f->row))) == NULL)
		return -1;
	f->names = f->object[0].names;
	return 0;
}

/* Returns -1 without memory.  The rows' names belong to the tables of objects.c. */
int
flat_make(struct flat *f, const struct image_id *program, struct counts *p, enum flat_order order)
{
	*f = (struct flat){ .has_totals = p->stacks.nodes != NULL };
	if (order != FLAT_TICKS && HASH_COUNT(p->stacks.nodes) > MANY_FRAMES)
		f->has_totals = false;
	if (make_rows(f, program, p) < 0) {
		flat_free(f);
		return -1;
	}
	add_bins(f, p);
	add_calls(f, p, &p->arcs, false);
	add_calls(f, p, &p->minus, true);
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
	free(f->object);
	f->row = NULL;
	f->object = NULL;
}
