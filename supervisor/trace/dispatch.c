/*
 * One case for each kind of event.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The front has stopped with the target.  It may not be told that the target goes on, or was
 * killed. */
static void
wake_front(const struct profsup *ps, const struct tracee *t)
{
	if (t->tid != ps->target)
		return;
	++*ps->front.wakes;
	syscall(SYS_pidfd_send_signal, ps->front.pidfd, SIGCONT, NULL, 0);
}

/* Any stop of a thread takes a pending interrupt with it, so each is as good for a sample.  SIGCONT
 * makes each thread stop like an interrupt, though alone it would do nothing. */
static void
on_stop(struct profsup *ps, struct tracee *t, enum event_kind kind)
{
	const bool asked = t->stop.asked;
	struct arch_regs regs;

	t->stop.asked = false;
	if (kind == EVT_EXITED || kind == EVT_EXIT || kind == EVT_EXEC ||
	    trace_regs(t->tid, &regs) < 0)
		return;
	if (asked)
		sampler_stopped(ps, t, &regs);
	if (kind == EVT_TRAP || kind == EVT_SYSCALL)
		continuation_begin(ps, t, &regs);
	/* The exit of a call, if we watch those, takes our interrupt, too. */
	if ((kind == EVT_TRAP || (kind == EVT_SYSCALL && asked)) && t->continuation == NULL)
		signal_mend_eintr(t, &regs);
}

static enum resume
on_trap(struct profsup *ps, struct tracee *t)
{
	if (!t->birth.past)
		return births_first_stop(ps, t);
	if (t->listening)
		wake_front(ps, t);
	t->listening = false;
	return RESUME;
}

/* Entry: make an intercepted profil a harmless call that any sandbox lets through and remember its
 * answer.  Exit: give the answer. */
static enum resume
on_syscall(struct profsup *ps, struct tracee *t)
{
	struct trace_call call;

	if (trace_call(t->tid, &call) < 0 || continuation_syscall(ps, t, &call))
		return RESUME;
	if (call.entry && call.nr == PROFSUP_NR_PROFIL) {
		t->answer.value = profil_call(ps, t, call.args);
		if (t->answer.value == -ETIMEDOUT && tracee_chance(t) == MAY_WAIT)
			return HOLD;
		if (t->answer.value == -ETIMEDOUT)
			log_error("%d: its memory does not answer: not profiled", t->proc->pid);
		t->answer.due = trace_set_number(t->tid, SYS_getpid) == 0;
	} else if (!call.entry && t->answer.due) {
		t->answer.due = false;
		trace_set_result(t->tid, t->answer.value);
		if (t->proc->watch == WATCH_STARTUP)
			t->proc->watch = WATCH_NONE;
	}
	return RESUME;
}

/* Lets the thread go, to make its fault once more, alone, and end by it. */
static enum resume
leave_to_its_fault(struct profsup *ps, struct tracee *t)
{
	if (!finish_image(ps, t->proc, tracee_chance(t)))
		return HOLD;
	if (trace_detach(t->tid, t->hold.fatal_signal) < 0)
		return LEAVE; /* there is news of the thread */
	log_verbose("%d: let go, to end by signal %d", t->tid, t->hold.fatal_signal);
	tracee_drop(ps, t);
	return LEAVE;
}

static enum resume
on_signal(struct profsup *ps, struct tracee *t, int sig)
{
	struct signal_news news;

	signal_read(t, sig, &news);
	continuation_signal(ps, t, &news);
	signal_delivered(t, &news);
	/* Its handler could be set in this moment, and would run on the registers of another call.
	 */
	t->stop.signal = news.does_nothing ? 0 : sig;
	if (!signal_needs_no_tracer(t, &news))
		return RESUME;
	sampler_end_thread(ps, t);
	arctable_restart(t->proc);
	t->hold.fatal_signal = sig;
	return leave_to_its_fault(ps, t);
}

/* Drops all threads of the process but `t`. */
static void
drop_others(struct profsup *ps, const struct tracee *t)
{
	for (struct tracee *other = t->proc->first, *next; other != NULL; other = next) {
		next = other->next;
		if (other != t)
			tracee_drop(ps, other);
	}
}

/* The other threads are gone, and if one of them made the call it goes on under the leader's id. */
static void
take_exec(struct profsup *ps, struct tracee *t)
{
	struct proc *proc = t->proc;
	const bool was_leader = !t->exiting;

	drop_others(ps, t);
	proc->live += t->exiting;
	tracee_end_continuation(t); /* a call that it had to make is the old image's */
	t->exiting = t->stop.asked = t->keep_eintr = t->answer.due = t->counted = false;
	t->listening = t->vm.in_vfork = t->nap.sure = false;
	t->cpu.calls = (struct calls){ .begun = false };
	vmshare_no_doubts(proc);
	image_exec(ps, proc, was_leader ? t : NULL);
}

static enum resume
start_image(struct profsup *ps, struct tracee *t)
{
	return image_start(ps, t->proc, tracee_chance(t)) ? RESUME : HOLD;
}

/* A filter that the program has from its caller, and not from itself, may not know the call that
 * our runtime makes before anything is counted. */
