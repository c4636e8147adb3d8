/*
 * -p: attaches to processes that run already, from finding their threads to letting the last one
 * go.
 *
 * A process's runtime has made no call and no mapping for us; it has stored what it knows of itself
 * in its state, and in the image there is a region that nobody has touched.  First all threads are
 * seized, without a stop, so that no child can be made unseen; then the region is put into the
 * state, and last the mode is turned on.  From there on it is a process like any other, with three
 * differences: there may be no room for bins in its memory, its forked children get a copy of the
 * region with all counts, and we are told to end while the process lives.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often we look for threads that were made while we looked. */
enum { MOST_SCANS = 1000 };
/* How many ms an exec may take that may be why a process can't be read, and with those for which it
 * waits for a CPU. */
enum { MOST_MOMENTS = 20, MOST_OF_ALL = 500 };
/* How long it may take to let the last threads go; after that our end does it. */
#define PATIENCE_NS (2 * NSEC)

static const char no_such_process[] = "there is no such process";
static const char has_ended[] = "it has ended, or its first thread has";

/* Returns NULL, or why nobody can attach to that process. */
static const char *
reason_against(const struct profsup *ps, pid_t pid)
{
	pid_t parent = 0, tgid;

	if (pid == getpid() || pid == ps->front.pid)
		return "that is profsup itself";
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return no_such_process;
	tgid = procfs_tgid(pid, &parent);
	if (tgid > 0 && tgid != pid)
		return "that is a thread: give its process ID";
	if (procfs_is_kernel(pid))
		return "that is a thread of the kernel";
	if (procfs_is_zombie(pid))
		return has_ended;
	if (procfs_tracer(pid) > 0)
		return "it is traced already, by a debugger or another profsup";
	return NULL;
}

/* Asked last, since the thread may have ended a moment ago. */
static bool
is_gone(pid_t pid, pid_t tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) < 0 && errno == ESRCH;
}

/* The id was another process's by the time that we had seized it: lets that process go at the stop
 * that we make. */
static int
give_back(struct profsup *ps, pid_t tid)
{
	struct proc *found = proc_add(ps, tid);
	struct tracee *t = found == NULL ? NULL : tracee_add(ps, tid, found);

	if (t == NULL) {
		errno = ENOMEM;
		return -1;
	}
	found->detach = t->birth.past = true;
	t->stop.asked = trace_interrupt(tid) == 0;
	return 1;
}

/* Returns 1 if there was a thread that we did not know, 0 if not; -1: a thread can't be seized. */
static int
seize_new(struct profsup *ps, struct proc *proc)
{
	size_t n;
	pid_t *tid = procfs_threads(proc->pid, &n);
	int ret = tid == NULL ? -1 : 0;

	for (size_t i = 0; i < n && ret >= 0; i++) {
		struct tracee *t = tracee_find(ps, tid[i]);

		if (t != NULL)
			continue;
		if (trace_seize(tid[i], false) < 0) {
			const int saved = errno;

			/* The thread has ended, or a thread that we trace has made it and will
			 * report it. */
			if (saved == ESRCH || procfs_is_zombie(tid[i]) ||
			    procfs_tracer(tid[i]) == getpid() || is_gone(proc->pid, tid[i]))
				continue;
			errno = saved;
			ret = -1;
		} else if (is_gone(proc->pid, tid[i])) {
			ret = give_back(ps, tid[i]);
		} else if ((t = tracee_add(ps, tid[i], proc)) == NULL) {
			errno = ENOMEM;
			ret = -1;
		} else {
			t->birth.past = true;
			ret = 1;
		}
	}
	free(tid);
	return ret;
}

static int
seize_all(struct profsup *ps, struct proc *proc)
{
	int ret = 1;

	for (int i = 0; i < MOST_SCANS && ret > 0; i++)
		ret = seize_new(ps, proc);
	if (ret == 0 && proc->first == NULL) {
		errno = ESRCH;
		return -1;
	}
	return ret;
}

/* Takes the region that the process counts in, or is going to.  Its parts are claims, which must
 * fit together. */
static int
take_region(const struct proc *proc, const struct profsup_state *s, struct profile *p)
{
	const uint64_t least = sizeof(struct profsup_header) + sizeof(struct profsup_arcs);
	const bool fresh = s->buf == 0;

	p->buf_addr = fresh ? s->spare : s->buf;
	p->buflen = fresh ? s->spare_len : s->buflen;
	p->runtime.arcs_off = fresh ? sizeof(struct profsup_header) : s->arcs - s->buf;
	profile_take_state(p, proc, s);
	p->mode.toggles = s->toggles;
	if (p->buf_addr == 0 || s->low_pc == 0 || s->scale == 0 || s->scale > PROFSUP_SCALE_ONE ||
	    !counts_fit(p->buf_addr, p->buflen, 0) || p->buflen < least ||
	    p->runtime.arcs_off < sizeof(struct profsup_header) ||
	    p->runtime.arcs_off > p->buflen - sizeof(struct profsup_arcs) ||
	    s->samplesize > PROFSUP_MAX_SAMPLESIZE) {
		errno = EPROTO;
		return -1;
	}
	bins_set_range(p, s->samplesize, s->offset, s->scale);
	return 0;
}

