/*
 * Which processes descend from others, by the parents that /proc names.  The list of children that
 * a thread has there is not asked for: not every kernel has it (CONFIG_PROC_CHILDREN), and it may
 * leave some out while others end.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <stdlib.h>

struct member {
	pid_t pid, parent;
	bool in; /* the family */
};

static int
by_pid(const void *a, const void *b)
{
	const pid_t x = ((const struct member *)a)->pid, y = ((const struct member *)b)->pid;

	return (x > y) - (x < y);
}

static struct member *
find(struct member *all, size_t n, pid_t pid)
{
	const struct member key = { .pid = pid };

	return bsearch(&key, all, n, sizeof(*all), by_pid);
}

/* Adds the children of those that are in.  Returns whether there were any. */
static bool
add_children(struct member *all, size_t n, pid_t but)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct member *parent = all[i].in ? NULL : find(all, n, all[i].parent);

		if (parent != NULL && parent->in && all[i].pid != but)
			any = all[i].in = true;
	}
	return any;
}

/* Gathers all processes and their parents, in the order of their numbers. */
static struct member *
everybody(const pid_t *pid, size_t n)
{
	struct member *all = calloc(n, sizeof(*all));

	for (size_t i = 0; all != NULL && i < n; i++) {
		all[i].pid = pid[i];
		procfs_tgid(pid[i], &all[i].parent);
	}
	if (all != NULL)
		qsort(all, n, sizeof(*all), by_pid);
	return all;
}

static bool
descends(struct member *all, size_t n, pid_t pid, pid_t from)
{
	const struct member *m = find(all, n, pid);

	/* What was read one after the other may have a circle. */
	for (size_t i = 0; i < n && m != NULL && m->pid != from; i++)
		m = find(all, n, m->parent);
	return m != NULL && m->pid == from;
}

/* Lists those of `of` that are there and all that descend from them, in memory that the caller
 * frees; without `but`, its own, and those that it descends from: who waits for us, or shows what
 * we print, is not ours to stop.  *n is 0 also where there is no memory. */
pid_t *
procfs_family(const pid_t *of, size_t nof, pid_t but, size_t *n)
{
	size_t most;
	pid_t *pid = procfs_processes(&most);
	struct member *all = pid == NULL ? NULL : everybody(pid, most), *m;

	*n = 0;
	if (all == NULL)
		return pid;
	for (size_t i = 0; i < nof; i++)
		if (of[i] != but && (m = find(all, most, of[i])) != NULL)
			m->in = true;
	while (add_children(all, most, but))
		;
	for (m = all; m < all + most; m++)
		if (m->in && !descends(all, most, but, m->pid))
			pid[(*n)++] = m->pid;
	free(all);
	return pid;
}
