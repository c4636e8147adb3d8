/*
 * The range of a profile's bins, and how it changes.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

/* The bins and the header must lie in the buffer, and the buffer in an address space. */
bool
counts_fit(uint64_t buf_addr, uint64_t buflen, uint64_t samplesize)
{
	const uint64_t header = sizeof(struct profsup_header);
	uint64_t end;

	return buflen <= PROFSUP_MAX_BUFLEN && samplesize <= PROFSUP_MAX_SAMPLESIZE &&
	       buflen >= header && samplesize <= buflen - header &&
	       !__builtin_add_overflow(buf_addr, buflen, &end);
}

bool
counts_has_range(const struct counts *p, uint64_t samplesize, uint64_t offset, uint32_t scale)
{
	return p->hist.offset == offset && p->hist.scale == scale && p->samplesize == samplesize;
}

/* Makes the buffer's bins stand for other addresses; ticks counted so far go to the new bins of
 * their old addresses.  The caller has checked the sizes. */
void
counts_set_range(struct counts *p, uint64_t samplesize, uint64_t offset, uint32_t scale)
{
	struct hist old = p->hist;

	if (counts_has_range(p, samplesize, offset, scale))
		return;
	p->samplesize = samplesize;
	p->hist = (struct hist){ .offset = offset,
		                 .scale = scale,
		                 .nbins = samplesize / sizeof(uint16_t) };
	while (old.bins != NULL) {
		uint64_t index;
		const uint64_t ticks = hist_take(&old, &index);

		if (!hist_index(&p->hist, old.offset + hist_span(&old, index), &index) ||
		    hist_add(&p->hist, index, ticks) == 0)
			p->outside += ticks;
	}
}

/* Forgets what has been counted; the range stays. */
void
counts_clear(struct counts *p)
{
	hist_clear(&p->hist);
	arcs_clear(&p->arcs);
	arcs_clear(&p->minus);
	stacks_clear(&p->stacks);
	p->outside = 0;
	p->since = UINT64_MAX;
}
