/*
 * Profiles added up: each tick and each call once, at its address in the file, however wide the
 * counts are, wherever the image was loaded and whatever part of it had bins.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

enum { TEXT = 0x400000, TEXT_SIZE = 0x10000, SCALE = PROFSUP_SCALE_ONE / 2 };

/* Bins for [from, from + size) of the text, 4 bytes each, loaded at `bias`. */
static struct counts
some(uint64_t bias, uint64_t from, uint64_t size)
{
	return (struct counts){
		.bias = bias,
		.low_pc = TEXT + bias,
		.high_pc = TEXT + TEXT_SIZE + bias,
		.samplesize = size / 4 * sizeof(uint16_t),
		.hist = { .offset = from + bias, .scale = SCALE, .nbins = size / 4 },
	};
}

static void
tick(struct counts *p, uint64_t pc, uint64_t ticks)
{
	uint64_t index;

	if (!hist_index(&p->hist, pc + p->bias, &index) || hist_add(&p->hist, index, ticks) == 0)
		bail("a tick has no bin");
}

static void
call(struct counts *p, uint64_t from, uint64_t self, uint64_t count)
{
	const uint32_t f = (uint32_t)(from == 0 ? 0 : from + p->bias),
		       s = (uint32_t)(self + p->bias);
	struct arc_count arc = { (uint64_t)f << 32 | s, count };

	arcs_append(&p->arcs, &(struct arcs){ .arc = &arc, .n = 1 });
}

static uint64_t
ticks_at(const struct counts *p, uint64_t pc)
{
	struct hist_bin *bin;
	uint64_t index;

	if (!hist_index(&p->hist, pc, &index))
		return 0;
	HASH_FIND(hh, p->hist.bins, &index, sizeof(index), bin);
	return bin == NULL ? 0 : bin->ticks;
}

static uint64_t
calls_at(const struct counts *p, uint64_t from, uint64_t self)
{
	for (size_t i = 0; i < p->arcs.n; i++)
		if (p->arcs.arc[i].key == (from << 32 | self))
			return p->arcs.arc[i].count;
	return 0;
}

static void
drop(struct counts *p)
{
	hist_clear(&p->hist);
	arcs_clear(&p->arcs);
}

/* Adds it and is done with it. */
static bool
add(struct counts *sum, struct counts *p)
{
	bool good = merge_fits(sum, p) && merge_add(sum, p) == 0;

	drop(p);
	return good;
}

static void
wherever_loaded(void)
{
	struct counts a = some(0, TEXT, TEXT_SIZE), b = some(0x7f1200000000, TEXT, TEXT_SIZE), sum;

	tick(&a, TEXT, 5);
	tick(&a, TEXT + 0x104, 40000);
	tick(&b, TEXT + 0x104, 40000);
	tick(&b, TEXT + TEXT_SIZE - 4, 9);
	call(&a, TEXT + 8, TEXT + 0x100, 3000000000);
	call(&b, TEXT + 8, TEXT + 0x100, 3000000000);
	call(&b, TEXT + 12, TEXT + 0x100, 2);
	call(&a, 0, TEXT, 1);
	call(&b, 0, TEXT, 1);
	a.since = 7000;
	b.since = 9000;
	a.outside = 3;
	b.outside = 4;
	merge_start(&sum, &b);
	ok(add(&sum, &a) && add(&sum, &b), "images at two addresses fit");
	ok(ticks_at(&sum, TEXT) == 5 && ticks_at(&sum, TEXT + TEXT_SIZE - 4) == 9,
	   "each has its ticks at the address in the file");
	is_int((int64_t)ticks_at(&sum, TEXT + 0x104), 80000, "a bin may have more than 65,535");
	is_int((int64_t)sum.hist.ticks, 80014, "there are no others");
	is_int((int64_t)calls_at(&sum, TEXT + 8, TEXT + 0x100), 6000000000,
	       "equal arcs add up, to more than 32 bits");
	is_int((int64_t)calls_at(&sum, TEXT + 12, TEXT + 0x100), 2, "another call site is another");
	is_int((int64_t)calls_at(&sum, 0, TEXT), 2, "an unknown caller stays unknown");
	is_int((int64_t)sum.arcs.n, 3, "there are no other arcs");
	ok(sum.since == 7000 && sum.outside == 7,
	   "from the first one's beginning, ticks outside too");
	drop(&sum);
}

