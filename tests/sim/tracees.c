/*
 * Threads of programs: each follows its script, and is traced.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>

/* The kernel's way to a stop, and back into a call. */
#define TO_STOP_NS 1200
#define AGAIN_NS   600
/* What a fork or an end takes. */
#define MAKE_NS 40000
#define END_NS  10000

struct process *processes;

static int
stop_status(int sig, int event)
{
	return event << 16 | sig << 8 | 0x7f;
}

struct process *
tracees_process(uint64_t until, enum session session)
{
	struct process *p = calloc(1, sizeof(*p));

	if (p == NULL)
		abort();
	p->until = until;
	p->session = session;
	p->next = processes;
	if (kind->late)
		late_new(p);
	processes = p;
	return p;
}

static const struct step *
step_of(const struct thread *t)
{
	return &t->script[t->at];
}

/* Begins the step that the thread has come to. */
static void
begin_step(struct thread *t)
{
	const struct step *step = step_of(t);

	if (step->op == OP_END) {
		t->at = 0;
		step = step_of(t);
	}
	t->in_call = step->op != OP_RUN;
	t->left = engine_spread(step->ns, step->spread);
	if (step->op == OP_SLEEP)
		t->left = engine_spread(500, 50);
	else if (step->op == OP_CLONE || step->op == OP_FORK)
		t->left = engine_spread(MAKE_NS, 50);
	else if (step->op == OP_EXIT)
		t->left = engine_spread(END_NS, 50);
}

struct thread *
tracees_new(struct process *process, const struct step *script)
{
	struct thread *t = sched_new(process);

	if (process->threads++ == 0)
		process->pid = t->tid;
	t->script = script;
	begin_step(t);
	return t;
}

/* The time that a thread has used was used where it is. */
void
tracees_spent(struct thread *t, uint64_t ns)
{
	t->process->used += ns;
	t->process->spent[step_of(t)->function] += ns;
	perf_spent(t, ns);
}

/* Gets the pc.  Returns the number of the call that it is in, or has stopped at the end of, or -1.
 */
int
tracees_pc(const struct thread *t, uint64_t *pc)
{
	*pc = (step_of(t)->function + 1) * FUNCTION_BYTES + 16;
	if (t->exiting || t->stop >> 16 == PTRACE_EVENT_EXIT)
		return SYS_exit_group;
	return t->in_call || t->was_call ? SYS_read : -1;
}

bool
tracees_is_in_call(const struct thread *t)
{
	return t->process != NULL && t->in_call;
}

static void
tell(struct thread *t, int status)
{
	t->news = status;
	t->has_news = true;
	ours_signal(SIGCHLD);
}

/* The thread begins its way to a stop. */
static void
begin_stop(struct thread *t, int status)
{
	t->stopping = true;
	t->stop = status;
	t->rest = t->left;
	t->left = 0;
	t->before += engine_spread(TO_STOP_NS, 30);
	sched_again(t);
}

static bool
is_to_stop(const struct thread *t)
{
	return t->interrupted && !t->stopping && !t->in_call;
}

static void
stop_for_sample(struct thread *t)
{
	begin_stop(t, stop_status(SIGTRAP, PTRACE_EVENT_STOP));
}

/* It has got a CPU. */
void
tracees_scheduled(struct thread *t)
{
	if (is_to_stop(t))
		stop_for_sample(t);
}

/* The interrupt has reached its CPU. */
static void
hear(void *arg, uint64_t number)
{
	struct thread *t = arg;

	(void)number;
	if (t->state == RUNNING && is_to_stop(t))
		stop_for_sample(t);
}

/* The time that it sleeps until has come. */
static void
wake(void *arg, uint64_t number)
{
	struct thread *t = arg;

	if (t->state == BLOCKED && t->wakes_at == number)
		sched_wake(t);
}

static void
end(struct thread *t)
{
	struct process *p = t->process;

	sched_leave(t, GONE);
	p->threads--;
	if (t->tid != p->pid)
		tell(t, 0);
	p->early = p->threads == 0 && p->files == 0;
	if (p->threads == 0)
		tell(sched_find(p->pid), 0); /* the first thread's end is told last */
}

/* It has come to its stop. */
static void
stop(struct thread *t)
{
	t->stopping = false;
	t->left = t->rest;
	t->was_call = t->in_call;
	if (t->stop >> 16 == PTRACE_EVENT_STOP)
		t->interrupted = false;
	t->stopped_at = now;
	sched_leave(t, STOPPED);
	tell(t, t->stop);
	engine_note("%d stops", t->tid);
}

static void
next_step(struct thread *t)
{
	const bool hops = step_of(t)->op == OP_HOP;

	if (kind->late)
		late_call(t->process, step_of(t)->function);
	if (t->in_call)
		sched_goes_on(t);
	t->at++;
	begin_step(t);
	if (hops)
		sched_move(t, 1UL << ((unsigned)t->cpu + 1) % machine.cpus);
}

static bool
is_last(const struct thread *t)
{
	return t->process->until != 0 && t->process->used >= t->process->until;
}

