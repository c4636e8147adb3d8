/*
 * dialect.c against an oracle that searches the bin by comparing products, in 128 bits, instead of
 * computing it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define BUF      0x10000UL

typedef unsigned __int128 wide;

/* One range and room for more. */
static struct dialect *
dialect_of(uint64_t call, size_t n)
{
	struct dialect *d = calloc(1, sizeof(*d) + n * sizeof(d->range[0]));

	if (d == NULL)
		bail("no memory");
	d->call = call;
	d->width = 2;
	d->n = n;
	return d;
}

static const struct {
	uint64_t call;
	unsigned width;
	const char *name;
} calls[] = {
	{ PROFSUP_CALL_BSD, 2, "BSD" },
	{ PROFSUP_CALL_ILLUMOS, 2, "illumos" },
	{ PROFSUP_CALL_AIX, 2, "AIX" },
	{ PROFSUP_CALL_SPROFIL, 2, "sprofil, 16 bits" },
	{ PROFSUP_CALL_SPROFIL, 4, "sprofil, 32 bits" },
};

/*
 * Is `bin` the one of this distance?  BSD: [distance / width] * scale / 65536, the bracket whole.
 * illumos and AIX: distance * scale / 65536 is a place between bytes, two of which are a bin.
 */
static bool
is_bin_of(uint64_t call, unsigned width, uint64_t bin, uint64_t distance, uint64_t scale)
{
	wide at = (wide)distance * scale, each = (wide)65536 * 2;

	if (call == PROFSUP_CALL_BSD || call == PROFSUP_CALL_SPROFIL) {
		at = (wide)(distance - distance % width) / width * scale;
		each = 65536;
	}
	if (call == PROFSUP_CALL_AIX && scale == 1)
		return bin == 0;
	return bin * each <= at && at < (bin + (wide)1) * each;
}

/* Whether dialect_bin() is right about a pc at `distance`, for a buffer that ends before, with, and
 * after the pc's bin. */
static int
wrong_at(struct dialect *d, uint64_t distance)
{
	struct dialect_range *r = &d->range[0];
	uint64_t bin, index;
	int wrong = 0;

	if (distance >= UINT64_MAX - r->offset) /* no code is at the last address */
		return 0;
	r->size = UINT64_MAX - BUF;
	bin = dialect_bin(d, r->offset + distance);
	index = (bin - BUF) / d->width;
	if (bin == 0) /* past the end of all memory? */
		return is_bin_of(d->call, d->width, r->size / d->width - 1, distance, r->scale);
	wrong += !is_bin_of(d->call, d->width, index, distance, r->scale);
	wrong += (bin - BUF) % d->width != 0;
	if (index >= UINT64_MAX / 16)
		return wrong;
	r->size = (index + 1) * d->width;
	wrong += dialect_bin(d, r->offset + distance) != bin;
	r->size--;
	wrong += dialect_bin(d, r->offset + distance) != 0;
	r->size += 2;
	wrong += dialect_bin(d, r->offset + distance) != bin;
	return wrong;
}

