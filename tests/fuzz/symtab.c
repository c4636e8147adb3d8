/*
 * The table of a program's functions, as --report and --top use it: whoever wrote it, nothing in it
 * leads out of it, and a flat profile comes to an end, with every tick in it.
 *
 * An input is a profile, then the table; its file may be longer, by zeros.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: flat.c hist.c arcs.c gmon.c buffer.c stacks.c timeline.c
#include "table.h"

enum { MOST_LOOKS = 2000, MOST_ARCS = 16, LOW = 0x400000 };
/* Where bins have no address, they are the program's own loss. */
#define NO_OVERFLOW (1UL << 60)

static void
check_table(const struct symtab *t)
{
	const uint32_t n = t->head->functions;
	struct unwind_code u = { 0 };

	symtab_unwind(t, &u);
	MUST((const uint8_t *)(t->spans + t->head->spans) <= (const uint8_t *)t->head + t->size);
	MUST((const uint8_t *)(u.rows.row + u.rows.n) <= (const uint8_t *)t->head + t->size);
	check_at(t, 0);
	check_at(t, UINT64_MAX);
	for (uint32_t i = 0; i < t->head->spans && i < MOST_LOOKS; i++)
		for (uint64_t by = 0; by < 3; by++) {
			check_at(t, t->spans[i].low + by - 1);
			check_at(t, t->spans[i].high + by - 1);
		}
	for (uint32_t i = 0; i < n && i < MOST_LOOKS; i++)
		check_name(t, i);
	check_name(t, n - 1);
	MUST(strcmp(check_name(t, n), "[unknown]") == 0);
	MUST(strcmp(check_name(t, UINT32_MAX), "[unknown]") == 0);
}

/* Bins anywhere, and arcs between them. */
static void
take_profile(struct input *in, struct profile *p, struct arc_count *arc)
{
	const uint64_t bins = take_number(in, 1) % 16;

	p->counts.low_pc = LOW;
	p->counts.high_pc = LOW + take_number(in, 3);
	p->counts.bias = take_number(in, 1) % 2 != 0 ? LOW : 0;
	p->counts.hist.offset = take_number(in, 8);
	p->counts.hist.scale = 1 + (uint32_t)take_number(in, 2);
	p->counts.hist.nbins = take_number(in, 4);
	for (uint64_t i = 0; i < bins; i++) {
		const uint64_t index = take_number(in, 4);

		if (index < p->counts.hist.nbins)
			MUST(hist_add(&p->counts.hist, index, 1 + take_number(in, 2)) != 0);
	}
	p->counts.arcs = (struct arcs){ arc, take_number(in, 1) % MOST_ARCS, MOST_ARCS, 0 };
	for (size_t i = 0; i < p->counts.arcs.n; i++) {
		const uint32_t from = LOW + (uint32_t)take_number(in, 2);

		arc[i].key = (uint64_t)from << 32 | (LOW + (uint32_t)take_number(in, 2));
		arc[i].count = take_number(in, 8);
	}
	p->counts.minus = p->counts.arcs;
	p->counts.minus.n = take_number(in, 1) % (p->counts.arcs.n + 1);
}

static const struct symtab *given;

/* In place of objects.c's. */
const struct symtab *
objects_table(const struct image_id *program, uint32_t number)
{
	(void)program;
	return number == OBJECT_PROGRAM ? given : NULL;
}

const char *
objects_path(uint32_t number)
{
	return number < OBJECTS_OF_RUN ? NULL : "/lib/a.so";
}

static void
check_flat(const struct symtab *t, struct profile *p)
{
	const struct image_id id = { .dev = 1 };
	const double ticks = (double)p->counts.hist.ticks;
	struct flat f;

	given = t;
	for (int order = FLAT_TICKS; order <= FLAT_FRESH; order++) {
		double all;

		if (flat_make(&f, &id, &p->counts, (enum flat_order)order) < 0)
			return;
		all = f.ticks + f.runtime;
		MUST(
		    all < ticks + 0.001 &&
		    (all > ticks - 0.001 || p->counts.hist.offset - p->counts.bias >= NO_OVERFLOW));
		MUST(f.n <= symtab_count(t));
		for (size_t i = 0; i < f.n; i++) {
			MUST(f.row[i].name != NULL && f.row[i].ticks >= 0);
			MUST(order != FLAT_TICKS || i == 0 || f.row[i - 1].ticks >= f.row[i].ticks);
		}
		flat_free(&f);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t began = fuzz_clock();
	struct input in = { data, size };
	struct arc_count arc[MOST_ARCS];
	struct profile p = { 0 };
	struct symtab *t;
	uint64_t length;
	struct symtab_place file = { .file = -1 };

	take_profile(&in, &p, arc);
	length = take_number(&in, 1);
	length = in.left + (length % 2 != 0 ? 1UL << length % 27 : 0);
	file.file = table_file("table", in.data, in.left, length);
	t = symtab_take(&file, SYMTAB_BYTES);
	if (t != NULL) {
		check_table(t);
		check_flat(t, &p);
		table_forget(t);
	}
	symtab_leave(&file);
	hist_clear(&p.counts.hist);
	MUST(fuzz_clock() - began < FUZZ_MS);
	return 0;
}
