/*
 * The call stack of a sample.  If it leads through code of which nothing is known yet, what is on
 * the stack is kept, and walked later (waiting.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <string.h>

/* What was on the last stack that waits; its sample has not been booked yet. */
static struct raw_stack raw;

static bool
is_wanted(const struct profsup *ps, const struct proc *proc)
{
	return ps->opt.call_graph && !proc->profile->fileless;
}

static struct unwind_regs
unwind_regs_of(const struct arch_regs *regs)
{
	return (struct unwind_regs){ regs->pc, regs->sp, regs->fp, regs->link };
}

/* What is known of a frame without its process's mappings. */
static uint64_t
frame_at(const struct counts *c, uint64_t pc)
{
	return pc >= c->low_pc && pc < c->high_pc
	           ? frame_of_object(OBJECT_PROGRAM) | frame_address(pc - c->bias)
	           : frame_of_object(OBJECT_NO_FILE) | frame_address(pc);
}

/* A stack of which only the innermost frame is known. */
static void
only_pc(const struct proc *proc, uint64_t pc, struct stack *stack)
{
	stack->n = 1;
	stack->cut = true;
	stack->waits = false;
	stack->frame[0] = frame_at(&proc->profile->counts, pc);
}

/* Walks the stack of a thread that is stopped.  Returns `stack`, or NULL if no stacks are asked
 * for. */
const struct stack *
callers_find(const struct profsup *ps, struct tracee *t, const struct arch_regs *regs,
             struct stack *stack)
{
	const struct unwind_regs from = unwind_regs_of(regs);
	struct walked w = { .lost_at = 0 };
	struct space *s;

	if (!is_wanted(ps, t->proc))
		return NULL;
	only_pc(t->proc, regs->pc, stack);
	s = mapped_space(ps, t->proc);
	if (s == NULL || mem_stack(t->proc, s, &from, &w) < 0)
		return stack;
	/* There may be code that was mapped since the mappings were read. */
	if (w.lost_at != 0 && mapped_renew(ps, t->proc) &&
	    mem_stack(t->proc, t->proc->vm.space, &from, &w) < 0)
		return stack;
	*stack = w.stack;
	if (stack->waits) {
		mapped_ask(ps, t->proc, stack);
		raw = *w.raw;
	}
	return stack;
}

static bool
read_copy(void *arg, uint64_t addr, uint64_t *word)
{
	const struct perf_sample *s = arg;
	const uint64_t at = addr - s->regs.sp;

	if (addr < s->regs.sp || at > s->stack_len || s->stack_len - at < sizeof(*word))
		return false;
	memcpy(word, s->stack + at, sizeof(*word));
	return true;
}

/* Keeps what a sample of perf's has brought. */
static void
keep_raw(const struct perf_sample *s)
{
	raw.regs = unwind_regs_of(&s->regs);
	raw.len = s->stack_len < sizeof(raw.data) ? s->stack_len : sizeof(raw.data);
	if (raw.len > 0)
		memcpy(raw.data, s->stack, raw.len);
}

/* The same of the stack that a sample of perf's has brought.  Now and then the kernel could not
 * copy any of it, as in the middle of a change of address spaces; then it is not known. */
const struct stack *
callers_find_in(const struct profsup *ps, struct proc *proc, const struct perf_sample *s,
                struct stack *stack)
{
	const struct unwind_regs from = unwind_regs_of(&s->regs);
	struct perf_sample copy = *s;
	const struct space *space;

	if (!is_wanted(ps, proc) || s->stack_len == 0)
		return NULL;
	only_pc(proc, s->regs.pc, stack);
	space = mapped_space(ps, proc);
	if (space == NULL)
		return stack;
	if (unwind_walk(&(struct unwind){ space->code, space->n, from }, read_copy, &copy, stack) !=
	        0 &&
	    mapped_renew(ps, proc)) {
		space = proc->vm.space;
		unwind_walk(&(struct unwind){ space->code, space->n, from }, read_copy, &copy,
		            stack);
	}
	if (stack->waits) {
		mapped_ask(ps, proc, stack);
		keep_raw(s);
	}
	return stack;
}

struct settling {
	const struct profsup *ps;
	struct proc *proc;
};

static void
note(void *arg, uint64_t pc, const struct stack *stack)
{
	const struct settling *s = arg;

	if (stack->waits)
		mapped_ask(s->ps, s->proc, stack);
	else
		recent_note(s->proc, pc, stack);
}

/* Adds the samples of a process that had to wait; with the last chance, all of them.  Returns
 * whether none is left. */
bool
callers_settle(const struct profsup *ps, struct proc *proc, bool last_chance)
{
	struct settling s = { ps, proc };
	struct profile *p = proc->profile;
	unsigned serial;

	if (p->waiting == NULL)
		return true;
	/* What they wait for has not come. */
	serial = objects_serial();
	if (!last_chance && serial == p->walked_serial)
		return false;
	p->walked_serial = serial;
	return waiting_walk(p, mapped_space(ps, proc), last_chance, note, &s);
}

/* Adds ticks to a process's stacks.  `stack`: that of the last sample; NULL if only `pc` is known.
 * Then they get the callers of a sample near it: of this process's, else of another's of the same
 * program. */
void
callers_credit(const struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks,
               const struct stack *stack)
{
	struct counts *c = &proc->profile->counts;
	struct stack like;

	if (!ps->opt.call_graph)
		return;
	if (stack == NULL) {
		if (stacks_add_like(&c->stacks, frame_at(c, pc), ticks))
			return;
		if (!recent_like(proc, pc, &like))
			like = (struct stack){ .n = 1, .cut = true };
		like.frame[0] = frame_at(c, pc);
		stack = &like;
	}
	if (!stack->waits || !waiting_keep(proc->profile, &raw, ticks))
		stacks_add(&c->stacks, stack, ticks);
}
