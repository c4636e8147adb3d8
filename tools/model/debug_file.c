/*
 * The file with the symbols and source lines that a distribution has stripped from a program, which
 * debuggers find by its build id.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_that_of(int fd, const char *build_id, Elf **elf)
{
	char *id;
	bool same;

	if (symbols_header_wrong(fd) != NULL)
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

/* Opens it, if it is installed; or returns NULL.  `fd` is its descriptor then. */
Elf *
debug_file_open(const char *build_id, int *fd)
{
	struct stat st;
	Elf *elf = NULL;
	char *path;

	if (strlen(build_id) <= 2)
		return NULL;
	path = memory_text("/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	*fd = regular_open(path, &st);
	free(path);
	if (*fd < 0)
		return NULL;
	if (is_that_of(*fd, build_id, &elf))
		return elf;
	close(*fd);
	return NULL;
}
