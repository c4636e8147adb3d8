/*
 * arcset.c: equal arcs are added up, whatever their number and order, and no more are kept than
 * there is room for.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

enum { MOST = 1 << 20 };

static void
none(void)
{
	struct arcset set = { 0 };
	struct arcs arcs;

	arcset_take(&set, &arcs);
	ok(arcs.n == 0 && arcs.dropped == 0, "an empty set has no arcs");
	arcs_clear(&arcs);
}

/* Each of `n` keys `times` times, in another order each time. */
static void
many(uint64_t n, uint64_t times)
{
	struct arcset set = { 0 };
	struct arcs arcs;
	bool right = true;

	for (uint64_t round = 0; round < times; round++)
		for (uint64_t i = 0; i < n; i++) {
			const uint64_t k = 1 + (i * 7919 + round) % n;

			if (arcset_add(&set, k << 20, k) < 0)
				bail("no memory");
		}
	arcset_take(&set, &arcs);
	for (uint64_t i = 0; i < arcs.n; i++)
		right &= arcs.arc[i].key == (i + 1) << 20 && arcs.arc[i].count == times * (i + 1);
	ok(arcs.n == n && right, "%d arcs, %d times each, are added up and sorted", (int)n,
	   (int)times);
	arcs_clear(&arcs);
}

static void
sums(void)
{
	struct arcset set = { 0 };
	struct arcs arcs;

	arcset_add(&set, 1, UINT64_MAX);
	arcset_add(&set, 1, 5);
	arcset_take(&set, &arcs);
	ok(arcs.n == 1 && arcs.arc[0].count == UINT64_MAX, "a sum does not wrap around");
	arcs_clear(&arcs);
}

static void
too_many(void)
{
	struct arcset set = { 0 };
	struct arcs arcs;

	for (uint64_t k = 1; k <= MOST + 10; k++)
		if (arcset_add(&set, k, 3) < 0)
			bail("no memory");
	arcset_add(&set, 1, 4);
	arcset_take(&set, &arcs);
	ok(arcs.n == MOST && arcs.dropped == 30, "what finds no room is counted");
	ok(arcs.arc[0].key == 1 && arcs.arc[0].count == 7, "and what is known goes on");
	arcs_clear(&arcs);
}

/* Of many sets together. */
static void
too_many_in_all(void)
{
	enum { SETS = 20, EACH = 1 << 19, SURE = 3 << 14 };
	static struct arcset set[SETS];
	struct arcs arcs[SETS], last = { 0 };
	size_t n = 0;
	bool right = true;

	for (int i = 0; i < SETS; i++) {
		for (uint64_t k = 1; k <= EACH; k++)
			if (arcset_add(&set[i], k, 1) < 0)
				bail("no memory");
		arcset_take(&set[i], &arcs[i]);
		right &= arcs[i].n + arcs[i].dropped == EACH && arcs[i].n >= SURE;
		n += arcs[i].n;
	}
	ok(right, "each set has some room, and what finds none is counted");
	ok(n * sizeof(struct arc_count) <= (96U << 20) + SETS * (1U << 20),
	   "of many sets no more is kept than 96 MiB and 1 MiB for each");
	ok(arcs_append(&last, &arcs[0]) == 0 && last.n == 0 && last.dropped == arcs[0].n,
	   "a sum has no more room then");
	for (int i = 0; i < SETS; i++)
		arcs_clear(&arcs[i]);
	arcs_clear(&last);
	ok(arcs_append(&last, &(struct arcs){ .arc = &(struct arc_count){ 1, 2 }, .n = 1 }) == 0 &&
	       last.n == 1,
	   "what is given back can be had again");
	arcs_clear(&last);
}

int
main(void)
{
	none();
	many(1, 3);
	many(257, 4);
	many(100003, 2);
	sums();
	too_many();
	too_many_in_all();
	return done_testing();
}
