/*
 * The 16-bit bins in the target's own memory: a copy of the supervisor's wide counts.  Several are
 * written in one job: with the next reading of the state, or when that is due.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>

/* Moving bins to new ranges takes no more than 1 / SHARE of our time: a program may have many, and
 * change the range all the time.  A call of profil(2) waits no longer than MOST_PAUSE_NS for that,
 * and not at all behind a move as short as MOVED_SOON_NS. */
enum { SHARE = 50 };
#define MOVED_SOON_NS (NSEC / 10000)
#define MOST_PAUSE_NS NSEC

/*
 * Writes the bins that wait, and reads `len` bytes at `addr` in the same job.  A bin that can't be
 * written turns profiling off for its process.  The user is told at the process's end only: in the
 * middle of an exec the bins are gone as well, but so is the profile.
 */
int
bins_flush_and_read(struct proc *proc, uint64_t addr, void *buf, size_t len)
{
	struct profile *p = proc->profile;
	const size_t n = p->fresh.n;
	int error, ret;

	p->fresh.n = 0;
	if (len != 0)
		p->mode.read_at = clock_now();
	ret = mem_write_16_and_read(proc, p->fresh.bin, n, &error, addr, buf, len);
	if (n != 0 && error == EFAULT)
		p->off = true;
	else if (error == EAGAIN)
		p->fresh.n = n;
	return ret;
}

void
bins_flush(struct proc *proc)
{
	bins_flush_and_read(proc, 0, NULL, 0);
}

/* Writes the bins that no reading of the state has taken along. */
void
bins_tick(const struct profsup *ps, struct proc *proc, uint64_t now)
{
	struct profile *p = proc->profile;

	if (p->fresh.n != 0 && now >= p->mode.read_at + profile_calm_ns(ps, p->paid.began, now))
		bins_flush(proc);
}

/* Most samples hit a few bins: a bin that waits already only gets its new count. */
static bool
replace(struct profile *p, uint64_t addr, uint16_t value)
{
	for (size_t i = p->fresh.n; i-- > 0;)
		if (p->fresh.bin[i].addr == addr) {
			p->fresh.bin[i].value = value;
			return true;
		}
	return false;
}

void
bins_put(struct proc *proc, uint64_t index, uint16_t value)
{
	struct profile *p = proc->profile;
	const uint64_t addr = p->buf_addr + sizeof(struct profsup_header) + index * sizeof(value);

	/* Bins in shared memory belong to the process that the memory belongs to, and a program
	 * that we have attached to, or that was not linked for us, may have no room for bins. */
	if (proc->shares_memory || p->attached || p->bare)
		return;
	if (replace(p, addr, value))
		return;
	if (p->fresh.n == BINS_FRESH)
		bins_flush(proc);
	if (proc->profile->fresh.n == BINS_FRESH)
		return; /* its memory is late: the count is written with a later one */
	p->fresh.bin[p->fresh.n++] = (struct mem_16){ addr, value };
}

/* Gives the bins another range, and drops those that wait, whose addresses are of the old range.
 * False with ETIMEDOUT: not yet. */
bool
bins_set_range(struct profile *p, uint64_t samplesize, uint64_t offset, uint32_t scale)
{
	const uint64_t now = clock_now();
	uint64_t took, pause;

	if (counts_has_range(&p->counts, samplesize, offset, scale))
		return true;
	if (now < p->mode.range_at) {
		errno = ETIMEDOUT;
		return false;
	}
	p->fresh.n = 0;
	counts_set_range(&p->counts, samplesize, offset, scale);
	took = clock_now() - now;
	pause = took < MOVED_SOON_NS ? 0 : took * SHARE;
	p->mode.range_at = now + took + (pause < MOST_PAUSE_NS ? pause : MOST_PAUSE_NS);
	return true;
}
