/*
 * Where the files of this run are, for the line at its end.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "functions.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Gets a directory's path; "" if that is too long, or is one of another mount namespace.  No file
 * system is asked. */
void
written_where(int dir, char where[WRITTEN_MOST])
{
	char self[32];
	ssize_t n;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", dir);
	n = mounts_is_ours(dir) ? readlink(self, where, WRITTEN_MOST - 1) : -1;
	if (n < 0 || n == WRITTEN_MOST - 1 || where[0] != '/')
		n = 0;
	where[n] = '\0';
	symname_clean(where);
}

/* Writes a file's name, behind that of its directory if that is known. */
void
written_path(const char *where, const char *name, char path[WRITTEN_PATH])
{
	const char *between = *where == '\0' || strcmp(where, "/") == 0 ? "" : "/";

	snprintf(path, WRITTEN_PATH, "%s%s%s", where, between, name);
}

/* Counts one more file. */
void
written_add(struct written *w, const char *dir, const char *name)
{
	if (w->files++ == 0) {
		snprintf(w->dir, sizeof(w->dir), "%s", dir);
		snprintf(w->name, sizeof(w->name), "%s", name);
		symname_clean(w->name);
	}
	w->elsewhere |= strcmp(w->dir, dir) != 0;
}

/* Writes what there is of call stacks. */
static void
say_stacks(const struct written *w, char *text, size_t size)
{
	const char *all = w->files == 1 ? " and its stacks" : " and their stacks";

	if (w->stacks != 0 && w->stacks != w->files)
		snprintf(text, size, " and %llu of stacks", (unsigned long long)w->stacks);
	else
		snprintf(text, size, "%s", w->stacks == 0 ? "" : all);
}

/* Writes "1 file: PATH", or "3 files in DIRECTORY", and that there are stacks. */
void
written_say(const struct written *w, char *text, size_t size)
{
	char stacks[64], path[WRITTEN_PATH];

	say_stacks(w, stacks, sizeof(stacks));
	written_path(w->dir, w->name, path);
	if (w->files == 1)
		snprintf(text, size, "1 file%s: %s", stacks, path);
	else
		snprintf(text, size, "%llu files%s%s%s", (unsigned long long)w->files, stacks,
		         *w->dir == '\0' || w->elsewhere ? "" : " in ", w->elsewhere ? "" : w->dir);
}
