/*
 * Exact calls of several runs as text, which profsup-diff --gate reads.
 *
 * SPDX-License-Identifier: ISC
 */
#include "calls.h"
#include "export.h"

void
calls_write(struct model *const *models, size_t n, FILE *out)
{
	struct tallies t;
	struct baseline b;

	tallies_make(&t, models, n);
	baseline_of(&b, &t);
	baseline_write(&b, out);
}
