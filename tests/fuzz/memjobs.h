/*
 * In place of memjob.c, and of what memory.c keeps.  The input says how it goes with each job:
 * it is done at once, or later, or nobody is there to be sent.  One that is left is memory of its
 * own, and so is an address space, so that the sanitizers see who uses one that is gone and who
 * forgets one.
 *
 * Whoever includes this defines memory_read(), memory_write() and memory_check(), as far as they
 * are called.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUZZ_ERRANDS_H
#define FUZZ_ERRANDS_H

#include "fuzz.h"
#include "start/start.h"

__attribute__((weak)) void
perf_events_drop(struct perf_events *ev) /* cppcheck-suppress constParameter */
{
	MUST(ev == NULL);
}

#include <errno.h>

struct memory {
	unsigned refs;
};

struct sent {
	struct memjob job; /* its first member */
	bool back, kept;
	uint64_t bytes, reads; /* by memjob_read() */
	struct sent *next;
};

/* An input begins with so many bytes, of which each decision takes two bits.  Behind them all goes
 * well, so that whoever asks again and again gets an answer. */
enum { DECISION_BYTES = 32, DECISIONS = 4 * DECISION_BYTES };
/* Of one that is sent; any number but GOES_WELL is no for another question. */
enum { GOES_WELL, IS_LATE, IS_SLOW, IS_LATE_TOO };

static struct {
	uint8_t decision[DECISION_BYTES];
	unsigned decisions;
	struct sent *at_hand, *left;
	uint64_t most_bytes, most_reads; /* of one job, by memjob_read() */
	/* Told of each that is sent, before it does anything. */
	void (*watch)(const struct memjob *job);
} jobs;

static inline unsigned
memjobs_decide(void)
{
	const unsigned n = jobs.decisions++;

	return n < DECISIONS ? jobs.decision[n / 4] >> n % 4 * 2 & 3U : GOES_WELL;
}

static inline struct sent *
memjobs_sent(struct memjob *job)
{
	return (struct sent *)job;
}

static inline void
memjobs_do(struct sent *s)
{
	s->bytes = s->reads = 0;
	s->job.work(&s->job);
	if (s->bytes > jobs.most_bytes)
		jobs.most_bytes = s->bytes;
	if (s->reads > jobs.most_reads)
		jobs.most_reads = s->reads;
}

static inline void
memjobs_discard(struct sent *s)
{
	if (s == NULL)
		return;
	memory_drop(s->job.memory);
	arcs_clear(&s->job.arcs);
	free(s);
}

/* Those that nobody asks for come back, too, some time. */
static inline void
memjobs_collect(bool all)
{
	for (struct sent **at = &jobs.left, *s; (s = *at) != NULL;) {
		if (!s->kept && !s->back && (all || memjobs_decide() == GOES_WELL)) {
			memjobs_do(s);
			s->back = true;
		}
		if (s->kept || !s->back) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		memjobs_discard(s);
	}
}

static inline void
memjobs_begin(struct input *in, void (*watch)(const struct memjob *job))
{
	MUST(jobs.left == NULL && jobs.at_hand == NULL);
	memset(&jobs, 0, sizeof(jobs));
	take(in, jobs.decision, sizeof(jobs.decision));
	jobs.watch = watch;
}

/* Whoever kept one has forgotten it by now. */
static inline void
memjobs_end(void)
{
	memjobs_collect(true);
	MUST(jobs.left == NULL);
	memjobs_discard(jobs.at_hand);
	jobs.at_hand = NULL;
}

struct memjob *
memjob_new(struct memory *memory, uint64_t start)
{
	(void)start;
	memjobs_collect(false);
	if (memjobs_decide() != GOES_WELL) {
		errno = memjobs_decide() % 2 == 0 ? ETIMEDOUT : EAGAIN;
		return NULL;
	}
	if (jobs.at_hand == NULL)
		jobs.at_hand = calloc(1, sizeof(*jobs.at_hand));
	MUST(jobs.at_hand != NULL);
	jobs.at_hand->job.memory = memory == NULL ? NULL : memory_share(memory);
	return &jobs.at_hand->job;
}

static inline void
memjobs_put_aside(struct sent *s, bool kept)
{
	s->kept = kept;
	s->back = !kept;
	s->next = jobs.left;
	jobs.left = s;
	jobs.at_hand = NULL;
}

static inline int
memjobs_result(const struct memjob *job)
{
	errno = job->error;
	return job->error == 0 ? 0 : -1;
}

int
memjob_run(struct memjob *job, struct memjob **late)
{
	struct sent *s = memjobs_sent(job);
	const unsigned how = memjobs_decide();

	MUST(s == jobs.at_hand);
	if (jobs.watch != NULL)
		jobs.watch(job);
	if (how % 2 != 0) {
		memjobs_put_aside(s, true);
		*late = job;
		errno = ETIMEDOUT;
		return -1;
	}
	memjobs_do(s);
	memory_drop(job->memory);
	job->memory = NULL;
	if (how == IS_SLOW)
		memjobs_put_aside(s, false);
	return memjobs_result(job);
}

bool
memjob_is_done(struct memjob *job)
{
	struct sent *s = memjobs_sent(job);

	MUST(s->kept);
	if (!s->back && memjobs_decide() == GOES_WELL) {
		memjobs_do(s);
		s->back = true;
	}
	return s->back;
}

void
memjob_forget(struct memjob **late)
{
	if (*late == NULL)
		return;
	MUST(memjobs_sent(*late)->kept);
	memjobs_sent(*late)->kept = false;
	*late = NULL;
}

int
memjob_take(struct memjob **late, struct memjob **job)
{
	*job = memjob_is_done(*late) ? *late : NULL;
	if (*job == NULL) {
		errno = ETIMEDOUT;
		return -1;
	}
	memjob_forget(late);
	return memjobs_result(*job);
}

int
memjob_read(struct memjob *job, uint64_t addr, void *buf, size_t len)
{
	memjobs_sent(job)->bytes += len;
	memjobs_sent(job)->reads++;
	return memory_read(job->memory, addr, buf, len);
}

/* In place of fds.c's: nobody has descriptors. */
int
fds_copy_of(pid_t pid, int fd)
{
	(void)pid, (void)fd;
	return -1;
}

struct memory *
memory_open(pid_t pid)
{
	struct memory *m = memjobs_decide() == GOES_WELL ? calloc(1, sizeof(*m)) : NULL;

	(void)pid;
	errno = EMFILE;
	if (m != NULL)
		m->refs = 1;
	return m;
}

struct memory *
memory_share(struct memory *m)
{
	m->refs++;
	return m;
}

void
memory_drop(struct memory *m)
{
	if (m != NULL && --m->refs == 0)
		free(m);
}

void
identity_free(struct identity *id)
{
	free(id->groups);
}

#endif
