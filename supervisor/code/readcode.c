/*
 * The program that reads files for us, and makes tables of their code (tools/code/).  They are the
 * target's, and DWARF is a language: it has neither our memory nor any right of ours.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include "hexadecimal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* It is ours as long as we run, whatever is installed by then. */
static int program = -1;

/* Finds it, where it is installed with us.  Prints if it is not there. */
int
readcode_find(void)
{
	char path[PATH_MAX];

	if (installed_path("../" PROFSUP_LIBDIR "/profsup/read-code", path) == 0)
		program = open(path, O_PATH | O_CLOEXEC);
	if (program < 0)
		log_error("%s: %m (it belongs to profsup)", path);
	return program < 0 ? -1 : 0;
}

/* A helper that is to become it must keep this descriptor. */
int
readcode_program(void)
{
	return program;
}

/* Of the caller's environment, which is meant for the target (LD_PRELOAD), it has what we have our
 * libraries by. */
static void __attribute__((noreturn))
become(const char *what, int file, int debug, int out, const struct image_id *id)
{
	/* What goes to standard error is not the table's. */
	const int fds[] = { file, debug, fcntl(out, F_DUPFD, STDERR_FILENO + 1) };
	char number[3][12], build_id[2 * BUILD_ID_MOST + 1];
	static const char libraries[] = "LD_LIBRARY_PATH=";
	char *env[2] = { NULL };
	char *const argv[] = { (char[]){ "read-code" },
		               (char *)(uintptr_t)what,
		               number[0],
		               number[1],
		               number[2],
		               build_id,
		               NULL };

	hexadecimal(id->build_id, id->build_id_len, build_id);
	for (size_t i = 0; i < 3; i++) {
		snprintf(number[i], sizeof(number[i]), "%d", fds[i]);
		if (fds[i] >= 0)
			fcntl(fds[i], F_SETFD, 0);
	}
	for (char **at = environ; *at != NULL; at++)
		if (strncmp(*at, libraries, sizeof(libraries) - 1) == 0)
			env[0] = *at;
	fexecve(program, argv, env);
	_exit(1);
}

/* An incomplete table counts as none (symtab.c). */
static void
copy(int in, struct symtab_place *table)
{
	ssize_t n;

	while ((n = read(in, table->memory + table->used, CODETABLE_BYTES - table->used)) > 0)
		table->used += (size_t)n;
}

/* Has it read what there is in `file`, of which `id` is known.  Called in a helper process, which
 * becomes that program, so that its CPU time is the helper's; this returns in a child that copies
 * what the program writes.  A file in memory would be no way to hand that over: the caller's
 * RLIMIT_FSIZE holds for it.  `debug`: the file with its symbols, or -1. */
int
readcode(const char *what, int file, int debug, const struct image_id *id,
         struct symtab_place *table)
{
	int ends[2];
	pid_t pid;

	if (priv_drop() < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid > 0)
		become(what, file, debug, ends[1], id);
	close(ends[1]);
	if (pid == 0)
		copy(ends[0], table);
	return pid;
}
