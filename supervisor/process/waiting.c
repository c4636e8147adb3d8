/*
 * Samples whose call stacks can't be walked yet, since the rows of some code are still being read.
 * What was on the stack is kept, so that the program need not wait.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include "share.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the samples of all processes together that wait for tables, and of those that wait for
 * mappings; each process leaves as many to others as it has.  Programs whose code is always at new
 * addresses have many of the latter, and those must not cost others theirs.  A small sample counts
 * as LEAST_SIZE, as it takes time, too, when it is tried again. */
enum { MOST_WAITING = 4 << 20, LEAST_SIZE = 4 << 10 };
/* How long a process's samples are tried again at once. */
#define MOMENT_NS (NSEC / 1000)

struct waiting {
	struct waiting *next;
	uint64_t ticks; /* 0: it may have some until its thread's next sample */
	struct raw_stack raw;
	uint8_t data[];
};

static size_t waiting[2]; /* by raw.lost */

static size_t
size_of(const struct raw_stack *raw)
{
	const size_t size = sizeof(struct waiting) + raw->len;

	return size > LEAST_SIZE ? size : LEAST_SIZE;
}

static void
drop(struct profile *p, struct waiting *w)
{
	p->waiting_bytes[w->raw.lost] -= size_of(&w->raw);
	waiting[w->raw.lost] -= size_of(&w->raw);
	free(w);
}

/* Drops samples that have no ticks, a thread's, 0: all: none will come. */
void
waiting_drop_empty(struct profile *p, pid_t tid)
{
	struct waiting **at = &p->waiting, *w;

	while ((w = *at) != NULL) {
		if (w->ticks != 0 || (tid != 0 && w->raw.tid != tid)) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		drop(p, w);
	}
}

/* Keeps a sample, if there is room, without a tick, until its thread's next is kept. */
void
waiting_keep(struct profile *p, const struct raw_stack *raw)
{
	const size_t size = size_of(raw);
	struct waiting *w = NULL;

	waiting_drop_empty(p, raw->tid);
	if (share_left(p->waiting_bytes[raw->lost], waiting[raw->lost], MOST_WAITING) >= size)
		w = malloc(size);
	if (w == NULL)
		return;
	w->ticks = 0;
	w->raw = *raw;
	w->raw.data = memcpy(w->data, raw->data, raw->len);
	w->next = p->waiting;
	p->waiting = w;
	p->waiting_bytes[raw->lost] += size;
	waiting[raw->lost] += size;
}

/* Gives ticks to the sample of thread `tid` that was just kept or, if `tid` is 0, to one that waits
 * and was at `pc`.  False: there is none, as there was no room for it. */
bool
waiting_add(struct profile *p, pid_t tid, uint64_t pc, uint64_t ticks)
{
	struct waiting *w = p->waiting;

	while (w != NULL && (tid != 0 ? w->ticks != 0 || w->raw.tid != tid : w->raw.regs.pc != pc))
		w = w->next;
	if (w == NULL)
		return false;
	w->ticks += ticks;
	return true;
}

/* Walks a stack of which a copy is there, in the code of `s`, which may be NULL.  Returns what
 * unwind_walk() does. */
uint64_t
waiting_try(const struct space *s, const struct raw_stack *raw, struct stack *stack)
{
	const struct unwind u = { s == NULL ? NULL : s->code, s == NULL ? 0 : s->n, raw->regs };
	struct stack_copy copy = { raw->regs.sp, raw->data, raw->len };

	return unwind_walk(&u, unwind_read_copy, &copy, stack);
}

/* Those before `at` come last from here on. */
static void
rotate(struct profile *p, struct waiting **at)
{
	struct waiting *first = p->waiting, **end = at;

	if (at == &p->waiting)
		return;
	while (*end != NULL)
		end = &(*end)->next;
	*end = first;
	p->waiting = *at;
	*at = NULL;
}

/* Walks the stacks that waited and need not any more, in the code of `s`, which may be NULL and was
 * read at `read_at`; with the last chance, all of them.  `note` is told of each, and of those that
 * still wait.  Returns whether none is left.  It ends after a moment, and begins there the next
 * time. */
bool
waiting_walk(struct profile *p, const struct space *s, uint64_t read_at, bool last_chance,
             waiting_note *note, void *arg)
{
	const uint64_t until = last_chance ? UINT64_MAX : clock_now() + MOMENT_NS;
	struct waiting **at = &p->waiting, *w;

	while ((w = *at) != NULL) {
		struct stack stack;

		if (clock_now() >= until) {
			rotate(p, at);
			p->walked = 0;
			return false;
		}
		if (waiting_try(s, &w->raw, &stack) != 0)
			stack.waits |= read_at < w->raw.at;
		stack.time = w->raw.time;
		stack.tid = w->raw.tid;
		note(arg, w->raw.regs.pc, &stack);
		if (stack.waits && !last_chance) {
			at = &w->next;
			continue;
		}
		stacks_add(&p->counts.stacks, &stack, w->ticks);
		*at = w->next;
		drop(p, w);
	}
	return p->waiting == NULL;
}

void
waiting_clear(struct profile *p)
{
	for (struct waiting *w = p->waiting, *next; w != NULL; w = next) {
		next = w->next;
		drop(p, w);
	}
	p->waiting = NULL;
}
