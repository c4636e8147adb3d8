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

static struct profile *
make(struct profsup *ps, const struct tracee *t)
{
	struct profile *p = profile_new();

	if (p == NULL)
		return NULL;
	p->bare = true;
	state_follow(ps, p);
	if (profil_call_place(ps, t, -1, p->place) == 0 && take_text(t->proc, p) == 0)
		return p;
	profile_free(p);
	return NULL;
}

/* Starts the profile of a process that is stopped at its exec, or was found to be ours.  Returns
 * NULL, or why that is not possible. */
const char *
bare_start(struct profsup *ps, struct proc *proc)
{
	const struct tracee *t = tracee_live(proc);

	if (t == NULL)
		return "it has ended";
	if (proc->profile != NULL)
		return NULL;
	if (proc->vm.memory == NULL && mem_open(proc, t->tid) < 0)
		return "its memory can't be opened";
	proc->profile = make(ps, t);
	if (proc->profile == NULL)
		return "its directory, identity or text can't be read";
	objects_note_program(ps, proc);
	ps->stats.profiled++;
	ps->stats.bare++;
	sampler_start_process(ps, proc);
	window_first_profile(ps);
	return NULL;
}
