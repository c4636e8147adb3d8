/*
 * Copies that may never end.  A page of a target's memory can be one that somebody else brings in,
 * or does not (userfaultfd, a file of FUSE), and nothing but our death breaks such a wait.  So
 * another thread makes the copy, and we wait for it so long and no longer: a thread that is stuck
 * is left to its copy, and the next errand has a new one.  Some are only late: the memory is locked
 * by a thread of the target's that waits for a CPU.
 *
 * It runs on our CPU at a higher priority than ours, so that the errand is done as soon as we
 * sleep.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Waits in a row: where the whole machine stands still for a while, only one of them is over. */
enum { WAITS = 10 };

/* A page may have to come from a slow disk.  The more threads are stuck, the less patience. */
static const struct {
	unsigned stuck;
	uint64_t ns;
} patience[] = { { 3, NSEC }, { 10, NSEC / 10 }, { UINT_MAX, NSEC / 50 } };

/* For a system call and the sanitizers. */
enum { STACK_BYTES = 256 << 10 };

enum phase { READY, POSTED, RUNNING, DONE, LEFT, BACK };

struct runner {
	struct errand errand; /* ours, except while it runs */
	pid_t tid;
	sem_t posted, done;
	_Atomic enum phase phase;
	unsigned long number; /* of those that were left */
	struct runner *next;
};

static struct runner *runner;
static struct runner *left;
static atomic_uint stuck;

static void
carry_out(struct errand *e)
{
	struct iovec local = { e->out, e->out_len };

	e->written = e->read = 0;
	if (e->out_len != 0)
		e->written = process_vm_writev(e->tid, &local, 1, e->to, e->pieces, 0);
	e->write_error = errno;
	local = (struct iovec){ e->in, e->from.iov_len };
	if (e->from.iov_len != 0)
		e->read = process_vm_readv(e->tid, &local, 1, &e->from, 1, 0);
	e->read_error = errno;
}

static void
discard(struct runner *r)
{
	sem_destroy(&r->posted);
	sem_destroy(&r->done);
	free(r);
}

static void *
run(void *arg)
{
	struct runner *r = arg;
	enum phase phase;

	r->tid = gettid();
	seat_share();
	priv_give_back_in_thread();
	do {
		sem_post(&r->done);
		while (sem_wait(&r->posted) < 0)
			;
		r->phase = RUNNING;
		carry_out(&r->errand);
		phase = RUNNING;
	} while (atomic_compare_exchange_strong(&r->phase, &phase, DONE));
	stuck--;
	r->phase = BACK;
	return NULL;
}

/* To be filled in; NULL with errno if there is nobody to send. */
struct errand *
errand_new(void)
{
	if (runner != NULL)
		return &runner->errand;
	runner = malloc(sizeof(*runner));
	if (runner == NULL)
		return NULL;
	runner->phase = READY;
	sem_init(&runner->posted, 0, 0);
	sem_init(&runner->done, 0, 0);
	if (thread_start(STACK_BYTES, run, runner) < 0) {
		discard(runner);
		runner = NULL;
		return NULL;
	}
	while (sem_wait(&runner->done) < 0)
		;
	return &runner->errand;
}

/* Of one wait. */
static struct timespec
deadline(void)
{
	unsigned i = 0;
	uint64_t ns;

	while (stuck >= patience[i].stuck)
		i++;
	ns = sampler_now() + patience[i].ns / WAITS;
	return (struct timespec){ (time_t)(ns / NSEC), (long)(ns % NSEC) };
}

/* Out of patience.  0: the thread is to be waited for all the same, since it has not had a CPU yet,
 * or has just come back; else its number. */
static unsigned long
leave(struct runner *r)
{
	static unsigned long number;
	enum phase phase = RUNNING;

	if (!atomic_compare_exchange_strong(&r->phase, &phase, LEFT))
		return 0;
	stuck++;
	r->number = ++number;
	r->next = left;
	left = r;
	runner = NULL;
	return number;
}

/* Whether one that was left has found its way back. */
bool
errand_is_back(unsigned long number)
{
	bool back = true;

	for (struct runner **at = &left, *r; (r = *at) != NULL;) {
		if (r->phase == BACK) {
			*at = r->next;
			discard(r);
		} else {
			back = back && r->number != number;
			at = &r->next;
		}
	}
	return back;
}

/* Sends it, and waits.  0, or the number of one that has not come back: what it was filled with is
 * gone. */
unsigned long
errand_run(void)
{
	struct runner *r = runner;
	struct timespec until = deadline();
	unsigned long number;
	unsigned waits = 0;

	r->phase = POSTED;
	seat_bring(r->tid);
	sem_post(&r->posted);
	while (sem_clockwait(&r->done, CLOCK_MONOTONIC, &until) < 0) {
		if (errno != ETIMEDOUT)
			continue;
		if (++waits >= WAITS && (number = leave(r)) != 0)
			return number;
		until = deadline();
	}
	/* The thread sanitizer does not know sem_clockwait(3). */
	atomic_exchange(&r->phase, READY);
	return 0;
}
