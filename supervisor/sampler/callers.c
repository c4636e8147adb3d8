/*
 * The call stack of a sample.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <string.h>

static bool
is_wanted(const struct profsup *ps, const struct proc *proc)
{
	return ps->opt.call_graph && !proc->profile->fileless;
}

static struct unwind
unwind_of(const struct proc *proc, const struct arch_regs *regs)
{
	const struct counts *c = &proc->profile->counts;
	struct unwind u = {
		.bias = c->bias,
		.low = c->low_pc - c->bias,
		.high = c->high_pc - c->bias,
		.regs = { regs->pc, regs->sp, regs->fp, regs->link },
	};

	symtab_unwind(symtabs_find(&proc->image.elf.id), &u);
	return u;
}

/* Walks the stack of a thread that is stopped.  Returns `stack`, or NULL if no stacks are asked
 * for.  Of a stack that can't be read, or whose memory is late, there is the innermost frame. */
const struct stack *
callers_find(const struct profsup *ps, struct tracee *t, const struct arch_regs *regs,
             struct stack *stack)
{
	struct unwind unwind;

	if (!is_wanted(ps, t->proc))
		return NULL;
	unwind = unwind_of(t->proc, regs);
	if (mem_stack(t->proc, &unwind, stack) < 0) {
		stack->n = 1;
		stack->cut = true;
		stack->frame[0] = regs->pc - unwind.bias;
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

/* The same of the stack that a sample of perf's has brought.  Now and then the kernel could not
 * copy any of it, as in the middle of a change of address spaces; then it is not known. */
const struct stack *
callers_find_in(const struct profsup *ps, const struct proc *proc, const struct perf_sample *s,
                struct stack *stack)
{
	struct perf_sample copy = *s;
	struct unwind unwind;

	if (!is_wanted(ps, proc) || s->stack_len == 0)
		return NULL;
	unwind = unwind_of(proc, &s->regs);
	unwind_walk(&unwind, read_copy, &copy, stack);
	return stack;
}

/* Adds ticks to a process's stacks.  `stack`: NULL if only `pc` is known.  Then they get the
 * callers of a sample near it: of this process's, else of another's of the same program. */
void
callers_credit(const struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks,
               const struct stack *stack)
{
	struct counts *c = &proc->profile->counts;
	struct stack like;

	if (!ps->opt.call_graph)
		return;
	if (stack == NULL) {
		if (stacks_add_like(&c->stacks, pc - c->bias, ticks))
			return;
		if (!recent_like(proc, pc, &like))
			like = (struct stack){ .n = 1, .cut = true };
		like.frame[0] = pc - c->bias;
		stack = &like;
	}
	stacks_add(&c->stacks, stack, ticks);
}
