/*
 * What exec and the end of an image mean: which images can be profiled, and their last reading.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* Where the image has its state. */
static int
find_state(struct proc *proc)
{
	uint64_t entry;
	struct profsup_state state;

	if (procfs_entry(proc->pid, &entry) < 0)
		return -1;
	proc->state_addr = proc->elf.state + (entry - proc->elf.entry);
	if (mem_read(proc, proc->pid, proc->state_addr, &state, sizeof(state)) < 0)
		return -1;
	if (state.magic != PROFSUP_STATE_MAGIC || state.version != PROFSUP_ABI_VERSION) {
		errno = EPROTO;
		return -1;
	}
	return 0;
}

/*
 * Tell the runtime in a new image that we are here: it makes its profil call only then, so that an
 * unsupervised program makes no system call that its sandbox may not know.
 */
static int
announce(const struct profsup *ps, struct proc *proc)
{
	const uint8_t flags = gate_flags(ps);

	if (find_state(proc) < 0)
		return -1;
	return mem_write(proc, proc->pid,
	                 proc->state_addr + offsetof(struct profsup_state, supervised), &flags, 1);
}

static const char no_state[] = "its runtime's state can't be reached";

/* NULL if an image can be profiled, or why it can't, and what to do about it. */
static const char *
reason_in_file(const struct elf_info *elf)
{

	if (!elf->is_elf)
		return "its file can't be read as an ELF file";
	if (elf->foreign)
		return "built for another kind of machine; build it with profsup-cc for this one";
	if (elf->libc_profile)
		return "linked with libc's own profiling; relink with profsup-cc";
	if (elf->dynamic)
		return "dynamically linked; relink with profsup-cc";
	if (!elf->runtime)
		return "not linked with profsup's runtime; relink with profsup-cc";
	if (elf->version != PROFSUP_ABI_VERSION)
		return "linked by a profsup-cc of another version; relink";
	return NULL;
}

static const char *
reason_against(const struct profsup *ps, struct proc *proc)
{
	const char *reason = reason_in_file(&proc->elf);

	return reason == NULL && announce(ps, proc) < 0 ? no_state : reason;
}

static bool
is_chosen(const struct profsup *ps, const struct proc *proc)
{
	char name[16];

	select_name(proc->pid, name);
	return !proc->let_go && select_matches(&ps->opt, name);
}

/*
 * A process has one tracer, so what such a program starts it could not trace: it is let go, and
 * profiled only if it was linked for it.  Others of its kind, that we don't know, fail by
 * themselves.
 */
