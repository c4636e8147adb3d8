/*
 * owed.c: CPU time into ticks, by accounts that were recorded.  Times are ns.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"
#include "tap.h"

#define PERIOD 1000000UL

static uint64_t
add_and_take(struct owed *o, uint64_t cpu, uint64_t waited)
{
	const struct thread_time time = { .cpu = cpu, .waited = waited };

	struct owed_sum sum = { .all = INT64_MAX / 2 };

	return owed_add(o, &sum, &time) ? owed_take(o, &sum, PERIOD, 0, UINT64_MAX) : 0;
}

static void
test_ticks(void)
{
	struct owed o = { 0 };

	is_int(add_and_take(&o, 999999, 0), 0, "less than a period is no tick");
	is_int(add_and_take(&o, 1000000, 0), 1, "but it stays owed");
	is_int(add_and_take(&o, 4500000, 0), 3, "a late sample stands for all");
	is_int(add_and_take(&o, 4400000, 0), 0, "a clock that goes back owes nothing");
	is_int(add_and_take(&o, 5000000, 0), 1, "and takes nothing");
}

static void
test_lead(void)
{
	is_int(owed_lead(PERIOD, 300000, 5), 700000,
	       "a new thread's first period ends at the tick");
	is_int(owed_lead(PERIOD, 1400000, 5), -400000, "also if that is more than a period away");
	is_int(owed_lead(PERIOD, -20000, 5), PERIOD, "at a tick that is due it has one period");
	is_int(owed_lead(PERIOD, -50000000, 7 * PERIOD + 5), 5,
	       "where the tick is late it owes none of the time before its start");
}

/* Each look's CPU time and wait of a busy thread at 1,000 Hz, with ticks 0.5 to 1.5 ms apart. */
static void
test_bare_machine(void)
{
	static const uint64_t seen[] = { 1204310, 1871554, 3350120, 3961087, 5210433, 6087219 };
	static const uint64_t ticks[] = { 1, 0, 2, 0, 2, 1 };
	struct owed o = { 0 };
	uint64_t all = 0;

	for (unsigned i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		const uint64_t got = add_and_take(&o, seen[i], 5000UL * i);

		all += got;
		is_int(got, ticks[i], "tick %u", i);
	}
	is_int(all, 6, "no period is lost or booked twice");
	ok(!owed_is_crowded(&o), "waits for our stops make no crowd");
}

/* The account of a thread on another CPU of a virtual machine moves at the kernel's ticks, every 4
 * ms. */