/* Tells the image where its region is.  The mode is still off. */
static int
give_region(struct proc *proc, const struct profile *p)
{
	const uint64_t pool = p->buflen - p->runtime.arcs_off - sizeof(struct profsup_arcs);
	const uint64_t words[] = { p->buf_addr, p->buflen, p->counts.samplesize,
		                   p->buf_addr + p->runtime.arcs_off,
		                   pool / sizeof(struct profsup_arc) };

	_Static_assert(offsetof(struct profsup_state, places) + sizeof(uint64_t) -
	                       offsetof(struct profsup_state, buf) ==
	                   sizeof(words),
	               "the state's members, in their order");
	return mem_write(proc, proc->image.state_addr + offsetof(struct profsup_state, buf), words,
	                 sizeof(words));
}

/* Starts the process's profile.  Returns NULL, or why that is not possible.  It needs the first
 * thread, since any other may be about to end. */
static const char *
start_profile(struct profsup *ps, struct proc *proc)
{
	struct tracee *t = tracee_find(ps, proc->pid);
	struct profile *p = profile_new();
	struct profsup_state state;

	if (t == NULL || p == NULL) {
		profile_free(p);
		return t == NULL ? has_ended : "no memory";
	}
	proc->profile = p;
	p->attached = true;
	if (profil_call_place(ps, t, -1, p->place) < 0)
		return "its directory or identity can't be read";
	if (mem_read(proc, proc->image.state_addr, &state, sizeof(state)) < 0)
		return "its runtime's state can't be reached";
	if (take_region(proc, &state, p) < 0)
		return "its runtime has not started yet, or had too little memory: it can't be "
		       "profiled";
	if (state.buf == 0 && give_region(proc, p) < 0)
		return "its runtime's state can't be reached";
	if (!ps->opt.since_start && arctable_read_to(proc, &p->counts.minus) < 0)
		return "its calls can't be read";
	if (vmshare_doubt(proc) < 0)
		return "its runtime's state can't be reached";
	p->mode.on = state.paused == 0 && ps->window.state == WINDOW_OPEN;
	objects_note_program(ps, proc);
	if (trace_has_changed(proc->pid))
		return "it has ended or executed another program meanwhile";
	ps->stats.profiled++;
	mailbox_open(ps, proc);
	sampler_start_process(ps, proc);
	state_update(ps, proc);
	window_first_profile(ps);
	return NULL;
}

void
attach_stop_all(const struct proc *proc)
{
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		if (trace_interrupt(t->tid) == 0)
			t->stop.asked = true;
}

/* Threads whose thread pointer is to be known, and all threads of a program whose calls are
 * watched, have to stop once. */
static void
stop_once(const struct proc *proc)
{
	if (proc->doubts != 0 || proc->watch != WATCH_NONE)
		attach_stop_all(proc);
}

/* Bins and tables are in the memory, and can be one process's only. */
static bool
is_memory_of_another(const struct profsup *ps, const struct proc *proc)
{
	for (const struct proc *other = ps->procs; other != NULL; other = other->hh.next)
		if (other->profile != NULL && vmshare_is_one(proc->pid, other->pid, false))
			return true;
	return false;
}

static void
forget(struct proc *proc)
{
	vmshare_no_doubts(proc);
	profile_free(proc->profile);
	proc->profile = NULL;
	proc->image.state_addr = 0;
}

/* Gives up a process that can't be profiled.  There is nothing in its memory that is ours, and its
 * threads are let go by our end, or at a stop that we make. */
static void
give_up(struct profsup *ps, struct proc *proc)
{
	if (proc->first == NULL) {
		proc_drop(ps, proc);
		return;
	}
	forget(proc);
	proc->detach = true;
}

/* Starts the profile of a process whose threads are seized.  Returns NULL, or why that is not
 * possible. */
static const char *
begin(struct profsup *ps, struct proc *proc, uint64_t patience)
{
	const char *reason =
	    is_memory_of_another(ps, proc) ? "it shares its memory with another -p" : NULL;

	proc->threaded = true;
	memjob_patience(patience);
	if (reason == NULL)
		reason = image_attach(ps, proc, patience);
	if (reason == NULL && proc->profile == NULL)
		reason = start_profile(ps, proc);
	memjob_patience(0);
	return reason;
}

/* Whether a process has ended, or is about to without its memory.  A leader that has ended is in
 * its process until the last thread's end. */
bool
attach_has_ended(pid_t pid)
{
	const bool is_ending = procfs_is_ending(pid); /* first: it may be gone then */
	size_t n;
	pid_t *tid = procfs_threads(pid, &n);
	const int error = errno;

	free(tid);
	return tid == NULL ? error == ESRCH : n == 1 && is_ending;
}

