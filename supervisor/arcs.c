/*
 * Arc counts as read out of a target: the same arc may stand in several tables, so they are sorted
 * and added up.  Knows nothing of the system.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <stdlib.h>

static int
by_key(const void *a, const void *b)
{
	const struct arc_count *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* A sum that a lying target could make wrap around stays at the largest number instead. */
uint64_t
arcs_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void
arcs_merge(struct arcs *a)
{
	size_t out = 0;

	if (a->n < 2)
		return;
	qsort(a->arc, a->n, sizeof(a->arc[0]), by_key);
	for (size_t i = 1; i < a->n; i++) {
		if (a->arc[i].key == a->arc[out].key)
			a->arc[out].count = arcs_add(a->arc[out].count, a->arc[i].count);
		else
			a->arc[++out] = a->arc[i];
	}
	a->n = out + 1;
}

int
arcs_append(struct arcs *to, const struct arcs *more)
{
	struct arc_count *arc = reallocarray(to->arc, to->n + more->n + 1, sizeof(*arc));

	if (arc == NULL)
		return -1;
	to->arc = arc;
	for (size_t i = 0; i < more->n; i++)
		arc[to->n++] = more->arc[i];
	arcs_merge(to);
	return 0;
}

int
arcs_copy(struct arcs *to, const struct arcs *from)
{
	*to = (struct arcs){ .dropped = from->dropped };
	return arcs_append(to, from);
}

/* Both sorted.  What is not there can't be taken away. */
void
arcs_subtract(struct arcs *a, const struct arcs *less)
{
	size_t j = 0;

	a->dropped -= less->dropped < a->dropped ? less->dropped : a->dropped;
	for (size_t i = 0; i < a->n; i++) {
		while (j < less->n && less->arc[j].key < a->arc[i].key)
			j++;
		if (j < less->n && less->arc[j].key == a->arc[i].key)
			a->arc[i].count -= less->arc[j].count < a->arc[i].count ? less->arc[j].count
			                                                        : a->arc[i].count;
	}
}

void
arcs_clear(struct arcs *a)
{
	free(a->arc);
	*a = (struct arcs){ 0 };
}