static void
test_virtual_machine(void)
{
	static const uint64_t seen[] = { 0, 0, 0, 3998120, 3998120, 3998120, 3998120, 7997310 };
	struct owed o = { 0 };
	uint64_t all = 0;

	for (unsigned i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		all += add_and_take(&o, seen[i], 0);
	is_int(all, 7, "an account that moves in steps is booked in steps");
}

static void
test_crowd(void)
{
	struct owed o = { 0 };

	for (uint64_t i = 1; i <= 8; i++)
		add_and_take(&o, 3000000 * i, 3100000 * i);
	ok(owed_is_crowded(&o), "four threads on two CPUs: each waits as long as it runs");
	for (uint64_t i = 1; i <= 12; i++)
		add_and_take(&o, 24000000 + 3000000 * i, 24800000);
	ok(!owed_is_crowded(&o), "when the others are gone it is soon none");
}

static void
test_begin(void)
{
	const struct thread_time time = { .cpu = 50 * PERIOD }, later = { .cpu = 52 * PERIOD };
	struct owed o = { 0 };

	owed_begin(&o, 400000);
	is_int(add_and_take(&o, 600000, 0), 1, "what it is owed to begin with counts");
	owed_begin(&o, -200000);
	is_int(add_and_take(&o, 1600000, 0), 0, "and what it need not pay yet, too");
	owed_forgive(&o, &time);
	is_int(add_and_take(&o, later.cpu, 0), 2,
	       "what is forgiven is not owed, what was owed before is");
}

static void
test_waive(void)
{
	const struct thread_time time = { .cpu = 5 * PERIOD + 300000 };
	struct owed_sum sum = { 0 };
	struct owed o = { 0 };

	owed_add(&o, &sum, &time);
	is_int(owed_take(&o, &sum, PERIOD, 1, UINT64_MAX), 4,
	       "of a gap all but one tick is dropped");
	is_int(owed_take(&o, &sum, PERIOD, 0, UINT64_MAX), 1, "that one is booked");
	is_int(o.debt, 300000, "and the rest stays owed");
	is_int(owed_take(&o, &sum, PERIOD, 1, UINT64_MAX), 0, "of less than a tick nothing");
}

/* Returns the ticks of threads that each use so much, and are seen `looks` times. */
static uint64_t
ticks_of(unsigned threads, int64_t lead, uint64_t used, unsigned looks, struct owed_sum *sum)
{
	struct owed o[100] = { 0 };
	uint64_t ticks = 0;

	for (unsigned i = 0; i < threads; i++)
		owed_begin(&o[i], lead);
	for (unsigned look = 1; look <= looks; look++)
		for (unsigned i = 0; i < threads; i++) {
			const struct thread_time time = { .cpu = used * look / looks };

			owed_add(&o[i], sum, &time);
			if (look < looks)
				ticks += owed_take(&o[i], sum, PERIOD, 0, UINT64_MAX);
		}
	for (unsigned i = 0; i < threads; i++)
		ticks += owed_end(&o[i], sum, PERIOD);
	return ticks;
}

/* Threads that begin together have the same lead. */
static void
test_many(void)
{
	struct owed_sum sum = { 0 };
	uint64_t ticks;

	is_int(ticks_of(100, 0, PERIOD / 4, 1, &sum), 25,
	       "100 threads that use a quarter of a tick each have 25 ticks");
	sum = (struct owed_sum){ 0 };
	ticks = ticks_of(100, PERIOD - 1, PERIOD / 4, 8, &sum);
	ok(ticks >= 25 && ticks <= 27, "also if each of them has its first tick at once");
	sum = (struct owed_sum){ 0 };
	is_int(ticks_of(100, -400000, 3 * PERIOD + PERIOD / 2, 7, &sum), 350,
	       "or comes late to it");
	is_int(sum.all, sum.ended, "what is left is what they have left");
}

/* Returns the ticks of processes of one thread, one after the other. */
static uint64_t
ticks_of_run(unsigned processes, int64_t lead, uint64_t used, uint64_t dither)
{
	struct owed_sum run = { 0 };
	uint64_t ticks = 0;

	for (unsigned i = 0; i < processes; i++) {
		struct owed_sum sum = { .of = &run };
		const struct thread_time time = { .cpu = used };
		struct owed o = { 0 };

		owed_begin(&o, lead);
		owed_add(&o, &sum, &time);
		ticks += owed_take(&o, &sum, PERIOD, 0, UINT64_MAX);
		ticks += owed_end(&o, &sum, PERIOD) + owed_settle(&sum, PERIOD, dither);
	}
	return ticks;
}

static void
test_run(void)
{
	uint64_t ticks;

	is_int(ticks_of_run(40, 0, PERIOD * 3 / 4, 0), 30,
	       "40 processes that use three quarters of a tick each have 30 ticks");
	ticks = ticks_of_run(40, PERIOD / 2, PERIOD * 3 / 4, 0);
	ok(ticks >= 30 && ticks <= 32, "also if each has its tick early");
	ticks = ticks_of_run(40, 0, PERIOD * 3 / 4, PERIOD / 2);
	ok(ticks >= 30 && ticks <= 31, "or the rest is a tick by chance");
}

/* What processes have left is not paid while others are ahead of their time. */
static void
test_ahead(void)
{
	const struct thread_time time = { .cpu = PERIOD * 9 / 10 };
	struct owed_sum run = { 0 };
	uint64_t ticks = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct owed_sum late = { .of = &run }, early = { .of = &run };
		struct owed o = { 0 }, ahead = { 0 };

		owed_add(&o, &late, &time);
		owed_begin(&ahead, 2 * PERIOD);
		ticks += owed_take(&ahead, &early, PERIOD, 0, UINT64_MAX);
		ticks += owed_end(&o, &late, PERIOD) + owed_settle(&late, PERIOD, 0);
	}
	is_int(ticks, 3, "for 1.8 ticks of a run it has no more than 3.8");
	is_int(run.all, 2 * (int64_t)time.cpu - 3 * (int64_t)PERIOD, "and what is left stays owed");
}

int
main(void)
{
	test_ticks();
	test_lead();
	test_bare_machine();
	test_virtual_machine();
	test_crowd();
	test_begin();
	test_waive();
	test_many();
	test_run();
	test_ahead();
	return done_testing();
}
