/*
 * init-fault HOW: the first process of a pid namespace, after 12345 calls of work(), ends by a
 * fault:
 *	SEGV, BUS, FPE, ILL	made by an instruction
 *	abort			by abort()
 *	raise			by SIGSEGV sent to itself, which the kernel takes from no init: 3
 * Its parent prints how it ended: "exit N" or "signal N", with " core" if there was one.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"

#include <sched.h>

static volatile int zero;

COUNTED_FUNCTION(work)

/* A page of a file behind its end. */
static void
read_past_end(void)
{
	const int fd = memfd_create("empty", 0);
	volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	sink += (unsigned long)*p;
}

static void
end_by(const char *how)
{
	if (strcmp(how, "SEGV") == 0)
		*(volatile int *)8 = 1;
	else if (strcmp(how, "BUS") == 0)
		read_past_end();
	else if (strcmp(how, "FPE") == 0)
		sink = (unsigned long)(12345 / zero);
	else if (strcmp(how, "ILL") == 0)
		__builtin_trap();
	else if (strcmp(how, "abort") == 0)
		abort();
	else
		raise(SIGSEGV);
}

int
main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	if (unshare(CLONE_NEWPID) < 0)
		err(2, "unshare");
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 12345; i++)
			work();
		end_by(argv[1]);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	printf("%s %d%s\n", WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	       WIFSIGNALED(status) && WCOREDUMP(status) ? " core" : "");
	return 0;
}
