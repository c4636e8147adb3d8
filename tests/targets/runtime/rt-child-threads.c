/*
 * rt-child-threads: a forked child makes a thread before it calls anything that is counted; then
 * both make the same calls, from the same place.
 */
// CFLAGS: -pthread
#include "rt.h"

#include <semaphore.h>

enum { CALLS = 2000000, HEAD_START = 1000 };

static sem_t ready;

COUNTED_FUNCTION(t_work)

COUNTED static void *
run(void *forks)
{
	const int is_first = forks != NULL;
	pthread_t other;

	if (is_first) {
		if (fork() != 0)
			return NULL;
		must(pthread_create(&other, NULL, run, NULL) == 0, "thread");
		sem_wait(&ready);
	}
	for (int i = 0; i < CALLS; i++) {
		t_work();
		if (!is_first && i == HEAD_START)
			sem_post(&ready);
	}
	if (is_first) {
		pthread_join(other, NULL);
		tell_arc("run", "t_work", 2L * CALLS);
		exit(0);
	}
	return NULL;
}

int
main(void)
{
	int status = -1;

	sem_init(&ready, 0, 0);
	run(&ready);
	must(wait(&status) > 0 && status == 0, "child");
	return 0;
}
