/*
 * What can happen next: what a thread can do, what can be done to it, and that the supervisor hears
 * of it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "orders.h"

int actions;
int outside[FROM_OUTSIDE];
bool let_go;

static bool
is_leader(const struct thread *t)
{
	return t - threads == t->process;
}

static bool
may_act(const struct thread *t)
{
	return t->life == RUNS && actions > 0 && nthreads < MOST_THREADS;
}

/* A thread is to end, wherever it is.  What there was to be heard of it is not heard of any more.
 */
static void
kill_thread(struct thread *t)
{
	if (!is_alive(t) || t->life == DIES ||
	    (t->life == STOPS && t->status >> 16 == PTRACE_EVENT_EXIT))
		return;
	t->life = DIES;
	t->news = false;
}

static void
kill_process(int process, const struct thread *but)
{
	for (int i = 0; i < nthreads; i++)
		if (threads[i].process == process && &threads[i] != but)
			kill_thread(&threads[i]);
}

static void
make(struct thread *t, const char *how, int process, int event)
{
	struct thread *made;

	actions--;
	show("%d %s %d", tid_of(t), how, FIRST + nthreads);
	made = new_thread(process, (int)(t - threads));
	made->traced = t->traced;
	if (!t->traced)
		return;
	made->vforked = event == PTRACE_EVENT_VFORK;
	tell(made, SIGTRAP, PTRACE_EVENT_STOP);
	tell(t, SIGTRAP, event);
	t->message = (unsigned long)tid_of(made);
}

static bool
clones(struct thread *t, bool really)
{
	if (!may_act(t))
		return false;
	if (really)
		make(t, "clones", t->process, PTRACE_EVENT_CLONE);
	return true;
}

static bool
forks(struct thread *t, bool really)
{
	if (!may_act(t))
		return false;
	if (really)
		make(t, "forks", -1, PTRACE_EVENT_FORK);
	return true;
}

static bool
vforks(struct thread *t, bool really)
{
	if (!may_act(t))
		return false;
	if (really)
		make(t, "vforks", -1, PTRACE_EVENT_VFORK);
	return true;
}

static bool
execs(struct thread *t, bool really)
{
	if (!may_act(t) || !t->traced)
		return false;
	if (!really)
		return true;
	actions--;
	show("%d executes", tid_of(t));
	if (alive(t->process) == 1 && is_leader(t)) {
		wake_vfork(t);
		t->vforked = false;
		tell(t, SIGTRAP, PTRACE_EVENT_EXEC);
		t->message = (unsigned long)tid_of(t);
		return true;
	}
	t->life = EXECS;
	kill_process(t->process, t);
	finish_exec(t->process);
	return true;
}

static bool
exits(struct thread *t, bool really)
{
	if (t->life != RUNS)
		return false;
	if (!really)
		return true;
	show("%d exits", tid_of(t));
	t->by_itself = true;
	if (t->traced)
		tell(t, SIGTRAP, PTRACE_EVENT_EXIT);
	else
		die(t);
	return true;
}

static bool
ends_process(struct thread *t, bool really)
{
	if (t->life != RUNS || !t->traced || alive(t->process) == 1)
		return false;
	if (!really)
		return true;
	show("%d ends its process", tid_of(t));
	tell(t, SIGTRAP, PTRACE_EVENT_EXIT);
	kill_process(t->process, t);
	return true;
}

/* A thread that others have ended has an exit stop. */
static bool
comes_to_exit_stop(struct thread *t, bool really)
{
	if (t->life != DIES || !t->traced)
		return false;
	if (!really)
		return true;
	show("%d comes to its exit stop", tid_of(t));
	tell(t, SIGTRAP, PTRACE_EVENT_EXIT);
	return true;
}

/* Or it has none. */
static bool
ends(struct thread *t, bool really)
{
	if (t->life != DIES)
		return false;
	if (!really)
		return true;
	show("%d ends", tid_of(t));
	die(t);
	return true;
}

static bool
is_killed(struct thread *t, bool really)
{
	if (outside[KILL] == 0 || !is_leader(t) || alive(t->process) == 0)
		return false;
	if (!really)
		return true;
	outside[KILL]--;
	show("%d is killed", tid_of(t));
	kill_process(t->process, NULL);
	return true;
}

static bool
gets_sigstop(struct thread *t, bool really)
{
	if (outside[STOP] == 0 || !is_leader(t) || t->life != RUNS || !t->traced)
		return false;
	if (!really)
		return true;
	outside[STOP]--;
	show("%d gets SIGSTOP", tid_of(t));
	for (int i = 0; i < nthreads; i++) {
		if (threads[i].process != t->process)
			continue;
		threads[i].stopped = true;
		/* A new thread may come to this stop instead of its first one. */
		if (threads[i].life == RUNS ||
		    (threads[i].life == STOPS && threads[i].begins && threads[i].news))
			tell(&threads[i], SIGSTOP, PTRACE_EVENT_STOP);
	}
	return true;
}

static bool
gets_sigcont(struct thread *t, bool really)
{
	if (!t->stopped || !is_leader(t))
		return false;
	if (!really)
		return true;
	show("%d gets SIGCONT", tid_of(t));
	for (int i = 0; i < nthreads; i++) {
		if (threads[i].process != t->process)
			continue;
		threads[i].stopped = false;
		if (threads[i].life == LISTENS)
			tell(&threads[i], SIGTRAP, PTRACE_EVENT_STOP);
	}
	return true;
}

/* As round.c does it. */
static bool
is_sampled(struct thread *t, bool really)
{
	struct tracee *tracee = tracee_find(run, tid_of(t));

	if (outside[SAMPLE] == 0 || t->life != RUNS || !t->traced || tracee == NULL ||
	    !tracee->birth.past || tracee->exiting || tracee->stop.asked)
		return false;
	if (!really)
		return true;
	outside[SAMPLE]--;
	show("%d is sampled", tid_of(t));
	tracee->stop.asked = tracee->stop.by_round = true;
	trace_interrupt(tid_of(t));
	return true;
}

static bool
is_heard_of(struct thread *t, bool really)
{
	struct event ev;

	if (!t->news || !really)
		return t->news;
	show("news of %d: %x", tid_of(t), (unsigned)t->status);
	t->news = false;
	if (t->life == ZOMBIE) {
		t->life = GONE;
		tell_leader(t->process);
	}
	ev = event_classify(tid_of(t), t->status);
	dispatch(run, &ev);
	return true;
}

static bool
/* cppcheck-suppress constParameter */
all_are_let_go(struct thread *t, bool really)
{
	if (outside[DETACH] == 0 || t != threads || let_go)
		return false;
	if (!really)
		return true;
	outside[DETACH]--;
	let_go = true;
	show("all are let go");
	window_stop(run);
	detach_all(run);
	return true;
}

happen *const happenings[] = {
	is_heard_of, exits,          clones,       forks,
	vforks,      execs,          ends_process, comes_to_exit_stop,
	ends,        is_killed,      gets_sigstop, gets_sigcont,
	is_sampled,  all_are_let_go,
};
const int nhappenings = sizeof(happenings) / sizeof(happenings[0]);
_Static_assert(sizeof(happenings) / sizeof(happenings[0]) <= MOST_HAPPENINGS, "all have room");
