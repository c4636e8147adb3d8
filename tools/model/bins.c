/*
 * The bins of a histogram that have ticks.  Most have none, and a file may claim billions of empty
 * bins by a hole: they take no memory.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>

/* How many bins are added before they are merged with the others. */
enum { MANY = 64 << 10 };

static int
compare_bins(const void *a, const void *b)
{
	const struct bin *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

static bool
is_sorted(const struct bins *b)
{
	for (size_t i = 1; i < b->n; i++)
		if (b->bin[i].index <= b->bin[i - 1].index)
			return false;
	return true;
}

/* Sorts the bins, and adds up those of one index. */
void
bins_merge(struct bins *b)
{
	size_t n = 0;

	b->merged = b->n;
	if (is_sorted(b))
		return;
	qsort(b->bin, b->n, sizeof(*b->bin), compare_bins);
	for (size_t i = 1; i < b->n; i++)
		if (b->bin[i].index == b->bin[n].index)
			b->bin[n].ticks += b->bin[i].ticks;
		else
			b->bin[++n] = b->bin[i];
	b->n = b->merged = n + 1;
}

/* Adds ticks to a bin.  The bins of a thousand files take no more than twice the room of their
 * sum. */
void
bins_add(struct bins *b, uint32_t index, uint64_t ticks)
{
	if (b->n >= 2 * b->merged + MANY)
		bins_merge(b);
	b->bin = memory_grow(b->bin, b->n, sizeof(*b->bin));
	b->bin[b->n++] = (struct bin){ ticks, index };
}
