/*
 * Profiles whose call stacks can't be walked yet when their process ends: what is known of its code
 * is still being read, which on a crowded machine may take longer than an end may be held up.  The
 * process is let go; what it has left is kept, and its file is written when the tables have come.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <time.h>

/* Processes that are kept; each has its bins and its calls. */
enum { MOST_LATE = 64 };
/* How long they are waited for at the end of a profile, while some threads can't be let go. */
#define LAST_NS (60 * NSEC)

static unsigned nlate;

/* Keeps a process, whose image has ended.  False: there is no reason to, or no room. */
bool
late_keep(const struct profsup *ps, struct proc *proc)
{
	if (nlate == MOST_LATE || proc->profile->fileless ||
	    (proc->profile->waiting == NULL && !objects_is_made_awaited(proc)))
		return false;
	mapped_ask(ps, proc, NULL);
	proc->end.late = true;
	nlate++;
	return true;
}

/* Writes the file of a process that was kept.  Prints. */
void
late_write(struct profsup *ps, struct proc *proc)
{
	result_write(ps, proc); /* its mappings are not read any more */
	proc->end.late = false;
	nlate--;
}

static bool
may_be_written(const struct profsup *ps, struct proc *proc)
{
	return result_has_stacks(ps, proc) && output_has_room(ps, proc->profile->place);
}

/* Writes the files of processes that have ended, or whose profiles have, and that wait no longer,
 * or of all, with what is known.  Prints. */
void
late_step(struct profsup *ps, bool all)
{
	struct proc **at = &ps->late, *proc;

	while ((proc = *at) != NULL) {
		if (!all && !may_be_written(ps, proc)) {
			at = &proc->next_late;
			continue;
		}
		late_write(ps, proc);
		*at = proc->next_late;
		proc_free(proc);
	}
	for (proc = ps->procs; proc != NULL && nlate > 0; proc = proc->hh.next)
		if (proc->end.late && (all || may_be_written(ps, proc)))
			late_write(ps, proc);
}

/* Whether nothing is late, or a profile has ended so long ago that it is written as it is. */
bool
late_is_enough(const struct profsup *ps)
{
	return nlate == 0 || clock_now() - ps->detach_at > LAST_NS;
}

/* Called at the end of a run: waits as long as tables still come.  Prints. */
void
late_finish(struct profsup *ps)
{
	/* A stack may lead from code that is known by now to more that is to be read. */
	while (nlate > 0 && objects_wait())
		late_step(ps, false);
	late_step(ps, true);
}
