/*
 * A baseline: exact calls as text, a line for each function and each arc to it, with tabs between a
 * line's parts:
 *
 *	parse	100
 *	parse	by main	100
 *
 * Calls that were different from run to run are a range.  Lines are sorted, so that each has its
 * place, whoever writes them.
 *
 * SPDX-License-Identifier: ISC
 */
#include "calls.h"

#include <err.h>
#include <string.h>

int
baseline_compare(const char *name, const char *caller, const struct baseline_entry *e)
{
	const int c = strcmp(name, e->name);

	if (c != 0 || caller == NULL || e->caller == NULL)
		return c != 0 ? c : (caller != NULL) - (e->caller != NULL);
	return strcmp(caller, e->caller);
}

struct baseline_entry
baseline_entry_of(const struct tallies *t, const struct tally *tally)
{
	struct baseline_entry e = { tally->name, tally->caller, UINT64_MAX, 0, (uint32_t)t->nruns };

	for (size_t i = 0; i < t->nruns; i++) {
		const uint64_t calls = tally->run[i].calls;

		e.low = calls < e.low ? calls : e.low;
		e.high = calls > e.high ? calls : e.high;
	}
	return e;
}

void
baseline_of(struct baseline *b, const struct tallies *t)
{
	*b = (struct baseline){ .program = t->program };
	b->entry = memory_array(t->n, sizeof(*b->entry));
	for (size_t i = 0; i < t->n; i++) {
		const struct baseline_entry e = baseline_entry_of(t, &t->tally[i]);

		if (e.high > 0)
			b->entry[b->n++] = e;
	}
	if (b->n == 0)
		errx(EXIT_BAD, "%s: no calls were counted: build the program with profsup-cc",
		     b->program);
}

void
baseline_write(const struct baseline *b, FILE *out)
{
	fprintf(out, "%s\tcalls, exact: profsup-diff --gate compares runs with them\n%s\n",
	        BASELINE_MAGIC, b->program);
	for (size_t i = 0; i < b->n; i++) {
		const struct baseline_entry *e = &b->entry[i];

		fputs(e->name, out);
		if (e->caller != NULL)
			fprintf(out, "\tby %s", e->caller);
		fprintf(out, "\t%ju", (uintmax_t)e->low);
		if (e->high > e->low)
			fprintf(out, "..%ju of %u runs", (uintmax_t)e->high, e->runs);
		fputc('\n', out);
	}
}
