/*
 * What lld lays out functions by, so that callers and what they call most are near each other
 * (--call-graph-ordering-file): lines of caller, callee and calls, by the names that the linker
 * knows.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <err.h>
#include <string.h>

/* Words are put apart by spaces; a name that was changed to be printed names nothing any more. */
static bool
is_word(const struct function *f)
{
	return !f->no_symbol && strcmp(f->raw, f->symbol) == 0 && strpbrk(f->raw, " \t") == NULL;
}

void
call_graph_order_write(const struct model *m, FILE *out)
{
	uint64_t lost = 0;

	if (m->calls == 0)
		errx(EXIT_BAD,
		     "call-graph-order: no calls were counted, so there is nothing to lay out by: "
		     "build the program with profsup-cc");
	for (size_t i = 0; i < m->nedges; i++) {
		const struct edge *e = &m->edges[i];
		const struct function *caller = &m->symbols->functions[e->caller];
		const struct function *callee = &m->symbols->functions[e->callee];

		/* A function is near itself, and what only stacks have seen has no number. */
		if (e->calls == 0 || e->caller == e->callee)
			continue;
		if (is_word(caller) && is_word(callee))
			fprintf(out, "%s %s %ju\n", caller->raw, callee->raw, (uintmax_t)e->calls);
		else
			lost += e->calls;
	}
	if (lost > 0)
		note("call-graph-order: no room for %ju calls by or of code without a symbol that "
		     "is a word",
		     (uintmax_t)lost);
}
