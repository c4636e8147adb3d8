/*
 * Preloaded by tests/slow-shell.sh: what a shell starts is slow to begin.
 *
 * SPDX-License-Identifier: ISC
 */
// Built as a shared library; _GNU_SOURCE is for RTLD_NEXT.
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LATE_NS = 40000000 };

pid_t
fork(void)
{
	pid_t (*const real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
	const char *name = program_invocation_short_name;
	const size_t len = strlen(name);
	const pid_t pid = real();

	if (pid == 0 && (strcmp(name, "sh") == 0 || (len > 2 && strcmp(name + len - 2, ".t") == 0)))
		nanosleep(&(struct timespec){ .tv_nsec = LATE_NS }, NULL);
	return pid;
}
