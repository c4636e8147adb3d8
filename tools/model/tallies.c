/*
 * Adds up what several runs have of each function and arc, by name.
 *
 * A caller that is never called itself, as far as is counted, was not compiled for it.  Such are
 * libc's functions; which of these calls back depends on the machine, as its qsort does.  So they
 * are all one caller.
 *
 * SPDX-License-Identifier: ISC
 */
#include "calls.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

/* `label`: the number of a name. */
struct adding {
	struct tallies *t;
	struct names names, keys;
	const char **text; /* of each label */
	uint32_t *label;   /* of each function of the program */
	bool *split;       /* of each function: it is a part of another */
	bool *counted;     /* of each label */
	size_t nfunctions, nlabels;
	uint32_t uncounted; /* a label */
	bool all_callers;   /* have their own names */
};

/* Those of the program itself, without what stacks have added. */
static size_t
functions_of(const struct model *m)
{
	return m->stacks != NULL ? m->stacks->cut : m->symbols->nfunctions;
}

static uint32_t
label_text(struct adding *a, const char *name)
{
	const char *kept;
	const uint32_t number = names_number(&a->names, name, &kept);

	if (number == a->nlabels) {
		a->text = memory_grow(a->text, a->nlabels, sizeof(*a->text));
		a->counted = memory_grow(a->counted, a->nlabels, sizeof(*a->counted));
		a->text[a->nlabels] = memory_text("%s", kept);
		a->counted[a->nlabels++] = false;
	}
	return number;
}

static uint32_t
label_of(struct adding *a, const struct model *m, uint32_t function)
{
	char *clean;
	uint32_t label;

	if (function < a->nfunctions)
		return a->label[function];
	clean = text_clean(m->symbols->functions[function].raw, MOST_PATH);
	label = label_text(a, clean);
	free(clean);
	return label;
}

static void
label_functions(struct adding *a, const struct model *first, const char *const *names)
{
	a->label = memory_array(a->nfunctions, sizeof(*a->label));
	a->split = memory_array(a->nfunctions, sizeof(*a->split));
	for (size_t i = 0; i < a->nfunctions; i++) {
		base_name_length(&first->symbols->functions[i], &a->split[i]);
		a->label[i] = label_text(a, names[i]);
	}
	a->uncounted = label_text(a, CALLS_UNCOUNTED);
}

/* A function that runs on in a part of its own has not called it. */
static bool
runs_on(const struct adding *a, const struct edge *e)
{
	return a->split[e->callee] && e->caller != e->callee &&
	       a->label[e->caller] == a->label[e->callee];
}

static void
find_counted(struct adding *a, const struct model *m)
{
	for (size_t i = 0; i < m->nedges; i++) {
		const struct edge *e = &m->edges[i];

		if (e->calls > 0 && e->callee < a->nfunctions && e->caller < a->nfunctions &&
		    !runs_on(a, e))
			a->counted[a->label[e->callee]] = true;
	}
}

/* The tally of a function, or of an arc if there is a caller. */
static struct tally_run *
tally_for(struct adding *a, const char *name, const char *caller, size_t run)
{
	struct tallies *t = a->t;
	char *key = memory_text("%s\t%s", name, caller != NULL ? caller : "");
	const uint32_t number = names_number(&a->keys, key, NULL);

	free(key);
	if (number == t->n) {
		t->tally = memory_grow(t->tally, t->n, sizeof(*t->tally));
		t->tally[t->n++] = (struct tally){
			.name = name,
			.caller = caller,
			.run = memory_array(t->nruns, sizeof(struct tally_run)),
		};
	}
	return &t->tally[number].run[run];
}

