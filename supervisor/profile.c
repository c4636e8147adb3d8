/*
 * A registered profile and what it holds: shared by reference where a fork shares it, counted anew
 * where it does not.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct profile *
profile_new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->place = calloc(1, sizeof(*p->place));
	if (p->place == NULL) {
		free(p);
		return NULL;
	}
	p->started = time(NULL);
	p->began = sampler_now();
	p->place->refs = 1;
	p->place->dirfd = -1;
	return p;
}

/* A forked child's: the same buffer and place, nothing counted. */
struct profile *
profile_fork(const struct profile *from)
{
	struct profile *p = malloc(sizeof(*p));

	if (p == NULL)
		return NULL;
	*p = *from;
	p->started = time(NULL);
	p->began = sampler_now();
	p->forked = true;
	p->hist.bins = NULL;
	p->hist.ticks = 0;
	p->arcs = p->minus = (struct arcs){ 0 };
	p->nfresh = 0;
	desk_fork(p);
	p->arcs_cpu = 0;
	p->outside = 0;
	p->since = p->cpu_before = p->cpu = p->seen = p->viewed = 0;
	if (p->events != NULL)
		p->events->refs++;
	place_share(p->place);
	return p;
}

/* The bins and the header must lie in the buffer, and the buffer in an address space. */
bool
profile_sizes_fit(uint64_t buf_addr, uint64_t buflen, uint64_t samplesize)
{
	const uint64_t header = sizeof(struct profsup_header);
	uint64_t end;

	return buflen <= PROFSUP_MAX_BUFLEN && samplesize <= PROFSUP_MAX_SAMPLESIZE &&
	       buflen >= header && samplesize <= buflen - header &&
	       !__builtin_add_overflow(buf_addr, buflen, &end);
}

/* The bins of the same buffer get other addresses; what was counted keeps its own.  The sizes were
 * checked. */
int
profile_set_geometry(struct profile *p, uint64_t samplesize, uint64_t offset, uint32_t scale)
{
	struct hist old = p->hist;
	struct hist_bin *bin, *next;
	int ret = 0;

	if (old.offset == offset && old.scale == scale && p->samplesize == samplesize)
		return 0;
	p->samplesize = samplesize;
	p->nfresh = 0;
	p->hist = (struct hist){ .offset = offset,
		                 .scale = scale,
		                 .nbins = samplesize / sizeof(uint16_t) };
	HASH_ITER (hh, old.bins, bin, next) {
		uint64_t index, pc = old.offset + hist_span(&old, bin->index);

		if (!hist_index(&p->hist, pc, &index)) {
			p->outside += bin->ticks;
		} else if (hist_add(&p->hist, index, bin->ticks) == 0) {
			p->outside += bin->ticks;
			ret = -1;
		}
	}
	hist_clear(&old);
	return ret;
}

void
profile_free(struct profile *p)
{
	if (p == NULL)
		return;
	desk_close(p);
	perf_events_drop(p->events);
	hist_clear(&p->hist);
	arcs_clear(&p->arcs);
	arcs_clear(&p->minus);
	place_drop(p->place);
	free(p);
}

struct place *
place_share(struct place *place)
{
	place->refs++;
	return place;
}

void
place_drop(struct place *place)
{
	if (--place->refs > 0)
		return;
	if (place->dirfd >= 0)
		close(place->dirfd);
	identity_free(&place->id);
	free(place);
}

void
identity_free(struct identity *id)
{
	free(id->groups);
	*id = (struct identity){ 0 };
}
