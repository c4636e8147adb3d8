/*
 * The file with the symbols and source lines that a distribution has stripped from a program, which
 * debuggers find by its build id.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "elfbytes.h"
#include "hexadecimal.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ID = 64 };

static bool
is_that_of(int fd, const char *build_id, bool linked, Elf **elf)
{
	char *id;
	bool same;

	if (elf_header_wrong(fd, linked) != NULL)
		return false;
	*elf = elf_begin(fd, ELF_C_READ, NULL);
	if (*elf == NULL)
		return false;
	id = build_id_of(*elf);
	same = strcmp(id, build_id) == 0;
	free(id);
	if (!same)
		elf_end(*elf);
	return same;
}

static Elf *
open_that_of(const char *path, const char *build_id, bool linked, int *fd)
{
	struct stat st;
	Elf *elf = NULL;

	*fd = regular_open(path, &st);
	if (*fd < 0)
		return NULL;
	if (is_that_of(*fd, build_id, linked, &elf))
		return elf;
	close(*fd);
	return NULL;
}

/* Opens it, if it is installed; or returns NULL.  `fd` is its descriptor then. */
Elf *
debug_file_open(const char *build_id, int *fd)
{
	Elf *elf;
	char *path;

	if (strlen(build_id) <= 2)
		return NULL;
	path = memory_text("/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	elf = open_that_of(path, build_id, true, fd);
	free(path);
	return elf;
}

/* The section that names the file: its path, with a '\0', and its build id. */
static const Elf_Data *
find_link(Elf *elf)
{
	struct elfsection at = elfsection_begin(elf);

	while (elfsection_next(&at))
		if (strcmp(at.name, ".gnu_debugaltlink") == 0)
			return elfbytes(at.section, MOST_PATH);
	return NULL;
}

/* Opens the file that dwz(1) has moved to what several files have in common, or returns NULL.  The
 * program says where it is, so it is only looked for where distributions have such files. */
Elf *
debug_file_shared(Elf *elf, int *fd)
{
	static const char where[] = "/usr/lib/debug/.dwz/";
	const Elf_Data *link = find_link(elf);
	const char *path = link == NULL ? NULL : link->d_buf;
	size_t len;
	char id[2 * MOST_ID + 1];

	if (path == NULL || link->d_size < sizeof(where) ||
	    strncmp(path, where, strlen(where)) != 0)
		return NULL;
	len = strnlen(path, link->d_size) + 1;
	if (len >= link->d_size || link->d_size - len > MOST_ID || strstr(path, "/../") != NULL)
		return NULL;
	hexadecimal((const uint8_t *)path + len, link->d_size - len, id);
	return open_that_of(path, id, false, fd);
}
