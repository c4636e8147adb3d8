/*
 * hist.c against an oracle that multiplies instead of dividing.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

static const uint32_t scales[] = { 1,     2,     3,     255,   256,   257,  4095,
	                           21845, 32767, 32768, 32769, 65535, 65536 };
#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Exactly the bin that the contract names: bin <= half * scale / 65536 < bin + 1. */
static bool
is_bin_of(uint64_t bin, uint64_t distance, uint32_t scale)
{
	unsigned __int128 at = (unsigned __int128)(distance / 2) * scale;
	unsigned __int128 low = (unsigned __int128)bin * 65536;

	return low <= at && at < low + 65536;
}

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Wrong answers for one scale and many distances, among them those about every power of two. */
static int
wrong_bins(uint32_t scale, uint64_t offset)
{
	const struct hist h = { .nbins = UINT64_MAX, .offset = offset, .scale = scale };
	uint64_t random = 88172645463325252U, index;
	int wrong = 0;

	for (int bit = 0; bit < 64; bit++) {
		for (int64_t near = -3; near <= 3; near++) {
			uint64_t distance = (1UL << bit) + (uint64_t)near;

			if (distance > UINT64_MAX - offset)
				continue;
			wrong += !hist_index(&h, offset + distance, &index) ||
			         !is_bin_of(index, distance, scale);
		}
	}
	for (int i = 0; i < 2000; i++) {
		uint64_t distance = next_random(&random) >> (i % 64);

		if (distance > UINT64_MAX - offset)
			continue;
		wrong += !hist_index(&h, offset + distance, &index) ||
		         !is_bin_of(index, distance, scale);
	}
	return wrong;
}

static void
bins_are_exact(void)
{
	static const uint64_t offsets[] = { 0, 0x400000, 0x401001, 0x7ffff7dd0000, 1UL << 63 };

	for (size_t s = 0; s < N(scales); s++) {
		int wrong = 0;

		for (size_t o = 0; o < N(offsets); o++)
			wrong += wrong_bins(scales[s], offsets[o]);
		is_int(wrong, 0, "with scale %u every pc has the bin that the contract names",
		       scales[s]);
	}
}

static void
known_bins(void)
{
	struct hist h = { .nbins = 100, .offset = 1000, .scale = 65536 };
	uint64_t index = 77;

	ok(!hist_index(&h, 999, &index), "a pc below the offset has no bin");
	ok(!hist_index(&h, 0, &index), "pc 0 has no bin");
	is_int((int64_t)index, 77, "and the index is left alone");
	ok(hist_index(&h, 1000, &index) && index == 0, "the offset itself is in bin 0");
	ok(hist_index(&h, 1001, &index) && index == 0, "and so is the odd byte behind it");
	ok(hist_index(&h, 1002, &index) && index == 1, "at full scale a bin covers 2 bytes");
	ok(hist_index(&h, 1199, &index) && index == 99, "the last byte of the last bin counts");
	ok(!hist_index(&h, 1200, &index), "the byte behind it does not");
	ok(!hist_index(&h, UINT64_MAX, &index), "nor does the last address there is");
	h.scale = 32768;
	ok(hist_index(&h, 1003, &index) && index == 0, "at half scale a bin covers 4 bytes");
	ok(hist_index(&h, 1004, &index) && index == 1, "and the next one starts behind them");
	h.scale = 1;
	ok(hist_index(&h, 1000 + 131071, &index) && index == 0, "at scale 1 it covers 128 KiB");
	ok(hist_index(&h, 1000 + 131072, &index) && index == 1, "and the next one starts there");
	h.nbins = 0;
	ok(!hist_index(&h, 1000, &index), "a histogram without bins takes nothing");
}

/* The span is the least even distance whose pc is past the last bin. */
static void
span_ends_where_the_bins_do(void)
{
	static const uint64_t counts[] = { 1, 2, 3, 7, 99, 1000, 65535, 65536, 1UL << 31 };

	for (size_t s = 0; s < N(scales); s++) {
		int wrong = 0;

		for (size_t c = 0; c < N(counts); c++) {
			const struct hist h = { .nbins = counts[c], .scale = scales[s] };
			uint64_t span = hist_span(&h, counts[c]), index;

			wrong += span % 2 != 0 || hist_index(&h, span, &index) ||
			         !hist_index(&h, span - 1, &index) || index != counts[c] - 1;
		}
		is_int(wrong, 0, "with scale %u the text range ends where the last bin does",
		       scales[s]);
	}
	for (size_t s = 0; s < N(scales); s++) {
		const struct hist h = { .scale = scales[s] };

		if (hist_span(&h, 0) != 0)
			ok(0, "no bins cover no text at scale %u", scales[s]);
	}
}

static void
counts_are_wide(void)
{
	struct hist h = { .nbins = 10, .scale = 65536 };

	ok(hist_add(&h, 3, 65535) == 65535 && hist_add(&h, 3, 1) == 65536,
	   "a bin takes 65,536 ticks");
	ok(hist_add(&h, 3, 1UL << 40) == 65536 + (1UL << 40), "and 2^40 more");
	ok(hist_add(&h, 9, 5) == 5, "another bin counts for itself");
	is_int((int64_t)h.ticks, (1L << 40) + 65541, "the sum is of all bins");
	is_int(HASH_COUNT(h.bins), 2, "only bins that were hit are kept");
	is_int((int64_t)h.bins->ticks, (1L << 40) + 65536, "and nothing wraps");
	hist_clear(&h);
	ok(h.bins == NULL && h.ticks == 0, "cleared, it holds nothing");
	ok(hist_add(&h, 3, 1) == 1 && h.ticks == 1, "and counts anew");
	hist_clear(&h);
}

int
main(void)
{
	bins_are_exact();
	known_bins();
	span_ends_where_the_bins_do();
	counts_are_wide();
	return done_testing();
}
