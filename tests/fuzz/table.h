/*
 * symtab.c's look at a table.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

/* One table is looked at.  NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../supervisor/code/symtab.c"
#include "fuzz.h"
#include "output/output.h"

static inline const char *
check_name(const struct symtab *t, uint32_t function)
{
	const char *const low = (const char *)t->head, *const high = low + t->size;
	const char *name = symtab_name(t, function);

	if (function < t->head->names)
		MUST(name >= low && name < high && memchr(name, '\0', (size_t)(high - name)));
	return name;
}

static inline void
check_at(const struct symtab *t, uint64_t pc)
{
	check_name(t, symtab_at(t, pc));
}

#endif