static void
all_scales(void)
{
	static const uint64_t offsets[] = { 0,
		                            1,
		                            0x400000,
		                            0x401001,
		                            0x7ffff7dd0000,
		                            1UL << 63,
		                            UINT64_MAX - 70000,
		                            UINT64_MAX - 1 };
	static const uint64_t distances[] = { 0,         1,
		                              2,         3,
		                              4,         7,
		                              255,       256,
		                              65535,     65536,
		                              65537,     131071,
		                              131072,    (1UL << 32) - 1,
		                              1UL << 32, (1UL << 47) + 1,
		                              1UL << 63, UINT64_MAX - 2 };

	for (size_t c = 0; c < N(calls); c++) {
		struct dialect *d = dialect_of(calls[c].call, 1);
		int wrong = 0;

		d->width = calls[c].width;
		d->range[0] = (struct dialect_range){ .buf = BUF, .end = UINT64_MAX };
		for (uint64_t scale = 1; scale <= 65536; scale++)
			for (size_t o = 0; o < N(offsets); o++)
				for (size_t i = 0; i < N(distances); i++) {
					d->range[0].scale = scale;
					d->range[0].offset = offsets[o];
					/* sprofil's overflow is another thing. */
					if (offsets[o] == 0 && scale == 2 &&
					    calls[c].call == PROFSUP_CALL_SPROFIL)
						continue;
					wrong += wrong_at(d, distances[i]);
				}
		is_int(wrong, 0,
		       "%s: at all scales, for buffers that end before, with and after it, the bin "
		       "is exact",
		       calls[c].name);
		d->range[0].scale = 0;
		d->range[0].offset = 0;
		d->range[0].size = UINT64_MAX - BUF;
		ok(dialect_bin(d, 0) == 0 && dialect_bin(d, 12345) == 0,
		   "%s: at scale 0 nothing has one", calls[c].name);
		d->range[0].scale = 65535;
		d->range[0].offset = 1000;
		ok(dialect_bin(d, 999) == 0 && dialect_bin(d, 0) == 0 &&
		       dialect_bin(d, 1000) == BUF,
		   "%s: below the offset nothing has one", calls[c].name);
		d->range[0].size = d->width - 1;
		ok(dialect_bin(d, 1000) == 0, "%s: a buffer smaller than a bin has none",
		   calls[c].name);
		free(d);
	}
}

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void
at_random(uint64_t seed)
{
	const uint64_t first = seed;
	int wrong = 0;

	for (int i = 0; i < 500000; i++) {
		const size_t c = next_random(&seed) % N(calls);
		struct dialect *d = dialect_of(calls[c].call, 1);

		d->width = calls[c].width;
		d->range[0].buf = BUF;
		d->range[0].end = UINT64_MAX;
		d->range[0].scale = 3 + next_random(&seed) % 65534;
		d->range[0].offset = next_random(&seed) >> next_random(&seed) % 64;
		wrong += wrong_at(d, next_random(&seed) >> next_random(&seed) % 64);
		free(d);
	}
	is_int(wrong, 0, "half a million of any dialect, scale, offset and pc, from seed %llu",
	       (unsigned long long)first);
}

static void
known_bins(void)
{
	struct dialect *d = dialect_of(PROFSUP_CALL_ILLUMOS, 1);

	d->range[0] = (struct dialect_range){ BUF, 1 << 20, 0x1000, UINT64_MAX, 0x4000 };
	ok(dialect_bin(d, 0x1007) == BUF && dialect_bin(d, 0x1008) == BUF + 2,
	   "illumos: 0x4000 maps 8 bytes to a counter");
	d->range[0].scale = 2;
	ok(dialect_bin(d, 0x1000 + 65535) == BUF && dialect_bin(d, 0x1000 + 65536) == BUF + 2,
	   "illumos: 2 maps 65,536 bytes to a counter");
	d->range[0].scale = 0xffff;
	ok(dialect_bin(d, 0x1003) == BUF + 2 && dialect_bin(d, 0x1002) == BUF &&
	       dialect_bin(d, 0x1000 + 200) == BUF + 198,
	   "illumos: 0xffff is nearly 2 bytes to a counter");
	d->call = PROFSUP_CALL_AIX;
	d->range[0].scale = 0x7fff;
	ok(dialect_bin(d, 0x1003) == BUF && dialect_bin(d, 0x1005) == BUF + 2,
	   "AIX: 0x7fff maps nearly 4 bytes to a short");
	d->range[0].scale = 1;
	ok(dialect_bin(d, UINT64_MAX - 1) == BUF, "AIX: 1 maps everything to the first short");
	d->range[0].end = 0x2000;
	ok(dialect_bin(d, 0x1fff) == BUF && dialect_bin(d, 0x2000) == 0,
	   "AIX: p_high is not in the range");
	d->call = PROFSUP_CALL_BSD;
	d->range[0] = (struct dialect_range){ BUF, 1 << 20, 0x1000, UINT64_MAX, 65536 };
	ok(dialect_bin(d, 0x1001) == BUF && dialect_bin(d, 0x1002) == BUF + 2,
	   "BSD: 65536 is a bin for 2 bytes");
	d->range[0].scale = 1;
	ok(dialect_bin(d, 0x1000 + 131071) == BUF && dialect_bin(d, 0x1000 + 131072) == BUF + 2,
	   "BSD: 1 is a bin for 128 KiB");
	free(d);
}

