/*
 * Work on a target's memory, which may never end: a page may come from a file system that does not
 * answer (FUSE), a thread of the target's that waits for a CPU may hold the lock on the mappings,
 * and a table may be large.  So a worker thread does it, and we wait for that thread only a moment.
 * After that the work goes on without us: its sender asks now and then whether it is done, and
 * meanwhile the other tracees are served.
 *
 * It is no way out to look first whether a page is there (/proc/PID/pagemap): a process that shares
 * the memory and that nobody traces (CLONE_VM | CLONE_UNTRACED) can exchange it in between.
 *
 * The worker thread runs on our CPU at our priority, so that a short job is done as soon as we
 * sleep.  A job that takes long gives both up by itself, and from then on only one such thread
 * computes at a time, and half of that time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "memory/memory.h"

#include "share.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How long we wait for a job: at first, and when waiting has taken more than its share of our
 * time. */
#define MOMENT_NS (NSEC / 1000)
#define LITTLE_NS (NSEC / 50000)
/* Waiting in vain may take 1 / SHARE of our time, and SHARE_NS at once. */
enum { SHARE = 10 };
#define SHARE_NS (NSEC / 50)
/* No more worker threads are made while so many are stuck: of all jobs, of which each user leaves
 * as many to others as he has, and for one address space. */
enum { MOST_LEFT = 256, MOST_OF_ONE = 4 };
/* Room for a chunk of arcs, a system call and the sanitizers. */
enum { STACK_BYTES = 256 << 10 };

/* PENDING: the job is not done.  LEFT: it is not done, and we do not wait.  BACK: the thread has
 * ended. */
enum phase { PENDING, DONE, LEFT, BACK };

struct worker {
	struct memjob job; /* the thread's while PENDING or LEFT, else ours */
	pid_t tid;
	sem_t posted, done;
	_Atomic enum phase phase;
	struct turn turn; /* slow: it has given up its priority, and gets no other job */
	bool ready;       /* it has begun to wait for jobs */
	bool kept;        /* the job's result is still wanted */
	uid_t user;       /* whose memory a job is stuck in that has been left to itself */
	struct worker *next;
};

static struct worker *worker; /* the worker thread for the next job */
static struct worker *left;
static unsigned nleft;
static uint64_t patience;           /* how long we wait for a job, ns; 0: see moment() */
static uint64_t spent_until, spent; /* `spent`: time waited in vain, as of `spent_until`, ns */

static struct worker *
worker_of(struct memjob *job)
{
	return (struct worker *)job; /* the job is its first member */
}

/* Called in a worker thread: reads target memory for long work. */
int
memjob_read(struct memjob *job, uint64_t addr, void *buf, size_t len)
{
	struct turn *turn = &worker_of(job)->turn;
	int ret;

	turn_leave(turn);
	ret = memory_read(job->memory, addr, buf, len);
	turn_take(turn);
	return ret;
}

static void *
run(void *arg)
{
	struct worker *r = arg;
	enum phase pending;
	bool slow;

	r->tid = gettid();
	own_cpu_share();
	priv_give_back_in_thread();
	r->phase = PENDING;
	sem_post(&r->done);
	do {
		while (sem_wait(&r->posted) < 0)
			;
		turn_begin(&r->turn);
		r->job.work(&r->job);
		r->job.cpu = turn_end(&r->turn);
		slow = r->turn.slow;
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
discard(struct worker *r)
{
	arcs_clear(&r->job.arcs);
	maps_free(&r->job.maps);
	space_drop(r->job.space);
	memory_drop(r->job.memory);
	sem_destroy(&r->posted);
	sem_destroy(&r->done);
	free(r);
}

/* Discards worker threads that have ended and whose result is not wanted. */
static void
collect(void)
{
	for (struct worker **at = &left, *r; (r = *at) != NULL;) {
		if (r->phase == BACK && !r->kept) {
			*at = r->next;
			nleft--;
			discard(r);
		} else {
			at = &r->next;
		}
	}
}

/* Whether a job in that memory may leave one more worker thread behind. */
static bool
has_room(const struct memory *memory)
{
	/* With fewer nobody has more than his share, whoever he is. */
	const uid_t user = 2 * nleft < MOST_LEFT ? 0 : memory_user(memory);
	size_t own = 0, same = 0;

	for (const struct worker *r = left; r != NULL; r = r->next) {
		own += r->user == user;
		same += memory != NULL && r->job.memory == memory;
	}
	return same < MOST_OF_ONE && share_left(own, nleft, MOST_LEFT) > 0;
}

static void
leave_to_itself(struct worker *r, bool kept)
{
	r->user = kept ? memory_user(r->job.memory) : (uid_t)-1;
	r->kept = kept;
	r->next = left;
	left = r;
	nleft++;
	worker = NULL;
}

static struct worker *
make(void)
{
	struct worker *r = calloc(1, sizeof(*r));

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
	return r;
}

static struct timespec
timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NSEC), (long)(ns % NSEC) };
}

