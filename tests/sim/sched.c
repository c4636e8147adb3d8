/*
 * CPUs and classes: deadline and real-time, the fair class as Linux has it since 6.6 (EEVDF), and
 * the idle one, which is of the fair class with next to no weight.
 *
 * A thread's account is only added up where the kernel does so: at its clock's ticks, at a change
 * of threads, and when another one is woken on its CPU.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#include <stdlib.h>

enum { MOST_CPUS = 64, WEIGHT = 1024, IDLE_WEIGHT = 3 };

static struct cpu {
	struct thread *current; /* NULL: idle */
	uint64_t since;         /* until when its thread's time is known; later: its host has it */
	uint64_t number;        /* of what is foreseen for its thread */
	bool look;              /* another thread may be due, now */
	bool lazy;              /* the same, at the next tick or return to the program */
} cpus[MOST_CPUS];

struct machine machine;
struct thread *threads;

static pid_t last_tid;
static uint64_t last_turn;

static int64_t
weight(const struct thread *t)
{
	return t->class == IDLE ? IDLE_WEIGHT : WEIGHT;
}

static int64_t
virtual_ns(const struct thread *t, uint64_t ns)
{
	return (int64_t)ns * WEIGHT / weight(t);
}

static bool
is_fair(const struct thread *t)
{
	return t->class <= FAIR;
}

static bool
is_queued(const struct thread *t, int cpu)
{
	return t->cpu == cpu && (t->state == READY || t->state == RUNNING);
}

struct thread *
sched_find(pid_t tid)
{
	struct thread *t = threads;

	while (t != NULL && t->tid != tid)
		t = t->next;
	return t;
}

static struct thread *self;

/* Returns the supervisor's thread that runs. */
struct thread *
sched_self(void)
{
	return self;
}

/* Returns a new thread, which is not there for the scheduler yet. */
struct thread *
sched_new(struct process *process)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (t == NULL)
		abort();
	t->tid = last_tid++;
	t->process = process;
	t->state = BLOCKED;
	t->class = FAIR;
	t->allowed = (1ULL << machine.cpus) - 1;
	t->slice = machine.slice;
	t->next = threads;
	threads = t;
	return t;
}

/* Takes the time that the CPU's thread has had since this was last done. */
static void
progress(int cpu)
{
	struct cpu *c = &cpus[cpu];
	struct thread *t = c->current;
	uint64_t ns, ahead;

	if (now <= c->since)
		return;
	ns = now - c->since;
	c->since = now;
	if (t == NULL)
		return;
	t->ran += ns;
	t->vruntime += virtual_ns(t, ns);
	if (t->process != NULL)
		tracees_spent(t, ns);
	ahead = ns < t->before ? ns : t->before;
	t->before -= ahead;
	t->left -= ns - ahead;
}

/* The kernel adds up a CPU's thread's time. */
static void
add_up(int cpu)
{
	struct thread *t = cpus[cpu].current;

	progress(cpu);
	if (t == NULL)
		return;
	t->account = t->ran;
	t->exec_start = now;
}

static void step_is_done(void *arg, uint64_t number);

/* Foresees when the CPU's thread has done its step. */
static void
foresee(int cpu)
{
	struct cpu *c = &cpus[cpu];

	c->number++;
	if (c->current != NULL)
		engine_at((now > c->since ? now : c->since) + c->current->before + c->current->left,
		          step_is_done, c, c->number);
}

static void
step_is_done(void *arg, uint64_t number)
{
	struct cpu *c = arg;
	const int cpu = (int)(c - cpus);
	struct thread *t = c->current;

	if (number != c->number)
		return;
	progress(cpu);
	if (t->process != NULL)
		tracees_step(t);
	else
		ours_go_on(self = t);
	self = NULL;
	/* It may have gone elsewhere, or to sleep. */
	if (c->current == t && number == c->number)
		foresee(cpu);
}

/* Returns the mean vruntime of a CPU's fair threads. */
static int64_t
mean(int cpu)
{
	int64_t first = 0, sum = 0, all = 0;
	bool any = false;

	for (const struct thread *t = threads; t != NULL; t = t->next) {
		if (!is_queued(t, cpu) || !is_fair(t))
			continue;
		if (!any)
			first = t->vruntime;
		any = true;
		sum += (t->vruntime - first) * weight(t) / WEIGHT;
		all += weight(t);
	}
	return all == 0 ? cpus[cpu].current == NULL ? 0 : first : first + sum * WEIGHT / all;
}

/* Whether `a` is to have the CPU rather than `b`. */
static bool
goes_first(const struct thread *a, const struct thread *b, int64_t middle)
{
	const bool a_may = a->vruntime <= middle, b_may = b->vruntime <= middle;

	if (!is_fair(a) || !is_fair(b)) {
		if (a->class != b->class)
			return a->class > b->class;
		if (a->priority != b->priority)
			return a->priority > b->priority;
		return a->turn < b->turn;
	}
	if (a_may != b_may)
		return a_may;
	return a->deadline != b->deadline ? a->deadline < b->deadline : a->turn < b->turn;
}