static void
say_how_it_ended(const struct profsup *ps, const struct tracee *t, int sig)
{
	const struct profile *p = t->proc->profile;
	const bool counted = p == NULL || p->forked || p->attached || p->fileless || !t->exiting ||
	                     p->counts.arcs.n > 0 || ps->window.state != WINDOW_OPEN;

	if (sig == 0)
		log_verbose("%d: exited", t->tid);
	else if (sig == SIGSYS && !counted)
		log_notice("%d: killed by SIGSYS before it called anything: a seccomp filter that "
		           "it was started with must allow getpid(2)",
		           t->tid);
	else
		log_verbose("%d: killed by signal %d%s", t->tid, sig,
		            sig == SIGSYS ? ", as by its seccomp filter" : "");
}

static void
on_exited(struct profsup *ps, struct tracee *t, const struct event *ev)
{
	struct proc *proc = t->proc;

	if (proc != NULL && t->tid == proc->pid)
		say_how_it_ended(ps, t, ev->signal);
	/* The kernel reports the leader's end when all other threads are gone. */
	if (proc != NULL && t->tid == proc->pid)
		drop_others(ps, t);
	/* Without an exit stop the arcs that were last read are written.  While another thread is
	 * in its exit stop, the arcs are still being read. */
	if (proc != NULL && proc->threads == 1 && proc->live == !t->exiting)
		finish_image(ps, proc, NO_MEMORY);
	wake_front(ps, t);
	tracee_drop(ps, t);
}

/* Lets a process's only thread go from its exit stop, after which nothing is left to be done.  For
 * as long as we would wait for a process that has ended, its parent sees by a pidfd that it has,
 * and can't wait for it. */
static enum resume
let_end(struct profsup *ps, struct tracee *t, enum resume how)
{
	unsigned long status;

	if (how != RESUME || t->proc->threads != 1 || t->proc->live != 0 ||
	    trace_message(t->tid, &status) < 0 || trace_detach(t->tid, 0) < 0)
		return how;
	say_how_it_ended(ps, t, (int)(status & 127));
	wake_front(ps, t);
	if (t->hold.on)
		kill(getpid(), SIGCHLD); /* no news comes of the last one, which may be this */
	tracee_drop(ps, t);
	return LEAVE;
}

static enum resume
act(struct profsup *ps, struct tracee *t, const struct event *ev)
{
	struct tracee *other;

	switch (ev->kind) {
	case EVT_EXITED:
		on_exited(ps, t, ev);
		return LEAVE;
	case EVT_GROUP_STOP:
		t->group_stopped = true;
		return t->birth.past ? RESUME : births_first_stop(ps, t);
	case EVT_SIGNAL:
		return on_signal(ps, t, ev->signal);
	case EVT_TRAP:
		return on_trap(ps, t);
	case EVT_SYSCALL:
		return on_syscall(ps, t);
	case EVT_FORK:
	case EVT_VFORK:
		other = births_of(ps, t, ev->kind == EVT_VFORK);
		/* The creator first: the new process must not kill it while it waits for us. */
		resume(ps, t, 0);
		if (other != NULL)
			resume(ps, other, 0);
		return LEAVE;
	case EVT_VFORK_DONE:
		t->vm.in_vfork = false;
		break;
	case EVT_EXEC:
		take_exec(ps, t);
		return start_image(ps, t);
	case EVT_EXIT:
		return let_end(ps, t, exits_stop(ps, t));
	case EVT_UNKNOWN:
		break;
	}
	return RESUME;
}

void
dispatch(struct profsup *ps, const struct event *ev)
{
	struct tracee *t = tracee_find(ps, ev->tid);
	enum resume how;

	if (t != NULL && t->proc != NULL && ev->kind == EVT_TRAP && births_replaces(ps, t))
		t = NULL;
	if (t == NULL) {
		births_unclaimed(ps, ev);
		return;
	}
	t->group_stopped = false;
	if (t->proc == NULL) {
		/* Only death moves a thread that we have not resumed yet. */
		if (ev->kind == EVT_EXITED) {
			ps->unclaimed--;
			tracee_drop(ps, t);
		} else {
			trace_resume(ev->tid, false, 0);
		}
		return;
	}
	tracee_release(ps, t); /* only death, or another thread's exec, moves a held thread */
	vmshare_stopped(t, ev->kind == EVT_EXITED);
	if (t->stop.asked || (ev->kind == EVT_TRAP && t->birth.past))
		on_stop(ps, t, ev->kind);
	t->stop.by_clock = false;
	how = act(ps, t, ev);
	if (how == RESUME)
		resume(ps, t, ev->kind == EVT_SIGNAL ? t->stop.signal : 0);
	else if (how == HOLD)
		tracee_hold(ps, t, ev->kind);
}

/* Tries once more what the thread's stop asks for. */
static enum resume
act_again(struct profsup *ps, struct tracee *t)
{
	switch (t->hold.at) {
	case EVT_TRAP:
	case EVT_GROUP_STOP:
		return births_first_stop(ps, t);
	case EVT_SYSCALL:
		return on_syscall(ps, t);
	case EVT_EXEC:
		return start_image(ps, t);
	case EVT_EXIT:
		return let_end(ps, t, exits_go_on(ps, t));
	case EVT_SIGNAL:
		return leave_to_its_fault(ps, t);
	default:
		return RESUME;
	}
}

/* Resumes held threads, as far as what they wait for is there by now. */
void
dispatch_held(struct profsup *ps)
{
	for (struct tracee *t = ps->held, *next; t != NULL; t = next) {
		enum resume how;

		next = t->hold.next;
		how = act_again(ps, t);
		if (how != RESUME)
			continue; /* held on, or gone */
		tracee_release(ps, t);
		resume(ps, t, 0);
	}
}
