/*
 * crowded THREADS PROCESSES MS [sleep | poll | yield]: so many processes of so many threads each
 * work, and ask their CPU clock between.  The scheduler likes to take the CPU in a system call, so
 * a sampler that stops who waits for a CPU finds too many of them there.
 *
 * Prints what share of the CPU time the calls take, in percent, by what one of them costs in a
 * crowd of one.
 */
#include "../program.h"

#include <poll.h>
#include <sched.h>

enum { WORK_NS = 40000, BETWEEN = 100 /* turns */ };
#define NSEC 1000000000UL

struct total {
	unsigned long calls, ns;
};

static unsigned long rounds, most_ns;
static char between;
static struct total *total;

static unsigned long
to_ns(const struct timespec *ts)
{
	return (unsigned long)ts->tv_sec * NSEC + (unsigned long)ts->tv_nsec;
}

__attribute__((noinline)) static void
work(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		continue;
}

__attribute__((noinline)) static unsigned long
ask(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts); /* in the text, not in the vDSO */
	return to_ns(&ts);
}

__attribute__((noinline)) static void
leave(void)
{
	const struct timespec while_ = { 0, 1000000 };

	if (between == 's')
		nanosleep(&while_, NULL);
	else if (between == 'p')
		poll(NULL, 0, 1);
	else if (between == 'y')
		sched_yield();
}

static void *
worker(void *arg)
{
	const unsigned long began = ask();
	unsigned long now = began, calls = 0;

	while (now - began < most_ns) {
		work(rounds);
		now = ask();
		calls++;
		if (between != 0 && calls % BETWEEN == 0)
			leave();
	}
	__atomic_fetch_add(&total->calls, calls, __ATOMIC_RELAXED);
	__atomic_fetch_add(&total->ns, now - began, __ATOMIC_RELAXED);
	return arg;
}

static void
process(int threads)
{
	pthread_t t[threads];

	for (int i = 1; i < threads; i++)
		if ((errno = pthread_create(&t[i], NULL, worker, NULL)) != 0)
			err(1, "pthread_create");
	worker(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(t[i], NULL);
}

/* The least of several, ns each. */
static double
cost_of(void (*what)(void), int n)
{
	unsigned long least = -1UL;

	for (int i = 0; i < 20; i++) {
		const unsigned long began = ask();
		unsigned long ns;

		for (int j = 0; j < n; j++)
			what();
		ns = ask() - began;
		least = ns < least ? ns : least;
	}
	return (double)least / n;
}

static void
one_call(void)
{
	ask();
}

static void
some_work(void)
{
	work(10000);
}

int
main(int argc, char **argv)
{
	const int threads = argc > 3 ? atoi(argv[1]) : 1, processes = argc > 3 ? atoi(argv[2]) : 1;
	const double call = cost_of(one_call, 1000);

	if (argc < 4)
		errx(1, "usage: crowded THREADS PROCESSES MS [sleep | poll | yield]");
	most_ns = strtoul(argv[3], NULL, 10) * 1000000;
	between = argc > 4 ? argv[4][0] : 0;
	rounds = (unsigned long)(10000 * WORK_NS / cost_of(some_work, 10));
	total =
	    mmap(NULL, sizeof(*total), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (total == MAP_FAILED)
		err(1, "mmap");
	for (int i = 1; i < processes; i++) {
		const pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			process(threads);
			return 0;
		}
	}
	process(threads);
	while (wait(NULL) > 0)
		continue;
	printf("%.2f\n", 100 * call * (double)total->calls / (double)total->ns);
	return 0;
}
