/*
 * The line on the terminal while many files are being written at the end of a run.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

/* Files that come one after the other sooner than GAP are written together.  If that takes longer
 * than PATIENCE, the terminal shows it, renewed every REFRESH. */
#define GAP_NS      (NSEC / 2)
#define PATIENCE_NS (NSEC / 5)
#define REFRESH_NS  (NSEC / 10)

static uint64_t began, last, told;
static unsigned files;

/* Whether the program is ending: until then the terminal is its own. */
static bool
is_ending(const struct profsup *ps)
{
	const struct proc *target = proc_find(ps, ps->target);

	return ps->window.state == WINDOW_OVER || target == NULL || target->live == 0;
}

static unsigned
files_left(const struct profsup *ps)
{
	unsigned n = 0;

	for (const struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		n += proc->profile != NULL && !proc->end.done;
	return n;
}

/* Called when one more file is written. */
void
progress_file(const struct profsup *ps)
{
	const uint64_t now = clock_now();

	if (now - last > GAP_NS) {
		began = now;
		files = 0;
	}
	last = now;
	files++;
	if (now - began < PATIENCE_NS || now - told < REFRESH_NS || !is_ending(ps))
		return;
	told = now;
	log_progress("writing files: %u of %u", files, files + files_left(ps));
}

/* Removes the line if no file has come for a while. */
void
progress_tick(void)
{
	if (told != 0 && clock_now() - last > GAP_NS)
		log_progress_end();
}
