/*
 * Which names this run has given to files: it does not replace a file that it has written itself.
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

static uint8_t *seen; /* a bit for each process id that has had a file */

/* Whether a process of this id has had its file in this run already; from now on it has.  Used for
 * names that have the id in them, of which there are too many to keep. */
bool
names_pid_again(pid_t pid)
{
	const uint8_t bit = (uint8_t)(1 << pid % 8);
	bool is;

	if (seen == NULL)
		seen = calloc(PID_MOST / 8, 1);
	if (seen == NULL || pid < 0 || pid >= PID_MOST)
		return false;
	is = (seen[pid / 8] & bit) != 0;
	seen[pid / 8] |= bit;
	return is;
}

struct given {
	UT_hash_handle hh;
	unsigned last; /* number of the last file that was to have this name */
	char key[];    /* the directory's device and number, and the name */
};

static struct given *given;

static int
key_of(int dir, const char *name, char *key, size_t size)
{
	struct file_id id;

	if (mounts_identify(dir, &id) < 0)
		return -1;
	return snprintf(key, size, "%llx:%llx/%s", (unsigned long long)id.dev,
	                (unsigned long long)id.ino, name);
}

static struct given *
find(int dir, const char *name)
{
	char key[NAME_MAX + 40];
	struct given *g = NULL;

	if (key_of(dir, name, key, sizeof(key)) > 0)
		HASH_FIND_STR(given, key, g);
	return g;
}

bool
names_is_given(int dir, const char *name)
{
	return find(dir, name) != NULL;
}

/* Without memory the name is not remembered. */
void
names_give(int dir, const char *name)
{
	char key[NAME_MAX + 40];
	int len = key_of(dir, name, key, sizeof(key));
	struct given *g = len > 0 ? malloc(sizeof(*g) + (size_t)len + 1) : NULL;

	if (g == NULL)
		return;
	g->last = 1;
	memcpy(g->key, key, (size_t)len + 1);
	HASH_ADD_STR(given, key, g);
	if (g->hh.tbl == NULL)
		free(g);
}

/* Returns the number to try next for a file that would have this name; 1: no file has it. */
unsigned
names_next(int dir, const char *name)
{
	struct given *g = find(dir, name);

	return g == NULL ? 1 : ++g->last;
}
