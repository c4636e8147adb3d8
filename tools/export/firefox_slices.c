/*
 * --format=firefox: when each thread ran and waited.
 *
 * A sample stands for the CPU time before it, and a wait is known by its end.  Where the thread did
 * other things in between, a slice is shorter than its amount.
 *
 * SPDX-License-Identifier: ISC
 */
#include "firefox.h"

#include <stdlib.h>
#include <string.h>

/* A stack that has a time, before it has a place in its thread. */
struct timed {
	uint32_t process, thread;
	size_t stack;
	uint64_t end;
};

/* Returns the number in gmon.PROG.PID.out, without that of a snapshot, or of a file that is not its
 * process's first; 0: there is none.  `lowest`: the file's lowest thread. */
static uint32_t
number_in_name(const char *path, uint32_t lowest)
{
	const char *slash = strrchr(path, '/'), *at = slash == NULL ? path : slash + 1;
	uint32_t number = 0;

	if (strncmp(at, "gmon.", 5) != 0)
		return 0;
	for (at = strchr(at, '.'); at != NULL; at = strchr(at + 1, '.')) {
		const size_t digits = strspn(at + 1, "0123456789");

		if (digits > 0 && digits < 10 && at[digits + 1] == '.')
			number = (uint32_t)strtoul(at + 1, NULL, 10);
		if (number != 0 && number == lowest)
			break;
	}
	return number;
}

/* Returns each file's process: as its name says, or else by the lowest of its threads. */
static uint32_t *
find_processes(const struct firefox_tables *t)
{
	const struct stacks *s = t->m->stacks;
	uint32_t *process, *lowest;
	size_t n = 0;

	while (t->m->files[n] != NULL)
		n++;
	process = memory_array(n, sizeof(*process));
	lowest = memory_array(n, sizeof(*lowest));
	for (size_t i = 0; i < s->n; i++) {
		uint32_t *of = &lowest[s->stack[i].file];

		if (s->stack[i].time != 0 && (*of == 0 || s->stack[i].thread < *of))
			*of = s->stack[i].thread;
	}
	for (size_t i = 0; i < n; i++) {
		process[i] = number_in_name(t->m->files[i], lowest[i]);
		process[i] = process[i] != 0 ? process[i] : lowest[i];
	}
	free(lowest);
	return process;
}

static int
compare_timed(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	const bool x_first = x->thread == x->process, y_first = y->thread == y->process;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->thread != y->thread && x_first != y_first)
		return x_first ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Returns the stacks that have times, by thread and time. */
static struct timed *
find_timed(struct firefox_threads *all, const struct firefox_tables *t, size_t *n)
{
	const struct stacks *s = t->m->stacks;
	struct timed *timed = memory_array(s->n, sizeof(*timed));
	uint32_t *process = find_processes(t);

	*n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct stack *stack = &s->stack[i];

		if (stack->time == 0)
			all->no_time += stack->ticks;
		else
			timed[(*n)++] =
			    (struct timed){ process[stack->file], stack->thread, i, stack->time };
	}
	free(process);
	if (*n > 0)
		qsort(timed, *n, sizeof(*timed), compare_timed);
	return timed;
}

static struct slice
slice_of(const struct firefox_tables *t, const struct timed *timed, uint64_t not_before)
{
	const struct stacks *s = t->m->stacks;
	const struct stack *stack = &s->stack[timed->stack];
	const uint32_t innermost = s->frames[stack->at + stack->n - 1];
	uint64_t start = timed->end - (stack->ticks < timed->end ? stack->ticks : timed->end);

	return (struct slice){ .start = start < not_before ? not_before : start,
		               .end = timed->end,
		               .amount = stack->ticks,
		               .stack = timed->stack,
		               .category = firefox_category(t, s->places[innermost].function) };
}

/* Of waits for a CPU only the sum is known, when the thread is looked at again.  What does not fit
 * in front of the look was between the samples before it, since the thread was last blocked.
 * `before`: how much of it was right before each slice; `of`: of which wait. */
static void
find_rests(struct slice *slices, size_t n, uint64_t *before, size_t *of)
{
	uint64_t rest = 0;
	size_t wait = 0;

	for (size_t i = n; i-- > 1;) {
		const uint64_t gap = slices[i].start - slices[i - 1].end;
		const uint64_t drawn = slices[i].end - slices[i].start;

		if (slices[i].category == CATEGORY_BLOCKED)
			rest = 0;
		if (slices[i].category == CATEGORY_RUNNABLE) {
			rest = slices[i].amount > drawn ? slices[i].amount - drawn : 0;
			wait = i;
		}
		before[i] = gap < rest ? gap : rest;
		of[i] = wait;
		slices[wait].amount -= before[i];
		rest -= before[i];
	}
}

/* Gives the thread its slices, with the rests of waits as slices of their own. */
static void
spread(struct firefox_thread *thread, struct slice *slices, size_t n)
{
	uint64_t *before = memory_array(n, sizeof(*before));
	size_t *of = memory_array(n, sizeof(*of));

	find_rests(slices, n, before, of);
	thread->slices = memory_array(2 * n, sizeof(*thread->slices));
	for (size_t i = 0; i < n; i++) {
		if (before[i] > 0) {
			struct slice rest = slices[of[i]];

			rest.start = slices[i].start - before[i];
			rest.end = slices[i].start;
			rest.amount = before[i];
			thread->slices[thread->n++] = rest;
		}
		thread->slices[thread->n++] = slices[i];
	}
	free(before);
	free(of);
}

static void
add_thread(struct firefox_threads *all, const struct firefox_tables *t, const struct timed *timed,
           size_t n)
{
	struct firefox_thread thread = { .process = timed->process, .number = timed->thread };
	struct slice *slices = memory_array(n, sizeof(*slices));

	for (size_t i = 0; i < n; i++)
		slices[i] = slice_of(t, &timed[i], i == 0 ? 0 : slices[i - 1].end);
	spread(&thread, slices, n);
	free(slices);
	if (all->n == 0 || thread.slices->start < all->first)
		all->first = thread.slices->start;
	all->threads = memory_grow(all->threads, all->n, sizeof(*all->threads));
	all->threads[all->n++] = thread;
}

void
firefox_threads_find(struct firefox_threads *all, const struct firefox_tables *t)
{
	size_t n, first = 0;
	struct timed *timed;

	*all = (struct firefox_threads){ 0 };
	timed = find_timed(all, t, &n);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || timed[i + 1].process != timed[i].process ||
		    timed[i + 1].thread != timed[i].thread) {
			add_thread(all, t, &timed[first], i + 1 - first);
			first = i + 1;
		}
	free(timed);
}

void
firefox_threads_free(struct firefox_threads *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->threads[i].slices);
	free(all->threads);
}
