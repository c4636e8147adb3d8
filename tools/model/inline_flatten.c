/*
 * Ranges of inlined calls that lie in each other, as spans of the innermost call.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include <stdlib.h>

struct flattening {
	const uint32_t *parents;
	void (*take)(void *arg, const struct inline_span *span);
	void *arg;
	struct inline_span open[MOST_INLINED]; /* each in the one before */
	size_t nopen;
	uint64_t at; /* up to where all is taken */
};

static int
compare_ranges(const void *a, const void *b)
{
	const struct inline_span *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

static bool
is_in(const struct flattening *f, uint32_t call, uint32_t outer)
{
	while (call > outer)
		call = f->parents[call - 1];
	return call == outer;
}

static void
take_until(struct flattening *f, uint64_t to, uint32_t call)
{
	if (f->at >= to)
		return;
	f->take(f->arg, &(struct inline_span){ f->at, to, call });
	f->at = to;
}

static void
take_range(struct flattening *f, const struct inline_span *range)
{
	const struct inline_span *around;
	struct inline_span one = *range;

	while (f->nopen > 0 && f->open[f->nopen - 1].high <= one.low) {
		f->nopen--;
		take_until(f, f->open[f->nopen].high, f->open[f->nopen].call);
	}
	around = f->nopen > 0 ? &f->open[f->nopen - 1] : NULL;
	if (f->nopen == MOST_INLINED ||
	    (around != NULL && (one.call == around->call || !is_in(f, one.call, around->call))))
		return;
	if (around != NULL) {
		take_until(f, one.low, around->call);
		one.high = one.high < around->high ? one.high : around->high;
	}
	f->at = one.low;
	f->open[f->nopen++] = one;
}

/* Sorts the ranges.  Functions that a linker has made one of, since their code is the same, have
 * the same addresses: the calls of one of them count. */
void
inline_flatten(struct inline_span *range, size_t n, const uint32_t *parents,
               void (*take)(void *arg, const struct inline_span *span), void *arg)
{
	struct flattening *f = memory_array(1, sizeof(*f));

	f->parents = parents;
	f->take = take;
	f->arg = arg;
	if (n > 0)
		qsort(range, n, sizeof(*range), compare_ranges);
	for (size_t i = 0; i < n; i++)
		take_range(f, &range[i]);
	while (f->nopen > 0) {
		f->nopen--;
		take_until(f, f->open[f->nopen].high, f->open[f->nopen].call);
	}
	free(f);
}
