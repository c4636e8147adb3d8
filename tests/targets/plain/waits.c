/*
 * waits ROUNDS [THREADS]: each thread waits in four calls, by a function of its own for each, and
 * computes a little.  Prints how long each function took, the thread's time and CPU time, s, and
 * how many calls failed or came back early.
 *
 * waits many THREADS MS: all threads sleep at once.  Prints how often they have left their CPUs for
 * that, and how many came back early.
 */
// CFLAGS: -D_GNU_SOURCE -pthread -fno-optimize-sibling-calls
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noipa))
enum { MOST = 2000, CALLS = 4 };
static long rounds, many_ms;

static double
now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static struct timespec
ms(long n)
{
	return (struct timespec){ n / 1000, n % 1000 * 1000000 };
}

NOINLINE static int
by_nap(int fd)
{
	const struct timespec time = ms(100);

	(void)fd;
	return nanosleep(&time, NULL) == 0;
}

NOINLINE static int
by_read(int fd)
{
	const struct itimerspec in = { .it_value = ms(60) };
	uint64_t n = 0;

	timerfd_settime(fd, 0, &in, NULL);
	return read(fd, &n, sizeof(n)) == sizeof(n) && n == 1;
}

NOINLINE static int
by_futex(int fd)
{
	static __thread int word;
	const struct timespec time = ms(50);

	(void)fd;
	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, NULL, 0) < 0;
}

NOINLINE static int
by_poll(int fd)
{
	struct pollfd none = { .fd = -1 };

	(void)fd;
	return poll(&none, 1, 80) == 0;
}

static int (*const wait_by[CALLS])(int) = { by_nap, by_read, by_futex, by_poll };
static const double least[CALLS] = { 0.1, 0.06, 0.05, 0.08 };
static const char *const names[CALLS] = { "by_nap", "by_read", "by_futex", "by_poll" };

NOINLINE static void
burn(void)
{
	const double until = now(CLOCK_THREAD_CPUTIME_ID) + 0.01;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static void *
wait_in_turn(void *arg)
{
	const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	const double began = now(CLOCK_MONOTONIC);
	double took[CALLS] = { 0 };
	int wrong = 0;

	(void)arg;
	for (long i = 0; i < rounds; i++) {
		for (int c = 0; c < CALLS; c++) {
			const double from = now(CLOCK_MONOTONIC);
			const int fine = wait_by[c](fd);
			const double passed = now(CLOCK_MONOTONIC) - from;

			took[c] += passed;
			wrong += !fine || passed < least[c];
		}
		burn();
	}
	for (int c = 0; c < CALLS; c++)
		printf("%s %.6f\n", names[c], took[c]);
	printf("wall %.6f\ncpu %.6f\nwrong %d\n", now(CLOCK_MONOTONIC) - began,
	       now(CLOCK_THREAD_CPUTIME_ID), wrong);
	return NULL;
}

static void *
sleep_once(void *arg)
{
	const struct timespec time = ms(many_ms);
	struct rusage before, after;
	long *out = arg;

	getrusage(RUSAGE_THREAD, &before);
	out[1] = nanosleep(&time, NULL) != 0;
	getrusage(RUSAGE_THREAD, &after);
	out[0] = after.ru_nvcsw - before.ru_nvcsw;
	return NULL;
}

int
main(int argc, char **argv)
{
	static long out[MOST][2];
	pthread_t thread[MOST];
	const int many = strcmp(argv[1], "many") == 0;
	long n = argc > 2 ? atol(argv[2]) : 0, switches = 0, early = 0;
	pthread_attr_t attr;

	rounds = atol(argv[1]);
	many_ms = many ? atol(argv[3]) : 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (long i = 0; i < n; i++)
		if (pthread_create(&thread[i], &attr, many ? sleep_once : wait_in_turn, out[i]) !=
		    0)
			return 1;
	if (n == 0)
		wait_in_turn(NULL);
	for (long i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		switches += out[i][0];
		early += out[i][1];
	}
	if (many)
		printf("switches %ld\nearly %ld\n", switches, early);
	return 0;
}
