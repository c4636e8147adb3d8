/*
 * wall.c: what is booked of a thread's time, to which stack, and where in time, by accounts and
 * stacks made by hand.  Times are ms.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"
#include "tap.h"

#include <stdlib.h>

// WRAP: clock_now random cpu_time_read cpu_time_wait callers_find_waiting
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* ld's */

#define MS (NSEC / 1000)

/* What the machine says of the thread; `stack` 0: it does not wait, or can't be walked. */
static struct {
	uint64_t now, cpu, waited, slices, stack;
	bool moves; /* its account changes while its stack is read */
} machine;
static unsigned accounts, walks;

uint64_t
__wrap_clock_now(void)
{
	return machine.now * MS;
}

long
__wrap_random(void)
{
	return 0;
}

int
__wrap_cpu_time_read(struct tracee *t, struct thread_time *time)
{
	(void)t;
	accounts++;
	*time = (struct thread_time){ .cpu = machine.cpu * MS,
		                      .waited = machine.waited * MS,
		                      .slices = machine.slices };
	return 0;
}

int
__wrap_cpu_time_wait(struct tracee *t, struct thread_wait *wait)
{
	(void)t;
	(void)wait;
	return machine.stack == 0 ? -1 : 0;
}

bool
__wrap_callers_find_waiting(const struct profsup *ps, struct tracee *t,
                            const struct thread_wait *wait, struct stack *stack)
{
	(void)ps;
	(void)t;
	(void)wait;
	walks++;
	machine.slices += machine.moves;
	*stack = (struct stack){ .n = 1, .frame = { machine.stack } };
	return true;
}

static struct profsup ps = { .opt = { .wall = true, .timeline = true } };
static struct profile profile = { .mode.on = true };
static struct proc proc = { .pid = 1, .profile = &profile };
static struct tracee thread = { .tid = 77, .proc = &proc };

/* Checks what has been booked since the last call: stack, end, blocked and runnable of each. */
static size_t seen;

static void
booked(const char *what, int n, const uint64_t (*want)[4])
{
	const struct timeline *all = &profile.counts.stacks.timeline;

	is_int((long)(all->n - seen), n, "%s: so many waits", what);
	for (int i = 0; i < n && seen < all->n; i++, seen++) {
		const struct moment *m = &all->moment[seen];

		ok(m->node->pc == want[i][0] && m->time == want[i][1] * MS / 2 &&
		       m->waits.blocked == want[i][2] * MS / 2 &&
		       m->waits.runnable == want[i][3] * MS / 2 && m->tid == 77,
		   "%s: wait %d", what, i + 1);
	}
	seen = all->n;
}

/* The thread is looked at, at that moment: its turn comes then. */
static void
look(uint64_t now)
{
	machine.now = now;
	thread.wall.look_at = ps.wall.next = now * MS;
	wall_tick(&ps, now * MS);
}

enum { A = 0x1000, B = 0x2000 };

/* In half milliseconds, but for what the machine has. */
static void
test_looks(void)
{
	const uint64_t cpu = frame_of_object(OBJECT_WAITS) | WAIT_FOR_CPU;

	machine.now = 1000;
	wall_start(&ps, &thread);
	is_int((long)ps.wall.busy, 1, "a thread that begins is busy");
	ok(thread.wall.look_at == 1000 * MS && profile.counts.stacks.has_waits,
	   "and is looked at soon");
	machine.cpu = 2, machine.waited = 1, machine.slices = 5, machine.stack = A;
	look(1010);
	booked("the first wait", 2,
	       (const uint64_t[][4]){ { cpu, 2006, 0, 2 }, { A, 2020, 14, 0 } });
	is_int((long)walks, 1, "its stack is walked");
	ok(thread.wall.look_at == 1012 * MS, "the next look is after half of the pause at least");
	look(1030);
	booked("it has slept on", 1, (const uint64_t[][4]){ { A, 2060, 40, 0 } });
	is_int((long)walks, 1, "it is not walked again");
	ok(ps.wall.busy == 0 && thread.wall.calm, "it is calm");
	machine.cpu = 5, machine.waited = 5, machine.slices = 9, machine.stack = B;
	look(1050);
	booked(
	    "another wait", 3,
	    (const uint64_t[][4]){ { A, 2073, 13, 0 }, { cpu, 2087, 0, 8 }, { B, 2100, 13, 0 } });
	is_int((long)ps.wall.busy, 1, "it has run, and is busy again");
	machine.cpu = 7, machine.slices = 11, machine.stack = 0;
	look(1060);
	booked("it runs", 0, NULL);
	machine.stack = A, machine.moves = true;
	look(1070);
	booked("it runs on while it is looked at", 0, NULL);
	ok(!thread.wall.asleep, "it is not asleep");
	machine.moves = false;
	look(1080);
	booked("it waits again", 2,
	       (const uint64_t[][4]){ { B, 2128, 28, 0 }, { A, 2160, 28, 0 } });
	ok(thread.wall.asleep, "and is asleep");
}

