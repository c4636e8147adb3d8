/*
 * hostile-tables CHILDREN: arc tables that can't be, each seen by a child of vfork, which is read
 * by its thread's tables alone, and then by the program's own end: heads that lead around in
 * circles, sizes without end, places outside, more than there is, arcs of addresses that are no
 * text.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"
#include "hostile.h"

enum { HOW_MANY = 9 };

static struct profsup_arcs *arcs;
static uint64_t shared, places;

/* Gives the thread its slot and its first table. */
COUNTED_FUNCTION(work)

/* Good ones, so that it shows what is read. */
PLAIN static void
fill(void)
{
	const uint32_t low = (uint32_t)__profsup_state.low_pc;

	for (uint32_t i = 2000; i < 34000; i++)
		arcs->pool[shared + i] =
		    (struct profsup_arc){ .self = low + i / 8, .from = low + i, .count = 1 };
}

PLAIN static uint64_t
where(uint64_t first, unsigned log2)
{
	return first << 8 | log2;
}

PLAIN static void
head(uint64_t first, uint64_t older)
{
	((struct profsup_table_head *)&arcs->pool[first - 1])->older = older;
}

/* Every slot leads to it, whatever the thread pointer. */
PLAIN static void
lead_to(uint64_t where)
{
	for (int i = 0; i < PROFSUP_THREAD_SLOTS; i++)
		if (arcs->slots[i].thread_pointer != 0)
			arcs->slots[i].where = where;
}

PLAIN static void
fill_outside(void)
{
	static const uint32_t lies[] = { 1, 8, 0x1000, 0x7fffffff, 0x80000000, 0xfffffff0, ~0U };
	const uint32_t low = (uint32_t)__profsup_state.low_pc;
	const uint32_t high = (uint32_t)__profsup_state.high_pc;

	for (uint32_t i = 0; i < 1000; i++)
		arcs->pool[shared + 1000 + i] = (struct profsup_arc){
			.self = i % 3 == 0 ? high + i : lies[i % 7],
			.from = i % 2 == 0 ? low - 1 - i : lies[i % 5],
			.count = i % 4 == 0 ? UINT64_MAX : i,
		};
}

PLAIN static void
lie(int how)
{
	const uint64_t a = shared + 1, b = a + 4096;

	switch (how) {
	case 0: /* its own elder */
		head(a, where(a, 8));
		lead_to(where(a, 8));
		break;
	case 1: /* two that lead to each other, of one size */
		head(a, where(b, 8));
		head(b, where(a, 8));
		lead_to(where(a, 8));
		break;
	case 2: /* each the one before, a little smaller */
		for (unsigned i = 0; i < 16; i++)
			head(a + i, where(a + i + 1, 16 - i));
		lead_to(where(a, 17));
		break;
	case 3: /* all there is, and more */
		lead_to(where(a, 40));
		break;
	case 4:
		lead_to(where(a, 255));
		break;
	case 5: /* behind the end */
		lead_to(where(places - 3, 8));
		break;
	case 6:
		lead_to(UINT64_MAX);
		break;
	case 7: /* the shared table, and places that were not given out */
		lead_to(where(1, 12));
		arcs->shared_used = UINT64_MAX;
		arcs->used = UINT64_MAX;
		break;
	default:
		arcs->dropped = UINT64_MAX;
		fill_outside();
		break;
	}
}

PLAIN int
main(int argc, char **argv)
{
	arcs = hostile_arcs();
	places = __profsup_state.places;
	shared = places / 4;
	if (argc < 2 || __profsup_state.buf == 0 || places < 1 << 18)
		return 2;
	work();
	fill();
	for (int i = 0; i < HOW_MANY * atoi(argv[1]); i++) {
		lie(i % HOW_MANY);
		/* And one that is let go while its slot is another's. */
		if (vfork() == 0)
			_exit(0);
		wait(NULL);
	}
	return 0;
}
