/*
 * The program that reads files for us, and makes tables of their code (tools/code/).  They are the
 * target's, and DWARF is a language: it has neither our memory nor any right of ours.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* It is ours as long as we run, whatever is installed by then. */
static int program = -1;

/* Opens it, if we may execute it by then with no more rights than a helper has for that. */
static int
open_executable(const char *path)
{
	const int fd = priv_open_proc(path, O_PATH);

	/* EINVAL: the kernel can't tell. */
	if (fd >= 0 && faccessat(fd, "", X_OK, AT_EACCESS | AT_EMPTY_PATH) < 0 && errno != EINVAL) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Finds it, where it is installed with us, or built.  Prints if it is not there. */
int
readcode_find(void)
{
	static const char *const places[] = { "../" PROFSUP_LIBDIR "/profsup/read-code",
		                              "../lib/profsup/read-code" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && program < 0; i++)
		if (installed_path(places[i], path) == 0)
			program = open_executable(path);
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

/* The caller's environment is meant for the target, which may have filled the directories that
 * LD_LIBRARY_PATH names, and we may be root: it has none. */
static void __attribute__((noreturn)) become(const char *what, int file, int debug, int out)
{
	/* What goes to standard error is not the table's. */
	const int fds[] = { file, debug, fcntl(out, F_DUPFD, STDERR_FILENO + 1) };
	char number[3][12];
	char *const argv[] = { (char[]){ "read-code" },
		               (char *)(uintptr_t)what,
		               number[0],
		               number[1],
		               number[2],
		               NULL };

	for (size_t i = 0; i < 3; i++) {
		snprintf(number[i], sizeof(number[i]), "%d", fds[i]);
		if (fds[i] >= 0)
			fcntl(fds[i], F_SETFD, 0);
	}
	fexecve(program, argv, (char *[]){ NULL });
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

/* Has it read what there is in `file`.  Called in a helper process, which becomes that program, so
 * that its CPU time is the helper's; this returns in a child that copies what the program writes.
 * A file in memory would be no way to hand that over: the caller's RLIMIT_FSIZE holds for it.
 * `debug`: the file with its symbols, or -1. */
int
readcode(const char *what, int file, int debug, struct symtab_place *table)
{
	int ends[2];
	pid_t pid;

	if (priv_drop() < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid > 0)
		become(what, file, debug, ends[1]);
	close(ends[1]);
	if (pid == 0)
		copy(ends[0], table);
	return pid;
}
