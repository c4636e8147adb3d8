/*
 * hist.c: how many bins there may be, and what becomes of them when their range changes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

#define MOST (1UL << 19)

/* Returns how many more bins it takes, of at most so many. */
static uint64_t
fill(struct hist *h, uint64_t from, uint64_t most)
{
	uint64_t n = 0;

	while (n < most && hist_add(h, from + n, 1) != 0)
		n++;
	return n;
}

/* Bins whose plain hashes a program has chosen to be in one of 128 buckets. */
static void
test_chosen(void)
{
	struct hist h = { 0 };
	unsigned most = 0;

	for (uint64_t i = 0; HASH_COUNT(h.bins) < 5000; i++) {
		unsigned hash;

		HASH_JEN(&i, sizeof(i), hash);
		if (hash % 128 == 0)
			hist_add(&h, i, 1);
	}
	for (unsigned i = 0; i < h.bins->hh.tbl->num_buckets; i++)
		if (most < h.bins->hh.tbl->buckets[i].count)
			most = h.bins->hh.tbl->buckets[i].count;
	ok(most < 50, "no program chooses which bins are looked through one by one");
	diag("%u in one", most);
	hist_clear(&h);
}

int
main(void)
{
	struct counts c = { 0 };
	struct hist other = { 0 };
	uint64_t n;

	counts_set_range(&c, 4 * MOST, 0, PROFSUP_SCALE_ONE);
	n = fill(&c.hist, 0, MOST);
	is_int((int64_t)n, MOST / 2, "one profile has half of all bins at the most");
	ok(hist_add(&c.hist, 0, 1) == 2, "those that it has count on");
	is_int((int64_t)fill(&other, 0, MOST), MOST / 4, "another one has half of the rest");
	counts_set_range(&c, 4 * MOST, 0, PROFSUP_SCALE_ONE / 2);
	is_int((int64_t)c.hist.ticks, (int64_t)n + 1,
	       "all can move to other ones, with their ticks");
	is_int((int64_t)HASH_COUNT(c.hist.bins), MOST / 4, "where two become one");
	counts_clear(&c);
	hist_clear(&other);
	is_int((int64_t)fill(&other, 0, MOST), MOST / 2, "what is given back others can have");
	hist_clear(&other);
	secret_set(0x9e3779b97f4a7c15);
	test_chosen();
	return done_testing();
}
