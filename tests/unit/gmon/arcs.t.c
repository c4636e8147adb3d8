/*
 * arcs.c: equal arcs are added up, and a sum can't wrap around.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static struct arcs
make(const struct arc_count *arc, size_t n)
{
	struct arcs a = { .arc = malloc((n + 1) * sizeof(*arc)), .n = n };

	if (a.arc == NULL)
		bail("no memory");
	if (arc != NULL)
		memcpy(a.arc, arc, n * sizeof(*arc));
	return a;
}

static bool
same(const struct arcs *a, const struct arc_count *want, size_t n)
{
	if (a->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (a->arc[i].key != want[i].key || a->arc[i].count != want[i].count)
			return false;
	return true;
}

static void
merges(void)
{
	const struct arc_count in[] = { { 5, 1 }, { 2, 10 }, { 5, 2 }, { UINT64_MAX, 7 },
		                        { 2, 5 }, { 1, 1 },  { 5, 4 } };
	const struct arc_count want[] = { { 1, 1 }, { 2, 15 }, { 5, 7 }, { UINT64_MAX, 7 } };
	struct arcs a = make(in, N(in));

	arcs_merge(&a);
	ok(same(&a, want, N(want)), "equal arcs are added up and all are sorted");
	arcs_merge(&a);
	ok(same(&a, want, N(want)), "merging twice changes nothing");
	a.dropped = 3;
	arcs_clear(&a);
	ok(a.arc == NULL && a.n == 0 && a.dropped == 0, "cleared, nothing is left");
}

static void
few(void)
{
	const struct arc_count one[] = { { 9, 4 } };
	struct arcs a = make(NULL, 0);

	arcs_merge(&a);
	is_int((int64_t)a.n, 0, "no arcs stay none");
	arcs_clear(&a);
	arcs_merge(&a);
	is_int((int64_t)a.n, 0, "also without an array");
	a = make(one, 1);
	arcs_merge(&a);
	ok(same(&a, one, 1), "one arc stays one");
	arcs_clear(&a);
}

static void
saturates(void)
{
	const struct arc_count in[] = {
		{ 1, UINT64_MAX - 1 }, { 1, 1 }, { 2, UINT64_MAX }, { 2, 1 }, { 2, 5 },
	};
	const struct arc_count want[] = { { 1, UINT64_MAX }, { 2, UINT64_MAX } };
	struct arcs a = make(in, N(in));

	arcs_merge(&a);
	ok(same(&a, want, N(want)), "a sum past 2^64 - 1 stays there");
	arcs_clear(&a);
}

/* As many tables as threads, each with the same arcs. */
static void
many(void)
{
	enum { TABLES = 64, ARCS = 1000 };
	struct arcs a = make(NULL, (size_t)TABLES * ARCS);
	int wrong = 0;

	for (size_t i = 0; i < a.n; i++)
		a.arc[i] = (struct arc_count){ i * 7919 % ARCS, i / ARCS + 1 };
	arcs_merge(&a);
	is_int((int64_t)a.n, ARCS, "the same arcs of 64 tables become one set");
	for (size_t i = 0; i < a.n; i++)
		wrong += a.arc[i].key != i || a.arc[i].count != (uint64_t)TABLES * (TABLES + 1) / 2;
	is_int(wrong, 0, "with the sums of all tables");
	arcs_clear(&a);
}

static void
subtracts(void)
{
	const struct arc_count in[] = { { 1, 10 }, { 2, 5 }, { 4, 7 } };
	const struct arc_count less[] = { { 1, 4 }, { 3, 1 }, { 4, 9 } };
	const struct arc_count want[] = { { 1, 6 }, { 2, 5 }, { 4, 0 } };
	struct arcs a = make(in, N(in)), b = make(less, N(less));

	a.dropped = 12;
	b.dropped = 5;
	arcs_subtract(&a, &b);
	ok(same(&a, want, N(want)),
	   "what was there before is taken away, and no more than there is");
	is_int((int64_t)a.dropped, 7, "calls without a place, too");
	b.dropped = 100;
	arcs_subtract(&a, &b);
	is_int((int64_t)a.dropped, 0, "and no more of them");
	arcs_clear(&a);
	arcs_clear(&b);
}

int
main(void)
{
	subtracts();
	merges();
	few();
	saturates();
	many();
	return done_testing();
}
