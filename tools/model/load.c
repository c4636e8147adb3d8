/*
 * From files to the model.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

/* A tool that compares profiles loads several. */
struct loaded {
	struct loaded *next;
	struct symbols symbols;
	struct gmon gmon;
	struct stacks stacks;
	struct model model;
};

static struct loaded *all;

struct model *
load_model(const struct load *what)
{
	struct loaded *l = memory_array(1, sizeof(*l));
	char **files = files_choose(what->files);
	bool measured;

	l->next = all;
	all = l;
	gmon_read(&l->gmon, files, what->force);
	symbols_read(&l->symbols, what->program, what->lines);
	build_id_check(&l->gmon, &l->symbols, what->force);
	measured =
	    what->stacks && stacks_read(&l->stacks, &l->gmon, &l->symbols, files, what->force);
	model_make(&l->model, &l->gmon, &l->symbols, measured ? &l->stacks : NULL, files);
	naming_all(&l->symbols, &l->model, what->all);
	return &l->model;
}

/* Takes the source lines, which another process has read meanwhile. */
void
load_lines(struct model *m)
{
	struct loaded *l = (struct loaded *)((char *)m - offsetof(struct loaded, model));

	lines_finish(&l->symbols.lines, l->symbols.program);
}