/* Whether a worker thread has started.  A new one has no priority yet: in a crowd it waits for a
 * CPU for longer than the others may wait for us. */
static bool
is_ready(struct worker *r, uint64_t start)
{
	const struct timespec until = timespec_of(clock_now() + start);

	errno = 0;
	while (!r->ready && (errno == 0 || errno == EINTR))
		r->ready = sem_clockwait(&r->done, CLOCK_MONOTONIC, &until) == 0;
	/* The load is for the thread sanitizer, which does not know sem_clockwait(3). */
	(void)atomic_load(&r->phase);
	return r->ready;
}

/* Returns a job to be filled in; NULL with errno if there is no worker thread for it, ETIMEDOUT: as
 * there may be later.  One that is new may take so long to start, ns, or as long as jobs may. */
struct memjob *
memjob_new(struct memory *memory, uint64_t start)
{
	collect();
	if (!has_room(memory)) {
		errno = ETIMEDOUT;
		return NULL;
	}
	if (worker == NULL && (worker = make()) == NULL) {
		if (errno == EAGAIN)
			errno = ETIMEDOUT; /* there may be room for a thread later */
		return NULL;
	}
	if (!is_ready(worker, patience > start ? patience : start)) {
		errno = ETIMEDOUT;
		return NULL;
	}
	worker->job.memory = memory == NULL ? NULL : memory_share(memory);
	return &worker->job;
}

/* Sets how long jobs are waited for from here on; 0: for a moment. */
void
memjob_patience(uint64_t ns)
{
	patience = ns;
}

/* How long to wait now.  Of what was waited in vain, 1 / SHARE of the time since is forgotten. */
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

static int
result(const struct memjob *job)
{
	errno = job->error;
	return job->error == 0 ? 0 : -1;
}

/* Hands the job to its worker thread, and waits for a moment.  -1 with the job's error, or with
 * ETIMEDOUT if it is not done: then the caller has it in *late, until memjob_forget() or
 * memjob_take(). */
int
memjob_run(struct memjob *job, struct memjob **late)
{
	struct worker *r = worker_of(job);
	const uint64_t now = clock_now(), ns = moment(now);
	struct timespec until = timespec_of(now + ns);
	enum phase pending = PENDING;

	r->phase = PENDING;
	own_cpu_bring(r->tid);
	sem_post(&r->posted);
	while (sem_clockwait(&r->done, CLOCK_MONOTONIC, &until) < 0) {
		if (errno != ETIMEDOUT)
			continue;
		/* A short job, as far as is known, whose thread waits for a CPU, as we would, and
		 * not for the target's memory: then the CPU will come. */
		if (clock_now() - now < job->wait && !r->turn.slow &&
		    procfs_thread_runs(getpid(), r->tid)) {
			until = timespec_of(clock_now() + MOMENT_NS);
			continue;
		}
		pending = PENDING;
		if (atomic_compare_exchange_strong(&r->phase, &pending, LEFT)) {
			spent += clock_now() - now;
			own_cpu_charge(ns);
			leave_to_itself(r, true);
			*late = job;
			errno = ETIMEDOUT;
			return -1;
		}
		while (sem_wait(&r->done) < 0) /* it was done just now */
			;
		break;
	}
	/* The phase is DONE.  The load is for the thread sanitizer, too. */
	(void)atomic_load(&r->phase);
	own_cpu_charge(job->cpu);
	memory_drop(job->memory);
	space_drop(job->space);
	job->memory = NULL;
	job->space = NULL;
	if (r->turn.slow)
		leave_to_itself(r, false); /* the result stays until the next memjob_new() */
	return result(job);
}

/* Called in a copy of the process, which has none of its threads. */
void
memjob_fork(void)
{
	worker = NULL;
	turn_fork();
}

/* Whether any thread is still at work: it may wait for memory so that not even our end ends it. */
bool
memjob_is_stuck(void)
{
	const struct worker *r = left;

	while (r != NULL && r->phase == BACK)
		r = r->next;
	return r != NULL;
}

/* Whether a job that was late is done. */
bool
memjob_is_done(struct memjob *job)
{
	return worker_of(job)->phase == BACK;
}

/* The result of the job that is late, if there is one, is not wanted any more. */
void
memjob_forget(struct memjob **late)
{
	if (*late != NULL)
		worker_of(*late)->kept = false;
	*late = NULL;
}

/* Takes the job that was late, for its result, which is there until the next memjob_new().  -1 with
 * the job's error, or with ETIMEDOUT if it is not done yet; then *job is NULL. */
int
memjob_take(struct memjob **late, struct memjob **job)
{
	*job = memjob_is_done(*late) ? *late : NULL;
	if (*job == NULL) {
		errno = ETIMEDOUT;
		return -1;
	}
	memjob_forget(late);
	return result(*job);
}
