/*
 * A histogram of program counters: 64-bit counts, kept only for bins that were hit.  Knows nothing
 * of the system.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include "share.h"

#include <stdlib.h>

/* Bins of all histograms together: 50 MB.  One has no more of them than are free. */
enum { MOST_BINS = 1 << 19 };

static size_t held;

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

/* NULL if there is no room. */
static struct hist_bin *
new_bin(struct hist *h, uint64_t index)
{
	struct hist_bin *bin;

	if (share_left(HASH_COUNT(h->bins), held, MOST_BINS) == 0 ||
	    (bin = calloc(1, sizeof(*bin))) == NULL)
		return NULL;
	bin->index = index;
	bin->mixed = secret_mix(index);
	HASH_ADD(hh, h->bins, mixed, sizeof(bin->mixed), bin);
	if (bin->hh.tbl == NULL) {
		free(bin);
		return NULL;
	}
	held++;
	return bin;
}

/* Returns the bin's new count; 0 if there is no room. */
uint64_t
hist_add(struct hist *h, uint64_t index, uint64_t ticks)
{
	const uint64_t mixed = secret_mix(index);
	struct hist_bin *bin;

	HASH_FIND(hh, h->bins, &mixed, sizeof(mixed), bin);
	if (bin == NULL && (bin = new_bin(h, index)) == NULL)
		return 0;
	bin->ticks += ticks;
	h->ticks += ticks;
	return bin->ticks;
}

/* Takes out a bin, which may be any.  Returns its ticks. */
uint64_t
hist_take(struct hist *h, uint64_t *index)
{
	struct hist_bin *bin = h->bins;
	const uint64_t ticks = bin->ticks; /* NOLINT(*-unix.Malloc): uthash resets the head */

	*index = bin->index;
	HASH_DEL(h->bins, bin);
	free(bin);
	held--;
	return ticks;
}

void
hist_clear(struct hist *h)
{
	uint64_t index;

	while (h->bins != NULL)
		hist_take(h, &index);
	h->ticks = 0;
}