static void
many_ranges(void)
{
	struct dialect *d = dialect_of(PROFSUP_CALL_SPROFIL, 4);

	d->range[0] = (struct dialect_range){ 0x9000, 2, 0, UINT64_MAX, 2 };
	d->range[1] = (struct dialect_range){ 0xa000, 20, 0x1000, UINT64_MAX, 65536 };
	d->range[2] = (struct dialect_range){ 0xb000, 40, 0x1000, UINT64_MAX, 65536 };
	d->range[3] = (struct dialect_range){ 0xc000, 20, 0x3000, UINT64_MAX, 0 };
	ok(dialect_bin(d, 0x1000) == 0xa000, "sprofil: of two ranges the first one counts");
	ok(dialect_bin(d, 0x1000 + 20) == 0xb000 + 20, "and where that ends, the second");
	ok(dialect_bin(d, 0x1000 + 40) == 0x9000,
	   "what no range has is in the overflow's first bin");
	ok(dialect_bin(d, 0xfff) == 0x9000 && dialect_bin(d, UINT64_MAX) == 0x9000,
	   "also below and far above them");
	ok(dialect_bin(d, 0x3000) == 0x9000, "a range of scale 0 has nothing");
	d->range[0].size = 1;
	ok(dialect_bin(d, 0) == 0, "an overflow without room for a bin takes nothing");
	d->range[0].size = 2;
	d->width = 4;
	ok(dialect_bin(d, 0) == 0 && dialect_bin(d, 0x1003) == 0xa000 &&
	       dialect_bin(d, 0x1004) == 0xa004,
	   "with bins of 32 bits all sizes are in 4 bytes");
	d->range[0].scale = 3;
	ok(dialect_bin(d, 0x100) != 0x9000 || d->range[0].size < 4,
	   "only scale 2 at offset 0 is the overflow");
	free(d);
}

static void
counts(void)
{
	struct dialect *d = dialect_of(PROFSUP_CALL_BSD, 1);
	static const uint64_t wrapping[] = { PROFSUP_CALL_BSD, PROFSUP_CALL_AIX,
		                             PROFSUP_CALL_SPROFIL };
	bool full = true;

	for (size_t i = 0; i < N(wrapping); i++) {
		d->call = wrapping[i];
		ok(dialect_count(d->call, d->width, 65535, 1, &full) == 0 && !full &&
		       dialect_count(d->call, d->width, 65000, 1000, &full) == 464 &&
		       dialect_count(d->call, d->width, 7, 1UL << 40, &full) == 7 &&
		       dialect_count(d->call, d->width, 32767, 1, &full) == 32768 && !full,
		   "call %llu: 16-bit bins wrap around at 65,536, by any weight",
		   (unsigned long long)wrapping[i]);
	}
	d->width = 4;
	ok(dialect_count(d->call, d->width, 65535, 1, &full) == 65536 &&
	       dialect_count(d->call, d->width, UINT32_MAX, 1, &full) == 0 &&
	       dialect_count(d->call, d->width, UINT32_MAX - 1, 5, &full) == 3 && !full,
	   "32-bit bins do so at 2^32");
	d->width = 2;
	d->call = PROFSUP_CALL_ILLUMOS;
	ok(dialect_count(d->call, d->width, 0, 1, &full) == 1 && !full,
	   "illumos: a bin goes up by one");
	ok(dialect_count(d->call, d->width, 32765, 1, &full) == 32766 && !full,
	   "up to 32766 nothing happens");
	ok(dialect_count(d->call, d->width, 32766, 1, &full) == 32767 && full,
	   "the count that reaches 32767 is the end");
	ok(dialect_count(d->call, d->width, 32000, 5000, &full) == 32767 && full,
	   "and so if a weight would carry it further");
	ok(dialect_count(d->call, d->width, 0, UINT64_MAX, &full) == 32767 && full, "however far");
	ok(dialect_count(d->call, d->width, 40000, 1, &full) == 40000 && full,
	   "a count of the program's that is above stays");
	free(d);
}

