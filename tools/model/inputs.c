/*
 * The files that a tool reads, so that its output takes the place of none: by what they are, since
 * a link is another name of the same file.
 *
 * A name is looked at when it is added.  Who looks at it later may find what another program has
 * put there meanwhile, which is no input.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>
#include <sys/stat.h>

struct input {
	dev_t dev;
	ino_t ino;
};

static struct input *all;
static size_t n;

static void
add(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	all = memory_grow(all, n, sizeof(*all));
	all[n++] = (struct input){ st.st_dev, st.st_ino };
}

/* A file of stacks is kept also where it is not read: nothing else has what is in it.  But
 * PROG.pb.gz beside the program PROG is what somebody has exported before. */
void
inputs_add(const char *path)
{
	char *beside = stacks_path(path), *id = build_id_of_gmon(path);

	add(path);
	if (id != NULL)
		add(beside);
	free(id);
	free(beside);
}

bool
inputs_have(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (all[i].dev == st.st_dev && all[i].ino == st.st_ino)
			return true;
	return false;
}
