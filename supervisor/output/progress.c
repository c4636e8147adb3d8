/*
 * The line on the terminal while many files are being written at the end of a run.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

/* If writing takes longer than PATIENCE, the terminal shows it, renewed every REFRESH. */
#define PATIENCE_NS (NSEC / 5)
#define REFRESH_NS  (NSEC / 10)

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
	unsigned n = output_under_way();

	for (const struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		n += proc->profile != NULL && !proc->end.done;
	return n;
}

/* Called now and then. */
void
progress_tick(const struct profsup *ps)
{
	static uint64_t began, told;
	const uint64_t now = clock_now();
	const unsigned left = output_under_way() == 0 || !is_ending(ps) ? 0 : files_left(ps);

	if (left == 0) {
		if (told != 0)
			log_progress_end();
		began = told = 0;
		return;
	}
	if (began == 0)
		began = now;
	if (now - began < PATIENCE_NS || now - told < REFRESH_NS)
		return;
	told = now;
	log_progress("writing files: %llu of %llu", (unsigned long long)ps->written.files,
	             (unsigned long long)ps->written.files + left);
}

/* Called at the end of a run: waits for all files. */
void
progress_wait(struct profsup *ps)
{
	const struct timespec moment = { .tv_nsec = NSEC / 500 };

	while (output_step(ps)) {
		progress_tick(ps);
		nanosleep(&moment, NULL);
	}
}
