/*
 * oncpu.c: who had the CPU, by what the kernel told at ticks that were recorded.  Times are ns of
 * a CPU's own clock.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"
#include "tap.h"

/* The same base for all of a virtual machine's ticks. */
#define VM(ms, ns) (28314338000000UL + (ms)*1000000UL + (ns))

static void
test_virtual_machine(void)
{
	/* Four busy threads on two CPUs: two of them on ours, 3 ms each in turn.  An interrupt
	 * thread ran between the one that was preempted and us. */
	const uint64_t crowd[] = { VM(10, 882113), VM(13, 871250) };
	/* One that sleeps was woken by our timer's interrupt; it ran 1 ms ago. */
	const uint64_t woken[] = { VM(20, 104211), VM(21, 98310) };
	/* Another program had the CPU. */
	const uint64_t others[] = { VM(28, 400112), VM(27, 100001) };
	/* A thread that came from another CPU has not run here yet. */
	const uint64_t came[] = { 0, VM(31, 500000) };

	is_int(oncpu_find(crowd, 2, VM(13, 886087)), 1, "the last one that left the CPU had it");
	is_int(oncpu_find(woken, 2, VM(21, 98310)), 1, "and not one that has just been woken");
	ok(oncpu_find(others, 2, VM(31, 2000)) == SIZE_MAX, "nobody, if another program had it");
	is_int(oncpu_find(came, 2, VM(31, 500400)), 1, "one that came here has not had it");
}

static void
test_bare_machine(void)
{
	/* The switch to us has one time for both. */
	const uint64_t crowd[] = { 5000000000, 5003999120, 4996001210, 4992000870 };
	const uint64_t close[] = { 5003980000, 5003999120 };

	is_int(oncpu_find(crowd, 4, 5003999120), 1, "one of four");
	is_int(oncpu_find(close, 2, 5003999120), 1, "the later of two that left it 19 us apart");
	ok(oncpu_find(crowd, 0, 5003999120) == SIZE_MAX, "nobody of none");
	ok(oncpu_find(crowd, 1, 5003999120) == SIZE_MAX, "one that left it 4 ms ago waits");
}

static bool
all_along(uint64_t elapsed, uint64_t used)
{
	const struct cpu_look last = { 1000000000, 7000000 };
	const struct cpu_look now = { 1000000000 + elapsed, 7000000 + used };

	return oncpu_all_along(&last, &now);
}

static void
test_all_along(void)
{
	ok(all_along(1000000, 985000), "1,000 Hz: all but a stop of 15 us");
	ok(all_along(10000000, 9965000), "100 Hz: all but a stop and what the kernel took");
	ok(!all_along(10000000, 9000000), "a millisecond is missing: it has slept or waited");
	ok(!all_along(1000000, 600000), "or the host has taken 0.4 ms: that is to be looked at");
	ok(!all_along(10000000, 6000000), "the account is a kernel's tick old: the same");
	ok(all_along(100000, 60000), "a look so soon after the last one proves little");
}

static void
test_is_to_stop(void)
{
	ok(oncpu_is_to_stop(true, 1, 1, true), "who had our CPU and waits for it is stopped");
	ok(!oncpu_is_to_stop(false, 1, 1, true), "who waits for it and did not have it is not");
	ok(oncpu_is_to_stop(false, 0, 1, true), "who has gone from it works elsewhere: it is");
	ok(oncpu_is_to_stop(true, 0, 1, true), "and so is one that was moved while we looked");
	ok(!oncpu_is_to_stop(true, 0, 1, false), "in a crowd it may wait there");
	ok(oncpu_is_to_stop(true, 1, 1, false), "but our CPU is as sure as ever");
}

int
main(void)
{
	test_virtual_machine();
	test_bare_machine();
	test_all_along();
	test_is_to_stop();
	return done_testing();
}
