/*
 * -a: programs that were not linked for us have samples and call stacks, and no calls.  The profile
 * begins with the image, in its working directory and with its rights then, as if it had made a
 * profil call.  Its bins, for its own text alone, are ours only.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Whether a program can be profiled so. */
bool
bare_fits(const struct profsup *ps, const struct elf_info *elf)
{
	return ps->opt.any && elf->is_elf && !elf->foreign && elf->text_low < elf->text_high;
}

/* Takes where the program's text is. */
static int
take_text(const struct proc *proc, struct profile *p)
{
	const struct elf_info *elf = &proc->image.elf;
	uint64_t entry, bytes = elf->text_high - elf->text_low;

	if (procfs_entry(proc->pid, &entry) < 0)
		return -1;
	if (bytes > PROFSUP_MAX_SAMPLESIZE)
		bytes = PROFSUP_MAX_SAMPLESIZE;
	p->counts.bias = entry - elf->entry;
	p->counts.low_pc = elf->text_low + p->counts.bias;
	p->counts.high_pc = elf->text_high + p->counts.bias;
	bins_set_range(p, bytes & ~(uint64_t)1, p->counts.low_pc, PROFSUP_SCALE_ONE);
	return 0;
}

/* Called when a program is known: it may become its file's owner wholly, and execute others. */
void
bare_note_user(const struct profsup *ps, struct proc *proc)
{
	struct elevated *by = &proc->elevated;

	if (!ps->opt.any || ps->outdir >= 0 || by->is || !procfs_is_elevated(proc->pid))
		return;
	by->user = procfs_user(proc->pid, &by->group);
	by->is = by->user != 0; /* root may make files anywhere */
}

/* Whether a file may be made in the working directory.  That of a set-user-ID program, and of what
 * it executes, may have been chosen by its user, who is not to fill with it what he may not write
 * to.  What was linked for us has agreed to this by that; such a program has not. */
static bool
has_own_directory(const struct profsup *ps, const struct proc *proc, const struct profile *p)
{
	const struct elevated *by = &proc->elevated;
	const struct identity *id = &p->place->id;
	struct stat st;

	if (ps->outdir >= 0 || !by->is || (id->uid == by->user && id->gid == by->group))
		return true;
	return !p->place->may_hang && fstat(p->place->dirfd, &st) == 0 && st.st_uid == by->user;
}

/* Fills in a new profile.  Returns NULL, or why that is not possible, with errno or 0. */
static const char *
fill(struct profsup *ps, const struct tracee *t, struct profile *p)
{
	p->bare = true;
	state_follow(ps, p);
	if (profil_call_place(ps, t, -1, p->place) < 0 || take_text(t->proc, p) < 0)
		return "its directory, identity or text can't be read";
	if (has_own_directory(ps, t->proc, p))
		return NULL;
	errno = 0;
	return "it has other rights than who has started it, and is not in that user's directory: "
	       "its file needs -d";
}

/* Starts the profile of a process that is stopped at its exec, or was found to be ours.  Returns
 * NULL, or why that is not possible, with errno; 0: because of what the program is. */
const char *
bare_start(struct profsup *ps, struct proc *proc)
{
	const struct tracee *t = tracee_live(proc);
	const char *reason;
	struct profile *p;

	errno = ESRCH;
	if (t == NULL)
		return "it has ended";
	if (proc->profile != NULL)
		return NULL;
	if (proc->vm.memory == NULL && mem_open(proc, t->tid) < 0)
		return "its memory can't be opened";
	p = profile_new();
	errno = ENOMEM;
	if (p == NULL)
		return "there is no memory for its profile";
	reason = fill(ps, t, p);
	/* With -p it runs, and all this may have been another program's. */
	if (reason == NULL && trace_has_changed(t->tid)) {
		errno = ESRCH;
		reason = "it has ended or executed another program meanwhile";
	}
	if (reason != NULL) {
		profile_give_up(proc, p);
		return reason;
	}
	proc->profile = p;
	objects_note_program(ps, proc);
	ps->stats.profiled++;
	ps->stats.bare++;
	sampler_start_process(ps, proc);
	window_first_profile(ps);
	return NULL;
}
