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
	return (struct unwind_regs){
		.pc = regs->pc,
		.sp = regs->sp,
		.fp = regs->fp,
		.link = regs->link,
		.base = regs->base,
	};
}

/* What is known of a frame by now, without asking. */
static uint64_t
frame_at(const struct proc *proc, uint64_t pc)
{
	const struct counts *c = &proc->profile->counts;
	const struct space *s = proc->vm.space;
	const struct unwind_code *code = s == NULL ? NULL : unwind_code_at(s->code, s->n, pc);
	uint32_t object = OBJECT_NO_FILE;
	uint64_t bias = 0;

	if (pc >= c->low_pc && pc < c->high_pc) {
		object = OBJECT_PROGRAM;
		bias = c->bias;
	} else if (code != NULL && !code->awaited) {
		object = code->object;
		bias = code->bias;
	}
	return frame_of_object(object) | frame_address(pc - bias);
}

/* For a timeline a sample has its time. */
static void
stamp(const struct profsup *ps, pid_t tid, uint64_t time, struct stack *stack)
{
	stack->time = raw.time = ps->opt.timeline ? time : 0;
	stack->tid = raw.tid = tid;
}

/* A stack of which only the innermost frame is known. */
static void
only_frame(uint64_t frame, struct stack *stack)
{
	stack->n = 1;
	stack->cut = true;
	stack->waits = stack->guessed = false;
	stack->frame[0] = frame;
}

/* Has a stack wait that leads to where we know of no code, if it was sampled after the mappings
 * were read. */
static void
await_mappings(struct proc *proc, uint64_t at, uint64_t lost_at, struct stack *stack)
{
	raw.at = at;
	raw.lost = lost_at != 0;
	if (lost_at == 0 || mapped_at(proc) >= at)
		return;
	proc->profile->lost_at = at;
	stack->waits = true;
}

/* Reads the mappings again; if they have changed, what waits was sampled in the old ones. */
static bool
renew(const struct profsup *ps, struct proc *proc, bool changed)
{
	if (!changed)
		return mapped_renew(ps, proc);
	callers_settle(ps, proc, true);
	return mapped_renew_changed(ps, proc);
}

static void
walk(const struct profsup *ps, const struct tracee *t, const struct unwind_regs *from,
     struct stack *stack)
{
	const uint64_t at = clock_now();
	struct space *s = mapped_space(ps, t->proc, !memory_can_tell());
	struct walked w = { .lost_at = 0 };

	if (mem_stack(t->proc, s == NULL ? space_none() : s, from, &w) < 0)
		return;
	if (w.changed)
		only_frame(frame_of_object(OBJECT_NO_FILE) | frame_address(from->pc), stack);
	/* There may be code that was mapped since the mappings were read. */
	if ((w.changed || w.lost_at != 0) && renew(ps, t->proc, w.changed) &&
	    mem_stack(t->proc, t->proc->vm.space, from, &w) < 0)
		return;
	if (w.changed)
		return;
	*stack = w.stack;
	if (stack->waits || w.lost_at != 0)
		raw = *w.raw;
	await_mappings(t->proc, at, w.lost_at, stack);
	if (stack->waits)
		mapped_ask(ps, t->proc, stack);
}

/* Walks the stack of a thread that is stopped.  Returns `stack`, or NULL if no stacks are asked
 * for. */
const struct stack *
callers_find(const struct profsup *ps, struct tracee *t, const struct arch_regs *regs,
             struct stack *stack)
{
	const struct unwind_regs from = unwind_regs_of(regs);

	if (!is_wanted(ps, t->proc))
		return NULL;
	only_frame(frame_at(t->proc, regs->pc), stack);
	walk(ps, t, &from, stack);
	stamp(ps, t->tid, clock_now(), stack);
	return stack;
}

/* Walks the stack of a thread that is blocked, and puts the call that it waits in before it. False:
 * it can't be walked yet. */
bool
callers_find_waiting(const struct profsup *ps, struct tracee *t, const struct thread_wait *wait,
                     struct stack *stack)
{
	const struct unwind_regs from = { .pc = wait->pc, .sp = wait->sp, .blind = true };
	const uint64_t call = wait->syscall < 0 || wait->syscall >= WAIT_NO_CALL
	                          ? WAIT_NO_CALL
	                          : (uint64_t)wait->syscall;

