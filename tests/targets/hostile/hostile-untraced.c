/*
 * hostile-untraced PROGRAM: calls work() ten times; then a thread that no tracer may follow
 * executes PROGRAM, which takes all other threads with it, the one that is traced too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"
#include "hostile.h"

#include <sched.h>

static char stack[1 << 16];

COUNTED_FUNCTION(work)

__attribute__((no_instrument_function)) static int
become(void *arg)
{
	char *const *argv = arg;

	execv(argv[0], argv);
	_exit(9);
}

int
main(int argc, char **argv)
{
	(void)argc;
	for (int i = 0; i < 10; i++)
		work();
	clone(become, stack + sizeof(stack),
	      CLONE_UNTRACED | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_FS | CLONE_FILES,
	      argv + 1);
	for (;;)
		pause();
}
