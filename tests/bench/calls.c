/*
 * calls CALLEES THREADS CALLS: that many threads make that many calls each, and the CPU time of a
 * call, loop included, is printed in ns.  1, 64 or 1000 callees are called in turn, from one call
 * site.  The bodies are next to nothing: what is measured is what comes with a call.
 *
 * SPDX-License-Identifier: ISC
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef unsigned callee(unsigned);

/* clang-format off */
/* noipa: called for real, and nothing known of it. */
#define DEFINE(n)                                  \
	__attribute__((noipa)) static unsigned     \
	f##n(unsigned x)                           \
	{                                          \
		return x + 1##n;                   \
	}
#define NAME(n) f##n,
#define TEN(M, n)                                                 \
	M(n##0) M(n##1) M(n##2) M(n##3) M(n##4)                   \
	M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define HUNDRED(M, n)                                             \
	TEN(M, n##0) TEN(M, n##1) TEN(M, n##2) TEN(M, n##3)       \
	TEN(M, n##4) TEN(M, n##5) TEN(M, n##6) TEN(M, n##7)       \
	TEN(M, n##8) TEN(M, n##9)
#define THOUSAND(M)                                               \
	HUNDRED(M, 0) HUNDRED(M, 1) HUNDRED(M, 2) HUNDRED(M, 3)   \
	HUNDRED(M, 4) HUNDRED(M, 5) HUNDRED(M, 6) HUNDRED(M, 7)   \
	HUNDRED(M, 8) HUNDRED(M, 9)
/* clang-format on */

THOUSAND(DEFINE)
static callee *const table[] = { THOUSAND(NAME) };

static unsigned callees;
static unsigned long calls;
static pthread_barrier_t all_here;

__attribute__((noipa)) static unsigned
leaf(unsigned x)
{
	return x + 1;
}

static double
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* The first round through the callees is not timed: it makes the tables. */
static void *
work(void *arg)
{
	double *ns = arg, start;
	unsigned x = 0;

	if (callees == 1) {
		x = leaf(x);
		pthread_barrier_wait(&all_here);
		start = cpu_ns();
		for (unsigned long i = 0; i < calls; i++)
			x = leaf(x);
	} else {
		unsigned long i = 0, n = callees;

		pthread_barrier_wait(&all_here);
		start = 0;
		for (unsigned at = 0; i < calls + callees; i++) {
			if (n-- == 0)
				start = cpu_ns();
			x = table[at](x);
			if (++at == callees)
				at = 0;
		}
	}
	*ns = cpu_ns() - start;
	__asm__ volatile("" ::"r"(x));
	return NULL;
}

int
main(int argc, char **argv)
{
	int threads = argc == 4 ? (int)strtol(argv[2], NULL, 10) : 0;
	pthread_t id[64];
	double ns[64], sum = 0;

	if (threads < 1 || threads > 64)
		return 2;
	callees = (unsigned)strtoul(argv[1], NULL, 10);
	calls = strtoul(argv[3], NULL, 10);
	if (callees < 1 || callees > sizeof(table) / sizeof(table[0]))
		return 2;
	pthread_barrier_init(&all_here, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, work, &ns[i]) != 0)
			return 1;
	for (int i = 0; i < threads; i++) {
		pthread_join(id[i], NULL);
		sum += ns[i];
	}
	printf("ns %.4f\n", sum / (double)threads / (double)calls);
	return 0;
}
