/*
 * Worker threads whose work takes long: they give up our CPU and our priority.  Of those that
 * compute between reads of target memory one does at a time, and half of that time.
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

/* Called in a copy of the supervisor, which has no worker thread. */
void
turn_fork(void)
{
	pthread_mutex_init(&computing, NULL);
}

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

	if (t->computes)
		pthread_mutex_unlock(&computing);
	return used;
}

/* Called where work may take longer than a copy should. */
void
turn_give_way(void)
{
	if (ours == NULL || ours->slow || clock_ns(CLOCK_THREAD_CPUTIME_ID) <= ours->credit)
		return;
	ours->slow = true;
	own_cpu_leave();
}

/* Called before what may have to wait, for ever maybe: nobody else waits for it.  Sleeps as long as
 * the thread has computed: our tracing thread, which has no more of a CPU than a slow worker
 * thread, must not have to wait for it. */
void
turn_leave(struct turn *t)
{
	uint64_t ns;
	struct timespec time;

	turn_give_way();
	if (!t->computes)
		return;
	ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->at;
	time = (struct timespec){ (time_t)(ns / NSEC), (long)(ns % NSEC) };
	nanosleep(&time, NULL);
	t->computes = false;
	pthread_mutex_unlock(&computing);
}

/* Called after that. */
void
turn_take(struct turn *t)
{
	if (!t->slow)
		return;
	pthread_mutex_lock(&computing);
	t->computes = true;
	t->at = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
