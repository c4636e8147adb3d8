/*
 * Arc counts as read out of a target.  The same arc may stand in several tables, so the counts are
 * sorted by arc and added up.  Knows nothing of the system.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes that all arcs together may take.  A process may read a small amount in any
 * case. */
#define POOL (96UL << 20)

static atomic_size_t held;

static int
by_key(const void *a, const void *b)
{
	const struct arc_count *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Books a change from `before` to `bytes` bytes, or refuses it if POOL would be exceeded.  A size
 * of up to `sure` bytes is never refused. */
bool
arcs_hold(size_t before, size_t bytes, size_t sure)
{
	if (bytes > before && bytes > sure && held + bytes - before > POOL)
		return false;
	held += bytes - before;
	return true;
}

/* Whether kept copies must not grow: half of POOL is reserved for arcs that are being read. */
bool
arcs_are_many(void)
{
	return held > POOL / 2;
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

/* Returns the entry with that key, or NULL.  The list is sorted. */
static struct arc_count *
find(const struct arcs *a, uint64_t key)
{
	const struct arc_count wanted = { .key = key };

	return a->n == 0 ? NULL : bsearch(&wanted, a->arc, a->n, sizeof(wanted), by_key);
}

/* Adds the counts of arcs that `to` has already; counts of other arcs go to `dropped`. */
static void
add_known(struct arcs *to, const struct arcs *more)
{
	for (size_t i = 0; i < more->n; i++) {
		struct arc_count *known = find(to, more->arc[i].key);

		if (known != NULL)
			known->count = arcs_add(known->count, more->arc[i].count);
		else
			to->dropped = arcs_add(to->dropped, more->arc[i].count);
	}
}

/* Returns -1 if there is no memory. */
int
arcs_append(struct arcs *to, const struct arcs *more)
{
	const size_t room = to->n + more->n + 1;
	struct arc_count *arc;

	if (!arcs_hold(to->room * sizeof(*arc), room * sizeof(*arc), 0)) {
		add_known(to, more);
		return 0;
	}
	arc = reallocarray(to->arc, room, sizeof(*arc));
	if (arc == NULL) {
		arcs_hold(room * sizeof(*arc), to->room * sizeof(*arc), 0);
		return -1;
	}
	to->arc = arc;
	to->room = room;
	for (size_t i = 0; i < more->n; i++)
		arc[to->n++] = more->arc[i];
	arcs_merge(to);
	return 0;
}

int
arcs_copy(struct arcs *to, const struct arcs *from)
{
	const size_t bytes = from->n * sizeof(from->arc[0]);

	*to = (struct arcs){ .dropped = from->dropped };
	if (from->n == 0)
		return 0;
	to->arc = malloc(bytes);
	if (to->arc == NULL)
		return -1;
	memcpy(to->arc, from->arc, bytes);
	to->n = to->room = from->n;
	return arcs_hold(0, bytes, SIZE_MAX) ? 0 : -1;
}

/* Both lists are sorted.  No count goes below 0. */
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
	arcs_hold(a->room * sizeof(a->arc[0]), 0, 0);
	free(a->arc);
	*a = (struct arcs){ 0 };
}
