/*
 * The supervisor's own threads: coroutines.  Their code takes no time but what the calls that it
 * makes are said to cost.
 *
 * They change by the compiler's own jumps: swapcontext(3) makes a system call each time, and took a
 * third of a run.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#include <ucontext.h>

enum { STACK = 512 << 10 };

static void *engine[JUMP];   /* where it goes on */
static struct thread *first; /* gets the signals */
static uint64_t pending;     /* signals, a bit each */
static bool waits;           /* it sleeps until there is one */

/* The compiler wants both halves of a jump in functions of their own. */
static void __attribute__((noinline, noreturn)) jump(void **to)
{
	__builtin_longjmp(to, 1);
}

static void __attribute__((noinline)) change(void **from, void **to)
{
	if (__builtin_setjmp(from) == 0)
		jump(to);
}

/* Lets the engine go on, until the thread is due again. */
static void
give_way(struct thread *t)
{
	change(t->place, engine);
}

static void
begin(void)
{
	struct thread *t = sched_self();

	t->run(t->arg);
	sched_leave(t, GONE);
	if (t == first)
		engine_stop();
	give_way(t);
}

/* Lets a thread begin, on its own stack. */
static void __attribute__((noinline)) enter(struct thread *t)
{
	ucontext_t context;

	if (getcontext(&context) < 0)
		abort();
	context.uc_stack.ss_sp = t->stack;
	context.uc_stack.ss_size = STACK;
	makecontext(&context, begin, 0);
	t->begun = true;
	if (__builtin_setjmp(engine) == 0)
		setcontext(&context);
}

/* Called when the thread has what it waited for. */
void
ours_go_on(struct thread *t)
{
	if (t->begun)
		change(engine, t->place);
	else
		enter(t);
}

struct thread *
ours_start(void *(*run)(void *), void *arg)
{
	struct thread *t = sched_new(NULL), *self = sched_self();

	if (first == NULL)
		first = t;
	t->run = run;
	t->arg = arg;
	t->stack = malloc(STACK);
	if (t->stack == NULL)
		abort();
	if (self != NULL)
		t->cpu = self->cpu;
	sched_wake(t);
	return t;
}

/* Returns when the calling thread has had so much CPU time, and is on its CPU. */
void
ours_spend(uint64_t ns)
{
	struct thread *t = sched_self();

	if (t == NULL)
		return;
	t->left = engine_spread(ns, 20) * machine.dear / 100;
	sched_again(t);
	give_way(t);
}

static void
wake(void *arg, uint64_t number)
{
	struct thread *t = arg;

	if (t->state == BLOCKED && t->sleep == number)
		sched_wake(t);
}

/* Sleeps until the time comes, or somebody wakes it.  Returns whether the time has come. */
bool
ours_sleep(uint64_t until)
{
	struct thread *t = sched_self();

	t->sleep++;
	if (until != UINT64_MAX)
		engine_at(until + engine_random(2 * machine.timer), wake, t, t->sleep);
	t->left = 0;
	sched_leave(t, BLOCKED);
	give_way(t);
	return now >= until;
}

void
ours_signal(int sig)
{
	pending |= 1ULL << sig;
	if (waits)
		sched_wake(first);
}

/* The first thread takes a signal that is pending, or comes until then.  0: none has. */
int
ours_take_signal(uint64_t until)
{
	if (pending == 0 && until > now) {
		waits = true;
		ours_sleep(until);
		waits = false;
	}
	for (int sig = 1; sig < 64; sig++)
		if ((pending >> sig & 1) != 0) {
			pending &= ~(1ULL << sig);
			return sig;
		}
	return 0;
}
