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
	return bins_set_range(p, bytes & ~(uint64_t)1, p->counts.low_pc, PROFSUP_SCALE_ONE);
}

/* Whether a file may be made in the working directory.  That of a set-user-ID program has been
 * chosen by its user, who is not to fill with it what he may not write to.  What was linked for us
 * has agreed to this by that; such a program has not. */
static bool
has_own_directory(const struct profsup *ps, const struct tracee *t, const struct profile *p)
{
	struct stat st;

	if (ps->outdir >= 0 || !procfs_is_elevated(t->tid))
		return true;
	return !p->place->may_hang && fstat(p->place->dirfd, &st) == 0 &&
	       st.st_uid == procfs_user(t->proc->pid);
}

/* Fills in a new profile.  Returns NULL, or why that is not possible, with errno or 0. */
static const char *
fill(struct profsup *ps, const struct tracee *t, struct profile *p)
{
	p->bare = true;
	state_follow(ps, p);
	if (profil_call_place(ps, t, -1, p->place) < 0 || take_text(t->proc, p) < 0)
		return "its directory, identity or text can't be read";
	if (has_own_directory(ps, t, p))
		return NULL;
	errno = 0;
	return "it is set-user-ID or set-group-ID, and not in a directory of its user's: "
	       "its file needs -d";
}

/* Gives up a profile.  If descriptors are few, the next program needs those of this one. */
static void
give_up(struct proc *proc, struct profile *p)
{
	const int saved = errno;

	profile_free(p);
	if (saved == EMFILE && proc->mailbox.addr == 0)
		mem_close(proc);
	errno = saved;
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
	if (reason != NULL) {
		give_up(proc, p);
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
