/*
 * The functions of one side.  Its runs are of one program, but each has its own functions of
 * libraries, and of those that are inlined: what is the same in several runs is one subject.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <err.h>
#include <stdlib.h>

static uint32_t
add_subject(struct side *s, const struct model *m, uint32_t function)
{
	s->subjects = memory_grow(s->subjects, s->nsubjects, sizeof(*s->subjects));
	s->subjects[s->nsubjects] = (struct subject){ m, function };
	return (uint32_t)s->nsubjects++;
}

/* Returns the subject that a function is which is none of the program's symbols. */
static uint32_t
other_subject(struct side *s, struct names *known, uint32_t first, const struct model *m,
              uint32_t function)
{
	const struct function *f = &m->symbols->functions[function];
	char *key = memory_text("%d\n%s\n%u\n%s", f->inlined, f->file != NULL ? f->file : "",
	                        f->line, f->raw);
	const uint32_t before = known->n, number = names_number(known, key, NULL);

	free(key);
	if (number == before)
		add_subject(s, m, function);
	return first + number;
}

/* `models` are those of the side's runs. */
void
subjects_find(struct side *s, struct model *const *models)
{
	const uint32_t own = model_own_functions(models[0]);
	struct names known = { 0 };

	s->subject = memory_array(s->nruns, sizeof(uint32_t *));
	for (uint32_t f = 0; f < own; f++)
		add_subject(s, models[0], f);
	for (size_t i = 0; i < s->nruns; i++) {
		const struct model *m = models[i];

		if (model_own_functions(m) != own)
			errx(EXIT_BAD, "%s: it has changed while it was read", m->symbols->program);
		s->subject[i] = memory_array(m->symbols->nfunctions, sizeof(**s->subject));
		for (uint32_t f = 0; f < m->symbols->nfunctions; f++)
			s->subject[i][f] = f < own ? f : other_subject(s, &known, own, m, f);
	}
	names_free(&known);
}
