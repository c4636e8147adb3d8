/*
 * Worker threads whose work takes long: they give up our CPU and our priority, and from then on
 * only one of them computes at a time, and half of that time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "memory/memory.h"

#include <pthread.h>
#include <time.h>

/* CPU time at our priority after which work is long. */
#define SHORT_NS (NSEC / 1000)

static __thread struct turn *ours; /* NULL: no worker thread */
static pthread_mutex_t computing = PTHREAD_MUTEX_INITIALIZER;

/* Called by a worker thread when it begins some work. */
void
turn_begin(struct turn *t)
{
	ours = t;
	t->credit = clock_ns(CLOCK_THREAD_CPUTIME_ID) + SHORT_NS;
}

/* Returns the CPU time that the work has used, ns. */
uint64_t
turn_end(struct turn *t)
{
	const uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID) + SHORT_NS - t->credit;

	if (t->slow)
		pthread_mutex_unlock(&computing);
	return used;
}

static bool
is_long(const struct turn *t)
{
	return !t->slow && clock_ns(CLOCK_THREAD_CPUTIME_ID) > t->credit;
}

static void
take(struct turn *t)
{
	pthread_mutex_lock(&computing);
	t->at = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void
become_slow(struct turn *t)
{
	t->slow = true;
	own_cpu_leave();
	take(t);
}

/* Called where work may take longer than a copy should. */
void
turn_give_way(void)
{
	if (ours != NULL && is_long(ours))
		become_slow(ours);
}

/* Called before what may have to wait.  Sleeps as long as the thread has computed: our tracing
 * thread, which has no more of a CPU than a slow worker thread, must not have to wait for it. */
void
turn_leave(struct turn *t)
{
	if (is_long(t)) {
		become_slow(t);
	} else if (t->slow) {
		const uint64_t ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->at;
		const struct timespec time = { (time_t)(ns / NSEC), (long)(ns % NSEC) };

		nanosleep(&time, NULL);
	}
	if (t->slow)
		pthread_mutex_unlock(&computing);
}

/* Called after that. */
void
turn_take(struct turn *t)
{
	if (t->slow)
		take(t);
}