static struct thread *
pick(int cpu)
{
	struct thread *best = NULL;
	const int64_t middle = mean(cpu);

	for (struct thread *t = threads; t != NULL; t = t->next)
		if (is_queued(t, cpu) && (best == NULL || goes_first(t, best, middle)))
			best = t;
	return best;
}

/* A thread of the fair class has what is left of its slice, unless one of another class comes, or
 * one that has asked for a shorter slice. */
static bool
keeps_cpu(const struct thread *current, const struct thread *best)
{
	return current != NULL && current->state == RUNNING && is_fair(current) && is_fair(best) &&
	       current->class >= best->class && best->slice >= current->slice &&
	       current->vruntime < current->protected_until;
}

static struct thread *
pull(int cpu)
{
	struct thread *found = NULL;

	for (struct thread *t = threads; t != NULL; t = t->next)
		if (t->state == READY && is_fair(t) && t->cpu != cpu &&
		    (t->allowed >> cpu & 1) != 0 && cpus[t->cpu].current != NULL &&
		    (found == NULL || t->ready_at < found->ready_at))
			found = t;
	if (found == NULL)
		return NULL;
	found->vruntime += mean(cpu) - mean(found->cpu);
	found->deadline = found->vruntime + virtual_ns(found, found->slice);
	found->cpu = cpu;
	return found;
}

static void
change(int cpu, struct thread *next)
{
	struct cpu *c = &cpus[cpu];
	struct thread *last = c->current;

	add_up(cpu);
	if (last != NULL && last->state == RUNNING && last->cpu == cpu) {
		last->state = READY;
		last->ready_at = now;
	}
	c->current = next;
	engine_note("cpu %d: %d", cpu, next == NULL ? 0 : next->tid);
	if (next == NULL)
		return;
	next->state = RUNNING;
	next->waited += now - next->ready_at;
	next->slices++;
	next->exec_start = now;
	next->before += machine.switching;
	if (is_fair(next))
		next->protected_until = next->deadline;
	if (next->process != NULL)
		tracees_scheduled(next);
}

static void
hear(void *arg, uint64_t number)
{
	struct cpu *c = arg;

	(void)number;
	c->look = true;
}

static void
schedule(int cpu)
{
	struct cpu *c = &cpus[cpu];
	struct thread *best;

	c->look = false;
	if (now < c->since) {
		engine_at(c->since, hear, c, 0);
		return;
	}
	c->lazy = false;
	progress(cpu);
	best = pick(cpu);
	if (best == NULL)
		best = pull(cpu);
	if (best == c->current || (best != NULL && keeps_cpu(c->current, best)))
		return;
	change(cpu, best);
	foresee(cpu);
}

/* Called after all that happens: changes threads where that is due. */
void
sched_settle(void)
{
	for (unsigned i = 0; i < machine.cpus; i++)
		while (cpus[i].look)
			schedule((int)i);
}

/* Returns how long an interrupt to another CPU takes. */
uint64_t
sched_interrupt_ns(void)
{
	if (engine_random(1000) < machine.slow_in_1000)
		return engine_spread(machine.slow, 50);
	return engine_spread(machine.interrupt, 50);
}

/* Has another CPU look, which hears of it by an interrupt. */
static void
ask(int cpu)
{
	if (self != NULL && self->cpu != cpu)
		engine_at(now + sched_interrupt_ns(), hear, &cpus[cpu], 0);
	else
		cpus[cpu].look = true;
}

static bool
is_idle(int cpu)
{
	for (const struct thread *t = threads; t != NULL; t = t->next)
		if (is_queued(t, cpu) && t->class != IDLE)
			return false;
	return true;
}

/* A thread that wakes goes to its last CPU if that is idle, else to another idle one. */
static int
cpu_for(const struct thread *t)
{
	int first = -1;

	if ((t->allowed >> t->cpu & 1) != 0 && (!is_fair(t) || is_idle(t->cpu)))
		return t->cpu;
	for (int i = 0; i < (int)machine.cpus; i++) {
		if ((t->allowed >> i & 1) == 0)
			continue;
		if (is_fair(t) && is_idle(i))
			return i;
		if (first < 0)
			first = i;
	}
	return (t->allowed >> t->cpu & 1) != 0 ? t->cpu : first;
}

/* It comes to a CPU with what it was behind or before the others when it left, as far as they have
 * not come to where it is.  It is not one of them yet. */
static void
place(struct thread *t)
{
	const int64_t middle = mean(t->cpu);
	int64_t lag = t->lag;

	/* It has waited in the queue until the others had caught up, or it was woken before. */
	if (lag < 0 && middle > t->lag_at)
		lag = lag + middle - t->lag_at < 0 ? lag + middle - t->lag_at : 0;
	t->vruntime = middle - lag;
	t->deadline = t->vruntime + virtual_ns(t, t->slice);
}

