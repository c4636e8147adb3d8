/*
 * --format=firefox: functions and the tree of stacks, which all threads share.
 *
 * SPDX-License-Identifier: ISC
 */
#include "firefox.h"

#include <stdlib.h>
#include <string.h>

enum { NO_RESOURCE = -1 };

uint32_t
firefox_string(struct firefox_tables *t, const char *text)
{
	const uint32_t before = t->strings.n;
	const char *kept;
	const uint32_t number = names_number(&t->strings, text, &kept);

	if (number == before) {
		t->string = memory_grow(t->string, number, sizeof(*t->string));
		t->string[number] = kept;
	}
	return number;
}

bool
firefox_is_ours(const struct firefox_tables *t, uint32_t function)
{
	return function < t->m->stacks->cut || t->m->symbols->functions[function].inlined;
}

int
firefox_category(const struct firefox_tables *t, uint32_t function)
{
	switch (stacks_kind(t->m->stacks, function)) {
	case STACKS_BLOCKED:
		return CATEGORY_BLOCKED;
	case STACKS_RUNNABLE:
		return CATEGORY_RUNNABLE;
	default:
		return CATEGORY_RUNNING;
	}
}

/* Returns the row of a text in a table that has each text once. */
static int64_t
row_of(struct firefox_tables *t, struct firefox_texts *texts, const char *text)
{
	const uint32_t before = texts->names.n, row = names_number(&texts->names, text, NULL);

	if (row == before) {
		texts->string = memory_grow(texts->string, row, sizeof(*texts->string));
		texts->string[row] = firefox_string(t, text);
	}
	return row;
}

static int64_t
resource(struct firefox_tables *t, char *name)
{
	const int64_t row = row_of(t, &t->resources, name);

	free(name);
	return row;
}

/* The front end shows a function's resource with it, and has no other place for its calls. */
static int64_t
resource_of_ours(struct firefox_tables *t, uint32_t function)
{
	const char *path = t->m->symbols->program, *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	const uint64_t calls = t->m->costs[function].calls;

	if (calls == 0)
		return resource(t, memory_text("%s", name));
	return resource(
	    t, memory_text("%s, %ju call%s", name, (uintmax_t)calls, calls == 1 ? "" : "s"));
}

/* A function of another file has the file's name behind its own: "memcpy [libc.so.6]". */
static void
name_other(struct firefox_tables *t, struct firefox_function *f, const char *both)
{
	const char *file = strstr(both, " [");
	char *name;

	for (const char *next = file; next != NULL; next = strstr(next + 1, " ["))
		file = next;
	if (file == NULL || firefox_category(t, f->number) != CATEGORY_RUNNING) {
		f->name = firefox_string(t, both);
		return;
	}
	name = memory_text("%.*s", (int)(file - both), both);
	f->name = firefox_string(t, name);
	f->resource = resource(t, memory_text("%.*s", (int)strlen(file + 2) - 1, file + 2));
	free(name);
}

static void
name_ours(struct firefox_tables *t, struct firefox_function *f)
{
	const struct function *function = &t->m->symbols->functions[f->number];
	const char *file;
	unsigned line;

	f->name = firefox_string(t, function->name);
	f->resource = resource_of_ours(t, f->number);
	if (!where_function(t->m, f->number, &file, &line))
		return;
	f->source = row_of(t, &t->sources, file);
	f->line = line;
}

static void
make_function(struct firefox_tables *t, uint32_t number)
{
	struct firefox_function f = { number, FIREFOX_NULL, NO_RESOURCE, FIREFOX_NULL,
		                      FIREFOX_NULL };

	if (firefox_is_ours(t, number))
		name_ours(t, &f);
	else
		name_other(t, &f, t->m->symbols->functions[number].name);
	t->functions = memory_grow(t->functions, t->nfunctions, sizeof(*t->functions));
	t->functions[t->nfunctions++] = f;
}

/* Places are sorted by function. */
static void
make_functions(struct firefox_tables *t)
{
	const struct stacks *s = t->m->stacks;

	t->function_of = memory_array(s->nplaces, sizeof(*t->function_of));
	for (size_t i = 0; i < s->nplaces; i++) {
		if (i == 0 || s->places[i].function != s->places[i - 1].function)
			make_function(t, s->places[i].function);
		t->function_of[i] = (uint32_t)t->nfunctions - 1;
	}
}

static int
compare_stacks(const void *a, const void *b, void *stacks)
{
	const struct stacks *s = stacks;
	const struct stack *x = &s->stack[*(const size_t *)a], *y = &s->stack[*(const size_t *)b];

	for (uint32_t i = 0; i < x->n && i < y->n; i++) {
		const uint32_t p = s->frames[x->at + i], q = s->frames[y->at + i];

		if (p != q)
			return p < q ? -1 : 1;
	}
	return x->n < y->n ? -1 : x->n > y->n;
}

static uint32_t
add_node(struct firefox_tables *t, uint32_t frame, const uint32_t *caller)
{
	const uint32_t node = (uint32_t)t->nnodes;

	t->frame = memory_grow(t->frame, t->nnodes, sizeof(*t->frame));
	t->caller = memory_grow(t->caller, t->nnodes, sizeof(*t->caller));
	t->frame[node] = frame;
	t->caller[node] = caller == NULL ? node : *caller;
	t->nnodes++;
	return node;
}

/* In this order, what a stack shares with one before it, it shares with the last one. */
static void
make_nodes(struct firefox_tables *t)
{
	struct stacks *s = (struct stacks *)t->m->stacks;
	size_t *order = memory_array(s->n, sizeof(*order));
	uint32_t path[MOST_STACK] = { 0 }, n = 0; /* nodes of the last stack */

	t->node = memory_array(s->n, sizeof(*t->node));
	for (size_t i = 0; i < s->n; i++)
		order[i] = i;
	qsort_r(order, s->n, sizeof(*order), compare_stacks, s);
	for (size_t i = 0; i < s->n; i++) {
		const struct stack *stack = &s->stack[order[i]];
		const uint32_t *frames = &s->frames[stack->at];
		uint32_t same = 0;

		while (same < n && same < stack->n && t->frame[path[same]] == frames[same])
			same++;
		for (n = same; n < stack->n; n++)
			path[n] = add_node(t, frames[n], n == 0 ? NULL : &path[n - 1]);
		t->node[order[i]] = path[n - 1];
	}
	free(order);
}

void
firefox_tables_make(struct firefox_tables *t, const struct model *m)
{
	*t = (struct firefox_tables){ .m = m };
	make_functions(t);
	make_nodes(t);
}

void
firefox_tables_free(struct firefox_tables *t)
{
	names_free(&t->strings);
	names_free(&t->sources.names);
	names_free(&t->resources.names);
	free(t->string);
	free(t->sources.string);
	free(t->resources.string);
	free(t->functions);
	free(t->function_of);
	free(t->frame);
	free(t->caller);
	free(t->node);
}
