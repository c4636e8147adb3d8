/*
 * Folded stacks, one line each, for flame graphs and speedscope: frames from the outermost on, put
 * apart by semicolons, and ticks.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <stdlib.h>

struct writer {
	const struct model *m;
	FILE *out;
};

/* The separator may not stand in a name. */
static void
put_frame(struct writer *w, uint32_t frame)
{
	char *name = chains_frame_name(w->m, frame);

	for (char *s = name; *s != '\0'; s++)
		if (*s == ';')
			*s = ',';
	fputs(name, w->out);
	free(name);
}

static void
put_chain(void *arg, const struct chain *c)
{
	struct writer *w = arg;

	for (size_t i = 0; i < c->n; i++) {
		if (i > 0)
			fputc(';', w->out);
		put_frame(w, c->frames[i]);
	}
	fprintf(w->out, " %ju\n", (uintmax_t)c->ticks);
}

void
folded_write(const struct model *m, FILE *out)
{
	struct writer w = { m, out };
	/* Where no calls were counted none are lost. */
	const char *calls = m->calls == 0 ? "" : "no room for the number of calls; ";

	if (model_what(m) != STACKS_CPU)
		note("folded: %sthe numbers are nanoseconds", calls);
	else
		note("folded: %sthe numbers are ticks, of which %u are a second%s", calls,
		     m->gmon->rate,
		     m->stacks != NULL ? "" : "; stacks are worked out from the shares of calls");
	chains_walk(m, put_chain, &w);
}
