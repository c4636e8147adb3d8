/*
 * Adds up profiles of one executable, whatever address each was loaded at: a sum is a profile with
 * link-time addresses.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include <stdlib.h>
#include <string.h>

/* Whether it is the same version of the same file. */
bool
image_same_file(const struct image_id *a, const struct image_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->changed == b->changed && a->made == b->made;
}

/* Compares what the files say of themselves, so that copies are the same.  Their owners could have
 * forged it: it is enough only where all is one user's. */
bool
image_same_claim(const struct image_id *a, const struct image_id *b)
{
	if (a->build_id_len != 0 || b->build_id_len != 0)
		return a->build_id_len == b->build_id_len &&
		       memcmp(a->build_id, b->build_id, a->build_id_len) == 0;
	return image_same_file(a, b);
}

/* The link-time addresses that the bins stand for. */
struct range {
	uint64_t low, high;
	uint32_t scale;
};

static struct range
range_of(const struct counts *p)
{
	const uint64_t low = p->hist.offset - p->bias;

	return (struct range){ low, low + hist_span(&p->hist, p->hist.nbins), p->hist.scale };
}

/* Returns a range that covers both profiles, with bins no coarser than either's. */
static struct range
both(const struct counts *a, const struct counts *b)
{
	const struct range x = range_of(a), y = range_of(b);

	return (struct range){ x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high,
		               x.scale > y.scale ? x.scale : y.scale };
}

/* Returns the bytes of the range's bins; 0 if there can't be so many. */
static uint64_t
samplesize(const struct range *r)
{
	const unsigned __int128 half = (r->high - r->low + 1) / 2;
	const unsigned __int128 bins =
	    (half * r->scale + PROFSUP_SCALE_ONE - 1) / PROFSUP_SCALE_ONE;

	if (r->high < r->low || bins > PROFSUP_MAX_SAMPLESIZE / sizeof(uint16_t))
		return 0;
	return (uint64_t)bins * sizeof(uint16_t);
}

/* Makes an empty sum for profiles like `p`. */
void
merge_start(struct counts *sum, const struct counts *p)
{
	*sum = (struct counts){
		.low_pc = p->low_pc - p->bias,
		.high_pc = p->high_pc - p->bias,
		.samplesize = p->samplesize,
		.hist = { .offset = p->hist.offset - p->bias,
		          .scale = p->hist.scale,
		          .nbins = p->hist.nbins },
		.since = UINT64_MAX,
	};
}

/* Whether both claim to have the same text, and a histogram can cover both ranges. */
bool
merge_fits(const struct counts *sum, const struct counts *p)
{
	const struct range r = both(sum, p), own = range_of(p);

	return own.low <= own.high && sum->low_pc == p->low_pc - p->bias &&
	       sum->high_pc == p->high_pc - p->bias && samplesize(&r) != 0;
}

static void
add_bins(struct counts *sum, const struct counts *p)
{
	for (const struct hist_bin *bin = p->hist.bins; bin != NULL; bin = bin->hh.next) {
		uint64_t pc = p->hist.offset - p->bias + hist_span(&p->hist, bin->index), index;

		if (!hist_index(&sum->hist, pc, &index) ||
		    hist_add(&sum->hist, index, bin->ticks) == 0)
			sum->outside += bin->ticks;
	}
}

/* The key with link-time addresses (low halves).  A `from` of 0 means "no address" and stays 0. */
static uint64_t
key_in_file(uint64_t key, uint64_t bias)
{
	const uint32_t from = (uint32_t)(key >> 32), self = (uint32_t)key;
	const uint32_t base = (uint32_t)bias;

	return (uint64_t)(from == 0 ? 0 : from - base) << 32 | (uint32_t)(self - base);
}

static int
add_arcs(struct counts *sum, const struct counts *p)
{
	struct arcs moved = { 0 };
	int ret = arcs_copy(&moved, &p->arcs);

	for (size_t i = 0; i < moved.n; i++)
		moved.arc[i].key = key_in_file(moved.arc[i].key, p->bias);
	if (ret == 0)
		ret = arcs_append(&sum->arcs, &moved);
	arcs_clear(&moved);
	return ret;
}

/* The caller has found that `p` fits.  Returns -1 without memory; the sum then has a part of
 * `p`. */
int
merge_add(struct counts *sum, const struct counts *p)
{
	const struct range r = both(sum, p), now = range_of(sum);

	/* To set the same range anew would let rounding extend it each time. */
	if (now.low != r.low || now.high != r.high || now.scale != r.scale)
		counts_set_range(sum, samplesize(&r), r.low, r.scale);
	add_bins(sum, p);
	sum->outside += p->outside;
	if (sum->since > p->since)
		sum->since = p->since;
	stacks_merge(&sum->stacks, &p->stacks);
	return add_arcs(sum, p);
}
