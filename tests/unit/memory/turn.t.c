/*
 * turn.c: whose work is long, and that one of those computes at a time, and half of that time.  All
 * bounds are of the clocks that the work itself reads.
 *
 * SPDX-License-Identifier: ISC
 */
#include "memory/memory.h"
#include "tap.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* CPU time that is long for a job, and that is little, ns. */
#define LONG_TIME   1500000
#define LITTLE_TIME 100000
enum { ROUNDS = 20, PATIENCE_S = 60 };

static uint64_t
cpu(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void
compute(uint64_t ns)
{
	const uint64_t until = cpu() + ns;

	while (cpu() < until)
		;
}

/* Whether a thread that runs this ends. */
static bool
ends(void *(*run)(void *), void *arg)
{
	struct timespec until = { .tv_sec =
		                      (time_t)(clock_ns(CLOCK_REALTIME) / NSEC) + PATIENCE_S };
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) != 0)
		bail("pthread_create");
	return pthread_timedjoin_np(thread, NULL, &until) == 0;
}

/* A job that has been found long. */
static void
begin_long(struct turn *t)
{
	turn_begin(t);
	compute(LONG_TIME);
	turn_give_way();
}

static void
test_long(void)
{
	struct turn t = { 0 };
	const uint64_t before = cpu();
	uint64_t began, used, ended;

	turn_give_way();
	turn_begin(&t);
	began = cpu();
	turn_give_way();
	turn_leave(&t);
	turn_take(&t);
	ok(!t.slow && !t.computes, "a job that has just begun is not long, and needs no turn");
	compute(LITTLE_TIME);
	ended = cpu();
	used = turn_end(&t);
	ok(used >= ended - began && used <= cpu() - before, "what a job has used is known");
	compute(LONG_TIME);
	turn_begin(&t);
	turn_give_way();
	ok(!t.slow, "what was used before does not make the next one long");
	compute(LONG_TIME);
	ok(!t.slow, "it is not long before it gives way");
	turn_give_way();
	ok(t.slow, "one that has used more than a millisecond is");
	turn_end(&t);
	t = (struct turn){ 0 };
	turn_begin(&t);
	compute(LONG_TIME);
	turn_leave(&t);
	ok(t.slow && !t.computes, "also before it waits");
	began = cpu();
	turn_take(&t);
	ok(t.computes && t.at >= began && t.at <= cpu(), "it has its turn after that");
	turn_end(&t);
}

/* A job that need not wait for anybody. */
static void *
quick_job(void *arg)
{
	struct turn t = { 0 };

	turn_begin(&t);
	turn_take(&t);
	turn_leave(&t);
	turn_end(&t);
	return arg;
}

static void *
long_job(void *arg)
{
	struct turn t = { 0 };

	begin_long(&t);
	turn_take(&t);
	*(uint64_t *)arg = clock_now();
	turn_end(&t);
	return arg;
}

static void
test_turns(void)
{
	struct turn t = { 0 };
	uint64_t took_at = 0, began, computed;
	pthread_t other;

	begin_long(&t);
	turn_take(&t);
	ok(ends(quick_job, NULL), "a job that is not long does not wait for one that is");
	if (pthread_create(&other, NULL, long_job, &took_at) != 0)
		bail("pthread_create");
	computed = cpu();
	compute(LONG_TIME);
	computed = cpu() - computed;
	began = clock_now();
	turn_leave(&t);
	ok(!t.computes && clock_now() - began >= computed, "who has computed sleeps for as long");
	pthread_join(other, NULL);
	ok(took_at >= began + computed, "no other long job computes in that time");
	turn_take(&t);
	ok(t.computes, "it has its turn again");
	turn_end(&t);
	ok(ends(long_job, &took_at), "the end of a job gives its turn back");
}

static int inside;

static void *
compute_by_turns(void *arg)
{
	struct turn t = { 0 };

	begin_long(&t);
	for (int i = 0; i < ROUNDS; i++) {
		turn_take(&t);
		if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) != 1)
			__atomic_store_n((bool *)arg, true, __ATOMIC_SEQ_CST);
		compute(LITTLE_TIME);
		__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		turn_leave(&t);
	}
	turn_end(&t);
	return arg;
}

static void
test_one_at_a_time(void)
{
	bool two = false;
	pthread_t others[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&others[i], NULL, compute_by_turns, &two) != 0)
			bail("pthread_create");
	for (int i = 0; i < 3; i++)
		pthread_join(others[i], NULL);
	ok(!two, "of three long jobs one computes at a time");
}

/* A copy has no worker thread, but for who computes there is a turn in it, too. */
static void
test_copy(void)
{
	struct turn t = { 0 };
	uint64_t took_at;
	int status = -1;
	pid_t pid;

	begin_long(&t);
	turn_take(&t);
	pid = fork();
	if (pid == 0) {
		turn_fork();
		_exit(!ends(long_job, &took_at));
	}
	turn_end(&t);
	waitpid(pid, &status, 0);
	is_int(status, 0, "a copy that is made while a job computes has a turn for its own");
}

int
main(void)
{
	test_long();
	test_copy();
	test_turns();
	test_one_at_a_time();
	return done_testing();
}