static void
rates(void)
{
	static const unsigned rate[] = { 1, 7, 50, 59, 60, 61, 100, 997, 1000, 10000 };
	struct dialect *d = dialect_of(PROFSUP_CALL_AIX, 1);
	uint64_t seed = 424242;

	d->hz = 60;
	for (size_t i = 0; i < N(rate); i++) {
		uint64_t given = 0, got = 0;
		int wrong = 0;

		d->owed = 0;
		for (int n = 0; n < 100000; n++) {
			const uint64_t ticks = next_random(&seed) % 5;

			given += ticks;
			got += dialect_ticks(d, ticks, rate[i]);
			wrong += got != given * 60 / rate[i];
		}
		is_int(wrong, 0,
		       "%u Hz as 60 Hz: at any time no tick more or less than the time says",
		       rate[i]);
	}
	d->hz = 0;
	is_int((int64_t)dialect_ticks(d, 12345, 100), 12345,
	       "without a rate of its own each tick is one");
	free(d);
}

/* AIX's p_scale. */
static void
aix_ranges(void)
{
	struct profsup_aix_range from = {
		.low = 0x1000, .high = 0x2000, .buf = BUF, .bufsize = 0x800, .scale = -1
	};
	uint64_t seed = 99;
	int wrong = 0;

	is_int((int64_t)dialect_aix_range(&from).scale, 0x8000,
	       "half a byte of bins for each byte of text is 0x8000");
	from.bufsize = 0x1000;
	is_int((int64_t)dialect_aix_range(&from).scale, 0xffff,
	       "a byte for each is 0xffff, the largest there is");
	from.bufsize = 0x7fffffff;
	is_int((int64_t)dialect_aix_range(&from).scale, 0xffff, "and so is more");
	from.bufsize = 0;
	is_int((int64_t)dialect_aix_range(&from).size, 0, "no buffer");
	from.bufsize = -5;
	is_int((int64_t)dialect_aix_range(&from).size, 0, "a size below 0 is none");
	from.bufsize = 100;
	from.high = from.low;
	is_int((int64_t)dialect_aix_range(&from).scale, 0, "an empty range is off");
	from.high = from.low - 1;
	is_int((int64_t)dialect_aix_range(&from).scale, 0, "and one that ends before it starts");
	from.high = 0x2000;
	from.scale = 0x54321;
	is_int((int64_t)dialect_aix_range(&from).scale, 0x4321,
	       "any other scale counts by its low 16 bits");
	from.scale = 0x10000;
	is_int((int64_t)dialect_aix_range(&from).scale, 0, "which may be 0: off");
	from.scale = -2;
	is_int((int64_t)dialect_aix_range(&from).scale, 0xfffe, "also below 0");
	for (int i = 0; i < 100000; i++) {
		struct dialect *d = dialect_of(PROFSUP_CALL_AIX, 1);
		uint64_t last;

		from.low = next_random(&seed) >> next_random(&seed) % 40;
		from.high = from.low + 2 + (next_random(&seed) >> (20 + next_random(&seed) % 40));
		from.bufsize = (int32_t)(2 + (next_random(&seed) & 0xffffff));
		from.scale = -1;
		if (from.high <= from.low)
			from.high = UINT64_MAX;
		d->range[0] = dialect_aix_range(&from);
		last = dialect_bin(d, from.high - 1);
		wrong += d->range[0].scale > 0xffff || d->range[0].scale == 0;
		/* Too much text for any scale, 1, which counts all of it in one place. */
		wrong += dialect_bin(d, from.low) != BUF || last < BUF ||
		         last + 2 > BUF + (uint64_t)from.bufsize;
		wrong += dialect_bin(d, from.high) != 0;
		free(d);
	}
	is_int(wrong, 0,
	       "with -1 a range's first and last byte have bins in the buffer, and none behind it "
	       "has");
}

int
main(void)
{
	all_scales();
	at_random(88172645463325252U);
	known_bins();
	many_ranges();
	counts();
	rates();
	aix_ranges();
	return done_testing();
}
