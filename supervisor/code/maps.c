/*
 * The code that is mapped in a process, by /proc/PID/maps.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include "grow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* A frame has room for so large addresses. */
#define ADDRESSES (1ULL << FRAME_BITS)
/* Pieces of code of one process at the most. */
enum { MOST_CODE = 4096 };

/* Code that a program has written has no file, even if it is mapped by way of one that was made for
 * it. */
static bool
is_written_code(const char *path)
{
	static const char *const begins[] = { "/memfd:", "/dev/zero", "/SYSV" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(path, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* Takes "LOW-HIGH PERM OFFSET MAJOR:MINOR INODE      PATH".  False: no code is mapped there,
 * or there is no memory. */
static bool
take_line(const char *line, struct code_map *map)
{
	unsigned dev_major, dev_minor;
	bool has_path;
	char *at;

	map->low = strtoull(line, &at, 16);
	map->high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
	/* What is above belongs to the kernel. */
	if (map->low >= map->high || map->high > ADDRESSES || strlen(at) < 6 || at[3] != 'x')
		return false;
	map->offset = strtoull(at + 6, &at, 16);
	dev_major = (unsigned)strtoul(at, &at, 16);
	dev_minor = *at == ':' ? (unsigned)strtoul(at + 1, &at, 16) : 0;
	map->dev = makedev(dev_major, dev_minor);
	map->ino = strtoull(at, &at, 10);
	at += strspn(at, " ");
	has_path = strlen(at) < MAPS_PATH && (strcmp(at, MAPS_VDSO) == 0 || *at == '/') &&
	           !is_written_code(at);
	map->path = strdup(has_path ? at : "");
	return map->path != NULL;
}

/* Adds a line of the file, without its newline, if there is memory for it. */
void
maps_add(struct code_maps *maps, const char *line)
{
	struct code_map *more =
	    maps->n == MOST_CODE ? NULL : grow(maps->map, maps->n, sizeof(*more));

	if (more == NULL)
		return;
	maps->map = more;
	more[maps->n] = (struct code_map){ 0 };
	maps->n += take_line(line, &more[maps->n]);
}

void
maps_free(struct code_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free(maps->map[i].path);
	free(maps->map);
	*maps = (struct code_maps){ 0 };
}
