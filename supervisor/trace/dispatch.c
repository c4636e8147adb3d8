/*
 * One case for each kind of event.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a new thread waits for its creator's event, since the creator may wait for a CPU among
 * many; and after how long we ask all tracees for news. */
#define UNCLAIMED_NS (2 * NSEC)
#define ASK_NS       (NSEC / 10)
/* Most children of a killed thread that are taken. */
enum { MAX_ORPHANS = 1024 };

/* The front has stopped with the target.  It may not be told that the target goes on, or was
 * killed. */
static void
wake_front(const struct profsup *ps, const struct tracee *t)
{
	if (t->tid == ps->target)
		syscall(SYS_pidfd_send_signal, ps->front.pidfd, SIGCONT, NULL, 0);
}

/* Any stop of a thread takes a pending interrupt with it, so each is as good for a sample. */
static void
on_interrupted(struct profsup *ps, struct tracee *t, enum event_kind kind)
{
	struct arch_regs regs;

	t->stop.asked = false;
	if (kind == EVT_EXITED || kind == EVT_EXIT || kind == EVT_EXEC ||
	    trace_regs(t->tid, &regs) < 0)
		return;
	sampler_stopped(ps, t, &regs);
	if (kind == EVT_TRAP || kind == EVT_SYSCALL)
		continuation_begin(ps, t, &regs);
	if (kind == EVT_TRAP && t->continuation == NULL)
		signal_mend_eintr(t, &regs);
}

/* A stop that is not by our interrupt.  SIGCONT causes one like it, though alone it would do
 * nothing. */
static void
on_other_trap(struct profsup *ps, struct tracee *t)
{
	struct arch_regs regs;

	if (trace_regs(t->tid, &regs) < 0)
		return;
	continuation_begin(ps, t, &regs);
	if (t->stop.by_clock && t->continuation == NULL)
		signal_mend_eintr(t, &regs);
}

/* The first stop of a new thread, before it runs, when its process is known. */
static enum resume
first_stop(const struct profsup *ps, struct tracee *t)
{
	if ((!vmshare_first_stop(t) || (t->tid == t->proc->pid && !window_child(ps, t)) ||
	     !attach_child(ps, t)) &&
	    tracee_chance(t) == MAY_WAIT)
		return HOLD;
	return RESUME;
}

static enum resume
on_trap(struct profsup *ps, struct tracee *t)
{
	if (!t->birth.past) {
		t->birth.past = true;
		return first_stop(ps, t);
	}
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

static bool
is_thread_of(pid_t pid, pid_t tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) == 0 || errno == EPERM;
}

/* Drops a tracee whose id another thread has by now: an untraced thread's exec has ended the leader
 * without a word to us. */
static void
drop_ghost(struct profsup *ps, struct tracee *t)
{
	if (t->proc->threads == 1)
		finish_image(ps, t->proc, NO_MEMORY);
	tracee_drop(ps, t);
}

static bool
makes_process(long nr)
{
	switch (nr) {
#ifdef SYS_fork
	case SYS_fork:
	case SYS_vfork:
#endif
	case SYS_clone:
	case SYS_clone3:
		return true;
	default:
		return false;
	}
}

/* Whether a stop is the first one of a new process that has such an id, and its creator's event is
 * still to come: the call that made it has returned 0, and the memory that we know is gone. */
static bool
is_after_ghost(struct tracee *t)
{
	struct arch_regs regs;
	uint8_t byte;

	return t->birth.past && !t->listening && t->tid == t->proc->pid &&
	       t->proc->vm.memory != NULL && trace_regs(t->tid, &regs) == 0 && regs.result == 0 &&
	       makes_process(regs.syscall) && mem_read(t->proc, regs.pc, &byte, sizeof(byte)) < 0 &&
	       errno == ESRCH;
}

static void
count_profiled(struct profsup *ps, const struct proc *proc)
{
	ps->stats.profiled++;
	ps->stats.bare += proc->profile->bare;
}

/* Adds a process that `parent` made.  NULL if there is no memory for it. */
static struct proc *
inherit(struct profsup *ps, const struct proc *parent, pid_t creator, pid_t pid)
{
	struct proc *proc = proc_add(ps, pid);

	if (proc == NULL)
		return NULL;
	proc->parent = parent->pid;
	proc->elevated = parent->elevated;
	proc->watch = parent->watch;
	proc->image.elf = parent->image.elf;
	proc->image.state_addr = parent->image.state_addr;
	proc->mailbox.addr = parent->mailbox.addr;
	proc->shares_memory = vmshare_is_one(creator, pid);
	/* A parent that is to be let go was given up by an attach. */
	proc->detach = parent->detach || detach_is_for_new(ps);
	if (parent->vm.memory != NULL)
		mem_open(proc, pid);
	mapped_fork(proc, parent);
	if (parent->profile != NULL && !parent->end.done) {
		proc->profile = profile_fork(parent->profile);
		proc->end.done = proc->detach; /* what it counts must not be its parent's */
		if (proc->profile == NULL)
			log_error("%d: no memory for its profile", pid);
		else if (!proc->detach)
			count_profiled(ps, proc);
	}
	return proc;
}