static bool
is_tracer(const struct proc *proc, const char *name)
{
	static const char *const names[] = { "gdb",         "gdb-multiarch", "gdbserver",
		                             "lldb-server", "ltrace",        "rr",
		                             "strace" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return !proc->elf.runtime;
	return false;
}

static enum watch
watch_for(const struct elf_info *elf, const char *reason)
{
	if (elf->caller && !elf->foreign)
		return WATCH_CALLS;
	return reason == NULL ? WATCH_STARTUP : WATCH_NONE;
}

static void
forget_profile(struct proc *proc)
{
	if (proc->profile != NULL)
		log_verbose("%d: exec: the profile until here, %llu ticks, is dropped", proc->pid,
		            (unsigned long long)proc->profile->hist.ticks);
	vmshare_forget(proc);
	profile_free(proc->profile);
	proc->profile = NULL;
	proc->finished = proc->ending = proc->shares_memory = proc->was_running = false;
	proc->state_addr = proc->desk_addr = 0;
	proc->gone = 0;
}

static void
read_image(const struct profsup *ps, struct proc *proc)
{
	/* libc's profiling is only worth a look while it may become the reason for the end. */
	if (exe_read(proc->pid, ps->stats.profiled == 0, &proc->elf) < 0) {
		proc->elf = (struct elf_info){ 0 };
		/* A program that may be run but not read is nobody's fault. */
		if (errno != EACCES && errno != EPERM)
			log_error("%d: its program can't be read: %m: not profiled", proc->pid);
		else
			log_verbose("%d: exec: the program can't be read: %m", proc->pid);
	}
}

/* A new image: the old one's profile is off and forgotten, as in any profil(2).  Prints. */
void
image_exec(struct profsup *ps, struct proc *proc)
{
	char comm[32] = "?";
	const char *name = ps->last_image;

	procfs_comm(proc->pid, comm, sizeof(comm));
	log_safe(comm, ps->last_image, sizeof(ps->last_image));
	ps->stats.execs++;
	sampler_settle(ps);
	forget_profile(proc);
	read_image(ps, proc);
	ps->last_told = false;
	if (is_chosen(ps, proc)) {
		ps->last_reason = reason_against(ps, proc);
		proc->watch = watch_for(&proc->elf, ps->last_reason);
		desk_open(ps, proc);
	} else {
		ps->last_reason = "not chosen by --only";
		proc->watch = WATCH_NONE;
		proc->elf.runtime = false;
	}
	if (is_tracer(proc, name)) {
		log_notice("%s: traces programs itself: it and what it starts run unprofiled",
		           name);
		ps->last_told = proc->let_go = true;
		return;
	}
	/* One that was meant to be profiled; of others, only under -v. */
	if (proc->elf.runtime && ps->last_reason != NULL)
		log_notice("%s: %s", name, ps->last_reason);
	else
		log_verbose("%d: exec %s: %s", proc->pid, name,
		            ps->last_reason == NULL ? "profiled" : ps->last_reason);
}

/* A process that runs already.  NULL if it can be profiled, or why it can't.  Prints. */
const char *
image_attach(const struct profsup *ps, struct proc *proc)
{
	const char *reason;

	read_image(ps, proc);
	if (!is_chosen(ps, proc))
		return "not chosen by --only";
	reason = reason_in_file(&proc->elf);
	if (reason == NULL && find_state(proc) < 0)
		reason = no_state;
	if (reason == NULL)
		proc->watch = proc->elf.caller ? WATCH_CALLS : WATCH_NONE;
	return reason;
}

/* Objects that were not compiled with -pg are sampled and count nothing: not even main's call. */
static void
say_if_no_calls(const struct proc *proc)
{
	const struct profile *p = proc->profile;
	static bool said;

	if (said || p->arcs.n != 0 || p->hist.ticks == 0 || p->forked || p->attached ||
	    p->toggles > 1 || proc->shares_memory || proc->elf.caller)
		return;
	said = true;
	log_notice("%s: no calls were counted: its objects are compiled without -pg; compile"
	           " them with profsup-cc",
	           p->place->name);
}

static void
read_arcs(struct proc *proc, pid_t tid)
{
	/* ENODATA: there are none. */
	if (arctable_read(proc, tid) < 0 && errno != ENODATA)
		log_error("%d: %s: its calls can't be read: %m: those of before are what there is",
		          proc->pid, proc->profile->place->name);
}

/* Its own, or its part of a snapshot. */
static void
write_file(struct profsup *ps, struct proc *proc, unsigned snapshot)
{
	const struct profile *p = proc->profile;
	struct buffer data = { 0 };
	char path[NAME_MAX + 1] = "";

	if (gmon_encode(p, ps->opt.hz, &data) < 0)
		log_error("%d: %s: no memory for its profile", proc->pid, p->place->name);
	else if (output_write(ps, proc, &data, snapshot, path, sizeof(path)) == 0)
		log_verbose("%d: wrote %s: %llu ticks, %zu arcs", proc->pid, path,
		            (unsigned long long)p->hist.ticks, p->arcs.n);
	buffer_free(&data);
}

/* The last thread of a process goes: its file.  `tid` still has the memory; 0: nobody does. Prints.
 */
void
image_finish(struct profsup *ps, struct proc *proc, pid_t tid)
{
	struct profile *p = proc->profile;

	if (p == NULL || proc->finished)
		return;
	proc->finished = true;
	if (p->fileless)
		return;
	if (tid != 0)
		read_arcs(proc, tid);
	else if (!proc->ending)
		log_notice(
		    "%d: %s: ended unseen: its calls are those last read, up to half a second"
		    " before",
		    proc->pid, p->place->name);
	if (p->off)
		log_notice("%d: a bin could not be written: it was not sampled from then on",
		           proc->pid);
	arcs_subtract(&p->arcs, &p->minus);
	ps->stats.dropped += p->arcs.dropped;
	ps->stats.outside += p->outside;
	if (ps->opt.delay_ms == 0)
		say_if_no_calls(proc);
	if (p->arcs.dropped != 0)
		log_error("%d: %s: %llu calls found no room in the arc tables", proc->pid,
		          p->place->name, (unsigned long long)p->arcs.dropped);
	report_add(ps, proc);
	if (ps->opt.sum)
		sums_write(ps, proc);
	else
		write_file(ps, proc, 0);
	progress_file(ps);
}

/* As things stand now, while it runs on: the tables are read without a stop, as ever.  Prints. */
void
image_snapshot(struct profsup *ps, struct proc *proc, pid_t tid, unsigned number)
{
	struct profile *p = proc->profile;
	struct arcs all;

	read_arcs(proc, tid);
	all = p->arcs;
	if (arcs_copy(&p->arcs, &all) < 0) {
		log_error("%d: %s: no memory for its snapshot", proc->pid, p->place->name);
	} else {
		arcs_subtract(&p->arcs, &p->minus);
		if (ps->opt.sum)
			sums_collect(ps, proc);
		else
			write_file(ps, proc, number);
	}
	arcs_clear(&p->arcs);
	p->arcs = all;
}

/* It counts from here.  The tables are the program's, and go on: what they hold now is taken off
 * from what they will hold.  Prints. */
void
image_zero(struct proc *proc, pid_t tid)
{
	struct profile *p = proc->profile;

	read_arcs(proc, tid);
	arcs_clear(&p->minus);
	if (arcs_copy(&p->minus, &p->arcs) < 0)
		log_error("%d: %s: no memory: its calls still count from before", proc->pid,
		          p->place->name);
	for (const struct hist_bin *bin = p->hist.bins; bin != NULL && !p->off; bin = bin->hh.next)
		bins_put(proc, tid, bin->index, 0);
	bins_flush(proc, tid);
	hist_clear(&p->hist);
	p->outside = 0;
}
