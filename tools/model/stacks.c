/*
 * The measured call stacks of all files, each once.
 *
 * Stacks are sorted, not hashed: files that anyone may have made can't make them slow to find.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "stackfile.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

/* How many frames, or places, are added before their stacks are merged with the others, and how
 * many frames there may be after that. */
enum { MANY_FRAMES = 1 << 20, MOST_FRAMES = 1 << 26 };

const char *
stacks_type(enum stacks_what what)
{
	static const char *const names[] = { "cpu", "blocked", "runnable", "wall" };

	return names[what];
}

/* Returns the number of a frame's place, which stays until stacks_settle. */
uint32_t
stacks_place(struct stacks *s, const struct place *place)
{
	if (s->nplaces == UINT32_MAX)
		errx(EXIT_BAD, "the stacks of all files are too many");
	s->places = memory_grow(s->places, s->nplaces, sizeof(*s->places));
	s->places[s->nplaces] = *place;
	return (uint32_t)s->nplaces++;
}

/* Begins a stack, whose frames follow from the outermost on. */
void
stacks_begin(struct stacks *s, const struct stack *what)
{
	s->stack = memory_grow(s->stack, s->n, sizeof(*s->stack));
	s->stack[s->n] = *what;
	s->stack[s->n].n = 0;
	s->stack[s->n++].at = s->nframes;
}

void
stacks_frame(struct stacks *s, uint32_t place)
{
	if (s->nframes >= s->settled + MOST_FRAMES)
		errx(EXIT_BAD, "the stacks of all files are too many");
	s->frames = memory_grow(s->frames, s->nframes, sizeof(*s->frames));
	s->frames[s->nframes++] = place;
	s->stack[s->n - 1].n++;
}

static int
compare_places(const void *a, const void *b, void *places)
{
	const struct place *x = (struct place *)places + *(const uint32_t *)a;
	const struct place *y = (struct place *)places + *(const uint32_t *)b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

/* Puts the numbers of the places that are in stacks in `order`.  Returns how many there are. */
static size_t
used_places(const struct stacks *s, uint32_t *order)
{
	bool *used = memory_array(s->nplaces, sizeof(*used));
	size_t n = 0;

	for (size_t i = 0; i < s->nframes; i++)
		used[s->frames[i]] = true;
	for (uint32_t i = 0; i < s->nplaces; i++)
		if (used[i])
			order[n++] = i;
	free(used);
	return n;
}

/* Sorts the places by function, then object and address, and has each once. */
static void
settle_places(struct stacks *s)
{
	uint32_t *order = memory_array(s->nplaces, sizeof(*order));
	uint32_t *number = memory_array(s->nplaces, sizeof(*number));
	const size_t used = used_places(s, order);
	struct place *sorted = memory_array(used, sizeof(*sorted));
	size_t n = 0;

	qsort_r(order, used, sizeof(*order), compare_places, s->places);
	for (size_t i = 0; i < used; i++) {
		if (n == 0 || compare_places(&order[i], &order[i - 1], s->places) != 0)
			sorted[n++] = s->places[order[i]];
		number[order[i]] = (uint32_t)n - 1;
	}
	for (size_t i = 0; i < s->nframes; i++)
		s->frames[i] = number[s->frames[i]];
	free(order);
	free(number);
	free(s->places);
	s->places = sorted;
	s->nplaces = s->settled_places = n;
}

/* Compares by functions: of those with the same ones, as far as the shorter goes, the shorter is
 * first. */
static int
compare_functions(const struct stacks *s, const struct stack *x, const struct stack *y)
{
	for (uint32_t i = 0; i < x->n && i < y->n; i++) {
		const uint32_t f = s->places[s->frames[x->at + i]].function;
		const uint32_t g = s->places[s->frames[y->at + i]].function;

		if (f != g)
			return f < g ? -1 : 1;
	}
	return x->n < y->n ? -1 : x->n > y->n;
}

static int
compare_stacks(const void *a, const void *b, void *stacks)
{
	const struct stacks *s = stacks;
	const struct stack *x = a, *y = b;
	int c = compare_functions(s, x, y);

	for (uint32_t i = 0; c == 0 && i < x->n; i++) {
		const uint32_t p = s->frames[x->at + i], q = s->frames[y->at + i];

		c = p < q ? -1 : p > q;
	}
	if (c == 0)
		c = x->time < y->time ? -1 : x->time > y->time;
	if (c == 0)
		c = x->thread < y->thread ? -1 : x->thread > y->thread;
	if (c == 0)
		c = x->file < y->file ? -1 : x->file > y->file;
	return c;
}

/* Adds up what is the same, in sorted stacks. */
static void
merge_stacks(struct stacks *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (n > 0 && compare_stacks(&s->stack[i], &s->stack[n - 1], s) == 0)
			s->stack[n - 1].ticks += s->stack[i].ticks;
		else
			s->stack[n++] = s->stack[i];
	s->n = n;
}

/* Leaves out the frames that no stack has any more. */
static void
pack_frames(struct stacks *s)
{
	uint32_t *frames = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const size_t from = s->stack[i].at;

		s->stack[i].at = n;
		for (uint32_t j = 0; j < s->stack[i].n; j++) {
			frames = memory_grow(frames, n, sizeof(*frames));
			frames[n++] = s->frames[from + j];
		}
	}
	free(s->frames);
	s->frames = frames;
	s->nframes = s->settled = n;
}

/* Sorts the stacks by functions, then places, each once. */
void
stacks_settle(struct stacks *s)
{
	settle_places(s);
	if (s->n > 0)
		qsort_r(s->stack, s->n, sizeof(*s->stack), compare_stacks, s);
	merge_stacks(s);
	pack_frames(s);
}

/* Settles if it is time to: a thousand files take no more than twice the room of their sum. */
void
stacks_settle_many(struct stacks *s)
{
	if (s->nframes >= 2 * s->settled + MANY_FRAMES ||
	    s->nplaces >= 2 * s->settled_places + MANY_FRAMES)
		stacks_settle(s);
}

bool
stacks_same_functions(const struct stacks *s, size_t i, size_t j)
{
	return compare_functions(s, &s->stack[i], &s->stack[j]) == 0;
}

void
stacks_free(struct stacks *s)
{
	for (uint32_t i = 0; i < s->others.n; i++)
		free((char *)s->other_build_id[i]);
	for (uint32_t i = 0; i < s->object_names.n; i++) {
		free((char *)s->objects[i].path);
		free((char *)s->objects[i].build_id);
	}
	free(s->stack);
	free(s->frames);
	free(s->places);
	free(s->other);
	free(s->other_build_id);
	free(s->objects);
	names_free(&s->others);
	names_free(&s->object_names);
}

enum stacks_what
stacks_kind(const struct stacks *s, uint32_t function)
{
	const char *name, *end;

	if (function <= s->no_room || function - s->no_room > s->others.n)
		return STACKS_CPU;
	name = s->other[function - s->no_room - 1];
	if (strcmp(name, STACKFILE_FOR_CPU) == 0)
		return STACKS_RUNNABLE;
	/* A function of a file has the file's name behind it, in such brackets. */
	end = strchr(name, ']');
	return *name == '[' && end != NULL && end[1] == '\0' ? STACKS_BLOCKED : STACKS_CPU;
}