/* Takes a new thread, `t` if it has stopped already.  Returns it if it waits to be resumed. */
static struct tracee *
take_child(struct profsup *ps, struct tracee *creator, pid_t tid, struct tracee *t, bool vfork)
{
	struct proc *proc = creator->proc;
	const bool is_thread = is_thread_of(proc->pid, tid);

	/* It was killed before it could do anything.  An entry for it would stay for good. */
	if (t == NULL && !trace_has(tid)) {
		log_verbose("%d: gone before its creator's event came", tid);
		return NULL;
	}
	if (!is_thread)
		proc = inherit(ps, creator->proc, creator->tid, tid);
	if (proc == NULL || (t == NULL && (t = tracee_add(ps, tid, NULL)) == NULL)) {
		log_error("%d: no memory to follow this process: it runs unprofiled", tid);
		return NULL;
	}
	tracee_adopt(t, proc);
	if (vfork && !is_thread)
		creator->vm.in_vfork = proc->shares_memory;
	else
		vmshare_note_creator(creator, t);
	sampler_start_thread(ps, t, true);
	log_verbose("%d: new %s %d", creator->proc->pid, is_thread ? "thread" : "process", tid);
	if (!t->birth.past)
		return NULL;
	ps->unclaimed--;
	if (first_stop(ps, t) == RESUME)
		return t;
	tracee_hold(ps, t, EVT_TRAP);
	return NULL;
}

static struct tracee *
on_fork(struct profsup *ps, struct tracee *creator, bool vfork)
{
	struct tracee *t;
	unsigned long tid;

	if (trace_message(creator->tid, &tid) < 0)
		return NULL;
	t = tracee_find(ps, (pid_t)tid);
	if (t != NULL && t->birth.found_alone)
		return NULL; /* it waited too long for its creator's event */
	if (t != NULL && t->proc != NULL) {
		drop_ghost(ps, t);
		t = NULL;
	}
	return take_child(ps, creator, (pid_t)tid, t, vfork);
}

/* Whether a thread was ended with its process before it ran.  Its creator's event will not come. */
static bool
is_stillborn(const struct event *ev)
{
	return ev->kind == EVT_EXIT && procfs_tgid(ev->tid, NULL) != ev->tid;
}

/* A new thread whose creator's event is still to come stays stopped until then. */
static void
on_unclaimed(struct profsup *ps, const struct event *ev)
{
	struct tracee *t;

	if (ev->kind == EVT_EXITED)
		return;
	if (is_stillborn(ev)) {
		trace_resume(ev->tid, false, 0);
		return;
	}
	t = tracee_add(ps, ev->tid, NULL);
	if (t == NULL) {
		log_error("%d: no memory to follow this process: it runs unprofiled", ev->tid);
		trace_resume(ev->tid, false, 0);
		return;
	}
	t->birth.past = true;
	t->birth.unclaimed_since = clock_now();
	ps->unclaimed++;
}

static void
count_stop(struct stats *stats, struct tracee *t)
{
	const uint64_t ns = t->stop.ns + (clock_now() - t->stop.seen);

	t->stop.seen = 0;
	stats->stops++;
	stats->stopped += ns;
	if (ns > stats->longest_stop)
		stats->longest_stop = ns;
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
	t->stop.signal = news.dropped ? 0 : sig;
	if (!signal_needs_no_tracer(t, &news))
		return RESUME;
	sampler_end_thread(ps, t);
	arctable_restart(t->proc);
	t->hold.fatal_signal = sig;
	return leave_to_its_fault(ps, t);
}

/* Resumes a thread, or lets it go.  `t` may be gone afterwards. */
static void
go_on(struct profsup *ps, struct tracee *t, int sig)
{
	const bool counts = t->stop.seen != 0;
	bool stays;

	/* Before it is let go, a thread gets the answer of its profil call, and carries on a call
	 * that our last stop has cut short. */
	if (t->proc->detach && !t->answer.due && t->continuation == NULL) {
		detach(ps, t, sig);
		return;
	}
	t->nap.sure = false; /* it was not asleep */
	stays = counts && t->stop.by_round && !ps->crowded && !t->cpu.realtime &&
	        !round_is_under_way(ps);
	if (stays)
		nomigrate_begin(tracee_is_lone(ps));
	if (counts)
		count_stop(&ps->stats, t);
	trace_resume(t->tid, t->proc->watch != WATCH_NONE || t->continuation != NULL, sig);
	if (stays)
		nomigrate_end();
}

/* Takes children that the creator was killed too early to report: they are still its children, and
 * have not run yet.  A child that has its memory is taken for a vfork's. */