/* Whether a thread that was woken takes the CPU from its thread.  In a lazy kernel one of the fair
 * class waits for the next return to the program, as that from the interrupt which has woken it. */
static void
preempt(const struct thread *t)
{
	struct cpu *c = &cpus[t->cpu];
	const struct thread *current = c->current;

	if (current == NULL || current->class < t->class ||
	    (current->class == t->class && current->priority < t->priority)) {
		ask(t->cpu);
		return;
	}
	if (!is_fair(t) || current->class != t->class || t->slice >= current->slice ||
	    !goes_first(t, current, mean(t->cpu)))
		return;
	if (machine.lazy && (self != NULL || tracees_is_in_call(current)))
		c->lazy = true;
	else
		ask(t->cpu);
}

void
sched_wake(struct thread *t)
{
	if (t->state == READY || t->state == RUNNING || t->state == GONE)
		return;
	t->cpu = cpu_for(t);
	add_up(t->cpu);
	if (is_fair(t))
		place(t);
	t->state = READY;
	t->ready_at = now;
	t->turn = last_turn++;
	engine_note("wake %d on cpu %d", t->tid, t->cpu);
	preempt(t);
}

/* A thread leaves its CPU, to sleep, stop or end. */
void
sched_leave(struct thread *t, enum state state)
{
	const int64_t most =
	    virtual_ns(t, t->slice > machine.tick / 2 ? 2 * t->slice : machine.tick);

	add_up(t->cpu);
	t->lag_at = mean(t->cpu);
	t->lag = t->lag_at - t->vruntime;
	if (t->lag > most)
		t->lag = most;
	if (t->lag < -most)
		t->lag = -most;
	t->state = state;
	cpus[t->cpu].look = true;
}

/* The thread's step, or its class, is another now. */
void
sched_again(struct thread *t)
{
	if (t->state != RUNNING)
		return;
	progress(t->cpu);
	foresee(t->cpu);
}

/* A thread that was not of the fair class comes to it as one that wakes. */
void
sched_set_class(struct thread *t, enum priority class, int priority)
{
	const bool was_fair = is_fair(t);

	progress(t->cpu);
	if (class <= FAIR && !was_fair) {
		t->lag = 0;
		place(t);
	}
	t->class = class;
	t->priority = priority;
	foresee(t->cpu);
	cpus[t->cpu].look = true;
}

/* The thread is about to return to its program. */
void
sched_goes_on(struct thread *t)
{
	if (cpus[t->cpu].lazy)
		cpus[t->cpu].look = true;
}

/* Binds a thread to CPUs, and moves it there. */
void
sched_move(struct thread *t, uint64_t allowed)
{
	const int from = t->cpu;

	t->allowed = allowed;
	if ((allowed >> from & 1) != 0)
		return;
	if (t->state == RUNNING || t->state == READY) {
		add_up(from);
		t->cpu = __builtin_ctzll(allowed);
		t->state = BLOCKED;
		t->ready_at = now;
		if (cpus[from].current == t) {
			cpus[from].current = NULL;
			cpus[from].number++;
		}
		cpus[from].look = true;
		add_up(t->cpu);
		if (is_fair(t))
			place(t);
		t->state = READY;
		t->before += 2 * machine.switching;
		preempt(t);
	}
}

/* The kernel's clock. */
static void
tick(void *arg, uint64_t number)
{
	struct cpu *c = arg;
	struct thread *t = c->current;
	const int cpu = (int)(c - cpus);

	(void)number;
	engine_at(now + machine.tick, tick, c, 0);
	if (t == NULL || now < c->since)
		return;
	add_up(cpu);
	t->ticks++;
	t->system_ticks += tracees_is_in_call(t);
	if (c->lazy)
		c->look = true;
	if (!is_fair(t) || t->vruntime < t->deadline)
		return;
	t->deadline = t->vruntime + virtual_ns(t, t->slice);
	c->look = true;
}

/* The host takes a CPU for others, and the kernel counts that as nobody's time. */
static void
steal(void *arg, uint64_t number)
{
	struct cpu *c = arg;

	(void)number;
	progress((int)(c - cpus));
	c->since = now + engine_spread(machine.stolen, 90);
	foresee((int)(c - cpus));
	engine_at(c->since + engine_spread(machine.not_stolen, 90), steal, c, 0);
}

void
sched_begin(void)
{
	last_tid = 100;
	last_turn = 0;
	for (unsigned i = 0; i < machine.cpus; i++) {
		cpus[i] = (struct cpu){ .since = now };
		engine_at(now + engine_random(machine.tick), tick, &cpus[i], 0);
		if (machine.stolen > 0)
			engine_at(now + engine_random(machine.not_stolen), steal, &cpus[i], 0);
	}
}
