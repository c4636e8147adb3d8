/*
 * Work on a target's memory, which may never end: a page can be one that somebody else brings in,
 * or does not (a file of FUSE), the lock on the mappings can be held by a thread of the target's
 * that waits for a CPU, and a table can be large.  So another thread does it, and we wait for that
 * thread only a moment.  After that the work goes on without us: its sender asks now and then
 * whether it is back, and meanwhile everybody else is served.
 *
 * The thread runs on our CPU at our priority, so that a short errand is done as soon as we sleep.
 * One that takes long gives both up by itself, and from then on only one such thread computes at a
 * time, and half of that time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How long we wait, at first and when such waits have taken more than their share of our time. */
#define MOMENT_NS (NSEC / 1000)
#define LITTLE_NS (NSEC / 50000)
/* The share of a CPU that errands may take: a tenth, and not more than so much at once. */
enum { SHARE = 10 };
#define SHARE_NS (NSEC / 50)
/* And for a thread of ours that only waits for a CPU. */
#define CPU_NS (NSEC / 100)
/* So much work at our priority is not long. */
#define SHORT_NS (NSEC / 1000)

/* No more than so many are made while others are stuck. */
enum { MOST_LEFT = 256 };
/* For a chunk of arcs, a system call and the sanitizers. */
enum { STACK_BYTES = 256 << 10 };

/* PENDING: it has not been done.  LEFT: nor has it, and we do not wait.  BACK: the thread is gone.
 */
enum phase { PENDING, DONE, LEFT, BACK };

struct runner {
	struct errand errand; /* ours, except while it is PENDING or LEFT */
	pid_t tid;
	sem_t posted, done;
	_Atomic enum phase phase;
	bool slow;        /* it has given up its priority and is not sent again */
	bool kept;        /* somebody wants to know what came of it */
	uint64_t credit;  /* thread CPU time at which it becomes slow, */
	uint64_t turn_at; /* and when it last got its turn, ns */
	struct runner *next;
};

static struct runner *runner; /* the one that is at hand */
static struct runner *left;
static __thread struct runner *self; /* in its thread */
static unsigned nleft;
static uint64_t patience;           /* ns, 0: a moment */
static uint64_t spent_until, spent; /* waiting in vain, ns */

/* Slow errands compute one after the other. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static struct runner *
runner_of(struct errand *e)
{
	return (struct runner *)e; /* its first member */
}