/* Whether a process that can't be profiled has just ended, or executes another program.  In the
 * midst of that it can't be read, and there is no news of it yet. */
static bool
is_changing(const struct profsup *ps, const struct proc *proc)
{
	const struct timespec moment = { .tv_nsec = NSEC / 1000 };
	const struct elf_info *elf = &proc->image.elf;
	const int most = !elf->is_elf || bare_fits(ps, elf) ? MOST_MOMENTS : 0;
	int still = 0;

	for (int i = 0; !trace_has_changed(proc->pid) && !attach_has_ended(proc->pid); i++) {
		if (still == most || i == MOST_OF_ALL)
			return false;
		nanosleep(&moment, NULL);
		still += !procfs_thread_runs(proc->pid, proc->pid);
	}
	return true;
}

/* Returns an exit status.  Names the process, unless it was only found and has ended since, when
 * its number may be another's, or is one of many. */
static int
refuse(struct profsup *ps, pid_t pid, bool found, const char *reason)
{
	struct proc *proc = proc_find(ps, pid);

	if (!found ||
	    (reason != no_such_process && !attach_has_ended(pid) && ps->refused++ < ATTACH_NAMED))
		log_error("-p %d: %s", pid, reason);
	else
		log_verbose("-p %d: %s", pid, reason);
	if (proc != NULL)
		give_up(ps, proc);
	return EXIT_OURS;
}

static int
refuse_seizing(struct profsup *ps, pid_t pid, bool found)
{
	const int error = errno;
	char reason[256];

	/* A thread that we trace has made it since it was found, and will report it. */
	if (found && error == ESRCH && procfs_tracer(pid) == getpid()) {
		give_up(ps, proc_find(ps, pid));
		return EXIT_OURS;
	}
	snprintf(reason, sizeof(reason), "can't attach%s: %s",
	         error == EPERM ? diagnose_attach(pid) : "",
	         error == ETIMEDOUT ? "it executes a program, which is not done" : strerror(error));
	refuse(ps, pid, found, reason);
	return error == EPERM || error == EACCES ? EXIT_CANNOT_EXEC : EXIT_OURS;
}

/* Returns an exit status if that process can't be profiled.  One that was found, not named, and has
 * just executed another program is followed into that.  Prints. */
int
attach_to(struct profsup *ps, pid_t pid, uint64_t patience, bool found)
{
	const char *reason = reason_against(ps, pid);
	struct proc *proc;

	if (reason != NULL)
		return refuse(ps, pid, found, reason);
	proc = proc_add(ps, pid);
	if (proc == NULL || seize_all(ps, proc) < 0)
		return refuse_seizing(ps, pid, found);
	procfs_tgid(pid, &proc->parent);
	reason = begin(ps, proc, patience);
	if (reason != NULL && found && is_changing(ps, proc)) {
		forget(proc);
	} else if (reason != NULL) {
		return refuse(ps, pid, found, reason);
	} else {
		log_verbose("%d: attached, %u threads", pid, proc->threads);
		stop_once(proc);
	}
	return 0;
}

/*
 * Called at a forked child's first stop.  The child may have been made before its parent had a
 * region, and the calls in its own region are its parent's.  False: its memory was late, call
 * again.
 */
bool
attach_child(const struct profsup *ps, struct tracee *t)
{
	struct proc *proc = t->proc;
	struct profile *p = proc->profile;
	struct profsup_state state;

	if (p == NULL || p->bare || !p->attached || t->tid != proc->pid || proc->shares_memory ||
	    proc->end.done)
		return true;
	if (mem_read(proc, proc->image.state_addr, &state, sizeof(state)) < 0 ||
	    (state.buf == 0 && give_region(proc, p) < 0) ||
	    arctable_read_to(proc, &p->counts.minus) < 0) {
		const bool late = errno == ETIMEDOUT;

		if (late && tracee_chance(t) == MAY_WAIT)
			return false;
		if (errno != ESRCH)
			log_error("%d: its file includes its parent's calls: %m", proc->pid);
		return !late;
	}
	state_update(ps, proc);
	return true;
}

/* Whether all that are left are to be let go, and may not stop for that, as in a vfork. */
bool
attach_has_none(const struct profsup *ps)
{
	for (const struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		if (!proc->detach)
			return false;
	return true;
}

/* Whether we end although some threads have not stopped: they sleep, or wait, as for a disk.  When
 * we end, the kernel lets them go.  Not while one of them carries on a call, whose result would be
 * wrong. */
bool
attach_is_over(struct profsup *ps)
{
	const uint64_t now = clock_now();

	if (ps->patience == 0)
		ps->patience = now + PATIENCE_NS;
	if (detach_has_calls(ps) ||
	    ((ps->opt.npids == 0 || now < ps->patience) && !ps->sleepers_only))
		return false;
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		if (proc->first != NULL && !proc->first->exiting)
			detach_state(proc);
	return true;
}