static void
part_of_the_text(void)
{
	for (int order = 0; order < 2; order++) {
		struct counts all = some(0, TEXT, TEXT_SIZE), part = some(4096, TEXT + 0x800, 64);
		struct counts sum;

		tick(&all, TEXT + 0x810, 3);
		tick(&all, TEXT + 0xf000, 4);
		tick(&part, TEXT + 0x810, 10);
		merge_start(&sum, order == 0 ? &all : &part);
		ok(add(&sum, order == 0 ? &all : &part) && add(&sum, order == 0 ? &part : &all),
		   "bins for a part only, %s", order == 0 ? "later" : "first");
		ok(ticks_at(&sum, TEXT + 0x810) == 13 && ticks_at(&sum, TEXT + 0xf000) == 4 &&
		       sum.outside == 0,
		   "every tick is in its place");
		drop(&sum);
	}
}

static void
scales(void)
{
	struct counts fine = some(0, TEXT, TEXT_SIZE), coarse = some(0, TEXT, TEXT_SIZE), sum;
	uint64_t nbins;

	coarse.hist.scale = SCALE / 7;
	coarse.hist.nbins = TEXT_SIZE / 28;
	tick(&coarse, TEXT + 100, 6);
	merge_start(&sum, &coarse);
	nbins = sum.hist.nbins;
	for (int i = 0; i < 100; i++)
		merge_add(&sum, &coarse);
	is_int((int64_t)sum.hist.nbins, (int64_t)nbins,
	       "bins of an odd width do not grow in number");
	tick(&fine, TEXT + 100, 1);
	ok(add(&sum, &fine), "finer bins fit");
	ok(sum.hist.ticks == 601 && sum.hist.scale == SCALE, "the sum is as fine, with all ticks");
	drop(&coarse);
	drop(&sum);
}

/* Whatever an image says of itself. */
static void
lies(void)
{
	struct counts a = some(0, TEXT, TEXT_SIZE), b = some(0, TEXT, TEXT_SIZE), sum;

	merge_start(&sum, &a);
	b.low_pc += 16;
	ok(!merge_fits(&sum, &b), "another text does not fit");
	b = some(0, TEXT, TEXT_SIZE);
	b.hist.offset = UINT64_MAX - 100;
	ok(!merge_fits(&sum, &b), "bins at the end of memory do not fit");
	b.hist.offset = 1UL << 47;
	ok(!merge_fits(&sum, &b), "nor do those that are too far away");
}

/* What is the same by its own words need not be the same file. */
static void
claims(void)
{
	const struct image_id a = { .build_id = { 1, 2 },
		                    .build_id_len = 2,
		                    .dev = 1,
		                    .ino = 2,
		                    .size = 3,
		                    .changed = 4,
		                    .made = 5 };
	struct image_id b = a;

	ok(image_same_claim(&a, &b) && image_same_file(&a, &b), "a file is the same as itself");
	b.build_id[0] = 9;
	ok(!image_same_claim(&a, &b) && image_same_file(&a, &b),
	   "another build id is another claim");
	for (size_t i = 0; i < 5; i++) {
		b = a;
		b.dev += i == 0;
		b.ino += i == 1;
		b.size += i == 2;
		b.changed += i == 3;
		b.made += i == 4;
		ok(image_same_claim(&a, &b) && !image_same_file(&a, &b),
		   "the same claim does not make another file the same (%zu)", i);
	}
	b.build_id_len = 0;
	ok(!image_same_claim(&a, &b), "a file without a build id claims something else");
}

int
main(void)
{
	claims();
	wherever_loaded();
	part_of_the_text();
	scales();
	lies();
	return done_testing();
}
