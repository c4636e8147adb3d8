/*
 * The last lines of a table that was asked for by nothing but files: what else there is to see.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <stdio.h>

enum {
	MOST = 50,        /* per cent: it is most of the time */
	FEW = 10,         /* ticks: a share is off by a third, and more */
	SHORT_RATE = 1000 /* Hz */
};

/* The part of the time that is in functions of which no call was counted, in per cent. */
static double
without_callers(const struct model *m)
{
	const struct model *p = m->physical != NULL ? m->physical : m;
	double ticks = 0;

	for (uint32_t f = 0; f < model_own_functions(p); f++)
		ticks += p->costs[f].calls == 0 ? p->costs[f].self : 0;
	return m->ticks > 0 ? 100 * ticks / m->ticks : 0;
}

static bool
has_few_ticks(const struct model *m)
{
	return model_what(m) == STACKS_CPU && m->ticks + m->runtime_ticks > 0 && m->ticks < FEW &&
	       m->gmon->rate < SHORT_RATE;
}

void
hints_write(const struct report *r)
{
	const double percent = without_callers(r->m);

	fputs("\n--graph shows who calls whom, --annotate=FUNCTION source lines, --help the rest\n",
	      r->out);
	if (has_few_ticks(r->m))
		fprintf(r->out, "%.0f tick%s of CPU time: profsup -F %d sees more of a short run\n",
		        r->m->ticks, r->m->ticks == 1 ? "" : "s", SHORT_RATE);
	if (r->m->stacks == NULL && percent >= MOST)
		fprintf(r->out,
		        "%.0f %% of the time is in functions whose calls were not counted: "
		        "profsup -g shows who called them\n",
		        percent);
	if (r->m->stacks != NULL && r->m->stacks->waits && model_what(r->m) == STACKS_CPU)
		fputs("--type=blocked shows where threads waited\n", r->out);
}
