/*
 * A flat profile: what each function has used, by gprof's rules.  A bin that lies in two functions
 * is divided.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <stdlib.h>

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
		if (from != 0 && row == &f->row[symtab_at(f->names, from - 1, &end)])
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
		if (row.ticks > 0 || row.calls > 0)
			f->row[f->n++] = row;
	}
}

static int
by_ticks(const void *a, const void *b)
{
	const struct flat_row *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
	return (x->calls < y->calls) - (x->calls > y->calls);
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
