/*
 * The measured stacks of both sides, as entries, for the picture of the difference.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

void
paths_add(struct diff *d, int side, const uint32_t *frames, uint32_t n, double ticks)
{
	struct path path = { .at = d->nframes, .n = n };

	path.ticks[side] = ticks;
	d->paths = memory_grow(d->paths, d->npaths, sizeof(*d->paths));
	d->paths[d->npaths++] = path;
	for (uint32_t i = 0; i < n; i++) {
		d->frames = memory_grow(d->frames, d->nframes, sizeof(*d->frames));
		d->frames[d->nframes++] = frames[i];
	}
}

static int
compare_paths(const void *a, const void *b, void *frames)
{
	const struct path *x = a, *y = b;
	const uint32_t *f = (uint32_t *)frames + x->at, *g = (uint32_t *)frames + y->at;

	for (uint32_t i = 0; i < x->n && i < y->n; i++)
		if (f[i] != g[i])
			return f[i] < g[i] ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

void
paths_merge(struct diff *d)
{
	size_t n = 0;

	if (d->npaths == 0)
		return;
	qsort_r(d->paths, d->npaths, sizeof(*d->paths), compare_paths, d->frames);
	for (size_t i = 1; i < d->npaths; i++)
		if (compare_paths(&d->paths[i], &d->paths[n], d->frames) == 0)
			for (int side = 0; side < SIDES; side++)
				d->paths[n].ticks[side] += d->paths[i].ticks[side];
		else
			d->paths[++n] = d->paths[i];
	d->npaths = n + 1;
}

struct walk {
	const struct diff *d;
	const struct path_walker *to;
	double least; /* seconds, of both sides together */
};

/* Walks those of the paths from i to end that are longer than `depth`; all have the same frames
 * before it. */
static void
walk_from(const struct walk *w, size_t i, size_t end, uint32_t depth)
{
	const struct diff *d = w->d;
	bool first = true;

	while (i < end && d->paths[i].n <= depth)
		i++;
	for (size_t next; i < end; i = next) {
		const uint32_t entry = d->frames[d->paths[i].at + depth];
		double ticks[SIDES] = { 0 };

		for (next = i; next < end && d->frames[d->paths[next].at + depth] == entry; next++)
			for (int side = 0; side < SIDES; side++)
				ticks[side] += d->paths[next].ticks[side];
		if (judge_seconds(d, BEFORE, ticks[BEFORE]) +
		        judge_seconds(d, AFTER, ticks[AFTER]) <
		    w->least)
			continue;
		w->to->enter(w->to->arg, entry, ticks, first);
		walk_from(w, i, next, depth + 1);
		w->to->leave(w->to->arg);
		first = false;
	}
}

void
paths_walk(const struct diff *d, double least_share, const struct path_walker *to)
{
	const double all = d->total.seconds[BEFORE] + d->total.seconds[AFTER];

	walk_from(&(struct walk){ d, to, all * least_share }, 0, d->npaths, 0);
}
