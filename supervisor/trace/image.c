/*
 * What exec means: which images can be profiled.  The end of an image is finish.c's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Finds the image's state. */
static int
find_state(struct proc *proc)
{
	uint64_t entry, addr;
	struct profsup_state state;

	if (procfs_entry(proc->pid, &entry) < 0)
		return -1;
	addr = proc->image.elf.state + (entry - proc->image.elf.entry);
	if (mem_read(proc, addr, &state, sizeof(state)) < 0)
		return -1;
	if (state.magic != PROFSUP_STATE_MAGIC || state.version != PROFSUP_ABI_VERSION) {
		errno = EPROTO;
		return -1;
	}
	proc->image.state_addr = addr; /* from here on we write there */
	return 0;
}

/*
 * Tell the runtime in a new image that we are here: it makes its profil call only then, so that an
 * unsupervised program makes no system call that its sandbox may not know.
 */
static int
announce(const struct profsup *ps, struct proc *proc)
{
	const uint8_t flags = state_flags(ps);

	if (find_state(proc) < 0)
		return -1;
	return mem_write(proc, proc->image.state_addr + offsetof(struct profsup_state, supervised),
	                 &flags, 1);
}

static const char no_state[] = "its runtime's state can't be reached";

/* Returns NULL if an image can be profiled, or why it can't, and what to do about it. */
static const char *
reason_in_file(const struct elf_info *elf)
{
	if (!elf->is_elf)
		return "its file can't be read as an ELF file";
	if (elf->foreign)
		return diagnose_machine(elf->machine, elf->is_64);
	if (elf->dynamic)
		return "dynamically linked; relink with profsup-cc, or -a takes samples";
	if (!elf->runtime)
		return "not linked with profsup's runtime; relink with profsup-cc, or -a takes "
		       "samples";
	if (elf->version != PROFSUP_ABI_VERSION)
		return "linked by a profsup-cc of another version; relink";
	return NULL;
}

/* Returns the same.  errno is ETIMEDOUT if its memory was late. */
static const char *
reason_against(const struct profsup *ps, struct proc *proc)
{
	const char *reason = reason_in_file(&proc->image.elf);

	errno = 0;
	return reason == NULL && announce(ps, proc) < 0 ? no_state : reason;
}

static bool
is_chosen(const struct profsup *ps, const struct proc *proc)
{
	return !proc->detach && select_matches(&ps->opt, proc->pid);
}

/*
 * Whether the program traces others.  A process has one tracer, so such a program could not trace
 * what it starts: we let it go, unless it was linked to be profiled.  Tracers that are not known
 * here fail by themselves.
 */