static void
take_turn(struct runner *r)
{
	pthread_mutex_lock(&turn);
	r->turn_at = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void
become_slow(struct runner *r)
{
	r->slow = true;
	seat_leave();
	take_turn(r);
	pthread_mutex_unlock(&turn);
}

/* As long as it has computed: our tracer has the same share of a CPU as such threads, and is not to
 * wait for its own. */
static void
rest(struct runner *r)
{
	const uint64_t ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - r->turn_at;
	const struct timespec time = { (time_t)(ns / NSEC), (long)(ns % NSEC) };

	nanosleep(&time, NULL);
	pthread_mutex_unlock(&turn);
}

/* In the thread of an errand that takes longer than a copy should. */
void
errand_give_way(void)
{
	if (self == NULL || self->slow || clock_ns(CLOCK_THREAD_CPUTIME_ID) <= self->credit)
		return;
	become_slow(self);
	take_turn(self);
}

/* In the thread: reads target memory for long work. */
int
errand_read(struct errand *e, uint64_t addr, void *buf, size_t len)
{
	struct runner *r = runner_of(e);
	int ret;

	if (!r->slow && clock_ns(CLOCK_THREAD_CPUTIME_ID) > r->credit)
		become_slow(r);
	else if (r->slow)
		rest(r);
	ret = memory_read(e->memory, addr, buf, len);
	if (r->slow)
		take_turn(r);
	return ret;
}

static void *
run(void *arg)
{
	struct runner *r = arg;
	enum phase pending;
	bool slow;

	self = r;
	r->tid = gettid();
	seat_share();
	priv_give_back_in_thread();
	sem_post(&r->done);
	do {
		while (sem_wait(&r->posted) < 0)
			;
		r->credit = clock_ns(CLOCK_THREAD_CPUTIME_ID) + SHORT_NS;
		r->errand.work(&r->errand);
		slow = r->slow;
		if (slow)
			pthread_mutex_unlock(&turn);
		pending = PENDING;
		if (!atomic_compare_exchange_strong(&r->phase, &pending, DONE)) {
			r->phase = BACK;
			kill(getpid(), SIGCHLD);
			return NULL;
		}
		sem_post(&r->done);
	} while (!slow);
	r->phase = BACK;
	return NULL;
}

static void
discard(struct runner *r)
{
	arcs_clear(&r->errand.arcs);
	memory_drop(r->errand.memory);
	sem_destroy(&r->posted);
	sem_destroy(&r->done);
	free(r);
}

/* Discards errands that have come back and that nobody asks for. */
static void
collect(void)
{
	for (struct runner **at = &left, *r; (r = *at) != NULL;) {
		if (r->phase == BACK && !r->kept) {
			*at = r->next;
			nleft--;
			discard(r);
		} else {
			at = &r->next;
		}
	}
}

static void
put_aside(struct runner *r, bool kept)
{
	r->kept = kept;
	r->next = left;
	left = r;
	nleft++;
	runner = NULL;
}

static struct runner *
start(void)
{
	struct runner *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	sem_init(&r->posted, 0, 0);
	sem_init(&r->done, 0, 0);
	if (thread_start(STACK_BYTES, run, r) < 0) {
		const int saved = errno;

		discard(r);
		errno = saved;
		return NULL;
	}
	while (sem_wait(&r->done) < 0)
		;
	return r;
}

/* To be filled in; NULL with errno if there is nobody to send. */
struct errand *
errand_new(struct memory *memory)
{
	collect();
	if (runner == NULL && nleft >= MOST_LEFT) {
		errno = ETIMEDOUT;
		return NULL;
	}
	if (runner == NULL && (runner = start()) == NULL) {
		if (errno == EAGAIN)
			errno = ETIMEDOUT; /* there may be room for a thread later */
		return NULL;
	}
	runner->errand.memory = memory == NULL ? NULL : memory_share(memory);
	return &runner->errand;
}

/* From here on: 0 for a moment. */
void
errand_patience(uint64_t ns)
{
	patience = ns;
}

/* How long to wait now.  What was waited in vain is forgotten at the rate of our share. */
static uint64_t
moment(uint64_t now)
{
	const uint64_t forgiven = (now - spent_until) / SHARE;

	if (patience != 0)
		return patience;
	spent = spent > forgiven ? spent - forgiven : 0;
	spent_until = now;
	return spent < SHARE_NS ? MOMENT_NS : LITTLE_NS;
}

/* A short one whose thread is not kept by the target's memory but waits for a CPU, as we would:
 * that comes. */
static bool
only_wants_cpu(const struct runner *r)
{
	const int fd = r->errand.brief ? procfs_thread_open(getpid(), r->tid, "stat") : -1;
	struct thread_stat st;
	bool wants;

	if (fd < 0)
		return false;
	wants = procfs_thread_stat(fd, &st) == 0 && st.state == 'R';
	close(fd);
	return wants;
}

static struct timespec
timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NSEC), (long)(ns % NSEC) };
}

/* Sends it, and waits for a moment.  -1: it has not come back, and *e is to be kept until
 * errand_is_back(). */
int
errand_run(struct errand *e)
{
	struct runner *r = runner_of(e);
	const uint64_t now = clock_now(), ns = moment(now);
	struct timespec until = timespec_of(now + ns);
	enum phase pending = PENDING;

	r->phase = PENDING;
	seat_bring(r->tid);
	sem_post(&r->posted);
	while (sem_clockwait(&r->done, CLOCK_MONOTONIC, &until) < 0) {
		if (errno != ETIMEDOUT)
			continue;
		if (clock_now() - now < CPU_NS && only_wants_cpu(r)) {
			until = timespec_of(clock_now() + MOMENT_NS);
			continue;
		}
		pending = PENDING;
		if (atomic_compare_exchange_strong(&r->phase, &pending, LEFT)) {
			spent += ns;
			seat_charge(ns);
			put_aside(r, true);
			return -1;
		}
		while (sem_wait(&r->done) < 0) /* it has just come */
			;
		break;
	}
	/* It is DONE: the thread sanitizer does not know sem_clockwait(3). */
	(void)atomic_load(&r->phase);
	seat_charge(clock_now() - now);
	memory_drop(e->memory);
	e->memory = NULL;
	if (r->slow)
		put_aside(r, false); /* what it has brought stays until the next one is sent */
	return 0;
}

/* Whether one that was left has come back. */
bool
errand_is_back(struct errand *e)
{
	return runner_of(e)->phase == BACK;
}

/* Its result is not wanted any more.  `e` may be NULL. */
void
errand_forget(struct errand *e)
{
	if (e != NULL)
		runner_of(e)->kept = false;
}
