/*
 * Where the last samples of each program were.
 *
 * Nobody knows where a process that ends before a tick finds it has used its CPU time.  To book it
 * at the exit would be wrong: with many such processes all time would be there.  So what it owes is
 * booked where a tick has found another process of the same program: the same file, started by the
 * same user, whose profile the same identity has.  What a file says of itself would be a lie's way
 * from one user's profile into another's.  What was forked and goes on in the same program does
 * something else than what has forked it: where there are samples of its like, those are taken.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <stdlib.h>
#include <string.h>

/* How many programs are remembered (the one not used for longest makes room), and samples of
 * each. */
enum { MOST_PROGRAMS = 64, LAST = 64 };

static struct program {
	struct image_id image;
	unsigned owner;
	uid_t user;
	bool forked;
	uint64_t pc[LAST];         /* link-time addresses */
	struct stack *stack[LAST]; /* as long as its frames; NULL: not known */
	unsigned n;                /* samples until now */
	uint64_t used;             /* number of the last use, among those of all programs */
} * programs;
static uint64_t uses;

static bool
is_of(const struct program *p, const struct proc *proc, bool forked)
{
	const struct place *place = proc->profile->place;

	return p->n > 0 && p->forked == forked && p->owner == place->owner &&
	       p->user == place->id.user && image_same_file(&p->image, &proc->image.elf.id);
}

static struct program *
find(const struct proc *proc, bool forked)
{
	for (size_t i = 0; programs != NULL && i < MOST_PROGRAMS; i++)
		if (is_of(&programs[i], proc, forked)) {
			programs[i].used = ++uses;
			return &programs[i];
		}
	return NULL;
}

static struct program *
make(const struct proc *proc)
{
	struct program *oldest;

	if (proc->profile->place->owner == OWNER_NOBODY)
		return NULL;
	if (programs == NULL && (programs = calloc(MOST_PROGRAMS, sizeof(*programs))) == NULL)
		return NULL;
	oldest = &programs[0];
	for (size_t i = 1; i < MOST_PROGRAMS; i++)
		if (programs[i].used < oldest->used)
			oldest = &programs[i];
	oldest->image = proc->image.elf.id;
	oldest->owner = proc->profile->place->owner;
	oldest->user = proc->profile->place->id.user;
	oldest->forked = proc->profile->forked;
	oldest->n = 0;
	oldest->used = ++uses;
	return oldest;
}

/* Notes a sample.  `stack`: NULL if it is not known. */
void
recent_note(const struct proc *proc, uint64_t pc, const struct stack *stack)
{
	struct program *p = find(proc, proc->profile->forked);
	struct stack **kept;

	if (p == NULL && (p = make(proc)) == NULL)
		return;
	p->pc[p->n % LAST] = pc - proc->profile->counts.bias;
	kept = &p->stack[p->n++ % LAST];
	if (stack == NULL || !stack_keep(kept, stack)) {
		free(*kept);
		*kept = NULL;
	}
	if (p->n == 2 * LAST)
		p->n = LAST;
}

/* Returns the pc of any of these samples, and its stack, of no frames if that is not known.  0:
 * there is none. */
uint64_t
recent_any(const struct proc *proc, struct stack *stack)
{
	const bool forked = proc->profile->forked;
	const struct program *p = find(proc, forked);
	unsigned i;

	stack->n = 0;
	if (p == NULL && (p = find(proc, !forked)) == NULL)
		return 0;
	i = (unsigned)random() % (p->n < LAST ? p->n : LAST);
	if (p->stack[i] != NULL)
		memcpy(stack, p->stack[i], stack_bytes(p->stack[i]));
	stack->time = 0; /* that was another sample's */
	return p->pc[i] + proc->profile->counts.bias;
}