/* A new thread or process, which begins with a stop. */
static void
make(struct thread *t, const struct step *step)
{
	struct process *p = step->op == OP_FORK
	                        ? tracees_process(t->process->until, t->process->session)
	                        : t->process;
	struct thread *made = tracees_new(p, step->script);

	made->state = STOPPED;
	made->begins = true;
	made->cpu = t->cpu;
	made->stop = stop_status(SIGTRAP, PTRACE_EVENT_STOP);
	made->stopped_at = now;
	tell(made, made->stop);
	t->message = (unsigned long)made->tid;
	begin_stop(
	    t, stop_status(SIGTRAP, step->op == OP_FORK ? PTRACE_EVENT_FORK : PTRACE_EVENT_CLONE));
}

/* The thread's sleep begins, or goes on. */
static void
sleep_on(struct thread *t)
{
	if (t->wakes_at == 0)
		t->wakes_at = now + engine_spread(step_of(t)->ns, step_of(t)->spread);
	engine_at(t->wakes_at + engine_random(2 * machine.timer), wake, t, t->wakes_at);
	t->left = engine_spread(AGAIN_NS, 50);
	sched_leave(t, BLOCKED);
}

/* The end of a call, or of work in the program. */
static void
end_step(struct thread *t)
{
	if (t->interrupted && t->in_call) {
		stop_for_sample(t);
		return;
	}
	if (is_last(t)) {
		t->exiting = true;
		t->in_call = true;
		begin_stop(t, stop_status(SIGTRAP, PTRACE_EVENT_EXIT));
		return;
	}
	t->wakes_at = 0;
	next_step(t);
}

/* What the thread was about is done. */
void
tracees_step(struct thread *t)
{
	const struct step *step = step_of(t);

	if (t->stopping) {
		stop(t);
	} else if (t->exiting) {
		end(t);
	} else if (step->op == OP_SLEEP && !t->interrupted &&
	           (t->wakes_at == 0 || now < t->wakes_at)) {
		sleep_on(t);
	} else if ((step->op == OP_CLONE || step->op == OP_FORK) && t->message == 0) {
		make(t, step);
	} else if (step->op == OP_EXIT) {
		t->exiting = true;
		begin_stop(t, stop_status(SIGTRAP, PTRACE_EVENT_EXIT));
	} else {
		t->message = 0;
		end_step(t);
	}
}

/* ptrace.c's calls. */
static struct thread *
stopped(pid_t tid)
{
	struct thread *t = sched_find(tid);

	return t == NULL || t->process == NULL || t->state != STOPPED ? NULL : t;
}

int
trace_interrupt(pid_t tid)
{
	struct thread *t = sched_find(tid);

	ours_spend(800);
	if (t == NULL || t->process == NULL || t->state == GONE)
		return -1;
	t->interrupted = true;
	if (t->state == BLOCKED)
		sched_wake(t);
	else if (t->state == RUNNING)
		engine_at(now + sched_interrupt_ns(), hear, t, 0);
	return 0;
}

static void
count(struct thread *t)
{
	const uint64_t ns = now - t->stopped_at;

	if (t->stop >> 16 != PTRACE_EVENT_STOP || t->begins) {
		t->held = ns > t->held ? ns : t->held;
		return;
	}
	t->kept += ns;
	if (ns > t->longest)
		t->longest = ns;
}

int
trace_resume(pid_t tid, bool watch, int signal)
{
	struct thread *t = stopped(tid);

	(void)watch;
	(void)signal;
	ours_spend(1500);
	if (t == NULL)
		return -1;
	engine_note("%d goes on after %.1f us", tid, (double)(now - t->stopped_at) / 1e3);
	count(t);
	t->begins = t->was_call = false;
	if (t->stop >> 16 == PTRACE_EVENT_STOP && t->in_call &&
	    (step_of(t)->op == OP_CALL || step_of(t)->op == OP_HOP))
		t->left = 0; /* its call was over */
	else if (t->in_call)
		t->left = engine_spread(AGAIN_NS, 50);
	t->stop = 0;
	sched_wake(t);
	return 0;
}

int
trace_detach(pid_t tid, int signal)
{
	return trace_resume(tid, false, signal);
}

int
trace_message(pid_t tid, unsigned long *message)
{
	const struct thread *t = stopped(tid);

	ours_spend(500);
	if (t == NULL)
		return -1;
	*message = t->message;
	return 0;
}

int
trace_regs(pid_t tid, struct arch_regs *regs)
{
	const struct thread *t = stopped(tid);

	ours_spend(900);
	if (t == NULL)
		return -1;
	*regs = (struct arch_regs){ .sp = 1 << 20 };
	regs->syscall = tracees_pc(t, &regs->pc);
	return 0;
}

bool
trace_has(pid_t tid)
{
	const struct thread *t = sched_find(tid);

	return t != NULL && t->state != GONE;
}

/* waitpid(2): tells of the newest first. */
pid_t
tracees_news(pid_t tid, int *status)
{
	bool any = false;

	for (struct thread *t = threads; t != NULL; t = t->next) {
		if (t->process == NULL || t->process->bystander || (t->state == GONE && t->reaped))
			continue;
		any = true;
		if ((tid != -1 && t->tid != tid) || !t->has_news)
			continue;
		*status = t->news;
		t->has_news = false;
		t->reaped = t->state == GONE;
		return t->tid;
	}
	return any ? 0 : -1;
}
