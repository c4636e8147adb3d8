/*
 * Threads and processes, and the calls by which the supervisor asks for them: ptrace.c, procfs.c
 * and clock.c of the model.
 *
 * SPDX-License-Identifier: ISC
 */
#include "orders.h"

#include <sys/syscall.h>
#include <unistd.h>

struct thread threads[MOST_THREADS];
int nthreads;
uint64_t now;
bool showing, ran_stopped;

void
show(const char *fmt, ...)
{
	va_list ap;

	if (!showing)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* Returns a thread's number, -1: there is none. */
int
number(pid_t tid)
{
	const int n = tid - FIRST;

	return n >= 0 && n < nthreads ? n : -1;
}

pid_t
tid_of(const struct thread *t)
{
	return FIRST + (pid_t)(t - threads);
}

static struct thread *
find(pid_t tid)
{
	const int n = number(tid);

	return n < 0 || threads[n].life == GONE ? NULL : &threads[n];
}

bool
is_alive(const struct thread *t)
{
	return t->life != NOWHERE && t->life != GONE && t->life != ZOMBIE;
}

/* How many threads of the process have not ended. */
int
alive(int process)
{
	int n = 0;

	for (int i = 0; i < nthreads; i++)
		n += threads[i].process == process && is_alive(&threads[i]);
	return n;
}

/* The thread comes to a stop, of which there is news. */
void
tell(struct thread *t, int sig, int event)
{
	t->life = STOPS;
	t->news = true;
	t->status = event << 16 | sig << 8 | 0x7f;
}

const int group_stop = PTRACE_EVENT_STOP << 16 | SIGSTOP << 8 | 0x7f;

/* Returns a new thread; `process` -1: of a process of its own. */
struct thread *
new_thread(int process, int creator)
{
	struct thread *t = &threads[nthreads];

	*t = (struct thread){
		.life = RUNS,
		.process = process < 0 ? nthreads : process,
		.creator = creator,
		.traced = true,
		.begins = creator >= 0,
	};
	nthreads++;
	return t;
}

/* The first thread's end is told when all others are gone. */
void
tell_leader(int process)
{
	struct thread *leader = &threads[process];

	for (int i = 0; i < nthreads; i++)
		if (i != process && threads[i].process == process && threads[i].life != GONE)
			return;
	if (leader->life != ZOMBIE)
		return;
	if (leader->traced)
		leader->news = true;
	else
		leader->life = GONE;
}

/* A vfork's child ends, or executes. */
void
wake_vfork(const struct thread *t)
{
	struct thread *creator = t->creator < 0 ? NULL : &threads[t->creator];

	if (!t->vforked || creator == NULL || creator->life != VFORKS)
		return;
	creator->life = RUNS;
	if (creator->traced)
		tell(creator, SIGTRAP, PTRACE_EVENT_VFORK_DONE);
}

/* If the last other thread has ended, the thread that executes goes on as the first. */
void
finish_exec(int process)
{
	struct thread *leader = &threads[process];

	for (int i = 0; i < nthreads; i++) {
		struct thread *t = &threads[i];

		if (t->process != process || t->life != EXECS || alive(process) > 1)
			continue;
		t->life = GONE;
		wake_vfork(leader);
		leader->message = (unsigned long)tid_of(t);
		leader->by_itself = leader->asked = leader->vforked = false;
		leader->life = RUNS;
		leader->traced = t->traced;
		if (t->traced)
			tell(leader, SIGTRAP, PTRACE_EVENT_EXEC);
	}
}

void
die(struct thread *t)
{
	const bool is_leader = t - threads == t->process;

	t->life = ZOMBIE;
	t->status = 0;
	t->news = t->traced && !is_leader;
	wake_vfork(t);
	if (!t->traced && !is_leader)
		t->life = GONE;
	finish_exec(t->process);
	tell_leader(t->process);
}

static int
gone(void)
{
	errno = ESRCH;
	return -1;
}

int
trace_interrupt(pid_t tid)
{
	struct thread *t = find(tid);

	if (t == NULL || !t->traced || t->life == ZOMBIE)
		return gone();
	if (t->life == RUNS)
		tell(t, SIGTRAP, PTRACE_EVENT_STOP);
	else if (t->life == LISTENS)
		tell(t, SIGSTOP, PTRACE_EVENT_STOP);
	else if (t->life != STOPS)
		t->asked = true;
	return 0;
}

static struct thread *
in_a_stop(pid_t tid)
{
	struct thread *t = find(tid);

	if (t != NULL && t->life == STOPS && t->traced)
		return t;
	gone();
	return NULL;
}

/* Whether the thread has made a vfork's child that has neither ended nor executed. */
static bool
waits_for_child(const struct thread *t)
{
	const struct thread *child;

	if (t->status >> 16 != PTRACE_EVENT_VFORK)
		return false;
	child = &threads[number((pid_t)t->message)];
	return is_alive(child) && child->vforked;
}

static void
go_on(struct thread *t)
{
	const int event = t->status >> 16;

	t->news = false;
	t->life = RUNS;
	if (event == PTRACE_EVENT_EXIT)
		die(t);
	else if (waits_for_child(t))
		t->life = VFORKS;
	else if (event == PTRACE_EVENT_VFORK && t->traced)
		tell(t, SIGTRAP, PTRACE_EVENT_VFORK_DONE);
	else if (t->stopped && t->traced)
		tell(t, SIGSTOP, PTRACE_EVENT_STOP);
	else if (t->asked && t->traced)
		tell(t, SIGTRAP, PTRACE_EVENT_STOP);
	t->asked = false;
}

int
trace_resume(pid_t tid, bool watch, int signal)
{
	struct thread *t = in_a_stop(tid);

	(void)watch;
	(void)signal;
	if (t == NULL)
		return -1;
	show("  %d goes on", tid);
	ran_stopped |= t->stopped && t->status == group_stop;
	t->begins = false;
	go_on(t);
	return 0;
}

int
trace_listen(pid_t tid)
{
	struct thread *t = in_a_stop(tid);

	if (t == NULL || t->status >> 16 != PTRACE_EVENT_STOP)
		return -1;
	show("  %d listens", tid);
	t->begins = false;
	t->life = LISTENS;
	if (!t->stopped)
		tell(t, SIGTRAP, PTRACE_EVENT_STOP);
	return 0;
}

int
trace_detach(pid_t tid, int signal)
{
	struct thread *t = in_a_stop(tid);

	(void)signal;
	if (t == NULL)
		return -1;
	show("  %d is let go", tid);
	t->traced = false;
	go_on(t);
	return 0;
}

int
trace_message(pid_t tid, unsigned long *message)
{
	const struct thread *t = in_a_stop(tid);

	if (t == NULL)
		return -1;
	*message = t->message;
	return 0;
}

int
trace_regs(pid_t tid, struct arch_regs *regs)
{
	const struct thread *t = in_a_stop(tid);

	if (t == NULL)
		return -1;
	*regs = (struct arch_regs){ .pc = 1, .sp = 1, .syscall = t->by_itself ? SYS_exit : -1 };
	return 0;
}

bool
trace_has(pid_t tid)
{
	const struct thread *t = find(tid);

	return t != NULL && t->traced;
}

int
trace_call(pid_t tid, struct trace_call *call)
{
	(void)tid;
	(void)call;
	return gone();
}

pid_t
procfs_tgid(pid_t tid, pid_t *ppid)
{
	const struct thread *t = find(tid);

	if (ppid != NULL)
		*ppid = 1;
	return t == NULL ? -1 : FIRST + t->process;
}

pid_t
procfs_tracer(pid_t tid)
{
	const struct thread *t = find(tid);

	return t != NULL && t->traced ? US : 0;
}

size_t
procfs_children(pid_t pid, pid_t tid, pid_t *child, size_t most)
{
	size_t n = 0;

	(void)pid;
	for (int i = 0; i < nthreads && n < most; i++)
		if (threads[i].creator == number(tid) && threads[i].process == i &&
		    threads[i].life != GONE)
			child[n++] = FIRST + i;
	return n;
}

/* All are awake. */
bool
procfs_thread_sleeps(pid_t pid, pid_t tid)
{
	(void)pid;
	(void)tid;
	return false;
}

bool
procfs_waits_for_answer(pid_t tid)
{
	(void)tid;
	return false;
}

int
procfs_thread_open(pid_t tgid, pid_t tid, const char *what)
{
	(void)tgid;
	(void)tid;
	(void)what;
	return gone();
}

uint64_t
clock_now(void)
{
	return now;
}

uint64_t
clock_ns(clockid_t clock)
{
	(void)clock;
	return now;
}

pid_t
__wrap_getpid(void)
{
	return US;
}

/* tgkill(2), of those that the supervisor makes here. */
long
__wrap_syscall(long nr, ...)
{
	const struct thread *t;
	va_list ap;
	long pid;

	va_start(ap, nr);
	pid = va_arg(ap, long);
	t = find((pid_t)va_arg(ap, long));
	va_end(ap);
	return nr == SYS_tgkill && t != NULL && FIRST + t->process == pid ? 0 : gone();
}