static void
test_sums(void)
{
	const struct wall_stats *st = &ps.stats.wall;

	is_int((long)(st->time / MS), 80, "all of the time is in the sums");
	is_int((long)(st->cpu / MS), 7, "that with a CPU");
	is_int((long)(st->runnable / MS), 5, "that of waits for one");
	is_int((long)(st->blocked / MS), 68, "and the rest");
	is_int((long)(st->shared / MS), 48, "of which so much is between two different looks");
	is_int((long)st->unseen, 0, "and nothing was not seen");
}

/* Time that nobody has seen the thread wait in. */
static void
test_settle(void)
{
	const uint64_t unseen = frame_of_object(OBJECT_WAITS) | WAIT_UNSEEN;

	machine.now = 1090;
	wall_settle(&ps, &proc, true);
	booked("until now", 1, (const uint64_t[][4]){ { A, 2180, 20, 0 } });
	ok(thread.wall.asleep, "it has slept");
	machine.now = 1095;
	thread.exiting = true;
	wall_settle(&ps, &proc, false);
	booked("a thread in its exit stop", 0, NULL);
	thread.exiting = false;
	wall_start(&ps, &thread);
	ok(thread.wall.seen == NULL && ps.wall.busy == 1, "it begins anew");
	machine.now = 1100;
	wall_settle(&ps, &proc, true);
	booked("one that nobody has seen and that goes on", 0, NULL);
	wall_settle(&ps, &proc, false);
	booked("one that does not", 1, (const uint64_t[][4]){ { unseen, 2200, 10, 0 } });
	is_int((long)(ps.stats.wall.unseen / MS), 5, "which nobody has seen");
	machine.now = 1110;
	wall_end(&ps, &thread);
	booked("its end", 1, (const uint64_t[][4]){ { unseen, 2220, 20, 0 } });
	ok(!thread.wall.begun && ps.wall.busy == 0, "is the end of its time");
	wall_end(&ps, &thread);
	wall_settle(&ps, &proc, false);
	booked("behind it", 0, NULL);
}

/* While the profile is off, time passes that is not counted. */
static void
test_off(void)
{
	machine.now = 2000;
	wall_start(&ps, &thread);
	machine.stack = A;
	profile.bare = true;
	profile.mode.on = false;
	look(2010);
	booked("off", 0, NULL);
	profile.mode.on = true;
	look(2020);
	booked("on again", 1, (const uint64_t[][4]){ { A, 4040, 20, 0 } });
}

/* Whose turn it is. */
static void
test_turns(void)
{
	accounts = 0;
	thread.wall.look_at = ps.wall.next = 2030 * MS;
	wall_tick(&ps, 2029 * MS);
	is_int((int)accounts, 0, "there is no look before its time");
	is_int((long)(wall_wait(&ps, 2028 * MS) / MS), 2, "which is known");
	is_int((long)wall_wait(&ps, 2031 * MS), 0, "and when it is over");
	machine.now = 2033;
	wall_tick(&ps, 2030 * MS);
	is_int((int)accounts, 0, "nor in a tick that has lasted for 2 ms");
	machine.now = 2033;
	wall_tick(&ps, 2032 * MS + MS / 10);
	ok(accounts > 0, "at the next one there is");
	thread.wall.look_at = 2033 * MS, ps.wall.next = 2032 * MS;
	wall_tick(&ps, 2032 * MS);
	ok(ps.wall.next == 2034 * MS + MS / 20, "turns are looked for no more often than that");
	thread.wall.look_at = ps.wall.next = 2050 * MS;
	wall_tick(&ps, 2040 * MS);
	thread.wall.look_at = 2060 * MS, ps.wall.next = 2041 * MS;
	wall_tick(&ps, 2041 * MS);
	ok(ps.wall.next == 2060 * MS, "the next tick with a look is that of the next turn");
	accounts = 0;
	for (int i = 0; i < 4; i++) {
		thread.wall.look_at = ps.wall.next = 3000 * MS;
		thread.exiting = i == 0;
		proc.profile = i == 1 ? NULL : &profile;
		proc.end.done = i == 2;
		thread.wall.begun = i != 3;
		machine.now = 3000;
		wall_tick(&ps, 3000 * MS);
	}
	is_int((int)accounts, 0, "who has no time, or no profile, is not looked at");
	ok(ps.wall.next == UINT64_MAX && wall_wait(&ps, 3001 * MS) == UINT64_MAX,
	   "and if that is nobody there is no next look");
	ps.opt.wall = false;
	ps.wall.next = 0;
	proc.end.done = false;
	thread.wall.begun = true;
	wall_tick(&ps, 3000 * MS);
	wall_settle(&ps, &proc, false);
	thread.wall.begun = false;
	wall_start(&ps, &thread);
	ok(accounts == 0 && !thread.wall.begun && wall_wait(&ps, 3000 * MS) == UINT64_MAX,
	   "without --wall there is none at all");
}

int
main(void)
{
	ps.tracees = NULL;
	HASH_ADD(hh, ps.tracees, tid, sizeof(thread.tid), &thread);
	proc.first = &thread;
	test_looks();
	test_sums();
	test_settle();
	test_off();
	test_turns();
	return done_testing();
}
