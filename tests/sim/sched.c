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

#define PERIOD (NSEC / 10) /* of a quota of CPU time */
enum { MOST_CPUS = 64, WEIGHT = 1024, IDLE_WEIGHT = 3 };

static struct cpu {
	struct thread *current; /* NULL: idle */
	uint64_t since;         /* until when its thread's time is known; later: its host has it */
	uint64_t number;        /* of what is foreseen for its thread */
	bool look;              /* another thread may be due, now */
	bool lazy;              /* the same, at the next tick or return to the program */
	struct entity session[SESSIONS];
} cpus[MOST_CPUS];

struct machine machine;
struct thread *threads;
static struct thread *alive; /* those that are not gone, in the same order */

static pid_t last_tid;
static uint64_t last_turn;

static int64_t
weight(const struct thread *t)
{
	return t->class == IDLE ? IDLE_WEIGHT : WEIGHT;
}

static int64_t
virtual_ns(uint64_t ns, int64_t weight)
{
	return (int64_t)ns * WEIGHT / weight;
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

static unsigned
session_of(const struct thread *t)
{
	return !machine.autogroup || t->process == NULL ? OURS : t->process->session;
}

/* Returns the weight of a session's fair threads on a CPU, -1: on all. */
static int64_t
load(unsigned session, int cpu)
{
	int64_t sum = 0;

	for (const struct thread *t = alive; t != NULL; t = t->next_alive)
		if (is_queued(t, cpu < 0 ? t->cpu : cpu) && is_fair(t) && session_of(t) == session)
			sum += weight(t);
	return sum;
}

/* A session has a thread's weight, which is divided among CPUs by what it has to do there. */
static int64_t
session_weight(unsigned session, int cpu)
{
	const int64_t all = load(session, -1);
	const int64_t here = all == 0 ? WEIGHT : WEIGHT * load(session, cpu) / all;

	return here < 2 ? 2 : here;
}

/* A session's slice is its threads' shortest, where the kernel knows of such. */
static uint64_t
session_slice(unsigned session, int cpu)
{
	uint64_t least = machine.slice;

	for (const struct thread *t = alive; t != NULL; t = t->next_alive)
		if (is_queued(t, cpu) && is_fair(t) && session_of(t) == session &&
		    t->fair.slice < least)
			least = t->fair.slice;
	return least;
}

struct thread *
sched_find(pid_t tid)
{
	struct thread *t = alive;

	while (t != NULL && t->tid != tid)
		t = t->next_alive;
	if (t != NULL)
		return t;
	for (t = threads; t != NULL && t->tid != tid; t = t->next)
		;
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
	t->fair.slice = machine.slice;
	t->next = threads;
	t->next_alive = alive;
	threads = alive = t;
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
	t->fair.vruntime += virtual_ns(ns, weight(t));
	if (machine.autogroup && is_fair(t))
		c->session[session_of(t)].vruntime +=
		    virtual_ns(ns, session_weight(session_of(t), cpu));
	t->urgent += t->class == REALTIME ? ns : 0;
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

struct mean {
	int64_t first, sum, all;
	bool any;
};

static void
mean_add(struct mean *m, int64_t vruntime, int64_t weight)
{
	if (!m->any)
		m->first = vruntime;
	m->any = true;
	m->sum += (vruntime - m->first) * weight / WEIGHT;
	m->all += weight;
}

static int64_t
mean_get(const struct mean *m)
{
	return m->all == 0 ? 0 : m->first + m->sum * WEIGHT / m->all;
}

/* Returns the mean vruntime of a session's fair threads on a CPU. */
static int64_t
mean(unsigned session, int cpu)
{
	struct mean m = { 0 };

	for (const struct thread *t = alive; t != NULL; t = t->next_alive)
		if (is_queued(t, cpu) && is_fair(t) && session_of(t) == session)
			mean_add(&m, t->fair.vruntime, weight(t));
	return mean_get(&m);
}

/* The same of the sessions there. */
static int64_t
mean_of_sessions(int cpu)
{
	struct mean m = { 0 };

	for (unsigned i = 0; i < SESSIONS; i++)
		if (load(i, cpu) != 0)
			mean_add(&m, cpus[cpu].session[i].vruntime, session_weight(i, cpu));
	return mean_get(&m);
}

/* Whether `a` is to have the CPU rather than `b`. */
static bool
is_due_first(const struct entity *a, const struct entity *b, int64_t middle)
{
	const bool a_may = a->vruntime <= middle, b_may = b->vruntime <= middle;

	return a_may != b_may ? a_may : a->deadline < b->deadline;
}

static bool
goes_first(const struct thread *a, const struct thread *b, int64_t middle)
{
	if (!is_fair(a) || !is_fair(b)) {
		if (a->class != b->class)
			return a->class > b->class;
		if (a->priority != b->priority)
			return a->priority > b->priority;
		return a->turn < b->turn;
	}
	if (is_due_first(&a->fair, &b->fair, middle) != is_due_first(&b->fair, &a->fair, middle))
		return is_due_first(&a->fair, &b->fair, middle);
	return a->turn < b->turn;
}

static unsigned
pick_session(int cpu)
{
	const struct entity *e = cpus[cpu].session;
	const int64_t middle = machine.autogroup ? mean_of_sessions(cpu) : 0;
	unsigned best = SESSIONS;

	if (!machine.autogroup)
		return OURS;
	for (unsigned i = 0; i < SESSIONS; i++)
		if (load(i, cpu) != 0 &&
		    (best == SESSIONS || is_due_first(&e[i], &e[best], middle)))
			best = i;
	return best;
}

/* Of the fair threads, only those of one session are asked. */
static struct thread *
pick_of(int cpu, unsigned session)
{
	struct thread *best = NULL;
	const int64_t middle = mean(session, cpu);

	for (struct thread *t = alive; t != NULL; t = t->next_alive)
		if (is_queued(t, cpu) && (!is_fair(t) || session_of(t) == session) &&
		    (best == NULL || goes_first(t, best, middle)))
			best = t;
	return best;
}

static struct thread *
pick(int cpu)
{
	return pick_of(cpu, pick_session(cpu));
}

static bool
are_apart(const struct thread *a, const struct thread *b)
{
	return is_fair(a) && is_fair(b) && session_of(a) != session_of(b);
}

/* Whether the CPU's thread's session has something left of its slice, and that of `best` has not
 * asked for a shorter one. */
static bool
session_keeps_cpu(const struct thread *current, const struct thread *best)
{
	const struct entity *e = &cpus[current->cpu].session[session_of(current)];

	return current->state == RUNNING && are_apart(current, best) &&
	       session_slice(session_of(best), current->cpu) >=
	           session_slice(session_of(current), current->cpu) &&
	       e->vruntime < e->protected_until;
}

/* A thread of the fair class has what is left of its slice, unless one of another class comes, or
 * one that has asked for a shorter slice. */
static bool
keeps_cpu(const struct thread *current, const struct thread *best)
{
	return current->state == RUNNING && is_fair(current) && is_fair(best) &&
	       !are_apart(current, best) && current->class >= best->class &&
	       best->fair.slice >= current->fair.slice &&
	       current->fair.vruntime < current->fair.protected_until;
}

/* It comes to a queue with what it was behind or before the others when it left, as far as they
 * have not come to where it is.  It is not one of them yet. */
static void
place(struct entity *e, int64_t middle, int64_t weight)
{
	int64_t lag = e->lag;

	/* It has waited in the queue until the others had caught up, or it was woken before. */
	if (lag < 0 && middle > e->lag_at)
		lag = lag + middle - e->lag_at < 0 ? lag + middle - e->lag_at : 0;
	e->vruntime = middle - lag;
	e->deadline = e->vruntime + virtual_ns(e->slice, weight);
}

static void
leave(struct entity *e, int64_t middle, int64_t weight)
{
	const int64_t most =
	    virtual_ns(e->slice > machine.tick / 2 ? 2 * e->slice : machine.tick, weight);

	e->lag_at = middle;
	e->lag = e->lag_at - e->vruntime;
	if (e->lag > most)
		e->lag = most;
	if (e->lag < -most)
		e->lag = -most;
}

/* A fair thread is about to come to its CPU's queue: the first one brings its session. */
static void
join(struct thread *t)
{
	const unsigned session = session_of(t);
	struct entity *e = &cpus[t->cpu].session[session];

	if (machine.autogroup && load(session, t->cpu) == 0) {
		e->slice = t->fair.slice < machine.slice ? t->fair.slice : machine.slice;
		place(e, mean_of_sessions(t->cpu), WEIGHT);
	}
	place(&t->fair, mean(session, t->cpu), weight(t));
}

/* A fair thread is about to leave its CPU's queue: the last one takes its session along. */
static void
part(struct thread *t)
{
	const unsigned session = session_of(t);

	leave(&t->fair, mean(session, t->cpu), weight(t));
	if (machine.autogroup && load(session, t->cpu) == weight(t))
		leave(&cpus[t->cpu].session[session], mean_of_sessions(t->cpu),
		      session_weight(session, t->cpu));
}

static struct thread *
pull(int cpu)
{
	struct thread *found = NULL;

	for (struct thread *t = alive; t != NULL; t = t->next_alive)
		if (t->state == READY && is_fair(t) && t->cpu != cpu &&
		    (t->allowed >> cpu & 1) != 0 && cpus[t->cpu].current != NULL &&
		    (found == NULL || t->ready_at < found->ready_at))
			found = t;
	if (found == NULL)
		return NULL;
	part(found);
	found->state = BLOCKED;
	found->cpu = cpu;
	join(found);
	found->state = READY;
	return found;
}

static void
change(int cpu, struct thread *next)
{
	struct cpu *c = &cpus[cpu];
	struct thread *last = c->current;
	struct entity *session = next == NULL ? NULL : &c->session[session_of(next)];

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
		next->fair.protected_until = next->fair.deadline;
	if (is_fair(next) && (last == NULL || !is_fair(last) || are_apart(last, next)))
		session->protected_until = session->deadline;
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
	if (best != NULL && c->current != NULL && session_keeps_cpu(c->current, best))
		best = pick_of(cpu, session_of(c->current));
	if (best == c->current ||
	    (best != NULL && c->current != NULL && keeps_cpu(c->current, best)))
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
	for (const struct thread *t = alive; t != NULL; t = t->next_alive)
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

/* Whether a fair thread that was woken, or its session, has asked for a shorter slice than the one
 * that runs, and is due. */
static bool
comes_first(const struct thread *t, const struct thread *current)
{
	const unsigned ours = session_of(t), its = session_of(current);
	const struct entity *e = cpus[t->cpu].session;

	if (are_apart(t, current))
		return session_slice(ours, t->cpu) < session_slice(its, t->cpu) &&
		       is_due_first(&e[ours], &e[its], mean_of_sessions(t->cpu));
	return current->class == t->class && t->fair.slice < current->fair.slice &&
	       goes_first(t, current, mean(ours, t->cpu));
}

/* Whether a thread that was woken takes the CPU from its thread.  In a lazy kernel one of the fair
 * class waits for the next return to the program, as that from the interrupt which has woken it. */
static void
preempt(const struct thread *t)
{
	struct cpu *c = &cpus[t->cpu];
	const struct thread *current = c->current;

	if (current == NULL || (!are_apart(current, t) && current->class < t->class) ||
	    (current->class == t->class && current->priority < t->priority)) {
		ask(t->cpu);
		return;
	}
	if (!is_fair(t) || !is_fair(current) || !comes_first(t, current))
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
		join(t);
	t->state = READY;
	t->ready_at = now;
	t->turn = last_turn++;
	engine_note("wake %d on cpu %d", t->tid, t->cpu);
	preempt(t);
}

static void
forget(const struct thread *t)
{
	struct thread **at = &alive;

	while (*at != t)
		at = &(*at)->next_alive;
	*at = t->next_alive;
}

/* A thread leaves its CPU, to sleep, stop or end. */
void
sched_leave(struct thread *t, enum state state)
{
	add_up(t->cpu);
	if (is_fair(t))
		part(t);
	t->state = state;
	if (state == GONE)
		forget(t);
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
	if (class > FAIR && was_fair && is_queued(t, t->cpu))
		part(t);
	if (class <= FAIR && !was_fair) {
		t->fair.lag = 0;
		join(t);
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
		if (is_fair(t))
			part(t);
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
			join(t);
		t->state = READY;
		t->before += 2 * machine.switching;
		preempt(t);
	}
}

/* If so, it is given another. */
static bool
has_had_its_slice(struct entity *e, uint64_t slice, int64_t weight)
{
	if (e->vruntime < e->deadline)
		return false;
	e->slice = slice;
	e->deadline = e->vruntime + virtual_ns(slice, weight);
	return true;
}

/* The quota of the control group that all are in: what they have used when a period began. */
static uint64_t used_before, period_end;

static uint64_t
used_by_all(void)
{
	uint64_t sum = 0;

	for (const struct thread *t = threads; t != NULL; t = t->next)
		sum += t->ran;
	return sum;
}

static void
begin_period(void *arg, uint64_t number)
{
	(void)number;
	used_before = used_by_all();
	period_end = now + PERIOD;
	engine_at(period_end, begin_period, arg, 0);
}

/* Nobody has a CPU any more until the period ends. */
static void
throttle(void)
{
	for (unsigned i = 0; i < machine.cpus; i++) {
		progress((int)i);
		if (cpus[i].since < period_end)
			cpus[i].since = period_end;
		foresee((int)i);
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
	if (machine.quota != 0 && used_by_all() - used_before >= machine.quota)
		throttle();
	t->ticks++;
	t->system_ticks += tracees_is_in_call(t);
	if (c->lazy)
		c->look = true;
	if (!is_fair(t))
		return;
	c->look |= has_had_its_slice(&t->fair, t->fair.slice, weight(t));
	if (machine.autogroup)
		c->look |=
		    has_had_its_slice(&c->session[session_of(t)], session_slice(session_of(t), cpu),
		                      session_weight(session_of(t), cpu));
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
	if (machine.quota != 0)
		engine_at(now + engine_random(PERIOD), begin_period, NULL, 0);
	used_before = 0;
	for (unsigned i = 0; i < machine.cpus; i++) {
		cpus[i] = (struct cpu){ .since = now };
		engine_at(now + engine_random(machine.tick), tick, &cpus[i], 0);
		if (machine.stolen > 0)
			engine_at(now + engine_random(machine.not_stolen), steal, &cpus[i], 0);
	}
}
