/*
 * nap.c: since when a thread sleeps, by accounts that the test writes.  Times are ns.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"
#include "tap.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAUSE 20000000UL

static int account;

/* So much CPU time has been used so far, and a CPU been had so often. */
static void
has_run(uint64_t cpu, unsigned slices)
{
	char text[64];
	const int len =
	    snprintf(text, sizeof(text), "%llu 0 %u\n", (unsigned long long)cpu, slices);

	if (pwrite(account, text, (size_t)len, 0) != len || ftruncate(account, len) < 0)
		bail("memfd");
}

struct sleeper {
	struct profsup ps;
	struct proc proc;
	struct tracee thread;
	uint64_t now; /* of the looks */
};

static void
look(struct sleeper *s)
{
	s->now += PAUSE;
	s->proc.first = &s->thread;
	nap_look(&s->ps, &s->proc, s->now);
}

/* It was looked at twice, and had used 5 ms by then; the second time `slept` since the first. */
static struct sleeper
sleeper_new(bool slept)
{
	struct sleeper s = { .proc.pid = 5, .thread = { .tid = 5, .cpu.sched_fd = account } };

	s.now = PAUSE;
	has_run(4000000, 10);
	look(&s);
	has_run(5000000, 11);
	look(&s);
	if (!slept)
		has_run(6000000, 12);
	look(&s);
	return s;
}

/* Whether a thread of such a past that has run so far now is known to have slept since before
 * now. */
static bool
has_slept(bool slept, uint64_t cpu, unsigned slices)
{
	struct sleeper s = sleeper_new(slept);
	const uint64_t now = clock_now();

	has_run(cpu, slices);
	return nap_began(&s.thread) < now;
}

static void
test_sleeps(void)
{
	ok(has_slept(true, 5050000, 12), "two looks alike and one short run: it has slept");
	ok(!has_slept(false, 6050000, 13), "not if it had run between the looks");
	ok(!has_slept(true, 5100000, 12), "nor if its last run was long");
	ok(!has_slept(true, 5050000, 13), "nor if it has run twice");
	ok(!has_slept(true, 5000000, 11), "nor if it has not run at all: who has woken it?");
}

/* A thread that runs on and on is given a CPU once. */
static void
test_runs_on(void)
{
	struct sleeper s = sleeper_new(true);
	uint64_t now;

	has_run(6000000, 11);
	look(&s);
	now = clock_now();
	has_run(6050000, 12);
	ok(nap_began(&s.thread) >= now, "nor if it has run all the time between the looks");
}

static void
test_since(void)
{
	struct sleeper s = sleeper_new(true);
	const uint64_t at = s.thread.nap.at;

	usleep(1000);
	look(&s);
	has_run(5050000, 12);
	is_int((int64_t)nap_began(&s.thread), (int64_t)at,
	       "it has slept since the first of the looks");
}

static void
test_whom(void)
{
	struct sleeper s = sleeper_new(true);

	s.thread.nap = (struct nap){ 0 };
	s.now -= 1;
	look(&s);
	is_int((int64_t)s.thread.nap.seen.cpu, 0, "no look comes before its time");
	s.now -= PAUSE - 1;
	look(&s);
	is_int((int64_t)s.thread.nap.seen.cpu, 5000000, "but then");
	s.thread.nap = (struct nap){ 0 };
	s.thread.tid = 6;
	look(&s);
	is_int((int64_t)s.thread.nap.seen.cpu, 0,
	       "a thread that is not the first is not looked at");
	s.thread.nap.watched = true;
	look(&s);
	is_int((int64_t)s.thread.nap.seen.cpu, 5000000, "unless its waits are disturbed");
}

int
main(void)
{
	account = memfd_create("schedstat", 0);
	if (account < 0)
		bail("memfd_create");
	test_sleeps();
	test_runs_on();
	test_since();
	test_whom();
	return done_testing();
}
