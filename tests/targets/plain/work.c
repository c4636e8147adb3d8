// CFLAGS: -pthread
/*
 * work HOW MS [N]: uses CPU time, 70 % in A() and 30 % in B(), and knows how much: each process
 * prints "work PID A-NS B-NS CPU-NS" at its end, the last number from its own rusage.
 *
 *	busy		all the time
 *	cpu		the same, but for MS of CPU time
 *	beat		in the first 14 and the last 6 of each 20 ms of CPU time
 *	burst		for 0.2 ms, then sleeps 0.5 ms
 *	timer		for 0.5 to 1.5 ms every N ms
 *	threads		in N threads at once
 *	few		in 2 threads, while N more sleep
 *	tree		in this process, two children and a grandchild
 *	syscalls	in S(), which makes system calls, 80 % of the time
 *
 * SPDX-License-Identifier: ISC
 */
#include "../program.h"

#include <sys/resource.h>

static volatile unsigned long sink;
static unsigned long long in_a, in_b, in_s;
static double per_ns;
static long duration_ms;

static unsigned long long
now(clockid_t clock)
{
	struct timespec ts;

	/* Not by way of the vDSO, which has no bins. */
	syscall(SYS_clock_gettime, clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

__attribute__((noinline)) static void
A(long n)
{
	for (long i = 0; i < n; i++)
		sink += i;
}

__attribute__((noinline)) static void
B(long n)
{
	for (long i = 0; i < n; i++)
		sink -= i; /* else the two would be made one */
}

__attribute__((noinline)) static void
S(int fd, char *buf, size_t len)
{
	if (read(fd, buf, len) < 0)
		abort();
}

/* So many nanoseconds of both, and what they really took. */
static void
spend(double ns)
{
	unsigned long long t0 = now(CLOCK_THREAD_CPUTIME_ID), t1, t2;

	A(ns * 0.7 * per_ns);
	t1 = now(CLOCK_THREAD_CPUTIME_ID);
	B(ns * 0.3 * per_ns);
	t2 = now(CLOCK_THREAD_CPUTIME_ID);
	__atomic_fetch_add(&in_a, t1 - t0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&in_b, t2 - t1, __ATOMIC_RELAXED);
}

static void
rest(long ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&ts, NULL);
}

static void
busy_by(clockid_t clock)
{
	unsigned long long end = now(clock) + duration_ms * 1000000ULL;

	/* Asking for the time is where the scheduler likes to take the CPU away, and where a thread
	 * that waits for it is sampled; so seldom. */
	while (now(clock) < end)
		spend(2e7);
}

static void
on_the_beat(void)
{
	unsigned long long end = now(CLOCK_MONOTONIC) + duration_ms * 1000000ULL, t0, t1;

	while (now(CLOCK_MONOTONIC) < end) {
		for (t0 = now(CLOCK_THREAD_CPUTIME_ID); t0 % 20000000 < 14000000; t0 = t1) {
			A(1e5 * per_ns);
			t1 = now(CLOCK_THREAD_CPUTIME_ID);
			in_a += t1 - t0;
		}
		for (; t0 % 20000000 >= 14000000; t0 = t1) {
			B(1e5 * per_ns);
			t1 = now(CLOCK_THREAD_CPUTIME_ID);
			in_b += t1 - t0;
		}
	}
}

static void *
busy(void *arg)
{
	busy_by(CLOCK_MONOTONIC);
	return arg;
}

static void *
sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void
in_threads(long n, long sleepers)
{
	pthread_t t[256];

	for (long i = 0; i < sleepers; i++)
		pthread_create(&t[0], NULL, sleeper, NULL);
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, busy, NULL);
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void
by_timer(long every_ms)
{
	unsigned long long end = now(CLOCK_MONOTONIC) + duration_ms * 1000000ULL;
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	while (now(CLOCK_MONOTONIC) < end) {
		next.tv_nsec += every_ms * 1000000;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		/* Of no fixed length: twice 1.03 ms is in step with a clock of 2.06 ms. */
		spend(5e5 + rand() % 1000000);
	}
}

static void
in_syscalls(void)
{
	unsigned long long end = now(CLOCK_MONOTONIC) + duration_ms * 1000000ULL, t0, t1;
	size_t len = 1 << 20; /* so that the calls between are few */
	char *buf = malloc(len);
	int fd = open("/dev/zero", O_RDONLY);

	while (now(CLOCK_MONOTONIC) < end) {
		/* The same: a millisecond. */
		const unsigned long long some = 400000 + (unsigned)rand() % 800000U;

		spend(2e5);
		t0 = now(CLOCK_THREAD_CPUTIME_ID);
		do {
			S(fd, buf, len);
			t1 = now(CLOCK_THREAD_CPUTIME_ID);
		} while (t1 - t0 < some);
		in_s += t1 - t0;
	}
}

static void
tell(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	printf("work %d %llu %llu %llu %llu\n", getpid(), in_a, in_b,
	       (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ULL +
	           (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ULL,
	       in_s);
	fflush(stdout);
}

static void
as_child(int grandchild)
{
	if (fork() != 0)
		return;
	in_a = in_b = 0;
	if (grandchild)
		as_child(0);
	busy(NULL);
	while (wait(NULL) > 0)
		continue;
	tell();
	exit(0);
}

int
main(int argc, char **argv)
{
	const char *how = argv[1];
	long n = argc > 3 ? atol(argv[3]) : 0;
	unsigned long long t0 = now(CLOCK_THREAD_CPUTIME_ID);

	A(5000000);
	in_a = now(CLOCK_THREAD_CPUTIME_ID) - t0;
	per_ns = 5000000.0 / in_a;
	duration_ms = atol(argv[2]);
	if (strcmp(how, "busy") == 0) {
		busy(NULL);
	} else if (strcmp(how, "beat") == 0) {
		on_the_beat();
	} else if (strcmp(how, "cpu") == 0) {
		busy_by(CLOCK_PROCESS_CPUTIME_ID);
	} else if (strcmp(how, "burst") == 0) {
		unsigned long long end = now(CLOCK_MONOTONIC) + duration_ms * 1000000ULL;

		while (now(CLOCK_MONOTONIC) < end) {
			spend(2e5);
			rest(500000);
		}
	} else if (strcmp(how, "timer") == 0) {
		by_timer(n);
	} else if (strcmp(how, "threads") == 0) {
		in_threads(n, 0);
	} else if (strcmp(how, "few") == 0) {
		in_threads(2, n);
	} else if (strcmp(how, "tree") == 0) {
		as_child(1);
		as_child(0);
		busy(NULL);
		while (wait(NULL) > 0)
			continue;
	} else if (strcmp(how, "syscalls") == 0) {
		in_syscalls();
	}
	tell();
	return 0;
}
