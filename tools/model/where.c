/*
 * Source lines of places and functions, inlined ones, too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

static bool
known(const char *name, unsigned number, const char **file, unsigned *line)
{
	*file = name != NULL ? name : "???";
	*line = name != NULL ? number : 0;
	return name != NULL;
}

/* The place of a call that is inlined is where the call is written. */
bool
where_place(const struct model *m, uint64_t pc, uint32_t call, const char **file, unsigned *line)
{
	const struct inline_call *c;

	if (call == 0)
		return lines_find(&m->symbols->lines, pc, file, line);
	c = &m->inlines->calls[call - 1];
	return known(inlines_text(m->inlines, c->call_file), c->call_line, file, line);
}

/* A function of a symbol may begin with code that is inlined into it. */
bool
where_function(const struct model *m, uint32_t function, const char **file, unsigned *line)
{
	const struct function *f = &m->symbols->functions[function];
	uint32_t chain[MOST_INLINED];
	uint64_t next;
	size_t n = 0;

	if (f->inlined)
		return known(f->file, f->line, file, line);
	if (m->inlines != NULL)
		n = inlines_chain(m->inlines, inlines_at(m->inlines, f->low, &next), chain);
	return where_place(m, f->low, n > 0 ? chain[0] : 0, file, line);
}
