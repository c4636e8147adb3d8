/*
 * The counts of the older profil(2)s, which are in the program's own memory.  The program tells
 * mailbox.c what to count, and where.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many program counters are written at a time. */
enum { SAMPLES_AT_ONCE = 32 };

/* Room in pcsample's array.  An array that is full, or can't be written, is kept for a call that
 * asks how much is in it. */
static uint64_t
room(const struct dialect *d)
{
	return d->range[0].size / sizeof(uint64_t) - d->taken;
}

bool
dialect_counts(const struct proc *proc)
{
	for (unsigned i = 0; proc->profile != NULL && i < DIALECTS; i++) {
		const struct dialect *d = proc->profile->dialect[i];

		if (d != NULL && (d->call != PROFSUP_CALL_PCSAMPLE || room(d) != 0))
			return true;
	}
	return false;
}

struct dialect *
dialect_new(uint64_t call, size_t ranges)
{
	struct dialect *d = calloc(1, sizeof(*d) + ranges * sizeof(d->range[0]));

	if (d == NULL)
		return NULL;
	d->call = call;
	d->width = sizeof(uint16_t);
	d->n = ranges;
	return d;
}

/* A child counts in its own copy of the buffer. */
void
dialect_fork(struct profile *p)
{
	for (unsigned i = 0; i < DIALECTS; i++) {
		struct dialect *d = p->dialect[i] == NULL ? NULL : dialect_new(0, p->dialect[i]->n);

		if (d != NULL)
			memcpy(d, p->dialect[i], sizeof(*d) + d->n * sizeof(d->range[0]));
		p->dialect[i] = d;
	}
}

void
dialect_close(struct profile *p)
{
	for (unsigned i = 0; i < DIALECTS; i++) {
		free(p->dialect[i]);
		p->dialect[i] = NULL;
	}
}

/* An array that can't be written at some place ends there. */
static void
add_samples(struct proc *proc, struct dialect *d, uint64_t pc, uint64_t ticks)
{
	uint64_t many[SAMPLES_AT_ONCE];

	for (size_t i = 0; i < SAMPLES_AT_ONCE; i++)
		many[i] = pc;
	while (ticks > 0 && room(d) > 0) {
		uint64_t n = ticks < room(d) ? ticks : room(d);

		if (n > SAMPLES_AT_ONCE)
			n = SAMPLES_AT_ONCE;
		if (mem_write(proc, d->range[0].buf + d->taken * sizeof(pc), many, n * sizeof(pc)) <
		    0) {
			if (errno == EFAULT)
				d->range[0].size = d->taken * sizeof(pc);
			return;
		}
		d->taken += n;
		ticks -= n;
	}
}

/* Returns false if the bin can't be written, or is full. */
static bool
add_count(struct proc *proc, const struct dialect *d, uint64_t pc, uint64_t ticks)
{
	const uint64_t bin = dialect_bin(d, pc);
	bool full;

	if (bin == 0)
		return true;
	if (mem_count(proc, d, bin, ticks, &full) < 0)
		return errno != EFAULT;
	return !full;
}

void
dialect_credit(struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks)
{
	if (ps->window.state != WINDOW_OPEN)
		return;
	for (unsigned i = 0; i < DIALECTS; i++) {
		struct dialect *d = proc->profile->dialect[i];
		const uint64_t due = d == NULL ? 0 : dialect_ticks(d, ticks, ps->opt.hz);

		if (due == 0)
			continue;
		if (d->call == PROFSUP_CALL_PCSAMPLE) {
			add_samples(proc, d, pc, due);
		} else if (!add_count(proc, d, pc, due)) {
			log_verbose("%d: profil dialect %u is off: a bin is full, or can't be"
			            " written",
			            proc->pid, i + 1);
			free(d);
			proc->profile->dialect[i] = NULL;
		}
	}
}
