/*
 * wall_sum.c: a thread's time by accounts made by hand.  Times are ns.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"
#include "tap.h"

static struct wall_part
add(struct wall_sum *s, uint64_t at, uint64_t cpu, uint64_t waited)
{
	return wall_sum_add(s, at, &(struct thread_time){ .cpu = cpu, .waited = waited });
}

static void
test_parts(void)
{
	struct wall_sum s = { .at = 1000, .time = { 50, 7 } };
	struct wall_part p = add(&s, 1100, 80, 17);

	is_int((long)p.time, 100, "time is that since the last look");
	is_int((long)p.cpu, 30, "with the CPU time since then");
	is_int((long)p.runnable, 10, "and the wait for a CPU");
	is_int((long)p.blocked, 60, "the rest is blocked");
	p = add(&s, 1200, 80, 17);
	is_int((long)p.blocked, 100, "with an account that stands still all of it is");
}

/* The account of a thread that runs is as old as the kernel's last tick. */
static void
test_late_account(void)
{
	struct wall_sum s = { .at = 0 };

	is_int((long)add(&s, 100, 60, 0).blocked, 40, "an account that is late looks like a block");
	is_int((long)add(&s, 200, 200, 0).blocked, 0, "when it is made up, nothing is blocked");
	is_int((long)add(&s, 300, 220, 0).blocked, 40, "and what was too much is taken off");
	is_int((long)s.all.cpu + (long)s.all.runnable + (long)s.all.blocked, (long)s.all.time,
	       "so that the parts are the whole again");
}

static void
test_pauses(void)
{
	const uint64_t ms = NSEC / 1000;

	is_int((long)wall_pause(0, 1, 1), (long)(4 * ms), "one busy thread is looked at often");
	is_int((long)wall_pause(0, 80, 80), (long)(320 * ms),
	       "80 of them share what looks may cost");
	is_int((long)wall_pause(10 * ms, 1, 1), (long)(4 * ms), "a sleeper is, too, at first");
	is_int((long)wall_pause(10 * ms, 80, 80), (long)(80 * ms), "of 80 each less often");
	is_int((long)wall_pause(800 * ms, 80, 80), (long)(100 * ms),
	       "later after an eighth of its sleep, however many there are");
	is_int((long)wall_pause(3600 * NSEC, 1, 1), (long)(1001 * ms), "or a second");
	is_int((long)wall_pause(3600 * NSEC, 0, 1000), (long)(2 * NSEC),
	       "or longer, if there are a thousand");
}

int
main(void)
{
	test_parts();
	test_late_account();
	test_pauses();
	return done_testing();
}
