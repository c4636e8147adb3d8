/*
 * rt-threads pthread|c11|small ALIVE TOTAL CALLS: TOTAL threads, ALIVE of them at a time, each of
 * which calls t_same() and one of eight t_own() CALLS times.  "small": with the smallest stack, and
 * without the soft limit of address space that start-up had.
 */
// CFLAGS: -fno-optimize-sibling-calls
#include "rt.h"

#include <limits.h>
#include <sys/resource.h>
#include <threads.h>

static volatile int gate;
static long calls;

COUNTED_FUNCTION(t_same)

#define OWN(n) COUNTED_FUNCTION(t_own##n)
RT_8(OWN, 0)
#define OWN_ENTRY(n) t_own##n,
static void (*const own[])(void) = { RT_8(OWN_ENTRY, 0) };

COUNTED void
t_run(long i)
{
	for (long n = 0; n < calls; n++) {
		t_same();
		own[i % 8]();
	}
}

static pthread_barrier_t all_alive;
static long waiting;

COUNTED void *
posix_worker(void *arg)
{
	t_run((long)arg);
	if ((long)arg < waiting)
		pthread_barrier_wait(&all_alive);
	return NULL;
}

COUNTED int
c11_worker(void *arg)
{
	t_run((long)arg);
	if ((long)arg < waiting)
		pthread_barrier_wait(&all_alive);
	return 0;
}

int
main(int argc, char **argv)
{
	const int c11 = strcmp(argv[1], "c11") == 0, small = strcmp(argv[1], "small") == 0;
	const long alive = atol(argv[2]), total = atol(argv[3]);
	pthread_t *p = calloc(alive, sizeof(*p));
	thrd_t *c = calloc(alive, sizeof(*c));
	pthread_attr_t attr;
	long of[8] = { 0 };

	calls = atol(argv[4]);
	/* The first so many wait for each other, so that they are alive at once. */
	waiting = alive;
	pthread_barrier_init(&all_alive, NULL, alive);
	pthread_attr_init(&attr);
	if (small) {
		struct rlimit limit;

		pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
		getrlimit(RLIMIT_AS, &limit);
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_AS, &limit);
	}
	for (long i = 0; i < total + alive; i++) {
		if (i >= alive && c11)
			thrd_join(c[i % alive], NULL);
		else if (i >= alive)
			pthread_join(p[i % alive], NULL);
		if (i >= total)
			continue;
		if (c11)
			must(thrd_create(&c[i % alive], c11_worker, (void *)i) == thrd_success,
			     "thrd_create");
		else
			must(pthread_create(&p[i % alive], &attr, posix_worker, (void *)i) == 0,
			     "pthread_create");
		of[i % 8] += calls;
	}
	tell_arc(c11 ? "c11_worker" : "posix_worker", "t_run", total);
	tell_arc("t_run", "t_same", total * calls);
	for (int i = 0; i < 8; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t_own0%d", i);
		tell_arc("t_run", name, of[i]);
	}
	return 0;
}