static void
add_edge(struct adding *a, const struct model *m, const struct edge *e, size_t run)
{
	const bool own = e->callee < a->nfunctions && e->caller < a->nfunctions;
	const uint32_t callee = label_of(a, m, e->callee);
	const uint32_t caller = label_of(a, m, e->caller);
	const bool named = a->all_callers || a->counted[caller];
	struct tally_run *to;

	if (own && runs_on(a, e))
		return;
	to = tally_for(a, a->text[callee], a->text[named ? caller : a->uncounted], run);
	if (own && a->split[e->callee])
		to->parts += e->calls;
	else
		to->calls += e->calls;
	to->ticks += m->stacks != NULL ? e->ticks : 0;
}

/* A jump to a part of a function looks like one more call by the caller; and a caller that has the
 * function's beginning inlined calls the part only.  So the larger number is taken. */
static void
count_calls(struct adding *a, size_t run)
{
	for (size_t i = 0, n = a->t->n; i < n; i++) {
		const struct tally *t = &a->t->tally[i];
		struct tally_run *r = &t->run[run]; /* stays, unlike the tally */

		if (t->caller == NULL)
			continue;
		r->calls = r->parts > r->calls ? r->parts : r->calls;
		tally_for(a, t->name, NULL, run)->calls += r->calls;
	}
}

static void
add_run(struct adding *a, const struct model *m, size_t run)
{
	if (functions_of(m) != a->nfunctions)
		errx(EXIT_BAD, "%s: it has changed while it was read", m->symbols->program);
	a->t->rate[run] = m->gmon->rate;
	for (uint32_t i = 0; i < m->symbols->nfunctions; i++) {
		uint32_t label;

		if (m->costs[i].self <= 0)
			continue;
		label = label_of(a, m, i); /* may move the texts */
		tally_for(a, a->text[label], NULL, run)->ticks += m->costs[i].self;
	}
	for (size_t i = 0; i < m->nedges; i++)
		if (m->edges[i].calls > 0 || (m->stacks != NULL && m->edges[i].ticks > 0))
			add_edge(a, m, &m->edges[i], run);
	count_calls(a, run);
}

static int
compare(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;
	const int c = strcmp(x->name, y->name);

	if (c != 0 || x->caller == NULL || y->caller == NULL)
		return c != 0 ? c : (x->caller != NULL) - (y->caller != NULL);
	return strcmp(x->caller, y->caller);
}

static void
add_runs(struct adding *a, struct model *const *models, size_t nruns, const char *const *names)
{
	struct tallies *t = a->t;
	const char *slash = strrchr(models[0]->symbols->path, '/');

	*t = (struct tallies){ .nruns = nruns };
	t->program = text_clean(slash != NULL ? slash + 1 : models[0]->symbols->path, MOST_PATH);
	t->rate = memory_array(nruns, sizeof(*t->rate));
	label_functions(a, models[0], names);
	for (size_t i = 0; i < nruns; i++)
		find_counted(a, models[i]);
	for (size_t i = 0; i < nruns; i++)
		add_run(a, models[i], i);
	if (t->n > 0)
		qsort(t->tally, t->n, sizeof(*t->tally), compare);
	t->texts = a->text;
	t->ntexts = a->nlabels;
	names_free(&a->names);
	names_free(&a->keys);
	free(a->label);
	free(a->split);
	free(a->counted);
}

void
tallies_make(struct tallies *t, struct model *const *models, size_t nruns)
{
	struct adding a = { .t = t, .nfunctions = functions_of(models[0]) };
	const char **names = call_names(models[0]->symbols, a.nfunctions);

	add_runs(&a, models, nruns, names);
	free(names);
}

void
tallies_of(struct tallies *t, struct model *m, const char *const *names)
{
	struct adding a = { .t = t, .nfunctions = functions_of(m), .all_callers = true };

	add_runs(&a, &m, 1, names);
}

void
tallies_free(struct tallies *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->tally[i].run);
	for (size_t i = 0; i < t->ntexts; i++)
		free((char *)t->texts[i]);
	free(t->tally);
	free(t->texts);
	free(t->rate);
	free((char *)t->program);
}
