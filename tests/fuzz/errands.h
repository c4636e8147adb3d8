/*
 * In place of errand.c, and of what memory.c keeps.  The input says how it goes with each errand:
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

#include <errno.h>

struct memory {
	unsigned refs;
};

struct sent {
	struct errand errand; /* its first member */
	bool back, kept;
	uint64_t bytes, reads; /* by errand_read() */
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
	uint64_t most_bytes, most_reads; /* of one errand, by errand_read() */
	/* Told of each that is sent, before it does anything. */
	void (*watch)(const struct errand *e);
} errands;

static inline unsigned
errands_decide(void)
{
	const unsigned n = errands.decisions++;

	return n < DECISIONS ? errands.decision[n / 4] >> n % 4 * 2 & 3U : GOES_WELL;
}

static inline struct sent *
errands_sent(struct errand *e)
{
	return (struct sent *)e;
}

static inline void
errands_do(struct sent *s)
{
	s->bytes = s->reads = 0;
	s->errand.work(&s->errand);
	if (s->bytes > errands.most_bytes)
		errands.most_bytes = s->bytes;
	if (s->reads > errands.most_reads)
		errands.most_reads = s->reads;
}

static inline void
errands_discard(struct sent *s)
{
	if (s == NULL)
		return;
	memory_drop(s->errand.memory);
	arcs_clear(&s->errand.arcs);
	free(s);
}

/* Those that nobody asks for come back, too, some time. */
static inline void
errands_collect(bool all)
{
	for (struct sent **at = &errands.left, *s; (s = *at) != NULL;) {
		if (!s->kept && !s->back && (all || errands_decide() == GOES_WELL)) {
			errands_do(s);
			s->back = true;
		}
		if (s->kept || !s->back) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		errands_discard(s);
	}
}

static inline void
errands_begin(struct input *in, void (*watch)(const struct errand *e))
{
	MUST(errands.left == NULL && errands.at_hand == NULL);
	memset(&errands, 0, sizeof(errands));
	take(in, errands.decision, sizeof(errands.decision));
	errands.watch = watch;
}

/* Whoever kept one has forgotten it by now. */
static inline void
errands_end(void)
{
	errands_collect(true);
	MUST(errands.left == NULL);
	errands_discard(errands.at_hand);
	errands.at_hand = NULL;
}

struct errand *
errand_new(struct memory *memory)
{
	errands_collect(false);
	if (errands_decide() != GOES_WELL) {
		errno = errands_decide() % 2 == 0 ? ETIMEDOUT : EAGAIN;
		return NULL;
	}
	if (errands.at_hand == NULL)
		errands.at_hand = calloc(1, sizeof(*errands.at_hand));
	MUST(errands.at_hand != NULL);
	errands.at_hand->errand.memory = memory == NULL ? NULL : memory_share(memory);
	return &errands.at_hand->errand;
}

static inline void
errands_put_aside(struct sent *s, bool kept)
{
	s->kept = kept;
	s->back = !kept;
	s->next = errands.left;
	errands.left = s;
	errands.at_hand = NULL;
}

int
errand_run(struct errand *e)
{
	struct sent *s = errands_sent(e);
	const unsigned how = errands_decide();

	MUST(s == errands.at_hand);
	if (errands.watch != NULL)
		errands.watch(e);
	if (how % 2 != 0) {
		errands_put_aside(s, true);
		return -1;
	}
	errands_do(s);
	memory_drop(e->memory);
	e->memory = NULL;
	if (how == IS_SLOW)
		errands_put_aside(s, false);
	return 0;
}

bool
errand_is_back(struct errand *e)
{
	struct sent *s = errands_sent(e);

	MUST(s->kept);
	if (!s->back && errands_decide() == GOES_WELL) {
		errands_do(s);
		s->back = true;
	}
	return s->back;
}

void
errand_forget(struct errand *e)
{
	if (e == NULL)
		return;
	MUST(errands_sent(e)->kept);
	errands_sent(e)->kept = false;
}

int
errand_read(struct errand *e, uint64_t addr, void *buf, size_t len)
{
	errands_sent(e)->bytes += len;
	errands_sent(e)->reads++;
	return memory_read(e->memory, addr, buf, len);
}

void
errand_give_way(void)
{
}

/* In place of fds.c's: nobody has descriptors. */
int
fds_copy_of(pid_t pid, int fd)
{
	(void)pid, (void)fd;
	return -1;
}

void
errand_patience(uint64_t ns)
{
	(void)ns;
}

struct memory *
memory_open(pid_t pid)
{
	struct memory *m = errands_decide() == GOES_WELL ? calloc(1, sizeof(*m)) : NULL;

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