	only_frame(frame_at(t->proc, wait->pc), stack);
	walk(ps, t, &from, stack);
	if (stack->waits)
		return false;
	if (stack->n == STACK_FRAMES) {
		stack->cut = true;
		stack->n--;
	}
	memmove(stack->frame + 1, stack->frame, stack->n++ * sizeof(stack->frame[0]));
	stack->frame[0] = frame_of_object(OBJECT_WAITS) | call;
	stack->time = 0;
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

static uint64_t
walk_copy_in(const struct space *space, const struct perf_sample *s, struct stack *stack)
{
	const struct unwind u = { space->code, space->n, unwind_regs_of(&s->regs) };
	struct stack_copy copy = { s->regs.sp, s->stack, s->stack_len };

	return unwind_walk(&u, unwind_read_copy, &copy, stack);
}

static void
walk_copied(const struct profsup *ps, struct proc *proc, const struct perf_sample *s,
            struct stack *stack)
{
	const uint64_t at = clock_now();
	const struct space *space = mapped_space(ps, proc, true);
	uint64_t lost_at = walk_copy_in(space == NULL ? space_none() : space, s, stack);

	if (lost_at != 0 && mapped_renew(ps, proc))
		lost_at = walk_copy_in(proc->vm.space, s, stack);
	await_mappings(proc, at, lost_at, stack);
	if (stack->waits) {
		mapped_ask(ps, proc, stack);
		keep_raw(s);
	}
}

/* The same of the stack that a sample of perf's has brought.  Now and then the kernel could not
 * copy any of it, as in the middle of a change of address spaces; then it is not known. */
const struct stack *
callers_find_in(const struct profsup *ps, struct proc *proc, const struct perf_sample *s,
                struct stack *stack)
{
	if (!is_wanted(ps, proc) || s->stack_len == 0)
		return NULL;
	only_frame(frame_at(proc, s->regs.pc), stack);
	walk_copied(ps, proc, s, stack);
	stamp(ps, s->tid, s->time, stack);
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
	const unsigned serial = objects_serial();
	struct profile *p = proc->profile;

	if (p->waiting == NULL)
		return true;
	if (mapped_at(proc) < p->lost_at)
		mapped_renew(ps, proc);
	if (!last_chance && p->walked == serial)
		return false; /* there is nothing new */
	p->walked = serial;
	return waiting_walk(p, mapped_space(ps, proc, false),
	                    last_chance ? UINT64_MAX : mapped_at(proc), last_chance, note, &s);
}

/* `arg`: the program's table, NULL if it is not known. */
static bool
is_near(const void *arg, uint64_t a, uint64_t b)
{
	if (arg == NULL || frame_object(a) != OBJECT_PROGRAM || frame_object(b) != OBJECT_PROGRAM)
		return stacks_are_near(a, b);
	return symtab_at(arg, a) == symtab_at(arg, b);
}

/* Adds ticks of which only `pc` is known.  They get the callers of a sample of the process's near
 * it, which may still wait. */
static void
credit_like(struct proc *proc, uint64_t pc, uint64_t ticks)
{
	struct counts *c = &proc->profile->counts;
	const struct symtab *names = objects_table(&proc->image.elf.id, OBJECT_PROGRAM);
	const uint64_t frame = frame_at(proc, pc);
	struct stack like = { .n = 1, .cut = true };

	if (waiting_add(proc->profile, pc, ticks) ||
	    stacks_add_like(&c->stacks, frame, ticks, is_near, names))
		return;
	like.frame[0] = frame;
	stacks_add(&c->stacks, &like, ticks);
}

/* Adds ticks to a process's stacks.  `stack`: that of the last sample, which is kept if it has no
 * ticks, too, since those that come next may be booked there; NULL if only `pc` is known. */
void
callers_credit(const struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks,
               const struct stack *stack)
{
	if (!ps->opt.call_graph)
		return;
	if (stack == NULL)
		credit_like(proc, pc, ticks);
	else if (!stack->waits || !waiting_keep(proc->profile, &raw, ticks))
		stacks_add(&proc->profile->counts.stacks, stack, ticks);
}