static bool
is_tracer(const struct proc *proc, const char *name)
{
	static const char *const names[] = { "gdb",    "gdb-multiarch", "gdbserver", "lldb-server",
		                             "ltrace", "profsup",       "rr",        "strace" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return !proc->image.elf.runtime;
	return false;
}

/* A script has the name of its file, but the image is its interpreter's, which nobody is to
 * relink. */
static const char *
reason_for_user(const struct profsup *ps, const struct proc *proc, const char *comm,
                const char *reason)
{
	return reason != NULL && !proc->image.elf.runtime && ps->stats.profiled == 0 &&
	               procfs_is_script(proc->pid, comm)
	           ? "it is a script; relink with profsup-cc what it runs"
	           : reason;
}

/* Reads the image's file.  False: not yet. */
static bool
read_image(struct profsup *ps, struct proc *proc, enum chance chance)
{
	const char *hint;
	bool told;
	int saved;

	if (proc->image.read || exe_read(proc) == 0) {
		proc->image.read = true;
		return true;
	}
	if (errno == ETIMEDOUT && chance == MAY_WAIT)
		return false;
	exe_forget(proc);
	proc->image.elf = (struct elf_info){ 0 };
	proc->image.read = true;
	/* It is no error if a program may be executed but not read, but for who wants each
	 * profiled. */
	saved = errno;
	hint = diagnose_read(saved);
	told = (saved != EACCES && saved != EPERM) || *hint != '\0' ||
	       (ps->opt.any && is_chosen(ps, proc));
	errno = saved;
	ps->stats.unread += *hint != '\0';
	if (told)
		log_error("%d: its program can't be read: %m: neither its time nor its calls are "
		          "profiled%s",
		          proc->pid, hint);
	else
		log_verbose("%d: exec: the program can't be read: %m", proc->pid);
	return true;
}

/* Opens the process's memory, if the program has something to say to us. */
static void
open_memory(struct proc *proc)
{
	if (proc->vm.memory != NULL || (!proc->image.elf.runtime && proc->image.elf.mailbox == 0))
		return;
	if (mem_open(proc, proc->pid) < 0)
		log_error("%d: its memory can't be opened: %m: not profiled", proc->pid);
}

/* A new image: the old one's profile is off and forgotten, as in any profil(2).  What the thread
 * that made the call has used since its last sample is of the old one. */
void
image_exec(struct profsup *ps, struct proc *proc, struct tracee *caller)
{
	struct profile *p = proc->profile;

	ps->stats.execs++;
	sampler_settle(ps);
	if (p != NULL && !proc->end.done && !profile_is_bare_and_empty(p)) {
		if (caller != NULL)
			sampler_end_thread(ps, caller);
		ps->stats.dropped_profiles++;
		ps->stats.dropped_ticks += counts_ticks(&p->counts);
		log_verbose("%d: exec: the profile until now, %llu ticks, is dropped", proc->pid,
		            (unsigned long long)counts_ticks(&p->counts));
	}
	if (proc->end.late)
		late_write(ps, proc);
	profile_free(p);
	proc->profile = NULL;
	proc->end.done = proc->end.begun = proc->end.slow = proc->end.arcs_read =
	    proc->end.arcs_lost = proc->shares_memory = proc->snapshot.due = false;
	proc->idle.was_running = proc->image.read = proc->image.untold = proc->image.asked = false;
	proc->image.state_addr = proc->mailbox.addr = proc->end.rows_until = 0;
	mem_close(proc);
	mapped_forget(proc);
	exe_forget(proc);
}

/* Says why a program that was meant to be profiled is not; of others, only under -v.  `error`
 * belongs to no_state: EFAULT and EPROTO only mean a wrong address in the program's note. */
static void
say_what_it_is(const struct profsup *ps, const struct proc *proc, int error)
{
	if (proc->profile != NULL)
		log_verbose("%d: exec %s: profiled by samples only", proc->pid,
		            ps->last_exec.image);
	else if (proc->image.elf.runtime && ps->last_exec.reason == no_state && error != EFAULT &&
	         error != EPROTO)
		log_notice("%s: %s: %s", ps->last_exec.image, no_state, strerror(error));
	else if (proc->image.elf.runtime && ps->last_exec.reason != NULL)
		log_notice("%s: %s", ps->last_exec.image, ps->last_exec.reason);
	else
		log_verbose("%d: exec %s: %s", proc->pid, ps->last_exec.image,
		            ps->last_exec.reason == NULL ? "profiled" : ps->last_exec.reason);
}

/* Has the program profiled by samples only.  A program that has ended meanwhile needs no line. */
static void
start_bare(struct profsup *ps, struct proc *proc)
{
	ps->last_exec.reason = bare_start(ps, proc);
	if (ps->last_exec.reason == NULL || errno == 0 || errno == ESRCH || errno == ENOENT)
		return;
	log_error("%d: %s: %m: not profiled", proc->pid, ps->last_exec.reason);
	ps->last_exec.told = true;
}

/* Not under root's supervisor: there a set-user-ID program has its power. */
static void
say_if_powerless(const struct proc *proc, const char *name)
{
	const char *what = geteuid() == 0 ? NULL : exe_powerless(proc->pid);

	if (what != NULL)
		log_notice("%s: %s no effect under a plain user's profsup: run profsup as root, "
		           "with -u",
		           name, what);
}

/* Called before the new image runs.  False: its file or its memory is late, call again.  Prints. */
bool
image_start(struct profsup *ps, struct proc *proc, enum chance chance)
{
	char comm[32] = "?";
	const char *reason = "not chosen by --only";
	bool chosen;
	int error = 0;

	if (!read_image(ps, proc, chance))
		return false;
	bare_note_user(ps, proc);
	chosen = is_chosen(ps, proc);
	proc->watch = WATCH_NONE;
	if (chosen) {
		/* What was linked for us will be sampled: its rows are read while it starts. */
		if (ps->opt.call_graph && proc->image.elf.runtime && !proc->image.asked)
			objects_ask_program(ps, proc);
		open_memory(proc);
		reason = reason_against(ps, proc);
		error = errno;
		if (reason == no_state && error == ETIMEDOUT && chance == MAY_WAIT)
			return false;
		if (!mailbox_open(ps, proc) && chance == MAY_WAIT)
			return false;
		if (proc->image.elf.caller && !proc->image.elf.foreign)
			proc->watch = WATCH_CALLS;
		else if (reason == NULL)
			proc->watch = WATCH_STARTUP;
	} else {
		proc->image.elf.runtime = false;
	}
	procfs_comm(proc->pid, comm, sizeof(comm));
	log_safe(comm, ps->last_exec.image, sizeof(ps->last_exec.image));
	if (ps->stats.execs == 1)
		say_if_powerless(proc, ps->last_exec.image);
	ps->last_exec.reason = reason_for_user(ps, proc, comm, reason);
	ps->last_exec.told = false;
	if (is_tracer(proc, ps->last_exec.image)) {
		log_notice("%s: %s", ps->last_exec.image,
		           strcmp(ps->last_exec.image, "profsup") == 0
		               ? "another profsup, which profiles what it starts: this one does not"
		               : "traces programs itself: it and what it starts run unprofiled");
		ps->last_exec.told = proc->detach = true;
		return true;
	}
	if (chosen && reason != NULL && reason != no_state && bare_fits(ps, &proc->image.elf))
		start_bare(ps, proc);
	say_what_it_is(ps, proc, error);
	return true;
}

/* Reads the image of a running process, which may be late for so long.  NULL if it can be profiled,
 * or why it can't.  Prints. */
const char *
image_attach(struct profsup *ps, struct proc *proc, uint64_t patience)
{
	const struct timespec moment = { .tv_nsec = NSEC / 1000 };
	const uint64_t until = clock_now() + patience;
	const char *reason;

	while (!read_image(ps, proc, clock_now() < until ? MAY_WAIT : LAST_CHANCE))
		nanosleep(&moment, NULL);
	if (!is_chosen(ps, proc))
		return "not chosen by --only";
	bare_note_user(ps, proc);
	reason = reason_in_file(&proc->image.elf);
	if (reason != NULL && bare_fits(ps, &proc->image.elf))
		return bare_start(ps, proc);
	if (reason == NULL)
		open_memory(proc);
	if (reason == NULL && find_state(proc) < 0)
		reason = no_state;
	if (reason == NULL)
		proc->watch = proc->image.elf.caller ? WATCH_CALLS : WATCH_NONE;
	return reason;
}
