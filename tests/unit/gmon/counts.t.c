/*
 * counts.c: which ranges fit, and what happens to ticks when the range changes; and buffer.c, the
 * bytes of a file, most of which are zeros.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "profsup_abi.h"
#include "tap.h"

enum { HEADER = sizeof(struct profsup_header), TEXT = 0x1000 };
#define BINS 0x800UL

static void
test_fit(void)
{
	const uint64_t most = PROFSUP_MAX_SAMPLESIZE;

	ok(counts_fit(4096, HEADER, 0) && !counts_fit(4096, HEADER - 1, 0), "no bins");
	ok(counts_fit(4096, HEADER + 2, 2) && !counts_fit(4096, HEADER + 1, 2), "one");
	ok(!counts_fit(4096, 0, 0) && !counts_fit(4096, 8, most), "less than the header");
	ok(counts_fit(4096, HEADER + most, most) && !counts_fit(4096, HEADER + most + 2, most + 2),
	   "as many as may be");
	ok(counts_fit(4096, PROFSUP_MAX_BUFLEN, 2) && !counts_fit(4096, PROFSUP_MAX_BUFLEN + 1, 2),
	   "the largest buffer");
	ok(counts_fit(UINT64_MAX - 4096, 4096, 2) && !counts_fit(UINT64_MAX - 4095, 4096, 2),
	   "the end of all addresses");
}

/* Ticks at an address; UINT64_MAX: it has no bin. */
static void
tick(struct counts *c, uint64_t pc, uint64_t ticks)
{
	uint64_t index;

	if (!hist_index(&c->hist, pc, &index) || hist_add(&c->hist, index, ticks) == 0)
		bail("no bin");
}

static uint64_t
take(struct counts *c, uint64_t *pc)
{
	uint64_t index = 0, ticks = 0;

	if (c->hist.bins != NULL) {
		ticks = hist_take(&c->hist, &index);
		*pc = c->hist.offset + hist_span(&c->hist, index);
	}
	return ticks;
}

static void
test_range(void)
{
	struct counts c = { 0 };
	uint64_t pc = 0, index;

	counts_set_range(&c, 2 * BINS, TEXT, PROFSUP_SCALE_ONE);
	is_int((int64_t)c.hist.nbins, (int64_t)BINS, "two bytes a bin");
	ok(hist_index(&c.hist, TEXT + 2 * BINS - 1, &index) && index == BINS - 1 &&
	       !hist_index(&c.hist, TEXT + 2 * BINS, &index) &&
	       !hist_index(&c.hist, TEXT - 1, &index),
	   "a bin for each two bytes of text");
	ok(counts_has_range(&c, 2 * BINS, TEXT, PROFSUP_SCALE_ONE) &&
	       !counts_has_range(&c, 2 * BINS + 2, TEXT, PROFSUP_SCALE_ONE) &&
	       !counts_has_range(&c, 2 * BINS, TEXT + 2, PROFSUP_SCALE_ONE) &&
	       !counts_has_range(&c, 2 * BINS, TEXT, PROFSUP_SCALE_ONE / 2),
	   "the range is known");
	tick(&c, TEXT + 0x10, 7);
	tick(&c, TEXT + 0x900, 5);
	counts_set_range(&c, BINS, TEXT + 0x800, PROFSUP_SCALE_ONE);
	is_int((int64_t)c.outside, 7, "ticks of what has no bin any more are outside");
	ok(take(&c, &pc) == 5 && pc == TEXT + 0x900, "others have their address's");
	is_int((int64_t)take(&c, &pc), 0, "once");
	counts_clear(&c);
	ok(c.outside == 0 && c.since == UINT64_MAX &&
	       counts_has_range(&c, BINS, TEXT + 0x800, PROFSUP_SCALE_ONE),
	   "what is cleared has its range");
}

static void
test_buffer(void)
{
	enum { SIZE = 1 << 20 };
	struct buffer b = { 0 };
	size_t at = 0, len, seen = 0;

	buffer_free(&b);
	if (buffer_new(&b, SIZE) < 0)
		bail("buffer_new");
	buffer_put(&b, "abc", 3);
	buffer_put_at(&b, SIZE / 2, "x", 1);
	b.len = SIZE;
	while ((len = buffer_next(&b, &at)) > 0) {
		for (size_t i = at; i < at + len; i++)
			seen += b.data[i] != 0;
		at += len;
	}
	is_int((int64_t)seen, 4, "all that is no zero is found");
	at = SIZE;
	ok(buffer_next(&b, &at) == 0 && at == SIZE, "nothing is behind the end");
	b.len = 2;
	at = 0;
	is_int((int64_t)buffer_next(&b, &at), 2, "no more than there is");
	buffer_free(&b);
	ok(b.data == NULL && b.len == 0, "then it is empty");
}

int
main(void)
{
	test_fit();
	test_range();
	test_buffer();
	return done_testing();
}
