/*
 * The table of a program's functions, as -g uses it: whoever wrote it, nothing in it leads out of
 * it.
 *
 * An input is a byte and the table, which may be longer, by zeros.
 *
 * SPDX-License-Identifier: ISC
 */
#include "table.h"

enum { MOST_LOOKS = 2000 };

static void
check_table(const struct symtab *t)
{
	const uint32_t n = (uint32_t)t->head->names;
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t began = fuzz_clock();
	struct input in = { data, size };
	struct symtab_place place;
	struct symtab *t;
	const uint64_t longer = take_number(&in, 1);

	MUST(symtab_place(&place) == 0 && in.left < CODETABLE_BYTES);
	memcpy(place.memory, in.data, in.left);
	place.used = in.left + (longer % 2 != 0 ? 1UL << longer % 27 : 0);
	t = symtab_take(&place, CODETABLE_BYTES);
	if (t != NULL)
		check_table(t);
	free(t);
	symtab_leave(&place);
	MUST(fuzz_clock() - began < FUZZ_MS);
	return 0;
}
