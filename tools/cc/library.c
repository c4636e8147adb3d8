/*
 * Shared libraries, which a static program can't have.  One that is named by its path gives way to
 * the archive beside it, as in Debian's packages; where there is none, the program is linked by the
 * compiler alone, so that a build goes through, and a line says so.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cc.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
is_shared(const char *path)
{
	Elf64_Ehdr eh;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is = fd >= 0 && read(fd, &eh, sizeof(eh)) == (ssize_t)sizeof(eh) &&
	                memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 && eh.e_type == ET_DYN;

	if (fd >= 0)
		close(fd);
	return is;
}

/* Returns where ".so" or ".so.1.2" begins, or NULL: plug.so.c is a source. */
const char *
library_suffix(const char *path)
{
	const char *at = strrchr(path, '/'), *end;

	at = strstr(at != NULL ? at : path, ".so");
	end = at == NULL ? NULL : at + strlen(".so");
	if (end != NULL && (*end == '\0' || (*end == '.' && end[1] >= '0' && end[1] <= '9')))
		return at;
	return NULL;
}

/* Returns the archive's name for a shared library's, or NULL if it is none. */
static char *
archive_of(const char *file)
{
	const char *suffix = library_suffix(file);
	char *stem, *archive;

	if (suffix == NULL)
		return NULL;
	stem = join("", file, "");
	stem[suffix - file] = '\0';
	archive = join(stem, ".a", "");
	free(stem);
	return archive;
}

/* Returns what is linked for an input file: the file, or the archive beside it. */
const char *
library_input(struct request *r, const char *file)
{
	char *archive = archive_of(file);

	if (archive == NULL)
		return file;
	if (access(archive, R_OK) == 0) {
		r->changed = true;
		return archive;
	}
	free(archive);
	if (is_shared(file))
		r->shared_library = file;
	return file;
}

/* Returns where the file is in the directories of -L, or NULL. */
static const char *
in_directories(const struct request *r, const char *file)
{
	for (size_t i = 0; i < r->directories.n; i++) {
		char *path = join(r->directories.word[i], "/", file);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

/* Whether the compiler finds the archive in a directory of its own: it answers with a path. */
static bool
is_the_compilers(const struct words *compiler, const char *archive)
{
	char *question = join("-print-file-name=", archive, ""), answer[2];

	compiler_ask(compiler, question, answer, sizeof(answer));
	free(question);
	return answer[0] == '/';
}

/* The compilers search those of the environment after those of -L. */
static void
add_library_path(struct request *r)
{
	const char *env = getenv("LIBRARY_PATH");
	char *dirs = env != NULL ? join("", env, "") : NULL, *dir;

	while ((dir = strsep(&dirs, ":")) != NULL)
		add(&r->directories, *dir != '\0' ? dir : ".");
}

/* Looks for a -l that only a shared library of the build can be.  What is lacking in the system is
 * left to the linker: a configure script is to find that it is not there. */
void
library_find_shared(struct request *r, const struct words *compiler)
{
	add_library_path(r);
	for (size_t i = 0; i < r->libraries.n && r->shared_library == NULL; i++) {
		const char *name = r->libraries.word[i]; /* or, after a colon, the file's */
		char *file = *name == ':' ? join(name + 1, "", "") : join("lib", name, ".so");
		char *archive = archive_of(file);
		const char *shared = archive != NULL ? in_directories(r, file) : NULL;

		if (shared != NULL && in_directories(r, archive) == NULL && is_shared(shared) &&
		    !is_the_compilers(compiler, archive))
			r->shared_library = shared;
		free(file);
		free(archive);
	}
}
