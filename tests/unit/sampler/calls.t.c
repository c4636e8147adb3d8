/*
 * calls.c: samples at the ends of system calls stand for no more time than the kernel says was
 * spent in it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"
#include "tap.h"

#define MS 1000000UL

/* Of a thousand samples of 10 ms each `of_100` are found in calls; the kernel says `percent`.
 * Returns how many are booked there. */
static unsigned
booked(unsigned of_100, unsigned percent, uint64_t before)
{
	struct calls c = { 0 };
	unsigned n = 0;

	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t system = before + i * percent / 100 * (10 * MS);

		if (i * of_100 / 100 == (i + 1) * of_100 / 100 || calls_room(&c, system) == 0)
			continue;
		c.booked += 10 * MS;
		n++;
	}
	return n;
}

int
main(void)
{
	is_int(booked(20, 0, 0), 1, "no time in the kernel: one sample, its unit");
	ok(booked(20, 1, 0) >= 9 && booked(20, 1, 0) <= 11, "1 %%, found in 20 %%: 1 %% is booked");
	ok(booked(20, 20, 0) >= 198, "what the kernel says is booked");
	is_int(booked(1, 50, 0), 10, "page faults are in the kernel, too: all of 1 %%");
	is_int(booked(100, 100, 0), 1000, "a program that only makes calls has them all");
	is_int(booked(20, 1, 3600000 * MS), booked(20, 1, 0),
	       "what was used before the first sample does not count");
	is_int((int64_t)calls_room(&(struct calls){ true, 5 * MS, 7 * MS }, 15 * MS), 13 * MS,
	       "a sample that stands for more books no more than there is room for");
	return done_testing();
}
