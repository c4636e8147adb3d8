/*
 * The call stack of a sample.  If it leads through code of which nothing is known yet, what is on
 * the stack is kept, and walked later (waiting.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <string.h>

/* Trying again what waits takes no more than 1 / SHARE of our time for each process. */
enum { SHARE = 10 };

static bool
is_wanted(const struct profsup *ps, const struct proc *proc)
{
	return ps->opt.call_graph && !proc->profile->fileless;
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
 * were read.  Asks for what it waits for. */
static void
await(const struct profsup *ps, struct proc *proc, const struct raw_stack *raw, struct stack *stack)
{
	if (raw->lost && mapped_at(proc) < raw->at) {
		proc->profile->lost_at = raw->at;
		stack->waits = true;
	}
	if (stack->waits)
		mapped_ask(ps, proc, stack);
}

/* Reads the mappings again; if they have changed, what waits was sampled in the old ones. */
static bool
renew(const struct profsup *ps, struct proc *proc, bool changed)
{
	if (changed)
		callers_settle(ps, proc, true);
	return mapped_renew(ps, proc, changed);
}

/* Walks a stack in that space.  What was on it is kept at once, if it may be wanted: the next
 * memory job uses its place. */
static int
walk_in(struct proc *proc, struct space *s, struct raw_stack *raw, struct walked *w)
{
	if (mem_stack(proc, s, &raw->regs, w) < 0)
		return -1;
	raw->lost = w->lost_at != 0;
	raw->len = w->len;
	raw->data = w->data;
	if ((w->stack.waits || raw->lost) && !w->changed && !raw->regs.blind)
		waiting_keep(proc->profile, raw);
	return 0;
}

static void
walk(const struct profsup *ps, struct proc *proc, struct raw_stack *raw, struct stack *stack)
{
	struct space *s = mapped_space(ps, proc, true);
	struct walked w;

	if (walk_in(proc, s == NULL ? space_none() : s, raw, &w) < 0)
		return;
	if (w.changed)
		only_frame(frame_of_object(OBJECT_NO_FILE) | frame_address(raw->regs.pc), stack);
	/* There may be code that was mapped since the mappings were read. */
	if ((w.changed || raw->lost) && renew(ps, proc, w.changed) &&
	    walk_in(proc, proc->vm.space, raw, &w) < 0)
		return;
	if (w.changed)
		return;
	*stack = w.stack;
	await(ps, proc, raw, stack);
}

static struct raw_stack
raw_of(const struct profsup *ps, const struct arch_regs *regs, pid_t tid, uint64_t time)
{
	return (struct raw_stack){
		.regs = { regs->pc, regs->sp, regs->fp, regs->link, regs->base, false },
		.at = clock_now(),
		.time = ps->opt.timeline ? time : 0,
		.tid = tid,
	};
}

/* For a timeline a sample has its time. */
static const struct stack *
stamped(struct stack *stack, const struct raw_stack *raw)
{
	stack->time = raw->time;
	stack->tid = raw->tid;
	return stack;
}

/* Walks the stack of a thread that is stopped.  Returns `stack`, or NULL if no stacks are asked
 * for. */
const struct stack *
callers_find(const struct profsup *ps, struct tracee *t, const struct arch_regs *regs,
             struct stack *stack)
{
	struct raw_stack raw;

	if (!is_wanted(ps, t->proc))
		return NULL;
	raw = raw_of(ps, regs, t->tid, clock_now());
	only_frame(frame_at(t->proc, regs->pc), stack);
	walk(ps, t->proc, &raw, stack);
	return stamped(stack, &raw);
}

/* Walks the stack of a thread that is blocked, and puts the call that it waits in before it. False:
 * it can't be walked yet. */
bool
callers_find_waiting(const struct profsup *ps, struct tracee *t, const struct thread_wait *wait,
                     struct stack *stack)
{
	struct raw_stack raw = {
		.regs = { .pc = wait->pc, .sp = wait->sp, .blind = true },
		.at = clock_now(),
	};
	const uint64_t call = wait->syscall < 0 || wait->syscall >= WAIT_NO_CALL
	                          ? WAIT_NO_CALL
	                          : (uint64_t)wait->syscall;

	only_frame(frame_at(t->proc, wait->pc), stack);
	walk(ps, t->proc, &raw, stack);
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

/* The same of the stack that a sample of perf's has brought.  Now and then the kernel could not
 * copy any of it, as in the middle of a change of address spaces; then it is not known. */
const struct stack *
callers_find_in(const struct profsup *ps, struct proc *proc, const struct perf_sample *s,
                struct stack *stack)
{
	struct raw_stack raw;

	if (!is_wanted(ps, proc) || s->stack_len == 0)
		return NULL;
	raw = raw_of(ps, &s->regs, s->tid, s->time);
	raw.len = s->stack_len < RAW_STACK ? s->stack_len : RAW_STACK;
	raw.data = s->stack;
	only_frame(frame_at(proc, s->regs.pc), stack);
	raw.lost = waiting_try(mapped_space(ps, proc, true), &raw, stack) != 0;
	if (raw.lost && mapped_renew(ps, proc, false))
		raw.lost = waiting_try(proc->vm.space, &raw, stack) != 0;
	await(ps, proc, &raw, stack);
	if (stack->waits)
		waiting_keep(proc->profile, &raw);
	return stamped(stack, &raw);
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
	const uint64_t now = clock_now();
	unsigned serial;
	bool settled;

	if (p->waiting == NULL)
		return true;
	serial = objects_serial();
	if (mapped_at(proc) < p->lost_at)
		mapped_renew(ps, proc, false);
	if (!last_chance && (p->walked == serial || now < p->walk_at))
		return false; /* there is nothing new, or not yet */
	p->walked = serial;
	settled = waiting_walk(p, mapped_space(ps, proc, false),
	                       last_chance ? UINT64_MAX : mapped_at(proc), last_chance, note, &s);
	p->walk_at = now + (clock_now() - now) * SHARE;
	return settled;
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

	if (waiting_add(proc->profile, 0, pc, ticks) ||
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
	else if (!stack->waits || !waiting_add(proc->profile, stack->tid, 0, ticks))
		stacks_add(&proc->profile->counts.stacks, stack, ticks);
}
