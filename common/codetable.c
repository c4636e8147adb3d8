/*
 * SPDX-License-Identifier: ISC
 */
#include "codetable.h"

#include "search.h"

static const struct frame_row no_code = { .rule = FRAME_UNKNOWN };

/* Returns the row for an address. */
const struct frame_row *
frame_row_at(const struct frame_rows *rows, uint64_t pc)
{
	size_t at;

	SEARCH(at, rows->n, rows->row[at].low <= pc);
	return at == 0 ? &no_code : &rows->row[at - 1];
}