static void
take_orphans(struct profsup *ps, struct tracee *creator)
{
	pid_t child[MAX_ORPHANS];
	size_t n = procfs_children(creator->proc->pid, creator->tid, child, MAX_ORPHANS);

	for (size_t i = 0; i < n; i++) {
		struct tracee *t = tracee_find(ps, child[i]);

		if ((t != NULL && t->proc != NULL) || procfs_tracer(child[i]) != getpid())
			continue;
		t = take_child(ps, creator, child[i], t, true);
		if (t != NULL)
			go_on(ps, t, 0);
	}
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

	drop_others(ps, t);
	if (t->exiting)
		proc->live++;
	tracee_end_continuation(t); /* a call that it had to make is the old image's */
	t->exiting = t->stop.asked = t->keep_eintr = t->answer.due = t->counted = false;
	vmshare_no_doubts(proc);
	image_exec(ps, proc);
}

static enum resume
start_image(struct profsup *ps, struct tracee *t)
{
	return image_start(ps, t->proc, tracee_chance(t)) ? RESUME : HOLD;
}

/* The thread is about to end. */
static enum resume
on_exit_stop(struct profsup *ps, struct tracee *t)
{
	struct arch_regs regs = { .syscall = -1 };

	if (!exits_now(ps, t))
		return RESUME;
	trace_regs(t->tid, &regs);
	if (!exits_by_itself(&regs))
		take_orphans(ps, t);
	return exits_stop(ps, t, &regs);
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

static enum resume
act(struct profsup *ps, struct tracee *t, const struct event *ev)
{
	struct tracee *other;

	switch (ev->kind) {
	case EVT_EXITED:
		on_exited(ps, t, ev);
		return LEAVE;
	case EVT_GROUP_STOP:
		t->birth.past = t->listening = t->keep_eintr = true;
		return RESUME_LISTEN;
	case EVT_SIGNAL:
		return on_signal(ps, t, ev->signal);
	case EVT_TRAP:
		return on_trap(ps, t);
	case EVT_SYSCALL:
		return on_syscall(ps, t);
	case EVT_FORK:
	case EVT_VFORK:
		other = on_fork(ps, t, ev->kind == EVT_VFORK);
		/* The creator first: the new process must not kill it while it waits for us. */
		go_on(ps, t, 0);
		if (other != NULL)
			go_on(ps, other, 0);
		return LEAVE;
	case EVT_VFORK_DONE:
		t->vm.in_vfork = false;
		break;
	case EVT_EXEC:
		take_exec(ps, t);
		return start_image(ps, t);
	case EVT_EXIT:
		return on_exit_stop(ps, t);
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

	if (t != NULL && t->proc != NULL && ev->kind == EVT_TRAP && is_after_ghost(t)) {
		drop_ghost(ps, t);
		t = NULL;
	}
	if (t == NULL) {
		on_unclaimed(ps, ev);
		return;
	}
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
	if (t->stop.asked)
		on_interrupted(ps, t, ev->kind);
	else if (ev->kind == EVT_TRAP && t->birth.past)
		on_other_trap(ps, t);
	t->stop.by_clock = false;
	how = act(ps, t, ev);
	if (how == RESUME)
		go_on(ps, t, ev->kind == EVT_SIGNAL ? t->stop.signal : 0);
	else if (how == RESUME_LISTEN && t->proc->detach)
		go_on(ps, t, 0); /* it stays stopped */
	else if (how == RESUME_LISTEN)
		trace_listen(ev->tid);
	else if (how == HOLD)
		tracee_hold(ps, t, ev->kind);
}

/* Tries once more what the thread's stop asks for. */
static enum resume
act_again(struct profsup *ps, struct tracee *t)
{
	switch (t->hold.at) {
	case EVT_TRAP:
		return first_stop(ps, t);
	case EVT_SYSCALL:
		return on_syscall(ps, t);
	case EVT_EXEC:
		return start_image(ps, t);
	case EVT_EXIT:
		return exits_go_on(ps, t);
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
		go_on(ps, t, 0);
	}
}

/* Resumes new threads whose creator was killed before its event.  By now they have another parent,
 * so there is no profile that they could share: they run on without one.  Returns whether all
 * tracees should be asked for news, since a creator may only be late. */
bool
dispatch_orphans(struct profsup *ps)
{
	struct tracee *t, *next;
	uint64_t now;
	bool any = false;

	if (ps->unclaimed == 0)
		return false;
	now = clock_now();
	HASH_ITER (hh, ps->tracees, t, next) {
		struct proc *proc;
		pid_t pid, parent = 0;

		if (t->proc != NULL || now - t->birth.unclaimed_since < ASK_NS)
			continue;
		if (now - t->birth.unclaimed_since < UNCLAIMED_NS) {
			any = true;
			continue;
		}
		pid = procfs_tgid(t->tid, &parent);
		proc = proc_find(ps, pid);
		if (pid > 0 && proc == NULL && (proc = proc_add(ps, pid)) != NULL) {
			proc->parent = parent;
			proc->detach = detach_is_for_new(ps);
		}
		if (proc == NULL)
			continue;
		tracee_adopt(t, proc);
		t->birth.found_alone = true;
		ps->unclaimed--;
		go_on(ps, t, 0);
	}
	return any;
}
