/*
 * From files to the model.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include <err.h>
#include <stdlib.h>

/* A tool that compares profiles loads several. */
struct loaded {
	struct loaded *next;
	struct symbols symbols;
	struct gmon gmon;
	struct stacks stacks;
	struct model model;
	size_t nfunctions; /* of the program, without what stacks add */
};

static struct loaded *all;

/* Whether the files of stacks are to be used.  Prints, and may exit. */
static bool
load_stacks(struct loaded *l, const struct load *what, char *const *files)
{
	char *why = NULL;

	if (!what->stacks)
		return false;
	if (stacks_read(&l->stacks, &l->gmon, &l->symbols, files, what, &why))
		return true;
	if (what->what != STACKS_CPU && what->what != STACKS_ALL)
		errx(EXIT_BAD, "%s; profsup --wall writes such figures into them",
		     why != NULL ? why : "no file of stacks is beside a gmon file");
	if (what->only != NULL)
		errx(EXIT_BAD, "%s; %s is made of stacks, which profsup %s writes",
		     why != NULL ? why : "no file of stacks is beside a gmon file", what->only,
		     what->by);
	if (why != NULL)
		note("%s; stacks are worked out from the shares of calls", why);
	free(why);
	return false;
}

struct model *
load_model(const struct load *what)
{
	struct loaded *l = memory_array(1, sizeof(*l));
	char **files = files_choose(what->files, what->intervals);
	bool measured;

	l->next = all;
	all = l;
	gmon_read(&l->gmon, files, what->force);
	inputs_add(what->program);
	symbols_read(&l->symbols, what->program, what->lines, what->inlines);
	l->nfunctions = l->symbols.nfunctions;
	build_id_check(&l->gmon, &l->symbols, what->force);
	if (!what->parts)
		parts_join(&l->symbols);
	measured = load_stacks(l, what, files);
	if (measured && what->what != STACKS_CPU)
		l->gmon.rate = 1000000000; /* the stacks are all that is left of the ticks */
	model_make(&l->model, &l->gmon, &l->symbols, measured ? &l->stacks : NULL, files);
	naming_all(&l->symbols, &l->model, what->no_names ? model_own_functions(&l->model) : 0,
	           what->all);
	return &l->model;
}

static struct loaded *
loaded_of(struct model *m)
{
	return (struct loaded *)((char *)m - offsetof(struct loaded, model));
}

void
load_again(struct model *m, const struct load *what, char *file)
{
	struct loaded *l = loaded_of(m);
	char *files[] = { file, NULL };
	bool measured;

	free((char **)m->files);
	for (size_t i = l->nfunctions; i < l->symbols.nfunctions; i++) {
		free((char *)l->symbols.functions[i].symbol);
		free((char *)l->symbols.functions[i].name);
	}
	model_free(m);
	stacks_free(&l->stacks);
	gmon_free(&l->gmon);
	l->stacks = (struct stacks){ 0 };
	l->symbols.nfunctions = l->nfunctions;
	gmon_read(&l->gmon, files, what->force);
	build_id_check(&l->gmon, &l->symbols, what->force);
	measured = load_stacks(l, what, files);
	model_make(m, &l->gmon, &l->symbols, measured ? &l->stacks : NULL, NULL);
	naming_all(&l->symbols, m, (uint32_t)l->nfunctions, true);
}

/* Works out shares after all, since a profile that is compared with this one has no stacks.  The
 * pseudo functions of stacks, which are the last ones, go. */
void
load_drop_stacks(struct model *m)
{
	struct loaded *l = loaded_of(m);

	if (m->stacks == NULL)
		return;
	l->symbols.nfunctions = l->stacks.cut;
	model_make(m, &l->gmon, &l->symbols, NULL, m->files);
}

/* Takes the source lines, which another process has read meanwhile. */
void
load_lines(struct model *m)
{
	struct loaded *l = loaded_of(m);

	lines_finish(&l->symbols.lines, l->symbols.program);
}

void
load_inlines(struct model *const *models, size_t n)
{
	struct inlines *in = memory_array(1, sizeof(*in));
	const bool any = inlined_read(in, models, n);

	symbols_close(&loaded_of(models[0])->symbols);
	for (size_t i = 0; any && i < n; i++) {
		struct loaded *l = loaded_of(models[i]);
		const uint32_t first = (uint32_t)l->symbols.nfunctions;

		inlined_expand(models[i], in, &l->symbols, &l->stacks);
		if (i == 0) /* it has the inlined functions of all */
			naming_all(&l->symbols, models[i], first, true);
	}
	if (!any)
		inlines_free(in);
}
