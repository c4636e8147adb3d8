/*
 * A histogram of program counters: 64-bit counts, kept only for bins that were hit.  Knows nothing
 * of the system.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include <stdlib.h>

/* The bin of a pc is [(pc - offset) / 2] * scale / 65536.  False: it is outside. */
bool
hist_index(const struct hist *h, uint64_t pc, uint64_t *index)
{
	unsigned __int128 i;

	if (pc < h->offset)
		return false;
	i = (unsigned __int128)((pc - h->offset) / 2) * h->scale / PROFSUP_SCALE_ONE;
	if (i >= h->nbins)
		return false;
	*index = (uint64_t)i;
	return true;
}

/* Bytes of text that the first `bins` bins cover. */
uint64_t
hist_span(const struct hist *h, uint64_t bins)
{
	unsigned __int128 half = (unsigned __int128)bins * PROFSUP_SCALE_ONE + h->scale - 1;

	return (uint64_t)(half / h->scale) * 2;
}

/* Returns the bin's new count; 0 if there is no memory. */
uint64_t
hist_add(struct hist *h, uint64_t index, uint64_t ticks)
{
	struct hist_bin *bin;

	HASH_FIND(hh, h->bins, &index, sizeof(index), bin);
	if (bin == NULL) {
		bin = calloc(1, sizeof(*bin));
		if (bin == NULL)
			return 0;
		bin->index = index;
		HASH_ADD(hh, h->bins, index, sizeof(bin->index), bin);
		if (bin->hh.tbl == NULL) {
			free(bin);
			return 0;
		}
	}
	bin->ticks += ticks;
	h->ticks += ticks;
	return bin->ticks;
}

void
hist_clear(struct hist *h)
{
	struct hist_bin *bin, *next;

	HASH_ITER (hh, h->bins, bin, next) {
		HASH_DEL(h->bins, bin); /* NOLINT(*-unix.Malloc): uthash resets the head */
		free(bin);
	}
	h->ticks = 0;
}
