/*
 * Which names this run has given to files: it does not replace a file that it has written itself,
 * but gives the later one's name a number.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's limit for process ids. */
enum { PID_MOST = 1 << 22 };

/* Returns how many processes of this id have had their file in this run, with this one.  Names that
 * have the id in them are too many to be kept. */
static unsigned
number_of_pid(pid_t pid)
{
	static uint16_t *seen; /* of each id; memory only for those that were used */

	if (seen == NULL)
		seen = calloc(PID_MOST, sizeof(*seen));
	if (seen == NULL || pid < 0 || pid >= PID_MOST)
		return 1;
	return seen[pid] < UINT16_MAX ? ++seen[pid] : seen[pid];
}

struct given {
	UT_hash_handle hh;
	unsigned last; /* number of the last file that was to have this name */
	char key[];    /* the directory's device and number, and the name */
};

static struct given *given;

/* Returns the entry of a name, which is made if there is none: then *is_new.  NULL without memory,
 * or where the directory can't be identified: a name is not kept then. */
static struct given *
take(int dir, const char *name, bool *is_new)
{
	char key[NAME_MAX + 40];
	struct file_id id;
	struct given *g;

	if (mounts_version(dir, &id, NULL) < 0)
		return NULL;
	snprintf(key, sizeof(key), "%llx:%llx/%s", (unsigned long long)id.dev,
	         (unsigned long long)id.ino, name);
	HASH_FIND_STR(given, key, g);
	*is_new = g == NULL;
	if (g != NULL || (g = malloc(sizeof(*g) + strlen(key) + 1)) == NULL)
		return g;
	g->last = 1;
	memcpy(g->key, key, strlen(key) + 1);
	HASH_ADD_STR(given, key, g);
	if (g->hh.tbl != NULL)
		return g;
	free(g);
	return NULL;
}

/* Makes a file's name of -o's template.  No other file of this run gets it from here on. */
void
names_reserve(int dir, const char *template, const struct template_values *v, char *name,
              size_t size)
{
	const bool has_pid = template_tells(template, 'p');
	const unsigned number = has_pid && v->snapshot == 0 ? number_of_pid(v->pid) : 1;
	struct given *first, *g;
	bool is_new = false;

	template_expand(template, v, number, name, size);
	if (has_pid)
		return;
	first = take(dir, name, &is_new);
	for (g = first; g != NULL && !is_new; g = take(dir, name, &is_new))
		template_expand(template, v, ++first->last, name, size);
}
